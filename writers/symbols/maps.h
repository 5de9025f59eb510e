/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Executable mappings of the traced process, from its /proc/PID/maps.
 */
#pragma once

#include "src/core/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_mapping {
    uint64_t start, end;
    uint64_t offset;  /* Offset of `start` in the file. */
    uint64_t inode;   /* Of the file; 0: unknown. */
    const char *path; /* Without " (deleted)"; also "[vdso]" and similar names; NULL: anonymous memory. */
    bool file;        /* True for a file that still has this path. */
    bool gone;        /* True if a loaded file's path was deleted, or got another file. */
    bool examined;    /* True if `runtime` is set; see runtime.h. */
    bool runtime;     /* True for an OpenMP runtime. */
    uint32_t code_id; /* Number of the code, from 1: the same number whenever the same code is there. */
};

/* Returns true if both are of one file, as far as known: another file may get the same path. */
static inline bool omptape_mapping_is_of(const struct omptape_mapping *mapping, const char *path,
                                         uint64_t inode)
{
    return mapping->path == path && (mapping->inode == inode || mapping->inode == 0 || inode == 0);
}

/* Sorted, without overlap. All zeros: empty. */
struct omptape_maps {
    struct omptape_mapping *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_mapping *former; /* Replaced mappings, each once, oldest first. */
    uint32_t former_count;
    uint32_t former_capacity;
    uint32_t last_code;
};

void omptape_maps_free(struct omptape_maps *maps);

/* Adds the executable mappings of the text. A new mapping replaces the overlapping part of older ones.
 * Skips invalid lines. `strings` stores the paths. Returns 0 or -ENOMEM. */
int omptape_maps_add(struct omptape_maps *maps, struct omptape_rows *strings, const char *text, size_t bytes);

/* Returns the mapping that contains the address, or NULL. Valid until the next add. */
const struct omptape_mapping *omptape_maps_find(const struct omptape_maps *maps, uint64_t address);

/* Returns the number of the code that is now at the address. 0 if it is the first there, or unknown. */
uint32_t omptape_maps_code(const struct omptape_maps *maps, uint64_t address);
/* Returns the mapping that contained the address when its code was `code`. For any other number, including
 * 0, returns the first one there. */
const struct omptape_mapping *omptape_maps_find_code(const struct omptape_maps *maps, uint64_t address,
                                                     uint32_t code);
