/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of host operations and of their target regions. Independent of devices except for their numbers.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/core/hash.h"

#include <stdbool.h>

/* Maps CUDA activities to host operations. CUPTI explains its correlation ids in separate records, before
 * or after the activities. The newest explanations are kept. */
/* As many as operations that may wait for their records (operations.c). */
enum { OMPTAPE_MAX_CORRELATIONS = 1 << 20 };

/* All zeros: empty. */
struct omptape_correlations {
    struct omptape_hash operations; /* Maps a correlation id to an operation id. */
    uint64_t *ring;                 /* Ring of correlation ids; when it is full, the oldest is at `next`. */
    uint32_t count;
    uint32_t capacity;
    uint32_t next;
};

/* Adds an explanation. Neither id may be 0. */
void omptape_correlations_insert(struct omptape_correlations *correlations, uint64_t correlation,
                                 uint64_t operation);
/* Returns the operation's id, or 0 if it is unknown or no longer known. */
uint64_t omptape_correlations_lookup(const struct omptape_correlations *correlations, uint64_t correlation);
void omptape_correlations_free(struct omptape_correlations *correlations);

struct omptape_location;

/* An open target construct on the host; its operations get these values. */
struct omptape_target {
    uint64_t task;
    uint64_t site;
    int32_t device;
};

/* A data operation or a kernel's submission, reported by the host (target_data_op, target_submit). */
struct omptape_operation {
    uint64_t id;
    uint64_t target; /* Id of its target region; 0: none. */
    uint64_t task;   /* Id of the target's task, or of the task that encountered the construct. */
    uint64_t site;
    uint64_t begin; /* Host ticks. */
    uint64_t end;   /* Host ticks; 0: not finished yet. */
    uint64_t bytes;
    uint64_t source_address;
    uint64_t destination_address;
    struct omptape_location *host; /* Location of the thread. */
    int32_t device;                /* Device on whose timeline it is shown. */
    int32_t peer;                  /* Other side of a copy: the host's number or another device. */
    uint32_t requested;            /* Requested number of teams. */
    enum omptape_region_kind kind; /* Region kind on the device. */
    uint32_t users;                /* Number of intervals that point to it. */
    uint8_t type;                  /* ompt_target_data_op_t; 0: a submission. */
    /* True if the host's event is not shown; then the device's is not shown either. */
    bool hidden;
    bool in_table; /* True while it is in the table: records may still come. */
    /* True if no record will come, because only the host observes the device. */
    bool host_only;
    /* True if a device record came for it. The two times below are the first record's, in device time. */
    bool matched;
    uint64_t matched_begin;
    uint64_t matched_end;
    /* Next operation of the target region in the table. The first one knows the last one. */
    struct omptape_operation *next_of_target;
    struct omptape_operation *last_of_target;
};

/* All zeros: empty. */
struct omptape_operations {
    struct omptape_hash targets; /* Open target regions. */
    struct omptape_hash by_id;
    struct omptape_hash by_target;    /* First operation in the table of each target region. */
    struct omptape_operation **queue; /* Operations in the table, oldest first, at [begin, end). */
    uint32_t begin;
    uint32_t end;
    uint32_t capacity;
    struct omptape_correlations correlations;
};

void omptape_operations_begin_target(struct omptape_operations *operations, uint64_t id,
                                     const struct omptape_target *target);
void omptape_operations_end_target(struct omptape_operations *operations, uint64_t id);
/* Returns the target region, or NULL if it is not open. */
const struct omptape_target *omptape_operations_target(const struct omptape_operations *operations,
                                                       uint64_t id);

/* Adds a copy of `model` to the table. Returns NULL if out of memory. */
struct omptape_operation *omptape_operations_add(struct omptape_operations *operations,
                                                 const struct omptape_operation *model);
/* Takes the oldest operation out of the table, if there are too many or `all`. Returns NULL otherwise. The
 * caller releases the operation. */
struct omptape_operation *omptape_operations_take_oldest(struct omptape_operations *operations, bool all);

/* Returns the operation, or NULL if it is unknown or too old. */
struct omptape_operation *omptape_operations_find(const struct omptape_operations *operations, uint64_t id);
/* Returns the operation of a CUDA correlation id, or NULL if it is unknown, too old or not explained yet. */
struct omptape_operation *omptape_operations_find_correlated(const struct omptape_operations *operations,
                                                             uint64_t correlation);

/* Properties of a record by which its operation is found. */
struct omptape_operation_key {
    uint64_t target;
    uint64_t bytes;
    uint64_t begin; /* Device time. */
    uint64_t end;
    unsigned type; /* 0: a submission. */
};

/* Returns the operation of a record whose operation id is missing or wrong. Only operations of its target
 * region, type and size count. Returns the operation whose record had the same times (the record came
 * twice), else the first one without a record, or NULL. */
struct omptape_operation *omptape_operations_match(const struct omptape_operations *operations,
                                                   const struct omptape_operation_key *like);

/* Add or remove an interval's reference to the operation. */
void omptape_operations_acquire(struct omptape_operation *operation);
void omptape_operations_release(struct omptape_operation *operation);

void omptape_operations_free(struct omptape_operations *operations);
