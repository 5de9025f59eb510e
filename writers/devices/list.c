/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds devices by their numbers. Called by what translates a record of theirs or of an operation on them.
 */
#include "writers/devices/list.h"

#include "src/core/array.h"

#include <stdlib.h>

struct omptape_device *omptape_device_find(struct omptape_writer *writer, int32_t number)
{
    for (uint32_t i = 0; i < writer->devices->count; i++)
        if (writer->devices->list[i]->number == number)
            return writer->devices->list[i];
    return NULL;
}

struct omptape_device *omptape_device_get(struct omptape_writer *writer, int32_t number)
{
    struct omptape_devices *devices = writer->devices;
    struct omptape_device *device = omptape_device_find(writer, number);
    if (device != NULL)
        return device;
    struct omptape_device **list = omptape_array_reserve(devices->list, devices->count + 1,
                                                         &devices->capacity, sizeof(struct omptape_device *));
    if (list == NULL)
        return NULL;
    devices->list = list;
    device = calloc(1, sizeof(*device));
    if (device == NULL)
        return NULL;
    device->number = number;
    device->opened = writer->begin;
    devices->list[devices->count++] = device;
    return device;
}
