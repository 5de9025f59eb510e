/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the libgomp that a caller uses, and its functions. Called on program threads; the results are cached.
 */
#include "callbacks/gomp/runtimes.h"

#include "buffers/cancel.h"
#include "callbacks/module.h"
#include "src/core/message.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNTIMES = 16, MAX_CALLERS = 512 };

static const char *const names[] = {
#define NAME(name, ...) #name,
    OMPTAPE_GOMP_WRAPPED(NAME) OMPTAPE_GOMP_QUERIES(NAME)};

static struct omptape_gomp_runtime runtimes[MAX_RUNTIMES];
static unsigned runtime_count;
static struct omptape_gomp_caller callers[MAX_CALLERS];
static atomic_uint caller_count;
/* The lock for searching and for adding to the two lists. */
static atomic_flag searching = ATOMIC_FLAG_INIT;

static const struct omptape_gomp_caller no_caller;
_Thread_local const struct omptape_gomp_caller *omptape_gomp_caller
    __attribute__((tls_model("initial-exec"))) = &no_caller;
bool (*omptape_gomp_start_session)(struct omptape_gomp_runtime *runtime);

void omptape_gomp_forget(void)
{
    omptape_gomp_unlock(&searching);
}

/* The module that contains an address. */
struct module {
    uintptr_t address;
    uintptr_t begin;
    uintptr_t bytes;
    /* "" for the main program, NULL if no module contains the address. */
    const char *name;
};

static int visit_module(struct dl_phdr_info *object, size_t size, void *data)
{
    struct module *module = data;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t first = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        begin = first < begin ? first : begin;
        end = first + segment->p_memsz > end ? first + segment->p_memsz : end;
    }
    if (module->address < begin || module->address >= end)
        return 0;
    module->begin = begin;
    module->bytes = end - begin;
    module->name = object->dlpi_name != NULL ? object->dlpi_name : "";
    return 1;
}

/* Returns 1 if the library's read-only data contain the string "ompt_start_tool". Then it supports OMPT
 * itself, as libgomp does with gcc's patches of 2026. */
static int mentions_ompt(struct dl_phdr_info *object, size_t size, void *data)
{
    static const char name[] = "\0ompt_start_tool";
    const struct omptape_gomp_runtime *runtime = data;
    struct module module = {.address = runtime->base};
    if (visit_module(object, size, &module) == 0)
        return 0;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_R | PF_W)) == PF_R &&
            memmem((const void *)(object->dlpi_addr + segment->p_vaddr), segment->p_filesz, name,
                   sizeof(name)) != NULL)
            return 1;
    }
    return -1;
}

/* Opens a loaded library again. add_runtime() never closes a libgomp's handle: it stays loaded. */
static void *open_again(const char *path)
{
    return path[0] != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : dlopen(NULL, RTLD_LAZY);
}

static void *find_in(const char *path, const char *name)
{
    void *library = open_again(path);
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (library != NULL)
        dlclose(library);
    return found;
}

struct search {
    const char *name;
    void *found;
};

static int visit_gomp(struct dl_phdr_info *object, size_t size, void *data)
{
    struct search *search = data;
    (void)size;
    if (object->dlpi_name == NULL || strstr(object->dlpi_name, "gomp") == NULL)
        return 0;
    search->found = find_in(object->dlpi_name, search->name);
    return search->found != NULL;
}

static bool is_ours(const void *address)
{
    Dl_info info;
    Dl_info own;
    return dladdr(address, &info) != 0 && dladdr((const void *)&no_caller, &own) != 0 &&
           info.dli_fbase == own.dli_fbase;
}

/* Finds the function that the module would call without this library. Loads libgomp if the program lacks it,
 * because it was linked with this library. */
static void *find_real(const struct module *module, const char *name)
{
    struct search search = {.name = name, .found = dlsym(RTLD_NEXT, name)};
    if (search.found == NULL && module->name != NULL)
        search.found = find_in(module->name, name);
    if (search.found != NULL && is_ours(search.found))
        search.found = NULL;
    if (search.found == NULL)
        (void)dl_iterate_phdr(visit_gomp, &search);
    if (search.found == NULL && dlopen("libgomp.so.1", RTLD_LAZY) != NULL)
        search.found = find_in("libgomp.so.1", name);
    return search.found;
}

static struct omptape_gomp_runtime *add_runtime(const Dl_info *info)
{
    if (runtime_count == MAX_RUNTIMES)
        return &runtimes[MAX_RUNTIMES - 1];
    struct omptape_gomp_runtime *runtime = &runtimes[runtime_count++];
    runtime->base = (uintptr_t)info->dli_fbase;
    runtime->path = info->dli_fname;
    (void)open_again(runtime->path);
    if (omptape_gomp_find_function(runtime, OMPTAPE_CALL_omp_get_cancellation) != 0)
        runtime->can_cancel = OMPTAPE_GOMP_REAL(runtime, omp_get_cancellation)() != 0;
    return runtime;
}

