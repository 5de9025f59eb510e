/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the processes of an MPI program find out which of them may exchange messages for the tool's sake. MPI
 * cannot be asked: a rank that is not traced would never answer, and a message for it might be taken for the
 * program's. So they agree in the folder of the job, where only traced ranks come. For the writer, on its
 * main thread.
 *
 * Rank 0 calls, by a link to a word that nobody else has. Each other rank answers by a link of its own with
 * that word, which says on which host it is. When all have answered, or after two seconds, rank 0 lists one
 * rank of each other host and decides: together. Whoever answered and has heard nothing after four seconds
 * decides: alone. The decision is one link, which is made once and in one step. So all who answered come to
 * the same one, and nobody is in the list who does not know it.
 *
 * One case is left: a writer is killed between its answer and the decision, or its file system stands still
 * for ten seconds then. Its program goes on, and the others wait for it as decided.
 */
#ifndef OMPTAPE_JOB_CLOCK_SYNC_H
#define OMPTAPE_JOB_CLOCK_SYNC_H

#include <omptape/clock_sync.h>
#include <stdbool.h>
#include <stdint.h>

/* Where it is, below the folder of the job. */
#define OMPTAPE_JOB_CLOCK_SYNC_FOLDER ".omptape-clocks"

enum { OMPTAPE_JOB_CLOCK_SYNC_WORD = 40, OMPTAPE_JOB_CLOCK_SYNC_KEY = 256 };

/* Hosts that trust what they saw of the folder (src/folder/named_folder.h) look again after this time, and
 * after twice, four times... as much. In ns. */
#define OMPTAPE_JOB_CLOCK_SYNC_FRESH UINT64_C(50000000)
/* How long rank 0 waits for answers, and the others for its call. After what time rank 0 does not decide any
 * more. How long others wait for a decision. All from when each begins, in ns. */
#define OMPTAPE_JOB_CLOCK_SYNC_CALL UINT64_C(2000000000)
#define OMPTAPE_JOB_CLOCK_SYNC_LATEST UINT64_C(3000000000)
#define OMPTAPE_JOB_CLOCK_SYNC_PATIENCE UINT64_C(4000000000)

struct omptape_job_clock_sync {
    int folder; /* -1: not begun, or over */
    int32_t rank;
    int32_t size;
    char host[OMPTAPE_JOB_CLOCK_SYNC_KEY];  /* what tells hosts apart */
    char word[OMPTAPE_JOB_CLOCK_SYNC_WORD]; /* of the call that was made or answered; "": none */
    uint64_t begun;
    uint64_t fresh_at; /* when the file system is made to look again at what others left */
};

/* `path`: of the job. 0 or negative errno: then there is no synchronisation. */
int omptape_job_clock_sync_begin(struct omptape_job_clock_sync *clock_sync, const char *path, int32_t rank,
                                 int32_t size, const char *host, uint64_t now);

/* One look; to be repeated. OMPTAPE_CLOCK_SYNC_ASKED: nothing is decided. OMPTAPE_CLOCK_SYNC_AGREED: `found`
 * has the members and the reference; rank 0 gives what is said of the reference in it.
 * OMPTAPE_CLOCK_SYNC_ALONE. */
enum omptape_clock_sync_state omptape_job_clock_sync_look(struct omptape_job_clock_sync *clock_sync,
                                                          struct omptape_clock_sync_found *found,
                                                          uint64_t now);

/* Removes what this process has left there, and the folder with the last. Others than rank 0 do so when there
 * is a decision, rank 0 when nobody asks for it any more. */
void omptape_job_clock_sync_end(struct omptape_job_clock_sync *clock_sync, const char *path);

#endif
