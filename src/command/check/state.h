/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of `omptape check` share: the state of one run over an archive. All of it runs on the one
 * thread of the child process that check.c starts.
 *
 * Every event is looked at twice. First as it comes, with what its own location says (time, nesting,
 * references: events.c). What depends on other locations (teams, tasks, locks) then waits until all
 * events of the same time stamp are known, because their true order is not (order.c).
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/replay/replay.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { OMPTAPE_CHECK_LIST_LIMIT = 100 };

/* What is open on a location, innermost last: regions, calling contexts, forks and teams in one stack. */
struct check_open {
    struct replay_frame replay;   /* its region is that, or the calling context, comm or paradigm */
    enum omptape_event_kind kind; /* the event that opened it */
    enum omptape_definition_kind definition;
    uint64_t number; /* of that event on its location */
};

/* One task that is created and not completed. */
struct check_task {
    struct check_instance *instance;
    uint32_t thread;
    uint32_t generation;
    struct check_location *runner; /* where it runs now; NULL: nowhere */
    const struct check_location *creator;
    uint64_t created_time;
    uint64_t created_number;
};

/* One instance of a team in which tasks were created: generation numbers restart with each. */
struct check_instance {
    struct check_team *team;
    struct check_instance *older; /* of the same team */
    uint32_t number;              /* 0: before the location's first ThreadTeamBegin with this comm */
    uint32_t ended;               /* members that have left it */
    uint64_t live;                /* tasks */
    uint32_t last_generation[];   /* of each creating thread */
};

struct check_member {
    uint64_t location;
    uint32_t rank;
    uint32_t begins;
    uint32_t ends;
};

/* A comm that thread or task events name. */
struct check_team {
    uint64_t comm;
    bool usable; /* its group could be read */
    uint32_t size;
    uint32_t member_count;
    uint32_t begins;     /* the most that a member has, */
    uint64_t first_time; /* ...and where and when the first of these began the instance */
    const struct check_location *first_location;
    struct check_member *members;
    struct check_instance *newest;
};

/* A team that a location is in, as the second look at the events sees it. */
struct check_inside {
    struct replay_frame replay; /* its region is the comm */
    struct check_team *team;
    uint32_t instance;
    struct check_task *outer_task; /* what ran on the location when it entered the team */
};

/* The process (location group) of a location. */
struct check_process {
    bool begun;
    bool ended;
    struct omptape_pairs transfers; /* of MPI's windows, as a location has them */
    struct omptape_pairs io;        /* (handle, matching id) -> struct check_operation */
    struct omptape_pairs lives;     /* (0, comm) -> bool: it was made, and is not freed */
};

enum check_measurement { CHECK_MEASUREMENT_UNSAID, CHECK_MEASUREMENT_ON, CHECK_MEASUREMENT_OFF };

struct check_location {
    struct replay_location replay; /* of struct check_open */
    const struct omptape_definition *definition;
    struct check_process *process;
    bool is_other; /* it is of a thread that neither OpenMP nor MPI knows */
    bool distinct; /* the archive promises that no two of its events share a time */
    uint64_t events;
    uint64_t time;          /* of the latest event */
    uint64_t previous_time; /* the latest one before that */
    uint64_t open_regions;
    enum check_measurement measurement;
    struct omptape_pairs transfers; /* (window, matching id) -> struct check_operation */

    /* Of the second look. */
    struct replay_location teams; /* of struct check_inside */
    struct check_task *task;      /* the explicit task that runs; NULL: an implicit one, or none */
};

/* An event that waits for its second look. */
struct check_item {
    struct check_location *location;
    enum omptape_event_kind kind;
    const char *name;
    uint64_t number; /* of the event on its location, from 1 */
    uint64_t time;
    uint64_t ref;    /* comm or paradigm */
    uint32_t first;  /* creating thread or lock id */
    uint32_t second; /* generation or acquisition order */
    uint64_t forked; /* the time of the ThreadFork that it is within; UINT64_MAX: it is in none */
};

/* A device's event whose host operation has not been seen yet: its clock may be a little ahead. */
struct check_caused {
    struct check_location *location;
    uint64_t number; /* of the event on its location */
    uint64_t time;
    uint64_t operation;
    uint64_t host; /* location; UINT64_MAX: it names none */
};

