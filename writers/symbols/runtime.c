/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recognises OpenMP runtimes among the mapped files by their file name or shared-object name.
 */
#include "writers/symbols/runtime.h"

#include "src/core/words.h"
#include "writers/symbols/module.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DYNAMIC = 4096 }; /* Most entries; real libraries have about thirty. */

bool omptape_runtime_has_name(const char *name)
{
    static const char *const names[] = {"libomp", "libiomp5", "libgomp", "libomptarget", "libomptape"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *rest = omptape_text_after(name, names[i]);
        /* Python packages contain copies with a hash after the name. libomptape calls the bodies of gcc's
         * constructs in place of libgomp. */
        if (rest != NULL && (*rest == '.' || *rest == '-'))
            return true;
    }
    return false;
}

static bool file_offset(Elf *elf, uint64_t address, uint64_t *offset)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &header) != NULL; i++) {
        if (header.p_type != PT_LOAD || address < header.p_vaddr ||
            address - header.p_vaddr >= header.p_filesz)
            continue;
        *offset = address - header.p_vaddr + header.p_offset;
        return true;
    }
    return false;
}

static Elf_Data *read_dynamic(Elf *elf, size_t *entries)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &header) != NULL; i++) {
        size_t entry = gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
        if (header.p_type != PT_DYNAMIC || entry == 0)
            continue;
        *entries = header.p_filesz / entry < MAX_DYNAMIC ? header.p_filesz / entry : MAX_DYNAMIC;
        return elf_getdata_rawchunk(elf, (int64_t)header.p_offset, *entries * entry, ELF_T_DYN);
    }
    return NULL;
}

/* Returns true if the shared-object name is a runtime's. */
static bool has_runtime_soname(Elf *elf)
{
    size_t entries;
    Elf_Data *dynamic = read_dynamic(elf, &entries);
    uint64_t strings = 0;
    uint64_t name = 0;
    uint64_t size = 0;
    uint64_t offset;
    bool named = false;
    for (size_t i = 0; dynamic != NULL && i < entries; i++) {
        GElf_Dyn entry;
        if (gelf_getdyn(dynamic, (int)i, &entry) == NULL || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            strings = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_STRSZ)
            size = entry.d_un.d_val;
        else if (entry.d_tag == DT_SONAME) {
            name = entry.d_un.d_val;
            named = true;
        }
    }
    enum { LONGEST = 256 };
    if (!named || name >= size || strings > UINT64_MAX - name || !file_offset(elf, strings + name, &offset))
        return false;
    size_t bytes = size - name < LONGEST ? (size_t)(size - name) : LONGEST;
    Elf_Data *text = elf_getdata_rawchunk(elf, (int64_t)offset, bytes, ELF_T_BYTE);
    return text != NULL && text->d_buf != NULL && memchr(text->d_buf, '\0', text->d_size) != NULL &&
           omptape_runtime_has_name(text->d_buf);
}

static bool is_runtime(const struct omptape_mapping *mapping)
{
    if (mapping->path == NULL)
        return false;
    const char *name = omptape_base_name(mapping->path);
    if (omptape_runtime_has_name(name))
        return true;
    int fd = mapping->file ? omptape_module_open_file(mapping->path) : -1;
    if (fd < 0)
        return false;
    (void)elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool runtime = elf != NULL && has_runtime_soname(elf);
    (void)elf_end(elf);
    close(fd);
    return runtime;
}

void omptape_runtime_examine(struct omptape_maps *maps)
{
    for (size_t i = 0; i < maps->count; i++) {
        struct omptape_mapping *mapping = &maps->list[i];
        if (mapping->examined)
            continue;
        mapping->runtime = is_runtime(mapping);
        mapping->examined = true;
    }
}
