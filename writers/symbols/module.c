/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an executable or library with libdwfl, which also finds its separate debug file and merges its symbol
 * tables. Called by image.c.
 */
#include "writers/symbols/module.h"

#include "src/core/array.h"
#include "src/core/log.h"
#include "src/core/sort.h"
#include "writers/symbols/dies.h"
#include "writers/symbols/frame_index.h"
#include "writers/symbols/optimisation.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct unit_range {
    Dwarf_Addr low, high;
    Dwarf_Addr reach; /* Greatest `high` up to this entry of the sorted list. */
    uint32_t unit;
};

/* Compilation units of a module's debug information, and their address ranges. */
struct units {
    Dwarf *dwarf;
    struct omptape_packages packages;
    struct omptape_unit *list;
    uint32_t count;
    uint32_t capacity;
    struct unit_range *ranges;
    uint32_t range_count;
    uint32_t range_capacity;
};

/* Excludes ranges of removed code, which linkers set to 0 or to the end of the address space. */
static bool is_real_code(Dwarf_Addr low, Dwarf_Addr high)
{
    return low != 0 && low < high && low < (Dwarf_Addr)-2;
}

static bool add_ranges(struct units *units, Dwarf_Die *die)
{
    struct omptape_die_ranges ranges = {0};
    struct unit_range range = {.unit = units->count};
    while (omptape_die_next_range(die, 0, &ranges, &range.low, &range.high)) {
        if (!is_real_code(range.low, range.high))
            continue;
        if (!OMPTAPE_APPEND(units->ranges, units->range_count, units->range_capacity, range))
            return false;
    }
    return true;
}

static bool add_unit(struct units *units, const Dwarf_Die *die)
{
    return OMPTAPE_APPEND(units->list, units->count, units->capacity, (struct omptape_unit){.lines = *die});
}

static bool read_units(struct units *units)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t type;
    while (dwarf_get_units(units->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        size_t before = units->range_count;
        if (!add_ranges(units, &die) || (units->range_count > before && !add_unit(units, &die)))
            return false;
    }
    return true;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct unit_range *left = a;
    const struct unit_range *right = b;
    return left->low < right->low ? -1 : left->low > right->low;
}

static void free_units(struct units *units)
{
    if (units == NULL)
        return;
    for (size_t i = 0; i < units->count; i++) {
        omptape_functions_free(units->list[i].functions);
        omptape_package_unit_close(&units->list[i].package);
    }
    omptape_packages_free(&units->packages);
    free(units->list);
    free(units->ranges);
    free(units);
}

/* Reads the address ranges of all units. `debug_file` (source of the Dwarf) and `file` (the module) may be
 * NULL; a package of split units may exist beside them. Does not copy the Dwarf; NULL if out of memory. */
static struct units *create_units(Dwarf *dwarf, const char *debug_file, const char *file)
{
    struct units *units = calloc(1, sizeof(*units));
    if (units == NULL)
        return NULL;
    units->dwarf = dwarf;
    omptape_packages_name(&units->packages, debug_file, file);
    if (!read_units(units)) {
        free_units(units);
        return NULL;
    }
    omptape_sort(units->ranges, units->range_count, sizeof(*units->ranges), compare_ranges);
    Dwarf_Addr reach = 0;
    for (size_t i = 0; i < units->range_count; i++) {
        if (units->ranges[i].high > reach)
            reach = units->ranges[i].high;
        units->ranges[i].reach = reach;
    }
    return units;
}

/* Returns the narrowest range around the address, as units that claim code by mistake have wide ones. */
static const struct unit_range *find_range(const struct units *units, Dwarf_Addr address)
{
    const struct unit_range *best = NULL;
    size_t i = omptape_first_above(units->ranges, units->range_count, sizeof(*units->ranges),
                                   offsetof(struct unit_range, low), address);
    for (; i > 0 && units->ranges[i - 1].reach > address; i--) {
        const struct unit_range *range = &units->ranges[i - 1];
        if (range->high > address && (best == NULL || range->high - range->low < best->high - best->low))
            best = range;
    }
    return best;
}

/* Finds the unit's functions: beside its lines, in a split unit's file as libdw finds it, or in a package. */
static void find_tree(struct units *units, struct omptape_unit *unit)
{
    uint8_t type;
    uint64_t id;
    Dwarf_Die split = {0};
    unit->tree = unit->lines;
    if (dwarf_cu_info(unit->lines.cu, NULL, &type, NULL, &split, &id, NULL, NULL) != 0 ||
        type != DW_UT_skeleton)
        return;
    if (split.addr != NULL) {
        unit->tree = split;
        return;
    }
    if (omptape_package_unit_open(&units->packages, &unit->lines, id, &unit->package) == 0)
        unit->tree = unit->package.die;
}

