/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The output folder: how it is called, how it is made, when it is free and who has it. For the command, the
 * writer and the ranks of a job; any thread. The rules:
 *
 * - The user names it (--output), from the current folder. If not, it is omptape-PROGRAM-TIME-PID there, or a
 *   job's name (src/job/job.h). Folders on the way to it are made.
 * - What the user named may be a link, and anybody's. Of any other path the last part has to be a folder of
 *   the caller or root.
 * - A command claims its folder for its run until the summary. So does a writer until its archive is
 *   complete, the ranks of a job for their job (src/job/folder.h). It is free if it is not claimed and holds
 *   no archive, no beginning of one and no parts of a job.
 * - If it is not free, the first of FOLDER-2, FOLDER-3... is taken that is. Only processes of one run share a
 *   folder: the first has it, the others are given one inside.
 * - --force takes a folder with the archive that it holds. A command sets that aside and gives it back if no
 *   new one comes (archive_files.h). A writer without a command, and the first rank of a job, remove it. What
 *   is in the way and cannot be removed keeps the folder from being free.
 */
#ifndef OMPTAPE_FOLDER_OUTPUT_FOLDER_H
#define OMPTAPE_FOLDER_OUTPUT_FOLDER_H

#include <omptape/shm.h>

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Numbers behind a folder's name, and how long a path may be so that there is room for what is put behind it.
 */
enum { OMPTAPE_OUTPUT_FOLDER_MOST = 10000, OMPTAPE_OUTPUT_FOLDER_BYTES = OMPTAPE_PATH_BYTES - 512 };

/* The name if the user gives none. */
void omptape_output_folder_name(char *name, size_t bytes, const char *program, time_t start, int pid);

/* `name` from the current folder, tidy; `path` is of OMPTAPE_PATH_BYTES. 0; -ENAMETOOLONG; or another
 * negative errno: there is no current folder. */
int omptape_output_folder_absolute(char *path, const char *name);

/* The folder to try as number 1 (`base` itself), 2, 3... */
void omptape_output_folder_number(char *path, size_t bytes, const char *base, int number);

/* mkdir -p of a folder that the user named. *made: it was not there. 0 or negative errno. */
int omptape_output_folder_make(const char *path, bool *made);

/* The same for a folder that the user `named` or did not; opens it. A descriptor, or negative errno. */
int omptape_output_folder_open(const char *path, bool named);

/* Is it an error of a folder that is not ours to use? */
bool omptape_output_folder_is_refusal(int error);

/* What a writer may do in a folder. */
struct omptape_output_folder_rights {
    bool named; /* it is the folder that the user named */
    bool force; /* an archive that is there is removed */
    bool run;   /* it was claimed for this writer's own run */
};

/* Opens the folder and claims it for a writer. A descriptor; -EEXIST: it is not free; or another negative
 * errno. `why`, of OMPTAPE_BENEATH_WHY_BYTES, gets a phrase if links or others' files are in it, else "". */
int omptape_output_folder_claim(const char *path, struct omptape_output_folder_rights rights, char *why);

/* The same for a folder that is open, and closed unless it is claimed. 0 or the error. */
int omptape_output_folder_claim_opened(int folder, struct omptape_output_folder_rights rights, char *why);

/* The archive is complete, or there will be none: an anchor marks the folder from now on. */
void omptape_output_folder_release(int folder);

/* Claims the open folder for a command's run, before its program starts. 0, or a negative errno. -EEXIST:
 * another run has it, or a writer is at work there. Then `why`, of OMPTAPE_BENEATH_WHY_BYTES, says whose it
 * is (a phrase). */
int omptape_output_folder_claim_run(int folder, char *why);
/* Is it claimed for a run? Then `why`, as above, says whose. */
bool omptape_output_folder_is_a_runs(int folder, char *why);
/* The run is over: ends this process's claim, or one that a killed command left. */
void omptape_output_folder_release_run(int folder);

/* Finds archives that the user did not name: the newest one of a folder, and whether a path is one. For the
 * subcommands that read an archive, on the command's only thread. Nothing is opened but folders.
 */

/* Is there an archive at this path: a folder with an anchor file, or an anchor file? */
bool omptape_is_archive(const char *path);

/* The archive whose anchor file was written last: of the folders in this one, and of this one itself (".").
 * It belongs to the caller, to root or to the owner of this folder: in /tmp, say, others
 * cannot put theirs in front. Of several that were written in the same nanosecond the last by name counts,
 * where numbers in names are compared as numbers. Returns a malloc'ed name in the folder; NULL: there is
 * none, or no memory. */
char *omptape_newest_archive(const char *folder);

#endif
