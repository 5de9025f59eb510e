/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State and interface that the files of `omptape check` share. Everything runs on the only thread of the
 * child process that check.c starts.
 *
 * Every event is checked in two steps. The immediate check uses only its own location: time, nesting,
 * references (events.c). The deferred check, for teams, tasks and locks, depends on other locations. It waits
 * until all events of the same timestamp are known, because their true order is unknown (order.c).
 */
#pragma once

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"
#include "src/replay/replay.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CHECK_LIST_LIMIT = 100 };

/* Where a violation is: at an event, at the end of a location, in the definitions or in the archive. */
struct check_place {
    struct check_location *location; /* NULL: in the definitions or the whole archive */
    const char *name;                /* name of the event, with which the text starts; NULL: none */
    uint64_t number; /* number of the event on its location, from 1; 0: the end of its events */
    uint64_t time;
};

/* An open region, calling context, fork or team of a location. All are on one stack, innermost last. */
struct check_open {
    struct replay_frame replay; /* replay.region is the id of the region, calling context, comm or paradigm */
    enum omptape_event_kind kind; /* kind of the opening event */
    enum omptape_definition_kind definition;
    uint64_t number; /* number of the opening event on its location */
};

/* A task that has been created and not completed. */
struct check_task {
    struct check_instance *instance;
    uint32_t thread;
    uint32_t generation;
    struct check_location *runner; /* location that executes it; NULL if it does not run */
    struct check_place created;
};

/* An instance of a team in which tasks were created. Generation numbers restart with each instance. */
struct check_instance {
    struct check_team *team;
    struct check_instance *older; /* previous instance of the same team */
    uint32_t number;              /* 0: before the location's first ThreadTeamBegin with this comm */
    uint32_t ended;               /* number of members that have left it */
    uint64_t live;                /* number of its tasks that are not completed */
    uint32_t last_generation[];   /* by creating thread */
};

struct check_member {
    uint64_t location;
    uint32_t rank;
    uint32_t begins;
    uint32_t ends;
};

/* A team: a comm that thread or task events refer to. */
struct check_team {
    uint64_t comm;
    bool usable; /* the members are known */
    uint32_t size;
    uint32_t member_count;
    uint32_t begins;     /* highest `begins` of a member: number of the newest instance */
    uint64_t first_time; /* time and location (first_location) of the first begin of that instance */
    const struct check_location *first_location;
    struct check_member *members;
    struct check_instance *newest;
};

/* A team that a location is in, in the deferred check. */
struct check_membership {
    struct replay_frame replay; /* replay.region is the comm */
    struct check_team *team;
    uint32_t instance;
    /* Task that the location executed when it entered the team; NULL if none. */
    struct check_task *outer_task;
};

/* State of a process (location group). */
struct check_process {
    bool begun;
    bool ended;
    struct omptape_pairs transfers;     /* MPI's windows; same keys as check_location.transfers */
    struct omptape_pairs io;            /* (handle, matching id) -> struct check_operation */
    struct omptape_pairs created_comms; /* (0, comm) -> bool: true if created and not destroyed */
};

enum check_measurement { CHECK_MEASUREMENT_UNKNOWN, CHECK_MEASUREMENT_ON, CHECK_MEASUREMENT_OFF };

struct check_location {
    struct replay_location replay; /* frames are struct check_open */
    const struct omptape_definition *definition;
    struct check_process *process;
    bool is_other; /* location of a thread that neither OpenMP nor MPI knows */
    bool distinct; /* the archive guarantees distinct timestamps on this location */
    uint64_t events;
    uint64_t time;          /* time of the latest event */
    uint64_t previous_time; /* latest time before `time` */
    uint64_t open_regions;
    bool thread_begun; /* a ThreadBegin was seen, and no ThreadEnd since */
    enum check_measurement measurement;
    struct omptape_pairs transfers; /* (window, matching id) -> struct check_operation */

    /* Used by the deferred check. */
    struct replay_location teams; /* frames are struct check_membership */
    struct check_task *task;      /* explicit task that runs; NULL if an implicit one or none */
};

/* An event that is queued for the deferred check. */
struct check_deferred_event {
    struct check_place at;
    enum omptape_event_kind kind;
    uint64_t ref;    /* id of the comm or paradigm */
    uint32_t first;  /* creating thread, or lock id */
    uint32_t second; /* generation, or acquisition order */
    uint64_t forked; /* begin of the enclosing ThreadFork; UINT64_MAX if there is none */
};

