/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds separate debug files for the symbol resolver, on local disks only. Called by libdwfl when a module
 * has no debug info of its own, on the writer's translating thread.
 */
#include "writers/symbols/modules/debugfile.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char default_root[] = "/usr/lib/debug";
char *omptape_debugfile_root = default_root;

static void fill_crc_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ UINT32_C(0xedb88320) : value >> 1;
        table[i] = value;
    }
}

/* The checksum that .gnu_debuglink carries of the debug file. */
static bool crc_matches(int fd, uint32_t wanted)
{
    uint32_t table[256];
    uint32_t crc = UINT32_MAX;
    unsigned char buffer[65536];
    ssize_t bytes;
    off_t offset = 0;
    fill_crc_table(table);
    while ((bytes = pread(fd, buffer, sizeof(buffer), offset)) > 0) {
        for (ssize_t i = 0; i < bytes; i++)
            crc = table[(crc ^ buffer[i]) & 0xff] ^ crc >> 8;
        offset += bytes;
    }
    return bytes == 0 && ~crc == wanted;
}

/* 1: the file has the module's build-id, 0: another one, -1: one of them has none. */
static int compare_build_id(Dwfl_Module *module, int fd)
{
    const unsigned char *wanted;
    const void *found;
    GElf_Addr address;
    int wanted_length = dwfl_module_build_id(module, &wanted, &address);
    Elf *elf = wanted_length > 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    if (elf == NULL)
        return -1;
    ssize_t found_length = dwelf_elf_gnu_build_id(elf, &found);
    int result = -1;
    if (found_length > 0)
        result = found_length == wanted_length && memcmp(found, wanted, (size_t)wanted_length) == 0;
    elf_end(elf);
    return result;
}

static bool belongs_to(Dwfl_Module *module, int fd, GElf_Word crc)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int same_id = compare_build_id(module, fd);
    return same_id < 0 ? crc_matches(fd, crc) : same_id == 1;
}

/* Opens root/folder/subfolder/name if it is the module's debug file; otherwise -1. */
static int try_open(Dwfl_Module *module, const char *root, const char *folder, size_t folder_length,
                    const char *subfolder, const char *name, GElf_Word crc, char **path)
{
    char *text;
    if (asprintf(&text, "%s%.*s%s/%s", root, (int)folder_length, folder, subfolder, name) < 0)
        return -1;
    int fd = open(text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && belongs_to(module, fd, crc)) {
        *path = text;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    free(text);
    return -1;
}

static int find_by_debuglink(Dwfl_Module *module, const char *file, const char *debuglink, GElf_Word crc,
                             char **path)
{
    const char *slash = strrchr(file, '/');
    if (slash == NULL || file[0] != '/' || strchr(debuglink, '/') != NULL)
        return -1;
    size_t folder = (size_t)(slash - file);
    int fd = strcmp(slash + 1, debuglink) ? try_open(module, "", file, folder, "", debuglink, crc, path) : -1;
    if (fd < 0)
        fd = try_open(module, "", file, folder, "/.debug", debuglink, crc, path);
    if (fd < 0)
        fd = try_open(module, omptape_debugfile_root, file, folder, "", debuglink, crc, path);
    return fd;
}

int omptape_debugfile_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                           const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
                           char **debuginfo_file_name)
{
    int fd = dwfl_build_id_find_debuginfo(module, userdata, name, base, file_name, debuglink_file,
                                          debuglink_crc, debuginfo_file_name);
    if (fd >= 0 || file_name == NULL || debuglink_file == NULL)
        return fd;
    fd = find_by_debuglink(module, file_name, debuglink_file, debuglink_crc, debuginfo_file_name);
    if (fd >= 0)
        return fd;
    /* The debug file may stand beside what a symbolic link points to. */
    char *real = realpath(file_name, NULL);
    if (real != NULL && strcmp(real, file_name) != 0)
        fd = find_by_debuglink(module, real, debuglink_file, debuglink_crc, debuginfo_file_name);
    free(real);
    return fd;
}
