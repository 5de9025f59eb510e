/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the command's report.
 */
#include "src/job/report_file.h"

#include "src/core/words.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool omptape_report_file_is_there(const char *path)
{
    static const char name[] = "/memfd:" OMPTAPE_REPORT_FILE;
    char target[64];
    if (path == NULL || path[0] == '\0')
        return false;
    /* An existing file, not created by the command (tests/bench). */
    if (!omptape_starts_with(path, "/proc/"))
        return access(path, W_OK) == 0;
    ssize_t n = readlink(path, target, sizeof(target));
    return n >= (ssize_t)strlen(name) && memcmp(target, name, strlen(name)) == 0;
}

int omptape_report_file_owner(const char *path)
{
    int pid = 0;
    return sscanf(path, "/proc/%d/fd/", &pid) == 1 ? pid : 0;
}

int omptape_report_file_open(const char *path)
{
    return omptape_report_file_is_there(path) ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
}

const char *omptape_report_file_escape(const char *value, char *text, size_t bytes)
{
    size_t used = 0;
    for (; *value != '\0' && used + 2 < bytes; value++) {
        if (*value == '\n' || *value == '\\')
            text[used++] = '\\';
        text[used++] = *value == '\n' ? 'n' : *value;
    }
    text[used] = '\0';
    return text;
}

void omptape_report_file_unescape(char *value)
{
    char *to = value;
    for (const char *from = value; *from != '\0'; from++) {
        bool escaped = *from == '\\' && (from[1] == 'n' || from[1] == '\\');
        if (escaped)
            from++;
        *to++ = escaped && *from == 'n' ? '\n' : *from;
    }
    *to = '\0';
}
