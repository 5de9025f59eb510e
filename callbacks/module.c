/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records modules that are loaded while the program runs. The callback for a parallel region calls it on the
 * encountering thread when a region begins in a library. The library can be unloaded, and replaced by another
 * one, before the writer reads the memory map.
 *
 * A signal handler may interrupt any function here and call it again. Fields that change are therefore
 * atomic. A handler that finds the table locked (`table_lock`) records the module and leaves the table.
 */
#include "callbacks/module.h"
#include "buffers/cancel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Finding the absolute path of a library's file, which the writer can open. */

enum { MODULE_PATH_BYTES = 1024 };

/* A buffer for reading /proc/self/maps line by line. */
struct map_lines {
    int fd;
    size_t used; /* Bytes of `text` that are filled. */
    char text[4096 + 512];
};

/* Removes `passed` bytes from the front of the buffer and reads on. Returns the end of the next line, or NULL
 * at the end of the file or if the line is too long. */
static char *next_line(struct map_lines *lines, size_t passed)
{
    lines->used -= passed;
    memmove(lines->text, lines->text + passed, lines->used);
    for (;;) {
        char *end = memchr(lines->text, '\n', lines->used);
        if (end != NULL)
            return end;
        ssize_t n = read(lines->fd, lines->text + lines->used, sizeof(lines->text) - lines->used);
        if (n <= 0)
            return NULL;
        lines->used += (size_t)n;
    }
}

static uintptr_t read_address(const char *text)
{
    uintptr_t value = 0;
    for (; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
        value = value << 4 | (uintptr_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return value;
}

static bool copy_path(const char *from, size_t length, char *path, size_t bytes)
{
    if (length == 0 || length >= bytes)
        return false;
    memcpy(path, from, length);
    path[length] = '\0';
    return true;
}

static bool find_in_map(uintptr_t begin, char *path, size_t bytes)
{
    struct map_lines lines = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    bool found = false;
    size_t passed = 0;
    if (lines.fd < 0)
        return false;
    for (char *end; !found && (end = next_line(&lines, passed)) != NULL;) {
        const char *slash = memchr(lines.text, '/', (size_t)(end - lines.text));
        if (read_address(lines.text) == begin && slash != NULL)
            found = copy_path(slash, (size_t)(end - slash), path, bytes);
        passed = (size_t)(end - lines.text) + 1;
    }
    close(lines.fd);
    return found;
}

/* Joins the current folder and `name`, for systems without /proc. Wrong after a change of folder. */
static bool join_current(const char *name, char *path, size_t bytes)
{
    size_t folder = getcwd(path, bytes) != NULL && path[0] == '/' ? strlen(path) : 0;
    if (folder == 0 || folder + 1 >= bytes)
        return false;
    path[folder] = '/';
    return copy_path(name, strlen(name), path + folder + 1, bytes - folder - 1);
}

/* Finds the absolute path of the library that the loader calls `name`, mapped at `begin`. A relative name is
 * looked up in the kernel's map, because the current folder may have changed. Returns false if the path is
 * unknown or too long. */
static bool find_path(const char *name, uintptr_t begin, char *path, size_t bytes)
{
    if (name[0] == '/')
        return copy_path(name, strlen(name), path, bytes);
    if (strchr(name, '/') == NULL)
        return false;
    const int cancel = omptape_cancel_hold();
    const bool found = find_in_map(begin, path, bytes);
    omptape_cancel_release(cancel);
    return found || join_current(name, path, bytes);
}

enum { MAX_MODULES = 4096, PAGE = 4096, MAX_NEW = 64, TEXT_WORDS = MODULE_PATH_BYTES / 8 };

/* A module that was recorded for the writer. Only the last two fields change. */
struct recorded_module {
    uintptr_t begin;
    uintptr_t end;
    /* Hash of the name that the loader gives the module; 0 if the loader does not know the code. */
    uint64_t name;
    /* The result of omptape_module_version() when the module was seen last. */
    _Atomic uint64_t version;
    _Atomic bool is_loaded; /* True until other code is seen in this address range. */
};

struct omptape_main_code omptape_main_code;

/* The entries below `module_count` are complete. */
static struct recorded_module modules[MAX_MODULES];
static atomic_uint module_count;
static atomic_flag table_lock = ATOMIC_FLAG_INIT;

/* glibc's struct dl_find_object, which older headers lack, with spare space for later versions. */
struct found_object {
    unsigned long long flags;
    void *begin;
    void *end;
    struct link_map *map;
    unsigned long long rest[16];
};
typedef int find_object_t(void *address, struct found_object *object);
/* _dl_find_object, which takes no lock. NULL before glibc 2.35. */
static find_object_t *_Atomic find_object;

struct code_search {
    uintptr_t address;
    uintptr_t begin;
    uintptr_t end;
    uint64_t offset; /* The offset of the address range in the module's file. */
    const char *path;
};

static uint64_t hash(const char *text)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    size_t length = strlen(text);
    uint64_t result = length + 1;
    for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, text + i, length - i < sizeof(word) ? length - i : sizeof(word));
        result = (result ^ word) * factor;
        result ^= result >> 32;
    }
    return result | 1;
}

