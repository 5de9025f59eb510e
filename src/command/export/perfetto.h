/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Perfetto format knows of a location while it reads: what is open there (src/replay/), its track,
 * and the arrows that its next begin or end will have. And all that belongs to one export.
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
    struct export_open open;            /* in ns */
    struct omptape_region_name *region; /* what it is shown as */
    bool shown;                         /* its begin was sent */
    struct omptape_export_bytes more;   /* annotations that its end will have */
};

/* An arrow that begins or ends at the location's next begin or end of a region. */
struct omptape_arrow {
    uint64_t id;
    bool ends;
};

/* A fork that was not joined yet. */
struct omptape_fork {
    bool has_team;  /* one has formed */
    uint32_t count; /* arrows: to the members 1 to count */
    uint64_t first; /* the first one's id */
};

/* What the kernel's readings say of a thread: its state, up to the last one (states.c). */
struct export_state {
    uint64_t track;    /* 0: there has been no reading */
    bool has_reading;  /* of the thread that the location has now */
    const char *name;  /* of the state; NULL: one reading only */
    uint64_t begin;    /* of the state, ns */
    uint64_t time;     /* of the last reading, ns */
    uint64_t sums[2];  /* there: time on a processor, and time that the thread waited for one, ns */
    uint64_t parts[3]; /* of the state: on a processor, runnable, blocked, ns */
};

struct export_lane {
    struct replay_location replay;
    struct omptape_export_place *place;
    uint64_t track;
    struct omptape_export_bytes on_track; /* what puts an event on it */
    bool in_whole;                        /* a slice that knows its end is open: it ends there, */
    uint64_t whole_end;                   /* ...or at the next event, if that is earlier */
    struct omptape_arrow *arrows;
    uint32_t arrow_count;
    uint32_t arrow_room;
    struct omptape_fork *forks;
    uint32_t fork_count;
    uint32_t fork_room;
    struct export_state state;
};

struct omptape_perfetto {
    struct omptape_reader *reader;
    struct omptape_reader_progress *progress;
    const struct omptape_export_choice *choice;
    struct omptape_export_places *places;
    struct omptape_packets packets;
    struct omptape_names names;
    struct export_lane *lanes; /* one for each place */
    struct omptape_export_bytes end;
    struct omptape_arena arena;
    uint64_t tracks;          /* so many have numbers */
    uint64_t *process_tracks; /* by the group's index; also of devices */
    bool open;                /* the window's time has come */
    uint64_t now;             /* ns */

    /* counters.c */
    struct omptape_pairs counters; /* (metric, lane << 8 | member) -> struct omptape_counter */
    uint64_t *tasks;               /* in flight, by process */
    uint64_t *task_tracks;         /* their counters, or 0 */

    /* callstacks.c */
    struct export_stacks stacks;
    struct omptape_pairs callstacks; /* (context, constructs) -> number */
    struct omptape_rows stack_frames;

    /* arrows.c */
    uint64_t arrow_count; /* so many have ids */
    struct replay_arrows *arrows;
    struct export_lane *arrow_lane; /* of the event that goes by; NULL: it is not shown */
    struct replay_teams teams;      /* of struct export_team (arrows.c) */
};

/* Begins an instant on the lane's track, to which more can be added; omptape_packets_send sends it. */
void omptape_lane_instant(struct omptape_perfetto *perfetto, const struct export_lane *lane, const char *name,
                          const char *category);

/* The innermost of the lane's regions; NULL: none is open. */
static inline struct export_frame *omptape_lane_top(const struct export_lane *lane)
{
    return replay_top(&lane->replay, sizeof(struct export_frame));
}

/* The lane of a place. */
static inline struct export_lane *omptape_lane_of(struct omptape_perfetto *perfetto,
                                                  const struct omptape_export_place *place)
{
    return &perfetto->lanes[place->index];
}

/* tracks.c: Perfetto's tracks: one for each process, below it its threads and its devices with their streams,
 * all in the archive's order, and the counters. */

