/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the small ELF files that libdw reads units of packages from. Called by package.c.
 */
#include "writers/symbols/modules/package_image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECTIONS = PARTS + 2, /* the empty first one and the names too */
    ALIGNMENT = 8,
};

const char *const omptape_package_part_names[PARTS] = {
    [PART_INFO] = ".debug_info",         [PART_ABBREV] = ".debug_abbrev",
    [PART_LINE] = ".debug_line",         [PART_STR_OFFSETS] = ".debug_str_offsets",
    [PART_RNGLISTS] = ".debug_rnglists", [PART_STR] = ".debug_str",
    [PART_ADDR] = ".debug_addr",         [PART_RANGES] = ".debug_ranges",
};

static size_t aligned_size(size_t value)
{
    return (value + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* Header, section headers, names, pieces. */
char *omptape_package_image(const struct omptape_package_piece pieces[PARTS], size_t *image_size)
{
    Elf64_Ehdr header = {.e_ident = {[EI_MAG0] = ELFMAG0,
                                     [EI_MAG1] = ELFMAG1,
                                     [EI_MAG2] = ELFMAG2,
                                     [EI_MAG3] = ELFMAG3,
                                     [EI_CLASS] = ELFCLASS64,
                                     [EI_DATA] = ELFDATA2LSB,
                                     [EI_VERSION] = EV_CURRENT},
                         .e_type = ET_NONE,
                         .e_version = EV_CURRENT,
                         .e_shoff = sizeof(header),
                         .e_ehsize = sizeof(header),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS,
                         .e_shstrndx = SECTIONS - 1};
    Elf64_Shdr sections[SECTIONS] = {{0}};
    char names[256] = "";
    size_t names_size = 1;
    size_t size = aligned_size(sizeof(header) + sizeof(sections) + sizeof(names));
    for (int part = 0; part < PARTS; part++) {
        sections[part + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)names_size,
                                          .sh_type = SHT_PROGBITS,
                                          .sh_offset = size,
                                          .sh_size = pieces[part].size,
                                          .sh_addralign = 1};
        size_t length = strlen(omptape_package_part_names[part]) + 1;
        memcpy(names + names_size, omptape_package_part_names[part], length);
        names_size += length;
        size += aligned_size(pieces[part].size);
    }
    sections[SECTIONS - 1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                          .sh_offset = sizeof(header) + sizeof(sections),
                                          .sh_size = sizeof(names),
                                          .sh_addralign = 1};

    char *image = calloc(1, size);
    if (image == NULL)
        return NULL;
    memcpy(image, &header, sizeof(header));
    memcpy(image + sizeof(header), sections, sizeof(sections));
    memcpy(image + sizeof(header) + sizeof(sections), names, sizeof(names));
    for (int part = 0; part < PARTS; part++)
        if (pieces[part].size)
            memcpy(image + sections[part + 1].sh_offset, pieces[part].data, pieces[part].size);
    *image_size = size;
    return image;
}
