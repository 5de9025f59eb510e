/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices: operations on them, and data movement by the host.
 */
#include "src/analysis/devices.h"

#include "src/analysis/location.h"
#include "src/analysis/state.h"

#include <stddef.h>
#include <string.h>

/* A device and the number of operations open on it. */
struct analysis_device_state {
    struct analysis_device result;
    struct analysis_device_state *next; /* next device of the process */
    uint64_t open;
    uint64_t counted_until; /* time until which busy, overlap, waited and idle are summed */
    bool followed;          /* in the list of the process */
};

static struct analysis_device_state *device_of(struct analysis_state *state,
                                               const struct omptape_definition *group)
{
    if (group == NULL || group->value[0] != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
        return NULL;
    struct analysis_device_state *device =
        omptape_pairs_obtain(&state->devices, &state->result->arena, 0, group->id, sizeof(*device));
    if (device == NULL)
        return NULL;
    device->result.group = group;
    return device;
}

struct analysis_device *omptape_analysis_device(struct analysis_state *state,
                                                const struct omptape_definition *group)
{
    struct analysis_device_state *device = device_of(state, group);
    return device != NULL ? &device->result : NULL;
}

/* Adds the time since the last call to the device's sums. */
static void count_until(const struct analysis_process_state *process, struct analysis_device_state *device,
                        uint64_t time)
{
    uint64_t spent = device->counted_until > 0 ? omptape_minus(time, device->counted_until) : 0;
    bool busy = device->open > 0;
    device->counted_until = time;
    omptape_add(&device->result.busy, busy ? spent : 0);
    if (process->threads_at[ANALYSIS_HOST_AT_WORK] > 0)
        omptape_add(&device->result.overlap, busy ? spent : 0);
    else if (process->threads_at[ANALYSIS_HOST_AT_DEVICE] > 0)
        omptape_add((busy ? &device->result.waited : &device->result.idle), spent);
}

static enum analysis_host host_of(const struct analysis_location *location)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    uint8_t bucket = top != NULL ? top->account->time_class.bucket : location->outside;
    if (bucket == OMPTAPE_BUCKET_TRANSFER || bucket == OMPTAPE_BUCKET_TARGET)
        return ANALYSIS_HOST_AT_DEVICE;
    return omptape_buckets[bucket].work ? ANALYSIS_HOST_AT_WORK : ANALYSIS_HOST_ELSEWHERE;
}

static void follow_host(struct analysis_process_state *process, struct analysis_location *location)
{
    enum analysis_host host = host_of(location);
    process->threads_at[location->transfers.host] -= location->transfers.host_counted;
    process->threads_at[host]++;
    location->transfers.host = host;
    location->transfers.host_counted = true;
    location->flags |= ANALYSIS_FLAG_WATCHED;
}

void omptape_analysis_device_host(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time)
{
    struct analysis_process_state *process = &state->processes[location->process];
    if (location->transfers.host_counted && host_of(location) == location->transfers.host)
        return;
    for (struct analysis_device_state *one = process->devices; one != NULL; one = one->next)
        count_until(process, one, time);
    follow_host(process, location);
}

/* Begins to track the threads of a process, when its first device appears. */
static void follow_process(struct analysis_state *state, uint32_t number)
{
    for (uint32_t i = 0; i < state->locations.count; i++) {
        struct analysis_location *location = state->locations.list[i].value;
        if (location->thread != NULL && location->process == number)
            follow_host(&state->processes[number], location);
    }
}

void omptape_analysis_device_open(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_definition *group)
{
    location->transfers.device = device_of(state, group);
    /* Another stream has added it. */
    if (location->transfers.device == NULL || location->transfers.device->followed)
        return;
    struct analysis_process_state *process = &state->processes[location->process];
    if (process->devices == NULL)
        follow_process(state, location->process);
    location->transfers.device->next = process->devices;
    process->devices = location->transfers.device;
    location->transfers.device->followed = true;
}

static enum omptape_device_work work_of(const struct analysis_state *state, const struct omptape_event *event)
{
    const struct omptape_definition *region =
        omptape_reader_find(state->reader, OMPTAPE_DEF_REGION, event->refs[0].id);
    return region != NULL ? omptape_reader_device_work(region) : OMPTAPE_DEVICE_OTHER;
}

static void enter(const struct analysis_state *state, struct analysis_location *location,
                  const struct omptape_event *event)
{
    if (work_of(state, event) == OMPTAPE_DEVICE_OTHER)
        return;
    location->booked = event->time;
    location->transfers.device->open++;
}

