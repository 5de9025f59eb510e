/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Distributes an interval's time without a processor among its regions (interval_work.h).
 *
 * A region with more work than the thread can have had a processor was certainly blocked for the rest. The
 * remaining blocked time is divided by the regions' times. Regions that were certainly blocked in earlier
 * intervals get most of it. The reason: a thread that sleeps in one of two constructs is often read in one.
 */
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"

#include "src/analysis/causes.h"
#include "src/analysis/locks.h"
#include "src/analysis/phases.h"
#include "src/analysis/team.h"
#include "src/core/array.h"

#include <stdlib.h>

/* Weight of a region that was never certainly blocked, in addition to the share of certain time. */
static const double MIN_WEIGHT = 0.02;

void omptape_interval_open(struct analysis_location *location, const struct analysis_account *account,
                           uint64_t spent)
{
    struct analysis_interval_work *interval = &location->interval;
    const uint32_t index = omptape_interval_index(account->region, account->time_class.bucket);
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (!OMPTAPE_RESERVE(interval->rows, interval->row_count + 1, &interval->row_capacity) ||
        !OMPTAPE_RESERVE_CLEARED(interval->places, index + 1, &interval->capacity))
        return;
    interval->places[index].time += spent;
    interval->places[index].forking = 0;
    if (spent > 0)
        interval->rows[interval->row_count++] = (struct analysis_interval_row){
            .region = account->region,
            .blamed = account->blamed,
            .parallel = membership != NULL ? membership->team->region : NULL,
            .threads = membership != NULL ? membership->team->threads : 1,
            .index = index,
        };
}

/* Returns NULL if out of memory. */
static struct analysis_interval_place *place_at(struct analysis_interval_work *interval, uint32_t index)
{
    return OMPTAPE_RESERVE_CLEARED(interval->places, index + 1, &interval->capacity)
               ? &interval->places[index]
               : NULL;
}

static struct analysis_interval_place *history_of(struct analysis_interval_work *interval,
                                                  struct analysis_region *region)
{
    return region != NULL ? place_at(interval, omptape_interval_index(region, OMPTAPE_BUCKET_COMPUTING))
                          : NULL;
}

double omptape_interval_blocked_share(const struct analysis_location *location,
                                      struct analysis_region *region)
{
    const uint32_t index = omptape_interval_index(region, OMPTAPE_BUCKET_COMPUTING);
    const struct analysis_interval_work *interval = &location->interval;
    if (index >= interval->capacity || interval->places[index].all <= 0)
        return 0;
    double share = interval->places[index].blocked / interval->places[index].all;
    return share < 1 ? share : 1;
}

static struct analysis_interval_part *part_at(struct analysis_interval_part *first, size_t bytes, uint32_t i)
{
    return (struct analysis_interval_part *)((char *)first + i * bytes);
}

/* Distributes the excess of full parts among the others. */
static void spill(struct analysis_interval_part *first, size_t bytes, uint32_t count, double slack)
{
    double over = 0;
    for (uint32_t i = 0; i < count; i++)
        over += part_at(first, bytes, i)->weight;
    for (uint32_t i = 0; i < count && over > 0 && slack > 0; i++) {
        struct analysis_interval_part *part = part_at(first, bytes, i);
        part->blocked += (part->time - part->blocked) * (over < slack ? over / slack : 1);
    }
}

/* Computes the blocked time of each part: the certain time first, then its share of the rest. The parts
 * are the first members of structs of `bytes` bytes. */
static void share_blocked(struct analysis_interval_part *first, size_t bytes, uint32_t count, double all,
                          double blocked)
{
    double rest = blocked;
    double weights = 0;
    double slack = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct analysis_interval_part *part = part_at(first, bytes, i);
        const double elsewhere = all - blocked;
        part->certain = part->blocked = part->time > elsewhere ? part->time - elsewhere : 0;
        rest -= part->blocked;
        const double known = part->before + part->time;
        const double share = known > 0 ? (part->before_certain + part->certain) / known : 0;
        part->weight = (part->time - part->blocked) * (MIN_WEIGHT + share);
        weights += part->weight;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct analysis_interval_part *part = part_at(first, bytes, i);
        const double left = part->time - part->blocked;
        const double more = weights > 0 && rest > 0 ? rest * part->weight / weights : 0;
        part->blocked += more < left ? more : left;
        slack += more < left ? left - more : 0;
        part->weight = more < left ? 0 : more - left;
    }
    spill(first, bytes, count, slack);
}

