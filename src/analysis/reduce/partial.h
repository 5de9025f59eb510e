/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sums of a pass (pass.h) as bytes. So several processes, on one machine or on many, can read the
 * processes of an archive apart, and the sums can be added up. Every analysis goes this way, also in one
 * process. The result is the same to the bit, whatever the parts and their order.
 *
 * Keys are ids of definitions, so only an archive with the same definitions can use the sums. The caller's
 * `identity` says which archive it is, and is compared when the bytes are read. Bytes of another version are
 * refused. Nothing in them is trusted. One thread.
 */
#pragma once

#include "src/analysis/reduce/pass.h"
#include "src/analysis/reduce/table.h"

struct omptape_partial {
    unsigned char *bytes; /* malloc'ed */
    size_t count;
};

/* Of a pass that was ended, or of sums. 0 or -ENOMEM. The caller frees the bytes in either case. */
int omptape_partial_write(struct omptape_partial *partial, const struct analysis_state *pass,
                          uint64_t identity);

/* Adds it to `sums`, a pass that is not fed with events. 0; -ESTALE: it is of another version, or of another
 * archive; -EBADMSG: it is damaged; -EEXIST: sums has one of its processes already; -ENOMEM. Of -EBADMSG and
 * -ENOMEM sums may have got a part. */
int omptape_partial_add(struct analysis_state *sums, const void *bytes, size_t count, uint64_t identity);

/* The same with a map, or NULL. */
int omptape_partial_add_mapped(struct analysis_state *sums, const void *bytes, size_t count,
                               uint64_t identity, const struct omptape_partial_map *map);

/* Is it whole, and of this version and archive? As omptape_partial_add, and nothing is added. */
int omptape_partial_check(const void *bytes, size_t count, uint64_t identity);

/* A number for what is looked at: the archive's definitions and the options. */
uint64_t omptape_partial_identity(const struct analysis_plan *plan);
