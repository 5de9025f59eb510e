/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds, moves and removes the files of an archive in its folder. Any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Names of an archive's files. The last one is the folder of event files and local definitions. */
#define OMPTAPE_ARCHIVE_ANCHOR "traces.otf2"
#define OMPTAPE_ARCHIVE_DEFINITIONS "traces.def"
#define OMPTAPE_ARCHIVE_MARKERS "traces.marker"
#define OMPTAPE_ARCHIVE_EVENTS "traces"

/* Symbolic link whose target is the identity of the job that uses this folder (src/job/folder.h). */
#define OMPTAPE_JOB_CLAIM ".omptape-job"
/* A writer's claim (claim.h) to its output folder, from its start until its archive is complete. */
#define OMPTAPE_WRITER_CLAIM ".omptape-writing"
/* A command's claim to its run's output folder, from before the program starts until the summary. */
#define OMPTAPE_RUN_CLAIM ".omptape-run"
/* The plan of an unfinished unification (src/unify/plan.h). */
#define OMPTAPE_UNIFY_DECIDED ".omptape-unify"
/* Rank R's process archive is in the folder "rank-R", further ones in "rank-R-PROGRAM-PID". */
#define OMPTAPE_PART_PREFIX "rank-"

/* Returns true if the folder holds an anchor file or event files. Any folder may have the name "traces", so
 * its contents are checked. In all functions an integer `folder` is a descriptor. */
bool omptape_archive_files_begun(int folder);

/* Returns true if the folder holds a complete or incomplete archive, or process archives of a job. */
bool omptape_archive_files_exist(int folder);

/* Checks that all existing files of the archive are regular files of a trusted user, and its folder of events
 * is a folder. Returns 0, or the error of src/folder/beneath.h with its explanation in `why`. */
int omptape_archive_files_find_refused(int folder, char *why, size_t bytes);

/* Returns true if an entry with one of omptape's names (mark, process archive...) belongs to another user.
 * Then `why` names the entry and its owner. */
bool omptape_archive_files_find_other_owner(int folder, char *why, size_t bytes);

/* Returns true if `name` is the name of a process archive's folder. */
bool omptape_archive_files_is_part(const char *name);

/* Returns true if the user's folder `path` holds a process archive, or with `or_archive` an archive. */
bool omptape_archive_files_hold_parts(const char *path, bool or_archive);

/* Removes the archive's own files, and no other files. */
void omptape_archive_files_remove(int folder);
/* Removes the process archives of a job, and no other files. */
void omptape_archive_files_remove_parts(int folder);

/* Replacing an archive (--force): the old archive is moved to a hidden folder while the program runs. It is
 * restored if the run leaves no archive (output_folder.h). Called by the command.
 */

/* Returns true if the folder holds a complete or incomplete archive. */
bool omptape_replace_needed(const char *folder);

/* Returns an explanation if one of the archive's files is a link, not a regular file, or another user's; else
 * NULL. The caller frees the text. */
char *omptape_replace_find_other_owner(const char *folder);

/* Moves the folder's archive into a hidden subfolder and stores its name in *hidden_name. Returns 0 or
 * negative errno. -ENOTEMPTY: the folder named like the archive's event folder holds other files. Nothing was
 * moved then, and *obstacle has the explanation. The caller frees both texts. */
int omptape_replace_move_away(const char *folder, char **hidden_name, char **obstacle);

/* Deletes the hidden archive, or restores it if the folder holds no new archive. */
void omptape_replace_finish(const char *folder, const char *hidden_name);
