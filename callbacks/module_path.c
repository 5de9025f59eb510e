/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds a library's file in the process's own map. Called when a thread enters a library that the writer
 * does not know of, and that the loader knows by a name from some current folder.
 */
#include "callbacks/module_path.h"

#include "buffers/cancel.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The text of the map, line after line. */
struct map_lines {
    int fd;
    size_t used; /* of `text` */
    char text[4096 + 512];
};

/* Moves the rest to the front and reads on; the line's end, or NULL. Longer lines are nobody's. */
static char *next_line(struct map_lines *lines, size_t passed)
{
    lines->used -= passed;
    memmove(lines->text, lines->text + passed, lines->used);
    for (;;) {
        char *end = memchr(lines->text, '\n', lines->used);
        if (end != NULL)
            return end;
        ssize_t n = read(lines->fd, lines->text + lines->used, sizeof(lines->text) - lines->used);
        if (n <= 0)
            return NULL;
        lines->used += (size_t)n;
    }
}

static uintptr_t read_address(const char *text)
{
    uintptr_t value = 0;
    for (; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
        value = value << 4 | (uintptr_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return value;
}

static bool copy_path(const char *from, size_t length, char *path, size_t bytes)
{
    if (length == 0 || length >= bytes)
        return false;
    memcpy(path, from, length);
    path[length] = '\0';
    return true;
}

static bool find_in_map(uintptr_t begin, char *path, size_t bytes)
{
    struct map_lines lines = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    bool found = false;
    size_t passed = 0;
    if (lines.fd < 0)
        return false;
    for (char *end; !found && (end = next_line(&lines, passed)) != NULL;) {
        const char *slash = memchr(lines.text, '/', (size_t)(end - lines.text));
        if (read_address(lines.text) == begin && slash != NULL)
            found = copy_path(slash, (size_t)(end - slash), path, bytes);
        passed = (size_t)(end - lines.text) + 1;
    }
    close(lines.fd);
    return found;
}

/* Without /proc: right if the program has not gone elsewhere since. */
static bool join_current(const char *name, char *path, size_t bytes)
{
    size_t folder = getcwd(path, bytes) != NULL && path[0] == '/' ? strlen(path) : 0;
    if (folder == 0 || folder + 1 >= bytes)
        return false;
    path[folder] = '/';
    return copy_path(name, strlen(name), path + folder + 1, bytes - folder - 1);
}

bool omptape_module_path(const char *name, uintptr_t begin, char *path, size_t bytes)
{
    if (name[0] == '/')
        return copy_path(name, strlen(name), path, bytes);
    if (strchr(name, '/') == NULL)
        return false;
    const int cancel = omptape_cancel_hold();
    const bool found = find_in_map(begin, path, bytes);
    omptape_cancel_release(cancel);
    return found || join_current(name, path, bytes);
}
