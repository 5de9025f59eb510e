/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libdwfl over a copied stack. Called by symbols.c for each sample.
 */
#include "writers/symbols/unwind.h"

#include "src/core/hash.h"
#include "writers/symbols/loaded.h"
#include "writers/symbols/registers.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Below that lies no stack: where it begins, frame pointers are 0. */
enum { NO_STACK = 4096 };

/* The one thread that libdwfl is shown. */
enum { ANY_THREAD = 1 };

struct omptape_unwinder {
    Dwfl *dwfl;
    bool attached;
    struct omptape_hash reported; /* start of a mapping -> 1 + its code's number */
    const struct omptape_loaded *loaded;
    const struct omptape_stack_copy *copy;
    struct omptape_call_path *path;
    bool unread;                          /* something was asked for that the copy does not have */
    const struct omptape_mapping *wanted; /* a frame lies in this module, which is not open yet */
};

/* The kernel maps the same code into all processes. */
static int find_vdso(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file,
                     Elf **elf)
{
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    (void)data;
    (void)base;
    (void)file;
    char *image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    (void)dwfl_module_info(module, NULL, &start, &end, NULL, NULL, NULL, NULL);
    if (image != NULL && strcmp(name, "[vdso]") == 0)
        *elf = elf_memory(image, end - start);
    return -1;
}

static int find_no_debug_info(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                              const char *file, const char *link, GElf_Word checksum, char **found)
{
    (void)module;
    (void)data;
    (void)name;
    (void)base;
    (void)file;
    (void)link;
    (void)checksum;
    (void)found;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_vdso, .find_debuginfo = find_no_debug_info};

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
    (void)dwfl;
    if (*thread != NULL)
        return 0;
    *thread = data;
    return ANY_THREAD;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *data, void **thread)
{
    (void)dwfl;
    (void)tid;
    *thread = data;
    return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *value, void *data)
{
    struct omptape_unwinder *unwinder = data;
    const struct omptape_stack_copy *copy = unwinder->copy;
    const uint64_t from = address - copy->registers[OMPTAPE_REGISTER_SP];
    (void)dwfl;
    if (from >= copy->count || copy->count - from < sizeof(*value)) {
        unwinder->unread |= address >= NO_STACK;
        return false;
    }
    memcpy(value, copy->bytes + from, sizeof(*value));
    return true;
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

static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = next_thread,
                                                       .get_thread = get_thread,
                                                       .memory_read = read_memory,
                                                       .set_initial_registers = set_registers};

static void report_file(struct omptape_unwinder *unwinder, struct omptape_loaded *loaded,
                        const struct omptape_mapping *mapping)
{
    struct omptape_loaded_place place;
    const uint32_t code = loaded->code;
    loaded->code = mapping->code;
    const bool found = omptape_loaded_find(loaded, mapping->start, &place) && place.module != NULL;
    loaded->code = code;
    const int fd = found ? omptape_module_open_file(mapping->path) : -1;
    if (fd >= 0 && dwfl_report_elf(unwinder->dwfl, mapping->path, mapping->path, fd,
                                   mapping->start - place.address, true) == NULL)
        close(fd);
}

/* Opens the module of the mapping. What cannot be opened is not asked for again. */
static void report_module(struct omptape_unwinder *unwinder, struct omptape_loaded *loaded,
                          const struct omptape_mapping *mapping)
{
    (void)omptape_hash_put(&unwinder->reported, mapping->start, (void *)(uintptr_t)(1 + mapping->code));
    dwfl_report_begin_add(unwinder->dwfl);
    if (mapping->file)
        report_file(unwinder, loaded, mapping);
    else if (mapping->path != NULL && strcmp(mapping->path, "[vdso]") == 0)
        dwfl_report_module(unwinder->dwfl, mapping->path, mapping->start, mapping->end);
    (void)dwfl_report_end(unwinder->dwfl, NULL, NULL);
    if (!unwinder->attached)
        unwinder->attached = dwfl_attach_state(unwinder->dwfl, NULL, ANY_THREAD, &thread_callbacks, unwinder);
}

/* Closes all modules: another one lies where one of them was. */
static void close_modules(struct omptape_unwinder *unwinder)
{
    dwfl_end(unwinder->dwfl);
    omptape_hash_free(&unwinder->reported);
    unwinder->dwfl = dwfl_begin(&callbacks);
    unwinder->reported = (struct omptape_hash){.entries = NULL};
    unwinder->attached = false;
}

/* The mapping of an address if its module is still to be opened, or NULL. */
static const struct omptape_mapping *find_unreported(const struct omptape_unwinder *unwinder,
                                                     uint64_t address)
{
    const struct omptape_mapping *mapping = omptape_maps_find(&unwinder->loaded->maps, address);
    if (mapping == NULL)
        return NULL;
    const uintptr_t known = (uintptr_t)omptape_hash_get(&unwinder->reported, mapping->start);
    return known == 1 + (uintptr_t)mapping->code ? NULL : mapping;
}

static int take_frame(Dwfl_Frame *frame, void *data)
{
    struct omptape_unwinder *unwinder = data;
    struct omptape_call_path *path = unwinder->path;
    Dwarf_Addr pc;
    bool interrupted;
    if (!dwfl_frame_pc(frame, &pc, &interrupted) || path->count == OMPTAPE_CALL_PATH_MOST)
        return DWARF_CB_ABORT;
    const uint64_t address = interrupted ? pc + 1 : pc;
    unwinder->wanted = find_unreported(unwinder, address - 1);
    if (unwinder->wanted != NULL)
        return DWARF_CB_ABORT;
    path->addresses[path->count++] = address;
    return DWARF_CB_OK;
}

static void follow_stack(struct omptape_unwinder *unwinder)
{
    struct omptape_call_path *path = unwinder->path;
    path->count = 0;
    unwinder->wanted = NULL;
    unwinder->unread = false;
    /* To libdwfl a return address that it cannot read is none, nor is one of a frame whose base it could not
     * read. */
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

bool omptape_unwind(struct omptape_unwinder **own, struct omptape_loaded *loaded,
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
    unwinder->loaded = loaded;
    unwinder->copy = copy;
    unwinder->path = path;
    follow_stack(unwinder);
    for (uint32_t turn = 0; unwinder->wanted != NULL && turn <= loaded->maps.count; turn++) {
        if (omptape_hash_get(&unwinder->reported, unwinder->wanted->start) != NULL)
            close_modules(unwinder);
        if (unwinder->dwfl != NULL)
            report_module(unwinder, loaded, unwinder->wanted);
        follow_stack(unwinder);
    }
    return path->count > 0;
}

void omptape_unwind_free(struct omptape_unwinder *unwinder)
{
    if (unwinder == NULL)
        return;
    dwfl_end(unwinder->dwfl);
    omptape_hash_free(&unwinder->reported);
    free(unwinder);
}
