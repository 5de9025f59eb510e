/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Perfetto format knows of a location while it reads: what is open there (src/replay/), its track,
 * and the arrows that its next begin or end will have. And all that belongs to one export.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_LANE_H
#define OMPTAPE_COMMAND_EXPORT_LANE_H

#include "src/command/export/choice.h"
#include "src/command/export/names.h"
#include "src/command/export/packets.h"
#include "src/command/export/places.h"
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

/* One lane for each place. 0 or -ENOMEM; omptape_lanes_free in any case, which frees all but what is
 * counters.c's and arrows.c's. */
int omptape_lanes_begin(struct omptape_perfetto *perfetto);
void omptape_lanes_free(struct omptape_perfetto *perfetto);

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

#endif
