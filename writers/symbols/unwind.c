/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unwinds a copied stack frame by frame: by rules that are cached for each address, and by libdwfl if a rule
 * is not simple. Called by symbols.c for each sample.
 */
#include "writers/symbols/unwind.h"

#include "src/core/hash.h"
#include "writers/symbols/image.h"
#include "writers/symbols/registers.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Rules to find a frame's caller at an address of a function, from its call frame information. Compilers emit
 * for nearly all functions a base of register plus offset, and registers that are kept or stored relative to
 * the base. A rule is valid for all visits of the address, so it is read only once. */

enum caller_value {
    CALLER_UNKNOWN,
    CALLER_SAME,   /* Same value as in the frame itself. */
    CALLER_STORED, /* In memory, `offset` bytes from the frame's base. */
    CALLER_BASE    /* The frame's base plus `offset`. */
};

struct frame_rule {
    bool simple;             /* False: libdwfl has to unwind the stack. */
    uint8_t base_register;   /* Register from which the frame's base is computed. */
    uint8_t return_register; /* Register with the caller's program counter; unknown at the end of a stack. */
    int64_t base_offset;     /* Offset of the base from the base register, bytes. */
    struct caller_register {
        enum caller_value value;
        int32_t offset;
    } caller[OMPTAPE_DWARF_REGISTERS]; /* Indexed by DWARF's register number. */
};

/* Returns false if the base is not a register plus an offset. */
static bool read_base(Dwarf_Frame *frame, struct frame_rule *rule)
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

/* Reads the caller's value of a register from libdw's operations. False for other operations. */
static bool read_operations(const Dwarf_Op *ops, size_t count, struct caller_register *caller)
{
    if (ops[0].atom != DW_OP_call_frame_cfa)
        return false;
    caller->value = CALLER_STORED;
    if (ops[count - 1].atom == DW_OP_stack_value) {
        caller->value = CALLER_BASE;
        count--;
    }
    if (count == 1)
        return true;
    const int64_t offset = (int64_t)ops[1].number;
    caller->offset = (int32_t)offset;
    return count == 2 && ops[1].atom == DW_OP_plus_uconst && offset == (int32_t)offset;
}

static bool read_register(Dwarf_Frame *frame, int number, struct caller_register *caller)
{
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
        return false;
    if (count > 0)
        return read_operations(ops, count, caller);
    caller->value = ops == NULL ? CALLER_SAME : CALLER_UNKNOWN;
    return true;
}

static bool read_frame(Dwarf_Frame *frame, struct frame_rule *rule)
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

/* Reads the rule of an address. Returns false if the address is in none of the open modules. */
static bool read_rule(Dwfl *dwfl, uint64_t address, struct frame_rule *rule)
{
    Dwarf_Addr bias;
    Dwarf_Frame *frame;
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    Dwarf_CFI *information = module != NULL ? dwfl_module_eh_cfi(module, &bias) : NULL;
    *rule = (struct frame_rule){.simple = false};
    if (information == NULL || dwarf_cfi_addrframe(information, address - bias, &frame) != 0)
        return module != NULL;
    rule->simple = read_frame(frame, rule);
    free(frame);
    return true;
}

/* No stack lies below this address; at the begin of a stack frame pointers are 0. */
enum { NO_STACK = 4096 };

/* Id of the only thread that libdwfl sees. */
enum { ANY_THREAD = 1 };

struct omptape_unwinder {
    Dwfl *dwfl;
    bool attached;
    struct omptape_hash reported; /* Maps the start of a mapping to its code's number + 1. */
    struct omptape_hash rules;    /* Maps an address to its struct frame_rule. */
    struct omptape_image *image;
    const struct omptape_stack_copy *copy;
    struct omptape_call_path *path;
    bool unread;                          /* True if memory outside the copy was requested. */
    const struct omptape_mapping *wanted; /* Mapping of a frame whose module is not open yet; NULL: none. */
};

/* libdwfl's callbacks have parameters that are not needed here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Provides the writer's own vDSO, because the kernel maps the same code into all processes. */
static int find_vdso(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file,
                     Elf **elf)
{
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    char *image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    (void)dwfl_module_info(module, NULL, &start, &end, NULL, NULL, NULL, NULL);
    if (image != NULL && strcmp(name, "[vdso]") == 0)
        *elf = elf_memory(image, end - start);
    return -1;
}

static int find_no_debug_info(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                              const char *file, const char *link, GElf_Word checksum, char **found)
{
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_vdso, .find_debuginfo = find_no_debug_info};

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
    if (*thread != NULL)
        return 0;
    *thread = data;
    return ANY_THREAD;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *data, void **thread)
{
    *thread = data;
    return true;
}

