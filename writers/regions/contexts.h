/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calling contexts while the trace is written: a tree of frames, by return address. Frames of the OpenMP
 * runtime, and of C library functions that it calls, are omitted. References are assigned in order of
 * appearance. The frames' names are resolved when the definitions are written (definitions/regions.h).
 * Called by the writer's main thread, and by the only thread of a child that makes a checkpoint.
 */
#pragma once

#include "src/core/store.h"
#include "writers/regions/far_accesses.h"
#include "writers/regions/shared_lines.h"
#include "writers/regions/sources.h"
#include "writers/state/writer.h"
#include "writers/symbols/symbols.h"

#include <otf2/otf2.h>

/* Limits memory: after this number of contexts, new paths end at their last known frame. */
enum { OMPTAPE_MAX_CONTEXTS = 1 << 20 };

/* Flag in a context's key: runtime frames lie between the frame and its caller. */
#define OMPTAPE_CONTEXT_VIA_RUNTIME (UINT64_C(1) << 62)
/* Flag in a context's key: the context is no frame, but one of the kinds below. */
#define OMPTAPE_CONTEXT_SPECIAL (UINT64_C(1) << 63)
enum omptape_special_context {
    /* In the runtime, or in a function called by it; the value is the frame that the program called, + 1. */
    OMPTAPE_CONTEXT_RUNTIME,
    OMPTAPE_CONTEXT_TRUNCATED, /* The frames below were outside the copied part of the stack. */
    OMPTAPE_CONTEXT_WORKER,    /* Start of a runtime's thread: its caller is on another thread. */
    OMPTAPE_CONTEXT_TEAM,      /* What a team executes; the value is the number of its encounter. */
    OMPTAPE_CONTEXT_INSTANCE,  /* What one team executes; the value is an index in `instances`. */
    OMPTAPE_CONTEXT_TASK,      /* What a task executes; the value is the frame that created it. */
    OMPTAPE_CONTEXT_BLOCKED,   /* The thread was asleep. */
    OMPTAPE_CONTEXT_STOPPED,   /* The thread's process was stopped. */
    OMPTAPE_CONTEXT_SPINNING,  /* The thread was in a waiting loop. */
    OMPTAPE_CONTEXT_UPDATING,  /* The thread updated memory atomically. */
    OMPTAPE_CONTEXT_FAR,       /* The thread's accesses are far apart in memory. */
    OMPTAPE_CONTEXT_SCATTERED, /* The thread's accesses are in no order in memory. */
    OMPTAPE_CONTEXT_DIVIDING,  /* The thread was at a division. */
    OMPTAPE_CONTEXT_SHARING,   /* Another thread accessed other bytes of a cache line at that time. */
};
#define OMPTAPE_CONTEXT_KEY(special, value)                                                                  \
    (OMPTAPE_CONTEXT_SPECIAL | (uint64_t)(special) << 32 | (uint32_t)(value))

static inline bool omptape_context_is_runtime(uint64_t key)
{
    return (key & ~(uint64_t)UINT32_MAX) == OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_RUNTIME, 0);
}

struct omptape_context {
    uint64_t parent; /* The parent's reference + 1; 0: none. */
    uint64_t key;
};

/* Address of an instruction or a return address. */
struct omptape_code_address {
    uint64_t address;
    uint64_t code_id; /* Number of the code loaded there at the time (writers/symbols/symbols.h). */
};

/* An encounter: a construct and the context of its forking task. Equal encounters share one number. */
struct omptape_encounter {
    uint64_t parent; /* Context in which the encountering task executes, + 1; 0: none, or unknown. */
    uint64_t region; /* OTF2_UNDEFINED_REGION: the region is not shown. */
};
/* Paths on which samples saw the encounter. */
enum { OMPTAPE_ENCOUNTER_PATHS = 8 };
struct omptape_encounter_paths {
    OTF2_CallingContextRef last;
    uint32_t seen;
    uint32_t changes; /* Number of samples whose path differed from the previous one. */
    OTF2_CallingContextRef different[OMPTAPE_ENCOUNTER_PATHS]; /* The first different paths. */
    uint32_t count;                                            /* Number of entries in `different`. */
};

/* A team whose encounter has several paths. A later sample may show its own path. */
struct omptape_encounter_instance {
    uint32_t encounter;
    OTF2_CallingContextRef path; /* Path + 1; 0: no sample has shown it. */
};
/* Limit of instances; later teams are not distinguished. */
enum { OMPTAPE_ENCOUNTER_INSTANCES = 1 << 16 };

