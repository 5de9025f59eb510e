/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds MPI's functions: behind the wrappers in the loader's order, or directly in MPI's library. The latter
 * is needed if only a part of the program loaded MPI (such as a Python module).
 */
#include "callbacks/mpi/real.h"

#include "src/core/words.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BINDINGS = 12 };

static _Atomic uintptr_t addresses[OMPTAPE_MPI_FUNCTIONS][OMPTAPE_MPI_NAMINGS];

/* The code of a language binding, or of omptape's wrappers of Fortran's names, which call it. */
struct range {
    uintptr_t begin;
    uintptr_t end;
};
static struct range bindings[MAX_BINDINGS];
static atomic_uint binding_count;
static atomic_bool searched;

static bool is_mpi(const char *path)
{
    return omptape_starts_with(omptape_base_name(path), "libmpi");
}

static bool has_any(const char *name, const char *const *parts)
{
    for (; *parts != NULL; parts++)
        if (strstr(name, *parts) != NULL)
            return true;
    return false;
}

static const void *find_names(void)
{
    return dlsym(RTLD_DEFAULT, "omptape_mpi_names");
}

bool omptape_mpi_real_names_are_there(void)
{
    return find_names() != NULL;
}

/* Returns true if the address is in the library of the wrappers' names. */
static bool is_ours(const void *address)
{
    Dl_info info;
    Dl_info own;
    const void *names = find_names();
    return names != NULL && dladdr(address, &info) != 0 && dladdr(names, &own) != 0 &&
           info.dli_fbase == own.dli_fbase;
}

struct search {
    const char *name;
    void *found;
};

static int look_into(struct dl_phdr_info *info, size_t bytes, void *data)
{
    struct search *search = data;
    (void)bytes;
    if (info->dlpi_name == NULL || !is_mpi(info->dlpi_name))
        return 0;
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        return 0;
    search->found = dlsym(library, search->name);
    if (search->found != NULL && is_ours(search->found))
        search->found = NULL;
    dlclose(library);
    return search->found != NULL;
}

static void *find(const char *name, void *after)
{
    struct search search = {.name = name, .found = dlsym(after, name)};
    if (search.found != NULL && is_ours(search.found))
        search.found = NULL;
    if (search.found == NULL)
        dl_iterate_phdr(look_into, &search);
    return search.found;
}

void *omptape_mpi_real_symbol(const char *name)
{
    return find(name, RTLD_DEFAULT);
}

bool omptape_mpi_real_is_in(const void *address, const char *library)
{
    Dl_info info;
    return address != NULL && dladdr(address, &info) != 0 && info.dli_fname != NULL &&
           omptape_starts_with(omptape_base_name(info.dli_fname), library);
}

bool omptape_mpi_real_symbols(const struct omptape_mpi_symbol *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *address = omptape_mpi_real_symbol(list[i].name);
        if (address == NULL)
            return false;
        memcpy(list[i].place, &address, sizeof(address));
    }
    return true;
}

/* Fortran's names are in lower case. No locale decides, as of tolower(). */
static void lower(char *name)
{
    for (; *name != '\0'; name++)
        if (*name >= 'A' && *name <= 'Z')
            *name = (char)(*name - 'A' + 'a');
}

omptape_mpi_address *omptape_mpi_real_find(enum omptape_mpi_number number, enum omptape_mpi_naming naming)
{
    static const char *const endings[OMPTAPE_MPI_NAMINGS] = {"", "", "_", "_f08_"};
    _Atomic uintptr_t *known = &addresses[number][naming];
    uintptr_t address = atomic_load_explicit(known, memory_order_relaxed);
    if (address == 0) {
        char name[OMPTAPE_MPI_NAME_BYTES + sizeof("P_f08_")];
        snprintf(name, sizeof(name), "%s%s%s", naming == OMPTAPE_MPI_NAMED_PROFILING ? "P" : "",
                 omptape_mpi_functions[number].name, endings[naming]);
        if (naming >= OMPTAPE_MPI_NAMED_FORTRAN)
            lower(name);
        address = (uintptr_t)find(name, RTLD_NEXT);
        atomic_store_explicit(known, address, memory_order_relaxed);
    }
    return (omptape_mpi_address *)address;
}

static int note_binding(struct dl_phdr_info *info, size_t bytes, void *data)
{
    static const char *const languages[] = {"mpifh", "usempi", "fort", "mpif", "_cxx", "++", "cxx", NULL};
    unsigned count = atomic_load(&binding_count);
    (void)bytes;
    (void)data;
    if (info->dlpi_name == NULL)
        return 0;
    const char *name = omptape_base_name(info->dlpi_name);
    if (!omptape_starts_with(name, "libomptape") && (!is_mpi(name) || !has_any(name, languages)))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum && count < MAX_BINDINGS; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0)
            continue;
        bindings[count].begin = info->dlpi_addr + segment->p_vaddr;
        bindings[count].end = bindings[count].begin + segment->p_memsz;
        count++;
    }
    atomic_store(&binding_count, count);
    return 0;
}

bool omptape_mpi_real_is_binding(const void *address)
{
    const uintptr_t place = (uintptr_t)address;
    if (!atomic_load_explicit(&searched, memory_order_relaxed) && !atomic_exchange(&searched, true))
        dl_iterate_phdr(note_binding, NULL);
    unsigned count = atomic_load_explicit(&binding_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        if (place >= bindings[i].begin && place < bindings[i].end)
            return true;
    return false;
}

int omptape_mpi_real_call(omptape_mpi_address *function, unsigned count, const intptr_t *a)
{
    typedef int few(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
    typedef int many(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                     intptr_t, intptr_t, intptr_t, intptr_t);
    enum { FEW = 6 };
    if (count <= FEW)
        return ((few *)function)(a[0], a[1], a[2], a[3], a[4], a[5]);
    return ((many *)function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
                              a[12]);
}
