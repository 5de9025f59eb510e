/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements channels.h with a queue for each communicator, tag, sender and receiver.
 */
#include "src/replay/channels.h"

/* Largest number of queued ends that are searched for one with the same number of bytes. */
enum { MAX_LOOKED_AT = 256 };

struct list {
    struct omptape_message_end *first;
    struct omptape_message_end **last;
};

/* A queue is in the table while it is not empty. */
struct omptape_message_queue {
    struct list sends;    /* without a receive */
    struct list receives; /* without a send, sorted by `place` */
    uint64_t sent;        /* number of sends so far: `place` of the next one */
};

bool omptape_channels_begin(struct omptape_channels *channels, const struct omptape_reader *reader,
                            volatile uint64_t *beats)
{
    channels->ranks.reader = reader;
    return omptape_overtaking_find(&channels->overtaking, reader, beats);
}

void omptape_channels_free(struct omptape_channels *channels)
{
    omptape_ranks_free(&channels->ranks);
    omptape_overtaking_free(&channels->overtaking);
    omptape_pairs_free(&channels->queues);
    omptape_pairs_free(&channels->places);
    omptape_arena_free(&channels->arena);
}

void omptape_channels_release(struct omptape_channels *channels, struct omptape_message_end *end)
{
    omptape_free_list_free(&channels->free, end);
}

/* Assigns consecutive numbers to processes, so that a key can hold two of them in 64 bits. */
static bool place_of(struct omptape_channels *channels, uint64_t process, uint32_t *place)
{
    uint32_t *known = omptape_pairs_get(&channels->places, 0, process);
    if (known == NULL) {
        uint32_t number = channels->places.count;
        known = omptape_pairs_obtain(&channels->places, &channels->arena, 0, process, sizeof(*known));
        if (known == NULL)
            return false;
        *known = number;
    }
    *place = *known;
    return true;
}

bool omptape_channels_unreceived(const struct omptape_channels *channels, uint32_t number,
                                 struct omptape_unreceived *unreceived)
{
    if (number >= channels->queues.count)
        return false;
    const struct omptape_pair *pair = &channels->queues.list[number];
    const struct omptape_message_queue *queue = pair->value;
    *unreceived = (struct omptape_unreceived){.comm = pair->high >> 32,
                                              .tag = pair->high & UINT32_MAX,
                                              .sender = channels->places.list[pair->low >> 32].low,
                                              .receiver = channels->places.list[pair->low & UINT32_MAX].low};
    for (const struct omptape_message_end *end = queue->sends.first; end != NULL; end = end->next)
        unreceived->count += !end->cancelled;
    return true;
}

/* Removes the end that `link` points to. */
static struct omptape_message_end *take_out(struct list *list, struct omptape_message_end **link)
{
    struct omptape_message_end *end = *link;
    *link = end->next;
    if (list->last == &end->next)
        list->last = link;
    return end;
}

static void put_in(struct list *list, struct omptape_message_end **link, struct omptape_message_end *end)
{
    end->next = *link;
    if (list->last == link)
        list->last = &end->next;
    *link = end;
}

static struct omptape_message_end **find_of_bytes(struct list *list, uint64_t bytes)
{
    struct omptape_message_end **link = &list->first;
    for (uint32_t i = 0; *link != NULL && i < MAX_LOOKED_AT; i++, link = &(*link)->next)
        if ((*link)->bytes == bytes)
            return link;
    return NULL;
}

static void drop_cancelled(struct omptape_channels *channels, struct list *list,
                           struct omptape_message_end **link)
{
    while (*link != NULL && (*link)->cancelled)
        omptape_channels_release(channels, take_out(list, link));
}

/* Removes and returns the send for a receive that overtakes *overtaken others. Returns NULL if it is not sent
 * yet; *overtaken is then the number of overtaken receives whose messages are not sent either. */
static struct omptape_message_end *take_sent(struct omptape_channels *channels,
                                             struct omptape_message_queue *queue, uint64_t bytes,
                                             uint64_t *overtaken)
{
    struct omptape_message_end **link = &queue->sends.first;
    struct omptape_message_end **same = NULL;
    for (drop_cancelled(channels, &queue->sends, link); *link != NULL && *overtaken > 0; --*overtaken) {
        link = &(*link)->next;
        drop_cancelled(channels, &queue->sends, link);
    }
    if (*link != NULL && (*link)->bytes != bytes)
        same = find_of_bytes(&queue->sends, bytes);
    link = same != NULL ? same : link;
    return *link != NULL ? take_out(&queue->sends, link) : NULL;
}

/* Removes and returns the queued receive for the current send. If a later receive matches because of its
 * number of bytes, the receives before it move up by one place. */
