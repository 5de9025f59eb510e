/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the two halves of archive_text share: the names of what events refer to. On the test's main thread.
 */
#pragma once

#include "tests/unit/translate/archive_text.h"

#include <otf2/otf2.h>

#include <stdbool.h>

enum { ARCHIVE_TEXT_DEFINITIONS = 4096, ARCHIVE_TEXT_FEW = 64, ARCHIVE_TEXT_NAME_BYTES = 256 };

/* Of the archive that is being read, by reference. */
struct archive_text_names {
    char *strings[ARCHIVE_TEXT_DEFINITIONS];
    uint32_t regions[ARCHIVE_TEXT_DEFINITIONS];
    bool of_program[ARCHIVE_TEXT_DEFINITIONS]; /* this region is the whole program's */
    char groups[ARCHIVE_TEXT_DEFINITIONS][ARCHIVE_TEXT_NAME_BYTES];
    uint32_t comms[ARCHIVE_TEXT_DEFINITIONS];
    uint32_t attributes[ARCHIVE_TEXT_FEW];
    uint32_t parameters[ARCHIVE_TEXT_FEW];
    char *markers[ARCHIVE_TEXT_FEW];
};
extern struct archive_text_names archive_text_names;

/* Aborts, saying what went wrong. */
void archive_text_must(bool good, const char *what);
void archive_text_append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text of a string definition, which there must be. */
const char *archive_text_string(uint64_t ref);

/* Callbacks for all kinds of events; their user data is the struct archive_text. The caller's. */
OTF2_EvtReaderCallbacks *archive_text_callbacks(void);