/* What devices.c knows. */
struct check_devices {
    struct omptape_pairs hosts;  /* (process, operation) -> struct check_operation */
    struct omptape_pairs bounds; /* (0, location group) -> struct check_bound */
    /* (window, matching id) of devices' transfers -> the location's definition */
    struct omptape_pairs matches;
    struct check_caused *waiting;
    uint32_t waiting_count;
    uint32_t waiting_room;
};

struct omptape_check {
    struct omptape_reader *reader;
    FILE *out;
    unsigned limit; /* stop after so many violations */
    bool quiet;
    unsigned violations;
    bool ended_early; /* the program did not end by itself: tasks, locks and transfers may be unfinished */
    bool promised;    /* the archive is omptape's own: rules of its mapping hold as well */
    bool gaps;        /* from here on something was not recorded: pause, or dropped records */

    struct omptape_arena arena;
    struct omptape_pairs locations; /* (0, id) -> struct check_location */
    struct omptape_pairs processes; /* (0, location group) -> struct check_process */
    struct omptape_pairs teams;     /* (0, comm) -> struct check_team */
    struct omptape_pairs members;   /* (comm, location) -> struct check_member */
    struct omptape_pairs instances; /* (comm, number) -> struct check_instance */
    struct omptape_pairs tasks;     /* (comm and instance, thread and generation) -> struct check_task */
    struct omptape_pairs sums;      /* (location, metric member) -> its last value, if it can only grow */
    struct omptape_pairs locks;     /* (location group, paradigm and lock) -> struct check_lock */
    struct check_location *last_location;
    struct check_devices devices;

    struct check_item *items; /* events of the time stamp `items_time`, in the order they came */
    uint32_t item_count;
    uint32_t item_room;
    uint64_t items_time;

    struct { /* what the OK line says, and samples */
        uint64_t events;
        uint64_t team_instances;
        uint64_t tasks;
        uint64_t acquisitions;
        uint64_t transfers;
        uint64_t markers;
        uint64_t samples;
    } seen;
};

static inline struct check_open *omptape_check_opened(const struct check_location *location, uint32_t index)
{
    return replay_frame_at(&location->replay, index, sizeof(struct check_open));
}

static inline struct check_inside *omptape_check_inside(const struct check_location *location, uint32_t index)
{
    return replay_frame_at(&location->teams, index, sizeof(struct check_inside));
}

/* report.c */

/* True once no further event should be read. */
bool omptape_check_stopped(const struct omptape_check *check);

