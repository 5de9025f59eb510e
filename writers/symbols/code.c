/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decodes calls, jumps, linkage stubs and addresses in machine code.
 */
#include "writers/symbols/code.h"
#include "src/core/array.h"
#include "src/core/sort.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* A slot through which a module calls another module's function, and the function's name. */

struct import {
    uint64_t slot; /* Linked address at which the dynamic linker stores the function's address. */
    const char *name;
};

/* Sorted by slot. All zeros: empty. */
struct imports {
    struct import *list;
    uint32_t count;
    uint32_t capacity;
};

/* A section of relocations, with its symbols. */
struct relocations {
    Elf_Data *entries;
    bool with_addend;
    size_t count;
    Elf_Data *symbols;
    size_t names; /* Section of the symbols' names. */
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

static bool add_import(struct imports *imports, uint64_t slot, const char *name)
{
    return OMPTAPE_APPEND(imports->list, imports->count, imports->capacity, (struct import){slot, name});
}

static void read_section(struct imports *imports, Elf *elf, unsigned machine,
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
    const struct import *left = a;
    const struct import *right = b;
    return left->slot < right->slot ? -1 : left->slot > right->slot;
}

/* Reads the module's relocations for calls. The ELF owns the names. Skips unreadable parts. */
static void imports_read(struct imports *imports, Elf *elf)
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
    omptape_sort(imports->list, imports->count, sizeof(*imports->list), compare_by_slot);
}

static void imports_free(struct imports *imports)
{
    free(imports->list);
    *imports = (struct imports){0};
}

/* Returns the name of the slot's function, or NULL. */
static const char *imports_find(const struct imports *imports, uint64_t slot)
{
    const size_t above = omptape_first_above(imports->list, imports->count, sizeof(*imports->list),
                                             offsetof(struct import, slot), slot);
    return above > 0 && imports->list[above - 1].slot == slot ? imports->list[above - 1].name : NULL;
}

enum {
    STUB_BYTES = 20,   /* Most bytes of a linkage stub. */
    MAX_SEGMENTS = 16, /* Most segments of code; real modules have one or two. */
    ARM_REACH = 16,    /* Most instructions between the two that form an address. */
    X86_REACH = 128,   /* Most bytes between an argument and the call. */
    X86_RDI = 7,       /* Register of the first argument. */
    X86_LOAD = 0x8b,   /* Opcodes of "mov". */
    X86_STORE = 0x89,
    X86_CALL = 5 /* Bytes of a call. */
};

struct segment {
    uint64_t low, high;
    const unsigned char *bytes;
};

struct omptape_code {
    unsigned machine;
    bool fixed; /* True if linked at a fixed address: code may contain absolute addresses. */
    struct segment segments[MAX_SEGMENTS];
    size_t segment_count;
    struct imports imports;
};

static void add_segment(struct omptape_code *code, Elf *elf, const GElf_Phdr *header)
{
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || code->segment_count == MAX_SEGMENTS ||
        header->p_filesz > UINT64_MAX - header->p_vaddr)
        return;
    Elf_Data *data =
        elf_getdata_rawchunk(elf, (int64_t)header->p_offset, (size_t)header->p_filesz, ELF_T_BYTE);
    if (data != NULL && data->d_buf != NULL)
        code->segments[code->segment_count++] =
            (struct segment){header->p_vaddr, header->p_vaddr + data->d_size, data->d_buf};
}

struct omptape_code *omptape_code_create(Elf *elf)
{
    struct omptape_code *code = calloc(1, sizeof(*code));
    GElf_Ehdr header;
    size_t count;
    if (code == NULL || gelf_getehdr(elf, &header) == NULL || elf_getphdrnum(elf, &count) != 0)
        return code;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
        return code;
    code->machine = header.e_machine;
    code->fixed = header.e_type == ET_EXEC;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) != NULL)
            add_segment(code, elf, &segment);
    }
    imports_read(&code->imports, elf);
    return code;
}

void omptape_code_free(struct omptape_code *code)
{
    if (code == NULL)
        return;
    imports_free(&code->imports);
    free(code);
}

