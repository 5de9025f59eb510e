/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a region is: the kind of its construct and its call site, read from its name and role once, when the
 * archive is opened. Nobody else reads a region's name for that.
 *
 * Names are as docs/mapping.md has them: "!$omp for @solver.c:112". Regions of other tools (Score-P) have
 * their kind from the role and no site.
 */
#ifndef OMPTAPE_READER_REGIONS_H
#define OMPTAPE_READER_REGIONS_H

#include "src/core/constructs.h"
#include "src/core/store.h"

struct omptape_definition;
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

#endif
