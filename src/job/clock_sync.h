/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which ranks of an MPI program exchange messages to compare their hosts' clocks. MPI itself cannot
 * be used for the decision: an untraced rank would never answer, and the message might match a receive of the
 * program. The writers therefore agree through files in the job's folder, which only traced ranks open.
 * Called by the writer's main thread.
 *
 * Rank 0 publishes a unique token in the link "call". Every other rank answers with a link that contains the
 * token in its name and its host as the target. Rank 0 decides "together" when all ranks have answered or
 * two seconds have passed, and lists one rank of each other host. A rank that has answered and finds no
 * decision after four seconds decides "alone". The decision is one link, which only one process can create.
 * All ranks that answered therefore read the same decision, and every listed rank has answered.
 *
 * Known gap: a writer is killed, or its file system hangs for ten seconds, between answer and decision. The
 * other ranks then wait for messages of its rank.
 */
#pragma once

#include <omptape/clock_sync.h>
#include <stdbool.h>
#include <stdint.h>

/* Subfolder of the job's folder that holds the links and files of the protocol. */
#define OMPTAPE_JOB_CLOCK_SYNC_FOLDER ".omptape-clocks"

enum { OMPTAPE_JOB_CLOCK_SYNC_WORD = 40, OMPTAPE_JOB_CLOCK_SYNC_KEY = 256 };

/* First interval after which a network file system's cached view of the folder is invalidated
 * (src/folder/named_folder.h). The interval doubles each time. In ns. */
#define OMPTAPE_JOB_CLOCK_SYNC_FRESH UINT64_C(50000000)
/* Timeouts in ns, counted from omptape_job_clock_sync_begin. CALL: rank 0 waits for answers, and the others
 * for the call. LATEST: rank 0 no longer decides "together". DECISION: the others wait for a decision. */
#define OMPTAPE_JOB_CLOCK_SYNC_CALL UINT64_C(2000000000)
#define OMPTAPE_JOB_CLOCK_SYNC_LATEST UINT64_C(3000000000)
#define OMPTAPE_JOB_CLOCK_SYNC_DECISION UINT64_C(4000000000)

struct omptape_job_clock_sync {
    int folder; /* descriptor of the subfolder; -1 before begin and after end */
    int32_t rank;
    int32_t size;
    char host[OMPTAPE_JOB_CLOCK_SYNC_KEY];  /* unique name of the host */
    char word[OMPTAPE_JOB_CLOCK_SYNC_WORD]; /* token of the call; "" before it is published or answered */
    uint64_t begun;
    uint64_t fresh_at; /* time of the next cache invalidation, ns */
};

/* Starts the protocol in the job's folder `path`. Returns 0, or negative errno if the folder cannot be used;
 * the clocks are not compared then. */
int omptape_job_clock_sync_begin(struct omptape_job_clock_sync *clock_sync, const char *path, int32_t rank,
                                 int32_t size, const char *host, uint64_t now);

/* Advances the protocol by one step; the caller polls it until the result is not OMPTAPE_CLOCK_SYNC_ASKED.
 * OMPTAPE_CLOCK_SYNC_AGREED: `found` holds the members and the reference. Rank 0 must fill in the fields of
 * the reference before each call. OMPTAPE_CLOCK_SYNC_ALONE: the clocks are not compared. */
enum omptape_clock_sync_state omptape_job_clock_sync_look(struct omptape_job_clock_sync *clock_sync,
                                                          struct omptape_clock_sync_found *found,
                                                          uint64_t now);

/* Removes this process's links, and the subfolder if it is empty then. Ranks other than 0 call it after the
 * decision; rank 0 calls it when no rank can still read the decision. */
void omptape_job_clock_sync_end(struct omptape_job_clock_sync *clock_sync, const char *path);
