/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of tables.h, and their entries. A new table needs a row at the end, a new field one in its
 * struct's list.
 */
#include "src/analysis/parts/tables.h"

#include "src/analysis/causes.h"
#include "src/analysis/devices.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/regions.h"
#include "src/analysis/serial.h"
#include "src/analysis/tasks.h"

#include <stddef.h>

#define SIZE(Struct, member) sizeof(((Struct *)0)->member)
/* Arrays are of uint64_t. */
#define FIELD(Rule, What, Struct, member)                                                                    \
    {                                                                                                        \
        .offset = offsetof(Struct, member), .bytes = SIZE(Struct, member),                                   \
        .size = SIZE(Struct, member) == sizeof(uint32_t) ? sizeof(uint32_t) : sizeof(uint64_t),              \
        .rule = ANALYSIS_##Rule, .what = ANALYSIS_##What                                                     \
    }
#define SUM(What, Struct, member) FIELD(SUM, What, Struct, member)
#define MOST(What, Struct, member) FIELD(MOST, What, Struct, member)
#define FIRST(What, Struct, member) FIELD(FIRST, What, Struct, member)
#define WORST(What, Struct, member) FIELD(WORST, What, Struct, member)
#define OF_WORST(What, Struct, member) FIELD(OF_WORST, What, Struct, member)
#define AGAIN(Struct, member) FIELD(AGAIN, COUNT, Struct, member)
#define OF_DURATIONS(Rule, What, Struct, member, part)                                                       \
    {                                                                                                        \
        .offset = offsetof(Struct, member) + offsetof(struct analysis_durations, part),                      \
        .bytes = SIZE(struct analysis_durations, part), .size = sizeof(uint64_t), .rule = ANALYSIS_##Rule,   \
        .what = ANALYSIS_##What                                                                              \
    }
#define DURATIONS(Struct, member)                                                                            \
    OF_DURATIONS(SUM, COUNT, Struct, member, count), OF_DURATIONS(SUM, TICKS, Struct, member, sum),          \
        OF_DURATIONS(WORST, TICKS, Struct, member, longest),                                                 \
        OF_DURATIONS(OF_WORST, TIME, Struct, member, longest_begin),                                         \
        OF_DURATIONS(OF_WORST, LOCATION, Struct, member, longest_location),                                  \
        OF_DURATIONS(SUM, COUNT, Struct, member, bins)

static const struct analysis_field of_process[] = {
    AGAIN(struct analysis_process, group),       AGAIN(struct analysis_process, name),
    AGAIN(struct analysis_process, node),        AGAIN(struct analysis_process, number),
    FIRST(TIME, struct analysis_process, begin), MOST(TIME, struct analysis_process, end),
    AGAIN(struct analysis_process, threads),     MOST(COUNT, struct analysis_process, most_threads),
    AGAIN(struct analysis_process, processors),  AGAIN(struct analysis_process, parts),
    SUM(TICKS, struct analysis_process, serial), SUM(TICKS, struct analysis_process, communication),
    AGAIN(struct analysis_process, bound),       SUM(TICKS, struct analysis_process, at_work),
    AGAIN(struct analysis_process, running_ns),  AGAIN(struct analysis_process, queued_ns),
};

static const struct analysis_field of_thread[] = {
    AGAIN(struct analysis_thread, location),
    AGAIN(struct analysis_thread, process),
    AGAIN(struct analysis_thread, name),
    FIRST(TIME, struct analysis_thread, begin),
    MOST(TIME, struct analysis_thread, end),
    SUM(COUNT, struct analysis_thread, events),
    SUM(TICKS, struct analysis_thread, parts),
    SUM(COUNT, struct analysis_thread, running_ns),
    SUM(COUNT, struct analysis_thread, queued_ns),
    SUM(TICKS, struct analysis_thread, stalled),
    SUM(TICKS, struct analysis_thread, unbroken),
    SUM(COUNT, struct analysis_thread, messages),
    SUM(COUNT, struct analysis_thread, queued_work_ns),
    SUM(TICKS, struct analysis_thread, told),
};

