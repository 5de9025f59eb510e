/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements overtaking.h.
 */
#include "src/replay/overtaking.h"

#include "src/archive/read/regions.h"
#include "src/core/array.h"
#include "src/core/sort.h"
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_FOR_A_SIGN = 1 << 14,
    /* A receive that is still open after its process has completed this number of others may never complete.
     * The others are no longer kept for it. */
    MAX_BEFORE_IT = 1 << 16,
    /* Number of completed receives that are kept for each channel. */
    MAX_OF_A_CHANNEL = 1024,
    MIN_SWEPT = 4096,
};

/* A posted receive, or a message that a matched probe found. Open ones are in a list, sorted by place. */
struct posted {
    struct posted *next, *before;
    bool listed;
    uint64_t place;     /* position in the order of posting */
    uint64_t completed; /* number of completed receives at that time */
};

/* A completed receive, kept while an earlier posted one is open. */
struct passed {
    uint64_t place;
    uint64_t location;
    uint64_t time;
    uint32_t *count; /* its number in the result; NULL: it has not overtaken a receive yet */
};

/* A channel is in the table while it is not empty. */
struct channel {
    struct channel *next; /* next free channel */
    struct passed *list;  /* [head, count), in the order of posting */
    uint32_t head, count, capacity;
};

/* State of a thread: the place of its current call, and the result of its last matched probe. */
struct thread {
    uint64_t entered;
    bool takes_probed; /* the current call receives the probed message */
    struct posted probed;
};

enum call { CALL_PROBES = 1, CALL_TAKES_PROBED };

struct reading {
    struct omptape_overtaking *overtaking;
    volatile uint64_t *beats;
    uint64_t events;
    struct omptape_pairs calls; /* (0, region) -> enum call, for functions of matched probes */
    /* The following fields belong to the current process: */
    struct omptape_pairs requests; /* (0, request) -> posted */
    struct omptape_pairs channels; /* (communicator and tag, sender's rank) -> channel */
    struct omptape_pairs threads;  /* (0, location) -> thread */
    struct omptape_arena arena;
    struct posted *oldest, *newest;
    struct omptape_free_list free;
    struct omptape_free_list free_channels;
    uint64_t place;     /* place of the last posted receive: even; odd places lie between two receives */
    uint64_t completed; /* number of completed receives */
    uint64_t kept, kept_after_sweep;
};

static void list(struct reading *reading, struct posted *posted)
{
    struct posted *before = reading->newest;
    while (before != NULL && before->place > posted->place)
        before = before->before;
    posted->before = before;
    posted->next = before != NULL ? before->next : reading->oldest;
    *(posted->before != NULL ? &posted->before->next : &reading->oldest) = posted;
    *(posted->next != NULL ? &posted->next->before : &reading->newest) = posted;
    posted->listed = true;
}

static void unlist(struct reading *reading, struct posted *posted)
{
    if (!posted->listed)
        return;
    *(posted->before != NULL ? &posted->before->next : &reading->oldest) = posted->next;
    *(posted->next != NULL ? &posted->next->before : &reading->newest) = posted->before;
    posted->listed = false;
}

/* Removes a request; *place receives its place. Returns false if the request is unknown. */
static bool take_request(struct reading *reading, uint64_t request, uint64_t *place)
{
    struct posted *posted = omptape_pairs_remove(&reading->requests, 0, request);
    if (posted == NULL)
        return false;
    *place = posted->place;
    unlist(reading, posted);
    omptape_free_list_free(&reading->free, posted);
    return true;
}

static struct thread *thread_of(struct reading *reading, uint64_t location)
{
    return omptape_pairs_obtain(&reading->threads, &reading->arena, 0, location, sizeof(struct thread));
}

static void on_enter(struct reading *reading, const struct omptape_event *event)
{
    struct thread *thread = thread_of(reading, event->location);
    if (thread == NULL)
        return;
    thread->entered = reading->place + 1;
    thread->takes_probed = false;
    if (reading->calls.count == 0)
        return;
    const enum call *call = omptape_pairs_get(&reading->calls, 0, event->refs[0].id);
    thread->takes_probed = call != NULL && *call == CALL_TAKES_PROBED;
    if (call == NULL || *call != CALL_PROBES)
        return;
    unlist(reading, &thread->probed);
    reading->place += 2;
    thread->probed = (struct posted){.place = reading->place, .completed = reading->completed};
    list(reading, &thread->probed);
}

static void on_posted(struct reading *reading, const struct omptape_event *event)
{
    uint64_t place;
    struct thread *thread = thread_of(reading, event->location);
    (void)take_request(reading, event->value[0], &place);
    struct posted *posted = omptape_free_list_alloc(&reading->free, &reading->arena, sizeof(*posted));
    if (posted == NULL || thread == NULL ||
        omptape_pairs_put(&reading->requests, 0, event->value[0], posted) != 0)
        return;
    reading->place += 2;
    *posted = (struct posted){.place = thread->takes_probed ? thread->probed.place : reading->place,
                              .completed = reading->completed};
    list(reading, posted);
    if (thread->takes_probed)
        unlist(reading, &thread->probed);
}

