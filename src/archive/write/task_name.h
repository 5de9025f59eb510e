/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OTF2's identity of a task: communicator, creating thread and generation number. The translation makes one
 * per task, and events_threads.c writes it with each of the task's records.
 */
#pragma once

#include "src/archive/write/encode.h"

#include <otf2/otf2.h>
#include <stdbool.h>

struct omptape_task_name {
    OTF2_CommRef comm;
    uint32_t creator;
    uint32_t generation; /* 0: implicit task of that thread */
    uint8_t code_bytes;  /* 0: not encoded */
    unsigned char
        code[3 * OMPTAPE_ENCODE_U32_BYTES]; /* encoded fields, which are equal in all records of the task */
};

static inline bool omptape_task_names_equal(const struct omptape_task_name *a,
                                            const struct omptape_task_name *b)
{
    return a->comm == b->comm && a->creator == b->creator && a->generation == b->generation;
}

static inline unsigned char *omptape_task_name_encode(unsigned char *at, const struct omptape_task_name *name)
{
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(at, name->comm), name->creator);
    return omptape_encode_u32(end, name->generation);
}

/* The identity fields that all tasks of one creating thread in its team share. */
struct omptape_task_creator {
    OTF2_CommRef comm;
    uint32_t creator;
    uint8_t code_bytes;                               /* 0: it has created no task */
    unsigned char code[2 * OMPTAPE_ENCODE_U32_BYTES]; /* encoded fields */
};

static inline struct omptape_task_creator omptape_task_creator(OTF2_CommRef comm, uint32_t creator)
{
    struct omptape_task_creator common = {.comm = comm, .creator = creator};
    unsigned char capacity[sizeof(common.code) + OMPTAPE_ENCODE_BEYOND];
    common.code_bytes = (uint8_t)(omptape_encode_u32(omptape_encode_u32(capacity, comm), creator) - capacity);
    memcpy(common.code, capacity, sizeof(common.code));
    return common;
}

/* Sets and encodes the identity of a task that will be written several times. `generation` is not 0. */
static inline void omptape_task_name_set(struct omptape_task_name *name,
                                         const struct omptape_task_creator *creator, uint32_t generation)
{
    name->comm = creator->comm;
    name->creator = creator->creator;
    name->generation = generation;
    memcpy(name->code, creator->code, sizeof(creator->code));
    unsigned char *end = omptape_encode_u32_within(name->code + creator->code_bytes, generation);
    name->code_bytes = (uint8_t)(end - name->code);
}
