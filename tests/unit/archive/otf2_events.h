/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An archive whose event files libotf2 writes itself, in chunks as omptape's: what ours must be equal to, and
 * what its cost is measured against (tests/bench/encoder.c).
 */
#pragma once

#include <otf2/otf2.h>

/* Opens FOLDER/traces.otf2 for writing. NULL on failure. A location's events are kept in one chunk of memory,
 * which is flushed when it is full. */
OTF2_Archive *otf2_events_open(const char *folder);

/* Closes the events of a location; returns how many there are. */
uint64_t otf2_events_end(OTF2_Archive *archive, OTF2_EvtWriter *writer);

/* 0, or -1. */
int otf2_events_close(OTF2_Archive *archive);
