/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands around the CUPTI producer in its unit tests: the intake, which keeps what it is given, the
 * program that uses CUDA, and what the user reads. Once for a process.
 */
#pragma once

#include "device/cupti/cupti.h"
#include "device/interface.h"
#include "tests/cupti/driver.h"

#include <omptape/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_DEVICES = 16, MAX_RECORDS = 100000, OWN = OMPTAPE_FIRST_CUDA_DEVICE };

struct opened {
    int number;
    ompt_device_t *device;
    enum omptape_device_producer producer;
    char why[256];
    bool closed;
};
struct kept {
    struct omptape_record_detail detail;
    char name[32];
    uint64_t start;
};

/* What the intake was told, and how it is to behave. */
struct cupti_intake {
    struct opened opened[MAX_DEVICES];
    size_t opened_count;
    struct kept kept[MAX_RECORDS];
    size_t kept_count;
    size_t invalid_count;
    size_t completed_count;
    bool refuses_buffers;
    ompt_function_lookup_t lookup;
};
extern struct cupti_intake intake;

/* The entry point of this name, as a runtime's. */
ompt_interface_fn_t entry(const char *name);
#define CALL(type, name) ((type)entry(name))

size_t count_of(enum omptape_activity activity, int device);

/* The program. */
int begin_cuda(void);
void make_context(uint32_t device);
void do_work(struct driver_activity activity);
void do_kernel(uint32_t device, uint32_t stream, uint64_t start);
/* What the library does where CUDA calls it. */
int InitializeInjection(void);

/* What the callbacks of target operations were given; NULL: nothing. */
extern omptape_cupti_push_t push;
extern omptape_cupti_pop_t pop;
void correlate(omptape_cupti_push_t with_push, omptape_cupti_pop_t with_pop);

/* The last line that the user was told, and how many there were. */
extern char line[1024];
extern size_t lines_said;
