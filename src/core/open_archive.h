/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an archive for reading that anybody may have made. For unification and the command, whose children
 * read on their only thread.
 */
#ifndef OMPTAPE_CORE_OPEN_ARCHIVE_H
#define OMPTAPE_CORE_OPEN_ARCHIVE_H

#include <otf2/otf2.h>

/* As OTF2_Reader_Open, but for the time and memory that it takes with a damaged anchor file. NULL after an
 * error, which OTF2's error callback got. The limit of the address space is another one meanwhile. */
OTF2_Reader *omptape_open_archive(const char *anchor);

#endif
