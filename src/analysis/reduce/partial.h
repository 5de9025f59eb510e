/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serialises the sums of a pass (pass.h). Several processes, on one machine or on many, can therefore analyse
 * parts of an archive and add up the results. Every analysis works this way, also in one process. The result
 * is identical for all divisions and orders of parts.
 *
 * Keys are ids of definitions, so the sums are only valid for an archive with the same definitions. The
 * caller's `identity` identifies the archive and is compared when the bytes are read. Bytes of another
 * version are rejected. The bytes are not trusted. One thread.
 */
#pragma once

#include "src/analysis/reduce/pass.h"
#include "src/analysis/reduce/table.h"

struct omptape_partial {
    unsigned char *bytes; /* malloc'ed */
    size_t count;
};

/* Serialises an ended pass, or sums. Returns 0 or -ENOMEM. The caller frees the bytes in both cases. */
int omptape_partial_write(struct omptape_partial *partial, const struct analysis_state *pass,
                          uint64_t identity);

/* Adds a partial result to `sums`, a pass without events. Returns 0 or -ENOMEM; -ESTALE if the version or
 * the archive differs; -EBADMSG if the bytes are damaged. Returns -EEXIST if sums already contains one of
 * the processes. After -EBADMSG and -ENOMEM a part may have been added. `map`: of ids and times, or NULL. */
int omptape_partial_add(struct analysis_state *sums, const void *bytes, size_t count, uint64_t identity,
                        const struct omptape_partial_map *map);

/* Checks that the bytes are complete and belong to this version and archive. Returns the values of
 * omptape_partial_add, but adds nothing. */
int omptape_partial_check(const void *bytes, size_t count, uint64_t identity);

/* Returns a hash of the analysed data: the archive's definitions and the options. */
uint64_t omptape_partial_identity(const struct analysis_plan *plan);
