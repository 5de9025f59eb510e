/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads DWARF packages. Finds a unit's parts by the package's index. Combines them with the referenced parts
 * of the program in a small ELF image that libdw can read. Called by module.c.
 */
#include "writers/symbols/package.h"

#include <dwarf.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_COLUMNS = 16 };

enum part {
    PART_INFO,
    PART_ABBREV,
    PART_LINE,
    PART_STR_OFFSETS,
    PART_RNGLISTS,
    PART_STR,
    PART_ADDR,
    PART_RANGES,
    PARTS,
    PACKAGE_PARTS = PART_STR + 1 /* Number of parts stored in the package. */
};

struct piece {
    const char *data;
    size_t size;
};

enum {
    SECTIONS = PARTS + 2, /* Includes the empty first section and the names. */
    ALIGNMENT = 8,
};

static const char *const part_names[PARTS] = {
    [PART_INFO] = ".debug_info",         [PART_ABBREV] = ".debug_abbrev",
    [PART_LINE] = ".debug_line",         [PART_STR_OFFSETS] = ".debug_str_offsets",
    [PART_RNGLISTS] = ".debug_rnglists", [PART_STR] = ".debug_str",
    [PART_ADDR] = ".debug_addr",         [PART_RANGES] = ".debug_ranges",
};

static size_t aligned_size(size_t value)
{
    return (value + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* Returns an ELF file in memory: header, section headers, names, and the pieces as sections. The caller frees
 * it. Returns NULL if out of memory. */
static char *make_image(const struct piece pieces[PARTS], size_t *image_size)
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
        size_t length = strlen(part_names[part]) + 1;
        memcpy(names + names_size, part_names[part], length);
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

struct omptape_package {
    int fd;
    Elf *elf;
    struct piece parts[PACKAGE_PARTS];
    struct piece index; /* .debug_cu_index. */
};

/* Returns the section's bytes, decompressed; empty if there is none. */
static struct piece read_section(Elf *elf, const char *name, const char *suffix)
{
    struct piece piece = {NULL, 0};
    size_t names;
    size_t length = strlen(name);
    if (elf_getshdrstrndx(elf, &names) != 0)
        return piece;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
            continue;
        const char *found = elf_strptr(elf, names, header.sh_name);
        if (found == NULL || strncmp(found, name, length) != 0 || strcmp(found + length, suffix) != 0)
            continue;
        if ((header.sh_flags & SHF_COMPRESSED) && elf_compress(section, 0, 0) < 0)
            break;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data != NULL && data->d_buf != NULL)
            piece = (struct piece){data->d_buf, data->d_size};
        break;
    }
    return piece;
}

static struct piece slice_at(struct piece whole, uint64_t offset, uint64_t size)
{
    if (whole.data == NULL || offset > whole.size || size > whole.size - offset)
        return (struct piece){NULL, 0};
    return (struct piece){whole.data + offset, (size_t)size};
}

static struct piece slice_from(struct piece whole, uint64_t offset)
{
    return offset <= whole.size ? slice_at(whole, offset, whole.size - offset) : (struct piece){NULL, 0};
}

static uint32_t word_at(struct piece piece, uint64_t index)
{
    uint32_t value = 0;
    struct piece at = slice_at(piece, index * sizeof(value), sizeof(value));
    if (at.size)
        memcpy(&value, at.data, sizeof(value));
    return value;
}

/* Returns the part of an index column, or -1. Versions 2 (GNU) and 5 differ in number 8 only. */
static int column_part(uint32_t version, uint32_t column)
{
    switch (column) {
    case 1:
        return PART_INFO;
    case 3:
        return PART_ABBREV;
    case 4:
        return PART_LINE;
    case 6:
        return PART_STR_OFFSETS;
    case 8:
        return version == 5 ? PART_RNGLISTS : -1;
    default:
        return -1;
    }
}