static const struct analysis_field of_region[] = {
    AGAIN(struct analysis_region, definition), AGAIN(struct analysis_region, kind),
    AGAIN(struct analysis_region, label),      AGAIN(struct analysis_region, function),
    AGAIN(struct analysis_region, file),       AGAIN(struct analysis_region, line),
    DURATIONS(struct analysis_region, visits), SUM(TICKS, struct analysis_region, inclusive),
    SUM(TICKS, struct analysis_region, parts), SUM(TICKS, struct analysis_region, charged),
    AGAIN(struct analysis_region, gain),       AGAIN(struct analysis_region, mark),
};

static const struct analysis_field of_cause[] = {
    AGAIN(struct analysis_cause, kind),
    AGAIN(struct analysis_cause, region),
    AGAIN(struct analysis_cause, parallel),
    AGAIN(struct analysis_cause, charged),
    SUM(TICKS, struct analysis_cause, gain_parts),
    SUM(TICKS, struct analysis_cause, waited),
    SUM(COUNT, struct analysis_cause, count),
    WORST(TICKS, struct analysis_cause, worst),
    OF_WORST(TIME, struct analysis_cause, worst_begin),
    OF_WORST(TIME, struct analysis_cause, worst_end),
    OF_WORST(LOCATION, struct analysis_cause, worst_location),
};

static const struct analysis_field of_parallel[] = {
    AGAIN(struct analysis_parallel, region),        SUM(COUNT, struct analysis_parallel, instances),
    SUM(TICKS, struct analysis_parallel, wall),     SUM(TICKS, struct analysis_parallel, useful),
    MOST(COUNT, struct analysis_parallel, threads), MOST(COUNT, struct analysis_parallel, outer),
    SUM(COUNT, struct analysis_parallel, records),  AGAIN(struct analysis_parallel, tiny_with),
};

static const struct analysis_field of_task_site[] = {
    AGAIN(struct analysis_task_site, result.region),
    DURATIONS(struct analysis_task_site, result.grain),
    SUM(COUNT, struct analysis_task_site, result.created),
    AGAIN(struct analysis_task_site, result.creation),
    SUM(TICKS, struct analysis_task_site, result.handling),
    SUM(TICKS, struct analysis_task_site, result.starved),
    MOST(COUNT, struct analysis_task_site, result.most_at_once),
    MOST(TICKS, struct analysis_task_site, result.chain),
    DURATIONS(struct analysis_task_site, before),
    DURATIONS(struct analysis_task_site, after),
    SUM(TICKS, struct analysis_task_site, bin_sums),
    SUM(TICKS, struct analysis_task_site, handling_parts),
    SUM(COUNT, struct analysis_task_site, handling_records),
    MOST(COUNT, struct analysis_task_site, threads),
    SUM(COUNT, struct analysis_task_site, created_inside),
    AGAIN(struct analysis_task_site, at_once),
    AGAIN(struct analysis_task_site, ran),
    AGAIN(struct analysis_task_site, ran_until),
    AGAIN(struct analysis_task_site, dependent),
};

static const struct analysis_field of_lock_site[] = {
    AGAIN(struct analysis_lock_site, result.region),
    DURATIONS(struct analysis_lock_site, result.wait),
    DURATIONS(struct analysis_lock_site, result.hold),
    SUM(COUNT, struct analysis_lock_site, result.contended),
    SUM(TICKS, struct analysis_lock_site, result.handover),
    SUM(COUNT, struct analysis_lock_site, result.threads),
    SUM(TICKS, struct analysis_lock_site, result.contended_wait),
    SUM(COUNT, struct analysis_lock_site, result.queue),
    MOST(COUNT, struct analysis_lock_site, result.longest_queue),
    AGAIN(struct analysis_lock_site, askers),
};

static const struct analysis_field of_lock_holder[] = {
    AGAIN(struct analysis_lock_holder, asker),
    AGAIN(struct analysis_lock_holder, holder),
    SUM(TICKS, struct analysis_lock_holder, waited),
    SUM(COUNT, struct analysis_lock_holder, count),
    WORST(TICKS, struct analysis_lock_holder, worst),
    OF_WORST(TIME, struct analysis_lock_holder, worst_begin),
    OF_WORST(LOCATION, struct analysis_lock_holder, worst_location),
};

