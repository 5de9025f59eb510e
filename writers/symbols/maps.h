/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The executable mappings of the traced process, as its /proc/PID/maps told them.
 */
#pragma once

#include "src/core/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_mapping {
    uint64_t start, end;
    uint64_t offset;  /* in the file, of `start` */
    const char *path; /* without " (deleted)"; "[vdso]" and the like too; NULL: anonymous memory */
    bool file;        /* a file that still has this path */
    bool examined;    /* `runtime` is known: see runtime.h */
    bool runtime;     /* of an OpenMP runtime */
    uint32_t code;    /* which code this is: the same number whenever it is there, from 1 on */
};

/* All zero: no mapping. Ascending, without overlap. */
struct omptape_maps {
    struct omptape_mapping *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_mapping *former; /* where other code has been since: each once, the oldest first */
    uint32_t former_count;
    uint32_t former_capacity;
    uint32_t last_code;
};

void omptape_maps_free(struct omptape_maps *maps);

/* Adds the executable mappings of the text. Where a new one overlaps an older one it replaces that part of
 * it. Lines that make no sense are passed over. Paths go to `strings`. 0 or -ENOMEM. */
int omptape_maps_add(struct omptape_maps *maps, struct omptape_rows *strings, const char *text, size_t bytes);

/* The mapping that holds the address, or NULL. Valid until the next add. */
const struct omptape_mapping *omptape_maps_find(const struct omptape_maps *maps, uint64_t address);

/* The number of the code that is at the address now; 0 if it is what was there first, or nothing is known. */
uint32_t omptape_maps_code(const struct omptape_maps *maps, uint64_t address);
/* The mapping that held the address when its code was `code`. Any other code, 0 too: what was there first. */
const struct omptape_mapping *omptape_maps_find_code(const struct omptape_maps *maps, uint64_t address,
                                                     uint32_t code);
