/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that mostly have a descriptor only while they are read. An archive of ten thousand threads has ten
 * thousand open files, and a process can often have only a thousand. The first ones keep their descriptors,
 * so that they stay readable when the archive is replaced or removed. The library libotf2 reads a file in
 * chunks of a megabyte. Each read opens a further file by its name, and it must be the same file. Called by
 * otf2_files.c on one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Opens a file beneath the folder for reading; with `own` only a file of the caller or root (beneath.h). The
 * folder's descriptor must stay open as long as the file. Returns NULL with errno on failure. The result is
 * not a stream of libc and may only be passed to the functions below. */
FILE *omptape_brief_file_open(int folder, const char *name, bool own);

/* Equivalents of fread, fseek, ferror and fclose, the only functions that libotf2 calls for a file that it
 * reads. They return false and do nothing if the stream is libc's. */

/* *done receives the number of bytes; it is less than `bytes`, with errno set, if the file cannot be read.
 * Memory beyond the end of the file is zeroed without using pages; it must be private and anonymous. */
bool omptape_brief_file_read(FILE *stream, void *buffer, size_t bytes, size_t *done);
bool omptape_brief_file_seek(FILE *stream, long offset, int whence, int *result);
bool omptape_brief_file_failed(FILE *stream, bool *failed);
bool omptape_brief_file_close(FILE *stream);
