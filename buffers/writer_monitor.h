/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer process as the program's threads see it: whether it is alive, and how to wake it. Any thread.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>

/* Returns true once the writer was found dead or stopped. No thread waits for it afterwards. */
bool omptape_writer_monitor_is_lost(struct omptape_shm *shm);

/* Wakes the writer if it sleeps. In OMPTAPE_WRITER_NOT_NEEDED only if `needed`, as for a waiting thread. */
void omptape_writer_monitor_wake(struct omptape_shm *shm, bool needed);

/* Forgets the writer in a forked child, because it is the parent's. */
void omptape_writer_monitor_reset(void);
