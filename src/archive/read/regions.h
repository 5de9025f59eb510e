/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the names of regions and locations: the kind of a region's construct and its call site. Regions are
 * parsed once, when the archive is opened. No other file parses these names.
 *
 * Names are described in docs/mapping.md: "!$omp for @solver.c:112". Regions of other tools (Score-P) get
 * their kind from the role and have no site.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/core/store.h"

struct omptape_definition;
struct omptape_event;
struct omptape_reader;

/* A parsed region. All texts live as long as the reader. */
struct reader_region {
    enum omptape_region_kind kind; /* OMPTAPE_REGION_KIND_COUNT: not a construct known to omptape */
    bool is_directive;             /* the name starts with "!$omp " */
    int construct_bytes;           /* length of the label without the site: "for" */
    const char *label;             /* name without "!$omp ": "for @solver.c:112" */
    const char *site;              /* "solver.c:112"; NULL: no site */
};

/* Sets `region` of a region's definition, whose name must be defined. Returns false if out of memory. */
bool omptape_reader_parse_region(struct omptape_reader *reader, struct omptape_definition *definition);

/* Returns true for a thread that neither OpenMP nor MPI knows. */
bool omptape_location_is_other(const struct omptape_reader *reader,
                               const struct omptape_definition *location);

/* Returns true for a thread of a process that OpenMP or MPI knows, false for a device's stream. */
bool omptape_location_is_thread(const struct omptape_reader *reader,
                                const struct omptape_definition *location);

/* Returns the location group of the location's device, or NULL. */
const struct omptape_definition *omptape_location_device(const struct omptape_reader *reader,
                                                         const struct omptape_definition *location);

/* Returns true for a thread that OpenMP or MPI knows and that the runtime did not create for teams. */
bool omptape_location_is_initial(const struct omptape_reader *reader,
                                 const struct omptape_definition *location);

/* Returns the region of the call site that the event enters, or else the function's region. */
uint64_t omptape_event_call_region(const struct omptape_reader *reader, const struct omptape_event *event);
