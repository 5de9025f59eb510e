/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All of some bytes into a descriptor, and all of a file into memory, however many pieces the kernel makes of
 * it. For who writes and reads files that are neither text nor libotf2's. Any thread.
 */
#ifndef OMPTAPE_FOLDER_WHOLE_FILE_H
#define OMPTAPE_FOLDER_WHOLE_FILE_H

#include <stddef.h>

/* At the descriptor's place. 0 or negative errno; then a part may be written. */
int omptape_write_all(int file, const void *data, size_t bytes);

/* From the descriptor's place, as many bytes as the file has, less if it became shorter meanwhile. 0 with
 * malloc'ed *bytes, which the caller frees; -EFBIG: it has more than `most`; or negative errno. */
int omptape_read_all(int file, size_t most, unsigned char **bytes, size_t *count);

#endif