/* Sets the part's sums of earlier intervals. */
static void remember(struct analysis_interval_work *interval, struct analysis_region *region,
                     struct analysis_interval_part *part)
{
    const struct analysis_interval_place *history = history_of(interval, region);
    part->before = history != NULL ? history->all : 0;
    part->before_certain = history != NULL ? history->certain : 0;
}

/* Returns the row's time without the forks of teams, in which the thread waits for other threads. */
static double work_in(const struct analysis_interval_work *interval, const struct analysis_interval_row *row)
{
    const struct analysis_interval_place *place = &interval->places[row->index];
    return (double)omptape_minus(place->time, place->forking);
}

static void share_among_rows(struct analysis_interval_work *interval, double all, double blocked)
{
    for (uint32_t i = 0; i < interval->row_count; i++) {
        struct analysis_interval_row *row = &interval->rows[i];
        row->part.time = work_in(interval, row);
        remember(interval, row->blamed, &row->part);
    }
    if (interval->row_count > 0)
        share_blocked(&interval->rows[0].part, sizeof(interval->rows[0]), interval->row_count, all, blocked);
}

/* Returns the total work of the thread until `time`. */
static uint64_t work_until(const struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    const unsigned bucket = top != NULL ? top->account->time_class.bucket : location->outside;
    const uint64_t *parts = location->thread->parts;
    const uint64_t *moved = location->interval.moved;
    return parts[OMPTAPE_BUCKET_COMPUTING] + moved[OMPTAPE_BUCKET_COMPUTING] + parts[OMPTAPE_BUCKET_SERIAL] +
           moved[OMPTAPE_BUCKET_SERIAL] +
           (bucket <= OMPTAPE_BUCKET_SERIAL ? omptape_minus(time, location->booked) : 0);
}

/* Returns the entry of a lock site, and creates it if necessary; NULL if out of memory. */
static struct analysis_interval_lock *hold_at(struct analysis_location *location,
                                              struct analysis_lock_site *site)
{
    struct analysis_interval_work *interval = &location->interval;
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    for (uint32_t i = interval->lock_work_count; i-- > 1;)
        if (interval->lock_work[i].site == site)
            return &interval->lock_work[i];
    if (!OMPTAPE_RESERVE(interval->lock_work, interval->lock_work_count + 2, &interval->lock_work_capacity))
        return NULL;
    if (interval->lock_work_count == 0)
        interval->lock_work[interval->lock_work_count++] = (struct analysis_interval_lock){.site = NULL};
    interval->lock_work[interval->lock_work_count] = (struct analysis_interval_lock){
        .site = site,
        .parallel = membership != NULL ? membership->team->region : NULL,
        .threads = membership != NULL ? membership->team->threads : 1,
    };
    return &interval->lock_work[interval->lock_work_count++];
}

/* Adds the work until now to the locks that the thread holds. */
static void count_holds(struct analysis_location *location, uint64_t time)
{
    struct analysis_interval_work *interval = &location->interval;
    const uint64_t work = work_until(location, time);
    const uint64_t spent = omptape_minus(work, interval->held_until);
    interval->held_until = work;
    if (spent == 0)
        return;
    for (uint32_t i = 0; i < interval->lock_count; i++) {
        struct analysis_interval_lock *hold = hold_at(location, interval->locks[i].site);
        if (hold == NULL)
            return;
        hold->held += spent;
        if (i + 1 == interval->lock_count && omptape_analysis_membership(location) != NULL)
            hold->part.time += (double)spent;
    }
}

void omptape_interval_acquire(struct analysis_location *location, uint64_t time, const void *lock,
                              struct analysis_lock_site *site)
{
    struct analysis_interval_work *interval = &location->interval;
    if (location->thread == NULL || interval->lock_count == ANALYSIS_THREAD_LOCKS)
        return;
    count_holds(location, time);
    interval->locks[interval->lock_count++] = (struct analysis_thread_lock){.lock = lock, .site = site};
}

