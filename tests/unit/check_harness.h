/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the unit tests of `omptape check` and `omptape info` share: a temporary folder for each test, running
 * the command, and expectations on what it printed. On the test's only thread.
 */
#pragma once

#include "src/command/text/usage.h"
#include "tests/unit/make_archive.h"
#include "tests/unit/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

extern char check_folder[SCRATCH_BYTES]; /* of this test */
extern char check_output[65536];         /* stdout and stderr of the latest run */

/* cmocka's set-up and tear-down of each test. */
int check_make_folder(void **state);
int check_remove_folder(void **state);

/* Runs a subcommand with the words and fills check_output. Returns the exit code. */
int check_run_command(int (*command)(int, char **), const char *name, int count, const char *const *words);
/* The same with `omptape check`, and with the test's folder as its only word. */
int check_run(int count, const char *const *words);
int check_run_folder(void);

/* Of check_output. */
size_t check_lines(void);

/* Fail the test, showing the output. */
void check_expect_text(const char *text);
void check_expect_no_text(const char *text);
void check_expect_code(int expected, int code);

/* The archive is good. */
void check_passes(const struct make_plan *plan);
void check_events_pass(const char *events);

/* The archive breaks exactly one rule: one line that holds the class in brackets and the other texts. */
void check_breaks(const struct make_plan *plan, const char *topic, const char *first, const char *second);
void check_events_break(const char *events, const char *topic, const char *first, const char *second);
void check_definitions_break(void (*more)(OTF2_GlobalDefWriter *), const char *topic, const char *first,
                             const char *second);
