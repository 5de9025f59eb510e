/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements marks.h. Called by the writer's main thread and by the command.
 *
 * At least one process finds itself the last. Each process creates its "done" mark, then removes its "live"
 * mark, and only then reads the other marks. If several leave at once, the one that removes its "live" mark
 * last sees no other. After a unification the process reads the marks again, for those that ended meanwhile.
 */
#include "src/job/marks.h"

#include "src/core/array.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"
#include "src/folder/claim.h"
#include "src/folder/named_folder.h"
#include "src/job/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char marks_folder[] = ".omptape-marks";
enum { NAME_BYTES = 64, MAX_ATTEMPTS = 100 };
/* Polling interval and number of polls while another process unifies: half a minute. */
enum { WAIT_MS = 20, MAX_WAITS = 1500 };

/* Zero-terminated names of marks, one after the other. */
struct mark_names {
    char *text;
    uint32_t bytes;
    uint32_t capacity;
};

struct marks_seen {
    struct mark_names done;
    struct mark_names waits; /* of living commands */
    size_t at_work;
};

static void name_mark(const struct omptape_job_marks *marks, const char *kind, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s.%d.%d", kind, (int)marks->rank, (int)getpid());
}

/* Opens the folder of marks in the job's folder `path`; creates it if `make` is true. */
static int open_marks(const char *path, bool make)
{
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return folder;
    int marks = make ? omptape_beneath_make_folder(folder, marks_folder, NULL)
                     : omptape_beneath_open_own_folder(folder, marks_folder);
    close(folder);
    return marks;
}

bool omptape_job_marks_waits(const char *folder, int32_t rank, int32_t command)
{
    char name[NAME_BYTES];
    int marks = open_marks(folder, false);
    snprintf(name, sizeof(name), "wait.%d.%d", (int)rank, (int)command);
    bool waits = marks >= 0 && omptape_beneath_is_there(marks, name);
    omptape_close(marks);
    return waits;
}

/* Creates a mark. Retries, because another process may remove the empty folder of marks at the same time. */
static int make_mark(const struct omptape_job_marks *marks, const char *kind)
{
    char name[NAME_BYTES];
    int error = -ENOENT;
    name_mark(marks, kind, name, sizeof(name));
    for (int i = 0; error != 0 && i < MAX_ATTEMPTS; i++) {
        int folder = open_marks(marks->folder, true);
        if (folder == -ENOENT)
            continue;
        if (folder < 0)
            return folder;
        error = omptape_claim_make(folder, name);
        if (error == -EEXIST && omptape_claim_check(folder, name) == 0)
            error = 0;
        /* The mark of a dead process with the same rank and process number. */
        bool again = error == -ENOENT || (error == -EEXIST && omptape_beneath_remove(folder, name) == 0);
        close(folder);
        if (!again)
            break;
    }
    return error;
}

static void remove_mark(const struct omptape_job_marks *marks, const char *kind)
{
    char name[NAME_BYTES];
    int folder = open_marks(marks->folder, false);
    name_mark(marks, kind, name, sizeof(name));
    if (folder >= 0) {
        (void)omptape_beneath_remove(folder, name);
        close(folder);
    }
}

/* Returns false for a mark of another user, and tries to remove it. */
static bool is_own(int marks_fd, const char *name)
{
    char text[OMPTAPE_CLAIM_BYTES];
    bool own = omptape_beneath_read_own_link(marks_fd, name, text, sizeof(text));
    if (!own)
        (void)omptape_beneath_remove(marks_fd, name);
    return own;
}

static bool is_owner_alive(int marks_fd, const char *name)
{
    char who[OMPTAPE_CLAIM_BYTES];
    if (omptape_claim_read(marks_fd, name, who, sizeof(who)) != OMPTAPE_CLAIM_NOBODY)
        return true;
    if (who[0] != '\0')
        (void)omptape_beneath_remove(marks_fd, name);
    return false;
}