void omptape_interval_release(struct analysis_location *location, uint64_t time, const void *lock)
{
    struct analysis_interval_work *interval = &location->interval;
    uint32_t i = interval->lock_count;
    while (i > 0 && interval->locks[i - 1].lock != lock)
        i--;
    if (i == 0)
        return;
    count_holds(location, time);
    interval->lock_count--;
    for (i--; i < interval->lock_count; i++)
        interval->locks[i] = interval->locks[i + 1];
}

/* Ticks moved in an interval within the thread's parts, one entry for computing and one for serial. */
struct interval_moved {
    uint64_t blocked;
    uint64_t runnable;
};

/* Moves time without a processor in the thread's parts, and as much in the region's parts. */
static void move_row(struct analysis_location *location, struct analysis_region *region, unsigned bucket,
                     uint64_t blocked, uint64_t runnable, struct interval_moved *moved)
{
    uint64_t *own = location->thread->parts;
    blocked = blocked < own[bucket] ? blocked : own[bucket];
    runnable = runnable < own[bucket] - blocked ? runnable : own[bucket] - blocked;
    omptape_move_part(own, bucket, OMPTAPE_BUCKET_BLOCKED, blocked);
    omptape_move_part(own, bucket, OMPTAPE_BUCKET_RUNNABLE, runnable);
    omptape_add(&location->interval.moved[bucket], blocked + runnable);
    omptape_add(&moved[bucket].blocked, blocked);
    omptape_add(&moved[bucket].runnable, runnable);
    if (region == NULL)
        return;
    omptape_move_part(region->parts, bucket, OMPTAPE_BUCKET_BLOCKED, blocked);
    omptape_move_part(region->parts, bucket, OMPTAPE_BUCKET_RUNNABLE, runnable);
}

/* Charges blocked time to a region in a parallel region. The gain is divided by the team's threads. */
static void charge_at(struct analysis_state *state, struct analysis_location *location,
                      struct analysis_region *region, const struct analysis_region *parallel,
                      uint64_t threads, double ticks, const struct analysis_interval_end *end)
{
    const uint64_t blocked = omptape_whole(ticks);
    struct analysis_interval_place *history = history_of(&location->interval, region);
    struct analysis_cause *cause =
        history != NULL && blocked > 0
            ? omptape_analysis_cause(state, OMPTAPE_FINDING_BLOCKED, region, parallel)
            : NULL;
    if (cause == NULL)
        return;
    omptape_add(&cause->gain_parts, omptape_times(blocked, 256) / (threads > 0 ? threads : 1));
    omptape_add(&cause->blocked_time, blocked);
    cause->blocked_threads += !history->is_counted;
    history->is_counted = true;
    (void)omptape_keep_worst(
        &cause->worst, &(struct analysis_worst){blocked, end->begin, end->end, location->definition->id});
}

/* Charges time blocked while holding a lock to the lock's site. Returns its share (0 to 1) of `blocked`. */
static double charge_holds(struct analysis_state *state, struct analysis_location *location, double all,
                           double blocked, const struct analysis_interval_end *end)
{
    struct analysis_interval_work *interval = &location->interval;
    double sum = 0;
    count_holds(location, location->booked);
    if (interval->lock_work_count == 0)
        return 0;
    struct analysis_interval_lock *holds = interval->lock_work;
    for (uint32_t i = 1; i < interval->lock_work_count; i++) {
        remember(interval, holds[i].site->result.region, &holds[i].part);
        sum += holds[i].part.time;
    }
    holds[0].part.time = all > sum ? all - sum : 0;
    holds[0].part.before = interval->unheld;
    holds[0].part.before_certain = interval->unheld_certain;
    share_blocked(&holds[0].part, sizeof(holds[0]), interval->lock_work_count, all, blocked);
    interval->unheld += holds[0].part.time;
    interval->unheld_certain += holds[0].part.certain;
    for (uint32_t i = 1; i < interval->lock_work_count; i++) {
        struct analysis_interval_lock *hold = &holds[i];
        struct analysis_interval_place *history = history_of(interval, hold->site->result.region);
        const double least = (double)hold->held - (all - blocked);
        omptape_add(&hold->site->result.slept,
                    omptape_whole(least > hold->part.blocked ? least : hold->part.blocked));
        charge_at(state, location, hold->site->result.region, hold->parallel, hold->threads,
                  hold->part.blocked, end);
        if (history == NULL)
            continue;
        history->all += hold->part.time;
        history->certain += hold->part.certain;
    }
    interval->lock_work_count = 0;
    return blocked > 0 ? (blocked - holds[0].part.blocked) / blocked : 0;
}