static struct omptape_gomp_runtime *find_runtime_of(const struct module *module, const char *name)
{
    Dl_info info;
    void *real = find_real(module, name);
    if (real == NULL || dladdr(real, &info) == 0) {
        omptape_message("%s: no libgomp that has it is among the program's libraries", name);
        _Exit(127);
    }
    for (unsigned i = 0; i < runtime_count; i++)
        if (runtimes[i].base == (uintptr_t)info.dli_fbase)
            return &runtimes[i];
    return add_runtime(&info);
}

static const struct omptape_gomp_caller *find_cached(uintptr_t address, uint64_t name)
{
    const unsigned count = atomic_load_explicit(&caller_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        if (address - callers[i].begin < callers[i].bytes &&
            (callers[i].is_main_program || callers[i].name == name))
            return &callers[i];
    return NULL;
}

/* Returns the index for a new entry: the entry of unloaded code in this address range, or else a free one. */
static unsigned free_entry_for(const struct module *module)
{
    const unsigned count = atomic_load_explicit(&caller_count, memory_order_relaxed);
    unsigned i = 0;
    while (i < count && (callers[i].begin >= module->begin + module->bytes ||
                         module->begin >= callers[i].begin + callers[i].bytes))
        i++;
    return i < MAX_CALLERS ? i : MAX_CALLERS - 1;
}

static const struct omptape_gomp_caller *add_caller(uintptr_t address, uint64_t name,
                                                    enum omptape_gomp_number number)
{
    struct module module = {.address = address};
    if (dl_iterate_phdr(visit_module, &module) == 0) {
        /* The loader does not know this code. */
        module.begin = address;
        module.bytes = 1;
    }
    const unsigned place = free_entry_for(&module);
    callers[place] =
        (struct omptape_gomp_caller){.begin = module.begin,
                                     .bytes = module.bytes,
                                     .runtime = find_runtime_of(&module, names[number]),
                                     .name = name,
                                     .is_main_program = module.name != NULL && module.name[0] == '\0'};
    if (place == atomic_load_explicit(&caller_count, memory_order_relaxed))
        atomic_store_explicit(&caller_count, place + 1, memory_order_release);
    return &callers[place];
}

static bool is_decided(const struct omptape_gomp_runtime *runtime)
{
    return atomic_load_explicit(&runtime->is_decided, memory_order_acquire);
}

/* Decides whether the runtime is recorded, once this library is initialised. */
static void decide(struct omptape_gomp_runtime *runtime)
{
    if (omptape_gomp_start_session == NULL || is_decided(runtime))
        return;
    const bool has_ompt =
        find_in(runtime->path, "__kmpc_fork_call") != NULL || dl_iterate_phdr(mentions_ompt, runtime) > 0;
    runtime->is_traced = !has_ompt && omptape_gomp_start_session(runtime);
    atomic_store_explicit(&runtime->is_decided, true, memory_order_release);
}

static const struct omptape_gomp_caller *find_caller(uintptr_t address, enum omptape_gomp_number number)
{
    const uint64_t name = omptape_module_version(address);
    const struct omptape_gomp_caller *caller = find_cached(address, name);
    if (caller != NULL && is_decided(caller->runtime))
        return caller;
    omptape_gomp_lock(&searching);
    caller = find_cached(address, name);
    if (caller == NULL)
        caller = add_caller(address, name, number);
    decide(caller->runtime);
    omptape_gomp_unlock(&searching);
    return caller;
}

struct omptape_gomp_runtime *omptape_gomp_find_runtime(const void *site, enum omptape_gomp_number number)
{
    const int saved = errno;
    const int cancel = omptape_cancel_hold();
    const struct omptape_gomp_caller *caller = find_caller((uintptr_t)site, number);
    if (is_decided(caller->runtime))
        omptape_gomp_caller = caller;
    omptape_cancel_release(cancel);
    errno = saved;
    return caller->runtime;
}

uintptr_t omptape_gomp_find_function(struct omptape_gomp_runtime *runtime, enum omptape_gomp_number number)
{
    const uintptr_t address = (uintptr_t)find_in(runtime->path, names[number]);
    atomic_store_explicit(&runtime->functions[number], address, memory_order_relaxed);
    return address;
}

uintptr_t omptape_gomp_require_function(struct omptape_gomp_runtime *runtime, enum omptape_gomp_number number)
{
    const int saved = errno;
    uintptr_t address = omptape_gomp_find_function(runtime, number);
    if (address == 0) {
        /* LLVM's libgomp lacks some functions. The loader would find them in the next runtime. */
        address = (uintptr_t)find_real(&(struct module){.name = NULL}, names[number]);
        atomic_store_explicit(&runtime->functions[number], address, memory_order_relaxed);
    }
    if (address == 0) {
        omptape_message("%s: %s does not have it", names[number], runtime->path);
        _Exit(127);
    }
    errno = saved;
    return address;
}
