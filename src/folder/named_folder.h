/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A folder that the user named to be written to. Its name may lie where others can put a link in its place,
 * and what is written, replaced or completed then is whatever that one chose: a link at the path's end counts
 * only if it is the caller's or root's. What is above is the user's choice. For the writer, the command and
 * unification; one thread.
 */
#ifndef OMPTAPE_FOLDER_NAMED_FOLDER_H
#define OMPTAPE_FOLDER_NAMED_FOLDER_H

/* Takes "/" and "/." off the path's end: what is there may be a link, and "DIR-2" is to stand beside it. */
void omptape_named_folder_tidy(char *path);

/* A descriptor, or negative errno; -ELOOP: a link of another user (omptape_cause says so). */
int omptape_named_folder_open(const char *path);

#endif
