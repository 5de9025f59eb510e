/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints where the bytes of an archive go: what `omptape info --sizes` has found. Called by sizes.c.
 */
#ifndef OMPTAPE_COMMAND_INFO_SIZES_PRINT_H
#define OMPTAPE_COMMAND_INFO_SIZES_PRINT_H

#include "src/command/info/files.h"
#include "src/command/info/sizes_walk.h"

#include <stdio.h>

struct info_sizes {
    struct info_event_sizes events;
    struct info_amount files[INFO_FILE_CLASSES]; /* EVENTS: those that were walked through */
    char kind_names[INFO_SIZES_KINDS][40];
    unsigned kind_count;
};

void omptape_info_print_sizes(const struct info_sizes *sizes, struct omptape_reader *reader, FILE *out);

/* "ThreadTaskCreate"; for types that OTF2 3.0 does not have, "record of type N", valid until the next call.
 */
const char *omptape_info_record_name(unsigned type);

#endif
