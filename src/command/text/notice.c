/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints messages that --quiet suppresses (notice.h). Called by the command's only thread.
 */
#include "src/command/text/notice.h"

#include "src/command/text/units.h"
#include "src/core/message.h"
#include "src/core/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

static bool is_silent;
static bool is_strict;

void notice_set_silent(bool silent)
{
    is_silent = silent;
}

bool notice_is_silent(void)
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

void notice_wrote(const struct omptape_atomic_file *file)
{
    struct stat about;
    if (file->folder >= 0 && fstat(file->file, &about) == 0)
        omptape_notice("wrote %s (%s)", omptape_quoted(file->path).text,
                       units_bytes((uint64_t)about.st_size).text);
}

void notice_set_strict(bool strict)
{
    is_strict = strict;
}

static void print_untraced(bool always, const char *format, va_list arguments)
{
    char line[1024];
    (void)vsnprintf(line, sizeof(line), format, arguments);
    if (is_strict)
        omptape_message("%s; the program is not run (--strict)", line);
    else if (always || !is_silent)
        omptape_message("%s; the program runs untraced", line);
}

void notice_untraced(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_untraced(false, format, arguments);
    va_end(arguments);
}

void notice_failure(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_untraced(true, format, arguments);
    va_end(arguments);
}
