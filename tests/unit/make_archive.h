/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds small OTF2 archives, good and broken ones, for the unit tests of `omptape check` and `omptape info`.
 * Used by tests/unit/command/test_check.c on its only thread.
 *
 * Every archive has the same definitions. Locations: 0 to 2 are threads of one process, 3 is a stream of a
 * device. Regions: 0 "main", 1 "!$omp parallel @a.c:10", 2 "!$omp implicit barrier @a.c:20", 3 "!$omp task
 * @a.c:15", 4 "!$omp critical @a.c:17", 5 "kernel". Comms: 0 is the team of locations {0, 1}, 1 of {0, 1, 2},
 * 2 of {1} inside comm 1, 3 (CUDA) of {0, 3}. RMA window 0 is of comm 3. Attributes: 0 "iterations" (uint64),
 * 1 "schedule" (string), 2 "operation id" (uint64), 3 "host thread" (location). Parameters: 0 "schedule"
 * (string), 1 "iterations" (uint64). Metric class 0 has one uint64 member. Strings 0 to MAKE_STRINGS - 1,
 * location groups 0 and 1, system tree nodes 0 and 1, groups 0 to 5, metric member 0 exist too.
 */
#pragma once

#include <otf2/otf2.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    MAKE_LOCATIONS = 4,
    MAKE_STRINGS = 32, /* ids below this are the builder's; what `more` adds comes after */
    MAKE_EMPTY_STRING = 0,
    MAKE_SOME_STRING = 1,
    MAKE_CLOCK_OFFSET = 100, /* events lie between 100... */
    MAKE_CLOCK_LENGTH = 900, /* ...and 1000 */
};

struct make_plan {
    /* Events, one a line, each location's by time: "LOCATION TIME KIND [NUMBER ...]". Kinds:
     *   enter REGION, leave REGION, fork THREADS, join, team COMM, endteam COMM,
     *   create COMM THREAD GENERATION, switch (the same), complete (the same),
     *   send RANK COMM TAG BYTES, receive (the same), isend RANK COMM TAG BYTES REQUEST, ireceive (the same),
     *   sent REQUEST, posted REQUEST, cancelled REQUEST, collective OPERATION COMM ROOT SENT RECEIVED,
     *   begun REQUEST, ended OPERATION COMM ROOT REQUEST (collective operations that do not block),
     *   fence WINDOW, group WINDOW GROUP, lock WINDOW RANK TYPE, unlock WINDOW RANK,
     *   acquire LOCK ORDER, release LOCK ORDER, program, endprogram, on, off, flush STOP, sample CONTEXT,
     * metric METRIC VALUE [VALUE [VALUE VALUE [VALUE]]] (the fourth one twice), counted METRIC VALUE VALUE
     * [VALUE [VALUE]], value METRIC [VALUE] (a double; without it infinite), string PARAMETER STRING,
     * unsigned PARAMETER VALUE, put WINDOW REMOTE BYTES ID, get (the same), done WINDOW ID, atomic WINDOW
     * REMOTE SENT RECEIVED ID, remote WINDOW ID, io MODE ID BYTES FLAGS, iodone ID BYTES, open, close (of a
     * file, the handle 0), made COMM, freed COMM, uint ATTRIBUTE VALUE, text ATTRIBUTE STRING, place
     * ATTRIBUTE LOCATION, region ATTRIBUTE REGION (these: an attribute of this location's next event), marker
     * DEFINITION SCOPE SCOPE_ID DURATION (location: not looked at), defmarker DEFINITION. */
    const char *events;
    const char *end;                            /* value of the property OMPTAPE::END, or NULL: none */
    const char *dropped;                        /* value of the property OMPTAPE::DROPPED, or NULL: none */
    void (*more)(OTF2_GlobalDefWriter *writer); /* writes further definitions, or NULL */
    void (*properties)(OTF2_Archive *archive);  /* sets further properties, or NULL */
    bool no_clock;
    unsigned initial;          /* a bit for each location that is an initial thread, beside 0 */
    bool two_processes;        /* location 2 is the thread of another one: location group 2 */
    bool four_processes;       /* each location is the thread of one: location groups 0, 3, 4 and 5 */
    bool no_local_definitions; /* of location 1 */
    uint64_t extra_events;     /* that location 1's definition claims beyond those it has */
};

/* Writes the archive DIRECTORY/traces.otf2; aborts on any error of libotf2. The directory must exist. */
void make_archive(const char *directory, const struct make_plan *plan);

/* Replaces the only place in the file where these bytes stand; aborts if there is none or more than one. */
void make_patch(const char *directory, const char *file, const void *from, const void *to, size_t bytes);

/* Parts of the builder. Abort, saying what went wrong. */
void make_must(bool good, const char *what);
void make_succeed(OTF2_ErrorCode code);

/* Write the script's events and its markers; counts[location] tells how many events. */
void make_events(OTF2_Archive *archive, const char *script, uint64_t *counts);
void make_markers(OTF2_Archive *archive, const char *script);