static enum omptape_language find_language(Dwarf_Die *die)
{
    int language = dwarf_srclang(die);
    switch (language) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case 0x2d: /* Fortran 2018, which older headers do not define. */
        return OMPTAPE_LANGUAGE_FORTRAN;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++ 17. */
    case 0x2c: /* C++ 20. */
        return OMPTAPE_LANGUAGE_CXX;
    default:
        return OMPTAPE_LANGUAGE_OTHER;
    }
}

/* Returns the unit of the address (of the debug information) with its functions, or NULL if there is none. */
static struct omptape_unit *find_unit(struct units *units, Dwarf_Addr address)
{
    const struct unit_range *range = find_range(units, address);
    if (range == NULL)
        return NULL;
    struct omptape_unit *unit = &units->list[range->unit];
    if (!unit->opened) {
        unit->opened = true;
        find_tree(units, unit);
        unit->language = find_language(&unit->tree);
        unit->functions = omptape_functions_create(unit);
        /* It follows scopes that have then been read within the limit. */
        unit->is_unoptimised = unit->functions != NULL && omptape_unit_is_unoptimised(unit);
    }
    return unit;
}

/* Layout of an ident_t: four integers, then the text's address. */
enum { TEXT_OFFSET = 16, MAX_TEXT = 4096, MAX_DIGITS = 9 };

/* Returns the file's bytes from the linked address on, at most `max`, or NULL. */
static const char *bytes_from(Elf *elf, uint64_t address, size_t max, size_t *bytes)
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
        *bytes = left < max ? (size_t)left : max;
        Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + (address - header.p_vaddr)),
                                              *bytes, ELF_T_BYTE);
        return data != NULL ? data->d_buf : NULL;
    }
    return NULL;
}

/* Finds the pointer that the loader stores at the slot of a relocatable module. */
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
    const char *text = bytes_from(elf, pointer, MAX_TEXT, &bytes);
    *length = text != NULL ? strnlen(text, bytes) : 0;
    return text;
}

/* Returns the end of the field, the next semicolon, or NULL if there is none. */
static const char *end_of(const char *field, const char *end)
{
    return memchr(field, ';', (size_t)(end - field));
}

static unsigned number_in(const char *field, const char *end)
{
    unsigned number = 0;
    if (end - field > MAX_DIGITS)
        return 0;
    for (; field < end; field++) {
        if (*field < '0' || *field > '9')
            return 0;
        number = 10 * number + (unsigned)(*field - '0');
    }
    return number;
}

/* Reads the record at the linked address. Returns false if there is none with a position. */
static bool read_ident(Elf *elf, uint64_t address, struct omptape_ident *ident)
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

static char default_debug_path[] = ":.debug:/usr/lib/debug";

struct omptape_module {
    Dwfl *dwfl;
    Dwfl_Module *file;                  /* NULL: not readable. */
    Elf *elf;                           /* ELF of the file; dwfl owns it. */
    struct omptape_symbol_table *table; /* NULL: not read yet. */
    struct omptape_code *code;          /* NULL: not read yet. */
    bool units_tried;
    bool packed;     /* True if its debug information is compressed and cannot be decompressed. */
    Dwarf_Addr bias; /* Linked address = address in the debug information + bias. */
    struct units *units;
};

char *omptape_module_debug_path = default_debug_path;

/* libdwfl calls this only if it has no file. */
static int find_no_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                       char **file_name, Elf **elf)
{
    (void)module, (void)userdata, (void)name, (void)base, (void)file_name, (void)elf;
    return -1;
}

/* Returns true if one of the three places has a debug file of this name, and all found ones are regular. */
static bool has_debug_file(const char *file, const char *link)
{
    const char *root = strrchr(omptape_module_debug_path, ':') + 1;
    const char *slash = strrchr(file, '/');
    bool found = false;
    for (int place = 0; slash != NULL && place < 3; place++) {
        struct stat status;
        char path[PATH_MAX];
        int n = snprintf(path, sizeof(path), "%s%.*s%s/%s", place == 2 ? root : "", (int)(slash - file), file,
                         place == 1 ? "/.debug" : "", link);
        if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &status) != 0)
            continue;
        if (!S_ISREG(status.st_mode))
            return false;
        found = true;
    }
    return found;
}