static bool read_copy(const struct omptape_stack_copy *copy, uint64_t address, uint64_t *value)
{
    const uint64_t from = address - copy->registers[OMPTAPE_REGISTER_SP];
    if (from >= copy->count || copy->count - from < sizeof(*value))
        return false;
    memcpy(value, copy->bytes + from, sizeof(*value));
    return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *value, void *data)
{
    struct omptape_unwinder *unwinder = data;
    const bool read = read_copy(unwinder->copy, address, value);
    unwinder->unread |= !read && address >= NO_STACK;
    return read;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
    const struct omptape_unwinder *unwinder = data;
    Dwarf_Word words[OMPTAPE_DWARF_REGISTERS];
    for (unsigned i = 0; i < OMPTAPE_DWARF_REGISTERS; i++)
        words[i] = unwinder->copy->registers[omptape_dwarf_registers[i]];
    if (OMPTAPE_PC_IS_NUMBERED == 0)
        dwfl_thread_state_register_pc(thread, unwinder->copy->registers[OMPTAPE_REGISTER_PC]);
    return dwfl_thread_state_registers(thread, 0, OMPTAPE_DWARF_REGISTERS, words);
}

#pragma GCC diagnostic pop

static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = next_thread,
                                                       .get_thread = get_thread,
                                                       .memory_read = read_memory,
                                                       .set_initial_registers = set_registers};

static void report_file(struct omptape_unwinder *unwinder, struct omptape_image *image,
                        const struct omptape_mapping *mapping)
{
    struct omptape_image_address place;
    const uint32_t code = image->code_id;
    image->code_id = mapping->code_id;
    const bool found = omptape_image_find(image, mapping->start, &place) && place.module != NULL;
    image->code_id = code;
    const int fd = found ? omptape_module_open_file(mapping->path) : -1;
    if (fd >= 0 && dwfl_report_elf(unwinder->dwfl, mapping->path, mapping->path, fd,
                                   mapping->start - place.address, true) == NULL)
        close(fd);
}

/* Opens the module of the mapping. Failures are not retried. */
static void report_module(struct omptape_unwinder *unwinder, struct omptape_image *image,
                          const struct omptape_mapping *mapping)
{
    (void)omptape_hash_put(&unwinder->reported, mapping->start, (void *)(uintptr_t)(1 + mapping->code_id));
    dwfl_report_begin_add(unwinder->dwfl);
    if (mapping->file)
        report_file(unwinder, image, mapping);
    else if (mapping->path != NULL && strcmp(mapping->path, "[vdso]") == 0)
        dwfl_report_module(unwinder->dwfl, mapping->path, mapping->start, mapping->end);
    (void)dwfl_report_end(unwinder->dwfl, NULL, NULL);
    if (!unwinder->attached)
        unwinder->attached = dwfl_attach_state(unwinder->dwfl, NULL, ANY_THREAD, &thread_callbacks, unwinder);
}

static void free_modules(struct omptape_unwinder *unwinder)
{
    dwfl_end(unwinder->dwfl);
    omptape_hash_free(&unwinder->reported);
    for (size_t i = 0; i < unwinder->rules.capacity; i++)
        if (unwinder->rules.entries[i].key != 0)
            free(unwinder->rules.entries[i].value);
    omptape_hash_free(&unwinder->rules);
}

/* Closes all modules, because another one lies at the address of one of them. */
static void close_modules(struct omptape_unwinder *unwinder)
{
    free_modules(unwinder);
    *unwinder = (struct omptape_unwinder){.dwfl = dwfl_begin(&callbacks),
                                          .image = unwinder->image,
                                          .copy = unwinder->copy,
                                          .path = unwinder->path,
                                          .wanted = unwinder->wanted};
}

/* Returns the mapping of an address if its module must still be opened, or NULL. */
static const struct omptape_mapping *find_unreported(const struct omptape_unwinder *unwinder,
                                                     uint64_t address)
{
    const struct omptape_mapping *mapping = omptape_maps_find(&unwinder->image->maps, address);
    if (mapping == NULL)
        return NULL;
    const uintptr_t known = (uintptr_t)omptape_hash_get(&unwinder->reported, mapping->start);
    return known == 1 + (uintptr_t)mapping->code_id ? NULL : mapping;
}

static int take_frame(Dwfl_Frame *frame, void *data)
{
    struct omptape_unwinder *unwinder = data;
    struct omptape_call_path *path = unwinder->path;
    Dwarf_Addr pc;
    bool interrupted;
    if (!dwfl_frame_pc(frame, &pc, &interrupted) || path->count == OMPTAPE_MAX_CALL_PATH)
        return DWARF_CB_ABORT;
    const uint64_t address = interrupted ? pc + 1 : pc;
    unwinder->wanted = find_unreported(unwinder, address - 1);
    if (unwinder->wanted != NULL)
        return DWARF_CB_ABORT;
    path->addresses[path->count++] = address;
    return DWARF_CB_OK;
}

