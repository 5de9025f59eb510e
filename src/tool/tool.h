/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Internal interface of libomptape.so: starts and ends sessions in the traced program. Each comment names the
 * thread that calls the function.
 */
#pragma once

#include "src/core/clock.h"
#include "src/core/options.h"

#include <omptape/ompt.h>
#include <omptape/shm.h>
#include <stdbool.h>
#include <sys/types.h>

/* start.c: type of omptape's ompt_start_tool. */
typedef ompt_start_tool_result_t *omptape_start_tool_function(unsigned int omp_version,
                                                              const char *runtime_version);
omptape_start_tool_function omptape_start_tool;

/* program_tool.c: returns the program's own ompt_start_tool, which runtimes do not call because omptape has
 * replaced it. Returns NULL if the program has none, or the runtime is linked into the program. Any thread.
 */
omptape_start_tool_function *omptape_program_tool(void);

/* second_tool.c: finds the OMPT tool that the runtime would load without omptape, or that --with-tool names.
 * Returns NULL if there is none, after a line if a named one cannot be used. Called once, on the thread on
 * which the runtime looks for a tool. */
ompt_start_tool_result_t *omptape_second_tool_find(unsigned omp_version, const char *runtime_version);
/* Returns the file of the tool that omptape_second_tool_find found. */
const char *omptape_second_tool_path(void);

/* session.c: creates the shared memory, starts the writer and opens the session for recording. Called once
 * per process image by the initialising thread, and once in a forked child that uses OpenMP: then
 * `parent_pid` is the parent, else 0. Returns 0, or negative errno after one line that says what failed. */
int omptape_session_start(int32_t parent_pid);
/* Starts a session for a program whose calls of libgomp or MPI are recorded, unless there is one. Returns
 * true if there is a session afterwards. Prints once why there is none, and which option is invalid. Called
 * by the thread that makes the first such call, before other threads record. */
bool omptape_session_start_by_call(void);

/* process_start.c: determines when this process began. `anchor` receives the earliest reading of the chosen
 * clock. Returns how long before that reading the process began, in ns; 0 if unknown. Initialising thread. */
uint64_t omptape_process_start(struct omptape_clock_anchor *anchor);
/* Sets the beginning of a forked child to the time of this call. Called inside fork(). */
void omptape_process_start_reset(void);
/* True if the library was loaded at program start (linked or preloaded). Initialising thread or
 * constructor. */
bool omptape_was_loaded_with_program(void);

/* Passes the runtime's description to the writer of this session and of forked children's sessions. */
void omptape_session_publish_info(void);
/* Called before omptape_runtime_info is written anew: until it is published, no part of it is passed. */
void omptape_session_withdraw_info(void);
/* Records how long starting the session delayed the program's thread, in ns. */
void omptape_session_note_start(uint64_t ns);

/* Reports with a phrase that some activity of the program is not recorded. The phrase becomes a warning of
 * the archive, or a line on stderr if this process has no session. Any thread. */
