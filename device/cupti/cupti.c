/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts the CUPTI producer and opens its devices. Called by the tool's start, by libcuda inside cuInit, by
 * CUPTI when a context is created, and by device/device.c. Any thread, several at a time.
 *
 * No thread waits for another while it may hold a lock of CUDA. What cannot be done at once is left to a
 * later call.
 */
#include "device/cupti/cupti.h"
#include "src/core/words.h"

#include "device/cupti/devices.h"
#include "device/cupti/records.h"
#include "src/core/message.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FLUSH_PERIOD_MS = 1000, WHY_BYTES = 640 };

enum cupti_state { IDLE, STARTING, STARTED, FAILED };

/* Which of the two events have happened. CUPTI is started after both, or at once if the user wants it. */
enum { SIGN_TOOL = 1, SIGN_CUDA = 2 };

static atomic_uint signs;
static atomic_int state;
static enum omptape_cuda wanted;
static bool start_paused;
static omptape_cupti_correlate_t set_correlation;
static char failure[WHY_BYTES]; /* The reason for FAILED. */
static bool busy;               /* True if another profiler is the reason. */

static struct omptape_cupti_library library;
static void *subscriber;

/* Returns true on success. Otherwise `why` receives the reason. */
static bool is_good(int result, const char *what, char *why, size_t why_bytes)
{
    const char *text = NULL;
    if (result == OMPTAPE_CUPTI_SUCCESS)
        return true;
    if (library.functions.result_string != NULL)
        (void)library.functions.result_string(result, &text);
    (void)snprintf(why, why_bytes, "%s answers %s (%d)%s", what, text != NULL ? text : "error", result,
                   result == OMPTAPE_CUPTI_ERROR_UNKNOWN ? "; is there a driver and a device?" : "");
    return false;
}

/* Returns true if an offload runtime is loaded. It then announces the devices and their numbers itself. */
static bool has_offload_runtime(void)
{
    return dlsym(RTLD_DEFAULT, "__tgt_register_lib") != NULL;
}

static void on_callback(void *user, int domain, uint32_t id, const void *data)
{
    (void)user;
    uint32_t context;
    uint32_t ordinal;
    const struct omptape_cupti_resource *resource = data;
    const struct omptape_cupti_functions *cupti = omptape_cupti();
    if (cupti == NULL || domain != OMPTAPE_CUPTI_DOMAIN_RESOURCE || id != OMPTAPE_CUPTI_CONTEXT_CREATED ||
        cupti->get_context_id == NULL || cupti->get_device_id == NULL ||
        cupti->get_context_id(resource->context, &context) != OMPTAPE_CUPTI_SUCCESS ||
        cupti->get_device_id(resource->context, &ordinal) != OMPTAPE_CUPTI_SUCCESS)
        return;
    omptape_cupti_note_context(context, ordinal);
    if (!has_offload_runtime())
        omptape_cupti_open_ordinal(ordinal);
}

/* Opens the device of the calling thread's context, which may be older than the subscription. Other devices
 * are opened by their records. */
static void open_present_device(void)
{
    uint32_t ordinal;
    if (!has_offload_runtime() && library.functions.get_device_id != NULL &&
        library.functions.get_device_id(NULL, &ordinal) == OMPTAPE_CUPTI_SUCCESS)
        omptape_cupti_open_ordinal(ordinal);
}

/* Begins to collect, so that nothing is lost before CUDA creates a context. If the runtime will announce the
 * devices, they start their own traces. */
static bool begin_at_once(char *why, size_t why_bytes)
{
    return start_paused || has_offload_runtime() ||
           is_good(omptape_cupti_resume(), "cuptiActivityEnable", why, why_bytes);
}

static enum omptape_cupti_verdict accept_library(const struct omptape_cupti_library *found, char *why,
                                                 size_t why_bytes)
{
    library = *found;
    int result = library.functions.subscribe(&subscriber, on_callback, NULL);
    busy = result == OMPTAPE_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS;
    if (busy) {
        (void)snprintf(why, why_bytes, "another profiler uses CUPTI in this process");
        return OMPTAPE_CUPTI_STOP;
    }
    if (!is_good(result, "cuptiSubscribe", why, why_bytes))
        return OMPTAPE_CUPTI_SKIP;
    omptape_cupti_use(&library);
    result = library.functions.register_callbacks(omptape_cupti_request, omptape_cupti_complete);
    if (!is_good(result, "cuptiActivityRegisterCallbacks", why, why_bytes) ||
        !begin_at_once(why, why_bytes)) {
        (void)library.functions.unsubscribe(subscriber);
        return OMPTAPE_CUPTI_SKIP;
    }
    if (library.functions.flush_period != NULL)
        (void)library.functions.flush_period(FLUSH_PERIOD_MS);
    if (library.functions.enable_callback != NULL)
        (void)library.functions.enable_callback(1, subscriber, OMPTAPE_CUPTI_DOMAIN_RESOURCE,
                                                OMPTAPE_CUPTI_CONTEXT_CREATED);
    return OMPTAPE_CUPTI_ACCEPT;
}

/* Returns true if a failure is worth a message. Without devices nothing is lost, although programs may call
 * cuInit. */
static bool is_worth_a_word(void)
{
    return wanted == OMPTAPE_CUDA_ON || busy || access("/dev/nvidiactl", F_OK) == 0;
}

