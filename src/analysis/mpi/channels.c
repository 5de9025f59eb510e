/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues of messages between two processes (channels.h).
 */
#include "src/analysis/mpi/channels.h"

enum { SENDS, RECEIVES, ENDS };
/* So many of those that wait are looked at. */
enum { MOST_LOOKED_AT = 256 };

/* In the table while something waits in it. */
struct omptape_message_queue {
    struct omptape_message_queue *next; /* free ones */
    struct omptape_message_end *first;
    struct omptape_message_end **last;
};

void omptape_channels_free(struct omptape_channels *channels)
{
    omptape_ranks_free(&channels->ranks);
    for (int i = 0; i < ENDS; i++)
        omptape_pairs_free(&channels->queues[i]);
    omptape_pairs_free(&channels->places);
    omptape_arena_free(&channels->arena);
}

void omptape_channels_give_back(struct omptape_channels *channels, struct omptape_message_end *end)
{
    end->next = channels->free;
    channels->free = end;
}

/* Processes are counted in the order in which they come by, so that two of them are one number. */
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

/* Takes out the end that `link` points to. */
static struct omptape_message_end *take_out(struct omptape_message_queue *queue,
                                            struct omptape_message_end **link)
{
    struct omptape_message_end *end = *link;
    *link = end->next;
    if (queue->last == &end->next)
        queue->last = link;
    return end;
}

/* The oldest of these bytes; if there is none, the oldest. Those that were cancelled meet nobody. */
static struct omptape_message_end *take_from(struct omptape_channels *channels,
                                             struct omptape_message_queue *queue, uint64_t bytes)
{
    struct omptape_message_end **link = &queue->first;
    for (uint32_t looked_at = 0; *link != NULL && looked_at < MOST_LOOKED_AT;) {
        if ((*link)->cancelled) {
            omptape_channels_give_back(channels, take_out(queue, link));
            continue;
        }
        if ((*link)->bytes == bytes)
            return take_out(queue, link);
        link = &(*link)->next;
        looked_at++;
    }
    return queue->first != NULL ? take_out(queue, &queue->first) : NULL;
}

/* A queue that is empty goes, since a program may use each tag once. */
static struct omptape_message_end *take(struct omptape_channels *channels, int side, const uint64_t key[2],
                                        uint64_t bytes)
{
    struct omptape_message_queue *queue = omptape_pairs_get(&channels->queues[side], key[0], key[1]);
    struct omptape_message_end *end = queue != NULL ? take_from(channels, queue, bytes) : NULL;
    if (queue != NULL && queue->first == NULL) {
        omptape_pairs_take(&channels->queues[side], key[0], key[1]);
        queue->next = channels->free_queues;
        channels->free_queues = queue;
    }
    return end;
}

static struct omptape_message_queue *make_queue(struct omptape_channels *channels, int side,
                                                const uint64_t key[2])
{
    struct omptape_message_queue *queue = channels->free_queues;
    if (queue != NULL)
        channels->free_queues = queue->next;
    else
        queue = omptape_arena_take(&channels->arena, sizeof(*queue));
    if (queue == NULL || omptape_pairs_put(&channels->queues[side], key[0], key[1], queue) != 0)
        return NULL;
    queue->first = NULL;
    queue->last = &queue->first;
    return queue;
}

static struct omptape_message_end *append(struct omptape_channels *channels, int side, const uint64_t key[2],
                                          const struct omptape_event *event)
{
    struct omptape_message_queue *queue = omptape_pairs_get(&channels->queues[side], key[0], key[1]);
    struct omptape_message_end *end = channels->free;
    if (queue == NULL)
        queue = make_queue(channels, side, key);
    if (end != NULL)
        channels->free = end->next;
    else
        end = omptape_arena_take(&channels->arena, sizeof(*end));
    if (end == NULL || queue == NULL)
        return NULL;
    *end = (struct omptape_message_end){
        .location = event->location, .time = event->time, .bytes = event->value[2]};
    *queue->last = end;
    queue->last = &end->next;
    return end;
}

/* What both ends know: the communicator and tag, the sender and the receiver. False: not who the other is. */
static bool key_of(struct omptape_channels *channels, const struct omptape_event *event, uint64_t key[2],
                   bool *good)
{
    const bool sends = event->kind == OMPTAPE_EVENT_MPI_SEND;
    uint64_t comm = event->refs[0].id;
    uint64_t here = omptape_ranks_process_of(channels->ranks.reader, event->location);
    uint64_t there = omptape_ranks_process(&channels->ranks, comm, event->value[0], here);
    uint32_t sender;
    uint32_t receiver;
    *good = true;
    if (here == OMPTAPE_NO_PROCESS || there == OMPTAPE_NO_PROCESS)
        return false;
    *good = place_of(channels, sends ? here : there, &sender) &&
            place_of(channels, sends ? there : here, &receiver);
    if (!*good)
        return false;
    key[0] = comm << 32 | (event->value[1] & UINT32_MAX);
    key[1] = (uint64_t)sender << 32 | receiver;
    return true;
}

struct omptape_message_end *omptape_channels_meet(struct omptape_channels *channels,
                                                  const struct omptape_event *event,
                                                  struct omptape_message_end **made, bool *good)
{
    int own = event->kind == OMPTAPE_EVENT_MPI_SEND ? SENDS : RECEIVES;
    int others = own == SENDS ? RECEIVES : SENDS;
    uint64_t key[2];
    *made = NULL;
    if (!key_of(channels, event, key, good))
        return NULL;
    struct omptape_message_end *other = take(channels, others, key, event->value[2]);
    if (other == NULL) {
        *made = append(channels, own, key, event);
        *good = *made != NULL;
    }
    return other;
}
