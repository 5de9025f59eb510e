/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calling contexts while the trace streams: a tree of frames, by return address, without the frames of the
 * OpenMP runtime and of what it calls of the C library. References are given out one by one; what the frames
 * are called is looked up when the definitions are written (definitions/contexts.h). The writer's main
 * thread, and the only one of a child that makes a checkpoint.
 */
#ifndef OMPTAPE_WRITERS_REGIONS_CONTEXTS_H
#define OMPTAPE_WRITERS_REGIONS_CONTEXTS_H

#include "src/core/store.h"
#include "writers/model/model.h"
#include "writers/regions/sources.h"
#include "writers/symbols/symbols.h"

#include <otf2/otf2.h>

/* Memory is bounded: paths that are met when there are so many contexts end where they are known. */
enum { OMPTAPE_CONTEXTS_MOST = 1 << 20 };

/* What a context's key says beside the number of a frame. */
#define OMPTAPE_CONTEXT_THROUGH (UINT64_C(1) << 62) /* the runtime lies between the frame and its caller */
#define OMPTAPE_CONTEXT_SPECIAL (UINT64_C(1) << 63) /* it is no frame, but one of these, */
enum omptape_special_context {
    OMPTAPE_CONTEXT_RUNTIME,  /* ...in the runtime, or in what it called */
    OMPTAPE_CONTEXT_CUT,      /* ...the frames below were not on the copied part of the stack */
    OMPTAPE_CONTEXT_WORKER,   /* ...a thread of the runtime's: the caller is another thread's */
    OMPTAPE_CONTEXT_TEAM,     /* ...the same in a parallel region, with its reference */
    OMPTAPE_CONTEXT_BLOCKED,  /* ...the thread slept, */
    OMPTAPE_CONTEXT_STOPPED,  /* ...since its process was stopped */
    OMPTAPE_CONTEXT_SPINNING, /* ...it was in a loop that waits */
};
#define OMPTAPE_CONTEXT_KEY(special, value)                                                                  \
    (OMPTAPE_CONTEXT_SPECIAL | (uint64_t)(special) << 32 | (uint32_t)(value))

struct omptape_context {
    uint64_t parent; /* its reference + 1; 0: none */
    uint64_t key;
};

/* A return address. */
struct omptape_code_address {
    uint64_t address;
    uint64_t code; /* which code was there (writers/symbols/symbols.h) */
};

struct omptape_contexts {
    struct omptape_rows tree;   /* of struct omptape_context: references are row numbers */
    struct omptape_rows frames; /* of struct omptape_code_address */
    struct omptape_hash ends;   /* address where a thread was found -> &waits if it is in a loop that waits */
    struct omptape_sources
        sources;       /* of the frames, in their order: for each its functions, the outermost first, */
    uint32_t resolved; /* ...of so many frames */
    uint64_t samples;  /* in the archive, */
    uint64_t lost;     /* ...dropped by the kernel, */
    uint64_t cut;      /* ...whose stack was cut */
};

static inline const struct omptape_context *omptape_contexts_get(const struct omptape_contexts *contexts,
                                                                 uint32_t ref)
{
    return contexts->tree.list[ref].data;
}

/* The context of a sample; OTF2_UNDEFINED_CALLING_CONTEXT: there is no memory. */
OTF2_CallingContextRef omptape_contexts_add(struct omptape_writer *writer,
                                            const struct omptape_call_path *path);

/* The context of a thread that was found asleep, with the mark at its end.
 * OTF2_UNDEFINED_CALLING_CONTEXT: it sleeps in the runtime, or there is no memory. */
OTF2_CallingContextRef omptape_contexts_add_asleep(struct omptape_writer *writer,
                                                   const struct omptape_call_path *path,
                                                   enum omptape_special_context mark);

/* The same context of a worker whose team executes the region; the context itself where it is no worker's. */
OTF2_CallingContextRef omptape_contexts_in_team(struct omptape_contexts *contexts, OTF2_CallingContextRef ref,
                                                OTF2_RegionRef region);

/* Looks up the functions of all frames so far. They are also exported to `fd`, unless that is -1. */
void omptape_contexts_resolve(struct omptape_writer *writer, int fd);
/* Takes what a child has exported. */
void omptape_contexts_import(struct omptape_contexts *contexts, int fd);

#endif
