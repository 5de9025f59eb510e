/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the call frame information that compilers emit for nearly all functions. It has a base of register
 * plus offset, and registers that are kept or stored relative to the base. Called by unwind.c.
 */
#include "writers/symbols/frame_rules.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

/* Returns false if the base is not a register plus an offset. */
static bool read_base(Dwarf_Frame *frame, struct omptape_frame_rule *rule)
{
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1 || ops[0].atom != DW_OP_bregx ||
        ops[0].number >= OMPTAPE_DWARF_REGISTERS)
        return false;
    rule->base_register = (uint8_t)ops[0].number;
    rule->base_offset = (int64_t)ops[0].number2;
    return true;
}

/* Reads the caller's value of a register from libdw's operations. Returns false for other kinds of
 * operations. */
static bool read_operations(const Dwarf_Op *ops, size_t count, struct omptape_caller_register *caller)
{
    if (ops[0].atom != DW_OP_call_frame_cfa)
        return false;
    caller->value = OMPTAPE_CALLER_STORED;
    if (ops[count - 1].atom == DW_OP_stack_value) {
        caller->value = OMPTAPE_CALLER_BASE;
        count--;
    }
    if (count == 1)
        return true;
    const int64_t offset = (int64_t)ops[1].number;
    caller->offset = (int32_t)offset;
    return count == 2 && ops[1].atom == DW_OP_plus_uconst && offset == (int32_t)offset;
}

static bool read_register(Dwarf_Frame *frame, int number, struct omptape_caller_register *caller)
{
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
        return false;
    if (count > 0)
        return read_operations(ops, count, caller);
    caller->value = ops == NULL ? OMPTAPE_CALLER_SAME : OMPTAPE_CALLER_UNKNOWN;
    return true;
}

static bool read_frame(Dwarf_Frame *frame, struct omptape_frame_rule *rule)
{
    bool signal;
    const int number = dwarf_frame_info(frame, NULL, NULL, &signal);
    if (number < 0 || number >= OMPTAPE_DWARF_REGISTERS || signal || !read_base(frame, rule))
        return false;
    rule->return_register = (uint8_t)number;
    for (int i = 0; i < OMPTAPE_DWARF_REGISTERS; i++)
        if (!read_register(frame, i, &rule->caller[i]))
            return false;
    return true;
}

bool omptape_frame_rule_read(Dwfl *dwfl, uint64_t address, struct omptape_frame_rule *rule)
{
    Dwarf_Addr bias;
    Dwarf_Frame *frame;
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    Dwarf_CFI *information = module != NULL ? dwfl_module_eh_cfi(module, &bias) : NULL;
    *rule = (struct omptape_frame_rule){.simple = false};
    if (information == NULL || dwarf_cfi_addrframe(information, address - bias, &frame) != 0)
        return module != NULL;
    rule->simple = read_frame(frame, rule);
    free(frame);
    return true;
}
