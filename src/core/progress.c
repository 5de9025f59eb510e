/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements progress.h. Drawn by a thread that waits for an archive, in the library or the command; erased
 * by any thread that prints a message.
 */
#include "src/core/progress.h"

#include "src/core/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_BYTES = 160, USUAL_COLUMNS = 80 };

static const uint64_t first_ns = 1000000000;
static const uint64_t again_ns = 250000000;

static atomic_uint shown; /* width of the visible line in columns; 0: no line */

/* Returns true if stderr is the controlling terminal and this process is in its foreground. A background job
 * would be stopped for writing. */
static bool is_own_terminal(void)
{
    pid_t foreground = tcgetpgrp(STDERR_FILENO);
    return foreground > 0 && foreground == getpgrp();
}

/* Returns false if the terminal is stopped (control-S): writing would block the program. */
static bool takes_output(void)
{
    struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT) != 0;
}

static unsigned columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL_COLUMNS;
}

/* Writes the text, padded with blanks to `width` columns. */
static void overwrite(const char *text, unsigned width, const char *end)
{
    char line[LINE_BYTES];
    int length = snprintf(line, sizeof(line), "\r%-*s%s", (int)width, text, end);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        atomic_store(&shown, 0);
}

void omptape_progress_begin(struct omptape_progress *progress, bool silent)
{
    *progress = (struct omptape_progress){.silent = silent, .next = omptape_clock_raw_ns() + first_ns};
}

bool omptape_progress_is_due(struct omptape_progress *progress)
{
    if (progress->silent)
        return false;
    uint64_t now = omptape_clock_raw_ns();
    if (now < progress->next)
        return false;
    progress->next = now + again_ns;
    int saved = errno;
    bool due = is_own_terminal() && takes_output();
    errno = saved;
    return due;
}

void omptape_progress_draw(const char *format, ...)
{
    char text[LINE_BYTES / 2] = "omptape: ";
    int saved = errno;
    unsigned max = columns() - 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + strlen(text), sizeof(text) - strlen(text), format, arguments);
    va_end(arguments);
    if (strlen(text) > max)
        text[max] = '\0';
    unsigned before = atomic_exchange(&shown, (unsigned)strlen(text));
    overwrite(text, before, "");
    errno = saved;
}

void omptape_progress_erase(void)
{
    unsigned before = atomic_exchange(&shown, 0);
    int saved = errno;
    if (before > 0)
        overwrite("", before, "\r");
    errno = saved;
}
