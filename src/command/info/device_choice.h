/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices that `omptape info` shows. For its section on devices.
 */
#ifndef OMPTAPE_COMMAND_INFO_DEVICE_CHOICE_H
#define OMPTAPE_COMMAND_INFO_DEVICE_CHOICE_H

#include "src/command/info/state.h"

/* A device of the properties, of the definitions, or of both. */
struct omptape_shown_device {
    int number;      /* INT32_MAX: not known */
    int64_t process; /* in a unified archive: whose it is; else -1 */
    const char *producer;
    const struct info_device *device; /* NULL: it has no location */
};

/* All devices in the order in which they are shown, in *all: the caller frees it. Returns how many. */
size_t omptape_info_choose_devices(struct omptape_info *info, struct omptape_shown_device **all);

#endif
