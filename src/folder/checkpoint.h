/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file FOLDER/.omptape-checkpoint, from which an archive is completed if its writer was killed. A child
 * of the writer packs it, and unification restores it. Any thread.
 *
 * While the program runs, the writer appends to traces/N.evt and keeps the last chunk of each location and
 * all definitions in memory. For each event file a checkpoint holds the length of its final prefix, and the
 * bytes that would follow if the trace ended then. It also holds the definition, marker and anchor files of
 * that moment. The final prefix never changes, so a checkpoint is valid until the archive is complete.
 *
 * Format: a head; entries, each with its name and bytes; an entry without a name, which holds the checksum of
 * everything before it. The file is written under another name and renamed, so a complete one always exists.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OMPTAPE_CHECKPOINT_FILE ".omptape-checkpoint"
/* Name of a checkpoint while it is packed; it remains if packing was interrupted. */
#define OMPTAPE_CHECKPOINT_FRESH ".omptape-checkpoint.new"
/* Prefix of the name of a writer's scratch folder. */
#define OMPTAPE_CHECKPOINT_SCRATCH "omptape-checkpoint-"

enum { OMPTAPE_CHECKPOINT_NAME_BYTES = 32, OMPTAPE_CHECKPOINT_SCRATCH_BYTES = 256 };

struct omptape_checkpoint_head {
    char magic[8]; /* "omptckp", zero-terminated */
    uint32_t version;
    uint32_t head_bytes; /* size of this structure */
    uint64_t realtime;   /* time of the checkpoint, ns since 1970 */
    char host[128];
    /* folder on that host that a killed writer leaves, or empty */
    char scratch[OMPTAPE_CHECKPOINT_SCRATCH_BYTES];
};

struct omptape_checkpoint_entry {
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES]; /* "traces/0.evt", "traces.def"...; "": the last entry */
    uint64_t prefix;                          /* bytes of the file that are kept; last entry: the checksum */
    uint64_t bytes;                           /* bytes that follow, to be appended to the prefix */
};

/* A checkpoint that is being packed. */
struct omptape_checkpoint_pack {
    int folder;
    int fd;
    uint64_t sum;
    int error; /* the first error, negative errno; 0: none */
};

/* Starts packing in `folder`, the archive's descriptor. Returns 0 or negative errno. */
int omptape_checkpoint_begin(struct omptape_checkpoint_pack *pack, int folder, uint64_t realtime,
                             const char *scratch);
/* Adds the file `name` of the folder `from`, or an entry without bytes if the file does not exist. The
 * anchor, traces.otf2, must come last. Sets pack->error on failure. */
void omptape_checkpoint_add(struct omptape_checkpoint_pack *pack, int from, const char *name,
                            uint64_t prefix);
/* Writes the last entry, syncs the file and replaces the previous checkpoint. Returns 0, or negative errno
 * with the previous checkpoint unchanged. */
int omptape_checkpoint_commit(struct omptape_checkpoint_pack *pack);

/* Removes a complete and an incomplete checkpoint from `folder` (a descriptor). */
void omptape_checkpoint_discard(int folder);

/* Completes the archive in `folder` (a descriptor) from its checkpoint, and removes the checkpoint. No
 * process may be writing to the archive. The anchor is written last; until then the call can be repeated
 * after an interruption. Returns 0; -ENOENT if there is no checkpoint; else negative errno with the cause in
 * `reason` and the checkpoint kept. */
int omptape_checkpoint_restore(int folder, struct omptape_checkpoint_head *head, char *reason, size_t bytes);

enum { OMPTAPE_CHECKPOINT_TIME_BYTES = 32 };
/* Formats the time of a checkpoint (ns since 1970) as local time; `bytes` as above. */
void omptape_checkpoint_time(uint64_t realtime, char *text, size_t bytes);

/* Continues a checksum: FNV-1a over words of 8 bytes, and over the remaining bytes. */
uint64_t omptape_checkpoint_sum(uint64_t sum, const void *data, size_t bytes);
enum { OMPTAPE_CHECKPOINT_VERSION = 1 };
#define OMPTAPE_CHECKPOINT_MAGIC "omptckp"
#define OMPTAPE_CHECKPOINT_SUM UINT64_C(0xcbf29ce484222325)

/* Scratch folders of writers in shared places such as /dev/shm. Each contains its writer's claim (claim.h),
 * by which folders of killed writers are recognised. Called by the writer's main thread and by unification.
 */

/* Creates this process's folder in `place` (a descriptor) and writes its name to `name`. Returns a
 * descriptor, or negative errno. */
int omptape_checkpoint_make_scratch(int place, char *name, size_t bytes);

/* Removes a scratch folder of the caller with its archive files. */
void omptape_checkpoint_remove_scratch(int place, const char *name);

/* Remove the scratch folders of dead writers: in one place, and in all places of this host. */
void omptape_checkpoint_remove_dead(int place);
void omptape_checkpoint_remove_all_dead(void);

/* Returns the places for scratch folders in order of preference: memory, then a local disk; "": none. */
enum { OMPTAPE_CHECKPOINT_PLACES = 3 };
void omptape_checkpoint_list_places(const char *places[OMPTAPE_CHECKPOINT_PLACES]);
