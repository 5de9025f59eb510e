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
    struct export_open open;            /* times in ns */
    struct omptape_region_name *region; /* how the region is shown */
    bool shown;                         /* its begin has been written */
    struct omptape_export_bytes more;   /* annotations that are written with its end */
};

/* An arrow that attaches to the location's next begin or end of a region. */
struct omptape_arrow {
    uint64_t id;
    bool ends;
};

/* A fork that has not been joined yet. */
struct omptape_fork {
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
    struct omptape_export_place *place;
    uint64_t track;
    struct omptape_export_bytes on_track; /* encoded reference to the track, appended to each event */
    bool has_fixed_end;                   /* a slice with a known end is open */
    uint64_t fixed_end;                   /* its end, ns; the next event ends it if that is earlier */
    struct omptape_arrow *arrows;
    uint32_t arrow_count;
    uint32_t arrow_capacity;
    struct omptape_fork *forks;
    uint32_t fork_count;
    uint32_t fork_capacity;
    struct export_state state;
};

struct omptape_perfetto {
    struct omptape_reader *reader;
    struct omptape_reader_progress *progress;
    const struct omptape_export_choice *choice;
    struct omptape_export_places *places;
    struct omptape_packets packets;
    struct omptape_names names;
    struct export_lane *lanes; /* one lane per place */
    struct omptape_export_bytes end;
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

/* Starts an instant on the lane's track. The caller may add parts and then calls omptape_packets_send. */
void omptape_lane_instant(struct omptape_perfetto *perfetto, const struct export_lane *lane, const char *name,
                          const char *category);

/* Returns the lane's innermost open region, or NULL. */
static inline struct export_frame *omptape_lane_top(const struct export_lane *lane)
{
    return replay_top(&lane->replay, sizeof(struct export_frame));
}

/* Returns the lane of a place. */
static inline struct export_lane *omptape_lane_of(struct omptape_perfetto *perfetto,
                                                  const struct omptape_export_place *place)
{
    return &perfetto->lanes[place->index];
}

/* tracks.c: Perfetto's tracks. Each process has one, with its threads and its devices' streams below it in
 * the archive's order, and the counters. */

/* Writes the tracks of all chosen locations, and of their processes and devices. */
void omptape_tracks_write(struct omptape_perfetto *perfetto);

/* Writes a track for slices below the lane's track and returns its number. */
uint64_t omptape_tracks_slices(struct omptape_perfetto *perfetto, const struct export_lane *lane,
                               const char *name);

/* Writes a counter's track below another track and returns its number. `unit` is OTF2's unit, or "". */
uint64_t omptape_tracks_counter(struct omptape_perfetto *perfetto, uint64_t parent, const char *name,
                                const char *unit);

/* slices.c: Writes a location's regions as Perfetto's slices. Begins and ends are always balanced and nested,
 * even if the archive is malformed. */

/* Handles Enter and Leave. */
void omptape_slices_follow(struct omptape_perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event);

/* Begins a slice that lasts until `end`, inside the open regions. Its end is written later, by
 * omptape_slices_end_fixed. The reason is that an event that waited for buffer space may have an earlier time
 * than `end`. */
void omptape_slices_begin_fixed(struct omptape_perfetto *perfetto, struct export_lane *lane, const char *name,
                                const char *category, uint64_t end);

/* Ends such a slice, at the latest at `time`, the time of the location's next event. */
void omptape_slices_end_fixed(struct omptape_perfetto *perfetto, struct export_lane *lane, uint64_t time);

/* Adds a parameter as annotation to the innermost region. */
void omptape_slices_parameter(struct omptape_perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event);

/* Begin and end the window: open regions begin or end there. */
void omptape_slices_open(struct omptape_perfetto *perfetto);
void omptape_slices_close(struct omptape_perfetto *perfetto);

/* states.c: Writes a track below the thread's track with the thread's scheduling state: on a processor,
 * runnable or blocked. A thread may change its state several times between two readings. */

/* Handles a metric of the lane's thread. Metrics other than scheduler statistics are skipped. */
void export_states_reading(struct omptape_perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event);

/* Called when another thread takes over the location. */
void export_states_restart(struct omptape_perfetto *perfetto, struct export_lane *lane);

/* Called at the end of the window or trace. */
void export_states_close(struct omptape_perfetto *perfetto);

/* counters.c: Writes Perfetto's counters: tasks in flight per process, and the archive's metrics (such as
 * device memory in use or processor time of threads). */

/* Allocates the counters. Returns 0 or -ENOMEM. */
int omptape_counters_begin(struct omptape_perfetto *perfetto);
void omptape_counters_free(struct omptape_perfetto *perfetto);

/* Writes the number of tasks in flight at the begin of the window. */
void omptape_perfetto_open_counters(struct omptape_perfetto *perfetto);

/* Counts the creation or the completion of a task. */
void omptape_counters_task(struct omptape_perfetto *perfetto, const struct export_lane *lane, bool created);

void omptape_counters_metric(struct omptape_perfetto *perfetto, const struct export_lane *lane,
                             const struct omptape_event *event);

/* callstacks.c: Writes samples. Each refers to a callstack; callstacks, frames and texts are written once. */

/* Handles a sample of the lane's thread. */
void export_callstacks_sample(struct omptape_perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event);
void export_callstacks_free(struct omptape_perfetto *perfetto);

/* arrows.c: Writes arrows between regions as Perfetto's flows. The replay finds them (src/replay/arrows.h),
 * except the arrows from a fork to the team's members. An arrow ends only if its begin has been written. With
 * --min-duration there are no arrows, because the regions at their ends are short. */

void omptape_arrows_begin(struct omptape_perfetto *perfetto);
void omptape_arrows_free(struct omptape_perfetto *perfetto);

/* Registers the arrows that an event begins or ends; they attach to the location's next begin or end. Called
 * before the event itself is shown. `lane` is NULL if its location is not shown. */
void omptape_arrows_event(struct omptape_perfetto *perfetto, struct export_lane *lane,
                          const struct omptape_event *event);

/* Adds the lane's waiting arrows to the event under construction. */
void omptape_arrows_add(struct omptape_perfetto *perfetto, struct export_lane *lane);
