/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What really happened: one entry for each record that a device could have made, with its true times on the
 * host's clock and its way to the tool. Entries are made on any thread, live for ever, and are written as
 * text (truth.PID in OMPTAPE_EMULATOR_DIR) at the end; README.md describes the lines.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum em_kind {
    EM_KERNEL,
    EM_ALLOC,
    EM_TO,
    EM_FROM,
    EM_DELETE,
    EM_ASSOCIATE,
    EM_DISASSOCIATE,
    EM_TARGET_BEGIN,
    EM_TARGET_END,
    EM_FLOODED,     /* a kernel record made up, inside a real kernel's time and with its id */
    EM_NATIVE_OP,   /* a native record of an operation that has an OMPT record as well */
    EM_NATIVE_INFO, /* a native record of no operation */
    EM_HOST_EVENT,  /* every_kind: a record of a host event, made up */
    EM_NOTHING,     /* invalid: a record of no type */
    EM_KINDS_OF_RECORD
};

/* Where the record ended. */
enum em_fate {
    EM_UNTRACED, /* the device was not tracing */
    EM_PAUSED,
    EM_OFF,      /* the tool did not ask for this kind, or was refused it */
    EM_LEFT_OUT, /* the device answered "sometimes" and this was not one of the times */
    EM_PENDING,  /* recorded, on no buffer yet */
    EM_DROPPED,  /* there was no buffer to put it in */
    EM_BUFFERED, /* in a buffer: delivered so often as `delivered` says */
    EM_FATES
};

struct em_truth {
    uint64_t host_op_id;
    uint64_t target_id;
    uint64_t begin; /* host ticks */
    uint64_t end;
    uint64_t device_begin; /* as the record says, damage included */
    uint64_t device_end;
    uint64_t damage; /* a bit for each enum em_mode */
    uint64_t bytes;
    int16_t device;
    uint8_t kind;
    _Atomic uint8_t fate;
    _Atomic uint16_t delivered; /* times in a range given to buffer_complete */
    _Atomic uint16_t read;      /* times that the tool looked at it */
};

/* A new entry, zeroed, and its number. Aborts when memory or numbers (4 million) run out. */
struct em_truth *em_truth_add(uint32_t *serial);
struct em_truth *em_truth_get(uint32_t serial);
uint32_t em_truth_count(void);

/* Writes the file, whole, over an earlier one. */
void em_truth_write(void);