struct omptape_contexts {
    struct omptape_rows tree;           /* Rows of struct omptape_context: references are row numbers. */
    struct omptape_rows frames;         /* Rows of struct omptape_code_address. */
    struct omptape_pairs codes;         /* Sampled code by the number of the innermost frame. */
    struct omptape_pairs ranges;        /* Ranges of addresses (far_accesses.h). */
    struct omptape_arena arena;         /* Values of `codes`, `ranges` and `calls`. */
    struct omptape_shared_lines *lines; /* NULL before the first sample. */
    /* Return addresses in the function of the runtime that begins threads. */
    struct omptape_hash starts;
    struct omptape_rows encounters;        /* Rows of struct omptape_encounter. */
    struct omptape_encounter_paths *paths; /* Seen paths of each encounter. */
    uint32_t path_capacity;
    struct omptape_encounter_instance *instances;
    uint32_t instance_count;
    uint32_t instance_capacity;
    /* Sources of the frames, in their order: for each frame its functions, outermost first. */
    struct omptape_sources sources;
    /* Names of called library functions, by the caller's frame and the own one. */
    struct omptape_hash calls;
    uint32_t looked_up; /* Number of contexts whose names in `calls` are known. */
    uint32_t resolved;  /* Number of frames in `sources`. */
    bool symbols_only;  /* True for a checkpoint: debug information of frames is not read. */
    uint64_t samples;   /* Number of samples in the archive. */
    uint64_t lost;      /* Number of samples dropped by the kernel. */
    uint64_t truncated; /* Number of samples whose stack was truncated. */
    uint32_t threads;   /* Number of threads that sampled themselves. */
};

static inline const struct omptape_context *omptape_contexts_get(const struct omptape_contexts *contexts,
                                                                 uint32_t ref)
{
    return contexts->tree.list[ref].data;
}

/* Returns the context of a path, or OTF2_UNDEFINED_CALLING_CONTEXT if out of memory. */
OTF2_CallingContextRef omptape_contexts_add(struct omptape_writer *writer,
                                            const struct omptape_call_path *path);

/* Returns the context of a copied stack, with a mark of what the sampled code does at its end. */
OTF2_CallingContextRef omptape_contexts_unwind(struct omptape_writer *writer,
                                               const struct omptape_stack_copy *copy);

/* Returns the context of a sleeping thread, with `mark` at its end. Returns OTF2_UNDEFINED_CALLING_CONTEXT
 * if the thread sleeps in the runtime or memory is exhausted. */
OTF2_CallingContextRef omptape_contexts_add_asleep(struct omptape_writer *writer,
                                                   const struct omptape_call_path *path,
                                                   enum omptape_special_context mark);

/* Returns the child of a context with this key, or the context itself if there are too many. `parent` may
 * be OTF2_UNDEFINED_CALLING_CONTEXT for a root. */
OTF2_CallingContextRef omptape_contexts_child(struct omptape_contexts *contexts,
                                              OTF2_CallingContextRef parent, uint64_t key);

/* Returns the number of an encounter, or UINT32_MAX if out of memory. */
uint32_t omptape_contexts_encounter(struct omptape_contexts *contexts,
                                    const struct omptape_encounter *encounter);

/* Returns the number of a new instance, or UINT32_MAX if there are too many. */
uint32_t omptape_contexts_instance(struct omptape_contexts *contexts, uint32_t encounter);

/* Returns the context of a task that `parent` creates by the call before this return address. A task that
 * creates tasks of its own kind shares its context with them. */
OTF2_CallingContextRef omptape_contexts_task(struct omptape_writer *writer, OTF2_CallingContextRef parent,
                                             uint64_t address);

/* Returns the name by which the program's own code called the context's function, a system library's.
 * Returns NULL for all other contexts, and for those that have not been resolved. */
const char *omptape_contexts_called_name(const struct omptape_contexts *contexts,
                                         const struct omptape_context *context);

/* Resolves the functions of all frames and the names of all calls so far. Also exports them to `fd`, unless
 * it is -1. With `symbols_only` some functions are provisional: they are resolved again without it. */
void omptape_contexts_resolve(struct omptape_writer *writer, int fd);
/* Imports what a child has exported. */
void omptape_contexts_import(struct omptape_contexts *contexts, int fd);
