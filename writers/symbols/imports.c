/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a module's dynamic relocations: they name the functions behind the pointers of its procedure linkage
 * table. Called by code.c.
 */
#include "writers/symbols/imports.h"

#include "src/core/array.h"

#include <elf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>

/* One section of relocations, with its symbols. */
struct relocations {
    Elf_Data *entries;
    bool with_addend;
    size_t count;
    Elf_Data *symbols;
    size_t names; /* section of the symbols' names */
};

static bool is_pointer_to_function(unsigned machine, uint64_t info)
{
    uint64_t type = GELF_R_TYPE(info);
    switch (machine) {
    case EM_X86_64:
        return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    case EM_AARCH64:
        return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
    default:
        return false;
    }
}

static bool open_section(Elf *elf, Elf_Scn *section, struct relocations *relocations)
{
    GElf_Shdr header;
    GElf_Shdr symbols;
    if (gelf_getshdr(section, &header) == NULL || (header.sh_type != SHT_RELA && header.sh_type != SHT_REL))
        return false;
    Elf_Scn *linked = elf_getscn(elf, header.sh_link);
    if (linked == NULL || gelf_getshdr(linked, &symbols) == NULL || symbols.sh_type != SHT_DYNSYM)
        return false;
    relocations->with_addend = header.sh_type == SHT_RELA;
    relocations->entries = elf_getdata(section, NULL);
    relocations->symbols = elf_getdata(linked, NULL);
    relocations->names = symbols.sh_link;
    if (relocations->entries == NULL || relocations->entries->d_buf == NULL || relocations->symbols == NULL ||
        relocations->symbols->d_buf == NULL)
        return false;
    size_t entry = gelf_fsize(elf, relocations->with_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    relocations->count = entry ? relocations->entries->d_size / entry : 0;
    return relocations->count <= INT32_MAX;
}

static bool read_entry(const struct relocations *relocations, size_t index, uint64_t *slot, uint64_t *info)
{
    GElf_Rela rela;
    GElf_Rel rel;
    if (relocations->with_addend) {
        if (gelf_getrela(relocations->entries, (int)index, &rela) == NULL)
            return false;
        *slot = rela.r_offset;
        *info = rela.r_info;
        return true;
    }
    if (gelf_getrel(relocations->entries, (int)index, &rel) == NULL)
        return false;
    *slot = rel.r_offset;
    *info = rel.r_info;
    return true;
}

static bool add_import(struct omptape_imports *imports, uint64_t slot, const char *name)
{
    struct omptape_import *list =
        omptape_array_reserve(imports->list, imports->count + 1, &imports->capacity, sizeof(*list));
    if (list == NULL)
        return false;
    imports->list = list;
    imports->list[imports->count++] = (struct omptape_import){slot, name};
    return true;
}

static void read_section(struct omptape_imports *imports, Elf *elf, unsigned machine,
                         const struct relocations *relocations)
{
    for (size_t i = 0; i < relocations->count; i++) {
        uint64_t slot;
        uint64_t info;
        GElf_Sym symbol;
        if (!read_entry(relocations, i, &slot, &info) || !is_pointer_to_function(machine, info) ||
            GELF_R_SYM(info) > INT32_MAX ||
            gelf_getsym(relocations->symbols, (int)GELF_R_SYM(info), &symbol) == NULL)
            continue;
        const char *name = elf_strptr(elf, relocations->names, symbol.st_name);
        if (name != NULL && name[0] && !add_import(imports, slot, name))
            return;
    }
}

static int compare_by_slot(const void *a, const void *b)
{
    const struct omptape_import *left = a;
    const struct omptape_import *right = b;
    return left->slot < right->slot ? -1 : left->slot > right->slot;
}

void omptape_imports_read(struct omptape_imports *imports, Elf *elf)
{
    GElf_Ehdr header;
    Elf_Scn *section = NULL;
    if (gelf_getehdr(elf, &header) == NULL)
        return;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        struct relocations relocations;
        if (open_section(elf, section, &relocations))
            read_section(imports, elf, header.e_machine, &relocations);
    }
    if (imports->count)
        qsort(imports->list, imports->count, sizeof(*imports->list), compare_by_slot);
}

void omptape_imports_free(struct omptape_imports *imports)
{
    free(imports->list);
    *imports = (struct omptape_imports){0};
}

const char *omptape_imports_find(const struct omptape_imports *imports, uint64_t slot)
{
    size_t low = 0;
    size_t high = imports->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (imports->list[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < imports->count && imports->list[low].slot == slot ? imports->list[low].name : NULL;
}