static void leave(const struct analysis_state *state, struct analysis_location *location,
                  const struct omptape_event *event)
{
    struct analysis_device_state *device = location->transfers.device;
    enum omptape_device_work work = work_of(state, event);
    if (device->open == 0 || work == OMPTAPE_DEVICE_OTHER)
        return;
    device->open--;
    uint64_t spent = omptape_minus(event->time, location->booked);
    if (!omptape_analysis_counts(state, spent))
        return;
    if (work == OMPTAPE_DEVICE_TRANSFER) {
        device->result.transfers++;
        omptape_add(&device->result.transfer_time, spent);
    } else {
        device->result.kernels++;
        omptape_add(&device->result.kernel_time, spent);
    }
}

void omptape_analysis_device_event(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event)
{
    struct analysis_device_state *device = location->transfers.device;
    if (device == NULL)
        return;
    count_until(&state->processes[location->process], device, event->time);
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
        enter(state, location, event);
        break;
    case OMPTAPE_EVENT_LEAVE:
        leave(state, location, event);
        break;
    case OMPTAPE_EVENT_RMA_OPERATION:
        omptape_add(&device->result.bytes, state->inside ? event->value[2] : 0);
        break;
    default:
        break;
    }
}

static bool moves_data(const struct analysis_region *region)
{
    return region->kind == OMPTAPE_REGION_TARGET_TO_DEVICE ||
           region->kind == OMPTAPE_REGION_TARGET_FROM_DEVICE;
}

/* The last transfer of an address. */
struct analysis_sent {
    uint64_t bytes;
    uint64_t count;
};

static bool was_sent_before(struct analysis_state *state, const struct analysis_location *location,
                            const struct omptape_event *event, bool from_device, uint64_t bytes)
{
    uint64_t address = omptape_analysis_attribute(state, event, READER_HOST_ADDRESS);
    uint64_t device = omptape_analysis_attribute(state, event, READER_DEVICE);
    if (address == 0 || bytes == 0)
        return false;
    struct analysis_sent *sent = omptape_pairs_obtain(
        &state->sent, &state->arena, (uint64_t)location->process << 33 | device << 1 | from_device, address,
        sizeof(*sent));
    if (sent == NULL)
        return false;
    bool before = sent->count > 0 && sent->bytes == bytes;
    sent->bytes = bytes;
    sent->count++;
    return before;
}

static bool is_move(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_TARGET_UPDATE || kind == OMPTAPE_REGION_TARGET_ENTER_DATA ||
           kind == OMPTAPE_REGION_TARGET_EXIT_DATA;
}

/* Returns true if the construct around the innermost region only moves data. */
static bool is_in_move(const struct analysis_location *location)
{
    return location->replay.depth > 1 && is_move(omptape_analysis_top(location)[-1].region->kind);
}

/* Returns the stall time since the last call. It is no part of an operation. */
static uint64_t take_stalled(struct analysis_location *location)
{
    const uint64_t all = location->thread != NULL ? location->thread->stalled : 0;
    const uint64_t stalled = all - location->transfers.stalled;
    location->transfers.stalled = all;
    return stalled;
}

/* Adds time of a transfer outside of its operation. Each such interval contains the cost of one record. */
static void add_around(struct analysis_transfer *transfer, uint64_t spent)
{
    omptape_add(&transfer->overhead, spent);
    transfer->records++;
}

/* Adds the time between two transfers of one place to the transfers, if it is less than short_idle / 5 (2
 * us). It is no serial part: the runtime works before and after it reports an operation. Within a target
 * construct it is not serial anyway. */
static void add_way(const struct analysis_state *state, struct analysis_location *location,
                    struct analysis_transfer *transfer)
{
    const struct analysis_frame *frame = omptape_analysis_top(location);
    location->transfers.construct_stalled = take_stalled(location);
    if (is_in_move(location))
        frame--;
    uint64_t way = frame->replay.begin > location->transfers.moved_until
                       ? frame->replay.begin - location->transfers.moved_until
                       : 0;
    bool in_target = frame > analysis_frames(location) && frame[-1].region->kind == OMPTAPE_REGION_TARGET;
    if (location->transfers.moved_last != transfer || way >= state->short_idle / 5 ||
        (!in_target && way > location->serial))
        return;
    add_around(transfer, way);
    location->serial -= in_target ? 0 : way;
    location->transfers.allocated_time = 0; /* it is contained in the way */
}