static const struct analysis_field of_loop[] = {
    AGAIN(struct analysis_loop, region),
    AGAIN(struct analysis_loop, schedule),
    FIRST(STRING, struct analysis_loop, schedule_text),
    FIRST(REGION, struct analysis_loop, parallel_number),
    AGAIN(struct analysis_loop, parallel),
    SUM(COUNT, struct analysis_loop, instances),
    SUM(COUNT, struct analysis_loop, iterations),
    SUM(COUNT, struct analysis_loop, chunks),
    SUM(TICKS, struct analysis_loop, wall),
    SUM(TICKS, struct analysis_loop, mean),
    SUM(TICKS, struct analysis_loop, lost_few),
    SUM(TICKS, struct analysis_loop, lost_iterations),
    SUM(TICKS, struct analysis_loop, lost_cost),
    AGAIN(struct analysis_loop, lost_processor),
    AGAIN(struct analysis_loop, reason),
    AGAIN(struct analysis_loop, threads),
    AGAIN(struct analysis_loop, thread_list),
    AGAIN(struct analysis_loop, slowest),
};

static const struct analysis_field of_loop_thread[] = {
    SUM(TICKS, struct analysis_loop_thread, time),
    SUM(COUNT, struct analysis_loop_thread, iterations),
    SUM(TICKS, struct analysis_loop_thread, late),
    WORST(TICKS, struct analysis_loop_thread, longest),
    OF_WORST(LOCATION, struct analysis_loop_thread, longest_location),
};

static const struct analysis_field of_serial[] = {
    AGAIN(struct analysis_serial, after),
    AGAIN(struct analysis_serial, before),
    SUM(COUNT, struct analysis_serial, count),
    SUM(TICKS, struct analysis_serial, sum),
    WORST(TICKS, struct analysis_serial, longest),
    OF_WORST(TIME, struct analysis_serial, longest_begin),
    OF_WORST(LOCATION, struct analysis_serial, longest_location),
};

static const struct analysis_field of_transfer[] = {
    AGAIN(struct analysis_transfer, region),
    DURATIONS(struct analysis_transfer, times),
    SUM(COUNT, struct analysis_transfer, bytes),
    SUM(TICKS, struct analysis_transfer, around),
    SUM(COUNT, struct analysis_transfer, repeated),
    SUM(COUNT, struct analysis_transfer, repeated_bytes),
    SUM(TICKS, struct analysis_transfer, repeated_time),
};

static const struct analysis_field of_device[] = {
    AGAIN(struct analysis_device, group),
    AGAIN(struct analysis_device, name),
    SUM(TICKS, struct analysis_device, busy),
    SUM(COUNT, struct analysis_device, kernels),
    SUM(TICKS, struct analysis_device, kernel_time),
    SUM(COUNT, struct analysis_device, transfers),
    SUM(TICKS, struct analysis_device, transfer_time),
    SUM(COUNT, struct analysis_device, bytes),
    SUM(TICKS, struct analysis_device, overlap),
    SUM(TICKS, struct analysis_device, waited),
    SUM(TICKS, struct analysis_device, idle),
};

static const struct analysis_field of_mpi[] = {
    AGAIN(struct analysis_mpi, region),        SUM(COUNT, struct analysis_mpi, sent),
    SUM(COUNT, struct analysis_mpi, received), SUM(COUNT, struct analysis_mpi, read),
    SUM(COUNT, struct analysis_mpi, written),  AGAIN(struct analysis_mpi, waited),
};

static const struct analysis_field of_whole[] = {
    FIRST(TIME, struct analysis_whole, begin),
    MOST(TIME, struct analysis_whole, end),
    SUM(COUNT, struct analysis_whole, events),
    SUM(TICKS, struct analysis_whole, release_time),
};

static const struct omptape_pairs *pairs_of(const struct analysis_state *state,
                                            const struct analysis_table *table)
{
    return (const struct omptape_pairs *)((const char *)state + table->pairs);
}

static bool at_pair(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                    struct analysis_entry *entry)
{
    const struct omptape_pairs *pairs = pairs_of(state, table);
    if (number >= pairs->count)
        return false;
    const struct omptape_pair *pair = &pairs->list[number];
    *entry = (struct analysis_entry){.key = {pair->high, pair->low}, .value = pair->value};
    return true;
}

/* Of what belongs to one region, which the struct begins with. */
static void *make_at_region(struct analysis_state *state, const struct analysis_table *table,
                            const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[1]);
    if (region == NULL)
        return NULL;
    return omptape_analysis_at_region(state, (struct omptape_pairs *)((char *)state + table->pairs), region,
                                      table->bytes);
}

