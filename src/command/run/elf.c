/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads ELF files through libelf.
 */
#include "src/command/run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_elf(const char *path, int *fd, Elf **elf)
{
    struct stat status;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -ENOSYS;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return -errno;
    if (fstat(*fd, &status) == 0 && S_ISREG(status.st_mode)) {
        *elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
        if (*elf != NULL && elf_kind(*elf) == ELF_K_ELF)
            return 0;
        elf_end(*elf);
    }
    close(*fd);
    return -ENOEXEC;
}

static void close_elf(int fd, Elf *elf)
{
    elf_end(elf);
    close(fd);
}

static bool is_foreign(const GElf_Ehdr *header)
{
    GElf_Ehdr own;
    int fd = -1;
    Elf *elf = NULL;
    bool foreign = false;
    if (open_elf("/proc/self/exe", &fd, &elf) != 0)
        return false;
    if (gelf_getehdr(elf, &own) != NULL)
        foreign = own.e_machine != header->e_machine || own.e_ident[EI_CLASS] != header->e_ident[EI_CLASS] ||
                  own.e_ident[EI_DATA] != header->e_ident[EI_DATA];
    close_elf(fd, elf);
    return foreign;
}

static const char *name_machine(const GElf_Ehdr *header)
{
    static const struct {
        unsigned machine;
        const char *narrow; /* 32-bit variant */
        const char *wide;
    } machines[] = {{EM_X86_64, "x32", "x86-64"},     {EM_386, "i386 (32 bits)", NULL},
                    {EM_AARCH64, NULL, "aarch64"},    {EM_ARM, "arm (32 bits)", NULL},
                    {EM_PPC64, NULL, "ppc64"},        {EM_PPC, "ppc (32 bits)", NULL},
                    {EM_RISCV, "riscv32", "riscv64"}, {EM_S390, "s390", "s390x"},
                    {EM_MIPS, "mips", "mips64"},      {EM_SPARCV9, NULL, "sparc64"}};
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        const char *name = header->e_ident[EI_CLASS] == ELFCLASS32 ? machines[i].narrow : machines[i].wide;
        if (machines[i].machine == header->e_machine && name != NULL)
            return name;
    }
    return "a machine that omptape does not know";
}

/* Returns why the file is not a program that the kernel can run; NULL if it looks like one. */
static const char *find_damage(Elf *elf, const GElf_Ehdr *header, bool has_loader)
{
    size_t count = 0;
    GElf_Phdr segment;
    if (header->e_type == ET_REL)
        return "is an object file, which has to be linked first";
    if (header->e_type == ET_CORE)
        return "is a core dump, not a program";
    if (header->e_type == ET_DYN && header->e_entry == 0 && !has_loader)
        return "is a library, not a program";
    if ((header->e_type != ET_EXEC && header->e_type != ET_DYN) || elf_getphdrnum(elf, &count) != 0 ||
        count == 0 || gelf_getphdr(elf, (int)count - 1, &segment) == NULL)
        return "is damaged: its ELF header is wrong, or cut short";
    return NULL;
}

static bool is_cut(Elf *elf, size_t bytes)
{
    size_t count = 0;
    GElf_Phdr segment;
    (void)elf_getphdrnum(elf, &count);
    for (int i = 0; (size_t)i < count; i++)
        if (gelf_getphdr(elf, i, &segment) != NULL && segment.p_type == PT_LOAD &&
            (segment.p_offset > bytes || segment.p_filesz > bytes - segment.p_offset))
            return true;
    return false;
}