/* Returns the unit's row in the index, from 1, or 0 if it has none. */
static uint32_t find_row(struct piece index, uint32_t slots, uint64_t id)
{
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t found = 0;
        struct piece at = slice_at(index, 16 + (uint64_t)i * sizeof(found), sizeof(found));
        if (!at.size)
            break;
        memcpy(&found, at.data, sizeof(found));
        if (found == id)
            return word_at(slice_from(index, 16 + (uint64_t)slots * sizeof(found)), i);
    }
    return 0;
}

/* Extracts the unit's pieces from the package. Returns false if it is not there. */
static bool find_pieces(const struct omptape_package *package, uint64_t id, struct piece pieces[PARTS])
{
    struct piece index = package->index;
    /* Version 5 has two bytes and padding, earlier versions four bytes. */
    uint32_t version = word_at(index, 0) & 0xffff;
    uint32_t columns = word_at(index, 1);
    uint32_t units = word_at(index, 2);
    uint32_t slots = word_at(index, 3);
    if ((version != 2 && version != 5) || columns > MAX_COLUMNS)
        return false;
    uint32_t row = find_row(index, slots, id);
    if (row == 0 || row > units)
        return false;
    struct piece table = slice_from(index, 16 + (uint64_t)slots * 12);
    for (uint32_t column = 0; column < columns; column++) {
        int part = column_part(version, word_at(table, column));
        if (part < 0)
            continue;
        uint64_t offset = word_at(table, (uint64_t)row * columns + column);
        uint64_t size = word_at(table, ((uint64_t)units + row) * columns + column);
        pieces[part] = slice_at(package->parts[part], offset, size);
    }
    return pieces[PART_INFO].size && pieces[PART_ABBREV].size;
}

static uint64_t skeleton_offset(Dwarf_Die *skeleton, unsigned attribute, unsigned gnu_attribute)
{
    Dwarf_Attribute value;
    Dwarf_Word offset = 0;
    if (dwarf_attr(skeleton, attribute, &value) == NULL &&
        dwarf_attr(skeleton, gnu_attribute, &value) == NULL)
        return 0;
    return dwarf_formudata(&value, &offset) == 0 ? offset : 0;
}

/* Finds the addresses and (version 4) ranges in the program's own debug information, at the skeleton's
 * offsets. */
static void find_skeleton_pieces(Dwarf_Die *skeleton, struct piece pieces[PARTS])
{
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(skeleton->cu));
    struct piece addresses = read_section(elf, ".debug_addr", "");
    if (addresses.data == NULL)
        addresses = read_section(elf, ".zdebug_addr", "");
    pieces[PART_ADDR] =
        slice_from(addresses, skeleton_offset(skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base));
    if (pieces[PART_RNGLISTS].size)
        return;
    struct piece ranges = read_section(elf, ".debug_ranges", "");
    if (ranges.data == NULL)
        ranges = read_section(elf, ".zdebug_ranges", "");
    pieces[PART_RANGES] =
        slice_from(ranges, skeleton_offset(skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base));
}

static size_t string_length(struct piece strings, uint64_t offset)
{
    struct piece rest = slice_from(strings, offset);
    return rest.size ? strnlen(rest.data, rest.size) : 0;
}

/* Copies only the unit's strings, and adapts its string offsets. The caller frees both pieces' data. */
static int gather_strings(struct piece all, struct piece offsets, struct piece *strings, struct piece *fitted)
{
    size_t header = word_at(offsets, 0) == offsets.size - 4 ? 8 : 0; /* Version 5 has a header. */
    size_t count = offsets.size > header ? (offsets.size - header) / sizeof(uint32_t) : 0;
    struct piece entries = slice_from(offsets, header);
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += string_length(all, word_at(entries, i)) + 1;
        if (bytes > all.size + count) /* Each string is stored once, so the package is damaged. */
            return -ENOENT;
    }
    char *text = malloc(bytes + 1);
    char *table = malloc(offsets.size + 1);
    if (text == NULL || table == NULL) {
        free(text);
        free(table);
        return -ENOMEM;
    }
    if (offsets.size)
        memcpy(table, offsets.data, offsets.size);
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t offset = word_at(entries, i);
        size_t length = string_length(all, offset);
        if (length)
            memcpy(text + at, all.data + offset, length);
        text[at + length] = '\0';
        memcpy(table + header + i * sizeof(at), &at, sizeof(at));
        at += (uint32_t)length + 1;
    }
    *strings = (struct piece){text, bytes};
    *fitted = (struct piece){table, offsets.size};
    return 0;
}