static void *make_region(struct analysis_state *state, const struct analysis_table *table,
                         const uint64_t key[2])
{
    (void)table;
    return omptape_analysis_region(state, key[1]);
}

/* Finds a region that may be none. False: it is not there. */
static bool find_region(struct analysis_state *state, uint64_t id, uint64_t none,
                        struct analysis_region **region)
{
    *region = id == none ? NULL : omptape_analysis_region(state, id);
    return id == none || *region != NULL;
}

/* What a pass charges; the others are found in the sums. */
static bool is_charged(uint64_t kind)
{
    return kind < OMPTAPE_FINDING_KINDS && kind != OMPTAPE_FINDING_OVERSUBSCRIPTION &&
           kind != OMPTAPE_FINDING_SMALL_TRANSFERS && kind != OMPTAPE_FINDING_REPEATED_TRANSFERS;
}

static void *make_cause(struct analysis_state *state, const struct analysis_table *table,
                        const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[0] & UINT32_MAX);
    struct analysis_region *parallel;
    uint64_t kind = key[0] >> 32;
    (void)table;
    if (!is_charged(kind) || region == NULL || !find_region(state, key[1], UINT64_MAX, &parallel))
        return NULL;
    return omptape_analysis_cause(state, (enum omptape_finding_kind)kind, region, parallel);
}

static void *make_serial(struct analysis_state *state, const struct analysis_table *table,
                         const uint64_t key[2])
{
    struct analysis_region *after;
    struct analysis_region *before;
    (void)table;
    if (!find_region(state, key[0], UINT64_MAX, &after) || !find_region(state, key[1], UINT64_MAX, &before))
        return NULL;
    return omptape_analysis_serial(state, after, before);
}

static void *make_lock_holder(struct analysis_state *state, const struct analysis_table *table,
                              const uint64_t key[2])
{
    struct analysis_region *asker = omptape_analysis_region(state, key[0]);
    struct analysis_region *holder = omptape_analysis_region(state, key[1]);
    (void)table;
    return asker == NULL || holder == NULL ? NULL : omptape_analysis_lock_holding(state, asker, holder);
}

/* Sites go by their places' texts; here by their regions. */
static bool at_task_site(const struct analysis_state *state, const struct analysis_table *table,
                         uint32_t number, struct analysis_entry *entry)
{
    if (!at_pair(state, table, number, entry))
        return false;
    const struct analysis_task_site *site = entry->value;
    entry->key[0] = 0;
    entry->key[1] = site->result.region->definition->id; /* it has one from its first task on */
    return true;
}

/* A task's region rather than that of its creation; of several the first. */
static bool is_better(const struct analysis_region *one, const struct analysis_region *other)
{
    bool task = one->kind != OMPTAPE_REGION_TASK_CREATE;
    if (task != (other->kind != OMPTAPE_REGION_TASK_CREATE))
        return task;
    return one->definition->id < other->definition->id;
}

static void *make_task_site(struct analysis_state *state, const struct analysis_table *table,
                            const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[1]);
    struct analysis_task_site *site = region == NULL ? NULL : omptape_analysis_task_site(state, region);
    (void)table;
    if (site != NULL && (site->result.region == NULL || is_better(region, site->result.region)))
        site->result.region = region;
    return site;
}

/* A team has no more members than there are definitions. */
static void *make_loop_thread(struct analysis_state *state, const struct analysis_table *table,
                              const uint64_t key[2])
{
    if (omptape_pairs_get(&state->loops, 0, key[0]) == NULL || key[1] >= state->reader->definition_count)
        return NULL;
    struct analysis_loop_thread *thread =
        omptape_pairs_obtain(&state->loop_threads, &state->result->arena, key[0], key[1], table->bytes);
    if (thread == NULL)
        state->no_memory = true;
    return thread;
}

static void *make_device(struct analysis_state *state, const struct analysis_table *table,
                         const uint64_t key[2])
{
    (void)table;
    return omptape_analysis_device(state,
                                   omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION_GROUP, key[1]));
}

static bool at_thread(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                      struct analysis_entry *entry)
{
    if (!at_pair(state, table, number, entry))
        return false;
    entry->value = ((struct analysis_location *)entry->value)->thread;
    return true;
}

