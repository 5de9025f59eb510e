/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State of the Perfetto format. Per location: open regions (src/replay/), the track, and the arrows that
 * attach to its next begin or end. Per export: everything that the modules share.
 */
#pragma once

#include "src/command/export/formats.h"
#include "src/command/export/names.h"
#include "src/command/export/packets.h"
#include "src/command/export/stacks.h"
#include "src/core/hash.h"
#include "src/replay/arrows.h"
#include "src/replay/replay.h"
#include "src/replay/teams.h"

struct export_frame {
    struct export_open open;    /* times in ns */
    struct region_name *region; /* how the region is shown */
    bool shown;                 /* its begin has been written */
    struct export_bytes more;   /* annotations that are written with its end */
};

/* An arrow that attaches to the location's next begin or end of a region. */
struct arrow {
    uint64_t id;
    bool ends;
};

/* A fork that has not been joined yet. */
struct fork {
    bool has_team;  /* its team has begun */
    uint32_t count; /* number of arrows, one to each of the members 1 to count */
    uint64_t first; /* id of the first arrow */
};

/* A thread's scheduling state according to the kernel's readings, up to the last reading (states.c). */
struct export_state {
    uint64_t track;    /* track of the states; 0 before the first reading */
    bool has_reading;  /* the current thread of the location has a reading */
    const char *name;  /* current state; NULL after a single reading */
    uint64_t begin;    /* begin of the state, ns */
    uint64_t time;     /* time of the last reading, ns */
    uint64_t sums[2];  /* last reading: time on a processor and time in the run queue, ns */
    uint64_t parts[3]; /* time within the state: on a processor, runnable, blocked, ns */
};

struct export_lane {
    struct replay_location replay;
    struct export_place *place;
    uint64_t track;
    uint32_t begun;               /* this number of outer regions have begun in the file */
    struct export_bytes on_track; /* encoded reference to the track, appended to each event */
    bool has_fixed_end;           /* a slice with a known end is open */
    uint64_t fixed_end;           /* its end, ns; the next event ends it if that is earlier */
    struct arrow *arrows;
    uint32_t arrow_count;
    uint32_t arrow_capacity;
    struct fork *forks;
    uint32_t fork_count;
    uint32_t fork_capacity;
    struct export_state state;
};

struct perfetto {
    struct omptape_reader *reader;
    struct omptape_reader_progress *progress;
    const struct export_choice *choice;
    struct export_places *places;
    struct packets packets;
    struct omptape_names names;
    struct export_lane *lanes; /* one lane per place */
    struct export_bytes end;
    struct omptape_arena arena;
    uint64_t tracks;          /* number of tracks so far */
    uint64_t *process_tracks; /* track by group index, also of devices; 0 if none */
    bool open;                /* the window has begun */
    uint64_t now;             /* time of the current event, ns */

    /* State of counters.c. */
    struct omptape_pairs counters; /* (metric, lane << 8 | member) -> struct omptape_counter */
    uint64_t *tasks;               /* tasks in flight by process */
    uint64_t *task_tracks;         /* counter tracks of `tasks`; 0 if not created */

    /* State of callstacks.c. */
    struct export_stacks stacks;
    struct omptape_pairs callstacks; /* (context, constructs) -> number */
    struct omptape_rows stack_frames;

    /* State of arrows.c. */
    uint64_t arrow_count; /* number of arrows so far */
    struct replay_arrows *arrows;
    struct export_lane *arrow_lane; /* lane of the current event; NULL if it is not shown */
    struct replay_teams teams;      /* entries are struct export_team (arrows.c) */
};

/* Starts an instant on the lane's track. The caller may add parts and then calls packets_send. */
void lane_instant(struct perfetto *perfetto, const struct export_lane *lane, const char *name,
                  const char *category);

/* Returns the lane's innermost open region, or NULL. */
static inline struct export_frame *lane_top(const struct export_lane *lane)
{
    return replay_top(&lane->replay, sizeof(struct export_frame));
}