void omptape_session_unrecorded(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the recording; later records are dropped. No wait for the writer. Any thread; once. */
void omptape_session_end(enum omptape_end end);

bool omptape_session_has_ended(void);

/* Returns true if there is a session of this process. A process forked without fork handlers (_Fork, clone)
 * still has its parent's session: false. Any thread. */
bool omptape_session_is_own(void);

/* Waits until the writer has closed the archive or has died; prints the writer's line if it failed. Returns
 * immediately if there is no session or a previous wait has ended. Any thread. */
void omptape_session_wait(void);

/* Makes omptape_session_wait return immediately; the writer goes on in the background. Any thread. */
void omptape_session_hurry(void);

/* Returns the session's shared memory, or NULL. */
struct omptape_shm *omptape_session_shm(void);

/* Returns the parallel job of the session that was started last. */
const struct omptape_job *omptape_session_job(void);

/* Ends the early session without an archive; does nothing if there is no early session. In an early session
 * the writer samples a program that is linked with an OpenMP runtime before its first use of OpenMP, MPI or
 * marks. Any thread. */
void omptape_session_leave_early(void);

/* Detaches a forked child from its parent's session without changing it. Returns the parent's process number,
 * or 0 if the parent had no session. */
int32_t omptape_session_forget(void);

/* launch.c: descriptors that the writer process inherits. They still belong to the caller. */
struct omptape_launch_files {
    int shm;
    int settings;
    int pid;         /* a pidfd of this process; -1: there is none */
    bool has_stderr; /* the writer inherits the program's stderr for its log */
};

/* launch.c: starts the writer process. The program gets no visible child, no signal and no descriptor.
 * Returns 0 or negative errno. Without `wait` it does not wait until the writer runs, which takes long if
 * processors are busy. Then omptape_launch_finish returns the error, and `path` must stay unchanged until
 * that call. *writer receives the writer's process number, without `wait` in that call. */
int omptape_launch_writer(const char *path, const struct omptape_launch_files *files, bool wait,
                          _Atomic int32_t *writer);
/* launch.c: waits for the end of such a launch. Returns its error, or 0 if there is none. */
int omptape_launch_finish(_Atomic int32_t *writer);
/* Waits for children of launches that nobody has finished before this process executed another program (exec).
 * They have ended, and would otherwise remain as long as the process. */
void omptape_launch_finish_earlier(void);

/* launch.c: ends the writer and returns true if it has become a child of this process. The kernel gives it to
 * a program that calls prctl(PR_SET_CHILD_SUBREAPER) during the launch, whose wait() would wait for the
 * writer. Initialising thread, after omptape_launch_finish. */
bool omptape_launch_take_back(pid_t writer);

/* launch.c: returns true under valgrind. It loses track of a program that is restarted, and prints warnings
 * about system calls that it does not know. Any thread. */
bool omptape_launch_is_emulated(void);

/* launch.c: finds the writer's executable: $OMPTAPE_WRITER, otherwise relative to this library. Returns 0, or
 * -ENOENT with the expected path in `path`. */
int omptape_launch_find_writer(char *path, size_t bytes);

/* A text of lines "key=value". */
struct omptape_info_text {
    char *text;
    size_t bytes;
    size_t used;
};
/* The description of the runtime. */
extern struct omptape_info_text omptape_runtime_info;

/* info.c: describes the runtime anew. Initialising thread. */
void omptape_info_describe(ompt_function_lookup_t lookup, unsigned omp_version, const char *runtime_version);
/* Appends the runtime's places, known only after it has formed a team, and publishes them. Any thread. */
void omptape_info_describe_places(void);
/* Appends one line, or nothing if the line does not fit. */
void omptape_info_add(struct omptape_info_text *info, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* mpi.c: reports at the program's end if MPI was initialised without a recorded call. Any thread; once. */
#ifdef OMPTAPE_WITHOUT_MPI
static inline void omptape_mpi_say_unseen(void)
{
}
#else
void omptape_mpi_say_unseen(void);
#endif

/* preconditions.c: returns true if the program is linked with an OpenMP runtime. Any thread. */
bool omptape_has_runtime(void);
/* Returns true if the calling thread is under a system call filter (seccomp) from after program start. Calls
 * that the program does not make itself may be fatal then. Initialising thread. */
bool omptape_seccomp_is_new(void);
/* Returns true if no child should become the writer. Either a system call filter ends the program for a call
 * that a session needs, or might do so. Or the program's children get another pid namespace. `text` receives
 * a line that says so. Initialising thread. */
bool omptape_launch_refusal(char *text, size_t bytes);
/* Returns why no archive `output` (NULL: the default name) should be written, or NULL. A relative name is
 * refused if the current folder is gone, or "/" (a daemon's). Initialising thread. */
const char *omptape_place_refusal(const char *output);

/* trial.c: makes the system calls of a session in a child. Returns the number of the call that has ended the
 * child; 0 if there is none; or negative errno. Creating the child must be safe. Initialising thread. */
long omptape_trial_fatal_call(void);

/* variables.c: reports misspelt OMPTAPE_ environment variables, once. Initialising thread. */
void omptape_variables_say(void);

/* end.c: looks up the entry points that the destructor needs. Initialising thread. */
void omptape_end_use(ompt_function_lookup_t lookup);

/* fork.c: makes forked children leave the parent's session, and start their own with OpenMP. Idempotent. */
void omptape_fork_watch(void);