/* Returns NULL if no module lies there or memory is exhausted. */
static const struct frame_rule *find_rule(struct omptape_unwinder *unwinder, uint64_t address)
{
    struct frame_rule *rule = omptape_hash_get(&unwinder->rules, address);
    if (rule != NULL)
        return rule;
    rule = malloc(sizeof(*rule));
    if (rule == NULL)
        return NULL;
    if (read_rule(unwinder->dwfl, address, rule) && omptape_hash_put(&unwinder->rules, address, rule) == 0)
        return rule;
    free(rule);
    return NULL;
}

/* Known registers of a frame, indexed by DWARF's number. */
struct frame {
    uint64_t words[OMPTAPE_DWARF_REGISTERS];
    uint64_t known; /* One bit for each known register. */
};

static bool is_known(const struct frame *frame, unsigned number)
{
    return (frame->known >> number & 1) != 0;
}

/* Replaces the frame by its caller's frame. */
static void leave_frame(const struct omptape_stack_copy *copy, const struct frame_rule *rule, uint64_t base,
                        struct frame *frame)
{
    const struct frame callee = *frame;
    frame->known = 0;
    for (unsigned i = 0; i < OMPTAPE_DWARF_REGISTERS; i++) {
        const struct caller_register *caller = &rule->caller[i];
        const uint64_t address = base + (uint64_t)(int64_t)caller->offset;
        bool known = caller->value == CALLER_BASE;
        frame->words[i] = known ? address : callee.words[i];
        if (caller->value == CALLER_SAME)
            known = is_known(&callee, i);
        else if (caller->value == CALLER_STORED)
            known = read_copy(copy, address, &frame->words[i]);
        frame->known |= (uint64_t)known << i;
    }
}

/* DWARF's numbers of x86-64; not used on other machines. */
enum {
    X86_FRAME_POINTER = OMPTAPE_PC_IS_NUMBERED ? 6 : 0,
    X86_STACK_POINTER = OMPTAPE_PC_IS_NUMBERED ? 7 : 0,
    X86_RETURN = OMPTAPE_PC_IS_NUMBERED ? 16 : 0
};

/* Returns true if a call that ends at the return address leads to the function, or if it is an indirect one.
 */
static bool may_call(struct omptape_image *image, uint64_t return_address,
                     const struct omptape_image_address *place, const struct omptape_symbol *function)
{
    struct omptape_image_address call;
    struct omptape_callee callee;
    if (!omptape_image_find(image, return_address - 1, &call) || call.module == NULL)
        return false;
    if (omptape_callee_of_call(&call, &callee))
        return callee.here ? call.module == place->module && callee.start.address == function->low
                           : call.module != place->module && strcmp(callee.name, function->name) == 0;
    const struct omptape_code *code = omptape_module_code(call.module);
    return code != NULL && omptape_code_is_indirect(code, call.address + 1);
}

/* Finds the frame of a function with frame pointer, as all have at -O0 and in some distributions. A sleeping
 * thread's frame pointer is unknown, but it leads to the caller's one and a return address behind a call of
 * the function. Returns false if there is no such place in the copy. */
static bool find_frame(struct omptape_unwinder *unwinder, struct frame *frame, const struct frame_rule *rule,
                       uint64_t address)
{
    enum { WORD = 8, SAVED = -16, MAX_FRAME = 1 << 20 };
    const struct caller_register *saved = &rule->caller[X86_FRAME_POINTER];
    struct omptape_image_address place;
    struct omptape_symbol function;
    uint64_t outer;
    uint64_t back;
    if (!OMPTAPE_PC_IS_NUMBERED || rule->base_register != X86_FRAME_POINTER || rule->base_offset != -SAVED ||
        saved->value != CALLER_STORED || saved->offset != SAVED || !is_known(frame, X86_STACK_POINTER) ||
        !omptape_image_find(unwinder->image, address, &place) || place.module == NULL ||
        !omptape_module_symbol(place.module, place.address, &function))
        return false;
    for (uint64_t at = frame->words[X86_STACK_POINTER];
         read_copy(unwinder->copy, at, &outer) && read_copy(unwinder->copy, at + WORD, &back); at += WORD)
        if (outer > at && outer - at < MAX_FRAME && may_call(unwinder->image, back, &place, &function)) {
            frame->words[X86_FRAME_POINTER] = at;
            frame->known |= UINT64_C(1) << X86_FRAME_POINTER;
            return true;
        }
    return false;
}

/* Result of following a stack. */
enum unwind_step { UNWIND_CONTINUES, UNWIND_COMPLETE, UNWIND_TRUNCATED, UNWIND_NEEDS_LIBDWFL };

/* Appends the frame's address to the path, and sets *pc to the caller's address. `innermost`: the program
 * counter is no return address. */
