/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of an archive, by what they hold. For the sections of `omptape info` that tell sizes.
 */
#ifndef OMPTAPE_COMMAND_INFO_FILES_H
#define OMPTAPE_COMMAND_INFO_FILES_H

#include "src/archive/read/reader.h"

#include <stddef.h>
#include <stdint.h>

struct info_amount {
    uint64_t number;
    uint64_t bytes;
};

enum info_file_class {
    INFO_FILE_EVENTS, /* of the archive's locations */
    INFO_FILE_LOCAL_DEFINITIONS,
    INFO_FILE_DEFINITIONS,
    INFO_FILE_MARKERS,
    INFO_FILE_ANCHOR,
    INFO_FILE_OTHER,
    INFO_FILE_CLASSES
};

/* Adds all files of the archive: the anchor file, what lies beside it with its name, and what is in the
 * folder of event files. 0; or negative errno if that folder cannot be read. */
int omptape_info_add_files(const struct omptape_reader *reader, struct info_amount files[INFO_FILE_CLASSES]);

/* All of them together. */
struct info_amount omptape_info_all_files(const struct info_amount files[INFO_FILE_CLASSES]);

#endif
