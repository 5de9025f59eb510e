/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds and creates the entries of the tables in tables.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/devices.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/opens.h"
#include "src/analysis/outliers.h"
#include "src/analysis/phases.h"
#include "src/analysis/reduce/table.h"
#include "src/analysis/sampled.h"
#include "src/analysis/serial.h"
#include "src/analysis/tasks.h"
#include "src/analysis/values.h"

static struct omptape_pairs *pairs_of(const struct analysis_state *state, const struct analysis_table *table)
{
    return (struct omptape_pairs *)((char *)state + table->pairs);
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

void *entry_make_region(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_analysis_region(state, key[1]);
}

/* Looks up a region that may be none. Returns false if the region does not exist. */
static bool find_region(struct analysis_state *state, uint64_t id, uint64_t none,
                        struct analysis_region **region)
{
    *region = id == none ? NULL : omptape_analysis_region(state, id);
    return id == none || *region != NULL;
}

/* Returns true for kinds that a pass charges; other kinds are derived from the sums. */
static bool is_charged(uint64_t kind)
{
    return kind < OMPTAPE_FINDING_KINDS && kind != OMPTAPE_FINDING_OVERSUBSCRIPTION &&
           kind != OMPTAPE_FINDING_OUTLIER && kind != OMPTAPE_FINDING_SMALL_TRANSFERS &&
           kind != OMPTAPE_FINDING_REPEATED_TRANSFERS && kind != OMPTAPE_FINDING_SMALL_MESSAGES &&
           kind != OMPTAPE_FINDING_REPEATED_CREATION;
}

void *entry_make_cause(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[0] & UINT32_MAX);
    struct analysis_region *parallel;
    uint64_t kind = key[0] >> 32;
    if (!is_charged(kind) || region == NULL || !find_region(state, key[1], UINT64_MAX, &parallel))
        return NULL;
    return omptape_analysis_cause(state, (enum omptape_finding_kind)kind, region, parallel);
}

void *entry_make_sampled(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region;
    return find_region(state, key[0], UINT64_MAX, &region) ? omptape_sampled_in_region(state, region, key[1])
                                                           : NULL;
}

void *entry_make_serial_sampled(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *after;
    struct analysis_region *before;
    if (!find_region(state, key[0] >> 32, UINT32_MAX, &after) ||
        !find_region(state, key[0] & UINT32_MAX, UINT32_MAX, &before))
        return NULL;
    const struct analysis_serial *serial = omptape_analysis_serial(state, after, before);
    return serial != NULL ? omptape_sampled_in_serial(state, serial, key[1]) : NULL;
}

void *entry_make_other_sampled(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_sampled_in_other(state, key[0], key[1]);
}

void *entry_make_serial(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *after;
    struct analysis_region *before;
    if (!find_region(state, key[0], UINT64_MAX, &after) || !find_region(state, key[1], UINT64_MAX, &before))
        return NULL;
    return omptape_analysis_serial(state, after, before);
}

void *entry_make_phase_share(struct analysis_state *state, const uint64_t key[2])
{
    const struct analysis_process *process = omptape_analysis_process(state, key[1]);
    const struct analysis_region *region = omptape_analysis_region(state, key[0]);
    return process == NULL || region == NULL ? NULL : omptape_phases_share(state, region, process);
}

void *entry_make_outliers(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[0] & UINT32_MAX);
    struct analysis_region *before;
    const uint64_t kind = key[0] >> 32 & ((1U << ANALYSIS_OUTLIER_KIND_BITS) - 1);
    const uint64_t nesting = key[0] >> 32 >> ANALYSIS_OUTLIER_KIND_BITS;
    if (kind >= ANALYSIS_OUTLIER_KINDS || nesting > UINT16_MAX || region == NULL ||
        !find_region(state, key[1], UINT64_MAX, &before) ||
        (kind == ANALYSIS_OUTLIER_SERIAL) != (before != NULL))
        return NULL;
    return omptape_outliers_at(state, (enum analysis_outlier_kind)kind, (uint16_t)nesting, region, before);
}

void *entry_make_lock_holder(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *asker = omptape_analysis_region(state, key[0]);
    struct analysis_region *holder = omptape_analysis_region(state, key[1]);
    return asker == NULL || holder == NULL ? NULL : omptape_analysis_lock_holding(state, asker, holder);
}

