/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Marks of a job's processes. Called by the writer's main thread and by the command.
 *
 * Why the last one never goes unnoticed: each makes its "done" before it removes its "live", and looks at
 * the others only after that. So of several that leave at once, the one whose "live" went last sees none.
 * Whoever unified looks again for what ended meanwhile.
 */
#include "src/core/job_marks.h"

#include "src/core/archive_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char marks_folder[] = ".omptape-marks";
enum { FOLDER_BYTES = OMPTAPE_PATH_BYTES - 512, MOST_ATTEMPTS = 100, OWNER_BYTES = 320 };

/* The names of marks, each ended by a zero. */
struct names {
    char *text;
    size_t bytes;
    size_t live;
};

static void path_of(const struct omptape_job_marks *marks, const char *kind, char *path)
{
    snprintf(path, OMPTAPE_PATH_BYTES, "%.*s/%s/%s.%d.%d", FOLDER_BYTES, marks->folder, marks_folder, kind,
             (int)marks->rank, (int)getpid());
}

bool omptape_job_marks_has(const char *folder, int32_t rank, int32_t wrapper)
{
    char path[OMPTAPE_PATH_BYTES];
    struct stat st;
    snprintf(path, sizeof(path), "%.*s/%s/live.%d.%d", FOLDER_BYTES, folder, marks_folder, (int)rank,
             (int)wrapper);
    return lstat(path, &st) == 0;
}

static void path_of_all(const struct omptape_job_marks *marks, char *path)
{
    snprintf(path, OMPTAPE_PATH_BYTES, "%.*s/%s", FOLDER_BYTES, marks->folder, marks_folder);
}

/* The folder of marks goes when it is empty, maybe at this moment. */
static int make_mark(const struct omptape_job_marks *marks, const char *kind)
{
    char owner[OWNER_BYTES];
    char host[256] = "";
    char path[OMPTAPE_PATH_BYTES];
    char all[OMPTAPE_PATH_BYTES];
    gethostname(host, sizeof(host) - 1);
    snprintf(owner, sizeof(owner), "%s:%d", host, (int)getpid());
    path_of(marks, kind, path);
    path_of_all(marks, all);
    for (int i = 0; i < MOST_ATTEMPTS; i++) {
        if (symlink(owner, path) == 0 || errno == EEXIST)
            return 0;
        if (errno != ENOENT || (mkdir(all, 0777) != 0 && errno != EEXIST))
            break;
    }
    return -errno;
}

static void remove_mark(const struct omptape_job_marks *marks, const char *kind)
{
    char path[OMPTAPE_PATH_BYTES];
    path_of(marks, kind, path);
    unlink(path);
}

static bool is_alive(int marks_fd, const char *name)
{
    char owner[OWNER_BYTES];
    ssize_t n = readlinkat(marks_fd, name, owner, sizeof(owner) - 1);
    if (n <= 0)
        return false;
    owner[n] = '\0';
    if (!omptape_archive_files_is_stale(owner))
        return true;
    unlinkat(marks_fd, name, 0);
    return false;
}

static int add_name(struct names *names, const char *name)
{
    size_t length = strlen(name) + 1;
    char *grown = realloc(names->text, names->bytes + length);
    if (grown == NULL)
        return -ENOMEM;
    memcpy(grown + names->bytes, name, length);
    names->text = grown;
    names->bytes += length;
    return 0;
}

/* Lists what is done, and counts who is at work. */
static int look(const struct omptape_job_marks *marks, struct names *names)
{
    char all[OMPTAPE_PATH_BYTES];
    char wrapper[64];
    int error = 0;
    snprintf(wrapper, sizeof(wrapper), "live.%d.%d", (int)marks->rank, (int)marks->wrapper);
    *names = (struct names){.live = 0};
    path_of_all(marks, all);
    DIR *entries = opendir(all);
    if (entries == NULL)
        return -errno;
    const struct dirent *entry;
    while (error == 0 && (entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, "done.", 5) == 0)
            error = add_name(names, entry->d_name);
        else if (strncmp(entry->d_name, "live.", 5) == 0 && strcmp(entry->d_name, wrapper) != 0)
            names->live += is_alive(dirfd(entries), entry->d_name);
    }
    closedir(entries);
    return error;
}

/* Several may do this at once with the same names. True for one of them. */
static bool remove_names(const struct omptape_job_marks *marks, const struct names *names)
{
    char path[OMPTAPE_PATH_BYTES];
    const char *first = names->text;
    bool removed_first = false;
    for (size_t at = 0; at < names->bytes; at += strlen(names->text + at) + 1) {
        if (strcmp(names->text + at, first) < 0)
            first = names->text + at;
    }
    for (size_t at = 0; at < names->bytes; at += strlen(names->text + at) + 1) {
        snprintf(path, sizeof(path), "%.*s/%s/%.255s", FOLDER_BYTES, marks->folder, marks_folder,
                 names->text + at);
        bool removed = unlink(path) == 0;
        removed_first = removed_first || (removed && names->text + at == first);
    }
    return removed_first;
}

void omptape_job_marks_enter(struct omptape_job_marks *marks, const char *folder, int32_t rank)
{
    snprintf(marks->folder, sizeof(marks->folder), "%s", folder);
    marks->rank = rank;
    marks->wrapper = 0;
    marks->entered = make_mark(marks, "live") == 0;
}

/* One look at the others, and one unification if nobody else is at work. *again: to be repeated. */
static enum omptape_job_left conclude(const struct omptape_job_marks *marks, omptape_job_unify_t unify,
                                      void *context, bool *again)
{
    struct names names;
    enum omptape_job_left left = OMPTAPE_JOB_GOES_ON;
    *again = false;
    if (look(marks, &names) == 0 && names.live == 0 && names.bytes > 0) {
        *again = unify != NULL && unify(context, marks->folder) == 0;
        left = *again ? OMPTAPE_JOB_UNIFIED : OMPTAPE_JOB_OVER;
        if ((*again || unify == NULL) && !remove_names(marks, &names))
            left = OMPTAPE_JOB_GOES_ON;
    }
    free(names.text);
    return left;
}

enum omptape_job_left omptape_job_marks_leave(struct omptape_job_marks *marks, omptape_job_unify_t unify,
                                              void *context)
{
    char all[OMPTAPE_PATH_BYTES];
    enum omptape_job_left left = OMPTAPE_JOB_GOES_ON;
    if (!marks->entered)
        return left;
    marks->entered = false;
    bool again = make_mark(marks, "done") == 0;
    remove_mark(marks, "live");
    for (int i = 0; again && i < MOST_ATTEMPTS; i++) {
        enum omptape_job_left now = conclude(marks, unify, context, &again);
        left = now != OMPTAPE_JOB_GOES_ON ? now : left;
    }
    path_of_all(marks, all);
    rmdir(all);
    return left;
}

void omptape_job_marks_give_up(struct omptape_job_marks *marks)
{
    char all[OMPTAPE_PATH_BYTES];
    if (!marks->entered)
        return;
    marks->entered = false;
    remove_mark(marks, "live");
    path_of_all(marks, all);
    rmdir(all);
}