static void note_history(struct analysis_interval_work *interval, const struct analysis_interval_row *row)
{
    struct analysis_interval_place *history = history_of(interval, row->blamed);
    if (history == NULL)
        return;
    history->all += (double)interval->places[row->index].time;
    history->blocked += row->part.blocked;
    history->certain += row->part.certain;
}

static void note_ran(struct analysis_interval_work *interval, const struct analysis_interval_row *row,
                     double ran)
{
    struct analysis_interval_place *place = &interval->places[row->index];
    if (place->ran <= 0 && !OMPTAPE_RESERVE(interval->ran, interval->ran_count + 1, &interval->ran_capacity))
        return;
    if (place->ran <= 0 && ran > 0)
        interval->ran[interval->ran_count++] = *row;
    place->ran += ran;
}

static void share_serial(struct analysis_location *location, double blocked_share)
{
    struct analysis_interval_work *interval = &location->interval;
    for (uint32_t i = 0; i < interval->serial_count; i++) {
        struct analysis_interval_serial *one = &interval->serials[i];
        omptape_add(&one->serial->blocked, omptape_whole((double)one->time * blocked_share));
    }
    interval->serial_count = 0;
    interval->serial_blocked += (double)(location->serial - interval->serial_before) * blocked_share;
    interval->serial_before = location->serial;
}

void omptape_interval_end_serial(struct analysis_location *location, struct analysis_serial *serial)
{
    struct analysis_interval_work *interval = &location->interval;
    if (!OMPTAPE_RESERVE(interval->serials, interval->serial_count + 1, &interval->serial_capacity))
        return;
    omptape_add(&serial->blocked, omptape_whole(interval->serial_blocked));
    const uint32_t count = interval->serial_count;
    const uint64_t time = location->serial - interval->serial_before;
    if (count > 0 && interval->serials[count - 1].serial == serial)
        interval->serials[count - 1].time += time;
    else
        interval->serials[interval->serial_count++] =
            (struct analysis_interval_serial){.serial = serial, .time = time};
    interval->serial_blocked = 0;
    interval->serial_before = 0;
}

static void notify_observer(const struct analysis_state *state, struct analysis_location *location,
                            const struct analysis_interval_end *end, const struct interval_moved moved[2])
{
    const struct omptape_analysis_observer *observer = state->observer;
    for (enum omptape_bucket bucket = OMPTAPE_BUCKET_COMPUTING; bucket <= OMPTAPE_BUCKET_SERIAL; bucket++) {
        omptape_phases_move(location, bucket, OMPTAPE_BUCKET_BLOCKED, end->begin, end->end,
                            moved[bucket].blocked);
        omptape_phases_move(location, bucket, OMPTAPE_BUCKET_RUNNABLE, end->begin, end->end,
                            moved[bucket].runnable);
        if (observer == NULL || observer->moved == NULL)
            continue;
        observer->moved(observer->data, &location->observed, bucket, OMPTAPE_BUCKET_BLOCKED, end->begin,
                        end->end, moved[bucket].blocked);
        observer->moved(observer->data, &location->observed, bucket, OMPTAPE_BUCKET_RUNNABLE, end->begin,
                        end->end, moved[bucket].runnable);
    }
}

/* Moves the remaining ticks in `left` from serial time to blocked, and removes them from the interval. */
static void take_from(struct analysis_location *location, struct analysis_region *region, uint64_t *time,
                      uint64_t *left, struct interval_moved *moved)
{
    const uint64_t taken = *left < *time ? *left : *time;
    move_row(location, region, OMPTAPE_BUCKET_SERIAL, taken, 0, moved);
    *time -= taken;
    *left -= taken;
}

/* Takes the tool's start-up out of the intervals until the first region: the initial thread slept while it
 * waited for its writer. The user cannot change that. Returns the ticks taken. */
