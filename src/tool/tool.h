/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside libomptape.so: the parts of a session's life in the traced program. Each function says on which
 * thread it runs.
 */
#ifndef OMPTAPE_TOOL_TOOL_H
#define OMPTAPE_TOOL_TOOL_H

#include "src/core/clock.h"
#include "src/core/options.h"

#include <omptape/ompt.h>
#include <omptape/shm.h>
#include <stdbool.h>

/* start.c: omptape's ompt_start_tool. */
typedef ompt_start_tool_result_t *omptape_start_tool_function(unsigned int omp_version,
                                                              const char *runtime_version);
omptape_start_tool_function omptape_start_tool;

/* program_tool.c: the ompt_start_tool of the program itself, in whose place runtimes call omptape's. NULL: it
 * has none, or its runtime is part of it. Any thread. */
omptape_start_tool_function *omptape_program_tool(void);

/* second_tool.c: the OMPT tool that the runtime would have without omptape, or that --with-tool names; NULL: there
 * is none. Says in a line why a named one is none. Once, on the thread on which the runtime looks for a tool.
 */
ompt_start_tool_result_t *omptape_second_tool_find(unsigned omp_version, const char *runtime_version);
/* The file of the tool that was found. */
const char *omptape_second_tool_path(void);

/* session.c: creates the shared memory, launches the writer, opens the session to the producers. Called once
 * per process image by the initialising thread, and once more in a forked child that uses OpenMP
 * (`parent_pid` is then its parent, else 0). 0 or negative errno, after one line that says what failed. */
int omptape_session_start(int32_t parent_pid);
/* The same for a program whose own calls are recorded, as libgomp's and MPI's, unless there is a session.
 * Returns whether there is a session. Why there is none is said once, and what is wrong with an option. The
 * thread that makes the first such call, before others record. */
bool omptape_session_start_by_call(void);

/* began.c: when this process began. `anchor` is one moment on the clock that was chosen, as early as it could
 * be read; returns how long before that the process began, in ns, as far as that is known. Initialising
 * thread. */
uint64_t omptape_began(struct omptape_clock_anchor *anchor);
/* The same: with this call. In a forked child, inside fork(). */
void omptape_began_anew(void);
/* Was this library there when the program started? Initialising thread, or the library's constructor. */
bool omptape_began_with_program(void);

/* What the runtime said of itself, for the writer: goes to the present session and to those of forked
 * children. The text stays the caller's and must stay as it is. */
void omptape_session_set_info(const char *info, size_t bytes);
/* How long the thread that started the session was kept from its work by that. */
void omptape_session_note_start(uint64_t ns);

/* Something that the program does is not recorded: a phrase. It becomes a warning of the archive; where there
 * is no session of this process's, a line of its own. Any thread. */
void omptape_session_unrecorded(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the recording: from here on nothing is recorded. Any thread; only the first call counts. Does not
 * wait. */
void omptape_session_end(enum omptape_end end);

bool omptape_session_has_ended(void);

/* There is a session and it is this process's, not that of a process from which this one was forked without
 * the library's knowing. Any thread. */
bool omptape_session_is_own(void);

/* Waits until the archive is closed, or the writer is lost; says the writer's one line if it failed. Any
 * thread; returns at once where there is no session or a wait has ended already. */
void omptape_session_wait(void);

/* From here on nobody waits for the archive: the writer completes it by itself. Any thread. */
void omptape_session_hurry(void);

/* The shared memory, or NULL. */
struct omptape_shm *omptape_session_shm(void);

/* The job of the session that was started last. */
const struct omptape_job *omptape_session_job(void);

/* The writer of a program that is linked with an OpenMP runtime observes it from its begin. This ends it,
 * without a trace, where the program has used neither OpenMP nor MPI nor marks. Any thread. */
void omptape_session_leave_early(void);

/* In a forked child: forgets the parent's session without touching it. Returns the parent's pid, 0 if it had
 * none. */
int32_t omptape_session_forget(void);

/* launch.c: starts the writer process on `shm_fd`; `pid_fd` is a pidfd of this process or -1. The program
 * gets no child, no signal and no descriptor from it. With `has_stderr` the writer has the program's stderr,
 * to log to; else none. 0 or negative errno. */
int omptape_launch_writer(const char *path, int shm_fd, int settings_fd, int pid_fd, bool has_stderr);

/* launch.c: whether valgrind runs this program: it loses sight of a program that is restarted, and complains
 * on stderr about system calls that it does not know. Any thread. */
bool omptape_launch_is_emulated(void);

/* launch.c: the writer's path: $OMPTAPE_WRITER, else beside this library. 0 or -ENOENT (`path` then holds the
 * best guess). */
int omptape_launch_find_writer(char *path, size_t bytes);

/* info.c: what the runtime says of itself, as lines "key=value". Returns the bytes used. Initialising thread.
 */
size_t omptape_info_describe(ompt_function_lookup_t lookup, unsigned omp_version, const char *runtime_version,
                             char *text, size_t bytes);
/* What it can say only once it has formed a team: its places. Appends; returns the new length. Any thread. */
size_t omptape_info_describe_places(char *text, size_t used, size_t bytes);
/* Adds one line; returns the new length. What does not fit is left out whole. */
size_t omptape_info_add(char *text, size_t used, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* mpi.c: says so if MPI was initialised without our seeing it. When the program ends; only the first call
 * counts. Any thread. */
#ifdef OMPTAPE_WITHOUT_MPI
static inline void omptape_mpi_say_unseen(void)
{
}
#else
void omptape_mpi_say_unseen(void);
#endif

/* variables.c: says which of the user's variables are misspelt, once. Initialising thread. */
void omptape_variables_say(void);

/* end.c: entry points that the destructor needs. Initialising thread. */
void omptape_end_use(ompt_function_lookup_t lookup);

/* fork.c: makes forked children forget the parent's session, and start their own when they use OpenMP.
 * Idempotent. */
void omptape_fork_watch(void);

#endif