/* Adds the time of an allocation on the device to the following transfer. The deallocation is added later
 * (note_allocation). Data that is already present needs neither. */
static void add_allocation(const struct analysis_state *state, struct analysis_location *location,
                           struct analysis_transfer *transfer, uint64_t time)
{
    if (location->transfers.allocated_time > 0 &&
        time - location->transfers.allocated_until < state->short_idle / 5) {
        add_around(transfer, location->transfers.allocated_time);
        location->transfers.allocations++;
    }
    location->transfers.allocated_time = 0;
}

void omptape_analysis_transfer_enter(struct analysis_state *state, struct analysis_location *location,
                                     const struct omptape_event *event)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (top == NULL || !moves_data(top->region))
        return;
    struct analysis_transfer *transfer =
        omptape_analysis_at_region(state, &state->transfers, top->region, sizeof(*transfer));
    if (transfer == NULL)
        return;
    uint64_t bytes = omptape_analysis_attribute(state, event, READER_BYTES);
    add_way(state, location, transfer);
    if (top->region->kind == OMPTAPE_REGION_TARGET_TO_DEVICE)
        add_allocation(state, location, transfer, top->replay.begin);
    location->transfers.transfer = transfer;
    if (is_in_move(location))
        location->transfers.moved = transfer;
    location->transfers.transfer_begin = top->replay.begin;
    location->transfers.transfer_bytes = bytes;
    location->transfers.transfer_repeats = was_sent_before(
        state, location, event, top->region->kind == OMPTAPE_REGION_TARGET_FROM_DEVICE, bytes);
}

void omptape_analysis_transfer_leave(struct analysis_state *state, struct analysis_location *location,
                                     uint64_t time)
{
    struct analysis_transfer *transfer = location->transfers.transfer;
    location->transfers.transfer = NULL;
    if (transfer == NULL)
        return;
    const uint64_t spent = omptape_minus(time - location->transfers.transfer_begin, take_stalled(location));
    location->transfers.moved_time += location->transfers.moved != NULL ? spent : 0;
    location->transfers.moved_last = transfer;
    location->transfers.moved_until = time;
    omptape_analysis_count(state, &transfer->times, spent, location->transfers.transfer_begin,
                           location->definition->id);
    if (!omptape_analysis_counts(state, spent))
        return;
    transfer->records++;
    omptape_add(&transfer->bytes, location->transfers.transfer_bytes);
    if (location->transfers.transfer_repeats) {
        transfer->repeated++;
        omptape_add(&transfer->repeated_bytes, location->transfers.transfer_bytes);
        omptape_add(&transfer->repeated_time, spent);
    }
}

/* Notes an allocation or deallocation in a construct that does something else, too. */
static void note_allocation(struct analysis_location *location, const struct analysis_frame *frame,
                            uint64_t time)
{
    const uint64_t spent = omptape_minus(time - frame->replay.begin, take_stalled(location));
    if (frame->region->kind == OMPTAPE_REGION_TARGET_ALLOC) {
        location->transfers.allocated_time = spent;
        location->transfers.allocated_until = time;
    } else if (location->transfers.allocations > 0 && location->transfers.moved_last != NULL) {
        location->transfers.allocations--;
        add_around(location->transfers.moved_last, spent);
    }
}

void omptape_analysis_move_leave(struct analysis_location *location, const struct analysis_frame *frame,
                                 uint64_t time)
{
    enum omptape_region_kind kind = frame->region->kind;
    bool is_allocation = kind == OMPTAPE_REGION_TARGET_ALLOC || kind == OMPTAPE_REGION_TARGET_DELETE;
    if (is_allocation && location->replay.depth > 0 && location->top->region->kind == OMPTAPE_REGION_TARGET)
        note_allocation(location, frame, time);
    if (!is_move(kind))
        return;
    location->transfers.moved_until = time;
    const uint64_t stalled = location->transfers.construct_stalled + take_stalled(location);
    const uint64_t spent = omptape_minus(time - frame->replay.begin, stalled);
    if (location->transfers.moved != NULL && spent > location->transfers.moved_time) {
        add_around(location->transfers.moved, spent - location->transfers.moved_time);
        location->transfers.moved->records++; /* before the operation, and after it */
    }
    location->transfers.moved = NULL;
    location->transfers.moved_time = 0;
}
