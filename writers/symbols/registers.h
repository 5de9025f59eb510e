/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Registers of a thread requested from perf_event_open, and their DWARF numbers. Constant data.
 */
#pragma once

#include <stdint.h>

/* The bits of perf_event_attr.sample_regs_user (perf_regs.h), all for general-purpose registers.
 * OMPTAPE_REGISTERS is their number in a sample; 0: no samples on this machine. DWARF numbers the first
 * OMPTAPE_DWARF_REGISTERS from 0. The last of these is the program counter if OMPTAPE_PC_IS_NUMBERED. */
#if defined(__x86_64__)
#define OMPTAPE_REGISTER_MASK UINT64_C(0xff01ff)
enum {
    OMPTAPE_REGISTERS = 17,
    OMPTAPE_REGISTER_BP = 6,
    OMPTAPE_REGISTER_SP = 7,
    OMPTAPE_REGISTER_PC = 8,
    OMPTAPE_DWARF_REGISTERS = 17,
    OMPTAPE_PC_IS_NUMBERED = 1
};
/* Maps DWARF's number to the index in a sample. */
static const uint8_t omptape_dwarf_registers[OMPTAPE_DWARF_REGISTERS] = {0,  3,  2,  1,  4,  5,  6,  7, 9,
                                                                         10, 11, 12, 13, 14, 15, 16, 8};
#elif defined(__aarch64__)
#define OMPTAPE_REGISTER_MASK UINT64_C(0x1ffffffff)
enum {
    OMPTAPE_REGISTERS = 33,
    OMPTAPE_REGISTER_BP = 29,
    OMPTAPE_REGISTER_SP = 31,
    OMPTAPE_REGISTER_PC = 32,
    OMPTAPE_DWARF_REGISTERS = 32,
    OMPTAPE_PC_IS_NUMBERED = 0
};
static const uint8_t omptape_dwarf_registers[OMPTAPE_DWARF_REGISTERS] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#else
#define OMPTAPE_REGISTER_MASK UINT64_C(0)
enum {
    OMPTAPE_REGISTERS = 0,
    OMPTAPE_REGISTER_BP = 0,
    OMPTAPE_REGISTER_SP = 0,
    OMPTAPE_REGISTER_PC = 0,
    OMPTAPE_DWARF_REGISTERS = 1,
    OMPTAPE_PC_IS_NUMBERED = 0
};
static const uint8_t omptape_dwarf_registers[OMPTAPE_DWARF_REGISTERS] = {0};
#endif