/* Reports a violation of class `topic` in the definitions or the archive as a whole, ... */
void omptape_check_report(struct omptape_check *check, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* ...at an event, ... */
void omptape_check_report_at(struct omptape_check *check, const char *topic,
                             const struct check_location *location, uint64_t number, uint64_t time,
                             const char *format, ...) __attribute__((format(printf, 6, 7)));
/* ...at one that is looked at as it comes, or for the second time: what is said begins with its name, ... */
void omptape_check_report_event(struct omptape_check *check, const char *topic,
                                const struct check_location *location, const struct omptape_event *event,
                                const char *format, ...) __attribute__((format(printf, 5, 6)));
void omptape_check_report_item(struct omptape_check *check, const char *topic, const struct check_item *item,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
/* ...or at the end of a location's events. */
void omptape_check_report_end(struct omptape_check *check, const char *topic,
                              const struct check_location *location, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

enum { OMPTAPE_CHECK_LABEL_BYTES = 192 };

/* A text made for use inside a report. */
struct check_label {
    char text[OMPTAPE_CHECK_LABEL_BYTES];
};

/* `region 5 "!$omp parallel @a.c:7"`, `location 2 "OMP thread 2"`. */
struct check_label omptape_check_label(const struct omptape_check *check, enum omptape_definition_kind kind,
                                       uint64_t id);

/* definitions.c: everything that can be said before the events are read. */
void omptape_check_definitions(struct omptape_check *check);
/* Reports a reference that is undefined or names nothing. `subject` says whose it is. True if it is good. */
bool omptape_check_reference(struct omptape_check *check, const struct omptape_reference *reference,
                             const struct check_location *location, uint64_t number, uint64_t time,
                             const char *subject);

/* events.c: the first look. False: stop reading. */
bool omptape_check_event(void *check, const struct omptape_event *event);
/* What must hold when all events are read: counts, empty stacks, finished transfers. */
void omptape_check_locations_end(struct omptape_check *check);

/* nesting.c: the open stack. */
void omptape_check_open(struct check_location *location, const struct omptape_event *event);
void omptape_check_close(struct omptape_check *check, struct check_location *location,
                         const struct omptape_event *event);
void omptape_check_nesting_end(struct omptape_check *check, const struct check_location *location);

/* details.c: devices' memory, and threads that OpenMP does not know: for every event. Older archives have
 * such threads as metrics. */
void omptape_check_place(struct omptape_check *check, const struct check_location *location,
                         const struct omptape_event *event);
/* details.c: parameters, metrics, attributes, program begin and end, measurement on and off, flushes.
 */
void omptape_check_details(struct omptape_check *check, struct check_location *location,
                           const struct omptape_event *event);
void omptape_check_attributes(struct omptape_check *check, const struct check_location *location,
                              const struct omptape_event *event);

/* operations.c: transfers (RMA). */
void omptape_check_transfer(struct omptape_check *check, struct check_location *location,
                            const struct omptape_event *event);
void omptape_check_transfers_end(struct omptape_check *check, struct omptape_pairs *transfers);

/* operations.c: IO_OPERATION, IO_COMPLETE; and what has no end. */
void omptape_check_io(struct omptape_check *check, struct check_location *location,
                      const struct omptape_event *event);
void omptape_check_io_end(struct omptape_check *check, struct omptape_pairs *operations);

/* details.c: COMM_CREATE, COMM_DESTROY. */
void omptape_check_life(struct omptape_check *check, struct check_location *location,
                        const struct omptape_event *event);

/* details.c: SAMPLE. */
void omptape_check_sample(struct omptape_check *check, struct check_location *location,
                          const struct omptape_event *event);
/* All events are known. */
void omptape_check_samples_end(struct omptape_check *check);

/* devices.c: what the host's operations and the devices' events say of each other. */
/* For every Enter with attributes. */
void omptape_check_devices_enter(struct omptape_check *check, struct check_location *location,
                                 const struct omptape_event *event);
/* For every transfer and completion, once its references are good. */
void omptape_check_devices_transfer(struct omptape_check *check, const struct check_location *location,
                                    const struct omptape_event *event);
/* For every metric event. */
void omptape_check_devices_metric(struct omptape_check *check, const struct check_location *location,
                                  const struct omptape_event *event);
void omptape_check_devices_end(struct omptape_check *check);
void omptape_check_devices_free(struct omptape_check *check);

/* details.c: markers. */
bool omptape_check_marker(void *check, const struct omptape_marker *marker);
void omptape_check_marker_definitions(struct omptape_check *check, size_t first);

/* order.c: what waits for the second look, and the second look at all of one time stamp. */
void omptape_check_queue(struct omptape_check *check, struct check_location *location,
                         const struct omptape_event *event);
void omptape_check_settle(struct omptape_check *check);

/* How well an event fits what is known now: events of one time stamp are taken best first. */
enum check_fit { CHECK_FITS, CHECK_FITS_LATER, CHECK_OVERLAPS, CHECK_BREAKS };

/* teams.c */
/* The team of the comm that an event names: built at its first use (problems of its definition are reported
 * then); NULL without memory. */
struct check_team *omptape_check_team(struct omptape_check *check, const struct check_item *item);
struct check_member *omptape_check_member(const struct omptape_check *check, const struct check_team *team,
                                          const struct check_location *location);
/* True if some team that one of them is in has the other as a member. */
bool omptape_check_share_team(const struct omptape_check *check, const struct check_location *one,
                              const struct check_location *other);
void omptape_check_team_begin(struct omptape_check *check, const struct check_item *item);
void omptape_check_team_end(struct omptape_check *check, const struct check_item *item);
void omptape_check_teams_end(struct omptape_check *check);

/* tasks.c */
enum check_fit omptape_check_task_fit(struct omptape_check *check, const struct check_item *item);
void omptape_check_task(struct omptape_check *check, const struct check_item *item);
/* A member left the instance: forgets it when it was the last. */
void omptape_check_instance_left(struct omptape_check *check, struct check_team *team, uint32_t number);
void omptape_check_tasks_end(struct omptape_check *check);

/* A task's place on a location is gone: it was completed, or its team ended. */
void omptape_check_task_off(struct check_task *task);

/* locks.c */
enum check_fit omptape_check_lock_fit(struct omptape_check *check, const struct check_item *item);
void omptape_check_lock(struct omptape_check *check, const struct check_item *item);
void omptape_check_locks_end(struct omptape_check *check);
