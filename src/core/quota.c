/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the cgroup files. Called by the writer at the recording's start and end, and by the command.
 */
#include "src/core/quota.h"

#include "src/core/text_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The line of an overlay mount in mountinfo may be long, because it names every layer. */
enum { FILE_BYTES = 64 * 1024, VALUE_BYTES = 4096, MAX_LEVELS = 64 };

static const uint64_t us_ns = 1000;

/* Returns the file's text, which the caller frees, or NULL if there is none. The text is cut after `bytes` -
 * 1. */
static char *read_file(int folder, const char *path, size_t bytes)
{
    char *text = malloc(bytes);
    if (text != NULL && omptape_read_text(folder, path, text, bytes) > 0)
        return text;
    free(text);
    return NULL;
}

static char *read_value(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof(path) ? read_file(AT_FDCWD, path, VALUE_BYTES) : NULL;
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

/* Returns the process's cgroup path: v2's, or v1's of the controller "cpu". The result points into `text`,
 * which is changed. Returns NULL if there is none. */
static const char *path_in(char *text, bool v2)
{
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
        char *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : NULL;
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL || (end != NULL && path > end))
            continue;
        if (v2 ? path == controllers + 1 : has_word(controllers + 1, path, "cpu")) {
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
static bool parse_mount(char *line, bool v2, char **root, char **point)
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
                    has_word(options, options + strlen(options), "cpu");
}

/* Returns the path relative to `root`. In a container the mount may show only a part of the hierarchy. */
static const char *below(const char *path, const char *root)
{
    const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0'))
        return path + length;
    return "";
}

/* Finds the folder of the cgroup `path`; *mount receives the length of the mount point. Returns false if the
 * folder does not exist. */
static bool find_folder(const char *path, const char *mounts, bool v2, char *folder, size_t *mount)
{
    char *text = read_file(AT_FDCWD, mounts, FILE_BYTES);
    char *rest = NULL;
    bool found = false;
    for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL && !found;
         line = strtok_r(NULL, "\n", &rest)) {
        char *root;
        char *point;
        if (!parse_mount(line, v2, &root, &point))
            continue;
        int n = snprintf(folder, PATH_MAX, "%s%s", point, below(path, root));
        *mount = strlen(point);
        found = n > 0 && n < PATH_MAX && access(folder, F_OK) == 0;
    }
    free(text);
    return found;
}

/* Reads the cgroup's limit. Returns false if it has none. */
static bool read_limit(const char *folder, bool v2, uint64_t *quota_ns, uint64_t *period_ns)
{
    char *quota = read_value(folder, v2 ? "cpu.max" : "cpu.cfs_quota_us");
    char *period = v2 ? NULL : read_value(folder, "cpu.cfs_period_us");
    int64_t most = -1;
    int64_t each = 0;
    if (v2 && quota != NULL && sscanf(quota, "%" SCNd64 " %" SCNd64, &most, &each) != 2)
        most = -1; /* "max 100000" */
    if (!v2 && quota != NULL && period != NULL) {
        most = strtoll(quota, NULL, 10);
        each = strtoll(period, NULL, 10);
    }
    free(quota);
    free(period);
    *quota_ns = most > 0 ? (uint64_t)most * us_ns : 0;
    *period_ns = each > 0 ? (uint64_t)each * us_ns : 0;
    return *quota_ns > 0 && *period_ns > 0;
}

static uint64_t number_of_line(const char *text, const char *label)
{
    const size_t length = strlen(label);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, label, length) == 0 && line[length] == ' ')
            return strtoull(line + length, NULL, 10);
    }
    return 0;
}

static void read_throttling(struct omptape_quota *quota, bool v2)
{
    char *text = read_value(quota->group, "cpu.stat");
    if (text == NULL)
        return;
    quota->now.periods = number_of_line(text, "nr_periods");
    quota->now.throttled = number_of_line(text, "nr_throttled");
    quota->now.ns =
        v2 ? number_of_line(text, "throttled_usec") * us_ns : number_of_line(text, "throttled_time");
    free(text);
}

/* Finds the tightest limit from `folder` up to the mount point. */
static void find_tightest(struct omptape_quota *quota, char *folder, size_t mount, bool v2)
{
    double least = 0;
    for (unsigned level = 0; level < MAX_LEVELS; level++) {
        uint64_t quota_ns;
        uint64_t period_ns;
        const bool limited = read_limit(folder, v2, &quota_ns, &period_ns);
        const double processors = limited ? (double)quota_ns / (double)period_ns : 0;
        if (limited && (!quota->limited || processors < least)) {
            least = processors;
            quota->limited = true;
            quota->quota_ns = quota_ns;
            quota->period_ns = period_ns;
            memcpy(quota->group, folder, strlen(folder) + 1);
        }
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < mount)
            break;
        *slash = '\0';
    }
    if (quota->limited)
        read_throttling(quota, v2);
}

void omptape_quota_read(struct omptape_quota *quota, int process, const char *mounts)
{
    char folder[PATH_MAX];
    *quota = (struct omptape_quota){.found = false};
    /* The cpu controller is in one of the two hierarchies. */
    for (int v2 = 0; v2 <= 1 && !quota->limited; v2++) {
        char *text = read_file(process, "cgroup", VALUE_BYTES);
        const char *path = text != NULL ? path_in(text, v2 != 0) : NULL;
        size_t mount = 0;
        if (path != NULL && find_folder(path, mounts, v2 != 0, folder, &mount)) {
            quota->found = true;
            find_tightest(quota, folder, mount, v2 != 0);
        }
        free(text);
    }
}
