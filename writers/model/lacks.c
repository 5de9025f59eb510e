/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moves what was blocked or runnable (lacks.h). Called by sched.c.
 */
#include "writers/model/lacks.h"

#include "src/core/buckets.h"
#include "src/core/whole.h"

static void book_until(struct omptape_stack *stack, uint64_t time)
{
    if (time <= stack->booked)
        return;
    stack->books[stack->top->bucket] += time - stack->booked;
    stack->booked = time;
}

/* Moves so much of what was booked in both since the reading before, by their lengths. */
static void move(struct omptape_lacks *left, uint64_t *books, enum omptape_bucket to, uint64_t amount)
{
    const uint64_t all = left->computing + left->serial;
    amount = amount < all ? amount : all;
    uint64_t serial = all > 0 ? omptape_whole((double)amount * ((double)left->serial / (double)all)) : 0;
    serial = serial < left->serial ? serial : left->serial;
    serial = amount - serial < left->computing ? serial : amount - left->computing;
    left->serial -= serial;
    left->computing -= amount - serial;
    books[OMPTAPE_BUCKET_SERIAL] -= serial;
    books[OMPTAPE_BUCKET_COMPUTING] -= amount - serial;
    books[to] += amount;
}

static uint64_t work_of(const uint64_t *books)
{
    uint64_t work = 0;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        work += omptape_buckets[bucket].work || omptape_buckets[bucket].lack ? books[bucket] : 0;
    return work;
}

static bool goes_on(const struct omptape_lacks *before, const struct omptape_lacks *now,
                    const uint64_t *books)
{
    return now->time > before->time && now->work >= before->work && now->running >= before->running &&
           now->waiting >= before->waiting && books[OMPTAPE_BUCKET_COMPUTING] >= before->computing &&
           books[OMPTAPE_BUCKET_SERIAL] >= before->serial;
}

void omptape_lacks_book(const struct omptape_writer *writer, struct omptape_location *location,
                        struct omptape_lacks *lacks, uint64_t time, uint64_t running, uint64_t waiting)
{
    uint64_t *books = location->stack.books;
    const double ns_per_tick = 1e9 / (double)writer->timeline.second;
    struct omptape_lacks before = *lacks;
    before.time = before.time > 0 ? before.time : location->begin;
    book_until(&location->stack, time);
    struct omptape_lacks now = {
        .time = time,
        .work = work_of(books),
        .running = running,
        .waiting = waiting,
        .carried_ns = before.carried_ns,
    };
    if (goes_on(&before, &now, books)) {
        const uint64_t all = now.time - before.time;
        const uint64_t work = now.work - before.work < all ? now.work - before.work : all;
        struct omptape_spell spell = {
            .work = (double)work * ns_per_tick,
            .waiting = (double)(all - work) * ns_per_tick,
            .running = (double)(now.running - before.running),
            .queued = (double)(now.waiting - before.waiting),
            .carried = before.carried_ns,
        };
        if (before.running == 0 && before.waiting == 0)
            omptape_spell_clip_first(&spell);
        const struct omptape_lack lack = omptape_spell_lack(&spell);
        now.carried_ns = lack.carried;
        now.computing = books[OMPTAPE_BUCKET_COMPUTING] - before.computing;
        now.serial = books[OMPTAPE_BUCKET_SERIAL] - before.serial;
        move(&now, books, OMPTAPE_BUCKET_BLOCKED, omptape_whole(lack.blocked / ns_per_tick));
        move(&now, books, OMPTAPE_BUCKET_RUNNABLE, omptape_whole(lack.runnable / ns_per_tick));
    }
    now.computing = books[OMPTAPE_BUCKET_COMPUTING];
    now.serial = books[OMPTAPE_BUCKET_SERIAL];
    *lacks = now;
}
