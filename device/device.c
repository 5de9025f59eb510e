/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records devices and the code loaded onto them, and opens and closes the devices' tracing. The runtime calls
 * it on the thread that initialises or finalises a device.
 */
#include "device/device.h"

#include "buffers/producer.h"
#include "device/interface.h"
#include "device/tracing.h"
#include "src/core/words.h"

#include <string.h>

enum { TEXT_WORDS = 100 };

omptape_device_open_function *omptape_device_cupti_open;

static void record_initialize(int device_num, const char *type, bool has_lookup, const char *documentation)
{
    uint64_t text[2 * TEXT_WORDS];
    size_t used = omptape_producer_text(text, TEXT_WORDS, type, SIZE_MAX);
    used += omptape_producer_text(text + used, TEXT_WORDS, documentation, SIZE_MAX);
    omptape_producer_put_words(omptape_producer_get(OMPTAPE_DEVICE_INITIALIZE), OMPTAPE_DEVICE_INITIALIZE,
                               has_lookup, (uint32_t)device_num, text, used);
}

/* Returns true for NVIDIA's devices, which are named by their architecture, such as "sm_90". */
static bool is_nvidia(const char *type)
{
    return type != NULL && omptape_starts_with(type, "sm_") && type[3] >= '0' && type[3] <= '9';
}

static void open_tracing(int device_num, const char *type, ompt_device_t *device,
                         ompt_function_lookup_t lookup)
{
    struct omptape_interface calls;
    char reason[128] = "";
    omptape_interface_find(&calls, lookup);
    const char *why = omptape_interface_lacks(&calls);
    if (why == NULL) {
        omptape_tracing_open(device_num, device, lookup, OMPTAPE_PRODUCER_RUNTIME,
                             "the runtime offers a tracing interface");
        return;
    }
    if (!omptape_tracing_is_wanted()) {
        why = "--events leaves out what devices record";
    } else if (is_nvidia(type) && omptape_device_cupti_open != NULL) {
        if (omptape_device_cupti_open(device_num, type, reason, sizeof(reason)))
            return;
        why = reason;
    }
    omptape_tracing_open(device_num, device, NULL, OMPTAPE_PRODUCER_HOST, why);
}

static void on_device_initialize(int device_num, const char *type, ompt_device_t *device,
                                 ompt_function_lookup_t lookup, const char *documentation)
{
    record_initialize(device_num, type, lookup != NULL, documentation);
    open_tracing(device_num, type, device, lookup);
}

static void on_device_finalize(int device_num)
{
    omptape_tracing_close(device_num);
    omptape_put(omptape_producer_slot, OMPTAPE_DEVICE_FINALIZE, 0, (uint32_t)device_num);
}

atomic_uint omptape_device_images;

static void on_device_load(int device_num, const char *filename, int64_t offset_in_file, void *vma_in_file,
                           size_t bytes, void *host_addr, void *device_addr, uint64_t module_id)
{
    (void)offset_in_file;
    (void)vma_in_file;
    (void)atomic_fetch_add_explicit(&omptape_device_images, 1, memory_order_relaxed);
    enum { FIXED = 4 };
    uint64_t payload[FIXED + TEXT_WORDS] = {module_id, bytes, (uint64_t)(uintptr_t)host_addr,
                                            (uint64_t)(uintptr_t)device_addr};
    size_t used = omptape_producer_text(payload + FIXED, TEXT_WORDS, filename, SIZE_MAX);
    omptape_producer_put_words(omptape_producer_get(OMPTAPE_DEVICE_LOAD), OMPTAPE_DEVICE_LOAD, 0,
                               (uint32_t)device_num, payload, FIXED + used);
}

static void on_device_unload(int device_num, uint64_t module_id)
{
    omptape_put1(omptape_producer_slot, OMPTAPE_DEVICE_UNLOAD, 0, (uint32_t)device_num, module_id);
}

ompt_callback_t omptape_device_callback(unsigned number)
{
    switch (number) {
    case ompt_callback_device_initialize:
        return (ompt_callback_t)on_device_initialize;
    case ompt_callback_device_finalize:
        return (ompt_callback_t)on_device_finalize;
    case ompt_callback_device_load:
        return (ompt_callback_t)on_device_load;
    case ompt_callback_device_unload:
        return (ompt_callback_t)on_device_unload;
    default:
        return NULL;
    }
}