static void at_exit(void)
{
    omptape_cupti_close_ordinals();
}

/* Starts CUPTI, once. `announced` means that the runtime is about to open a device. */
static void start_cupti(bool announced)
{
    int idle = IDLE;
    if (!atomic_compare_exchange_strong(&state, &idle, STARTING))
        return;
    bool taken = omptape_cupti_library_find(accept_library, failure, sizeof(failure));
    if (!taken && is_worth_a_word())
        omptape_message("CUDA's devices are not traced: %s", failure);
    if (taken)
        omptape_cupti_set_started();
    atomic_store_explicit(&state, taken ? STARTED : FAILED, memory_order_release);
    if (!taken)
        return;
    /* Runs before CUDA's handlers, which were registered earlier. The session ends after both. */
    (void)atexit(at_exit);
    if (!announced)
        open_present_device();
}

/* Returns true if cuInit will call this library, because the variable names it. */
static bool will_be_called(void)
{
    Dl_info own;
    const char *named = getenv("CUDA_INJECTION64_PATH");
    return named != NULL && dladdr((void *)(uintptr_t)&will_be_called, &own) != 0 && own.dli_fname != NULL &&
           strcmp(own.dli_fname, named) == 0;
}

static int is_libcuda(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    (void)argument;
    return omptape_starts_with(omptape_base_name(object->dlpi_name), "libcuda.so");
}

/* Returns true if libcuda is loaded. dlopen() is not used: even with RTLD_NOLOAD it searches all folders for
 * a library that is not loaded. */
static bool has_cuda(void)
{
    return dl_iterate_phdr(is_libcuda, NULL) != 0;
}

void omptape_cupti_start(enum omptape_cuda cuda, bool paused, omptape_cupti_correlate_t correlate)
{
    wanted = cuda;
    start_paused = paused;
    set_correlation = correlate;
    if (cuda == OMPTAPE_CUDA_OFF)
        return;
    unsigned before = atomic_fetch_or(&signs, SIGN_TOOL);
    if (cuda == OMPTAPE_CUDA_ON || (before & SIGN_CUDA) != 0 || (!will_be_called() && has_cuda()))
        start_cupti(false);
}

void omptape_cupti_notice(void)
{
    if ((atomic_fetch_or(&signs, SIGN_CUDA) & SIGN_TOOL) != 0)
        start_cupti(false);
}

/* Starts CUPTI, or awaits another thread doing so, with a timeout: that one may wait for this one in CUDA. */
static bool is_started(void)
{
    static const struct timespec slice = {.tv_nsec = 1000000};
    enum { MAX_SLICES = 2000 };
    start_cupti(true);
    for (int i = 0; i < MAX_SLICES && atomic_load(&state) == STARTING; i++)
        nanosleep(&slice, NULL);
    return omptape_cupti() != NULL;
}

static void push_operation(uint64_t operation)
{
    const struct omptape_cupti_functions *cupti = omptape_cupti();
    if (cupti != NULL)
        (void)cupti->push_external(OMPTAPE_CUPTI_EXTERNAL_CUSTOM0, operation);
}

static void pop_operation(void)
{
    const struct omptape_cupti_functions *cupti = omptape_cupti();
    if (cupti != NULL)
        (void)cupti->pop_external(OMPTAPE_CUPTI_EXTERNAL_CUSTOM0, NULL);
}

/* Returns CUDA's number of the device, from the current context of the initialising thread. Runtimes without
 * such a context are assumed to announce devices in CUDA's order. */
static uint32_t find_ordinal(int device_num)
{
    static atomic_uint announced;
    uint32_t nth = atomic_fetch_add(&announced, 1);
    uint32_t ordinal;
    if (library.functions.get_device_id != NULL &&
        library.functions.get_device_id(NULL, &ordinal) == OMPTAPE_CUPTI_SUCCESS &&
        !omptape_cupti_has_other_number(ordinal, device_num))
        return ordinal;
    return nth;
}

bool omptape_cupti_open_device(int device_num, const char *type, char *why, size_t why_bytes)
{
    if (why_bytes > 0)
        why[0] = '\0';
    if (type == NULL || !omptape_starts_with(type, "sm_"))
        return false;
    if ((atomic_load(&signs) & SIGN_TOOL) == 0) {
        (void)snprintf(why, why_bytes, "CUPTI was not to be asked (--cuda=off)");
        return false;
    }
    if (!is_started()) {
        (void)snprintf(why, why_bytes, "CUPTI cannot be used: %s",
                       atomic_load(&state) == FAILED ? failure : "it does not come to life");
        return false;
    }
    if (library.functions.push_external != NULL && library.functions.pop_external != NULL) {
        omptape_cupti_enable_correlation();
        if (set_correlation != NULL)
            set_correlation(push_operation, pop_operation);
    }
    if (!omptape_cupti_open_number(find_ordinal(device_num), device_num)) {
        (void)snprintf(why, why_bytes, "CUPTI counts more devices than omptape");
        return false;
    }
    return true;
}

void omptape_cupti_forget(void)
{
    (void)snprintf(failure, sizeof(failure), "CUDA does not survive fork");
    atomic_store(&state, FAILED);
    omptape_cupti_forget_devices();
}
