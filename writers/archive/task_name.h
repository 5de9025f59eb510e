/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a task is called in the archive. Made by whoever translates, once for each task, and written with each
 * of its records by events.c.
 */
#ifndef OMPTAPE_WRITERS_ARCHIVE_TASK_NAME_H
#define OMPTAPE_WRITERS_ARCHIVE_TASK_NAME_H

#include "writers/archive/encode.h"

#include <otf2/otf2.h>
#include <stdbool.h>

struct omptape_task_name {
    OTF2_CommRef comm;
    uint32_t creator;
    uint32_t generation;                              /* 0: the implicit task of that thread */
    uint8_t code_bytes;                               /* 0: not known */
    unsigned char code[3 * OMPTAPE_ENCODE_U32_BYTES]; /* the three in a record, which is always the same */
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

/* The name of a task that will be written several times. */
static inline struct omptape_task_name omptape_task_name(OTF2_CommRef comm, uint32_t creator,
                                                         uint32_t generation)
{
    struct omptape_task_name name = {.comm = comm, .creator = creator, .generation = generation};
    unsigned char room[sizeof(name.code) + OMPTAPE_ENCODE_BEYOND];
    name.code_bytes = (uint8_t)(omptape_task_name_encode(room, &name) - room);
    memcpy(name.code, room, sizeof(name.code));
    return name;
}

#endif