static int count_loads(struct dl_phdr_info *object, size_t size, void *data)
{
    if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof(object->dlpi_adds))
        *(uint64_t *)data = object->dlpi_adds;
    return 1;
}

uint64_t omptape_module_version(uintptr_t address)
{
    struct found_object object;
    find_object_t *find = atomic_load_explicit(&find_object, memory_order_relaxed);
    uint64_t loads = 0;
    if (find != NULL)
        return find((void *)address, &object) == 0 ? hash(object.map->l_name) : 0;
    (void)dl_iterate_phdr(count_loads, &loads);
    return loads;
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
    struct code_search *search = data;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = (object->dlpi_addr + segment->p_vaddr) / PAGE * PAGE;
        uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (segment->p_type != PT_LOAD || search->address < begin || search->address >= end)
            continue;
        search->begin = begin;
        search->end = (end + PAGE - 1) / PAGE * PAGE;
        search->offset = segment->p_offset / PAGE * PAGE;
        search->path = object->dlpi_name;
        return 1;
    }
    return 0;
}

static bool is_in(const struct recorded_module *module, uintptr_t address)
{
    return address >= module->begin && address < module->end;
}

static struct recorded_module *find_module(const struct code_search *search, uint64_t name)
{
    unsigned count = atomic_load_explicit(&module_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        if (modules[i].begin == search->begin && modules[i].end == search->end && modules[i].name == name)
            return &modules[i];
    return NULL;
}

static struct recorded_module *add_module(const struct code_search *search, uint64_t name)
{
    unsigned count = atomic_load_explicit(&module_count, memory_order_relaxed);
    if (count == MAX_MODULES)
        return NULL;
    struct recorded_module *module = &modules[count];
    module->begin = search->begin;
    module->end = search->end;
    module->name = name;
    atomic_store_explicit(&module->is_loaded, false, memory_order_relaxed);
    atomic_store_explicit(&module_count, count + 1, memory_order_release);
    return module;
}

/* Adds the recorded module to the table; overlapping ones are gone. Returns NULL if it is full or locked. */
static struct recorded_module *insert_module(const struct code_search *search, uint64_t name,
                                             uint64_t version)
{
    if (atomic_flag_test_and_set(&table_lock))
        return NULL;
    struct recorded_module *module = find_module(search, name);
    if (module == NULL)
        module = add_module(search, name);
    unsigned count = atomic_load_explicit(&module_count, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++)
        if (modules[i].begin < search->end && search->begin < modules[i].end && &modules[i] != module)
            atomic_store_explicit(&modules[i].is_loaded, false, memory_order_relaxed);
    if (module != NULL) {
        atomic_store_explicit(&module->version, version, memory_order_relaxed);
        atomic_store_explicit(&module->is_loaded, true, memory_order_release);
    }
    atomic_flag_clear(&table_lock);
    return module;
}

static void put_module(struct omptape_slot *slot, const struct code_search *search)
{
    enum { FIXED = 3 };
    char path[MODULE_PATH_BYTES] = "";
    uint64_t payload[FIXED + TEXT_WORDS] = {search->begin, search->end, search->offset};
    if (search->path != NULL && !find_path(search->path, search->begin, path, sizeof(path)))
        return;
    size_t words = omptape_producer_text(payload + FIXED, TEXT_WORDS, path, SIZE_MAX);
    omptape_producer_put_words(slot, OMPTAPE_MODULE, 0, 0, payload, FIXED + words);
}

/* The slow path, for code outside the module of the thread's last region. Records the module unless the table
 * lists it as present. Returns NULL for the main program, or if the table is locked or full. */
static __attribute__((noinline, cold)) struct recorded_module *
record_module(struct omptape_slot *slot, uintptr_t address, uint64_t version)
{
    struct code_search search = {.address = address};
    if (dl_iterate_phdr(visit_object, &search) == 0) {
        /* The loader does not know this code. One page of it is recorded. */
        search.begin = address / PAGE * PAGE;
        search.end = search.begin + PAGE;
    } else if (search.path[0] == '\0') {
        /* This is the main program, which the writer knows. */
        atomic_store_explicit(&omptape_main_code.begin, search.begin, memory_order_relaxed);
        atomic_store_explicit(&omptape_main_code.bytes, search.end - search.begin, memory_order_relaxed);
        return NULL;
    }
    uint64_t name = search.path != NULL ? hash(search.path) : 0;
    struct recorded_module *module = find_module(&search, name);
    if (module != NULL && atomic_load_explicit(&module->is_loaded, memory_order_acquire)) {
        atomic_store_explicit(&module->version, version, memory_order_relaxed);
        return module;
    }
    put_module(slot, &search);
    return insert_module(&search, name, version);
}

void omptape_module_record(struct omptape_slot *slot, uintptr_t address)
{
    struct recorded_module *module = (struct recorded_module *)(uintptr_t)slot->last_module;
    uint64_t version = omptape_module_version(address);
    if (module != NULL && is_in(module, address) &&
        atomic_load_explicit(&module->version, memory_order_relaxed) == version &&
        atomic_load_explicit(&module->is_loaded, memory_order_acquire))
        return;
    int saved = errno;
    slot->last_module = (uintptr_t)record_module(slot, address, version);
    errno = saved;
}

/* Collects modules loaded after the session's start. The loader lists them in order. */
struct object_search {
    unsigned skipped; /* How many modules at the front of the list are skipped. */
    unsigned index;
    unsigned count;
    uintptr_t code[MAX_NEW];
};

static int collect_new(struct dl_phdr_info *object, size_t size, void *data)
{
    struct object_search *search = data;
    (void)size;
    if (search->index++ < search->skipped)
        return 0;
    for (unsigned i = 0; i < object->dlpi_phnum && search->count < MAX_NEW; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && (object->dlpi_phdr[i].p_flags & PF_X) != 0)
            search->code[search->count++] = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    return 0;
}

static atomic_uint first_objects; /* How many modules were loaded at the session's start. */

void omptape_module_record_new(struct omptape_slot *slot)
{
    struct object_search search = {.skipped = atomic_load(&first_objects)};
    (void)dl_iterate_phdr(collect_new, &search);
    for (unsigned i = 0; i < search.count; i++)
        omptape_module_record(slot, search.code[i]);
}

static int count_object(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)object;
    (void)size;
    (*(unsigned *)data)++;
    return 0;
}

void omptape_module_start(void)
{
    unsigned objects = 0;
    void *symbol = dlsym(RTLD_DEFAULT, "_dl_find_object");
    find_object_t *function;
    memcpy(&function, &symbol, sizeof(symbol));
    atomic_store(&find_object, function);
    atomic_store(&module_count, 0);
    (void)dl_iterate_phdr(count_object, &objects);
    atomic_store(&first_objects, objects);
    /* In a forked child, a thread of the parent may have held the lock. */
    atomic_flag_clear(&table_lock);
}
