/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements libc.h. The linker turns each call of an imported function NAME into a call of __wrap_NAME,
 * which jumps to the address in the function's slot. Initially all slots hold one resolver. It looks the
 * function up on the thread that calls it first, often before the library's constructors, and then jumps to
 * it. The look-up itself cannot call libc, except for the resolvers of its indirect functions. Most programs
 * have no OpenMP and need few functions; the others are looked up when a runtime starts the tool.
 */
#include "src/tool/libc.h"

#include "src/tool/raw.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#ifdef OMPTAPE_LIBC_BY_LOADER /* the first of the two links, which nobody loads */
#define OMPTAPE_LIBC_COUNT 1
#define OMPTAPE_LIBC_NAMES(X) X(omptape_none, 0)
#define OMPTAPE_LIBC_ABSENT(X)
#else
#include "libc_names.h"
#endif

#define FUNCTION(name, code)                                                                                 \
    __asm__(".pushsection .text\n.globl " name "\n.hidden " name "\n.type " name ",@function\n" name         \
            ":\n" code ".size " name ", .-" name "\n.popsection\n");
#define SLOT(number) "omptape_libc_slots + 8 * " #number

/* The jump preserves all registers that may hold an argument. On x86-64 rax holds the number of vector
 * registers of a variadic call. Register r11 or x16 passes the slot's address to the resolver. */
#if defined(__x86_64__)
#define JUMP(name, number)                                                                                   \
    FUNCTION("__wrap_" #name, "endbr64\nleaq " SLOT(number) "(%rip), %r11\njmp *(%r11)\n")
#define RETURN(name, number) FUNCTION("__wrap_" #name, "endbr64\nret\n")
FUNCTION("omptape_libc_first_call",
         ".cfi_startproc\nendbr64\n"
         "pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbp, 0\n"
         "movq %rsp, %rbp\n.cfi_def_cfa_register rbp\n"
         "pushq %rax\npushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %r11\n"
         "subq $128, %rsp\n"
         "movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\nmovups %xmm3, 48(%rsp)\n"
         "movups %xmm4, 64(%rsp)\nmovups %xmm5, 80(%rsp)\nmovups %xmm6, 96(%rsp)\nmovups %xmm7, 112(%rsp)\n"
         "movq %r11, %rdi\ncall omptape_libc_find\n"
         "movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\nmovups 48(%rsp), %xmm3\n"
         "movups 64(%rsp), %xmm4\nmovups 80(%rsp), %xmm5\nmovups 96(%rsp), %xmm6\nmovups 112(%rsp), %xmm7\n"
         "addq $128, %rsp\n"
         "popq %r11\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\npopq %rax\n"
         "popq %rbp\n.cfi_def_cfa rsp, 8\n"
         "jmp *(%r11)\n.cfi_endproc\n")
#elif defined(__aarch64__)
/* hint #34 is `bti c`. */
#define JUMP(name, number)                                                                                   \
    FUNCTION("__wrap_" #name, "hint #34\nadrp x16, " SLOT(number) "\nadd x16, x16, :lo12:" SLOT(             \
                                  number) "\nldr x17, [x16]\nbr x17\n")
#define RETURN(name, number) FUNCTION("__wrap_" #name, "hint #34\nret\n")
FUNCTION("omptape_libc_first_call",
         ".cfi_startproc\nhint #34\n"
         "stp x29, x30, [sp, #-224]!\n.cfi_adjust_cfa_offset 224\n.cfi_rel_offset x29, 0\n"
         ".cfi_rel_offset x30, 8\nmov x29, sp\n"
         "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\n"
         "stp x8, x16, [sp, #80]\n"
         "stp q0, q1, [sp, #96]\nstp q2, q3, [sp, #128]\nstp q4, q5, [sp, #160]\nstp q6, q7, [sp, #192]\n"
         "mov x0, x16\nbl omptape_libc_find\n"
         "ldp q0, q1, [sp, #96]\nldp q2, q3, [sp, #128]\nldp q4, q5, [sp, #160]\nldp q6, q7, [sp, #192]\n"
         "ldp x8, x16, [sp, #80]\n"
         "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"
         "ldp x29, x30, [sp], #224\n.cfi_def_cfa sp, 0\n.cfi_restore x29\n.cfi_restore x30\n"
         "ldr x17, [x16]\nbr x17\n.cfi_endproc\n")
