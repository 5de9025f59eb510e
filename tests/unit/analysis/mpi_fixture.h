/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two processes of MPI and what the analysis says of them, for the unit tests of who waits for whom: archives
 * are made by tests/unit/make_archive.h in the folder of tests/unit/check_harness.h. One thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "tests/unit/check_harness.h"

/* Regions beyond the builder's, and a communicator of both processes: location 0 is rank 0, 2 is rank 1. */
enum {
    SEND = 6,
    RECV,
    ISEND,
    IRECV,
    WAIT,
    COLLECTIVE,
    POSTED, /* 12 */
    FENCE,
    POST, /* 14 */
    START,
    COMPLETE,
    WIN_WAIT, /* 17 */
    LOCK,
    UNLOCK,
    PLACE, /* 20 */
    MPROBE,
    MRECV, /* 22 */
    IMRECV,
    FLUSH, /* 24 */
    TEST,
    IPROBE, /* 26 */
    SENDRECV,
    FILE_WRITE, /* 28 */
    FILE_CLOSE,
    INIT, /* 30 */
    FINALIZE,
    COMM_DUP, /* 32 */
    FILE_OPEN,
    PUT, /* 34 */
    WIN_ALLOCATE_C,
    FETCH_AND_OP, /* 36 */
    COMM_SPAWN,
    FUNCTIONS
};
enum { CALL_SITE = 4, CALLS }; /* attributes */
/* Of both; and the groups of one. */
#define COMM "4"
#define WINDOW "1"
#define RANK_0 "8"
#define RANK_1 "9"
#define NO_ROOT "4294967295"
#define THIS_GROUP "4294967293"

/* Definitions beyond the builder's. */
void mpi_fixture_define(OTF2_GlobalDefWriter *writer);

/* Of the last archive that was analysed. */
extern struct omptape_reader *mpi_fixture_reader;
extern struct omptape_analysis *mpi_fixture_analysis;

/* Of the archives that are made from now on: the processors that the processes might run on; NULL: not known.
 */
extern const char *mpi_fixture_allowed;

/* Of the archives that are made from now on: each location is a process. */
extern bool mpi_fixture_four;

/* Of the archives that are made from now on: how often each process opens a file, and names of files. */
extern unsigned mpi_fixture_handles;
extern unsigned mpi_fixture_files;

/* Makes an archive and analyses what lies between; `dropped` as in struct make_plan. */
void mpi_fixture_analyse_from(const char *events, const char *dropped, uint64_t from, uint64_t to);
void mpi_fixture_analyse(const char *events);
void mpi_fixture_close(void);

/* How long others were waited for in calls of this name; 0 if there is none. */
uint64_t mpi_fixture_waited_in(const char *function);

/* The finding of this kind says all of these; fails otherwise. */
void mpi_fixture_expect(enum omptape_finding_kind kind, const char *function, uint64_t waited,
                        const char *text);
/* The first finding of the kind has a proposal with this text. */
void mpi_fixture_proposes(enum omptape_finding_kind kind, const char *text);