static int add_name(struct mark_names *names, const char *name)
{
    uint32_t length = (uint32_t)strlen(name) + 1;
    char *grown = omptape_array_reserve(names->text, names->bytes + length, &names->capacity, 1);
    if (grown == NULL)
        return -ENOMEM;
    memcpy(grown + names->bytes, name, length);
    names->text = grown;
    names->bytes += length;
    return 0;
}

/* Returns true if `names` has a mark of the same rank as `mark` ("KIND.RANK.PID", KIND of four letters). */
static bool has_rank(const struct mark_names *names, const char *mark)
{
    size_t length = strcspn(mark + 5, ".") + 1;
    for (size_t at = 0; at < names->bytes; at += strlen(names->text + at) + 1)
        if (strncmp(names->text + at + 5, mark + 5, length) == 0)
            return true;
    return false;
}

static int read_mark(struct marks_seen *look, int marks_fd, const char *name)
{
    bool done = omptape_starts_with(name, "done.");
    bool waits = omptape_starts_with(name, "wait.");
    bool leaves = omptape_starts_with(name, "leave.");
    if ((!done && !waits && !leaves && !omptape_starts_with(name, "live.")) || !is_own(marks_fd, name))
        return 0;
    if (done)
        return add_name(&look->done, name);
    if (!is_owner_alive(marks_fd, name) || leaves)
        return 0;
    look->at_work += !waits;
    return waits ? add_name(&look->waits, name) : 0;
}

/* Reads the marks: lists the finished process archives and counts the running processes. */
static int read_marks(const struct omptape_job_marks *marks, struct marks_seen *look)
{
    *look = (struct marks_seen){.at_work = 0};
    int folder = open_marks(marks->folder, false);
    if (folder < 0)
        return folder;
    const struct dirent *entry;
    DIR *entries = omptape_beneath_list(folder, ".");
    int error = entries != NULL ? 0 : -errno;
    close(folder);
    while (entries != NULL && error == 0 && (entry = readdir(entries)) != NULL)
        error = read_mark(look, dirfd(entries), entry->d_name);
    omptape_close_list(entries);
    for (size_t at = 0; at < look->waits.bytes; at += strlen(look->waits.text + at) + 1)
        look->at_work += !has_rank(&look->done, look->waits.text + at);
    return error;
}

static void remove_names(const struct omptape_job_marks *marks, const struct mark_names *names)
{
    int folder = open_marks(marks->folder, false);
    for (size_t at = 0; folder >= 0 && at < names->bytes; at += strlen(names->text + at) + 1)
        (void)omptape_beneath_remove(folder, names->text + at);
    omptape_close(folder);
}

static void explain_failure(const char *path, int error, char *why)
{
    const int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return;
    omptape_beneath_explain(folder, marks_folder, error, why, OMPTAPE_BENEATH_WHY_BYTES);
    close(folder);
}

void omptape_job_marks_enter(struct omptape_job_marks *marks, const char *folder, int32_t rank, bool waits,
                             char *why)
{
    snprintf(marks->folder, sizeof(marks->folder), "%s", folder);
    marks->rank = rank;
    marks->kind = waits ? "wait" : "live";
    const int error = make_mark(marks, marks->kind);
    marks->entered = error == 0;
    why[0] = '\0';
    if (error != 0)
        explain_failure(folder, error, why);
}

/* Reads the marks once and unifies if no process is running. Returns 1 if it unified, and the marks must be
 * read again. Returns 0 if there was nothing to do, -EBUSY if another process is unifying, or -EIO. */
static int unify_if_last(const struct omptape_job_marks *marks, omptape_job_unify_t unify, void *context)
{
    struct marks_seen look;
    int result = 0;
    if (read_marks(marks, &look) == 0 && look.at_work == 0 && look.done.bytes > 0) {
        int error = unify != NULL ? unify(context, marks->folder) : 0;
        result = error == 0 ? unify != NULL : error == -EBUSY ? error : -EIO;
        if (result >= 0)
            remove_names(marks, &look.done);
    }
    free(look.done.text);
    free(look.waits.text);
    return result;
}

/* Removes the folder of marks if it is empty. Returns true for the one process that removed it: the last one.
 */
