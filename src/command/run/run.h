/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape PROGRAM ...` from the options to the summary. run.c calls the other files.
 */
#pragma once

#include "src/command/run/program.h"
#include "src/command/run/writer_reports.h"
#include "src/core/options.h"
#include "src/core/string_list.h"
#include "src/job/marks.h"

#include <stdbool.h>
#include <sys/types.h>

/* Runs argv as a traced program and returns the command's exit code. `options` were read from this process's
 * environment, which the call changes. `output_given` means that the user chose the folder, not an outer
 * omptape command. Called once. */
int omptape_run(const struct omptape_options *options, bool output_given, char *const *argv);

/* Forwards the environment for `omptape mpirun ...` to ranks on other nodes. Hydra and Slurm forward the
 * whole environment, Open MPI's mpirun only variables in its -x options. */

/* Returns true if the file is a text file that contains "mpi4py". Such a script loads MPI at run time. */
bool forward_names_mpi4py(const char *path);

/* Returns argv itself unless it starts Open MPI's mpirun. Otherwise returns a NULL-terminated copy with an -x
 * option for each variable that tracing needs. `copy` owns it; the caller frees `copy`. */
char *const *omptape_forward(char *const *argv, const struct libraries *libraries,
                             struct omptape_string_list *copy);

/* Runs the program as the shell would: with the command's terminal, process group, signals and their mask. */

struct outcome {
    int exit_code;    /* as in the shell: 128 + n after signal n; 126 or 127 if exec failed */
    int error;        /* errno of a failed start, or 0 */
    uid_t user;       /* real user ID of the program at its end */
    pid_t stopped;    /* a writer that made no progress for ten seconds, or 0; there may be more */
    bool interrupted; /* a signal ended the wait for the writers, which continue */
};

/* Runs argv with this process's environment and waits for the program and then for its writers. Executes
 * `file`, or looks up argv[0] in PATH if `file` is NULL. Blocks signals that would end this process and
 * forwards those sent to this process alone to the program. Called once. */
void omptape_launch(const char *file, char *const *argv, struct outcome *outcome);

/* The output folder (--output): absolute, created, never shared with an archive of an earlier run. */

struct run_output {
    char *folder;           /* absolute path; owned */
    char *replaced_path;    /* where the archive to be replaced is kept; owned, or NULL */
    bool created;           /* created by this run; empty until a writer writes to it */
    bool claimed;           /* claimed against concurrent runs */
    bool had_no_subfolders; /* held no subfolder before: all archives in it belong to this run */
};

/* Claims the folder `asked`; `named` means that the user chose it. Uses the first new folder of asked-2,
 * asked-3, ... and prints a line if another run or user has it. The same holds for an archive in it, unless
 * `force` sets that aside. A generated name must not exist yet, because other users can predict it. Returns
 * 0, or negative errno after an error message. The caller frees `output` with run_output_end. */
int run_output_claim(const char *asked, bool named, bool force, struct run_output *output);

/* Checks for --strict that the folder can be written, by an unlinked file. Returns false after a message. */
bool run_output_try(const char *folder);

/* Deletes the archive set aside, or restores it if the run wrote none. Removes a created, empty folder. */
void run_output_end(struct run_output *output);

/* Loads libomptape.so into the program: finds it and sets the variable of its loader or runtime. */

/* Returns the path of libomptape.so, relative to this command; to be freed; NULL after a message. */
char *preload_find(void);

/* Sets LD_PRELOAD in this process's environment, or OMP_TOOL_LIBRARIES where preloading would break the
 * program. Returns false after a message if the program cannot load the library but can run untraced. */
bool preload_set(const char *name, const struct run_program *program, const struct libraries *libraries,
                 const char *library);

/* Sets OMP_TOOL_LIBRARIES, too, if the runtime ignores a preloaded ompt_start_tool, as Ubuntu's does. */
void preload_add_tool_variable(const struct libraries *libraries, const char *library);

/* Sets the variables by which annotation interfaces find a tool to libomptape-marks.so, beside `library`.
 * Preloads it if the program imports names of interfaces without such a variable. The marks library calls the
 * user's tool if a variable already names one. Where that is impossible, the user's tool stays alone and a
 * line is printed. */
void preload_add_marks(const struct run_program *program, const struct libraries *libraries,
                       const char *library);

/* Prepends libomptape-mpi.so, which defines MPI's functions and lies beside `library`, to LD_PRELOAD. */
void preload_add_mpi(const char *library);

/* Reads an archive's properties for writers that could not report. Writers on other nodes and in containers
 * cannot open the command's report file. Called once, before the summary. */

/* Appends to `report` (a descriptor) the lines that the writer of the archive `anchor` would have written.
 * Appends nothing if the archive cannot be read. */
void writer_reports_add_archive(const char *anchor, int report);

/* Runs the command as one rank of a job: `mpirun -n 4 omptape PROGRAM` starts it once for each rank. The
 * ranks fill one folder and print one summary. */

struct run_rank {
    struct omptape_job job;
    struct omptape_job_marks marks; /* marks.entered: this command is one rank of several */
    bool unify;
    bool explain; /* --report */
};

/* Returns true if this process is one rank of several. */
bool rank_is_one(struct run_rank *rank);

/* Joins the job's folder, exported to the program. Returns 0, or negative errno after an error message. */
int rank_begin(struct run_rank *rank, const struct omptape_options *options);

/* Prints the losses and errors of this rank. The last rank also unifies the archives and prints the first
 * finding and the archive's path. `killed` means that a signal ended the program. Returns true if this rank
 * was the last and no rank was traced. */
bool rank_end(struct run_rank *rank, struct writer_reports *report, bool killed);

/* Explains why a program cannot be started, before any file is created for it. */

/* Prints one line and returns the exit code: 127 if the program does not exist, 126 if it cannot be run.
 * Returns 0 if it can be started. `error` is the result of program_find or of the start, with either
 * sign, or 0. */
int refusal_print(const char *name, const struct run_program *program, int error);

/* Prints a run's summary: at most a dozen lines on stderr about the archives that the writers reported. */

/* Prints the summary; with --quiet only writers' errors. Sorts it: ranks, archives by size, snapshots. */
void summary_print(struct writer_reports *report);

/* Prints only losses and errors of one rank of a job, with the rank as prefix. */
void summary_print_rank(struct writer_reports *report, int rank);

/* Returns the path of the archive that contains the whole run, or NULL. Valid after the summary. */
const char *summary_archive(const struct writer_reports *report);

/* Returns true if the archive with this anchor file is a profile (--profile), without events for a viewer. */
bool summary_is_profile(const char *anchor);

/* Returns the path as the user would type it; the caller frees it. Relative if below the current folder,
 * quoted for the shell if needed, never starting with "-". */
char *summary_path(const char *path);

/* Unifies the archives that the run's processes left in its folder. */

/* Called after the writers have ended. Does nothing for a single archive in the folder itself. Marks merged
 * archives in the report. An archive that cannot be merged stays as it is, and a line is printed. */
void unify_run(const struct run_output *output, struct writer_reports *report);

/* Explains why a run has left no trace, as far as this can be seen from outside. */

/* Prints one line after a program that used no OpenMP runtime that can be traced. */
void untraced_explain(char *const *argv, const struct run_program *program,
                      const struct libraries *libraries);

/* Prints one line after a program that root started and that changed its user ID to `user`. `folder` is the
 * intended output folder, or NULL. */
void untraced_explain_user(const char *name, uid_t user, const char *folder);

/* Messages on a program are printed once per run, even if several commands of the run start it. There may be
 * one omptape per rank, or a loop in a script. */

/* Key of a report line (src/job/report_file.h): a message on this file was printed; "*": on all files. */
#define OMPTAPE_MESSAGE_CLAIM_KEY "said="

/* True if this process is the first to claim messages on the file. Without a report, rank 0 prints them. */
bool message_claim(const char *file);

/* Suppresses these messages in every process that has this report. */
void messages_suppress(int report);

/* Wrapper programs that prevent the preload: they clear the environment, raise privileges, or run the program
 * on another host or in a container. Used to explain an untraced run. */

struct wrapper {
    const char *name; /* "env -i" */
    const char *does; /* what prevents the preload, as a verb phrase */
};

/* Returns the first wrapper on the command line, or NULL. Skips what only starts a program (timeout,
 * nice). */
const struct wrapper *wrapper_find(char *const *argv);

/* Returns "; put omptape behind it: sudo omptape PROGRAM", or "" without a wrapper. The caller frees it. */
char *wrapper_advice(const struct wrapper *wrapper);
