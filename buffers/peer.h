/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer process as the program's threads see it: whether it lives, and waking it. Any thread.
 */
#ifndef OMPTAPE_BUFFERS_PEER_H
#define OMPTAPE_BUFFERS_PEER_H

#include <omptape/shm.h>
#include <stdbool.h>

/* True once the writer was found dead or stopped for good; then nobody waits for it any more. */
bool omptape_peer_is_lost(struct omptape_shm *shm);

/* Wakes the writer if it sleeps; unless `needed`, not where only a thread that waits may
 * (OMPTAPE_WRITER_NOT_NEEDED). */
void omptape_peer_wake(struct omptape_shm *shm, bool needed);

/* In a forked child: the writer is the parent's. */
void omptape_peer_forget(void);

#endif
