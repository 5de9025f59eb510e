/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives requests as queued signals. They stay blocked, so the kernel keeps them until the writer takes
 * them.
 */
#include "writers/requests.h"

#include <fcntl.h>
#include <omptape/requests.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void omptape_requests_start(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, OMPTAPE_REQUEST_SIGNAL);
    sigaddset(&set, OMPTAPE_TOP_SIGNAL);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static bool take(const sigset_t *set, struct omptape_request *request)
{
    static const struct timespec now = {.tv_sec = 0};
    siginfo_t information;
    if (sigtimedwait(set, &information, &now) < 0)
        return false;
    *request = (struct omptape_request){.answer_pid = 0};
    bool own = information.si_uid == geteuid() || information.si_uid == 0;
    if (information.si_code == SI_QUEUE && own)
        *request = (struct omptape_request){information.si_pid, information.si_value.sival_int};
    return true;
}

bool omptape_requests_take(struct omptape_request *request)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, OMPTAPE_REQUEST_SIGNAL);
    sigaddset(&set, SIGUSR1);
    return take(&set, request);
}

bool omptape_requests_take_top(struct omptape_request *request)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, OMPTAPE_TOP_SIGNAL);
    return take(&set, request);
}

static int open_pipe(const struct omptape_request *request)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)request->answer_pid, request->answer_place);
    return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

static int open_socket(const struct omptape_request *request)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, OMPTAPE_REQUEST_NAME,
                     (unsigned)(OMPTAPE_REQUEST_SOCKET - request->answer_place));
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&name, bytes) == 0)
        return fd;
    close(fd);
    return -1;
}

int omptape_requests_open(const struct omptape_request *request)
{
    if (request->answer_pid <= 0)
        return -1;
    return request->answer_place > OMPTAPE_REQUEST_SOCKET ? open_pipe(request) : open_socket(request);
}

void omptape_requests_answer(const struct omptape_request *request, const char *text)
{
    int fd = omptape_requests_open(request);
    if (fd < 0)
        return;
    /* The text is short enough for a pipe or socket to take it in one write. */
    (void)!write(fd, text, strlen(text));
    close(fd);
}
