/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The emulated devices. Begun by the runtime's thread that initialises a device, asked by all.
 */
#include "tests/emulator/device.h"

#include "tests/emulator/modes.h"
#include "tests/emulator/violations.h"

static struct em_device devices[EM_DEVICES];

_Thread_local int em_in_callback;
volatile int em_device_forked;

struct em_device *em_device(int number)
{
    if (number < 0 || number >= EM_DEVICES || atomic_load(&devices[number].phase) == EM_UNKNOWN)
        return NULL;
    return &devices[number];
}

struct em_device *em_device_begin(int number)
{
    struct em_device *device;

    if (number < 0 || number >= EM_DEVICES)
        return NULL;
    device = &devices[number];
    device->number = number;
    pthread_mutex_init(&device->lock, NULL);
    em_clock_init(&device->clock, number);
    atomic_store(&device->phase, EM_IDLE);
    return device;
}

struct em_device *em_device_of(ompt_device_t *pointer, const char *what)
{
    if (em_device_forked) {
        em_violation("%s: called in a forked child", what);
        return NULL;
    }
    for (int i = 0; i < EM_DEVICES; i++)
        if ((void *)&devices[i] == (void *)pointer && atomic_load(&devices[i].phase) != EM_UNKNOWN)
            return &devices[i];
    em_violation("%s: %s", what, pointer == NULL ? "the device pointer is NULL" : "not a device's pointer");
    return NULL;
}

int em_device_told(const struct em_device *device)
{
    return em_mode(EM_CALLBACK_DEVICE_ZERO) ? 0 : device->number;
}

static bool is_asked(struct em_device *device, unsigned etype)
{
    return atomic_load(&device->asked[etype]) >= ompt_set_sometimes;
}

unsigned em_device_etype(struct em_device *device, unsigned emi, unsigned plain)
{
    if (emi != 0 && is_asked(device, emi))
        return emi;
    return is_asked(device, plain) ? plain : 0;
}

void em_devices_describe(FILE *file)
{
    for (int i = 0; i < EM_DEVICES; i++) {
        if (atomic_load(&devices[i].phase) != EM_UNKNOWN) {
            fprintf(file, "device %d requested %u given %u returned %u completes %u\n", i,
                    atomic_load(&devices[i].requested), atomic_load(&devices[i].given),
                    atomic_load(&devices[i].returned), atomic_load(&devices[i].completes));
        }
    }
}