#else
#error "the jumps to libc are written for x86-64 and aarch64"
#endif

OMPTAPE_LIBC_NAMES(JUMP)
OMPTAPE_LIBC_ABSENT(RETURN)

void omptape_libc_first_call(void) __attribute__((visibility("hidden")));
typedef _Atomic(uintptr_t) slot_t;
void omptape_libc_find(slot_t *slot) __attribute__((visibility("hidden")));

#define FIRST_CALL(name, number) (uintptr_t)omptape_libc_first_call,
slot_t omptape_libc_slots[OMPTAPE_LIBC_COUNT]
    __attribute__((visibility("hidden"))) = {OMPTAPE_LIBC_NAMES(FIRST_CALL)};

#define TEXT(name, number) #name "\0"
static const char names[] = OMPTAPE_LIBC_NAMES(TEXT);
static const char *_Atomic missing; /* the first function that libc lacks; NULL: none so far */

/* Libraries that contain libc's functions; the last three only until glibc 2.33. */
static const char *const library_names[] = {"libc.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"};
enum { LIBRARIES = sizeof(library_names) / sizeof(library_names[0]) };

/* Defined by glibc's loader. Weak, because a traced program may start a program with another libc (musl).
 * Its loader would end that program over a missing strong symbol. With the weak one the library finds no
 * function and does nothing. */
#pragma weak _r_debug

/* Symbol tables of one library. */
struct library {
    uintptr_t base;
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Half) * versions;
    const uint32_t *hash; /* GNU hash table; NULL: the library is not loaded */
};
static struct library libraries[LIBRARIES];
static atomic_bool libraries_known;

static bool is_same(const char *a, const char *b)
{
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return *a == *b;
}

/* Returns a dynamic entry's value as an address. The loader relocates most of these values, but not all of
 * them on every architecture. */
static const void *entry_address(const struct link_map *object, const ElfW(Dyn) * entry)
{
    uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < object->l_addr ? value + object->l_addr : value);
}

