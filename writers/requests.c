/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel keeps the queue: the signals stay blocked until they are asked for. Called by the writer's main
 * thread.
 */
#include "writers/requests.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void request_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, OMPTAPE_REQUEST_SIGNAL);
    sigaddset(set, SIGUSR1);
}

void omptape_requests_start(void)
{
    sigset_t set;
    request_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

bool omptape_requests_take(struct omptape_request *request)
{
    static const struct timespec now = {.tv_sec = 0};
    siginfo_t information;
    sigset_t set;
    request_signals(&set);
    if (sigtimedwait(&set, &information, &now) < 0)
        return false;
    *request = (struct omptape_request){.answer_pid = 0};
    if (information.si_code == SI_QUEUE && information.si_uid == geteuid())
        *request = (struct omptape_request){information.si_pid, information.si_value.sival_int};
    return true;
}

void omptape_requests_answer(const struct omptape_request *request, const char *text)
{
    char path[64];
    if (request->answer_pid <= 0)
        return;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)request->answer_pid, request->answer_fd);
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    /* Short enough for a pipe to take as a whole. */
    (void)!write(fd, text, strlen(text));
    close(fd);
}
