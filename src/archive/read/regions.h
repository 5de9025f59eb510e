/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a region is: the kind of its construct and its call site. Both are parsed from its name and role once,
 * when the archive is opened. Also what a location is. Nobody else parses names for that.
 *
 * Names are as docs/mapping.md has them: "!$omp for @solver.c:112". Regions of other tools (Score-P) have
 * their kind from the role and no site.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/core/store.h"

struct omptape_definition;
struct omptape_event;
struct omptape_reader;

/* All texts live as long as the reader. */
struct reader_region {
    enum omptape_region_kind kind; /* OMPTAPE_REGION_KIND_COUNT: no construct that omptape knows */
    bool is_directive;             /* the name began with "!$omp " */
    int construct_bytes;           /* length of the label without the site: "for" */
    const char *label;             /* the name without "!$omp ": "for @solver.c:112" */
    const char *site;              /* "solver.c:112"; NULL: the name has none */
};

/* Sets the `region` of the definition of a region, whose name is defined already. False: no memory. */
bool omptape_reader_parse_region(struct omptape_reader *reader, struct omptape_definition *definition);

/* Is it a thread that neither OpenMP nor MPI knows? */
bool omptape_location_is_other(const struct omptape_reader *reader,
                               const struct omptape_definition *location);

/* Is it a thread of a process that OpenMP or MPI knows, and no device's stream? */
bool omptape_location_is_thread(const struct omptape_reader *reader,
                                const struct omptape_definition *location);

/* The location group of the device that the location is of; NULL: of none. */
const struct omptape_definition *omptape_location_device(const struct omptape_reader *reader,
                                                         const struct omptape_definition *location);

/* Of a thread: is it none that the runtime made for teams, and one that OpenMP or MPI knows? */
bool omptape_location_is_initial(const struct omptape_reader *reader,
                                 const struct omptape_definition *location);

/* The region that stands for the call that this event enters; the function's where none is told. */
uint64_t omptape_event_call_region(const struct omptape_reader *reader, const struct omptape_event *event);