/* Reads an object's symbol tables into `library`. Returns the object's name (DT_SONAME), or NULL. */
static const char *read_object(const struct link_map *object, struct library *library)
{
    uintptr_t name = 0;
    *library = (struct library){.base = object->l_addr};
    for (const ElfW(Dyn) *entry = object->l_ld; entry != NULL && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            name = entry->d_un.d_val;
        else if (entry->d_tag == DT_STRTAB)
            library->strings = entry_address(object, entry);
        else if (entry->d_tag == DT_SYMTAB)
            library->symbols = entry_address(object, entry);
        else if (entry->d_tag == DT_VERSYM)
            library->versions = entry_address(object, entry);
        else if (entry->d_tag == DT_GNU_HASH)
            library->hash = entry_address(object, entry);
    return name != 0 && library->strings != NULL && library->symbols != NULL ? library->strings + name : NULL;
}

/* Fills `libraries`. Two threads may do so at once: both write the same values. */
static void find_libraries(void)
{
    struct library library;
    const struct link_map *first = &_r_debug != NULL ? _r_debug.r_map : NULL;
    for (const struct link_map *object = first; object != NULL; object = object->l_next) {
        const char *name = read_object(object, &library);
        for (unsigned i = 0; name != NULL && i < LIBRARIES; i++)
            if (libraries[i].hash == NULL && is_same(name, library_names[i]))
                libraries[i] = library;
    }
    atomic_store(&libraries_known, true);
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* Returns the function's default version, as dlsym does; otherwise a version kept for old programs. */
static const ElfW(Sym) * look_up(const struct library *library, const char *name, uint32_t hash)
{
    enum { HEADER_WORDS = 4, HIDDEN = 0x8000 };
    if (library->hash == NULL)
        return NULL;
    const uint32_t buckets = library->hash[0];
    const uint32_t first = library->hash[1];
    const size_t filter_words = library->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *bucket = library->hash + HEADER_WORDS + filter_words;
    const uint32_t *chain = bucket + buckets;
    const ElfW(Sym) *found = NULL;
    uint32_t i = buckets > 0 ? bucket[hash % buckets] : 0;
    if (i < first)
        return NULL;
    do {
        const ElfW(Sym) *symbol = &library->symbols[i];
        if ((chain[i - first] | 1U) != (hash | 1U) || symbol->st_shndx == SHN_UNDEF ||
            !is_same(library->strings + symbol->st_name, name))
            continue;
        found = symbol;
        if (library->versions == NULL || (library->versions[i] & HIDDEN) == 0)
            break;
    } while ((chain[i++ - first] & 1U) == 0);
    return found;
}

/* Replaces a function that libc lacks. */
static long do_nothing(void)
{
    return 0;
}

static uintptr_t resolve_name(uintptr_t resolver)
{
#if defined(__aarch64__)
    /* The loader's convention for resolvers on aarch64: this bit announces a second argument. */
    const struct {
        unsigned long size;
        unsigned long hwcap;
        unsigned long hwcap2;
    } argument = {sizeof(argument), getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    return ((uintptr_t (*)(uint64_t, const void *))resolver)(argument.hwcap | UINT64_C(1) << 62, &argument);
#else
    return ((uintptr_t (*)(void))resolver)();
#endif
}

static void fill_slot(slot_t *slot, const char *name)
{
    const ElfW(Sym) *symbol = NULL;
    const uint32_t hash = hash_of(name);
    uintptr_t address = 0;
    for (unsigned i = 0; i < LIBRARIES && symbol == NULL; i++) {
        symbol = look_up(&libraries[i], name, hash);
        address = symbol != NULL ? libraries[i].base + symbol->st_value : 0;
    }
    unsigned type = symbol != NULL ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE;
    if (type == STT_GNU_IFUNC) {
        *slot = resolve_name(address);
    } else if (type == STT_FUNC) {
        *slot = address;
    } else {
        *slot = (uintptr_t)do_nothing;
        missing = name;
    }
}

static const char *next_name(const char *name)
{
    while (*name != '\0')
        name++;
    return name + 1;
}

void omptape_libc_find(slot_t *slot)
{
    const char *name = names;
    for (const slot_t *other = omptape_libc_slots; other < slot; other++)
        name = next_name(name);
    if (!atomic_load(&libraries_known))
        find_libraries();
    fill_slot(slot, name);
}

static void report_missing(const char *name)
{
    static char before[] = "omptape: this libc has no ";
    static char after[] = ": nothing is traced\n";
    static atomic_flag said = ATOMIC_FLAG_INIT;
    size_t length = 0;
    while (name[length] != '\0')
        length++;
    const struct iovec parts[] = {
        {before, sizeof(before) - 1}, {(char *)(uintptr_t)name, length}, {after, sizeof(after) - 1}};
    if (!atomic_flag_test_and_set(&said))
        omptape_raw(SYS_writev, 2, (long)parts, sizeof(parts) / sizeof(parts[0]), 0);
}

bool omptape_libc_may_act(void)
{
    return getauxval(AT_SECURE) == 0 && missing == NULL;
}

bool omptape_libc_is_complete(void)
{
    const char *name = names;
    if (getauxval(AT_SECURE) != 0)
        return false;
    for (size_t i = 0; i < OMPTAPE_LIBC_COUNT; i++, name = next_name(name))
        if (omptape_libc_slots[i] == (uintptr_t)omptape_libc_first_call)
            fill_slot(&omptape_libc_slots[i], name);
    if (missing == NULL)
        return true;
    report_missing(missing);
    return false;
}
