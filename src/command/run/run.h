/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape PROGRAM ...`: everything from the options to the summary. run.c calls the other files of this
 * folder and those of src/command/run.
 */
#ifndef OMPTAPE_COMMAND_RUN_RUN_H
#define OMPTAPE_COMMAND_RUN_RUN_H

#include "src/command/run/program.h"
#include "src/command/run/report.h"
#include "src/core/options.h"
#include "src/core/string_list.h"
#include "src/job/marks.h"

#include <stdbool.h>
#include <sys/types.h>

/* Runs argv traced. `options` were read from this process's environment, which is changed. `output_given`:
 * the folder is the user's, not an outer omptape's. Returns the exit code for the command. To be called once.
 */
int omptape_run(const struct omptape_options *options, bool output_given, char *const *argv);

/* `omptape mpirun ...`: what the ranks on other nodes need. Hydra and Slurm pass the whole environment on,
 * Open MPI's mpirun only what its -x options name.
 */

/* Is this a file of text that names mpi4py? Such a script loads MPI while it runs. */
bool omptape_forward_names_mpi4py(const char *path);

/* If argv starts Open MPI's mpirun: a copy with an -x for each variable that the tracing needs and the
 * environment holds, ended by NULL, in `copy` (to be freed); argv itself if not. */
char *const *omptape_forward(char *const *argv, const struct omptape_libraries *libraries,
                             struct omptape_string_list *copy);

/* Running the program. It is run as the shell would run it, with the terminal, the process group, the
 * signals' dispositions and the mask that the command itself was given.
 */

struct omptape_outcome {
    int exit_code; /* as a shell gives it: 128 + n after signal n; 126 or 127 if the program did not start */
    int error;     /* errno of a failed start, or 0 */
    uid_t user;    /* its real one when it ended */
    pid_t stopped; /* a writer that has given no sign of life for ten seconds, as others may; or 0 */
    bool interrupted; /* a signal cut the wait for the writers short; they go on by themselves */
};

/* `file` is run if it is given (no shell takes it for a script then), else what argv[0] is in PATH.
 * Runs argv with this process's environment and waits for it, then for its writers. Meanwhile the signals
 * that would end this process are kept from doing so; what somebody sends to it alone is passed on to the
 * program. To be called once. */
void omptape_launch(const char *file, char *const *argv, struct omptape_outcome *outcome);

/* The folder that --output names: made absolute, created, and never shared with an archive of an earlier run.
 */

struct omptape_run_output {
    char *folder; /* absolute (owned) */
    char *aside;  /* where an archive that is to be replaced waits (owned), or NULL */
    bool created; /* by this call; empty until a writer fills it */
    bool claimed; /* for this run, against others that are given the same folder */
    bool alone;   /* no other folder was in it: what will be there is this run's */
};

/* Claims the folder `asked`, which the user `named`. Where another run or another user has it, or with
 * `force` false where an archive is in it, the first of asked-2, asked-3, ... that does not exist is claimed.
 * A line says so. With `force` the old archive is set aside. A name that is omptape's own is one that did
 * not exist: others may know it beforehand. 0, or negative errno after one line that says what is wrong. Free
 * with omptape_run_output_end. */
int omptape_run_output_claim(const char *asked, bool named, bool force, struct omptape_run_output *output);

/* For --strict: can something be written in the folder? Tries with a file that nobody sees. True, or false
 * after one line. */
bool omptape_run_output_try(const char *folder);

/* Deletes the replaced archive, or restores it if no new one came; removes the folder again if it was created
 * for nothing. */
void omptape_run_output_end(struct omptape_run_output *output);

/* Getting libomptape.so into the program: where the library is, and by which variable the program's loader or
 * its OpenMP runtime will load it.
 */

/* Path of libomptape.so beside this command (owned by the caller), or NULL after one line. */
char *omptape_preload_find(void);

/* Sets LD_PRELOAD (or OMP_TOOL_LIBRARIES, where a preload would do harm) in this process's environment.
 * Returns false after one line if the program cannot load the library; it may be run all the same. */
bool omptape_preload_set(const char *name, const struct omptape_program *program,
                         const struct omptape_libraries *libraries, const char *library);

/* Also sets OMP_TOOL_LIBRARIES where a runtime passes over what is preloaded, as Ubuntu's LLVM does. */
void omptape_preload_insist(const struct omptape_libraries *libraries, const char *library);

/* Names the library for annotations (libomptape-marks.so, beside `library`) in the variables by which other
 * interfaces find a tool, and preloads it where the program imports names that have no such variable. A tool
 * of the user's in such a variable is called by that library. Where it cannot be, it stays alone, and a line
 * says so. */
void omptape_preload_add_marks(const struct omptape_program *program,
                               const struct omptape_libraries *libraries, const char *library);

/* Adds the library with MPI's names (libomptape-mpi.so, beside `library`) to LD_PRELOAD, in front of that. */
void omptape_preload_add_mpi(const char *library);

/* What an archive says of its run, for writers that could not report it. These are those on other nodes, and
 * in a container, where the command's file cannot be reached. Called once, before the summary.
 */

/* Appends the lines that a writer would have put into the report (a descriptor) of the archive whose anchor
 * this is. Nothing, where that cannot be read. */
void omptape_properties_report(const char *anchor, int report);

/* The command as one of many: `mpirun -n 4 omptape PROGRAM` starts it once for each rank. Together they fill
 * one folder and say one word.
 */

struct omptape_rank {
    struct omptape_job job;
    struct omptape_job_marks marks; /* entered: this command is one of several */
    bool unify;
    bool explain; /* --report */
};

/* True if this process is one of several ranks. */
bool omptape_rank_is_one(struct omptape_rank *rank);

/* Joins the job's folder and passes it on to the program. 0, or negative errno after one line that says what
 * is wrong. */
int omptape_rank_begin(struct omptape_rank *rank, const struct omptape_options *options);

/* Says what went wrong in this rank. The last rank of the job makes one archive, and says what
 * costs most in it and where it is. True if
 * this was the last and no rank was traced. `killed`: the program was ended by a signal. */
bool omptape_rank_end(struct omptape_rank *rank, struct omptape_report *report, bool killed);

/* Why a program cannot be started, said before anything is made for it. Called by run/. */

/* `error`: what omptape_program_find or the start of the program gave, negative or positive; 0 if neither
 * failed. Says one line and returns the exit code (127: it is not there; 126: it cannot be run), or 0: it may
 * be started. */
int omptape_refusal_say(const char *name, const struct omptape_program *program, int error);

/* What the user reads after a run: at most a dozen lines on stderr about the archives that the writers
 * reported.
 */

/* Prints the summary; --quiet leaves only the writers' errors. Sorts the report: ranks in their order, then
 * the largest archives first, snapshots last. */
void omptape_summary_print(struct omptape_report *report);

/* The same for one rank of a job: only what went wrong, with the rank before it. */
void omptape_summary_print_rank(struct omptape_report *report, int rank);

/* The path of the archive that holds all of the run, or NULL. Once the summary is printed. */
const char *omptape_summary_archive(const struct omptape_report *report);

/* Is the archive with this anchor file a profile (--profile), without events for a viewer? */
bool omptape_summary_is_profile(const char *anchor);

/* The path as the user would type it (owned by the caller). It is relative if it lies below the current
 * folder, quoted for the shell if it must be, never like an option. */
char *omptape_summary_path(const char *path);

/* Makes one archive of those that a run's processes left in its folder. */

/* Called once the writers have ended. Does nothing for a single archive in the folder itself. What was joined
 * is marked in the report; what could not be is said in a line and stays as it is. */
void omptape_unify_run(const struct omptape_run_output *output, struct omptape_report *report);

/* Why a run has left no trace, as far as it can be known from outside. */

/* Says one line, after a program that used no OpenMP runtime that could be traced. */
void omptape_untraced_explain(char *const *argv, const struct omptape_program *program,
                              const struct omptape_libraries *libraries);

/* The same after a program that root started and that became `user`; its output folder was to be `folder`. */
void omptape_untraced_explain_user(const char *name, uid_t user, const char *folder);

/* Lines on a program come once, however many commands of one run start it. There may be an omptape on each
 * rank, or in a loop of a script.
 */

/* A line of the report (src/job/report_file.h): something was said of this file; "*": of all. */
#define OMPTAPE_ONCE_KEY "said="

/* Is it this process that says what becomes of the file? It is the first to note so in the report; where that
 * is out of reach, the first rank. */
bool omptape_once_speaks(const char *file);

/* No process that has this report says so. */
void omptape_once_silence(int report);

/* Programs that start another one without the library that omptape preloads. They clear the environment,
 * raise its rights, or run it on another host or in a container. Called to say why nothing is traced.
 */

struct omptape_wrapper {
    const char *name; /* "env -i" */
    const char *does; /* what keeps the library out, a phrase behind the name */
};

/* The first one on the command line, looked for behind what only starts a program in some way (timeout,
 * nice); NULL: none is known. */
const struct omptape_wrapper *omptape_wrapper_find(char *const *argv);

/* "; put omptape behind it: sudo omptape PROGRAM", or "" without a wrapper. Owned by the caller. */
char *omptape_wrapper_advice(const struct omptape_wrapper *wrapper);

#endif
