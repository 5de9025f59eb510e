/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches the sorted table of .eh_frame_hdr. All linkers write it with the same encodings, which are the
 * only ones read here. Called by module.c.
 */
#include "writers/symbols/frame_index.h"

#include <elf.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>

/* Head of .eh_frame_hdr: version, the encodings of the pointer to .eh_frame, of the count and of the table,
 * the pointer, and the count. */
enum { HEAD_BYTES = 12, COUNT_OFFSET = 8, ENTRY_BYTES = 8 };
static const uint8_t head[] = {1, 0x1b, 0x03, 0x3b};

/* Both words of an entry are distances from the section's begin: of a function, and of its description. */
static int32_t distance_at(const uint8_t *table, size_t entry)
{
    int32_t distance;
    memcpy(&distance, table + entry * ENTRY_BYTES, sizeof(distance));
    return distance;
}

/* Finds the program header of .eh_frame_hdr. */
static bool find_header(Elf *elf, GElf_Phdr *header)
{
    size_t count;
    if (elf == NULL || elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count && i <= INT_MAX; i++)
        if (gelf_getphdr(elf, (int)i, header) != NULL && header->p_type == PT_GNU_EH_FRAME)
            return header->p_offset <= INT64_MAX && header->p_filesz >= HEAD_BYTES;
    return false;
}

bool omptape_frame_index_find(Elf *elf, uint64_t address, uint64_t *start)
{
    GElf_Phdr header;
    uint32_t count;
    if (!find_header(elf, &header))
        return false;
    const Elf_Data *data =
        elf_getdata_rawchunk(elf, (int64_t)header.p_offset, (size_t)header.p_filesz, ELF_T_BYTE);
    if (data == NULL || data->d_buf == NULL || data->d_size < HEAD_BYTES ||
        memcmp(data->d_buf, head, sizeof(head)) != 0)
        return false;
    const uint8_t *bytes = data->d_buf;
    memcpy(&count, bytes + COUNT_OFFSET, sizeof(count));
    if (count > (data->d_size - HEAD_BYTES) / ENTRY_BYTES)
        return false;
    const int64_t wanted = (int64_t)(address - header.p_vaddr);
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (distance_at(bytes + HEAD_BYTES, middle) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    *start = header.p_vaddr + (uint64_t)(int64_t)distance_at(bytes + HEAD_BYTES, low - 1);
    return true;
}
