/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses /proc/PID/cgroup and mountinfo.
 */
#include "src/core/cgroup.h"

#include "src/core/text_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The line of an overlay mount in mountinfo may be long, because it names every layer. */
enum { FILE_BYTES = 64 * 1024, VALUE_BYTES = 4096, MAX_LEVELS = 64 };

/* Returns the file's text, which the caller frees; NULL: none. The text is cut after `bytes` - 1. */
static char *read_file(int folder, const char *path, size_t bytes)
{
    char *text = malloc(bytes);
    if (text != NULL && omptape_read_text(folder, path, text, bytes) > 0)
        return text;
    free(text);
    return NULL;
}

char *omptape_cgroup_read(const char *folder, const char *name)
{
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes); /* the stack may be small */
    char *text = NULL;
    if (path != NULL) {
        snprintf(path, bytes, "%s/%s", folder, name);
        text = read_file(AT_FDCWD, path, VALUE_BYTES);
    }
    free(path);
    return text;
}

/* Returns true if `word` is in the comma-separated list from `list` to `end`. */
static bool has_word(const char *list, const char *end, const char *word)
{
    const size_t length = strlen(word);
    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma != NULL ? comma : end;
        if ((size_t)(stop - list) == length && memcmp(list, word, length) == 0)
            return true;
        list = stop + 1;
    }
    return false;
}

/* Returns the process's cgroup path: v2's, or v1's of the controller. The result points into `text`, which is
 * changed. Returns NULL if there is none. */
static const char *path_in(char *text, const char *controller, bool v2)
{
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
        char *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : NULL;
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL || (end != NULL && path > end))
            continue;
        if (v2 ? path == controllers + 1 : has_word(controllers + 1, path, controller)) {
            if (end != NULL)
                *end = '\0';
            return path + 1;
        }
    }
    return NULL;
}

/* Decodes the octal escapes of mountinfo for blank, tab, line feed and backslash. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        unsigned code;
        if (from[0] == '\\' && sscanf(from + 1, "%3o", &code) == 1 && strspn(from + 1, "01234567") >= 3) {
            *to = (char)code;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* Parses one line "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELDS] - TYPE SOURCE OPTIONS". Returns false if
 * it is not the cgroup mount that is looked for. */
static bool parse_mount(char *line, const char *controller, bool v2, char **root, char **point)
{
    char *rest = NULL;
    char *behind = strstr(line, " - ");
    if (behind == NULL)
        return false;
    *behind = '\0';
    (void)strtok_r(line, " ", &rest);
    (void)strtok_r(NULL, " ", &rest);
    (void)strtok_r(NULL, " ", &rest);
    *root = strtok_r(NULL, " ", &rest);
    *point = strtok_r(NULL, " ", &rest);
    const char *type = strtok_r(behind + 3, " ", &rest);
    (void)strtok_r(NULL, " ", &rest);
    const char *options = strtok_r(NULL, " ", &rest);
    if (*root == NULL || *point == NULL || type == NULL)
        return false;
    unescape(*root);
    unescape(*point);
    return v2 ? strcmp(type, "cgroup2") == 0
              : strcmp(type, "cgroup") == 0 && options != NULL &&
                    has_word(options, options + strlen(options), controller);
}

/* Returns the path relative to `root`. In a container the mount may show only a part of the hierarchy. */
static const char *below(const char *path, const char *root)
{
    const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0'))
        return path + length;
    return "";
}

/* Finds the folder of the cgroup `path`; *mount: the length of the mount point. False if there is none. */
static bool find_folder(const char *path, const char *mounts, const char *controller, bool v2, char *folder,
                        size_t *mount)
{
    char *text = read_file(AT_FDCWD, mounts, FILE_BYTES);
    char *rest = NULL;
    bool found = false;
    for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL && !found;
         line = strtok_r(NULL, "\n", &rest)) {
        char *root;
        char *point;
        if (!parse_mount(line, controller, v2, &root, &point))
            continue;
        int n = snprintf(folder, PATH_MAX, "%s%s", point, below(path, root));
        *mount = strlen(point);
        found = n > 0 && n < PATH_MAX && access(folder, F_OK) == 0;
    }
    free(text);
    return found;
}

bool omptape_cgroup_visit(int process, const char *mounts, const char *controller, bool v2,
                          omptape_cgroup_visitor *visit, void *argument)
{
    char *folder = malloc(PATH_MAX);
    size_t mount = 0;
    char *text = folder != NULL ? read_file(process, "cgroup", VALUE_BYTES) : NULL;
    const char *path = text != NULL ? path_in(text, controller, v2) : NULL;
    const bool found = path != NULL && find_folder(path, mounts, controller, v2, folder, &mount);
    free(text);
    for (unsigned level = 0; found && level < MAX_LEVELS; level++) {
        visit(argument, folder, v2);
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < mount)
            break;
        *slash = '\0';
    }
    free(folder);
    return found;
}
