/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the links between events (links.h). src/replay/channels.h matches messages. The n-th collective
 * operation of a member of a communicator is matched with the n-th of every other member.
 */
#include "src/unify/order/links.h"

#include "src/core/array.h"
#include "src/replay/channels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_FOR_A_SIGN = 1 << 14 };

struct omptape_order_reading {
    const struct omptape_order_pass *pass;
    struct omptape_reader *reader;
    struct omptape_channels channels;
    struct omptape_pairs processes; /* (0, location group) -> number of the process */
    uint64_t *groups;
    uint32_t group_count, group_capacity;
    struct omptape_pairs counts;    /* (comm, process) -> number of operations begun */
    struct omptape_pairs instances; /* (comm, number) -> link */
    struct omptape_pairs open;      /* (0, location) -> current operation */
    struct omptape_arena arena;
    struct omptape_order_link *free; /* free list of message links */
    uint64_t resolution;
    uint64_t events;
    bool stopped;
};

/* The current operation of a location. */
struct open_operation {
    uint64_t time;
    bool begun;
};

static struct omptape_order_link *new_link(struct omptape_order_reading *reading, uint32_t members)
{
    const size_t bytes =
        sizeof(struct omptape_order_link) + 2 * (size_t)members * sizeof(struct omptape_order_end);
    struct omptape_order_link *link = members == 1 ? reading->free : NULL;
    if (link != NULL) {
        reading->free = link->next;
        memset(link, 0, bytes);
    } else {
        link = members == 1 ? omptape_arena_alloc(&reading->arena, bytes) : omptape_calloc(1, bytes);
    }
    if (link == NULL)
        return NULL;
    link->reading = reading;
    link->members = members;
    link->sources = (struct omptape_order_end *)(link + 1);
    link->targets = link->sources + members;
    return link;
}

/* Message links, which are the most frequent, are reused. */
void omptape_order_release(struct omptape_order_link *link)
{
    if (link->collective) {
        free(link);
        return;
    }
    link->next = link->reading->free;
    link->reading->free = link;
}

static bool number_of(struct omptape_order_reading *reading, uint64_t group, uint32_t *number)
{
    uint32_t *known = omptape_pairs_get(&reading->processes, 0, group);
    if (known == NULL) {
        if (OMPTAPE_RESERVE(reading->groups, reading->group_count + 1, &reading->group_capacity))
            known = omptape_pairs_obtain(&reading->processes, &reading->arena, 0, group, sizeof(*known));
        if (known == NULL)
            return false;
        *known = reading->group_count;
        reading->groups[reading->group_count++] = group;
    }
    *number = *known;
    return true;
}

static void report_end(struct omptape_order_reading *reading, struct omptape_order_link *link,
                       struct omptape_order_end *end, bool is_source)
{
    if (!reading->pass->end(reading->pass->data, link, end, is_source))
        reading->stopped = true;
}

/* Passes an end to the pass, and releases the link if this was the last end. */
static void report_last_end(struct omptape_order_reading *reading, struct omptape_order_link *link,
                            struct omptape_order_end *end, bool is_source)
{
    const bool complete = link->source_count == link->members && link->target_count == link->members;
    if (complete && link->collective)
        omptape_pairs_remove(&reading->instances, link->comm, link->number);
    report_end(reading, link, end, is_source);
    if (complete && !reading->pass->keeps)
        omptape_order_release(link);
}

static void on_message(struct omptape_order_reading *reading, const struct omptape_event *event,
                       uint32_t process)
{
    const bool is_source = event->kind == OMPTAPE_EVENT_MPI_SEND;
    struct omptape_message_end *made;
    struct omptape_message_end *met = omptape_channels_match(&reading->channels, event, &made);
    if (met == NULL && made == NULL)
        return;
    struct omptape_order_link *link = met != NULL ? met->owned : new_link(reading, 1);
    if (met != NULL)
        omptape_channels_release(&reading->channels, met);
    if (link == NULL)
        return;
    if (made != NULL)
        made->owned = link;
    struct omptape_order_end *end =
        is_source ? &link->sources[link->source_count++] : &link->targets[link->target_count++];
    *end = (struct omptape_order_end){
        .process = process, .time = event->time, .needs = is_source ? OMPTAPE_ORDER_NONE : OMPTAPE_ORDER_ALL};
    report_last_end(reading, link, end, is_source);
}

