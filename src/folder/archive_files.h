/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of an archive in its folder: whether there are any, and how they are moved and removed. For the
 * writer and the command; any thread.
 */
#ifndef OMPTAPE_FOLDER_ARCHIVE_FILES_H
#define OMPTAPE_FOLDER_ARCHIVE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* What an archive's files are called. The last one is the folder of event files and local definitions. */
#define OMPTAPE_ARCHIVE_ANCHOR "traces.otf2"
#define OMPTAPE_ARCHIVE_DEFINITIONS "traces.def"
#define OMPTAPE_ARCHIVE_MARKERS "traces.marker"
#define OMPTAPE_ARCHIVE_EVENTS "traces"

/* A symbolic link to the identity of the job whose parts are in this folder (src/job/folder.h). */
#define OMPTAPE_JOB_CLAIM ".omptape-job"
/* A writer's claim (claim.h) to the folder that it writes to, until its archive is complete. */
#define OMPTAPE_WRITER_CLAIM ".omptape-writing"
/* The claim of a command to the folder that its run writes to, from before the program starts to the summary.
 */
#define OMPTAPE_RUN_CLAIM ".omptape-run"
/* What a unification has decided to do and not completed (src/unify/plan.h). */
#define OMPTAPE_UNIFY_DECIDED ".omptape-unify"
/* The part of rank R is in OMPTAPE_PART_PREFIX "R", more of them in OMPTAPE_PART_PREFIX "R-PROGRAM-PID". */
#define OMPTAPE_PART_PREFIX "rank-"

/* Folders are descriptors. Does the folder hold an anchor file or event files? Any folder may be called
 * "traces". */
bool omptape_archive_files_begun(int folder);

/* True if the folder holds an archive, the beginning of one, or a job's parts. */
bool omptape_archive_files_there(int folder);

/* Is one of an archive's files a link, no file or another user's? 0, or the refusal with a phrase in `why`
 * (src/folder/beneath.h). */
int omptape_archive_files_find_refused(int folder, char *why, size_t bytes);

/* Is something that omptape names in such a folder, a mark or a part, another user's? Then `why` is a phrase
 * that names it and its owner. */
bool omptape_archive_files_find_another_users(int folder, char *why, size_t bytes);

/* Is this the name of a part's folder? */
bool omptape_archive_files_is_part(const char *name);

/* True if there is anything to unify in the folder that the user named: a part, `or_archive` an archive. */
bool omptape_archive_files_hold_parts(const char *path, bool or_archive);

/* Removes the archive's own files and nothing else, */
void omptape_archive_files_remove(int folder);
/* or those of the parts of a job. */
void omptape_archive_files_remove_parts(int folder);

/* Replacing an archive (--force): the old one is set aside while the program runs, and comes back if no new
 * one does (output_folder.h). For the command.
 */

/* True if the folder holds an archive, or the beginning of one. */
bool omptape_replace_needed(const char *folder);

/* A phrase if something of that is a link, no file or another user's; else NULL. The caller owns it. */
char *omptape_replace_whose(const char *folder);

/* Moves the archive of this folder into a hidden folder within it, whose name goes to *aside. 0; -ENOTEMPTY:
 * what looks like the archive's folder of events is none, nothing was moved, and *obstacle says why (a
 * phrase); or negative errno. The caller owns both texts. */
int omptape_replace_set_aside(const char *folder, char **aside, char **obstacle);

/* Deletes what was set aside, or moves it back if the folder holds no new archive. */
void omptape_replace_settle(const char *folder, const char *aside);

#endif
