/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file FOLDER/.omptape-checkpoint: what an archive that is being written lacks, so that it can be
 * completed when its writer was killed. Packed by a child of the writer, put back by unification; any thread.
 *
 * While a trace is written, its writer appends to traces/N.evt and keeps the rest (the last chunk of each
 * location, and all definitions) in memory. A checkpoint holds for each event file how much of it is final,
 * and what would have followed had the trace been completed at that moment. It also holds the files of
 * definitions, marker and anchor as they would have been written then. What is final stays so: a checkpoint
 * is good until the archive is complete.
 *
 * The file is a head, entries (each with its name and its bytes), and an entry without a name that has the
 * checksum of all before it. It is written under another name and renamed, so that there is always a whole
 * one.
 */
#ifndef OMPTAPE_FOLDER_CHECKPOINT_H
#define OMPTAPE_FOLDER_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OMPTAPE_CHECKPOINT_FILE ".omptape-checkpoint"
/* One that is being packed, or whose packing was interrupted. */
#define OMPTAPE_CHECKPOINT_FRESH ".omptape-checkpoint.new"
/* The beginning of the name of the folder in which a writer makes it. */
#define OMPTAPE_CHECKPOINT_SCRATCH "omptape-checkpoint-"

enum { OMPTAPE_CHECKPOINT_NAME_BYTES = 32, OMPTAPE_CHECKPOINT_SCRATCH_BYTES = 256 };

struct omptape_checkpoint_head {
    char magic[8]; /* "omptckp" and a zero */
    uint32_t version;
    uint32_t head_bytes; /* of this structure */
    uint64_t realtime;   /* ns since 1970: what came later is not in it */
    char host[128];
    /* folder on that host that a killed writer leaves, or empty */
    char scratch[OMPTAPE_CHECKPOINT_SCRATCH_BYTES];
};

struct omptape_checkpoint_entry {
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES]; /* "traces/0.evt", "traces.def"...; empty: the last one */
    uint64_t prefix;                          /* bytes of the file that stay; the last one's: the checksum */
    uint64_t bytes;                           /* that follow here, and belong behind them */
};

/* A checkpoint that is being packed. */
struct omptape_checkpoint_pack {
    int folder;
    int fd;
    uint64_t sum;
    int error; /* the first, negative errno */
};

/* Begins to pack in `folder` (the archive's, open). 0 or negative errno. */
int omptape_checkpoint_begin(struct omptape_checkpoint_pack *pack, int folder, uint64_t realtime,
                             const char *scratch);
/* Adds the file `name` below the folder `from`; if it is not there, an entry without bytes. The anchor,
 * traces.otf2, has to be the last. Errors are kept in pack->error. */
void omptape_checkpoint_add(struct omptape_checkpoint_pack *pack, int from, const char *name,
                            uint64_t prefix);
/* Ends it. 0: it is safe on disk in place of the one before; else negative errno, and that one is as it was.
 */
int omptape_checkpoint_commit(struct omptape_checkpoint_pack *pack);

/* Removes the checkpoint in `folder` (open) and the beginning of another one, if they are there. */
void omptape_checkpoint_discard(int folder);

/* Completes the archive in `folder` (open) from its checkpoint, and removes that. The anchor comes last:
 * until then the same call can be made again. Nothing may be writing to the archive. 0; -ENOENT: there is no
 * checkpoint; else negative errno with `reason` saying why, and nothing is lost. */
int omptape_checkpoint_restore(int folder, struct omptape_checkpoint_head *head, char *reason, size_t bytes);

enum { OMPTAPE_CHECKPOINT_TIME_BYTES = 32 };
/* The local time of a checkpoint (ns since 1970), for the user; `bytes` as above. */
void omptape_checkpoint_time(uint64_t realtime, char *text, size_t bytes);

/* Continues a checksum (FNV-1a over words of 8 bytes; the rest is taken as bytes). */
uint64_t omptape_checkpoint_sum(uint64_t sum, const void *data, size_t bytes);
enum { OMPTAPE_CHECKPOINT_VERSION = 1 };
#define OMPTAPE_CHECKPOINT_MAGIC "omptckp"
#define OMPTAPE_CHECKPOINT_SUM UINT64_C(0xcbf29ce484222325)

/* The folders in which writers make checkpoints, in a place that others use, too (/dev/shm). Each holds a
 * claim (claim.h) of its writer, so that what a killed one left can be told. For the writer's main thread and
 * for unification.
 */

/* Makes a folder for this process in `place` (a descriptor); `name` gets its name there. A descriptor, or
 * negative errno. */
int omptape_checkpoint_make_scratch(int place, char *name, size_t bytes);

/* Removes a folder of the caller's and the files of an archive in it. */
void omptape_checkpoint_remove_scratch(int place, const char *name);

/* Does that to all whose writers are dead, in one place, or in all that writers of this host choose. */
void omptape_checkpoint_remove_dead(int place);
void omptape_checkpoint_remove_all_dead(void);

/* Where a writer may make its folder, the best place first: memory, then a disk of this host. Empty: no
 * place. */
enum { OMPTAPE_CHECKPOINT_PLACES = 3 };
void omptape_checkpoint_list_places(const char *places[OMPTAPE_CHECKPOINT_PLACES]);

#endif