static struct omptape_message_end *take_waiting(struct omptape_message_queue *queue, uint64_t bytes)
{
    struct omptape_message_end *due = queue->receives.first;
    struct omptape_message_end **link = &queue->receives.first;
    if (due == NULL || due->place != queue->sent)
        return NULL;
    if (due->bytes != bytes) {
        struct omptape_message_end **same = find_of_bytes(&queue->receives, bytes);
        link = same != NULL ? same : link;
        for (struct omptape_message_end *end = due; end != *link; end = end->next)
            end->place = end->next->place;
    }
    return take_out(&queue->receives, link);
}

/* Queues a receive, whose send comes after `overtaken` sends without a queued receive. */
static void wait_for(struct omptape_message_queue *queue, struct omptape_message_end *receive,
                     uint64_t others)
{
    struct omptape_message_end **link = &queue->receives.first;
    uint64_t place = queue->sent;
    for (; *link != NULL && (*link)->place - place <= others; link = &(*link)->next) {
        others -= (*link)->place - place;
        place = (*link)->place + 1;
    }
    receive->place = place + others;
    put_in(&queue->receives, link, receive);
}

static struct omptape_message_queue *obtain_queue(struct omptape_channels *channels, const uint64_t key[2])
{
    struct omptape_message_queue *queue = omptape_pairs_get(&channels->queues, key[0], key[1]);
    if (queue != NULL)
        return queue;
    queue = omptape_free_list_alloc(&channels->free_queues, &channels->arena, sizeof(*queue));
    if (queue == NULL || omptape_pairs_put(&channels->queues, key[0], key[1], queue) != 0)
        return NULL;
    *queue = (struct omptape_message_queue){.sent = 0};
    queue->sends.last = &queue->sends.first;
    queue->receives.last = &queue->receives.first;
    return queue;
}

/* Removes an empty queue, because a program may use each tag only once. */
static void release_empty(struct omptape_channels *channels, struct omptape_message_queue *queue,
                          const uint64_t key[2])
{
    if (queue->sends.first != NULL || queue->receives.first != NULL)
        return;
    omptape_pairs_remove(&channels->queues, key[0], key[1]);
    omptape_free_list_free(&channels->free_queues, queue);
}

static struct omptape_message_end *new_end(struct omptape_channels *channels,
                                           const struct omptape_event *event)
{
    struct omptape_message_end *end =
        omptape_free_list_alloc(&channels->free, &channels->arena, sizeof(*end));
    if (end != NULL)
        *end = (struct omptape_message_end){
            .location = event->location, .time = event->time, .bytes = event->value[2]};
    return end;
}

/* Computes the key of a queue: communicator and tag, sender and receiver. False if the other process is
 * unknown. */
static bool key_of(struct omptape_channels *channels, const struct omptape_event *event, uint64_t key[2])
{
    const bool sends = event->kind == OMPTAPE_EVENT_MPI_SEND;
    uint64_t comm = event->refs[0].id;
    uint64_t here = omptape_ranks_process_of(channels->ranks.reader, event->location);
    uint64_t there = omptape_ranks_process(&channels->ranks, comm, event->value[0], here);
    uint32_t sender;
    uint32_t receiver;
    if (here == OMPTAPE_NO_PROCESS || there == OMPTAPE_NO_PROCESS ||
        !place_of(channels, sends ? here : there, &sender) ||
        !place_of(channels, sends ? there : here, &receiver))
        return false;
    key[0] = comm << 32 | (event->value[1] & UINT32_MAX);
    key[1] = (uint64_t)sender << 32 | receiver;
    return true;
}

struct omptape_message_end *omptape_channels_match(struct omptape_channels *channels,
                                                   const struct omptape_event *event,
                                                   struct omptape_message_end **made)
{
    const bool sends = event->kind == OMPTAPE_EVENT_MPI_SEND;
    uint64_t key[2];
    *made = NULL;
    if (!key_of(channels, event, key))
        return NULL;
    struct omptape_message_queue *queue = obtain_queue(channels, key);
    uint64_t overtaken = sends ? 0 : omptape_overtaking_of(&channels->overtaking, event);
    if (queue == NULL)
        return NULL;
    struct omptape_message_end *other = sends ? take_waiting(queue, event->value[2])
                                              : take_sent(channels, queue, event->value[2], &overtaken);
    if (other == NULL)
        *made = new_end(channels, event);
    if (*made != NULL && sends)
        put_in(&queue->sends, queue->sends.last, *made);
    else if (*made != NULL)
        wait_for(queue, *made, overtaken);
    queue->sent += sends;
    release_empty(channels, queue, key);
    return other;
}
