/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Running the program: as the shell would run it, with the terminal, the process group, the signals'
 * dispositions and the mask that the command itself was given.
 */
#ifndef OMPTAPE_COMMAND_RUN_LAUNCH_H
#define OMPTAPE_COMMAND_RUN_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

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

#endif
