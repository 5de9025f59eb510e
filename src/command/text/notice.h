/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that --quiet suppresses. Errors that the user must always see are printed by omptape_message
 * (src/core/message.h).
 */
#pragma once

#include "src/folder/atomic_file.h"

#include <stdbool.h>

void notice_set_silent(bool silent);
bool notice_is_silent(void);

/* Prints one line on stderr with the prefix "omptape: ". The line is truncated at about 1,000 bytes. */
void omptape_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints that a file was written, and its size: "wrote heat.html (101.0 KiB)". Nothing for the standard
 * output. */
void notice_wrote(const struct omptape_atomic_file *file);

/* Enables --strict: a program that would leave no trace is not run. */
void notice_set_strict(bool strict);

/* Print one line with a reason and append whether the program runs untraced or, with --strict, is not run.
 * The first function is for programs that cannot be traced; --quiet suppresses it without --strict. The
 * second one is for errors and always prints. */
void notice_untraced(const char *format, ...) __attribute__((format(printf, 1, 2)));
void notice_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
