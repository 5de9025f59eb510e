/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes runtimes call omptape in a program that defines its own ompt_start_tool. The loader finds the
 * program's function before the functions of all libraries, so the runtime would never call omptape's. This
 * file replaces the address of ompt_start_tool that the loader has stored in all libraries, before main. A
 * runtime that is linked into the program calls the program's function directly and is not affected.
 */
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* LLVM 14's header lacks it. NOLINTNEXTLINE(readability-redundant-declaration) */
extern omptape_start_tool_function ompt_start_tool;

static omptape_start_tool_function *_Atomic program_tool;

omptape_start_tool_function *omptape_program_tool(void)
{
    return atomic_load(&program_tool);
}

/* The dynamic section of an object, as far as needed to find its imports. */
struct imports {
    const ElfW(Dyn) * dynamic;
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * relocations[2]; /* DT_RELA and DT_JMPREL */
    size_t bytes[2];
    uintptr_t protected_from; /* begin of PT_GNU_RELRO, which the loader makes read-only */
    uintptr_t protected_to;
};

static const void *address_in(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return (const void *)(value < object->dlpi_addr ? value + object->dlpi_addr : value);
}

static void read_segments(const struct dl_phdr_info *object, struct imports *imports)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_DYNAMIC)
            imports->dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_GNU_RELRO) {
            imports->protected_from = object->dlpi_addr + segment->p_vaddr;
            imports->protected_to = imports->protected_from + segment->p_memsz;
        }
    }
}

static void read_dynamic(const struct dl_phdr_info *object, struct imports *imports)
{
    for (const ElfW(Dyn) *entry = imports->dynamic; entry != NULL && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            imports->strings = address_in(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_SYMTAB)
            imports->symbols = address_in(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_RELA)
            imports->relocations[0] = address_in(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_RELASZ)
            imports->bytes[0] = entry->d_un.d_val;
        else if (entry->d_tag == DT_JMPREL)
            imports->relocations[1] = address_in(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_PLTRELSZ)
            imports->bytes[1] = entry->d_un.d_val;
}

static void replace(const struct imports *imports, uintptr_t *slot)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const bool is_protected =
        (uintptr_t)slot >= imports->protected_from && (uintptr_t)slot < imports->protected_to;
    void *first = (void *)((uintptr_t)slot & ~(page - 1));
    if (is_protected && mprotect(first, page, PROT_READ | PROT_WRITE) != 0)
        return;
    *slot = (uintptr_t)omptape_start_tool;
    if (is_protected)
        (void)mprotect(first, page, PROT_READ);
}

static bool names_start(const struct imports *imports, const ElfW(Rela) * relocation)
{
    const size_t number = ELF64_R_SYM(relocation->r_info);
    return number != 0 && strcmp(imports->strings + imports->symbols[number].st_name, "ompt_start_tool") == 0;
}

/* Callback of dl_iterate_phdr for each object; the program itself has an empty name. */
static int replace_in(struct dl_phdr_info *object, size_t size, void *data)
{
    struct imports imports = {0};
    (void)size;
    (void)data;
    if (object->dlpi_name == NULL || object->dlpi_name[0] == '\0')
        return 0;
    read_segments(object, &imports);
    read_dynamic(object, &imports);
    for (int table = 0; table < 2 && imports.symbols != NULL && imports.strings != NULL; table++)
        for (size_t i = 0; i < imports.bytes[table] / sizeof(ElfW(Rela)); i++)
            if (names_start(&imports, &imports.relocations[table][i]))
                replace(&imports, (uintptr_t *)(object->dlpi_addr + imports.relocations[table][i].r_offset));
    return 0;
}

/* Callback of dl_iterate_phdr: whether the address `data` lies in the program, the first object. */
static int contains(struct dl_phdr_info *object, size_t size, void *data)
{
    uintptr_t *address = data;
    bool found = false;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        found |= segment->p_type == PT_LOAD &&
                 *address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
    }
    return found ? 1 : -1;
}

__attribute__((constructor)) static void stand_before_program(void)
{
    omptape_start_tool_function *found = ompt_start_tool;
    uintptr_t address = (uintptr_t)found;
    /* In most programs this library's own function is found, and nothing needs to be replaced. */
    if (found == omptape_start_tool || !omptape_libc_may_act() || dl_iterate_phdr(contains, &address) <= 0)
        return;
    const int saved = errno;
    atomic_store(&program_tool, found);
    (void)dl_iterate_phdr(replace_in, NULL);
    errno = saved;
}
