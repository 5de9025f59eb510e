/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's communicators, as the program's records tell of them: their numbers in the archive while it streams,
 * their definitions at its end. Members are ranks in MPI_COMM_WORLD, which are places in the list of MPI's
 * locations. Of this list a process knows one place, its own; unification brings the others
 * (docs/mapping.md). Behind them are places for the processes of other worlds.
 */
#pragma once

#include "writers/state/writer.h"
#include "writers/translate/translator.h"

/* Members that are as far apart as each other. */
struct omptape_mpi_run {
    uint32_t first;
    uint32_t count;
    int64_t step;
};

struct omptape_communicator {
    bool known;
    bool refused;   /* there is no room for its members' places, nor for those of what is made of it */
    unsigned flags; /* enum omptape_mpi_comm_flags */
    uint64_t identity;
    uint32_t parent; /* number; UINT32_MAX: none */
    uint32_t rank;
    uint32_t size;
    OTF2_CommRef comm;
    struct omptape_mpi_run *runs;
    uint32_t run_count;
    uint32_t run_capacity;
    uint32_t meeting; /* of one by which other worlds' processes came in: its place in the list of these */
};

/* What this side knows of a meeting with processes of another world. */
struct omptape_comm_meeting {
    uint32_t number;   /* the communicator's; its parent's processes are this side */
    uint64_t identity; /* of this side's part in it */
    uint32_t remote;   /* processes on the other side, */
    uint32_t before;   /* and of those in meetings before it */
    unsigned way;      /* enum omptape_mpi_way */
    bool first;        /* this side's ranks come before the other one's */
    bool root;
    uint64_t name;
    uint64_t begin; /* of the call, and its end */
    uint64_t end;
};

/* Receives that have a request: whether one may have been complete before another that was posted earlier. */
struct omptape_mpi_receives {
    uint64_t open;       /* posted, and not complete; those that were cancelled, too */
    uint64_t last;       /* that was posted; 0: none */
    uint64_t newest;     /* the latest of them that is complete */
    bool of_several;     /* threads: how they come after each other their numbers do not say */
    uint64_t overtaking; /* receives that were, or may have been */
};

struct omptape_communicators {
    struct omptape_communicator *list; /* by the program's numbers */
    uint32_t count;
    uint32_t capacity;
    struct omptape_communicator
        *groups; /* of processes, by the program's numbers; `comm`: which it came as */
    uint32_t group_numbers;
    uint32_t group_capacity;
    uint32_t *group_order; /* numbers, as they came */
    uint32_t group_count;
    uint32_t order_capacity;
    struct omptape_comm_meeting *meetings; /* as they came */
    uint32_t meeting_count;
    uint32_t meeting_capacity;
    bool called; /* functions of MPI's were, maybe without a communicator that is known */
    struct omptape_mpi_receives receives;
};

void omptape_communicators_free(struct omptape_writer *writer);

/* A communicator or a group came, or more of its members. */
omptape_translator omptape_mpi_translate_communicator;

/* The one of this number; NULL: it is not known. */
const struct omptape_communicator *omptape_communicators_get(const struct omptape_writer *writer,
                                                             uint64_t number);
/* How many processes of other worlds there are, as far as meetings know any. */
uint32_t omptape_communicators_elsewhere(const struct omptape_communicators *all);

/* The archive's number of one that has this rank; OTF2_UNDEFINED_COMM: it is not known. */
OTF2_CommRef omptape_communicators_find(const struct omptape_writer *writer, uint64_t number, uint32_t rank);

/* Are there events of its begin and its end? False: also if it is not known. */
bool omptape_communicators_have_life(const struct omptape_writer *writer, uint64_t number);

/* Did the program initialise MPI? */
bool omptape_communicators_are_used(const struct omptape_writer *writer);

/* Groups that are no communicators: events number them from 0 on, which local definitions map.
 * OTF2_UNDEFINED_GROUP: it is not known. */
OTF2_GroupRef omptape_communicators_find_group(const struct omptape_writer *writer, uint64_t number);
uint32_t omptape_communicators_group_count(const struct omptape_writer *writer);

/* The list of locations, before all others, as this group; */
void omptape_communicators_write_list(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                      OTF2_GroupRef group);
/* the communicator of this number, with its group. */
void omptape_communicators_write(struct omptape_writer *writer, OTF2_GlobalDefWriter *out, uint64_t number,
                                 OTF2_GroupRef group);
/* What is known of the meetings, as properties of the process's location group. */
void omptape_communicators_write_meetings(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                          OTF2_LocationGroupRef process);
/* The groups that are no communicators, the first with this number. */
void omptape_communicators_write_groups(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                        OTF2_GroupRef first);
