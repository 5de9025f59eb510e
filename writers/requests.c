/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The queue between the signal handler and the main loop, both on the writer's main thread.
 */
#include "writers/requests.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_REQUESTS = 16 };

static struct omptape_request queue[MOST_REQUESTS];
static atomic_uint added; /* by the handler */
static atomic_uint taken; /* by the main loop */

static void on_signal(int number, siginfo_t *information, void *context)
{
    (void)number;
    (void)context;
    unsigned place = atomic_load(&added);
    if (place - atomic_load(&taken) >= MOST_REQUESTS)
        return;
    struct omptape_request *request = &queue[place % MOST_REQUESTS];
    *request = (struct omptape_request){.answer_pid = 0};
    if (information->si_code == SI_QUEUE && information->si_uid == geteuid())
        *request = (struct omptape_request){information->si_pid, information->si_value.sival_int};
    atomic_store(&added, place + 1);
}

void omptape_requests_start(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

bool omptape_requests_take(struct omptape_request *request)
{
    unsigned place = atomic_load(&taken);
    if (place == atomic_load(&added))
        return false;
    *request = queue[place % MOST_REQUESTS];
    atomic_store(&taken, place + 1);
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
