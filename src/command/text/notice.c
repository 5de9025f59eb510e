/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines that --quiet silences. Called by the command's one thread.
 */
#include "src/command/text/notice.h"

#include "src/core/message.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_silent;

void omptape_notice_silence(bool silent)
{
    is_silent = silent;
}

bool omptape_notice_is_silent(void)
{
    return is_silent;
}

void omptape_notice(const char *format, ...)
{
    char line[1024];
    va_list arguments;

    if (is_silent)
        return;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    omptape_message("%s", line);
}