/* A device event whose host operation has not been read yet: the device's clock may be slightly ahead. */
struct check_pending_event {
    struct check_place at;
    uint64_t operation;
    uint64_t host; /* host location that the event names; UINT64_MAX if it names none */
};

/* State of devices.c. */
struct check_devices {
    struct omptape_pairs hosts;  /* (process, operation) -> struct check_operation */
    struct omptape_pairs bounds; /* (0, location group) -> struct check_bound */
    /* (window, matching id) of device transfers -> definition of the location */
    struct omptape_pairs matches;
    struct check_pending_event *pending;
    uint32_t pending_count;
    uint32_t pending_capacity;
};

struct check {
    struct omptape_reader *reader;
    struct omptape_reader_progress *progress;
    FILE *out;
    struct check_place at; /* what is being checked; reports name it */
    unsigned limit;        /* maximum number of violations to print */
    bool quiet;
    unsigned violations;
    bool ended_early;    /* the program was killed: tasks, locks and transfers may be unfinished */
    bool is_own_archive; /* the archive is omptape's own: the rules of its mapping apply, too */
    bool gaps;           /* events are missing from here on: recording was paused or records were dropped */

    struct omptape_arena arena;
    struct omptape_pairs locations; /* (0, id) -> struct check_location */
    struct omptape_pairs processes; /* (0, location group) -> struct check_process */
    struct omptape_pairs teams;     /* (0, comm) -> struct check_team */
    struct omptape_pairs members;   /* (comm, location) -> struct check_member */
    struct omptape_pairs instances; /* (comm, number) -> struct check_instance */
    struct omptape_pairs tasks;     /* (comm and instance, thread and generation) -> struct check_task */
    struct omptape_pairs sums;      /* (location, metric member) -> last value of an accumulated metric */
    struct omptape_pairs locks;     /* (location group, paradigm and lock) -> struct check_lock */
    struct omptape_pairs lives;     /* (comm, number) -> struct check_life */
    struct check_location *last_location;
    struct check_devices devices;

    /* Queued events with the timestamp `items_time`, in order of arrival. */
    struct check_deferred_event *items;
    uint32_t item_count;
    uint32_t item_capacity;
    uint64_t items_time;

    struct { /* counters for the OK line, and samples */
        uint64_t events;
        uint64_t team_instances;
        uint64_t tasks;
        uint64_t acquisitions;
        uint64_t transfers;
        uint64_t markers;
        uint64_t samples;
    } seen;
};

static inline struct check_open *check_opened(const struct check_location *location, uint32_t index)
{
    return replay_frame_at(&location->replay, index, sizeof(struct check_open));
}

static inline struct check_membership *check_membership(const struct check_location *location, uint32_t index)
{
    return replay_frame_at(&location->teams, index, sizeof(struct check_membership));
}

/* report.c: printing of violations. */

/* Returns true if no further event should be read. */
bool check_stopped(const struct check *check);

