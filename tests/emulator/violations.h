/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tool did against the specification, and remarks that are no fault. Any thread; lines go to the
 * file violations.PID of OMPTAPE_EMULATOR_DIR at once, so that a program which dies keeps them.
 */
#pragma once

/* Opens the file; lines said before are kept for it. Its absence from a run means that the emulator did not
 * run. */
void em_violations_open(void);

/* printf-like, without a line end. The same text is written once. */
__attribute__((format(printf, 1, 2))) void em_violation(const char *format, ...);
__attribute__((format(printf, 1, 2))) void em_note(const char *format, ...);