/* Searches by build-id, then by the name in .gnu_debuglink. libdwfl's own search by name is called only if it
 * will find a file. Without a name it would invent one and trust that file. It would block on a pipe and read
 * a device endlessly. If it finds nothing, libdw 0.188 loads debuginfod's client. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word checksum, char **found)
{
    bool by_name = file != NULL && link != NULL && has_debug_file(file, link);
    return (by_name ? dwfl_standard_find_debuginfo : dwfl_build_id_find_debuginfo)(
        module, userdata, name, base, file, link, checksum, found);
}

int omptape_module_open_file(const char *path)
{
    struct stat status;
    Elf64_Ehdr header; /* The type has the same offset in a 32-bit header. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
        memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && (header.e_type == ET_DYN || header.e_type == ET_EXEC))
        return fd;
    close(fd);
    return -1;
}

struct omptape_module *omptape_module_open(const char *path)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = find_no_elf,
                                             .find_debuginfo = find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &omptape_module_debug_path};
    struct omptape_module *module = calloc(1, sizeof(*module));
    if (module == NULL)
        return NULL;
    int fd = omptape_module_open_file(path);
    if (fd < 0)
        return module;
    module->dwfl = dwfl_begin(&callbacks);
    if (module->dwfl != NULL)
        module->file = dwfl_report_elf(module->dwfl, path, path, fd, 0, true);
    if (module->file == NULL) {
        close(fd);
        return module;
    }
    (void)dwfl_report_end(module->dwfl, NULL, NULL);
    GElf_Addr bias;
    module->elf = dwfl_module_getelf(module->file, &bias);
    return module;
}

void omptape_module_close(struct omptape_module *module)
{
    if (module == NULL)
        return;
    free_units(module->units);
    omptape_symbol_table_free(module->table);
    omptape_code_free(module->code);
    if (module->dwfl != NULL)
        dwfl_end(module->dwfl);
    free(module);
}

bool omptape_module_link_address(const struct omptape_module *module, uint64_t file_offset, uint64_t *address)
{
    size_t count;
    if (module->elf == NULL || elf_getphdrnum(module->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(module->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            !(header.p_flags & PF_X))
            continue;
        if (file_offset >= header.p_offset && file_offset - header.p_offset < header.p_filesz) {
            *address = file_offset - header.p_offset + header.p_vaddr;
            return true;
        }
    }
    return false;
}

static struct omptape_symbol_table *symbol_table(struct omptape_module *module)
{
    if (module->file != NULL && module->table == NULL)
        module->table = omptape_symbol_table_create(module->file);
    return module->table;
}

bool omptape_module_symbol(struct omptape_module *module, uint64_t address, struct omptape_symbol *symbol)
{
    const struct omptape_symbol_table *table = symbol_table(module);
    return table != NULL && omptape_symbol_table_find(table, address, symbol);
}

bool omptape_module_function_start(const struct omptape_module *module, uint64_t address, uint64_t *start)
{
    return omptape_frame_index_find(module->elf, address, start);
}

bool omptape_module_frame(struct omptape_module *module, uint64_t address, unsigned *base, int64_t *offset)
{
    Dwarf_Addr bias;
    Dwarf_Frame *frame;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_CFI *information = module->file != NULL ? dwfl_module_eh_cfi(module->file, &bias) : NULL;
    if (information == NULL || dwarf_cfi_addrframe(information, address - bias, &frame) != 0)
        return false;
    const bool found = dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_bregx;
    if (found) {
        *base = (unsigned)ops[0].number;
        *offset = (int64_t)ops[0].number2;
    }
    free(frame);
    return found;
}

bool omptape_module_export(struct omptape_module *module, const char *name, uint64_t *address)
{
    struct omptape_symbol_table *table = symbol_table(module);
    return table != NULL && omptape_symbol_table_find_export(table, name, address);
}

const struct omptape_code *omptape_module_code(struct omptape_module *module)
{
    if (module->elf != NULL && module->code == NULL)
        module->code = omptape_code_create(module->elf);
    return module->code;
}

bool omptape_module_ident(const struct omptape_module *module, uint64_t address, struct omptape_ident *ident)
{
    return module->elf != NULL && read_ident(module->elf, address, ident);
}

/* libdw decompresses what it can, and skips other sections. */
static bool is_packed(Elf *elf)
{
    size_t names;
    if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || (header.sh_flags & SHF_COMPRESSED) == 0)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name != NULL && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".debug_line") == 0))
            return true;
    }
    return false;
}

bool omptape_module_has_read_units(const struct omptape_module *module)
{
    return module->units_tried;
}

bool omptape_module_is_packed(const struct omptape_module *module)
{
    return module->packed;
}

struct omptape_unit *omptape_module_unit(struct omptape_module *module, uint64_t address,
                                         Dwarf_Addr *unit_address)
{
    if (!module->units_tried) {
        module->units_tried = true;
        Dwarf *dwarf = module->file != NULL ? dwfl_module_getdwarf(module->file, &module->bias) : NULL;
        const char *file = NULL;
        const char *debug_file = NULL;
        if (dwarf != NULL) {
            (void)dwfl_module_info(module->file, NULL, NULL, NULL, NULL, NULL, &file, &debug_file);
            module->units = create_units(dwarf, debug_file, file);
        }
        if (module->file != NULL)
            omptape_log(OMPTAPE_LOG_DEBUG, OMPTAPE_LOG_SYMBOLS, "%s: %s%s",
                        dwfl_module_info(module->file, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                        module->units != NULL ? "debug information in " : "no debug information",
                        module->units == NULL ? ""
                        : debug_file != NULL  ? debug_file
                        : file != NULL        ? file
                                              : "memory");
        module->packed = is_packed(dwarf != NULL ? dwarf_getelf(dwarf) : module->elf);
    }
    *unit_address = address - module->bias;
    return module->units != NULL ? find_unit(module->units, *unit_address) : NULL;
}
