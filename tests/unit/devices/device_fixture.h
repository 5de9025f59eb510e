/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tiny device with a tracing interface, for the tests of the intake, and a session that takes its records.
 * Its cursors are offsets into the buffer; their upper halves mean nothing. A test sets what the device
 * offers and how it misbehaves, has it fill and deliver buffers, and reads back what was recorded. Used by
 * one thread at a time except where said.
 */
#pragma once

#include "device/device.h"
#include "device/tracing.h"
#include "tests/unit/session_fixture.h"

/* What lies in a buffer; every cell has the same size. */
struct fake_cell {
    uint32_t type;   /* what get_record_type says */
    uint32_t absent; /* get_record_ompt or get_record_native gives NULL */
    ompt_record_ompt_t ompt;
    ompt_record_abstract_t abstract;
    ompt_id_t operation;
    char name[32];
};

/* Called by a test's lookup function: a function that it changed, or NULL to go on with the device's own. */
struct fake_device {
    const char *lacks[16]; /* entry points that it does not offer; ended by NULL */
    bool lacks_all;
    ompt_set_result_t answer_emi;
    ompt_set_result_t answer_plain;
    int start_answer;
    int pause_answer;
    uint64_t time_step;           /* of get_device_time from one reading to the next; 0: it answers 0 */
    const void *record_elsewhere; /* get_record_ompt gives this instead */
    const void *abstract_elsewhere;
    /* advance_buffer_cursor: by default the next cell, as long as it lies in the range. */
    int (*advance)(ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next);

    /* What it saw. */
    char calls[4096]; /* names with arguments, each followed by a blank */
    ompt_device_t *pointer_seen;
    bool wrong_pointer;
    uint64_t asked; /* bit n: set_trace_ompt with event n */
    unsigned native_flags;
    atomic_uint clock_readings;
    ompt_callback_buffer_request_t request;
    ompt_callback_buffer_complete_t complete;
};
extern struct fake_device fake;

/* The device as the runtime names it. */
extern ompt_device_t *const fake_pointer;
ompt_interface_fn_t fake_lookup(const char *name);

/* A fresh device and a session for its records. For cmocka. */
int fake_setup(void **state);
int fake_teardown(void **state);

/* device_initialize and device_finalize as the runtime calls them. */
void fake_initialize(int number, const char *type, ompt_function_lookup_t lookup);
void fake_finalize(int number);

/* Asks for a buffer as a runtime does. NULL: none is to be had. Any thread. */
struct fake_cell *fake_request(int number, size_t *cells);
/* Delivers cells [first, first + count). Any thread. */
void fake_complete(int number, struct fake_cell *buffer, size_t first, size_t count, bool owned);
/* A kernel's record that names operation `operation`. */
void fake_fill_submit(struct fake_cell *cell, uint64_t operation);
/* The same, native. */
void fake_fill_native(struct fake_cell *cell, uint64_t operation, const char *name);

/* The next record of this kind in the stream of the calling thread; NULL: there is none. */
const struct omptape_record *fake_next(enum omptape_kind kind);
/* How many more of this kind there are in all streams. */
unsigned fake_count(enum omptape_kind kind);
extern struct session fake_session;
