/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Marks of a job's processes. Called by the writer's main thread and by the command.
 *
 * Why the last one never goes unnoticed: each makes its "done" before it removes its other mark, and looks at
 * the others only after that. So of several that leave at once, the one whose mark went last sees none.
 * Whoever unified looks again for what ended meanwhile.
 */
#include "src/job/marks.h"

#include "src/core/array.h"
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
enum { NAME_BYTES = 64, MOST_ATTEMPTS = 100 };
/* For whoever else unifies at the moment: half a minute. */
enum { WAIT_MS = 20, MOST_WAITS = 1500 };

/* Names of marks, each ended by a zero. */
struct mark_names {
    char *text;
    uint32_t bytes;
    uint32_t capacity;
};

struct marks_seen {
    struct mark_names done;
    struct mark_names waits; /* commands that are alive */
    size_t at_work;
};

static void name_mark(const struct omptape_job_marks *marks, const char *kind, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s.%d.%d", kind, (int)marks->rank, (int)getpid());
}

/* The folder of marks, of the job's `folder`; with `make` it is made. */
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
    if (marks >= 0)
        close(marks);
    return waits;
}

/* The folder of marks goes when it is empty, maybe at this moment. */
static int make_mark(const struct omptape_job_marks *marks, const char *kind)
{
    char name[NAME_BYTES];
    int error = -ENOENT;
    name_mark(marks, kind, name, sizeof(name));
    for (int i = 0; error != 0 && i < MOST_ATTEMPTS; i++) {
        int folder = open_marks(marks->folder, true);
        if (folder == -ENOENT)
            continue;
        if (folder < 0)
            return folder;
        error = omptape_claim_make(folder, name);
        if (error == -EEXIST && omptape_claim_check(folder, name) == 0)
            error = 0;
        /* A dead process of this number was of the same rank. */
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

/* Another user's mark counts for nothing. */
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

/* Is there a mark of the same rank, "....RANK."? */
static bool has_rank(const struct mark_names *names, const char *mark)
{
    size_t length = strcspn(mark + 5, ".") + 1;
    for (size_t at = 0; at < names->bytes; at += strlen(names->text + at) + 1)
        if (strncmp(names->text + at + 5, mark + 5, length) == 0)
            return true;
    return false;
}

static int take_mark(struct marks_seen *look, int marks_fd, const char *name)
{
    bool done = strncmp(name, "done.", 5) == 0;
    bool waits = strncmp(name, "wait.", 5) == 0;
    bool leaves = strncmp(name, "leave.", 6) == 0;
    if ((!done && !waits && !leaves && strncmp(name, "live.", 5) != 0) || !is_own(marks_fd, name))
        return 0;
    if (done)
        return add_name(&look->done, name);
    if (!is_owner_alive(marks_fd, name) || leaves)
        return 0;
    look->at_work += !waits;
    return waits ? add_name(&look->waits, name) : 0;
}

/* Lists what is done, and counts who is at work. */
static int look_at_marks(const struct omptape_job_marks *marks, struct marks_seen *look)
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
        error = take_mark(look, dirfd(entries), entry->d_name);
    if (entries != NULL)
        closedir(entries);
    for (size_t at = 0; at < look->waits.bytes; at += strlen(look->waits.text + at) + 1)
        look->at_work += !has_rank(&look->done, look->waits.text + at);
    return error;
}

static void remove_names(const struct omptape_job_marks *marks, const struct mark_names *names)
{
    int folder = open_marks(marks->folder, false);
    for (size_t at = 0; folder >= 0 && at < names->bytes; at += strlen(names->text + at) + 1)
        (void)omptape_beneath_remove(folder, names->text + at);
    if (folder >= 0)
        close(folder);
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

/* One look at the others, and one unification if nobody else is at work. 1: look again; 0: nothing to do;
 * -EBUSY: somebody else is at it, maybe not with all; or -EIO: it failed. */
static int unify_if_last(const struct omptape_job_marks *marks, omptape_job_unify_t unify, void *context)
{
    struct marks_seen look;
    int result = 0;
    if (look_at_marks(marks, &look) == 0 && look.at_work == 0 && look.done.bytes > 0) {
        int error = unify != NULL ? unify(context, marks->folder) : 0;
        result = error == 0 ? unify != NULL : error == -EBUSY ? error : -EIO;
        if (result >= 0)
            remove_names(marks, &look.done);
    }
    free(look.done.text);
    free(look.waits.text);
    return result;
}

/* The folder of marks goes with the last of them: whoever removes it is the last. */
static bool remove_folder(const struct omptape_job_marks *marks)
{
    int folder = omptape_named_folder_open(marks->folder);
    if (folder < 0)
        return false;
    bool removed = omptape_beneath_remove_folder(folder, marks_folder) == 0;
    if (removed)
        omptape_job_folder_settle(folder);
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
    /* Where no mark's owner is alive, a unification removes the folder, which tells who is the last. */
    (void)make_mark(marks, "leave");
    int again = !wrote || make_mark(marks, "done") == 0;
    remove_mark(marks, marks->kind);
    for (int i = 0; (again > 0 && i < MOST_ATTEMPTS) || (again == -EBUSY && i < MOST_WAITS); i++) {
        if (again == -EBUSY)
            nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
        again = unify_if_last(marks, unify, context);
    }
    remove_mark(marks, "leave");
    if (again == -EBUSY || (!remove_folder(marks) && again >= 0))
        return OMPTAPE_JOB_GOES_ON;
    return again < 0 || unify == NULL ? OMPTAPE_JOB_OVER : OMPTAPE_JOB_UNIFIED;
}

void omptape_job_marks_give_up(struct omptape_job_marks *marks)
{
    if (!marks->entered)
        return;
    marks->entered = false;
    remove_mark(marks, marks->kind);
    remove_folder(marks);
}

/* May the process that made this mark still be at work? Another user's mark counts for nothing. */
static bool may_be_alive(int marks, const char *name)
{
    static const double patience_s = 120;
    char who[OMPTAPE_CLAIM_BYTES];
    if (!is_own(marks, name))
        return false;
    const enum omptape_claim_owner owner = omptape_claim_read(marks, name, who, sizeof(who));
    return owner == OMPTAPE_CLAIM_ALIVE ||
           (owner == OMPTAPE_CLAIM_ELSEWHERE && omptape_claim_age(marks, name) < patience_s);
}

void omptape_job_marks_tidy(int folder)
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
    if (entries != NULL)
        closedir(entries);
    if (marks >= 0)
        close(marks);
}
