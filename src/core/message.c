/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines on stderr. Used by the library in program threads, and by the command; never through stdio, whose
 * buffers belong to the program.
 */
#include "src/core/message.h"

#include "src/core/progress.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void omptape_message(const char *format, ...)
{
    static const char prefix[] = "omptape: ";
    char line[1024];
    int saved = errno;
    va_list arguments;

    memcpy(line, prefix, sizeof(prefix));
    size_t used = sizeof(prefix) - 1;
    va_start(arguments, format);
    int n = vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
    va_end(arguments);
    if (n > 0)
        used += (size_t)n < sizeof(line) - used - 2 ? (size_t)n : sizeof(line) - used - 2;
    line[used++] = '\n';
    omptape_progress_erase();
    while (write(STDERR_FILENO, line, used) < 0 && errno == EINTR) {
    }
    errno = saved;
}
