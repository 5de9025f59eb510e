/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calling contexts while the trace streams: a tree of frames, by return address. Frames of the OpenMP
 * runtime, and of what it calls of the C library, are left out. References are assigned one by one. The names
 * of the frames are looked up when the definitions are written (definitions/contexts.h). The writer's main
 * thread, and the only one of a child that makes a checkpoint.
 */
#pragma once

#include "src/core/store.h"
#include "writers/regions/sources.h"
#include "writers/state/writer.h"
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
    OMPTAPE_CONTEXT_TEAM,     /* ...what a team executes: the value is the number of its encounter */
    OMPTAPE_CONTEXT_INSTANCE, /* ...the same of one team: the value is a number in `instances` */
    OMPTAPE_CONTEXT_TASK,     /* ...what a task executes: the value is the frame that created it */
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

/* Where teams were forked: by tasks of one context, at one construct. Those that are alike have one number.
 */
struct omptape_encounter {
    uint64_t parent; /* the context of what the encountering task executes, + 1; 0: none, or not known */
    uint64_t region; /* OTF2_UNDEFINED_REGION: it is not shown */
};
/* The paths on which samples saw it. */
enum { OMPTAPE_ENCOUNTER_PATHS = 8 };
struct omptape_encounter_paths {
    OTF2_CallingContextRef last;
    uint32_t seen;
    uint32_t changes; /* so many samples saw another path than the one before */
    OTF2_CallingContextRef different[OMPTAPE_ENCOUNTER_PATHS]; /* those that came first */
    uint32_t count;                                            /* of these */
};

/* A team whose encounter has several paths: its own may be seen later. */
struct omptape_encounter_instance {
    uint32_t encounter;
    OTF2_CallingContextRef path; /* + 1; 0: it was not seen */
};
/* Of later ones nothing is kept. */
enum { OMPTAPE_ENCOUNTER_INSTANCES = 1 << 16 };

struct omptape_contexts {
    struct omptape_rows tree;   /* of struct omptape_context: references are row numbers */
    struct omptape_rows frames; /* of struct omptape_code_address */
    struct omptape_hash ends;   /* address where a thread was found -> &waits if it is in a loop that waits */
    struct omptape_rows encounters;        /* of struct omptape_encounter, */
    struct omptape_encounter_paths *paths; /* ...and of each what was seen */
    uint32_t path_capacity;
    struct omptape_encounter_instance *instances;
    uint32_t instance_count;
    uint32_t instance_capacity;
    struct omptape_sources
        sources;       /* of the frames, in their order: for each its functions, the outermost first, */
    uint32_t resolved; /* ...of so many frames */
    bool hasty;        /* for a checkpoint: no debug information is read for frames */
    uint64_t samples;  /* in the archive, */
    uint64_t lost;     /* ...dropped by the kernel, */
    uint64_t cut;      /* ...whose stack was cut */
    uint32_t threads;  /* that sampled themselves */
};

static inline const struct omptape_context *omptape_contexts_get(const struct omptape_contexts *contexts,
                                                                 uint32_t ref)
{
    return contexts->tree.list[ref].data;
}

/* The context of a sample; OTF2_UNDEFINED_CALLING_CONTEXT: there is no memory. */
OTF2_CallingContextRef omptape_contexts_add(struct omptape_writer *writer,
                                            const struct omptape_call_path *path);

/* The same of a stack that was copied. */
OTF2_CallingContextRef omptape_contexts_unwind(struct omptape_writer *writer,
                                               const struct omptape_stack_copy *copy);

/* The context of a thread that was found asleep, with the mark at its end.
 * OTF2_UNDEFINED_CALLING_CONTEXT: it sleeps in the runtime, or there is no memory. */
OTF2_CallingContextRef omptape_contexts_add_asleep(struct omptape_writer *writer,
                                                   const struct omptape_call_path *path,
                                                   enum omptape_special_context mark);

/* The child of a context with this key; the context itself if there are too many. `parent` may be
 * OTF2_UNDEFINED_CALLING_CONTEXT: none. */
OTF2_CallingContextRef omptape_contexts_child(struct omptape_contexts *contexts,
                                              OTF2_CallingContextRef parent, uint64_t key);

/* The number of an encounter; UINT32_MAX: there is no memory. */
uint32_t omptape_contexts_encounter(struct omptape_contexts *contexts,
                                    const struct omptape_encounter *encounter);

/* The number of a new instance; UINT32_MAX: there are too many. */
uint32_t omptape_contexts_instance(struct omptape_contexts *contexts, uint32_t encounter);

/* What a task executes that `parent` creates by the call before the return address. Tasks that create tasks
 * like themselves have one context. */
OTF2_CallingContextRef omptape_contexts_task(struct omptape_writer *writer, OTF2_CallingContextRef parent,
                                             uint64_t address);

/* Looks up the functions of all frames so far. They are also exported to `fd`, unless that is -1, up to the
 * first one of which a hasty look-up knows only the symbol. */
void omptape_contexts_resolve(struct omptape_writer *writer, int fd);
/* Takes what a child has exported. */
void omptape_contexts_import(struct omptape_contexts *contexts, int fd);
