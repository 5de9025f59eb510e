/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Brings together the devices that the archive's properties tell of and those that have locations. Called by
 * devices.c.
 */
#include "src/command/info/device_choice.h"

#include <omptape/properties.h>

#include <stdio.h>
#include <stdlib.h>

/* Is it the property of a device that says who made its records? */
static bool is_producer(const char *name, int *number)
{
    int end = 0;
    return sscanf(name, OMPTAPE_DEVICE_PREFIX "%d::PRODUCER%n", number, &end) == 1 && end > 0 &&
           name[end] == '\0';
}

static size_t add_announced(struct omptape_info *info, struct omptape_shown_device *all)
{
    const char *const *names = NULL;
    uint32_t names_count = omptape_reader_properties(info->reader, &names);
    size_t count = 0;
    int number = 0;
    for (uint32_t i = 0; i < names_count; i++) {
        if (is_producer(names[i], &number)) {
            all[count++] = (struct omptape_shown_device){
                .number = number, .process = -1, .producer = omptape_reader_property(info->reader, names[i])};
        }
    }
    /* Those of a unified archive's processes. */
    for (size_t i = 0; i < info->reader->definition_count; i++) {
        const struct omptape_definition *property = info->reader->definitions[i];
        if (property->kind == OMPTAPE_DEF_PROPERTY && property->refs[0].kind == OMPTAPE_DEF_LOCATION_GROUP &&
            property->value[0] == OTF2_TYPE_STRING &&
            is_producer(omptape_reader_string(info->reader, property->refs[1].id), &number)) {
            all[count++] = (struct omptape_shown_device){
                .number = number,
                .process = omptape_reader_process_number(info->reader, property->refs[0].id),
                .producer = omptape_reader_string(info->reader, property->value[1])};
        }
    }
    return count;
}

static struct omptape_shown_device *find_announced(struct omptape_shown_device *all, size_t count,
                                                   int64_t process, int number)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].process == process && all[i].number == number && all[i].device == NULL)
            return &all[i];
    return NULL;
}

static int compare_shown(const void *left, const void *right)
{
    const struct omptape_shown_device *one = left;
    const struct omptape_shown_device *other = right;
    if (one->process != other->process)
        return one->process > other->process ? 1 : -1;
    if (one->number != other->number)
        return one->number > other->number ? 1 : -1;
    uint64_t id = one->device == NULL ? 0 : one->device->group->id;
    uint64_t other_id = other->device == NULL ? 0 : other->device->group->id;
    return (id > other_id) - (id < other_id);
}

/* Those without any event, too. */
static void make_all_devices(struct omptape_info *info)
{
    for (size_t i = 0; i < info->reader->definition_count; i++)
        if (info->reader->definitions[i]->kind == OMPTAPE_DEF_LOCATION)
            omptape_info_device_of(&info->profile, info->reader->definitions[i]);
}

static size_t collect_devices(struct omptape_info *info, struct omptape_shown_device *all)
{
    size_t count = add_announced(info, all);
    size_t announced = count;
    for (uint32_t i = 0; i < info->profile.devices.count; i++) {
        const struct info_device *device = info->profile.devices.list[i].value;
        int number = INT32_MAX;
        int64_t process = omptape_reader_process_number(info->reader, device->group->id);
        struct omptape_shown_device *known =
            omptape_reader_device_number(info->reader, device->group->id, &number)
                ? find_announced(all, announced, process, number)
                : NULL;
        if (known != NULL) {
            known->device = device;
        } else {
            all[count++] =
                (struct omptape_shown_device){.number = number, .process = process, .device = device};
        }
    }
    qsort(all, count, sizeof(*all), compare_shown);
    return count;
}

size_t omptape_info_choose_devices(struct omptape_info *info, struct omptape_shown_device **all)
{
    const char *const *names = NULL;
    size_t most = omptape_reader_properties(info->reader, &names);
    if (most > 0)
        make_all_devices(info);
    most += info->profile.devices.count + info->reader->definition_count;
    *all = calloc(most + 1, sizeof(**all));
    if (*all == NULL) {
        info->no_memory = true;
        return 0;
    }
    return collect_devices(info, *all);
}