static double take_start(struct analysis_state *state, struct analysis_location *location, double blocked,
                         struct interval_moved *moved)
{
    struct analysis_interval_work *interval = &location->interval;
    const struct analysis_process *process = &state->result->processes[location->process];
    if (interval->started || state->windowed || location->thread->begin != process->begin)
        return 0;
    interval->started = interval->serial_count > 0;
    const double taken = (double)omptape_reader_number_of(state->reader, process->number, "INFO::START_NS") /
                             state->ns_per_tick -
                         (double)interval->start_taken;
    const uint64_t start = omptape_whole(taken < blocked ? taken : blocked);
    uint64_t left = start;
    take_from(location, NULL, &interval->outside, &left, moved);
    for (uint32_t i = 0; i < interval->row_count; i++)
        if (interval->rows[i].index % 2 == OMPTAPE_BUCKET_SERIAL)
            take_from(location, interval->rows[i].region, &interval->places[interval->rows[i].index].time,
                      &left, moved);
    if (interval->serial_count > 0)
        interval->serials[0].time = omptape_minus(interval->serials[0].time, start - left);
    else
        interval->serial_before += start - left;
    interval->start_taken += start - left;
    return (double)(start - left);
}

void omptape_interval_fork(const struct analysis_state *state, struct analysis_location *location,
                           uint64_t time)
{
    struct analysis_interval_work *interval = &location->interval;
    const uint64_t read = location->reading.time;
    const uint64_t since = location->fork_time > read ? location->fork_time : read;
    const uint64_t ticks = omptape_minus(omptape_minus(time, since), state->short_idle);
    const struct analysis_account *account = interval->forking_in;
    const unsigned bucket = account != NULL ? account->time_class.bucket : location->outside;
    if (!location->is_forking || ticks == 0 || bucket > OMPTAPE_BUCKET_SERIAL)
        return;
    struct analysis_interval_place *place =
        account != NULL ? place_at(interval, omptape_interval_index(account->region, bucket)) : NULL;
    interval->forking[bucket] += ticks;
    if (place != NULL)
        place->forking += ticks;
    else
        interval->outside_forking += ticks;
}

void omptape_interval_close(struct analysis_state *state, struct analysis_location *location,
                            const struct analysis_interval_end *end)
{
    struct analysis_interval_work *interval = &location->interval;
    struct interval_moved moved[2] = {{0, 0}};
    const double started = take_start(state, location, end->blocked, moved);
    const double without = (double)omptape_minus(interval->outside, interval->outside_forking);
    double all = without;
    double serial = (double)interval->outside;
    double serial_blocked = 0;
    for (uint32_t i = 0; i < interval->row_count; i++)
        all += work_in(interval, &interval->rows[i]);
    const double blocked = end->blocked - started < all ? end->blocked - started : all;
    const double runnable = end->runnable < all - blocked ? end->runnable : all - blocked;
    const double outside = all > 0 ? blocked * without / all : 0;
    const double rate = all > blocked ? runnable / (all - blocked) : 0;
    const uint64_t forking = omptape_interval_forking(interval);
    const double fork_rate = forking > 0 ? end->forked / (double)forking : 0;
    share_among_rows(interval, all - without, blocked - outside);
    const double held = charge_holds(state, location, all, blocked, end);
    for (uint32_t i = 0; i < interval->row_count; i++) {
        const struct analysis_interval_row *row = &interval->rows[i];
        const unsigned bucket = row->index % 2;
        const double time = (double)interval->places[row->index].time;
        const double slept = row->part.blocked;
        const double lacked = (row->part.time - slept) * rate + (time - row->part.time) * fork_rate;
        move_row(location, row->region, bucket, omptape_whole(slept), omptape_whole(lacked), moved);
        if (bucket == OMPTAPE_BUCKET_COMPUTING) {
            charge_at(state, location, row->blamed, row->parallel, row->threads, slept * (1 - held), end);
        } else {
            serial += time;
            serial_blocked += slept;
        }
        note_history(interval, row);
        note_ran(interval, row, time - slept - lacked);
    }
    const double lacked = (without - outside) * rate + ((double)interval->outside - without) * fork_rate;
    move_row(location, NULL, OMPTAPE_BUCKET_SERIAL, omptape_whole(outside), omptape_whole(lacked), moved);
    notify_observer(state, location, end, moved);
    share_serial(location, serial > 0 && location->initial == NULL ? (serial_blocked + outside) / serial : 0);
    for (uint32_t i = 0; i < interval->row_count; i++)
        interval->places[interval->rows[i].index].time = 0;
    interval->row_count = 0;
    interval->outside = interval->outside_forking = 0;
    interval->forking[OMPTAPE_BUCKET_COMPUTING] = interval->forking[OMPTAPE_BUCKET_SERIAL] = 0;
}

