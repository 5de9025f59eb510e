/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decodes calls and jumps in a module's machine code, as far as needed to distinguish calls from tail calls.
 * Supports x86-64 and aarch64; not a disassembler. On x86-64 any byte is tried as the begin of an
 * instruction, so the result may be wrong. It is used only if it leads to the begin of a function or object.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_code;

/* Reads the module's imports; code is read on demand. The ELF must outlive the object. Returns NULL if out of
 * memory. */
struct omptape_code *omptape_code_create(Elf *elf);
void omptape_code_free(struct omptape_code *code);

/* A piece of code, by linked addresses. All zeros: none, or code of another machine. */
struct omptape_code_range {
    const struct omptape_code *code;
    const unsigned char *bytes;
    uint64_t low, high;
    unsigned step; /* Distance between possible begins of instructions. */
};

/* Returns the code from `low` to `high`, limited to what the file has. */
struct omptape_code_range omptape_code_range(const struct omptape_code *code, uint64_t low, uint64_t high);

/* Target of a call or jump: the function `import` of any module, or, if NULL, `address` in this one. */
struct omptape_code_target {
    const char *import;
    uint64_t address;
};

bool omptape_code_is_x86(const struct omptape_code *code);

/* Sets the target of a direct call that ends at the address. Returns false if there is none. */
bool omptape_code_call_before(const struct omptape_code *code, uint64_t address,
                              struct omptape_code_target *target);

/* Returns true if an indirect call ends at the address, except one through a slot that the loader sets. */
bool omptape_code_is_indirect(const struct omptape_code *code, uint64_t address);

/* Sets the target of a direct jump that begins at the address in the range. Returns false if there is
 * none, or if it stays in the range. */
bool omptape_code_jump_at(const struct omptape_code_range *range, uint64_t address,
                          struct omptape_code_target *target);

/* Decodes an instruction at the address in the range that loads an address. False for others. */
bool omptape_code_address_at(const struct omptape_code_range *range, uint64_t address, uint64_t *found);

/* Finds the address in the module that the code passes as first argument to the call or jump at `address`.
 * Returns false if it cannot be determined, and always on aarch64. */
bool omptape_code_first_argument(const struct omptape_code_range *range, uint64_t address, uint64_t *found);

/* An instruction that moves a register to or from a word on the stack. */
struct omptape_code_slot {
    uint64_t address; /* Of the instruction. */
    unsigned base;    /* DWARF's number of the stack or frame pointer. */
    int64_t offset;   /* Of the word from that register. */
};

/* Finds the load by which the first argument comes from the stack. Otherwise as the function above. */
bool omptape_code_argument_load(const struct omptape_code_range *range, uint64_t address,
                                struct omptape_code_slot *load);

/* Finds the last store of a register to the stack before the address. *found receives the address in the
 * module that the register has; 0: unknown. Returns false if there is no store, and always on aarch64. */
bool omptape_code_store_before(const struct omptape_code_range *range, uint64_t address,
                               struct omptape_code_slot *store, uint64_t *found);
