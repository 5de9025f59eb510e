/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What other hosts have put into a folder. Network file systems (NFS, SMB, FUSE's) trust for seconds, up to a
 * minute, what this host saw of a folder; where it changes something there itself, they look again.
 */
#ifndef OMPTAPE_FOLDER_FRESH_H
#define OMPTAPE_FOLDER_FRESH_H

/* What is looked up in the folder from here on is as it is now. Does nothing where the file system has no
 * such memory, or nothing may be written. Any thread. */
void omptape_fresh_look(int folder);

#endif