/* Returns the lane of a place. */
static inline struct export_lane *lane_at(struct perfetto *perfetto, const struct export_place *place)
{
    return &perfetto->lanes[place->index];
}

/* tracks.c: Perfetto's tracks. Each process has one, with its threads and its devices' streams below it in
 * the archive's order, and the counters. */

/* Writes the tracks of all chosen locations, and of their processes and devices. */
void tracks_write(struct perfetto *perfetto);

/* Writes a track for slices below the lane's track and returns its number. */
uint64_t tracks_slices(struct perfetto *perfetto, const struct export_lane *lane, const char *name);

/* Writes a counter's track below another track and returns its number. `unit` is OTF2's unit, or "". */
uint64_t tracks_counter(struct perfetto *perfetto, uint64_t parent, const char *name, const char *unit);

/* slices.c: Writes a location's regions as Perfetto's slices. Begins and ends are always balanced and nested,
 * even if the archive is malformed. */

/* Handles Enter and Leave. */
void slices_follow(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event);

/* Begins a slice that lasts until `end`, inside the open regions. Its end is written later, by
 * slices_end_fixed. The reason is that an event that waited for buffer space may have an earlier time
 * than `end`. */
void slices_begin_fixed(struct perfetto *perfetto, struct export_lane *lane, const char *name,
                        const char *category, uint64_t end);

/* Ends such a slice, at the latest at `time`, the time of the location's next event. */
void slices_end_fixed(struct perfetto *perfetto, struct export_lane *lane, uint64_t time);

/* Adds a parameter as annotation to the innermost region. */
void slices_parameter(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event);

/* Begin and end the window: open regions begin or end there. */
void slices_open(struct perfetto *perfetto);
void slices_close(struct perfetto *perfetto);

/* states.c: Writes a track below the thread's track with the thread's scheduling state: on a processor,
 * runnable or blocked. A thread may change its state several times between two readings. */

/* Handles a metric of the lane's thread. Metrics other than scheduler statistics are skipped. */
void export_states_reading(struct perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event);

/* Called when another thread takes over the location. */
void export_states_restart(struct perfetto *perfetto, struct export_lane *lane);

/* Called at the end of the window or trace. */
void export_states_close(struct perfetto *perfetto);

/* counters.c: Writes Perfetto's counters: tasks in flight per process, and the archive's metrics (such as
 * device memory in use or processor time of threads). */

/* Allocates the counters. Returns 0 or -ENOMEM. */
int counters_begin(struct perfetto *perfetto);
void counters_free(struct perfetto *perfetto);

/* Writes the number of tasks in flight at the begin of the window. */
void perfetto_open_counters(struct perfetto *perfetto);

/* Counts the creation or the completion of a task. */
void counters_task(struct perfetto *perfetto, const struct export_lane *lane, bool created);

void counters_metric(struct perfetto *perfetto, const struct export_lane *lane,
                     const struct omptape_event *event);

/* callstacks.c: Writes samples. Each refers to a callstack; callstacks, frames and texts are written once. */

/* Handles a sample of the lane's thread. */
void export_callstacks_sample(struct perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event);
void export_callstacks_free(struct perfetto *perfetto);

/* arrows.c: Writes arrows between regions as Perfetto's flows. The replay finds them (src/replay/arrows.h),
 * except the arrows from a fork to the team's members. An arrow ends only if its begin has been written. With
 * --min-duration there are no arrows, because the regions at their ends are short. */

void arrows_begin(struct perfetto *perfetto);
void arrows_free(struct perfetto *perfetto);

/* Registers the arrows that an event begins or ends; they attach to the location's next begin or end. Called
 * before the event itself is shown. `lane` is NULL if its location is not shown. */
void arrows_event(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event);

/* Adds the lane's waiting arrows to the event under construction. */
void arrows_add(struct perfetto *perfetto, struct export_lane *lane);