/* Returns the members whose begin must precede the end of an operation. Received data proves that the sender
 * has begun, a barrier that all have. Operations to which a rank may contribute nothing prove nothing. */
static enum omptape_order_needs needs_of(const struct omptape_event *event, bool is_root)
{
    const bool received = event->value[3] > 0;
    switch (event->value[0]) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return OMPTAPE_ORDER_ALL;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return received ? OMPTAPE_ORDER_ALL : OMPTAPE_ORDER_NONE;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return received && is_root ? OMPTAPE_ORDER_ALL : OMPTAPE_ORDER_NONE;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return received && !is_root ? OMPTAPE_ORDER_ROOT : OMPTAPE_ORDER_NONE;
    default:
        return OMPTAPE_ORDER_NONE;
    }
}

static struct omptape_order_link *link_of(struct omptape_order_reading *reading, uint64_t comm,
                                          uint64_t number, uint32_t members)
{
    struct omptape_order_link *link = omptape_pairs_get(&reading->instances, comm, number);
    if (link != NULL)
        return link;
    link = new_link(reading, members);
    if (link == NULL)
        return NULL;
    link->collective = true;
    if (omptape_pairs_put(&reading->instances, comm, number, link) != 0) {
        omptape_order_release(link);
        return NULL;
    }
    link->comm = comm;
    link->number = number;
    return link;
}

/* Records the begin of an operation. Communicator and kind of operation are known from its end only. */
static void on_begin(struct omptape_order_reading *reading, const struct omptape_event *event)
{
    struct open_operation *open =
        omptape_pairs_obtain(&reading->open, &reading->arena, 0, event->location, sizeof(*open));
    if (open != NULL)
        *open = (struct open_operation){.time = event->time, .begun = true};
}

static void on_operation(struct omptape_order_reading *reading, const struct omptape_event *event,
                         uint32_t process)
{
    const uint64_t comm = event->refs[0].id;
    const struct omptape_rank_list *members = omptape_ranks_of(&reading->channels.ranks, comm);
    struct open_operation *open = omptape_pairs_get(&reading->open, 0, event->location);
    uint64_t *count = omptape_pairs_obtain(&reading->counts, &reading->arena, comm, process, sizeof(*count));
    if (members == NULL || count == NULL)
        return;
    if (members->present < 2 || members->present < members->size || open == NULL || !open->begun)
        return;
    open->begun = false;
    struct omptape_order_link *link = link_of(reading, comm, (*count)++, members->present);
    if (link == NULL)
        return;
    if (link->source_count >= link->members)
        return;
    uint32_t root = UINT32_MAX;
    if (event->value[1] < members->size && !number_of(reading, members->processes[event->value[1]], &root))
        return;
    struct omptape_order_end *source = &link->sources[link->source_count++];
    struct omptape_order_end *target = &link->targets[link->target_count];
    *source = (struct omptape_order_end){.process = process, .time = open->time};
    report_end(reading, link, source, true);
    *target = (struct omptape_order_end){
        .process = process, .time = event->time, .needs = needs_of(event, root == process), .root = root};
    link->target_count++;
    report_last_end(reading, link, target, false);
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct omptape_order_reading *reading = data;
    uint32_t process;
    if (++reading->events % EVENTS_FOR_A_SIGN == 0 && reading->pass->beats != NULL)
        ++*reading->pass->beats;
    if (event->kind != OMPTAPE_EVENT_MPI_SEND && event->kind != OMPTAPE_EVENT_MPI_RECEIVE &&
        event->kind != OMPTAPE_EVENT_MPI_COLLECTIVE_BEGIN && event->kind != OMPTAPE_EVENT_MPI_COLLECTIVE)
        return true;
    const uint64_t group = omptape_ranks_process_of(reading->reader, event->location);
    if (group == OMPTAPE_NO_PROCESS || !number_of(reading, group, &process))
        return !omptape_out_of_memory;
    if (event->kind == OMPTAPE_EVENT_MPI_COLLECTIVE_BEGIN)
        on_begin(reading, event);
    else if (event->kind == OMPTAPE_EVENT_MPI_COLLECTIVE)
        on_operation(reading, event, process);
    else
        on_message(reading, event, process);
    return !omptape_out_of_memory && !reading->stopped;
}

