/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the scheduler readings of initial threads (readings.h). Called for each pass over an archive's files.
 */
#include "src/analysis/reduce/readings.h"

#include "src/analysis/location.h"
#include "src/analysis/serial.h"
#include "src/analysis/state.h"
#include "src/archive/read/regions.h"
#include "src/core/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* State of a thread while its events are read. */
struct watched {
    struct analysis_initial *initial;
    uint64_t last;         /* time of the last event */
    uint64_t last_reading; /* time of the last reading */
    uint64_t busy;         /* running and queued ns at the last reading */
    uint64_t outside;      /* ticks outside of teams since the last reading */
    uint32_t in_teams;
    bool begun;
};

struct watch {
    struct analysis_state *pass;
    struct omptape_pairs threads; /* (0, location id) -> watched */
    struct omptape_arena arena;
};

static void add_reading(struct watch *watch, struct analysis_initial *initial, uint64_t time, double awake)
{
    (void)OMPTAPE_APPEND(
        initial->readings, initial->reading_count, initial->reading_capacity,
        (struct analysis_reading){.time = omptape_analysis_within(watch->pass, time), .awake = awake});
}

/* Adds a reading. A thread that neither ran nor was queued has slept; first outside of teams. */
static void handle_reading(struct watch *watch, struct watched *thread, uint64_t time, uint64_t busy)
{
    const double passed = (double)(time - thread->last_reading) * watch->pass->ns_per_tick;
    const double outside = (double)thread->outside * watch->pass->ns_per_tick;
    const double worked = busy > thread->busy ? (double)(busy - thread->busy) : 0;
    const double slept = passed > worked ? passed - worked : 0;
    if (busy >= thread->busy && time > thread->last_reading)
        add_reading(watch, thread->initial, time, slept < outside ? 1 - slept / outside : outside <= 0);
    thread->last_reading = time;
    thread->busy = busy;
    thread->outside = 0;
}

/* The location's next events belong to another thread, whose sums begin at 0. */
static void change_thread(struct watch *watch, struct watched *thread, uint64_t time)
{
    add_reading(watch, thread->initial, thread->last, 1);
    add_reading(watch, thread->initial, time, 0);
    thread->last_reading = time;
    thread->busy = 0;
    thread->outside = 0;
    thread->in_teams = 0;
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct watch *watch = data;
    struct watched *thread = omptape_pairs_get(&watch->threads, 0, event->location);
    if (thread == NULL || (thread->begun && event->time < thread->last))
        return true;
    if (!thread->begun)
        thread->last_reading = event->time;
    else if (thread->in_teams == 0)
        thread->outside += event->time - thread->last;
    thread->begun = true;
    if (omptape_event_changes_thread(watch->pass->reader, event))
        change_thread(watch, thread, event->time);
    else if (event->kind == OMPTAPE_EVENT_TEAM_BEGIN)
        thread->in_teams++;
    else if (event->kind == OMPTAPE_EVENT_TEAM_END && thread->in_teams > 0)
        thread->in_teams--;
    else if (omptape_event_is_scheduling_metric(event))
        handle_reading(watch, thread, event->time,
                       event->values[0].unsigned_int + event->values[1].unsigned_int);
    thread->last = event->time;
    thread->initial->end = omptape_analysis_within(watch->pass, event->time);
    return !omptape_out_of_memory;
}

static bool is_initial(const struct analysis_state *pass, uint64_t id)
{
    const struct omptape_definition *location = omptape_reader_find(pass->reader, OMPTAPE_DEF_LOCATION, id);
    return location != NULL && omptape_location_is_thread(pass->reader, location) &&
           omptape_location_is_initial(pass->reader, location) &&
           omptape_analysis_process(pass, location->refs[1].id) != NULL;
}

static struct analysis_process_state *process_of(const struct analysis_state *pass, uint64_t id)
{
    const struct omptape_definition *location = omptape_reader_find(pass->reader, OMPTAPE_DEF_LOCATION, id);
    return &pass->processes[omptape_analysis_process(pass, location->refs[1].id) - pass->result->processes];
}

/* Selects the initial threads of processes with several of them, and writes their ids to `list`. Returns
 * their number. `counts` has one element per process of the pass. */
static uint32_t choose(struct watch *watch, const uint64_t *locations, uint32_t count, uint32_t *counts,
                       uint64_t *list)
{
    struct analysis_state *pass = watch->pass;
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_initial(pass, locations[i]))
            counts[process_of(pass, locations[i]) - pass->processes]++;
    for (uint32_t i = 0; i < count; i++) {
        struct analysis_process_state *process =
            is_initial(pass, locations[i]) ? process_of(pass, locations[i]) : NULL;
        if (process == NULL || counts[process - pass->processes] < 2)
            continue;
        struct watched *thread =
            omptape_pairs_obtain(&watch->threads, &watch->arena, 0, locations[i], sizeof(*thread));
        if (process->initials == NULL)
            process->initials = omptape_arena_alloc(&pass->arena, sizeof(*process->initials));
        struct analysis_initial *initial =
            omptape_pairs_obtain(&pass->initials, &pass->arena, 0, locations[i], sizeof(*initial));
        if (thread == NULL || initial == NULL)
            break;
        thread->initial = initial;
        list[chosen++] = locations[i];
    }
    return chosen;
}

static void forget(struct analysis_state *pass)
{
    for (uint32_t i = 0; i < pass->result->process_count; i++)
        pass->processes[i].initials = NULL;
}

int omptape_readings_read(struct analysis_state *pass, const uint64_t *locations, uint32_t count)
{
    struct watch watch = {.pass = pass};
    struct omptape_reader *reader = NULL;
    char error[OMPTAPE_READER_ERROR_BYTES];
    uint32_t *counts = omptape_calloc(pass->result->process_count + (size_t)1, sizeof(*counts));
    uint64_t *list = omptape_calloc(count + (size_t)1, sizeof(*list));
    const uint32_t chosen =
        counts == NULL || list == NULL ? 0 : choose(&watch, locations, count, counts, list);
    if (chosen > 0 &&
        (omptape_reader_open(&reader, pass->reader->anchor, error, sizeof(error)) != 0 ||
         omptape_reader_read_locations(reader, list, chosen, on_event, &watch, error, sizeof(error)) != 0))
        forget(pass);
    omptape_reader_close(reader);
    omptape_pairs_free(&watch.threads);
    omptape_arena_free(&watch.arena);
    free(counts);
    free(list);
    return omptape_out_of_memory ? -ENOMEM : 0;
}

void omptape_readings_free(struct analysis_state *pass)
{
    for (uint32_t i = 0; i < pass->initials.count; i++) {
        struct analysis_initial *initial = pass->initials.list[i].value;
        free(initial->readings);
    }
    for (uint32_t i = 0; pass->result != NULL && i < pass->result->process_count; i++)
        if (pass->processes[i].initials != NULL)
            free(pass->processes[i].initials->alive);
}
