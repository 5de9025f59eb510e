/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements message.h without stdio, whose buffers belong to the program. Called by the library in program
 * threads, and by the command.
 */
#include "src/core/message.h"

#include "src/core/progress.h"
#include "src/core/words.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

size_t omptape_message_complete(char *line, size_t bytes, size_t used, const char *format, va_list arguments)
{
    const int n = vsnprintf(line + used, bytes - used - 1, format, arguments);
    if (n > 0)
        used += (size_t)n < bytes - used - 2 ? (size_t)n : bytes - used - 2;
    line[used] = '\0';
    omptape_utf8_make_plain(line);
    line[used++] = '\n';
    return used;
}

/* Removes the signal that this thread has just caused itself, unless it was pending before. */
static void consume_signal(int signal, const sigset_t *pending_before)
{
    static const struct timespec now = {.tv_sec = 0};
    sigset_t caused;
    if (sigismember(pending_before, signal) == 1)
        return;
    sigemptyset(&caused);
    sigaddset(&caused, signal);
    (void)sigtimedwait(&caused, NULL, &now);
}

bool omptape_message_write(int fd, const char *line, size_t bytes)
{
    sigset_t fatal;
    sigset_t before;
    sigset_t pending;
    ssize_t n;
    sigemptyset(&fatal);
    sigemptyset(&pending);
    sigaddset(&fatal, SIGPIPE);
    sigaddset(&fatal, SIGXFSZ);
    /* On Linux these calls change the mask of the calling thread alone. */
    (void)sigprocmask(SIG_BLOCK, &fatal, &before);
    if (sigismember(&before, SIGPIPE) == 1 || sigismember(&before, SIGXFSZ) == 1)
        (void)sigpending(&pending);
    do
        n = write(fd, line, bytes);
    while (n < 0 && errno == EINTR);
    const int error = n < 0 ? errno : 0;
    /* A pipe may have taken a part of the line before its reader closed it. */
    if (error == EPIPE || (n >= 0 && n < (ssize_t)bytes))
        consume_signal(SIGPIPE, &pending);
    else if (error == EFBIG)
        consume_signal(SIGXFSZ, &pending);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        errno = error;
    return n == (ssize_t)bytes;
}

void omptape_message(const char *format, ...)
{
    static const char prefix[] = "omptape: ";
    char line[1024];
    int saved = errno;
    va_list arguments;
    memcpy(line, prefix, sizeof(prefix));
    va_start(arguments, format);
    const size_t used = omptape_message_complete(line, sizeof(line), sizeof(prefix) - 1, format, arguments);
    va_end(arguments);
    omptape_progress_erase();
    (void)omptape_message_write(STDERR_FILENO, line, used);
    errno = saved;
}

int omptape_fail(char *error, size_t bytes, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error, bytes, format, arguments);
    va_end(arguments);
    return status;
}

static bool is_memory_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

const char *omptape_cause(int error)
{
    int number = error < 0 ? -error : error;
    switch (number) {
    case EFBIG:
        return "the limit on the size of files is reached (ulimit -f raises it)";
    case ENOSPC:
        return "the disk is full";
    case EDQUOT:
        return "your quota on this disk is used up";
    case EMFILE:
        return "the limit on open files is reached (ulimit -n raises it)";
    case ENFILE:
        return "this machine has too many open files";
    case ENOMEM:
        return is_memory_limited() ? "the limit on memory is reached (ulimit -v raises it)"
                                   : "there is not enough memory";
    case ELOOP:
        return "it is a link of another user, or one that leads nowhere";
    case EROFS:
        return "it is on a read-only file system";
    default:
        return strerror(number);
    }
}
