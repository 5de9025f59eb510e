/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the records that tell where clang's constructs stand (idents.h). Called by module.c.
 */
#include "writers/symbols/idents.h"

#include <elf.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>

/* Of an ident_t: four integers, then the text's address. */
enum { TEXT_OFFSET = 16, MOST_TEXT = 4096, MOST_DIGITS = 9 };

/* Of what the file has from the linked address on, up to `most` bytes. */
static const char *bytes_from(Elf *elf, uint64_t address, size_t most, size_t *bytes)
{
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count && i <= INT_MAX; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz ||
            header.p_offset > INT64_MAX - header.p_filesz)
            continue;
        uint64_t left = header.p_filesz - (address - header.p_vaddr);
        *bytes = left < most ? (size_t)left : most;
        Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + (address - header.p_vaddr)),
                                              *bytes, ELF_T_BYTE);
        return data != NULL ? data->d_buf : NULL;
    }
    return NULL;
}

/* Where code may lie anywhere the loader puts the pointer there. */
static bool relocated(Elf *elf, uint64_t slot, uint64_t *pointer)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        GElf_Rela entry;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_RELA)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data != NULL && gelf_getrela(data, i, &entry) != NULL && i < INT_MAX; i++) {
            if (entry.r_offset == slot && GELF_R_TYPE(entry.r_info) == R_X86_64_RELATIVE) {
                *pointer = (uint64_t)entry.r_addend;
                return true;
            }
        }
    }
    return false;
}

static const char *text_of(Elf *elf, uint64_t address, size_t *length)
{
    uint64_t pointer;
    size_t bytes;
    const char *slot = bytes_from(elf, address + TEXT_OFFSET, sizeof(pointer), &bytes);
    if (slot == NULL || bytes < sizeof(pointer))
        return NULL;
    if (!relocated(elf, address + TEXT_OFFSET, &pointer))
        memcpy(&pointer, slot, sizeof(pointer));
    const char *text = bytes_from(elf, pointer, MOST_TEXT, &bytes);
    *length = text != NULL ? strnlen(text, bytes) : 0;
    return text;
}

/* The end of the field that begins here: at the next semicolon. NULL: there is none. */
static const char *end_of(const char *field, const char *end)
{
    return memchr(field, ';', (size_t)(end - field));
}

static unsigned number_in(const char *field, const char *end)
{
    unsigned number = 0;
    if (end - field > MOST_DIGITS)
        return 0;
    for (; field < end; field++) {
        if (*field < '0' || *field > '9')
            return 0;
        number = 10 * number + (unsigned)(*field - '0');
    }
    return number;
}

bool omptape_ident_read(Elf *elf, uint64_t address, struct omptape_ident *ident)
{
    GElf_Ehdr header;
    size_t length;
    if (gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_X86_64)
        return false;
    const char *text = text_of(elf, address, &length);
    if (text == NULL || length == 0 || text[0] != ';')
        return false;
    const char *end = text + length;
    const char *file = end_of(text + 1, end);
    const char *function = file != NULL ? end_of(file + 1, end) : NULL;
    const char *line = function != NULL ? end_of(function + 1, end) : NULL;
    if (line == NULL)
        return false;
    *ident = (struct omptape_ident){.file = text + 1,
                                    .file_length = (size_t)(file - text - 1),
                                    .function = file + 1,
                                    .function_length = (size_t)(function - file - 1),
                                    .line = number_in(function + 1, line)};
    return ident->line > 0;
}