static char *read_loader(Elf *elf)
{
    size_t count;
    size_t bytes;
    GElf_Phdr header;
    const char *raw = elf_rawfile(elf, &bytes);
    if (raw == NULL || elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (int i = 0; (size_t)i < count; i++) {
        if (gelf_getphdr(elf, i, &header) == NULL || header.p_type != PT_INTERP)
            continue;
        if (header.p_offset >= bytes || header.p_filesz > bytes - header.p_offset)
            return NULL;
        return strndup(raw + header.p_offset, header.p_filesz);
    }
    return NULL;
}

int elf_read(const char *path, struct elf *result)
{
    GElf_Ehdr header;
    int fd = -1;
    size_t bytes = 0;
    Elf *elf = NULL;
    *result = (struct elf){0};
    int error = open_elf(path, &fd, &elf);
    if (error != 0)
        return error;
    if (gelf_getehdr(elf, &header) != NULL) {
        result->foreign = is_foreign(&header);
        result->interpreter = read_loader(elf);
        result->machine = name_machine(&header);
        result->damage = find_damage(elf, &header, result->interpreter != NULL);
        (void)elf_rawfile(elf, &bytes);
        result->cut = is_cut(elf, bytes);
    } else {
        result->foreign = true;
        result->machine = "?";
        result->damage = "is damaged: its ELF header is cut short";
    }
    close_elf(fd, elf);
    return error;
}

bool elf_is_truncated(const char *path)
{
    char magic[SELFMAG] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool begun = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
                 memcmp(magic, ELFMAG, sizeof(magic)) == 0;
    if (fd >= 0)
        close(fd);
    return begun;
}

/* Search among the symbols that a file defines, or, if `imported`, among those that it imports. */
struct symbol_search {
    bool imported;
    const char *name;                      /* the only symbol wanted, or NULL */
    bool (*is_wanted)(const char *symbol); /* predicate, used if `name` is NULL */
};

static bool table_has(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const struct symbol_search *search)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || header->sh_entsize == 0)
        return false;
    for (int i = 0; (uint64_t)i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, i, &symbol) == NULL || (symbol.st_shndx == SHN_UNDEF) != search->imported)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL &&
            (search->name != NULL ? strcmp(name, search->name) == 0 : search->is_wanted(name)))
            return true;
    }
    return false;
}

/* Searches the symbol tables of a file. A stripped file keeps only its dynamic symbols, with all imports. */
static bool file_has(const char *path, const struct symbol_search *search)
{
    int fd = -1;
    Elf *elf = NULL;
    bool found = false;
    if (open_elf(path, &fd, &elf) != 0)
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL && !found;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_DYNSYM || (header.sh_type == SHT_SYMTAB && !search->imported)))
            found = table_has(elf, section, &header, search);
    }
    close_elf(fd, elf);
    return found;
}

bool elf_defines(const char *path, const char *symbol)
{
    return file_has(path, &(struct symbol_search){.name = symbol});
}

bool elf_imports(const char *path, bool (*is_wanted)(const char *symbol))
{
    return file_has(path, &(struct symbol_search){.imported = true, .is_wanted = is_wanted});
}

bool elf_contains(const char *path, const char *text)
{
    int fd = -1;
    Elf *elf = NULL;
    size_t bytes = 0;
    if (open_elf(path, &fd, &elf) != 0)
        return false;
    const char *raw = elf_rawfile(elf, &bytes);
    const bool found = raw != NULL && memmem(raw, bytes, text, strlen(text) + 1) != NULL;
    close_elf(fd, elf);
    return found;
}

static bool table_relocates(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *wanted)
{
    GElf_Shdr table;
    Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Data *symbol_data = symbols != NULL ? elf_getdata(symbols, NULL) : NULL;
    if (data == NULL || symbol_data == NULL || header->sh_entsize == 0 ||
        gelf_getshdr(symbols, &table) == NULL)
        return false;
    for (int i = 0; (uint64_t)i < header->sh_size / header->sh_entsize; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (gelf_getrela(data, i, &relocation) == NULL ||
            gelf_getsym(symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol) == NULL)
            continue;
        const char *name = elf_strptr(elf, table.sh_link, symbol.st_name);
        if (name != NULL && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

bool elf_binds_itself(const char *path, const char *symbol)
{
    int fd = -1;
    Elf *elf = NULL;
    const struct symbol_search defined = {.name = symbol};
    bool defines = false;
    bool relocates = false;
    if (open_elf(path, &fd, &elf) != 0)
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        defines |= header.sh_type == SHT_DYNSYM && table_has(elf, section, &header, &defined);
        relocates |= header.sh_type == SHT_RELA && table_relocates(elf, section, &header, symbol);
    }
    close_elf(fd, elf);
    return defines && !relocates;
}
