/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A record on its way from the operation to a buffer, and how it lies there. Made on the thread of the host
 * operation, written into a buffer by the engine (or that thread), read back for the tool by interface.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "omptape/ompt.h"
#include "tests/emulator/device.h"
#include "tests/emulator/truth.h"

enum em_form {
    EM_FORM_OMPT,
    EM_FORM_NATIVE,
    EM_FORM_INVALID,
    EM_FORM_NULL, /* said to be an OMPT record, but there is none */
};

/* What ompt_get_record_native points at. */
struct em_native {
    uint64_t magic; /* EM_NATIVE_MAGIC: so a wrong pointer is seen */
    uint64_t host_op_id;
    uint64_t start;
    uint64_t end;
    uint64_t hwid;
    uint32_t rclass;
    uint32_t type; /* index of em_native_types */
};

#define EM_NATIVE_MAGIC UINT64_C(0x6e617469766521aa)
extern const char *const em_native_types[];
enum { EM_NATIVE_KERNEL, EM_NATIVE_COPY, EM_NATIVE_MEMORY, EM_NATIVE_DRIVER, EM_NATIVE_UNNAMED };

struct em_pending {
    struct em_pending *next;
    struct em_device *device;
    uint64_t ready; /* host ticks from which the record is complete */
    uint32_t truth;
    uint32_t form; /* enum em_form */
    union {
        ompt_record_ompt_t ompt;
        struct em_native native;
    } is;
};

/* How a record begins in a buffer; its payload follows. */
struct em_slot {
    uint32_t magic;
    uint32_t bytes; /* with this head and the gap after the payload */
    uint32_t truth;
    uint16_t payload;
    uint8_t form;
    uint8_t last;         /* of its range */
    uint32_t range_begin; /* there: where that began */
    uint32_t unused;
};

enum { EM_SLOT_MAGIC = 0x51c7a3d9 };

/* A new entry of truth and the record for it, not filled in but for the device and truth. */
struct em_pending *em_pending_new(struct em_device *device, enum em_kind kind, struct em_truth **truth);

/* The record's payload as it lies in a buffer, its number of bytes. */
size_t em_record_bytes(const struct em_pending *pending);
const void *em_record_payload(const struct em_pending *pending);

/* The OMPT record of a slot: in the buffer itself, or put together in memory of the calling thread, which the
 * next call overwrites; what a record of its type does not have holds garbage. */
ompt_record_ompt_t *em_record_read(struct em_slot *slot);
