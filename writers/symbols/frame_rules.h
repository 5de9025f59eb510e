/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a frame's caller is found at one address of a function, as the call frame information there says. A
 * rule holds for each visit of that address, so that it is read once.
 */
#pragma once

#include "writers/symbols/registers.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

enum omptape_caller_value {
    OMPTAPE_CALLER_UNKNOWN,
    OMPTAPE_CALLER_SAME,   /* as in the frame itself */
    OMPTAPE_CALLER_STORED, /* in memory, `offset` bytes from the frame's base */
    OMPTAPE_CALLER_BASE    /* the frame's base and `offset` */
};

struct omptape_frame_rule {
    bool simple;             /* else libdwfl has to unwind the stack */
    uint8_t base_register;   /* the frame's base is this register... */
    uint8_t return_register; /* which the caller's program counter is in; unknown at the end of a stack */
    int64_t base_offset;     /* ...and so many bytes */
    struct omptape_caller_register {
        enum omptape_caller_value value;
        int32_t offset;
    } caller[OMPTAPE_DWARF_REGISTERS]; /* by DWARF's numbers */
};

/* Reads the rule of an address. False: none of the open modules lies there. */
bool omptape_frame_rule_read(Dwfl *dwfl, uint64_t address, struct omptape_frame_rule *rule);
