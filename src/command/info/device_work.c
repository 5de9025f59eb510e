/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the events on a device's locations add up to: transfers, memory in use, the time in which it was
 * busy. Called by gather.c for each event in the order of time.
 */
#include "src/command/info/profile.h"

#include "src/archive/read/regions.h"
#include "src/core/whole.h"

#include <string.h>

struct info_device *omptape_info_device_of(struct info_profile *profile,
                                           const struct omptape_definition *location)
{
    const struct omptape_definition *group = omptape_location_device(profile->reader, location);
    if (group == NULL)
        return NULL;
    struct info_device *device =
        omptape_info_obtain(profile, &profile->devices, 0, group->id, sizeof(struct info_device));
    if (device != NULL)
        device->group = group;
    return device;
}

/* Whether this rank of the window is a location of a device. */
static bool is_device(struct info_profile *profile, uint64_t window_id, uint64_t rank)
{
    const struct omptape_reader *reader = profile->reader;
    const struct omptape_definition *window = omptape_reader_find(reader, OMPTAPE_DEF_RMA_WIN, window_id);
    const struct omptape_definition *comm =
        window == NULL ? NULL : omptape_reader_find(reader, OMPTAPE_DEF_COMM, window->refs[1].id);
    const struct omptape_definition *group =
        comm == NULL ? NULL : omptape_reader_find(reader, OMPTAPE_DEF_GROUP, comm->refs[1].id);
    if (group == NULL || rank >= group->member_count)
        return false;
    const struct omptape_definition *locations = omptape_reader_comm_locations(reader, group->value[1]);
    uint64_t index = group->members[rank];
    const struct omptape_definition *location =
        locations == NULL || index >= locations->member_count
            ? NULL
            : omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, locations->members[index]);
    return location != NULL && omptape_info_device_of(profile, location) != NULL;
}

static void count_transfer(struct info_profile *profile, struct info_device *device,
                           const struct omptape_event *event)
{
    enum info_way way = INFO_TO_DEVICE;
    if (is_device(profile, event->refs[0].id, event->value[0]))
        way = INFO_BETWEEN_DEVICES;
    else if (strcmp(event->name, "RmaPut") == 0)
        way = INFO_FROM_DEVICE;
    device->transfers[way]++;
    omptape_add(&device->bytes[way], event->value[2]);
}

void omptape_info_device_event(struct info_profile *profile, struct info_device *device,
                               const struct omptape_event *event)
{
    if (event->kind == OMPTAPE_EVENT_RMA_OPERATION) {
        count_transfer(profile, device, event);
    } else if (event->kind == OMPTAPE_EVENT_METRIC && event->count > 0 &&
               event->types[0] == OTF2_TYPE_UINT64) {
        uint64_t value = event->values[0].unsigned_int;
        device->memory = value > device->memory ? value : device->memory;
        device->has_memory = true;
    }
}

static bool is_work(const struct info_region *region)
{
    return omptape_reader_device_work(region->definition) != OMPTAPE_DEVICE_OTHER;
}

void omptape_info_device_enter(struct info_device *device, const struct info_region *region, uint64_t time)
{
    if (is_work(region) && device->open++ == 0)
        device->busy_begin = time;
}

void omptape_info_device_leave(struct info_device *device, const struct info_region *region, uint64_t time)
{
    if (is_work(region) && device->open > 0 && --device->open == 0 && time > device->busy_begin)
        omptape_add(&device->busy, time - device->busy_begin);
}
