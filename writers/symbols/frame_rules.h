/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules to find a frame's caller at an address of a function, from its call frame information. A rule is
 * valid for all visits of the address, so it is read only once.
 */
#pragma once

#include "writers/symbols/registers.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

enum omptape_caller_value {
    OMPTAPE_CALLER_UNKNOWN,
    OMPTAPE_CALLER_SAME,   /* Same value as in the frame itself. */
    OMPTAPE_CALLER_STORED, /* In memory, `offset` bytes from the frame's base. */
    OMPTAPE_CALLER_BASE    /* The frame's base plus `offset`. */
};

struct omptape_frame_rule {
    bool simple;             /* False: libdwfl has to unwind the stack. */
    uint8_t base_register;   /* Register from which the frame's base is computed. */
    uint8_t return_register; /* Register with the caller's program counter; unknown at the end of a stack. */
    int64_t base_offset;     /* Offset of the base from the base register, bytes. */
    struct omptape_caller_register {
        enum omptape_caller_value value;
        int32_t offset;
    } caller[OMPTAPE_DWARF_REGISTERS]; /* Indexed by DWARF's register number. */
};

/* Reads the rule of an address. Returns false if the address is in none of the open modules. */
bool omptape_frame_rule_read(Dwfl *dwfl, uint64_t address, struct omptape_frame_rule *rule);
