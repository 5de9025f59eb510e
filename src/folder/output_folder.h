/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names, creates and claims output folders. Called by the command, the writer and the ranks of a job, on any
 * thread. The rules:
 *
 * - The user names the folder (--output), relative to the current folder. The default is
 *   omptape-PROGRAM-TIME-PID, or the job's name (src/job/job.h). Missing parent folders are created.
 * - A folder that the user named may be a link and may belong to any user. Any other folder must be a real
 *   folder of the caller or root.
 * - A command claims its folder until the summary, a writer until its archive is complete, and the ranks of a
 *   job for their job (src/job/folder.h). A folder is free if it is not claimed and holds neither a complete
 *   or incomplete archive nor process archives of a job.
 * - If the folder is not free, the first free one of FOLDER-2, FOLDER-3... is used. Only processes of one run
 *   share a folder: the first process uses the folder itself, the others subfolders.
 * - --force uses a folder that holds an archive. A command moves the archive away and restores it if the run
 *   leaves none (archive_files.h). A writer without a command, and the first rank of a job, remove it. The
 *   folder is not free if a file that must be removed cannot be removed.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Largest number behind a folder's name, and longest path that leaves space for the names of files in it. */
enum { OMPTAPE_MAX_OUTPUT_FOLDER = 10000, OMPTAPE_OUTPUT_FOLDER_BYTES = OMPTAPE_PATH_BYTES - 512 };

/* Writes the default name, omptape-PROGRAM-TIME-PID. */
void omptape_output_folder_name(char *name, size_t bytes, const char *program, time_t start, int pid);

/* Makes `name` absolute, without trailing "/". `path` has OMPTAPE_PATH_BYTES. Returns 0; -ENAMETOOLONG; or
 * another negative errno if the current folder does not exist. */
int omptape_output_folder_absolute(char *path, const char *name);

/* Writes the candidate with this number: `base` itself for 1, then "BASE-2", "BASE-3"... */
void omptape_output_folder_number(char *path, size_t bytes, const char *base, int number);

/* Creates a folder that the user named and its parents. *made: it did not exist. Returns 0 or negative errno.
 */
int omptape_output_folder_make(const char *path, bool *made);

/* Creates and opens a folder; `named`: the user gave the path. Returns a descriptor, or negative errno. */
int omptape_output_folder_open(const char *path, bool named);

/* Returns true if `error` means that the folder must not be used: a link, or another user's. */
bool omptape_output_folder_is_refusal(int error);

/* Permissions of a writer in a folder. */
struct omptape_output_folder_rights {
    bool named; /* the user named the folder */
    bool force; /* the writer removes an existing archive */
    bool run;   /* the folder is claimed for this writer's run */
};

/* Opens the folder and claims it for a writer. Returns a descriptor; -EEXIST if it is not free; or another
 * negative errno. `why`, of OMPTAPE_BENEATH_WHY_BYTES, receives an explanation if the folder contains links
 * or other users' files, else "". */
int omptape_output_folder_claim(const char *path, struct omptape_output_folder_rights rights, char *why);

/* The same for an open folder, which is closed if it cannot be claimed. Returns 0 or the error. */
int omptape_output_folder_claim_opened(int folder, struct omptape_output_folder_rights rights, char *why);

/* Releases a writer's claim after its archive is complete or has failed. Its anchor file shows that it is
 * complete. */
void omptape_output_folder_release(int folder);

/* Claims the open folder for a command's run, before its program starts. Returns 0 or negative errno.
 * -EEXIST: another run or a writer uses it; then `why`, of OMPTAPE_BENEATH_WHY_BYTES, names it. */
int omptape_output_folder_claim_run(int folder, char *why);
/* Returns true if the folder is claimed for a run; `why`, as above, names the run. */
bool omptape_output_folder_is_a_runs(int folder, char *why);
/* Removes the claim of this process's run, or of a killed command. */
void omptape_output_folder_release_run(int folder);

/* Finds archives that the user did not name. Called by the subcommands that read an archive, on the command's
 * only thread. Opens only folders, no files.
 */

/* Returns true if the path ends as an anchor file's name does. */
bool omptape_is_anchor_name(const char *path);

/* True if the path is an executable file and no anchor file: on some file systems all are executable. */
bool omptape_is_program(const char *path);

/* Returns true if the path is an anchor file, or a folder that contains one. */
bool omptape_is_archive(const char *path);

/* Returns the name of the archive with the newest anchor file, among the subfolders and the folder itself
 * ("."). Only archives of the caller, root or the folder's owner count, so that other users cannot plant one
 * in /tmp. Equal times are ordered by name, with numbers compared as numbers. *count receives how many there
 * are. The caller frees the name. NULL: no archive, or out of memory. */
char *omptape_newest_archive(const char *folder, uint32_t *count);
