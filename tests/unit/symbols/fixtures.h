/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Running the fixtures of the symbol tests: their list, the return addresses and mappings that they report,
 * the marks in their sources. Used by test_symbols*.c. What goes wrong here fails the test at hand.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_FIXTURES = 256, MAX_REPORTS = 4, MAX_CALLS = 256, MAX_MARKS = 64 };

struct fixture {
    char *name;
    char *expect; /* "full", "line", "symbol", "module", "tail", "pointer": see symbols.cmake; "library": no
                     program */
    char *source;
    char *command;
};

struct call {
    uint64_t address;
    char kind[16];
    int parent; /* the call whose construct this one was made in; -1: none */
};

/* What the program said at one moment: the calls since the last one, and its mappings. */
struct report {
    struct call calls[MAX_CALLS];
    size_t call_count;
    char *maps;
    size_t maps_bytes;
};

/* "@site KIND FUNCTION | FUNCTION" in a source: any of the functions. */
struct mark {
    unsigned line;
    char kind[16];
    char function[256];
};

/* Reads the list that the build wrote; never empty. The strings live as long as the test. */
size_t fixtures_read(struct fixture fixtures[MAX_FIXTURES]);

/* The fixture of this name. Where its compiler or tool was missing at build time, the test is skipped. */
const struct fixture *fixtures_find(const char *name);

/* Runs the command; returns how many reports it gave (at least one). */
size_t fixture_run(const char *command, struct report reports[MAX_REPORTS]);
void reports_free(struct report *reports, size_t count);

size_t marks_read(const char *source, struct mark marks[MAX_MARKS]);

/* True if the mark allows the function. */
bool mark_names(const struct mark *mark, const char *function);

/* The address at which the module is loaded, less the one it was linked for; `path` as the mappings tell it.
 */
uint64_t report_base(const struct report *report, const char *path);