/* Task sites are stored by the text of their place; their entries have the region's id as key. */
bool entry_at_task_site(const struct analysis_state *state, const struct analysis_table *table,
                        uint32_t number, struct analysis_entry *entry)
{
    if (!at_pair(state, table, number, entry))
        return false;
    const struct analysis_task_site *site = entry->value;
    entry->key[0] = 0;
    entry->key[1] = site->result.region->definition->id; /* set since its first task */
    return true;
}

/* True if `one` represents a site better: a task's rather than its creation's, else the smaller id. */
static bool is_better(const struct analysis_region *one, const struct analysis_region *other)
{
    bool task = one->kind != OMPTAPE_REGION_TASK_CREATE;
    if (task != (other->kind != OMPTAPE_REGION_TASK_CREATE))
        return task;
    return one->definition->id < other->definition->id;
}

void *entry_make_task_site(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[1]);
    struct analysis_task_site *site = region == NULL ? NULL : omptape_analysis_task_site(state, region);
    if (site != NULL && (site->result.region == NULL || is_better(region, site->result.region)))
        site->result.region = region;
    return site;
}

/* A thread number must be below the number of definitions: a team cannot have more members. */
void *entry_make_loop_thread(struct analysis_state *state, const uint64_t key[2])
{
    if (omptape_pairs_get(&state->loops, 0, key[0]) == NULL || key[1] >= state->reader->definition_count)
        return NULL;
    return omptape_pairs_obtain(&state->loop_threads, &state->result->arena, key[0], key[1],
                                sizeof(struct analysis_loop_thread));
}

void *entry_make_step(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[0]);
    return region != NULL ? omptape_phases_step(state, region, key[1]) : NULL;
}

void *entry_make_value(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_values_at(state, key[1]);
}

void *entry_make_device(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_analysis_device(state,
                                   omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION_GROUP, key[1]));
}

bool entry_at_thread(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                     struct analysis_entry *entry)
{
    if (!at_pair(state, table, number, entry))
        return false;
    entry->value = ((struct analysis_location *)entry->value)->thread;
    return true;
}

void *entry_make_thread(struct analysis_state *state, const uint64_t key[2])
{
    const struct analysis_location *location = omptape_analysis_location(state, key[1]);
    return location != NULL ? location->thread : NULL;
}

void *entry_make_open(struct analysis_state *state, const uint64_t key[2])
{
    const struct analysis_location *location = omptape_analysis_location(state, key[1]);
    if (location == NULL || location->thread == NULL)
        return NULL;
    return omptape_pairs_obtain(&state->opens, &state->arena, 0, key[1], sizeof(struct analysis_open));
}

bool entry_at_process(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                      struct analysis_entry *entry)
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

void *entry_make_process(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_process *process = omptape_analysis_process(state, key[1]);
    return process != NULL && process->group->id == key[1] ? process : NULL;
}

bool entry_added_process(struct analysis_state *state, const void *entry)
{
    struct analysis_process_state *process =
        &state->processes[(const struct analysis_process *)entry - state->result->processes];
    bool first = !process->counted;
    process->counted = true;
    return first;
}

bool entry_at_whole(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                    struct analysis_entry *entry)
{
    (void)table;
    *entry = (struct analysis_entry){.value = (struct analysis_whole *)&state->whole};
    return number == 0;
}

void *entry_make_whole(struct analysis_state *state, const uint64_t key[2])
{
    return key[0] == 0 && key[1] == 0 ? &state->whole : NULL;
}

bool omptape_analysis_entry_at(const struct analysis_state *state, const struct analysis_table *table,
                               uint32_t number, struct analysis_entry *entry)
{
    return (table->at != NULL ? table->at : at_pair)(state, table, number, entry);
}

void *omptape_analysis_entry_make(struct analysis_state *state, const struct analysis_table *table,
                                  const uint64_t key[2])
{
    if (table->make != NULL)
        return table->make(state, key);
    struct analysis_region *region = omptape_analysis_region(state, key[1]);
    return region != NULL ? omptape_analysis_at_region(state, pairs_of(state, table), region, table->bytes)
                          : NULL;
}