/* Returns the most time of `waited` that the thread can have been in the kernel. A runtime that neither
 * sleeps nor yields waits in user code. MPI asks the kernel for messages, and more threads than processors
 * yield. */
static double waited_in_kernel(const struct analysis_state *state, const struct analysis_location *location,
                               double waited, double switches)
{
    const double switch_ns = 20000; /* to fall asleep and to be woken, or to yield: more than it takes */
    const double part_of_yields =
        0.1; /* LLVM's runtime yields sometimes, also with a processor for each thread */
    const struct analysis_process *process = &state->result->processes[location->process];
    const uint64_t processors =
        omptape_reader_number_of(state->reader, process->number, OMPTAPE_KEY_PROCESSORS);
    if (location->thread->parts[OMPTAPE_BUCKET_MPI] > 0 || process->most_threads > processors)
        return waited;
    const double most = switches * switch_ns / state->ns_per_tick + part_of_yields * waited;
    return most < waited ? most : waited;
}

/* Estimates which part of the system time belongs to work, as for sleep: who waits is in the kernel, too. */
void omptape_interval_details(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event)
{
    enum { RUNNING, SYSTEM = 2, MINOR, MAJOR, MEMBERS, VOLUNTARY = MEMBERS, INVOLUNTARY };
    struct analysis_interval_work *interval = &location->interval;
    const struct analysis_details before = interval->details;
    if (event->count < MEMBERS || location->thread == NULL)
        return;
    const struct analysis_details now = {.system_ns = event->values[SYSTEM].unsigned_int,
                                         .minor_faults = event->values[MINOR].unsigned_int,
                                         .major_faults = event->values[MAJOR].unsigned_int,
                                         .running_ns = event->values[RUNNING].unsigned_int};
    if (now.system_ns == before.system_ns && now.minor_faults == before.minor_faults)
        return;
    interval->details = now;
    if (event->count > VOLUNTARY)
        interval->details.voluntary = event->values[VOLUNTARY].unsigned_int;
    if (event->count > INVOLUNTARY)
        interval->details.involuntary = event->values[INVOLUNTARY].unsigned_int;
    double all = 0;
    for (uint32_t i = 0; i < interval->ran_count; i++)
        all += interval->places[interval->ran[i].index].ran;
    const bool is_continuous = now.system_ns >= before.system_ns && now.minor_faults >= before.minor_faults &&
                               now.major_faults >= before.major_faults && now.running_ns >= before.running_ns;
    const double ran = is_continuous ? (double)(now.running_ns - before.running_ns) / state->ns_per_tick : 0;
    const double system = is_continuous ? (double)(now.system_ns - before.system_ns) / state->ns_per_tick : 0;
    double waited = ran > all ? ran - all : 0;
    if (event->count > INVOLUNTARY)
        waited =
            waited_in_kernel(state, location, waited,
                             (double)omptape_minus(interval->details.voluntary, before.voluntary) +
                                 (double)omptape_minus(interval->details.involuntary, before.involuntary));
    const double at_work = omptape_slept_at_work(system, waited);
    for (uint32_t i = 0; i < interval->ran_count; i++) {
        const struct analysis_interval_row *row = &interval->ran[i];
        struct analysis_interval_place *place = &interval->places[row->index];
        const double part = all > 0 && is_continuous ? place->ran / all : 0;
        struct analysis_region *region = row->blamed != NULL ? row->blamed : row->region;
        const uint64_t ticks = omptape_whole(at_work * part);
        omptape_add(&region->system, ticks);
        omptape_add(&region->system_parts, omptape_times(ticks, 256) / (row->threads > 0 ? row->threads : 1));
        omptape_add(&region->major_faults,
                    omptape_whole((double)(now.major_faults - before.major_faults) * part));
        omptape_add(&region->faults, omptape_whole((double)(now.minor_faults - before.minor_faults +
                                                            now.major_faults - before.major_faults) *
                                                   part));
        place->ran = 0;
    }
    interval->ran_count = 0;
}

void omptape_interval_free(struct analysis_location *location)
{
    free(location->interval.ran);
    free(location->interval.places);
    free(location->interval.rows);
    free(location->interval.lock_work);
    free(location->interval.serials);
    location->interval = (struct analysis_interval_work){.places = NULL};
}