/* Tells the tracks of all chosen locations, and of the processes and devices that they belong to. */
void omptape_tracks_tell(struct omptape_perfetto *perfetto);

/* Tells a track of slices below the lane's. */
uint64_t omptape_tracks_slices(struct omptape_perfetto *perfetto, const struct export_lane *lane,
                               const char *name);

/* Tells the track of a counter below another track. `unit` is OTF2's; "" if there is none. */
uint64_t omptape_tracks_counter(struct omptape_perfetto *perfetto, uint64_t parent, const char *name,
                                const char *unit);

/* slices.c: The regions of a location as Perfetto's slices: as many ends as begins, each in the one around
 * it, whatever an archive says. */

/* An Enter or a Leave. */
void omptape_slices_follow(struct omptape_perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event);

/* A slice from now on to `end`, in what is open. The next function sends its end later: an event that waited
 * for buffer space may have begun before the wait was over. */
void omptape_slices_whole(struct omptape_perfetto *perfetto, struct export_lane *lane, const char *name,
                          const char *category, uint64_t end);

/* The location's next event is at `time`: a slice of the kind above ends now at the latest. */
void omptape_slices_end_whole(struct omptape_perfetto *perfetto, struct export_lane *lane, uint64_t time);

/* An annotation for the innermost region. */
void omptape_slices_parameter(struct omptape_perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event);

/* The window begins or ends: what is open is begun or ended. */
void omptape_slices_open(struct omptape_perfetto *perfetto);
void omptape_slices_close(struct omptape_perfetto *perfetto);

/* states.c: What the kernel says of a thread, as a track of slices below the thread's: on a processor,
 * runnable, blocked. Between two readings there may be several of these. */

/* A metric of the lane's thread; any but a reading of its scheduler statistics is passed over. */
void export_states_reading(struct omptape_perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event);

/* Another thread has the location from now on. */
void export_states_restart(struct omptape_perfetto *perfetto, struct export_lane *lane);

/* The window ends, or the trace. */
void export_states_close(struct omptape_perfetto *perfetto);

/* counters.c: Perfetto's counters: tasks in flight of each process, and whatever the archive has as metrics
 * (memory in use of devices, processor time of threads). */

/* 0 or -ENOMEM. */
int omptape_counters_begin(struct omptape_perfetto *perfetto);
void omptape_counters_free(struct omptape_perfetto *perfetto);

/* The tasks that were there when the window begins. */
void omptape_perfetto_open_counters(struct omptape_perfetto *perfetto);

/* A task was created, or is complete. */
void omptape_counters_task(struct omptape_perfetto *perfetto, const struct export_lane *lane, bool created);

void omptape_counters_metric(struct omptape_perfetto *perfetto, const struct export_lane *lane,
                             const struct omptape_event *event);

/* callstacks.c: Samples in Perfetto's format: each has a callstack, whose frames and texts are written once.
 */

/* A sample of the lane's thread. */
void export_callstacks_sample(struct omptape_perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event);
void export_callstacks_free(struct omptape_perfetto *perfetto);

/* arrows.c: Arrows from one region to another, Perfetto's flows. The replay finds them (src/replay/arrows.h),
 * but for those from a fork to the members of the team. An arrow ends only where it has begun before. With a
 * least duration there are none, as the regions at their ends are short. */

void omptape_arrows_begin(struct omptape_perfetto *perfetto);
void omptape_arrows_free(struct omptape_perfetto *perfetto);

/* What an event means for arrows: those that it begins or ends are at the location's next begin or end.
 * Before the event itself is shown. `lane`: NULL if its location is not shown. */
void omptape_arrows_event(struct omptape_perfetto *perfetto, struct export_lane *lane,
                          const struct omptape_event *event);

/* Adds to a begin or an end what waits for it. */
void omptape_arrows_add(struct omptape_perfetto *perfetto, struct export_lane *lane);