static void *make_thread(struct analysis_state *state, const struct analysis_table *table,
                         const uint64_t key[2])
{
    const struct analysis_location *location = omptape_analysis_location(state, key[1]);
    (void)table;
    return location != NULL ? location->thread : NULL;
}

static bool at_process(const struct analysis_state *state, const struct analysis_table *table,
                       uint32_t number, struct analysis_entry *entry)
{
    struct omptape_analysis *result = state->result;
    (void)table;
    if (number >= result->process_count)
        return false;
    *entry = (struct analysis_entry){.key = {0, result->processes[number].group->id}};
    if (state->processes[number].counted)
        entry->value = &result->processes[number];
    return true;
}

static void *make_process(struct analysis_state *state, const struct analysis_table *table,
                          const uint64_t key[2])
{
    struct analysis_process *process = omptape_analysis_process(state, key[1]);
    (void)table;
    return process != NULL && process->group->id == key[1] ? process : NULL;
}

static bool added_process(struct analysis_state *state, const void *entry)
{
    struct analysis_process_state *process =
        &state->processes[(const struct analysis_process *)entry - state->result->processes];
    bool first = !process->counted;
    process->counted = true;
    return first;
}

static bool at_whole(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                     struct analysis_entry *entry)
{
    *entry = (struct analysis_entry){.value = (char *)state + table->pairs};
    return number == 0;
}

static void *make_whole(struct analysis_state *state, const struct analysis_table *table,
                        const uint64_t key[2])
{
    return key[0] == 0 && key[1] == 0 ? (char *)state + table->pairs : NULL;
}

#define TABLE(Name, list, Struct, place, high, low, how_at, how_make, ...)                                   \
    {                                                                                                        \
        .name = (Name), .fields = (list), .field_count = sizeof(list) / sizeof((list)[0]),                   \
        .bytes = sizeof(Struct), .pairs = offsetof(struct analysis_state, place), .at = (how_at),            \
        .make = (how_make), .keys = {ANALYSIS_KEY_##high, ANALYSIS_KEY_##low}, __VA_ARGS__                   \
    }
const struct analysis_table omptape_analysis_tables[] = {
    TABLE("processes", of_process, struct analysis_process, result, NONE, GROUP, at_process, make_process,
          .added = added_process, .is_fixed = true),
    TABLE("threads", of_thread, struct analysis_thread, locations, NONE, LOCATION, at_thread, make_thread, ),
    TABLE("regions", of_region, struct analysis_region, regions, NONE, REGION, at_pair, make_region, ),
    TABLE("causes", of_cause, struct analysis_cause, causes, CAUSE, REGION, at_pair, make_cause, ),
    TABLE("parallels", of_parallel, struct analysis_parallel, parallels, NONE, REGION, at_pair,
          make_at_region, ),
    TABLE("tasks", of_task_site, struct analysis_task_site, task_sites, NONE, REGION, at_task_site,
          make_task_site, ),
    TABLE("locks", of_lock_site, struct analysis_lock_site, lock_sites, NONE, REGION, at_pair,
          make_at_region, ),
    TABLE("lock holders", of_lock_holder, struct analysis_lock_holder, lock_holders, REGION, REGION, at_pair,
          make_lock_holder, ),
    TABLE("loops", of_loop, struct analysis_loop, loops, NONE, REGION, at_pair, make_at_region, ),
    TABLE("loop threads", of_loop_thread, struct analysis_loop_thread, loop_threads, REGION, NONE, at_pair,
          make_loop_thread, ),
    TABLE("serials", of_serial, struct analysis_serial, serials, REGION, REGION, at_pair, make_serial, ),
    TABLE("transfers", of_transfer, struct analysis_transfer, transfers, NONE, REGION, at_pair,
          make_at_region, ),
    TABLE("MPI", of_mpi, struct analysis_mpi, mpi, NONE, REGION, at_pair, make_at_region, ),
    TABLE("devices", of_device, struct analysis_device, devices, NONE, GROUP, at_pair, make_device, ),
    TABLE("whole", of_whole, struct analysis_whole, whole, NONE, NONE, at_whole, make_whole,
          .is_fixed = true),
};
const uint32_t omptape_analysis_table_count =
    sizeof(omptape_analysis_tables) / sizeof(omptape_analysis_tables[0]);
