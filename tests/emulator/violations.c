/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The violations file. Called by whoever sees the tool misbehave, on any thread.
 */
#include "tests/emulator/violations.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 200, LINE_BYTES = 240 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[LINES][LINE_BYTES];
static int line_count;
static int fd = -1;

static void put(const char *line)
{
    char text[LINE_BYTES + 1];
    int length = snprintf(text, sizeof(text), "%s\n", line);

    if (fd >= 0 && write(fd, text, (size_t)length) != length)
        abort(); /* the test's own disk is full: nothing it finds can be believed */
}

void em_violations_open(void)
{
    const char *folder = getenv("OMPTAPE_EMULATOR_DIR");
    char path[4096];

    if (folder == NULL ||
        snprintf(path, sizeof(path), "%s/violations.%d", folder, (int)getpid()) >= (int)sizeof(path))
        return;
    pthread_mutex_lock(&lock);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    for (int i = 0; i < line_count; i++)
        put(lines[i]);
    pthread_mutex_unlock(&lock);
}

static void say(const char *word, const char *format, va_list arguments)
{
    char line[LINE_BYTES];
    int used = snprintf(line, sizeof(line), "%s: ", word);
    bool known = false;

    vsnprintf(line + used, sizeof(line) - (size_t)used, format, arguments);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < line_count; i++)
        known = known || strcmp(lines[i], line) == 0;
    if (!known && line_count < LINES) {
        memcpy(lines[line_count++], line, sizeof(line));
        put(line);
    }
    pthread_mutex_unlock(&lock);
}

void em_violation(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("violation", format, arguments);
    va_end(arguments);
}

void em_note(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("note", format, arguments);
    va_end(arguments);
}
