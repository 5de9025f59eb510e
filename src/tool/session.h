/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of a session for session.c: the settings and the descriptions that its writer gets. The shared memory
 * and the settings belong to session.c.
 */
#pragma once

#include "src/core/options.h"

#include <omptape/settings.h>
#include <omptape/shm.h>

/* session_settings.c: sets all settings of this process's session in `shm`, and chooses the clock.
 * `parent_pid` as in omptape_session_start. Starts threads' own samples. Initialising thread. */
void omptape_session_describe(struct omptape_settings *settings, const struct omptape_shm *shm,
                              const struct omptape_options *options, int32_t parent_pid);

/* session_settings.c: writes the settings to a sealed anonymous file, which no process can change. Old
 * kernels and emulators lack seals. Returns its descriptor, or negative errno. Initialising thread. */
int omptape_session_seal(const struct omptape_settings *settings);

/* session_info.c: copies the published lines to the session's shared memory and releases them to the writer.
 * The caller has the lock, or `shm` is not open for other threads yet. */
void omptape_session_info_write(struct omptape_shm *shm);

/* Adds how long the start of the session delayed the program's thread, in ns. Initialising thread. */
void omptape_session_info_note_start(uint64_t ns);

/* Adds a warning of the archive that something is not recorded. Drops it if a signal handler interrupts the
 * thread that holds the lock. Any thread. */
void omptape_session_info_warn(const char *phrase);

/* Releases the lock in a forked child: another thread of its parent may have held it. Called inside fork().
 */
void omptape_session_info_forget_lock(void);
