/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches for libcupti. Called by device/cupti/cupti.c on the thread that starts CUPTI. It may be inside
 * cuInit, so no function of CUDA is called here.
 */
#include "device/cupti/library.h"
#include "src/core/words.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDERS = 12, FOLDER_BYTES = 448, OFFERED = 8 };

/* CUDA 11 changed the library's version with each release. */
static const char *const names[] = {"libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8",
                                    "libcupti.so.11.7", "libcupti.so.11.6", "libcupti.so.11.5",
                                    "libcupti.so.11.4", "libcupti.so.11.3", "libcupti.so.11.2",
                                    "libcupti.so.11.1", "libcupti.so.11.0", "libcupti.so"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

struct library_search {
    char folders[FOLDERS][FOLDER_BYTES]; /* "" means the dynamic linker's own search. */
    size_t count;
    void *offered[OFFERED];
    size_t offered_count;
};

static void add_folder(struct library_search *search, const char *folder, size_t length, const char *below)
{
    if (search->count >= FOLDERS || length == 0 || length + strlen(below) >= FOLDER_BYTES)
        return;
    (void)snprintf(search->folders[search->count++], FOLDER_BYTES, "%.*s%s", (int)length, folder, below);
}

static void add_installation(struct library_search *search, const char *root)
{
    if (root == NULL || *root == '\0')
        return;
    add_folder(search, root, strlen(root), "/extras/CUPTI/lib64");
    add_folder(search, root, strlen(root), "/lib64");
}

/* Adds the folders beside the CUDA library that the program uses: the version there matches best. */
static int note_loaded(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    const char *slash = strrchr(object->dlpi_name, '/');
    if (slash == NULL || !omptape_starts_with(slash + 1, "libcudart.so"))
        return 0;
    size_t length = (size_t)(slash - object->dlpi_name);
    add_folder(argument, object->dlpi_name, length, "");
    add_folder(argument, object->dlpi_name, length, "/../extras/CUPTI/lib64");
    return 1;
}

static void list_folders(struct library_search *search)
{
    dl_iterate_phdr(note_loaded, search);
    search->folders[search->count++][0] = '\0';
    add_installation(search, getenv("CUDA_HOME"));
    add_installation(search, getenv("CUDA_PATH"));
    add_installation(search, "/usr/local/cuda");
}

static void *load_library(const char *folder, const char *name)
{
    char path[FOLDER_BYTES + 64];
    if (*folder == '\0')
        return dlopen(name, RTLD_NOW | RTLD_LOCAL);
    int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof(path) || access(path, R_OK) != 0)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool is_new(struct library_search *search, void *handle)
{
    for (size_t i = 0; i < search->offered_count; i++)
        if (search->offered[i] == handle)
            return false;
    if (search->offered_count == OFFERED)
        return false;
    search->offered[search->offered_count++] = handle;
    return true;
}

/* Stores a function's address. ISO C has no conversion from dlsym's pointer to a function pointer. */
static bool find_function(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* Looks up all functions. Returns the name of the first missing one, or NULL. */
static const char *find_functions(void *handle, struct omptape_cupti_functions *f)
{
    const struct {
        const char *name;
        void *function;
    } needed[] = {{"cuptiGetVersion", &f->get_version},
                  {"cuptiGetTimestamp", &f->get_timestamp},
                  {"cuptiSubscribe", &f->subscribe},
                  {"cuptiUnsubscribe", &f->unsubscribe},
                  {"cuptiActivityRegisterCallbacks", &f->register_callbacks},
                  {"cuptiActivityEnable", &f->enable},
                  {"cuptiActivityDisable", &f->disable},
                  {"cuptiActivityGetNextRecord", &f->next_record},
                  {"cuptiActivityFlushAll", &f->flush_all}},
      welcome[] = {{"cuptiActivityFlushPeriod", &f->flush_period},
                   {"cuptiActivityGetNumDroppedRecords", &f->dropped_records},
                   {"cuptiActivityPushExternalCorrelationId", &f->push_external},
                   {"cuptiActivityPopExternalCorrelationId", &f->pop_external},
                   {"cuptiEnableCallback", &f->enable_callback},
                   {"cuptiGetContextId", &f->get_context_id},
                   {"cuptiGetDeviceId", &f->get_device_id},
                   {"cuptiGetResultString", &f->result_string}};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!find_function(handle, needed[i].name, needed[i].function))
            return needed[i].name;
    for (size_t i = 0; i < sizeof(welcome) / sizeof(welcome[0]); i++)
        (void)find_function(handle, welcome[i].name, welcome[i].function);
    return NULL;
}

/* Stores the path from which the dynamic linker really loaded the library. */
static void describe_path(struct omptape_cupti_library *library, const char *name)
{
    Dl_info info;
    void *function;
    memcpy(&function, &library->functions.get_version, sizeof(function));
    if (dladdr(function, &info) != 0 && info.dli_fname != NULL)
        name = info.dli_fname;
    (void)snprintf(library->path, sizeof(library->path), "%s", name);
}

static enum omptape_cupti_verdict offer_library(void *handle, const char *name, omptape_cupti_accept_t accept,
                                                char *why, size_t why_bytes)
{
    struct omptape_cupti_library library = {.version = 0};
    const char *missing = find_functions(handle, &library.functions);
    if (missing != NULL) {
        (void)snprintf(why, why_bytes, "%s lacks %s", name, missing);
        return OMPTAPE_CUPTI_SKIP;
    }
    describe_path(&library, name);
    if (library.functions.get_version(&library.version) != OMPTAPE_CUPTI_SUCCESS ||
        library.version < OMPTAPE_CUPTI_OLDEST_VERSION) {
        (void)snprintf(why, why_bytes, "%s is older than CUDA 11", library.path);
        return OMPTAPE_CUPTI_SKIP;
    }
    return accept(&library, why, why_bytes);
}

bool omptape_cupti_library_find(omptape_cupti_accept_t accept, char *why, size_t why_bytes)
{
    struct library_search search = {.count = 0};
    char reason[512 + 64];
    (void)snprintf(why, why_bytes, "there is no libcupti (CUDA_HOME may name CUDA's folder)");
    list_folders(&search);
    for (size_t i = 0; i < search.count; i++) {
        for (size_t j = 0; j < NAMES; j++) {
            void *handle = load_library(search.folders[i], names[j]);
            if (handle == NULL || !is_new(&search, handle))
                continue;
            enum omptape_cupti_verdict answer =
                offer_library(handle, names[j], accept, reason, sizeof(reason));
            if (answer == OMPTAPE_CUPTI_ACCEPT)
                return true;
            if (answer == OMPTAPE_CUPTI_STOP || search.offered_count == 1)
                (void)snprintf(why, why_bytes, "%s", reason);
            if (answer == OMPTAPE_CUPTI_STOP)
                return false;
        }
    }
    return false;
}
