/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers for target constructs. Without a device the host executes them within the call.
 */
#include "callbacks/gomp/record.h"

/* The values that gcc passes. */
enum { FLAG_NOWAIT = 1, FLAG_EXIT_DATA = 2, DEVICE_DEFAULT = -1 };

struct target {
    ompt_target_t kind;
    int device;
    ompt_data_t id;
};

static ompt_target_t kind_of(ompt_target_t kind, unsigned flags)
{
    enum { NOWAIT = ompt_target_nowait - ompt_target };
    return (flags & FLAG_NOWAIT) != 0 ? (ompt_target_t)((int)kind + NOWAIT) : kind;
}

static struct target begin_target(struct omptape_gomp_runtime *runtime, ompt_target_t kind, int device,
                                  const void *site)
{
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_TARGET);
    const int devices = OMPTAPE_GOMP_REAL(runtime, omp_get_num_devices)();
    ompt_data_t task = {.value = slot != NULL ? slot->gomp.task : 0};
    struct target target = {.kind = kind, .device = device};
    if (device == DEVICE_DEFAULT)
        target.device = OMPTAPE_GOMP_REAL(runtime, omp_get_default_device)();
    /* The construct falls back to the host, which has the highest number. */
    if (target.device < 0 || target.device > devices)
        target.device = devices;
    if (OMPTAPE_GOMP_WANTS(target_emi))
        omptape_on_target_emi(kind, ompt_scope_begin, target.device, &task, NULL, &target.id, site);
    return target;
}

static void end_target(struct target *target)
{
    if (OMPTAPE_GOMP_WANTS(target_emi))
        omptape_on_target_emi(target->kind, ompt_scope_end, target->device, NULL, NULL, &target->id, NULL);
}

/* The body of a wrapper. */
#define TARGET(name, kind, device, ...)                                                                      \
    OMPTAPE_GOMP_ENTER(name, __VA_ARGS__);                                                                   \
    struct target target = begin_target(runtime, kind, device, site);                                        \
    OMPTAPE_GOMP_REAL(runtime, name)(__VA_ARGS__);                                                           \
    end_target(&target)

void omptape_GOMP_target(int device, void (*function)(void *), const void *unused, size_t count,
                         void **addresses, size_t *sizes, unsigned char *kinds)
{
    TARGET(GOMP_target, ompt_target, device, device, function, unused, count, addresses, sizes, kinds);
}

void omptape_GOMP_target_ext(int device, void (*function)(void *), size_t count, void **addresses,
                             size_t *sizes, unsigned short *kinds, unsigned flags, void **depend,
                             void **arguments)
{
    TARGET(GOMP_target_ext, kind_of(ompt_target, flags), device, device, function, count, addresses, sizes,
           kinds, flags, depend, arguments);
}

void omptape_GOMP_target_data(int device, const void *unused, size_t count, void **addresses, size_t *sizes,
                              unsigned char *kinds)
{
    TARGET(GOMP_target_data, ompt_target_enter_data, device, device, unused, count, addresses, sizes, kinds);
}

void omptape_GOMP_target_data_ext(int device, size_t count, void **addresses, size_t *sizes,
                                  unsigned short *kinds)
{
    TARGET(GOMP_target_data_ext, ompt_target_enter_data, device, device, count, addresses, sizes, kinds);
}

/* libgomp does not pass the device here. The default device is assumed. */
void omptape_GOMP_target_end_data(void)
{
    TARGET(GOMP_target_end_data, ompt_target_exit_data, DEVICE_DEFAULT, );
}

void omptape_GOMP_target_update(int device, const void *unused, size_t count, void **addresses, size_t *sizes,
                                unsigned char *kinds)
{
    TARGET(GOMP_target_update, ompt_target_update, device, device, unused, count, addresses, sizes, kinds);
}

void omptape_GOMP_target_update_ext(int device, size_t count, void **addresses, size_t *sizes,
                                    unsigned short *kinds, unsigned flags, void **depend)
{
    TARGET(GOMP_target_update_ext, kind_of(ompt_target_update, flags), device, device, count, addresses,
           sizes, kinds, flags, depend);
}

void omptape_GOMP_target_enter_exit_data(int device, size_t count, void **addresses, size_t *sizes,
                                         unsigned short *kinds, unsigned flags, void **depend)
{
    TARGET(GOMP_target_enter_exit_data,
           kind_of((flags & FLAG_EXIT_DATA) != 0 ? ompt_target_exit_data : ompt_target_enter_data, flags),
           device, device, count, addresses, sizes, kinds, flags, depend);
}
