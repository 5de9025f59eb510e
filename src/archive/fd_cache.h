/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that are read through few descriptors, however many of them are open. An archive of ten thousand
 * threads has ten thousand files that are read in turn. A process may usually have a thousand descriptors.
 * Those that were read last keep a descriptor, the others get one again when they are read. For otf2_files.c;
 * one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Opens a file beneath the folder for reading, with `own` only one of the caller's or root's (beneath.h). The
 * folder's descriptor must stay open as long as the file. NULL with errno. What it returns is no stream of
 * libc's: it is for the functions below only. */
FILE *omptape_fd_cache_open(int folder, const char *name, bool own);

/* As fread, fseek, ferror and fclose do, which is all that libotf2 calls. All return false if the stream is
 * not one of these: then it is libc's, and nothing was done. */

/* *done: bytes; fewer with errno if the file cannot be read. What the memory (private and anonymous) has room
 * for beyond the file's end becomes zeros that take no page. */
bool omptape_fd_cache_read(FILE *stream, void *buffer, size_t bytes, size_t *done);
bool omptape_fd_cache_seek(FILE *stream, long offset, int whence, int *result);
bool omptape_fd_cache_failed(FILE *stream, bool *failed);
bool omptape_fd_cache_close(FILE *stream);

/* How many descriptors are in use now, and the most that may be. */
unsigned omptape_fd_cache_in_use(void);
unsigned omptape_fd_cache_most(void);