static bool remove_folder(const struct omptape_job_marks *marks)
{
    int folder = omptape_named_folder_open(marks->folder);
    if (folder < 0)
        return false;
    bool removed = omptape_beneath_remove_folder(folder, marks_folder) == 0;
    if (removed)
        omptape_job_folder_make_claim_permanent(folder);
    close(folder);
    return removed;
}

enum omptape_job_left omptape_job_marks_leave(struct omptape_job_marks *marks, omptape_job_unify_t unify,
                                              void *context)
{
    if (!marks->entered)
        return OMPTAPE_JOB_GOES_ON;
    marks->entered = false;
    bool wrote = strcmp(marks->kind, "live") == 0;
    /* Keeps the child that unifies from removing the folder of marks (omptape_job_marks_remove_stale). */
    (void)make_mark(marks, "leave");
    int again = !wrote || make_mark(marks, "done") == 0;
    remove_mark(marks, marks->kind);
    for (int i = 0; (again > 0 && i < MAX_ATTEMPTS) || (again == -EBUSY && i < MAX_WAITS); i++) {
        if (again == -EBUSY)
            nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
        again = unify_if_last(marks, unify, context);
    }
    remove_mark(marks, "leave");
    if (again == -EBUSY || (!remove_folder(marks) && again >= 0))
        return OMPTAPE_JOB_GOES_ON;
    return again < 0 || unify == NULL ? OMPTAPE_JOB_OVER : OMPTAPE_JOB_UNIFIED;
}

void omptape_job_marks_abandon(struct omptape_job_marks *marks)
{
    if (!marks->entered)
        return;
    marks->entered = false;
    remove_mark(marks, marks->kind);
    remove_folder(marks);
}

static void report_other_host(int marks, const char *name, omptape_job_other_host_t found, void *context)
{
    char who[OMPTAPE_CLAIM_BYTES];
    int rank;
    if (sscanf(name, "live.%d.", &rank) != 1 ||
        !omptape_beneath_read_own_link(marks, name, who, sizeof(who)) ||
        omptape_claim_owner_of(who) != OMPTAPE_CLAIM_OTHER_HOST)
        return;
    who[strcspn(who, ":")] = '\0';
    found(context, rank, who);
}

void omptape_job_marks_on_other_hosts(const char *folder, omptape_job_other_host_t found, void *context)
{
    const int marks = open_marks(folder, false);
    const struct dirent *entry;
    DIR *entries = marks >= 0 ? omptape_beneath_list(marks, ".") : NULL;
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        report_other_host(marks, entry->d_name, found, context);
    omptape_close_list(entries);
    if (marks >= 0)
        close(marks);
}

/* Returns true if the mark's owner may still be running. Removes another user's mark and returns false. */
static bool may_be_alive(int marks, const char *name)
{
    static const double max_age_s = 120;
    char who[OMPTAPE_CLAIM_BYTES];
    if (!is_own(marks, name))
        return false;
    const enum omptape_claim_owner owner = omptape_claim_read(marks, name, who, sizeof(who));
    return owner == OMPTAPE_CLAIM_ALIVE ||
           (owner == OMPTAPE_CLAIM_OTHER_HOST && omptape_claim_age(marks, name) < max_age_s);
}

void omptape_job_marks_remove_stale(int folder)
{
    const int marks = omptape_beneath_open_own_folder(folder, marks_folder);
    const struct dirent *entry;
    bool alive = false;
    DIR *entries = marks >= 0 ? omptape_beneath_list(marks, ".") : NULL;
    while (entries != NULL && !alive && (entry = readdir(entries)) != NULL)
        alive = entry->d_name[0] != '.' && may_be_alive(marks, entry->d_name);
    if (entries != NULL && !alive) {
        rewinddir(entries);
        while ((entry = readdir(entries)) != NULL)
            if (entry->d_name[0] != '.' && !may_be_alive(marks, entry->d_name))
                (void)omptape_beneath_remove(marks, entry->d_name);
        (void)omptape_beneath_remove_folder(folder, marks_folder);
    }
    omptape_close_list(entries);
    omptape_close(marks);
}