bool omptape_code_is_x86(const struct omptape_code *code)
{
    return code->machine == EM_X86_64;
}

struct omptape_code_range omptape_code_range(const struct omptape_code *code, uint64_t low, uint64_t high)
{
    for (size_t i = 0; i < code->segment_count; i++) {
        const struct segment *segment = &code->segments[i];
        const uint64_t first = low > segment->low ? low : segment->low;
        if (first < segment->high && first < high)
            return (struct omptape_code_range){.code = code,
                                               .bytes = segment->bytes + (first - segment->low),
                                               .low = first,
                                               .high = high < segment->high ? high : segment->high,
                                               .step = code->machine == EM_AARCH64 ? 4 : 1};
    }
    return (struct omptape_code_range){0};
}

/* Returns the bytes at the address, or NULL if the range has fewer. */
static const unsigned char *bytes_at(const struct omptape_code_range *range, uint64_t address, size_t count)
{
    if (address < range->low || address >= range->high || range->high - address < count)
        return NULL;
    return range->bytes + (address - range->low);
}

static uint32_t word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Returns the lowest bits of the value, sign-extended. */
static uint64_t extend(uint64_t value, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* x86-64: returns the address that the four bytes encode, relative to their end. */
static uint64_t x86_relative(const unsigned char *bytes, uint64_t address)
{
    return address + 4 + extend(word(bytes), 32);
}

static uint64_t skip(const struct omptape_code_range *range, uint64_t address, const char *bytes,
                     size_t count, size_t length)
{
    const unsigned char *found = bytes_at(range, address, length);
    return found != NULL && memcmp(found, bytes, count) == 0 ? address + length : address;
}

/* Decodes "jmp *slot(%rip)", optionally after "endbr64", "mov $number, %r11d" and "bnd". */
static const char *x86_stub(const struct omptape_code_range *range)
{
    uint64_t address = skip(range, range->low, "\xf3\x0f\x1e\xfa", 4, 4);
    address = skip(range, address, "\x41\xbb", 2, 6);
    address = skip(range, address, "\xf2", 1, 1);
    const unsigned char *bytes = bytes_at(range, address, 6);
    if (bytes == NULL || bytes[0] != 0xff || bytes[1] != 0x25)
        return NULL;
    return imports_find(&range->code->imports, x86_relative(bytes + 2, address + 2));
}

/* Decodes "adrp register": sets the page. */
static bool arm_page(uint32_t instruction, uint64_t address, uint64_t *page)
{
    if ((instruction & 0x9f000000) != 0x90000000)
        return false;
    uint64_t number = (instruction >> 29 & 3) | (instruction >> 5 & 0x7ffff) << 2;
    *page = (address & ~UINT64_C(0xfff)) + (extend(number, 21) << 12);
    return true;
}

/* Decodes "adrp x16; ldr x17, [x16, #low]", optionally after "bti". */
static const char *arm_stub(const struct omptape_code_range *range)
{
    for (uint64_t address = range->low; address < range->high; address += 4) {
        const unsigned char *bytes = bytes_at(range, address, 8);
        uint64_t page;
        if (bytes == NULL || !arm_page(word(bytes), address, &page))
            continue;
        uint32_t load = word(bytes + 4);
        bool is_load = (load & 0xffc00000) == 0xf9400000 && (load >> 5 & 31) == (word(bytes) & 31);
        return is_load ? imports_find(&range->code->imports, page + (load >> 10 & 0xfff) * 8) : NULL;
    }
    return NULL;
}

/* Returns the final target of a jump to the address, following a stub. */
static struct omptape_code_target follow_stub(const struct omptape_code *code, uint64_t address)
{
    struct omptape_code_range stub = omptape_code_range(code, address, address + STUB_BYTES);
    const char *import = code->machine == EM_AARCH64 ? arm_stub(&stub) : x86_stub(&stub);
    return (struct omptape_code_target){.import = import, .address = address};
}

static bool through_slot(const struct omptape_code *code, uint64_t slot, struct omptape_code_target *target)
{
    *target = (struct omptape_code_target){.import = imports_find(&code->imports, slot)};
    return target->import != NULL;
}

static bool arm_branch(const struct omptape_code_range *range, uint64_t address, bool call, uint64_t *to)
{
    const unsigned char *bytes = bytes_at(range, address, 4);
    if (bytes == NULL || address % 4 != 0 || (word(bytes) & 0xfc000000) != (call ? 0x94000000 : 0x14000000))
        return false;
    *to = address + (extend(word(bytes), 26) << 2);
    return true;
}

bool omptape_code_call_before(const struct omptape_code *code, uint64_t address,
                              struct omptape_code_target *target)
{
    struct omptape_code_range range = omptape_code_range(code, address - 6, address);
    uint64_t to;
    if (code->machine == EM_AARCH64) {
        if (!arm_branch(&range, address - 4, true, &to))
            return false;
    } else {
        const unsigned char *bytes = bytes_at(&range, address - 6, 6);
        if (bytes == NULL)
            return false;
        if (bytes[0] == 0xff && bytes[1] == 0x15 &&
            through_slot(code, x86_relative(bytes + 2, address - 4), target))
            return true;
        if (bytes[1] != 0xe8)
            return false;
        to = x86_relative(bytes + 2, address - 4);
    }
    *target = follow_stub(code, to);
    return true;
}

/* x86-64: returns true for a call through a register or memory that begins `length` bytes before the end. */
static bool x86_is_indirect(const unsigned char *end, unsigned length)
{
    enum { SIB = 4, RIP = 5 }; /* Values of the lowest bits that do not name a register. */
    const unsigned form = end[1 - (int)length];
    const unsigned mode = form >> 6;
    const unsigned with_sib = length > 2 && mode != 3 && (form & 7) == SIB;
    const unsigned base = with_sib ? end[2 - (int)length] & 7U : form & 7U;
    const bool is_distant = mode == 2 || (mode == 0 && base == RIP);
    const unsigned distance = is_distant ? 4 : mode == 1;
    return end[-(int)length] == 0xff && (form & 0x38) == 0x10 && length == 2 + with_sib + distance;
}

static bool is_indirect_call(const struct omptape_code_range *range, bool arm)
{
    enum { SHORTEST = 2, LONGEST = 7 };
    const uint64_t bytes = range->high - range->low;
    const unsigned char *end = range->bytes + bytes;
    if (arm)
        return bytes >= 4 && (word(end - 4) & 0xfffffc1f) == 0xd63f0000; /* "blr". */
    for (unsigned length = SHORTEST; length <= LONGEST && length <= bytes; length++)
        if (x86_is_indirect(end, length))
            return true;
    return false;
}

bool omptape_code_is_indirect(const struct omptape_code *code, uint64_t address)
{
    enum { MAX_BYTES = 7 };
    struct omptape_code_target target;
    struct omptape_code_range range = omptape_code_range(code, address - MAX_BYTES, address);
    return range.high == address && (code->machine == EM_AARCH64 || code->machine == EM_X86_64) &&
           !omptape_code_call_before(code, address, &target) &&
           is_indirect_call(&range, code->machine == EM_AARCH64);
}

/* Decodes a jump. One-byte distances count only for unconditional jumps: few functions are that near, and
 * many bytes look like such a jump. */
static bool x86_jump(const struct omptape_code_range *range, uint64_t address, uint64_t *to)
{
    const unsigned char *bytes = bytes_at(range, address, 2);
    if (bytes == NULL)
        return false;
    if (bytes[0] == 0xeb) {
        *to = address + 2 + extend(bytes[1], 8);
        return true;
    }
    bool conditional = bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80;
    if (bytes[0] != 0xe9 && !conditional)
        return false;
    uint64_t distance = address + (conditional ? 2 : 1);
    bytes = bytes_at(range, distance, 4);
    if (bytes == NULL)
        return false;
    *to = x86_relative(bytes, distance);
    return true;
}

bool omptape_code_jump_at(const struct omptape_code_range *range, uint64_t address,
                          struct omptape_code_target *target)
{
    uint64_t to;
    if (bytes_at(range, address, 1) == NULL)
        return false;
    if (range->code->machine == EM_AARCH64) {
        if (!arm_branch(range, address, false, &to))
            return false;
    } else if (!x86_jump(range, address, &to)) {
        const unsigned char *bytes = bytes_at(range, address, 6);
        return bytes != NULL && bytes[0] == 0xff && bytes[1] == 0x25 &&
               through_slot(range->code, x86_relative(bytes + 2, address + 2), target);
    }
    if (to >= range->low && to < range->high)
        return false;
    *target = follow_stub(range->code, to);
    return true;
}

/* Decodes "adrp a, page", followed soon by "add b, a, #low". */
static bool arm_address(const struct omptape_code_range *range, uint64_t address, uint64_t *found)
{
    const unsigned char *bytes = bytes_at(range, address, 4);
    uint64_t page;
    if (bytes == NULL || !arm_page(word(bytes), address, &page))
        return false;
    uint32_t holder = word(bytes) & 31;
    for (unsigned i = 1; i <= ARM_REACH; i++) {
        bytes = bytes_at(range, address + i * 4, 4);
        if (bytes == NULL)
            return false;
        uint32_t add = word(bytes);
        if ((add & 0xffc00000) == 0x91000000 && (add >> 5 & 31) == holder) {
            *found = page + (add >> 10 & 0xfff);
            return true;
        }
    }
    return false;
}

/* Decodes "lea distance(%rip), register" or, in code linked at a fixed address, "mov $address, register". */
static bool x86_address(const struct omptape_code_range *range, uint64_t address, uint64_t *found)
{
    const unsigned char *bytes = bytes_at(range, address, 6);
    if (bytes != NULL && bytes[0] == 0x8d && (bytes[1] & 0xc7) == 0x05) {
        *found = x86_relative(bytes + 2, address + 2);
        return true;
    }
    bytes = range->code->fixed ? bytes_at(range, address, 5) : NULL;
    if (bytes == NULL || (bytes[0] & 0xf8) != 0xb8)
        return false;
    *found = word(bytes + 1);
    return true;
}

bool omptape_code_address_at(const struct omptape_code_range *range, uint64_t address, uint64_t *found)
{
    if (bytes_at(range, address, 1) == NULL)
        return false;
    return range->code->machine == EM_AARCH64 ? arm_address(range, address, found)
                                              : x86_address(range, address, found);
}

/* Decodes x86_address for one of the 16 registers. */
static bool x86_address_into(const struct omptape_code_range *range, uint64_t address, unsigned number,
                             uint64_t *found)
{
    const unsigned char *bytes = bytes_at(range, address, 7);
    unsigned low = number & 7;
    unsigned high = number >> 3;
    if (bytes != NULL && bytes[0] == (0x48 | high << 2) && bytes[1] == 0x8d && bytes[2] == (low << 3 | 5))
        return x86_address(range, address + 1, found);
    if (high != 0)
        return bytes != NULL && bytes[0] == 0x41 && bytes[1] == (0xb8 | low) &&
               x86_address(range, address + 1, found);
    bytes = bytes_at(range, address, 5);
    return bytes != NULL && bytes[0] == (0xb8 | low) && x86_address(range, address, found);
}

/* Decodes "mov register, %rdi". */
static bool x86_moves_to_rdi(const struct omptape_code_range *range, uint64_t address, unsigned *from)
{
    const unsigned char *bytes = bytes_at(range, address, 3);
    if (bytes == NULL || (bytes[0] & 0xfb) != 0x48 || bytes[1] != 0x89 ||
        (bytes[2] & 0xc7) != (0xc0 | X86_RDI))
        return false;
    *from = (bytes[2] >> 3 & 7) | (bytes[0] & 4U) << 1;
    return true;
}

/* Returns true if the instruction overwrites %rdi: a load into it, or an earlier call. */
static bool x86_ends_rdi(const struct omptape_code_range *range, uint64_t address)
{
    const unsigned char *bytes = bytes_at(range, address, 3);
    struct omptape_code_target target;
    if (bytes != NULL && bytes[0] == 0x48 && bytes[1] == 0x8b && (bytes[2] & 0x38) == X86_RDI << 3)
        return true;
    return bytes != NULL && bytes[0] == 0xe8 && omptape_code_call_before(range->code, address + 5, &target) &&
           omptape_code_range(range->code, target.address, target.address + 1).bytes != NULL;
}

/* Decodes "mov slot, register" or "mov register, slot", by its opcode, where a slot is a word relative to
 * %rsp or %rbp. */
static bool x86_moves_slot(const struct omptape_code_range *range, uint64_t address, unsigned opcode,
                           struct omptape_code_slot *slot, unsigned *number)
{
    enum { LONGEST = 8, BY_RSP = 4, BY_RBP = 5, ONLY_RSP = 0x24 };
    const unsigned char *bytes = bytes_at(range, address, LONGEST);
    if (bytes == NULL || (bytes[0] & 0xfb) != 0x48 || bytes[1] != opcode)
        return false;
    const unsigned mode = bytes[2] >> 6;
    const unsigned base = bytes[2] & 7;
    const unsigned char *distance = bytes + (base == BY_RSP ? 4 : 3);
    if (mode == 3 || (base == BY_RSP ? bytes[3] != ONLY_RSP : base != BY_RBP || mode == 0))
        return false;
    *number = (bytes[2] >> 3 & 7) | (bytes[0] & 4U) << 1;
    *slot = (struct omptape_code_slot){.address = address, .base = base == BY_RSP ? 7 : 6};
    if (mode != 0)
        slot->offset = (int64_t)(mode == 1 ? extend(distance[0], 8) : extend(word(distance), 32));
    return true;
}

/* What the code passes as first argument. */
enum argument { UNKNOWN_ARGUMENT, ADDRESS_ARGUMENT, LOADED_ARGUMENT };

static enum argument follow_argument(const struct omptape_code_range *range, uint64_t address,
                                     uint64_t *found, struct omptape_code_slot *load)
{
    unsigned number = X86_RDI;
    if (bytes_at(range, address, 1) == NULL || range->code->machine != EM_X86_64)
        return UNKNOWN_ARGUMENT;
    for (uint64_t at = address; at > range->low && (number != X86_RDI || address - at < X86_REACH);) {
        unsigned loaded;
        at--;
        if (x86_address_into(range, at, number, found))
            return ADDRESS_ARGUMENT;
        if (x86_moves_slot(range, at, X86_LOAD, load, &loaded) && loaded == number)
            return LOADED_ARGUMENT;
        if (number != X86_RDI || x86_moves_to_rdi(range, at, &number))
            continue;
        if (address - at > X86_CALL + 4 && x86_ends_rdi(range, at))
            return UNKNOWN_ARGUMENT;
    }
    return UNKNOWN_ARGUMENT;
}

bool omptape_code_first_argument(const struct omptape_code_range *range, uint64_t address, uint64_t *found)
{
    struct omptape_code_slot load;
    return follow_argument(range, address, found, &load) == ADDRESS_ARGUMENT;
}

bool omptape_code_argument_load(const struct omptape_code_range *range, uint64_t address,
                                struct omptape_code_slot *load)
{
    uint64_t found;
    return follow_argument(range, address, &found, load) == LOADED_ARGUMENT;
}

bool omptape_code_store_before(const struct omptape_code_range *range, uint64_t address,
                               struct omptape_code_slot *store, uint64_t *found)
{
    unsigned number;
    if (bytes_at(range, address, 1) == NULL || range->code->machine != EM_X86_64)
        return false;
    do
        if (address-- == range->low)
            return false;
    while (!x86_moves_slot(range, address, X86_STORE, store, &number));
    const uint64_t low = address - range->low > X86_REACH ? address - X86_REACH : range->low;
    for (uint64_t at = address; at > low; at--)
        if (x86_address_into(range, at - 1, number, found))
            return true;
    *found = 0;
    return true;
}
