/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls and jumps in a module's machine code, as far as telling calls from tail calls needs them: x86-64 and
 * aarch64, no disassembler. On x86-64 bytes are read wherever an instruction might begin, so a reading may be
 * wrong. It only counts if it leads exactly to where something begins.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_code;

/* Reads what the module imports; its code is read when asked for. The ELF must outlive the object. NULL when
 * there is no memory. */
struct omptape_code *omptape_code_create(Elf *elf);
void omptape_code_free(struct omptape_code *code);

/* A piece of code, by linked addresses; all zero: none, or code of another machine. */
struct omptape_code_range {
    const struct omptape_code *code;
    const unsigned char *bytes;
    uint64_t low, high;
    unsigned step; /* between places where an instruction may begin */
};

/* The code from `low` to `high`; cut where the file has no more of it. */
struct omptape_code_range omptape_code_range(const struct omptape_code *code, uint64_t low, uint64_t high);

/* Where a call or jump goes: to the function `import` of whatever module, or, if that is NULL, to `address`
 * in this one. */
struct omptape_code_target {
    const char *import;
    uint64_t address;
};

bool omptape_code_is_x86(const struct omptape_code *code);

/* Target of the direct call that may end at the address; false if there is none. */
bool omptape_code_call_before(const struct omptape_code *code, uint64_t address,
                              struct omptape_code_target *target);

/* True if what ends at the address is the call of a pointer, and not of one that the loader sets. */
bool omptape_code_is_indirect(const struct omptape_code *code, uint64_t address);

/* Target of the direct jump that may begin at the address in the range, but not one into the range itself. */
bool omptape_code_jump_at(const struct omptape_code_range *range, uint64_t address,
                          struct omptape_code_target *target);

/* The address that the instruction that may begin at the address in the range puts into a register; false if
 * it is none that does so. */
bool omptape_code_address_at(const struct omptape_code_range *range, uint64_t address, uint64_t *found);

/* The address of something in the module that the code before the call or jump at `address` hands over as its
 * first argument. False where it cannot be told, and always on aarch64. */
bool omptape_code_first_argument(const struct omptape_code_range *range, uint64_t address, uint64_t *found);