int omptape_order_read(const char *path, const struct omptape_order_pass *pass,
                       struct omptape_order_reading **made, char *error, size_t bytes)
{
    struct omptape_order_reading *reading = omptape_calloc(1, sizeof(*reading));
    *made = reading;
    if (reading == NULL)
        return -ENOMEM;
    reading->pass = pass;
    int result = omptape_reader_open(&reading->reader, path, error, bytes);
    if (result != 0)
        return result;
    (void)omptape_channels_begin(&reading->channels, reading->reader, pass->beats);
    reading->resolution = reading->reader->clock_resolution;
    result = omptape_reader_read_events(reading->reader, on_event, reading, error, bytes);
    return result == 0 && omptape_out_of_memory ? -ENOMEM : result;
}

void omptape_order_close(struct omptape_order_reading *reading)
{
    if (reading == NULL)
        return;
    for (uint32_t i = 0; i < reading->instances.count; i++)
        free(reading->instances.list[i].value);
    omptape_channels_free(&reading->channels);
    omptape_pairs_free(&reading->processes);
    omptape_pairs_free(&reading->counts);
    omptape_pairs_free(&reading->instances);
    omptape_pairs_free(&reading->open);
    omptape_arena_free(&reading->arena);
    omptape_reader_close(reading->reader);
    free(reading->groups);
    free(reading);
}

uint64_t omptape_order_group(const struct omptape_order_reading *reading, uint32_t process)
{
    return reading->groups[process];
}

/* Returns the latest source that this target needs. NULL if it needs none or they are not complete. */
static const struct omptape_order_end *find_latest(const struct omptape_order_link *link,
                                                   const struct omptape_order_end *end)
{
    const struct omptape_order_end *latest = NULL;
    if (end->needs == OMPTAPE_ORDER_NONE ||
        (end->needs == OMPTAPE_ORDER_ALL && link->source_count < link->members))
        return NULL;
    for (uint32_t i = 0; i < link->source_count; i++)
        if ((end->needs == OMPTAPE_ORDER_ALL || link->sources[i].process == end->root) &&
            (latest == NULL || link->sources[i].time > latest->time))
            latest = &link->sources[i];
    return latest;
}

static void count_end(struct omptape_order_counts *counts, const struct omptape_order_link *link,
                      const struct omptape_order_end *target)
{
    const struct omptape_order_end *latest = find_latest(link, target);
    if (latest == NULL)
        return;
    *(link->collective ? &counts->operations : &counts->messages) += 1;
    for (uint32_t i = 0; i < link->members; i++) {
        /* Both ends of a process in an operation are passed when its second one is read. */
        const struct omptape_order_end *by = link->collective ? &link->targets[i] : &link->sources[i];
        if ((target->needs == OMPTAPE_ORDER_ALL || by->process == target->root) && by->time > target->time &&
            by->time - target->time > counts->reorder_distance)
            counts->reorder_distance = by->time - target->time;
    }
    if (latest->time <= target->time)
        return;
    *(link->collective ? &counts->left_early : &counts->received_early) += 1;
    if (latest->time - target->time > counts->max_early)
        counts->max_early = latest->time - target->time;
}

/* Counts a link when all its ends are known. */
static bool on_counted(void *data, struct omptape_order_link *link, struct omptape_order_end *end,
                       bool is_source)
{
    (void)end;
    (void)is_source;
    for (uint32_t i = 0;
         i < link->members && link->source_count == link->members && link->target_count == link->members; i++)
        count_end(data, link, &link->targets[i]);
    return true;
}

int omptape_order_count(const char *path, struct omptape_order_counts *counts, volatile uint64_t *beats,
                        char *error, size_t bytes)
{
    struct omptape_order_reading *reading;
    const struct omptape_order_pass pass = {.end = on_counted, .data = counts, .beats = beats};
    *counts = (struct omptape_order_counts){.resolution = 1};
    int result = omptape_order_read(path, &pass, &reading, error, bytes);
    if (reading != NULL && reading->resolution > 0)
        counts->resolution = reading->resolution;
    if (result == 0)
        counts->begin = reading->reader->clock_offset;
    omptape_order_close(reading);
    return result;
}