static void close_package(struct omptape_package *package)
{
    if (package == NULL)
        return;
    elf_end(package->elf);
    if (package->fd >= 0)
        close(package->fd);
    free(package);
}

/* Returns NULL if the file is missing or invalid, or memory is exhausted. */
static struct omptape_package *open_package(const char *path)
{
    struct omptape_package *package = calloc(1, sizeof(*package));
    if (package == NULL)
        return NULL;
    struct stat status;
    package->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (package->fd >= 0 && fstat(package->fd, &status) == 0 && S_ISREG(status.st_mode))
        package->elf = elf_begin(package->fd, ELF_C_READ_MMAP, NULL);
    if (package->elf == NULL || elf_kind(package->elf) != ELF_K_ELF) {
        close_package(package);
        return NULL;
    }
    for (int part = 0; part < PACKAGE_PARTS; part++)
        package->parts[part] = read_section(package->elf, part_names[part], ".dwo");
    package->index = read_section(package->elf, ".debug_cu_index", "");
    return package;
}

void omptape_packages_name(struct omptape_packages *packages, const char *debug_file, const char *file)
{
    const char *const files[] = {debug_file, file};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i] != NULL && asprintf(&packages->paths[i], "%s.dwp", files[i]) < 0)
            packages->paths[i] = NULL;
}

void omptape_packages_free(struct omptape_packages *packages)
{
    close_package(packages->package);
    for (size_t i = 0; i < sizeof(packages->paths) / sizeof(packages->paths[0]); i++)
        free(packages->paths[i]);
}

static struct omptape_package *find_package(struct omptape_packages *packages)
{
    for (size_t i = 0; !packages->tried && i < sizeof(packages->paths) / sizeof(packages->paths[0]); i++)
        if (packages->package == NULL && packages->paths[i] != NULL)
            packages->package = open_package(packages->paths[i]);
    packages->tried = true;
    return packages->package;
}

static int open_image(struct omptape_package_unit *unit, size_t size)
{
    unit->elf = elf_memory(unit->image, size);
    unit->dwarf = unit->elf != NULL ? dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL) : NULL;
    Dwarf_CU *cu = NULL;
    if (unit->dwarf == NULL || dwarf_get_units(unit->dwarf, NULL, &cu, NULL, NULL, &unit->die, NULL) != 0)
        return -ENOENT;
    return 0;
}

int omptape_package_unit_open(struct omptape_packages *packages, Dwarf_Die *skeleton, uint64_t id,
                              struct omptape_package_unit *unit)
{
    struct piece pieces[PARTS] = {{NULL, 0}};
    struct omptape_package *package = find_package(packages);
    *unit = (struct omptape_package_unit){0};
    if (package == NULL || !find_pieces(package, id, pieces))
        return -ENOENT;
    find_skeleton_pieces(skeleton, pieces);
    struct piece strings;
    struct piece offsets;
    int error = gather_strings(package->parts[PART_STR], pieces[PART_STR_OFFSETS], &strings, &offsets);
    if (error)
        return error;
    pieces[PART_STR] = strings;
    pieces[PART_STR_OFFSETS] = offsets;
    size_t size;
    unit->image = make_image(pieces, &size);
    free((void *)strings.data);
    free((void *)offsets.data);
    error = unit->image != NULL ? open_image(unit, size) : -ENOMEM;
    if (error)
        omptape_package_unit_close(unit);
    else if (dwarf_lowpc(skeleton, &unit->relative_base) != 0)
        unit->relative_base = 0;
    return error;
}

void omptape_package_unit_close(struct omptape_package_unit *unit)
{
    if (unit->dwarf != NULL)
        dwarf_end(unit->dwarf);
    elf_end(unit->elf);
    free(unit->image);
    *unit = (struct omptape_package_unit){0};
}