/* Removes completed receives before which no receive is open. */
static void prune(struct reading *reading, struct channel *channel)
{
    const uint64_t oldest = reading->oldest != NULL ? reading->oldest->place : UINT64_MAX;
    for (; channel->head < channel->count && channel->list[channel->head].place < oldest; channel->head++)
        reading->kept--;
    if (channel->head < channel->count / 2 || channel->head == 0)
        return;
    channel->count -= channel->head;
    memmove(channel->list, channel->list + channel->head, channel->count * sizeof(*channel->list));
    channel->head = 0;
}

static void forget_channel(struct reading *reading, uint64_t high, uint64_t low)
{
    struct channel *channel = omptape_pairs_remove(&reading->channels, high, low);
    omptape_free_list_free(&reading->free_channels, channel);
}

/* Removes empty channels, because a program may use each tag only once. */
static void sweep(struct reading *reading)
{
    if (reading->kept < MIN_SWEPT || reading->kept < 2 * reading->kept_after_sweep)
        return;
    for (uint32_t i = reading->channels.count; i-- > 0;) {
        const struct omptape_pair pair = reading->channels.list[i];
        struct channel *channel = pair.value;
        prune(reading, channel);
        if (channel->count == channel->head)
            forget_channel(reading, pair.high, pair.low);
    }
    reading->kept_after_sweep = reading->kept;
}

static struct channel *obtain_channel(struct reading *reading, uint64_t high, uint64_t low)
{
    struct channel *channel =
        omptape_free_list_alloc(&reading->free_channels, &reading->arena, sizeof(*channel));
    if (channel == NULL || omptape_pairs_put(&reading->channels, high, low, channel) != 0)
        return NULL;
    channel->head = channel->count = 0;
    return channel;
}

static void keep(struct reading *reading, struct channel *channel, const struct passed *passed)
{
    if (!OMPTAPE_RESERVE(channel->list, channel->count + 1, &channel->capacity))
        return;
    uint32_t at = channel->count++;
    for (; at > channel->head && channel->list[at - 1].place > passed->place; at--)
        channel->list[at] = channel->list[at - 1];
    channel->list[at] = *passed;
    reading->kept++;
    if (channel->count - channel->head > MAX_OF_A_CHANNEL) {
        channel->head++;
        reading->kept--;
    }
}

/* Counts the receive for all receives of its channel that were posted later and completed before. */
static void overtake(struct reading *reading, const struct channel *channel, uint64_t place)
{
    struct omptape_overtaking *result = reading->overtaking;
    for (uint32_t i = channel->count; i > channel->head && channel->list[i - 1].place > place; i--) {
        struct passed *passed = &channel->list[i - 1];
        if (passed->count == NULL)
            passed->count = omptape_pairs_obtain(&result->receives, &result->arena, passed->location,
                                                 passed->time, sizeof(*passed->count));
        if (passed->count != NULL)
            ++*passed->count;
    }
}

static void on_receive(struct reading *reading, const struct omptape_event *event)
{
    const uint64_t key[2] = {event->refs[0].id << 32 | (event->value[1] & UINT32_MAX), event->value[0]};
    struct thread *thread = thread_of(reading, event->location);
    const bool blocks = event->value[3] == OMPTAPE_EVENT_NO_REQUEST;
    const bool was_probed = blocks && thread != NULL && thread->takes_probed;
    uint64_t place = thread == NULL ? 0 : was_probed ? thread->probed.place : thread->entered;
    reading->completed++;
    if (!blocks && !take_request(reading, event->value[3], &place))
        return;
    if (was_probed)
        unlist(reading, &thread->probed);
    while (reading->oldest != NULL && reading->completed - reading->oldest->completed > MAX_BEFORE_IT)
        unlist(reading, reading->oldest);
    struct channel *channel = omptape_pairs_get(&reading->channels, key[0], key[1]);
    if (channel != NULL && (!blocks || was_probed))
        overtake(reading, channel, place);
    if (channel != NULL)
        prune(reading, channel);
    if (reading->oldest != NULL && reading->oldest->place < place) {
        if (channel == NULL)
            channel = obtain_channel(reading, key[0], key[1]);
        if (channel != NULL)
            keep(reading, channel,
                 &(struct passed){.place = place, .location = event->location, .time = event->time});
        sweep(reading);
    } else if (channel != NULL && channel->count == channel->head) {
        forget_channel(reading, key[0], key[1]);
    }
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct reading *reading = data;
    uint64_t place;
    if (++reading->events % EVENTS_FOR_A_SIGN == 0 && reading->beats != NULL)
        ++*reading->beats;
    if (event->kind == OMPTAPE_EVENT_ENTER)
        on_enter(reading, event);
    else if (event->kind == OMPTAPE_EVENT_MPI_POSTED)
        on_posted(reading, event);
    else if (event->kind == OMPTAPE_EVENT_MPI_RECEIVE)
        on_receive(reading, event);
    else if (event->kind == OMPTAPE_EVENT_MPI_CANCELLED)
        (void)take_request(reading, event->value[0], &place);
    return !omptape_out_of_memory;
}

