/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of host operations, and of the target regions that they belong to. Knows nothing of devices but
 * their numbers.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/core/hash.h"

#include <stdbool.h>

/* Which host operation a CUDA activity belongs to: CUPTI explains its correlation ids in records of their
 * own, before the activities or after them. The newest explanations are remembered. */
/* As many as there may be operations that wait for their records (operations.c). */
enum { OMPTAPE_MOST_CORRELATIONS = 1 << 20 };

/* All zero: none. */
struct omptape_correlations {
    struct omptape_hash operations; /* by correlation id */
    uint64_t *ring;                 /* correlation ids, the oldest at `next` once it is full */
    uint32_t count;
    uint32_t capacity;
    uint32_t next;
};

/* Neither is 0. */
void omptape_correlations_put(struct omptape_correlations *correlations, uint64_t correlation,
                              uint64_t operation);
/* The operation's identity; 0: not known, or not any more. */
uint64_t omptape_correlations_get(const struct omptape_correlations *correlations, uint64_t correlation);
void omptape_correlations_free(struct omptape_correlations *correlations);

struct omptape_location;

/* A target construct on the host that has not ended yet: its operations get these. */
struct omptape_target {
    uint64_t task;
    uint64_t site;
    int32_t device;
};

/* A data operation or a kernel's submission as the host told it (target_data_op, target_submit). */
struct omptape_operation {
    uint64_t id;
    uint64_t target; /* id of its target region, 0: none */
    uint64_t task;   /* id of the target's task, or of the one that met the construct */
    uint64_t site;
    uint64_t begin; /* host ticks */
    uint64_t end;   /* 0: not over yet */
    uint64_t bytes;
    uint64_t source_address;
    uint64_t destination_address;
    struct omptape_location *host; /* the thread's */
    int32_t device;                /* on whose timeline it belongs */
    int32_t peer;                  /* a copy's other side; the host's number or another device */
    uint32_t requested;            /* teams */
    enum omptape_region_kind kind; /* on the device */
    uint32_t users;                /* intervals that point to it */
    uint8_t type;                  /* ompt_target_data_op_t; 0: a submission */
    bool hidden;                   /* the host's event is not shown, so neither is the device's */
    bool in_table;                 /* records may still come */
    bool settled;                  /* ...but none will: nobody but the host tells of it */
    bool matched;                  /* a device record came for it; times of the first, in device time: */
    uint64_t matched_begin;
    uint64_t matched_end;
    struct omptape_operation *next_of_target; /* in the table; the last of them is known to the first: */
    struct omptape_operation *last_of_target;
};

/* All zero: none. */
struct omptape_operations {
    struct omptape_hash targets; /* open ones */
    struct omptape_hash by_id;
    struct omptape_hash by_target;    /* the first in the table of each target region */
    struct omptape_operation **queue; /* those in the table, the oldest first: at [begin, end) */
    uint32_t begin;
    uint32_t end;
    uint32_t capacity;
    struct omptape_correlations correlations;
};

void omptape_operations_begin_target(struct omptape_operations *operations, uint64_t id,
                                     const struct omptape_target *target);
void omptape_operations_end_target(struct omptape_operations *operations, uint64_t id);
/* NULL: it is not open. */
const struct omptape_target *omptape_operations_target(const struct omptape_operations *operations,
                                                       uint64_t id);

/* Takes a copy of `model` into the table. NULL: out of memory. */
struct omptape_operation *omptape_operations_add(struct omptape_operations *operations,
                                                 const struct omptape_operation *model);
/* Takes the oldest out of the table, if it holds too many or `all` are to go; NULL: it does not. The caller
 * releases it. */
struct omptape_operation *omptape_operations_take_oldest(struct omptape_operations *operations, bool all);

/* NULL: never seen, or too old. */
struct omptape_operation *omptape_operations_find(const struct omptape_operations *operations, uint64_t id);
/* The operation that CUDA's correlation id stands for; NULL: the same, or it was not explained yet. */
struct omptape_operation *omptape_operations_find_correlated(const struct omptape_operations *operations,
                                                             uint64_t correlation);

/* What a record says of the operation that it means. */
struct omptape_likeness {
    uint64_t target;
    uint64_t bytes;
    uint64_t begin; /* device time */
    uint64_t end;
    unsigned type; /* 0: a submission */
};

/* The operation of a record whose operation id is missing or wrong. Only operations of its target region,
 * type and size count. It is the one whose record had the same times (the record came twice), else the first
 * that has no record yet. NULL: none. */
struct omptape_operation *omptape_operations_alike(const struct omptape_operations *operations,
                                                   const struct omptape_likeness *like);

/* An interval starts or ceases to point to it. */
void omptape_operations_use(struct omptape_operation *operation);
void omptape_operations_release(struct omptape_operation *operation);

void omptape_operations_free(struct omptape_operations *operations);