static enum unwind_step follow_frame(struct omptape_unwinder *unwinder, struct frame *frame, uint64_t *pc,
                                     bool innermost)
{
    struct omptape_call_path *path = unwinder->path;
    const uint64_t address = innermost ? *pc : *pc - 1;
    unwinder->wanted = path->count < OMPTAPE_MAX_CALL_PATH ? find_unreported(unwinder, address) : NULL;
    if (unwinder->wanted != NULL || path->count == OMPTAPE_MAX_CALL_PATH)
        return UNWIND_TRUNCATED;
    const struct frame_rule *rule = find_rule(unwinder, address);
    if (rule == NULL || !rule->simple)
        return UNWIND_NEEDS_LIBDWFL;
    path->addresses[path->count++] = address + 1;
    if (!is_known(frame, rule->base_register) && !find_frame(unwinder, frame, rule, address))
        return UNWIND_TRUNCATED;
    const uint64_t base = frame->words[rule->base_register] + (uint64_t)rule->base_offset;
    const struct caller_register *counter = &rule->caller[rule->return_register];
    if (counter->value == CALLER_UNKNOWN || base < NO_STACK)
        return UNWIND_COMPLETE;
    leave_frame(unwinder->copy, rule, base, frame);
    if (!is_known(frame, rule->return_register))
        return UNWIND_TRUNCATED;
    *pc = frame->words[rule->return_register];
    return *pc != 0 ? UNWIND_CONTINUES : UNWIND_COMPLETE;
}

/* Follows the stack by rules. Returns true if the path ends with the copy, or a module must be opened. */
static bool follow_rules(struct omptape_unwinder *unwinder)
{
    const struct omptape_stack_copy *copy = unwinder->copy;
    uint64_t pc = copy->registers[OMPTAPE_REGISTER_PC];
    const uint64_t few = UINT64_C(1) << X86_STACK_POINTER | UINT64_C(1) << X86_RETURN;
    struct frame frame = {.known = copy->few_registers && OMPTAPE_PC_IS_NUMBERED ? few : UINT64_MAX};
    enum unwind_step step = UNWIND_CONTINUES;
    for (unsigned i = 0; i < OMPTAPE_DWARF_REGISTERS; i++)
        frame.words[i] = copy->registers[omptape_dwarf_registers[i]];
    unwinder->path->count = 0;
    for (bool innermost = true; step == UNWIND_CONTINUES; innermost = false)
        step = follow_frame(unwinder, &frame, &pc, innermost);
    unwinder->path->complete = step == UNWIND_COMPLETE;
    return step != UNWIND_NEEDS_LIBDWFL;
}

static void follow_stack(struct omptape_unwinder *unwinder)
{
    struct omptape_call_path *path = unwinder->path;
    if (follow_rules(unwinder))
        return;
    path->count = 0;
    unwinder->wanted = NULL;
    unwinder->unread = false;
    /* libdwfl treats an unreadable return address, or a frame of unreadable base, as the end of the stack. */
    path->complete = unwinder->attached &&
                     dwfl_getthread_frames(unwinder->dwfl, ANY_THREAD, take_frame, unwinder) == DWARF_CB_OK &&
                     !unwinder->unread;
    if (path->count > 0 || unwinder->wanted != NULL)
        return;
    /* Without a module libdwfl does not know the machine. */
    const uint64_t pc = unwinder->copy->registers[OMPTAPE_REGISTER_PC];
    unwinder->wanted = find_unreported(unwinder, pc);
    path->addresses[path->count++] = pc + 1;
}

bool omptape_unwind(struct omptape_unwinder **own, struct omptape_image *image,
                    const struct omptape_stack_copy *copy, struct omptape_call_path *path)
{
    struct omptape_unwinder *unwinder = *own;
    *path = (struct omptape_call_path){.count = 0};
    if (unwinder == NULL && OMPTAPE_REGISTERS > 0) {
        unwinder = calloc(1, sizeof(*unwinder));
        *own = unwinder;
    }
    if (unwinder == NULL)
        return false;
    if (unwinder->dwfl == NULL)
        unwinder->dwfl = dwfl_begin(&callbacks);
    if (unwinder->dwfl == NULL)
        return false;
    unwinder->image = image;
    unwinder->copy = copy;
    unwinder->path = path;
    follow_stack(unwinder);
    for (uint32_t turn = 0; unwinder->wanted != NULL && turn <= image->maps.count; turn++) {
        if (omptape_hash_get(&unwinder->reported, unwinder->wanted->start) != NULL)
            close_modules(unwinder);
        if (unwinder->dwfl != NULL)
            report_module(unwinder, image, unwinder->wanted);
        follow_stack(unwinder);
    }
    return path->count > 0;
}

void omptape_unwind_free(struct omptape_unwinder *unwinder)
{
    if (unwinder == NULL)
        return;
    free_modules(unwinder);
    free(unwinder);
}
