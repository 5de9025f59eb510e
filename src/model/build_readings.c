/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds to work how much of it was time in a run queue (build.h). The kernel's sums of running and queued time
 * since the thread began are read at intervals. The queued time between two readings is at least what does
 * not fit into the thread's waits. It is at most the work's share of all that the thread did. Within these
 * limits it is what the work took longer than the same work of this thread at another time. A thread that
 * spins gives its processor away in its waits, and its short work is hardly ever interrupted.
 */
#include "src/model/build.h"

#include "src/core/array.h"
#include "src/core/buckets.h"
#include "src/core/whole.h"

#include <math.h>

void build_note_work(struct build *build, struct build_location *location, uint32_t op, uint64_t ns)
{
    struct build_work *last =
        location->works.count > 0 ? &location->works.list[location->works.count - 1] : NULL;
    if (last != NULL && last->op == op)
        last->ns += ns;
    else if (location->has_readings && op != MODEL_NONE && BUILD_RESERVE(build, location->works))
        location->works.list[location->works.count++] = (struct build_work){op, ns};
}

/* Sets which part of an operation is time in a run queue. The noted work has this share of it. */
static void set_queued(struct build *build, const struct build_work *work, double share)
{
    struct model *model = build->model;
    const double all = (double)model->ops.list[work->op].ns;
    if (all == 0 || (share == 0 && work->op >= model->queued.count))
        return;
    if (!OMPTAPE_RESERVE(model->queued.list, work->op + 1, &model->queued.capacity)) {
        build->no_memory = true;
        return;
    }
    while (model->queued.count <= work->op)
        model->queued.list[model->queued.count++] = 0;
    uint8_t *queued = &model->queued.list[work->op];
    const double before = (double)*queued * (all - (double)work->ns) / all;
    *queued = (uint8_t)fmin(0.5 + before + share * (double)MODEL_ALL_QUEUED * (double)work->ns / all,
                            MODEL_ALL_QUEUED);
}

/* Returns true if only samples lie between the two operations. */
static bool is_continued(const struct model *model, uint32_t op, uint32_t next)
{
    do
        op = model->ops.list[op].next;
    while (op != MODEL_NONE && model->ops.list[op].kind == MODEL_SAMPLE);
    return op == next;
}

/* Work of a thread without anything between but samples. */
struct piece {
    uint32_t first; /* its entries in the list of works */
    uint32_t end;
    uint64_t ns;
    uint64_t before; /* its work before the last reading, ns */
};

/* Finds the piece after this one. Returns false if there is none. */
static bool next_piece(const struct model *model, const struct build_location *location, struct piece *piece)
{
    const struct build_work *works = location->works.list;
    uint32_t i = piece->first = piece->end;
    if (i >= location->works.count)
        return false;
    const uint32_t open = i == 0 ? location->open.op : MODEL_NONE;
    const bool is_open =
        open != MODEL_NONE && (open == works[0].op || is_continued(model, open, works[0].op));
    piece->before = is_open ? location->open.ns : 0;
    piece->ns = works[i].ns;
    for (i++; i < location->works.count && is_continued(model, works[i - 1].op, works[i].op); i++)
        piece->ns += works[i].ns;
    piece->end = i;
    return true;
}

/* Returns the shortest work of the thread at the place of this piece, 0 if unknown; NULL if out of memory. */
static uint64_t *shortest_of(struct build *build, const struct build_location *location,
                             const struct piece *piece)
{
    const uint32_t place = build->model->ops.list[location->works.list[piece->first].op].place;
    uint64_t *shortest =
        omptape_pairs_obtain(&build->shortest, &build->arena, location->thread, place, sizeof(*shortest));
    build->no_memory |= shortest == NULL;
    return shortest;
}

/* Returns what the piece took longer than the shortest one, since the last reading. */
static double find_extra(struct build *build, const struct build_location *location,
                         const struct piece *piece)
{
    const uint64_t *shortest = shortest_of(build, location, piece);
    return shortest != NULL ? (double)(omptape_minus(piece->before + piece->ns, *shortest) -
                                       omptape_minus(piece->before, *shortest))
                            : 0;
}

/* Updates the shortest work at each place. Returns the end and the work of the last piece, which may go on.
 */
static struct build_work note_shortest(struct build *build, const struct build_location *location)
{
    struct piece piece = {.end = 0};
    struct build_work open = {.op = MODEL_NONE};
    while (next_piece(build->model, location, &piece)) {
        uint64_t *shortest = shortest_of(build, location, &piece);
        const uint64_t ns = piece.before + piece.ns;
        if (shortest != NULL && piece.end < location->works.count && (*shortest == 0 || ns < *shortest))
            *shortest = ns;
        open = (struct build_work){.op = location->works.list[piece.end - 1].op, .ns = ns};
    }
    return open;
}

/* Divides the queued time between two readings among the work. Its limits are `least` and `most`. */
static void divide_queued(struct build *build, const struct build_location *location, double least,
                          double most)
{
    double all = 0;
    double longer = 0;
    struct piece piece = {.end = 0};
    while (next_piece(build->model, location, &piece)) {
        all += (double)piece.ns;
        longer += find_extra(build, location, &piece);
    }
    const double queued = fmax(fmin(longer, most), least);
    const double of_longer = longer > 0 ? fmin(queued / longer, 1) : 0;
    const double of_rest = all > longer ? fmax(queued - longer, 0) / (all - longer) : 0;
    piece.end = 0;
    while (next_piece(build->model, location, &piece)) {
        const double ns = (double)piece.ns;
        const double extra = find_extra(build, location, &piece);
        const double share = ns > 0 ? (of_longer * extra + of_rest * (ns - extra)) / ns : 0;
        for (uint32_t i = piece.first; i < piece.end; i++)
            set_queued(build, &location->works.list[i], share);
    }
}

void build_reading(struct build *build, struct build_location *location, const struct omptape_event *event,
                   uint64_t time)
{
    if (!omptape_event_is_scheduling_metric(event))
        return;
    const double running = (double)omptape_minus(event->values[0].unsigned_int, location->running);
    const double queued = (double)omptape_minus(event->values[1].unsigned_int, location->queued);
    const double passed = (double)omptape_minus(time, location->read_at);
    double work = 0;
    for (uint32_t i = 0; i < location->works.count; i++)
        work += (double)location->works.list[i].ns;
    const double slept = omptape_slept_at_work(fmax(passed - running - queued, 0), fmax(passed - work, 0));
    const double most = queued > 0 ? fmax(work - slept, 0) * queued / (queued + running) : 0;
    const struct build_work open = note_shortest(build, location);
    divide_queued(build, location, fmin(fmax(work + queued - passed, 0), most), most);
    location->open = location->works.count > 0 ? open : location->open;
    location->works.count = 0;
    location->has_readings = true;
    location->read_at = time;
    location->running = event->values[0].unsigned_int;
    location->queued = event->values[1].unsigned_int;
}
