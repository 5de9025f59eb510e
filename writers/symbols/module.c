/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an executable or library, with libdwfl, which also finds its separate debug file and joins its symbol
 * tables. Called by loaded.c.
 */
#include "writers/symbols/module.h"

#include "src/core/log.h"

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

static char default_debug_path[] = ":.debug:/usr/lib/debug";

struct omptape_module {
    Dwfl *dwfl;
    Dwfl_Module *file;                  /* NULL: not readable */
    Elf *elf;                           /* of the file, owned by dwfl */
    struct omptape_symbol_table *table; /* NULL: not read yet */
    struct omptape_code *code;          /* NULL: not read yet */
    bool units_tried;
    bool packed;     /* its debug info is, and cannot be unpacked */
    Dwarf_Addr bias; /* linked address = address in the debug info + bias */
    struct omptape_units *units;
};

char *omptape_module_debug_path = default_debug_path;

/* libdwfl asks for the file itself only when it has none. */
static int find_no_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                       char **file_name, Elf **elf)
{
    (void)module, (void)userdata, (void)name, (void)base, (void)file_name, (void)elf;
    return -1;
}

/* True if a debug file of this name lies in one of the three places, and nothing but files. */
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

/* By build-id, then by the name in .gnu_debuglink. libdwfl's own search by name is asked only where it finds
 * something: without a name it makes one up and believes what lies there, it would wait for a pipe's other
 * end and read a device to its end, and with nothing found libdw 0.188 loads debuginfod's client. */
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
    Elf64_Ehdr header; /* the type lies at the same place in a 32-bit one */
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
    omptape_units_free(module->units);
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
    return module->elf != NULL && omptape_ident_read(module->elf, address, ident);
}

/* libdw unpacks what it can, and passes over the rest. */
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
            module->units = omptape_units_create(dwarf, debug_file, file);
        }
        if (module->file != NULL)
            omptape_log(OMPTAPE_LOG_DEBUG, OMPTAPE_LOG_SYMBOLS, "%s: %s %s",
                        dwfl_module_info(module->file, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                        module->units != NULL ? "debug information in" : "no debug information",
                        debug_file != NULL ? debug_file
                        : file != NULL     ? file
                                           : "");
        module->packed = is_packed(dwarf != NULL ? dwarf_getelf(dwarf) : module->elf);
    }
    *unit_address = address - module->bias;
    return module->units != NULL ? omptape_units_find(module->units, *unit_address) : NULL;
}
