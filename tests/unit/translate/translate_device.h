/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices and their records, by the names of what happens, for the tests of their translation. Used on the
 * test's main thread.
 *
 * There are two devices, 0 and 1; the host's number is 2. The host's thread is 0, location 0. A device's
 * clock shows DEVICE_AHEAD more than the host's, exactly.
 */
#pragma once

#include "tests/unit/translate/translate_script.h"
#include "writers/devices/state.h"

enum { HOST_DEVICE = 2, DEVICE_AHEAD = 5000000, TARGET_ID = 900, SITE_TARGET = 0x7000 };
/* Where times lie in these tests: operations between BEGIN_OF_WORK and END_OF_WORK, records delivered then.
 */
enum { BEGIN_OF_WORK = 100000, END_OF_WORK = 900000, END_OF_ALL = 1000000 };

/* Thread 0 and devices 0 and 1, told by the runtime; a target construct on `device` begins at BEGIN_OF_WORK,
 * whose operations have the id TARGET_ID as their target. */
void start_target(int device);
/* The construct ends at END_OF_WORK, and the archive is read back. */
void finish_target(int device);

/* The device has its records from there, and its clock was read at the begin and the end. */
void put_tracing(unsigned thread, int device, enum omptape_device_producer producer);

/* The same, but there is no clock to read. */
void put_tracing_without_clock(int device);

/* The host's operations, from `begin` to `end`. */
void put_kernel(uint64_t id, uint64_t begin, uint64_t end, uint32_t teams);
void put_transfer(uint64_t id, uint64_t begin, uint64_t end, ompt_target_data_op_t type, int device,
                  uint64_t bytes);
/* Memory at `address` of device 0. */
void put_alloc(uint64_t id, uint64_t time, uint64_t address, uint64_t bytes);
void put_delete(uint64_t id, uint64_t time, uint64_t address);

/* Records of a device, with times of the host's (which are converted), delivered by the thread at
 * END_OF_WORK; time 0 stays 0. */
void put_kernel_record(unsigned thread, int device, uint64_t id, uint64_t begin, uint64_t end);
void put_transfer_record(unsigned thread, int device, uint64_t id, uint64_t begin, uint64_t end,
                         ompt_target_data_op_t type, uint64_t bytes);
/* One of a thread of the device: a record whose union begins with these two numbers. */
void put_scope_record(int device, unsigned type, uint64_t thread, uint64_t time, uint32_t first,
                      uint32_t second);

struct native {
    enum omptape_activity activity;
    enum omptape_copy copy;
    int device;
    uint64_t begin;
    uint64_t end;
    uint64_t stream;
    uint64_t operation;
    uint64_t bytes;
    uint64_t correlation;
    const char *name; /* NULL: none */
};
void put_native(const struct native *native);

/* A record that only says which operation a correlation id belongs to. */
void put_explanation(int device, uint64_t operation, uint64_t correlation);

const struct omptape_device_counts *counts_of(int device);

/* Fails unless there is exactly one location of this name, with this text. */
void expect_location(const char *name, const char *text);
/* Fails if there is one. */
void expect_no_location(const char *name);
