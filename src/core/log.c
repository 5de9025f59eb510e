/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements log.h. Called by library, writer and command.
 */
#include "src/core/log.h"

#include "src/core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

static const char *const levels[OMPTAPE_LOG_LEVELS] = {"off", "info", "debug"};
static const char *const areas[OMPTAPE_LOG_AREAS] = {
    [OMPTAPE_LOG_COMMAND] = "command", [OMPTAPE_LOG_LIBRARY] = "library", [OMPTAPE_LOG_WRITER] = "writer",
    [OMPTAPE_LOG_SYMBOLS] = "symbols", [OMPTAPE_LOG_ARCHIVE] = "archive", [OMPTAPE_LOG_UNIFY] = "unify"};

static struct omptape_log_choice chosen = {.level = OMPTAPE_LOG_OFF, .file = ""};
static int kept = -1; /* the log's descriptor if it stays open */

/* Returns the index of the first `length` bytes of `text` in `words`, or -1. */
static int find_word(const char *const *words, int count, const char *text, size_t length)
{
    for (int i = 0; i < count; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
            return i;
    return -1;
}

static int find_level(const char *text, size_t length)
{
    if (length == 1 && (text[0] == '0' || text[0] == '1'))
        return text[0] - '0';
    return find_word(levels, OMPTAPE_LOG_LEVELS, text, length);
}

static int refuse_word(const char *text, size_t length, const char *kind, const char *words, char *error,
                       size_t error_bytes)
{
    return omptape_fail(error, error_bytes, -EINVAL, "\"%.*s\" is no %s (%s)",
                        (int)(length < 80 ? length : 80), text, kind, words);
}

int omptape_log_parse(const char *text, struct omptape_log_choice *choice, char *error, size_t error_bytes)
{
    size_t length = strcspn(text, ",");
    const int level = find_level(text, length);
    unsigned selected = 0;
    if (level < 0)
        return refuse_word(text, length, "level", "off, info, debug", error, error_bytes);
    for (const char *p = text + length; *p == ','; p += length) {
        p++;
        length = strcspn(p, ",");
        const int area = find_word(areas, OMPTAPE_LOG_AREAS, p, length);
        if (area < 0)
            return refuse_word(p, length, "area", "command, library, writer, symbols, archive, unify", error,
                               error_bytes);
        selected |= 1U << area;
    }
    choice->level = (enum omptape_log_level)level;
    choice->areas = selected != 0 ? selected : ~0U;
    return 0;
}

/* Opens the log. Returns a descriptor, or negative errno for a link, a pipe, another user's file, or a file
 * with a second hard link. Another user may have created that link. */
static int open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        status.st_nlink == 1)
        return fd;
    close(fd);
    return -EPERM;
}

int omptape_log_start(const struct omptape_log_choice *choice, bool keep)
{
    if (kept >= 0)
        close(kept);
    kept = -1;
    chosen.level = OMPTAPE_LOG_OFF;
    if (choice->level == OMPTAPE_LOG_OFF || getauxval(AT_SECURE) != 0)
        return 0;
    const bool to_file = choice->file != NULL && choice->file[0] != '\0';
    const int fd = to_file ? open_file(choice->file) : -1;
    if (to_file && fd < 0)
        return fd;
    if (keep) /* the stderr of a guarded child is redirected */
        kept = to_file ? fd : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else if (fd >= 0)
        close(fd);
    chosen = *choice;
    if (!to_file)
        chosen.file = "";
    return 0;
}

bool omptape_log_uses_stderr(void)
{
    return chosen.level != OMPTAPE_LOG_OFF && chosen.file[0] == '\0';
}

static void write_line(const char *line, size_t bytes)
{
    const int fd = kept >= 0 ? kept : omptape_log_uses_stderr() ? STDERR_FILENO : open_file(chosen.file);
    if (fd < 0)
        return;
    (void)omptape_message_write(fd, line, bytes);
    if (fd != kept && fd != STDERR_FILENO)
        close(fd);
}

void omptape_log(enum omptape_log_level level, enum omptape_log_area area, const char *format, ...)
{
    enum { DAY = 86400, HOUR = 3600, MINUTE = 60, NS_PER_US = 1000 };
    char line[LINE_BYTES];
    struct timespec now;
    va_list arguments;
    if (level > chosen.level || (chosen.areas & 1U << area) == 0)
        return;
    const int saved = errno;
    clock_gettime(CLOCK_REALTIME, &now);
    const int second = (int)(now.tv_sec % DAY);
    size_t used = (size_t)snprintf(line, sizeof(line), "omptape[%d] %02d:%02d:%02d.%06ld %s: ", (int)getpid(),
                                   second / HOUR, second % HOUR / MINUTE, second % MINUTE,
                                   now.tv_nsec / NS_PER_US, areas[area]);
    va_start(arguments, format);
    used = omptape_message_complete(line, sizeof(line), used, format, arguments);
    va_end(arguments);
    write_line(line, used);
    errno = saved;
}