static void free_process(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->channels.count; i++)
        free(((struct channel *)reading->channels.list[i].value)->list);
    for (struct channel *channel = reading->free_channels.first; channel != NULL; channel = channel->next)
        free(channel->list);
    omptape_pairs_free(&reading->requests);
    omptape_pairs_free(&reading->channels);
    omptape_pairs_free(&reading->threads);
    omptape_arena_free(&reading->arena);
    *reading = (struct reading){.overtaking = reading->overtaking,
                                .beats = reading->beats,
                                .events = reading->events,
                                .calls = reading->calls};
}

/* Registers the functions of matched probes. Returns true if the archive has functions that post receives. */
static bool look_for_calls(struct reading *reading, const struct omptape_reader *reader)
{
    static const char *const posting[] = {"MPI_Irecv", "MPI_Imrecv", "MPI_Isendrecv", "MPI_Recv_init",
                                          "MPI_Precv_init"};
    static const struct {
        const char *name;
        enum call call;
    } probes[] = {{"MPI_Mprobe", CALL_PROBES},
                  {"MPI_Improbe", CALL_PROBES},
                  {"MPI_Mrecv", CALL_TAKES_PROBED},
                  {"MPI_Imrecv", CALL_TAKES_PROBED}};
    bool some = false;
    OMPTAPE_EACH_DEFINITION(region, reader, OMPTAPE_DEF_REGION) {
        const char *name = omptape_reader_name(reader, OMPTAPE_DEF_REGION, region->id);
        for (size_t k = 0; k < sizeof(posting) / sizeof(posting[0]); k++)
            some |= strncasecmp(name, posting[k], strlen(posting[k])) == 0;
        for (size_t k = 0; k < sizeof(probes) / sizeof(probes[0]); k++)
            if (strncasecmp(name, probes[k].name, strlen(probes[k].name)) == 0)
                (void)omptape_pairs_put(&reading->calls, 0, region->id, (void *)(uintptr_t)&probes[k].call);
    }
    return some;
}

static int by_group(const void *one, const void *other)
{
    const struct omptape_definition *const *a = one;
    const struct omptape_definition *const *b = other;
    return ((*a)->refs[1].id > (*b)->refs[1].id) - ((*a)->refs[1].id < (*b)->refs[1].id);
}

/* Returns all threads, grouped by process. */
static const struct omptape_definition **list_threads(const struct omptape_reader *reader, uint32_t *count)
{
    const struct omptape_definition **list =
        omptape_calloc(reader->definition_count + (size_t)1, sizeof(*list));
    *count = 0;
    for (const struct omptape_definition *definition = reader->first[OMPTAPE_DEF_LOCATION];
         definition != NULL && list != NULL; definition = definition->next)
        if (omptape_location_is_thread(reader, definition))
            list[(*count)++] = definition;
    if (list != NULL)
        omptape_sort(list, *count, sizeof(*list), by_group);
    return list;
}

static void read_processes(struct reading *reading, struct omptape_reader *reader,
                           const struct omptape_definition *const *threads, uint32_t count, uint64_t *ids)
{
    char error[OMPTAPE_READER_ERROR_BYTES];
    int result = 0;
    for (uint32_t first = 0, next; first < count && result == 0 && !omptape_out_of_memory; first = next) {
        for (next = first; next < count && threads[next]->refs[1].id == threads[first]->refs[1].id; next++)
            ids[next - first] = threads[next]->id;
        result =
            omptape_reader_read_locations(reader, ids, next - first, on_event, reading, error, sizeof(error));
        free_process(reading);
    }
}

/* Returns true if the archive, written by omptape, says that no receive overtakes. */
static bool has_none(struct omptape_reader *reader)
{
    const char *count = omptape_reader_property_of(reader, -1, OMPTAPE_KEY_OVERTAKING);
    return count != NULL && strcmp(count, "0") == 0;
}

bool omptape_overtaking_find(struct omptape_overtaking *overtaking, const struct omptape_reader *reader,
                             volatile uint64_t *beats)
{
    struct reading reading = {.overtaking = overtaking, .beats = beats};
    struct omptape_reader *own = NULL;
    char error[OMPTAPE_READER_ERROR_BYTES];
    uint32_t count = 0;
    if (look_for_calls(&reading, reader)) {
        const struct omptape_definition **threads = list_threads(reader, &count);
        uint64_t *ids = omptape_calloc(count + (size_t)1, sizeof(*ids));
        if (!omptape_out_of_memory && omptape_reader_open(&own, reader->anchor, error, sizeof(error)) == 0 &&
            !has_none(own))
            read_processes(&reading, own, threads, count, ids);
        omptape_reader_close(own);
        free(threads);
        free(ids);
    }
    omptape_pairs_free(&reading.calls);
    return !omptape_out_of_memory;
}

void omptape_overtaking_free(struct omptape_overtaking *overtaking)
{
    omptape_pairs_free(&overtaking->receives);
    omptape_arena_free(&overtaking->arena);
}
