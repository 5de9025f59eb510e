/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes over what the library says of the session (include/omptape/settings.h). Called once by the writer's
 * main thread, before anything else is done for the program.
 */
#ifndef OMPTAPE_WRITERS_SETTINGS_H
#define OMPTAPE_WRITERS_SETTINGS_H

#include <omptape/settings.h>

/* Reads the file at `fd`, which stays the caller's, into `settings` and checks it: every text ends, every
 * number is in its range. 0; -EPROTO: these are not a library's of this version; other negative errno. */
int omptape_settings_take(struct omptape_settings *settings, int fd);

#endif