/* Reports a violation of class `topic` at a place. */
void check_report_at(struct check *check, const char *topic, const struct check_place *place,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Reports a violation at check->at. */
void check_report(struct check *check, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { CHECK_LABEL_BYTES = 192 };

/* A text for use inside a report. */
struct check_label {
    char text[CHECK_LABEL_BYTES];
};

/* Returns `region 5 "!$omp parallel @a.c:7"` or `location 2 "OMP thread 2"`. */
struct check_label check_label(const struct check *check, enum omptape_definition_kind kind, uint64_t id);

/* definitions.c: Checks all definitions, before the events are read. */
void check_definitions(struct check *check);
/* Returns true if the reference is valid; reports it otherwise. `subject` names what refers to it, unless
 * that is the event itself (NULL). */
bool check_reference(struct check *check, const struct omptape_reference *reference, const char *subject);

/* events.c: Checks an event. Returns false to stop reading. */
bool check_event(void *check, const struct omptape_event *event);
/* Checks each location at the end: event counts, empty stacks, completed transfers. */
void check_locations_end(struct check *check);

/* nesting.c: the stack of open regions, forks and teams. */
void check_open(struct check_location *location, const struct omptape_event *event);
void check_close(struct check *check, struct check_location *location, const struct omptape_event *event);
void check_nesting_end(struct check *check, const struct check_location *location);

/* details.c: Checks for every event that its kind of location allows it. Metric locations and threads that
 * OpenMP does not know have only metrics. Such threads also have samples and events of lives. */
void check_event_allowed(struct check *check, const struct check_location *location,
                         const struct omptape_event *event);
/* details.c: Checks parameters, metrics, attributes, the program's ends, measurement on and off, flushes. */
void check_details(struct check *check, struct check_location *location, const struct omptape_event *event);
void check_attributes(struct check *check, const struct omptape_event *event);

/* operations.c: Checks RMA transfers. */
void check_transfer(struct check *check, struct check_location *location, const struct omptape_event *event);
void check_transfers_end(struct check *check, struct omptape_pairs *transfers);

/* operations.c: Checks IO_OPERATION and IO_COMPLETE, and reports operations that never completed. */
void check_io(struct check *check, struct check_location *location, const struct omptape_event *event);
void check_io_end(struct check *check, struct omptape_pairs *operations);

/* details.c: Checks COMM_CREATE and COMM_DESTROY. */
void check_comm_events(struct check *check, struct check_location *location,
                       const struct omptape_event *event);

/* lifetimes.c: Checks THREAD_CREATE to THREAD_END, and at the end which of them belong together. */
void check_lifetime(struct check *check, struct check_location *location, const struct omptape_event *event);
void check_lifetimes_end(struct check *check);

/* details.c: Checks SAMPLE. */
void check_sample(struct check *check, struct check_location *location, const struct omptape_event *event);
/* Checks the number of samples after the last event. */
void check_samples_end(struct check *check);

/* devices.c: Checks that host operations and device events agree. */
/* Called for every Enter with attributes. */
void check_devices_enter(struct check *check, struct check_location *location,
                         const struct omptape_event *event);
/* Called for every transfer and completion with valid references. */
void check_devices_transfer(struct check *check, const struct check_location *location,
                            const struct omptape_event *event);
/* Called for every metric event. */
void check_devices_metric(struct check *check, const struct check_location *location,
                          const struct omptape_event *event);
void check_devices_end(struct check *check);
void check_devices_free(struct check *check);

/* details.c: Checks markers. */
bool check_marker(void *check, const struct omptape_marker *marker);
void check_marker_definitions(struct check *check, size_t first);

/* order.c: Queues events for the deferred check, and runs it for all queued events of one timestamp. */
void check_queue(struct check *check, struct check_location *location, const struct omptape_event *event);
void check_run_deferred(struct check *check);

/* How well an event fits the current state. Among events of one timestamp the best fit is processed first. */
enum check_fit { CHECK_FITS, CHECK_FITS_LATER, CHECK_OVERLAPS, CHECK_BREAKS };

/* teams.c: teams and their instances. */
/* Returns the team of the comm that an event refers to. Creates it at its first use and reports problems of
 * its definition then. Returns NULL if out of memory. */
struct check_team *check_team(struct check *check, const struct check_deferred_event *item);
struct check_member *check_member(const struct check *check, const struct check_team *team,
                                  const struct check_location *location);
/* Returns true if one of the two locations is in a team that has the other as a member. */
bool check_in_same_team(const struct check *check, const struct check_location *one,
                        const struct check_location *other);
void check_team_begin(struct check *check, const struct check_deferred_event *item);
void check_team_end(struct check *check, const struct check_deferred_event *item);
void check_teams_end(struct check *check);

/* tasks.c: explicit tasks. */
enum check_fit check_task_fit(struct check *check, const struct check_deferred_event *item);
void check_task(struct check *check, const struct check_deferred_event *item);
/* Called when a member has left the instance; frees the instance after the last member. */
void check_instance_left(struct check *check, struct check_team *team, uint32_t number);
void check_tasks_end(struct check *check);

/* Removes a task from the location that executes it: it was completed, or its team ended. */
void check_task_detach(struct check_task *task);

/* locks.c: locks. */
enum check_fit check_lock_fit(struct check *check, const struct check_deferred_event *item);
void check_lock(struct check *check, const struct check_deferred_event *item);
void check_locks_end(struct check *check);
