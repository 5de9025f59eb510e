/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines that --quiet silences. Errors that the user must see in any case go through omptape_message
 * (src/core/message.h).
 */
#ifndef OMPTAPE_COMMAND_TEXT_NOTICE_H
#define OMPTAPE_COMMAND_TEXT_NOTICE_H

#include "src/folder/atomic_file.h"

#include <stdbool.h>

void omptape_notice_silence(bool silent);
bool omptape_notice_is_silent(void);

/* One line on stderr, "omptape: " before it. Cut at about 1,000 bytes. */
void omptape_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* That a file is there now, and how large: "wrote heat.html (101.0 KiB)". Nothing of the standard output. */
void omptape_notice_wrote(const struct omptape_atomic_file *file);

/* --strict: a program that would leave no trace is not run. */
void omptape_notice_be_strict(bool strict);

/* Why that is, as one line; what follows for the program is added. The first is of programs that cannot be
 * traced, and --quiet silences it unless they are not run; the second is of what went wrong. */
void omptape_notice_untraced(const char *format, ...) __attribute__((format(printf, 1, 2)));
void omptape_notice_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
