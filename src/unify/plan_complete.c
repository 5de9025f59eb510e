/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Completes decided plans (plan.h); the caller holds the lock. Every step may already have been done by a
 * process that was killed.
 */
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/unify/files.h"
#include "src/unify/plan.h"
#include "src/unify/search.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 3 * OMPTAPE_UNIFY_PATH_BYTES };

static void read_name(char *name)
{
    char *to = name;
    for (const char *at = name; *at != '\0'; at++) {
        if (at[0] == '%' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2])) {
            const char digits[] = {at[1], at[2], '\0'};
            *to++ = (char)strtoul(digits, NULL, 16);
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* State of one completion. All folders stay open from the beginning to the end. */
struct completion {
    int folder;
    int events;  /* descriptor of the folder's event files, -1 before it is opened */
    int decided; /* descriptor of OMPTAPE_UNIFY_DECIDED */
    struct omptape_unify_progress *progress;
    bool *copied;
    char *what;
    size_t bytes;
};

static int explain_failure(struct completion *completion, int folder, const char *name, int error)
{
    omptape_beneath_explain(folder, name, error, completion->what, completion->bytes);
    return error;
}

/* Moves `from` to `to`. Returns 0 also if an earlier attempt has already moved it. */
static int move_once(struct completion *completion, int from_folder, const char *from, int to_folder,
                     const char *to)
{
    int result =
        omptape_unify_move(from_folder, from, to_folder, to, completion->copied, completion->progress);
    completion->progress->done++;
    omptape_unify_progress_update(completion->progress);
    if (result == -ENOENT && omptape_beneath_is_there(to_folder, to))
        return 0;
    return result == 0 ? 0 : explain_failure(completion, from_folder, from, result);
}

/* Returns true if the name has no '/' and is not "." or "..". Forged plans must not leave the folder. */
static bool is_part_name(const char *name)
{
    return name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int wrong_plan(struct completion *completion)
{
    snprintf(completion->what, completion->bytes, "its plan " OMPTAPE_UNIFY_DECIDED "/plan is damaged");
    return -EINVAL;
}

/* Returns true if the path has the form PART/EVENTS. */
static bool is_source(const char *path)
{
    char part[OMPTAPE_UNIFY_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    snprintf(part, sizeof(part), "%.*s", (int)(slash != NULL ? slash - path : 0), path);
    return slash != NULL && strcmp(slash + 1, OMPTAPE_ARCHIVE_EVENTS) == 0 && is_part_name(part);
}

/* Moves a location's file of profile sums, if there is one. The file refers to archive numbers by the
 * location's definitions (src/analysis/reduce/profile.h), so its contents stay valid. */
static int move_sums(struct completion *completion, int events, unsigned long long old,
                     unsigned long long number)
{
    char from[64];
    char to[64];
    snprintf(from, sizeof(from), "%llu.sums", old);
    snprintf(to, sizeof(to), "%llu.sums", number);
    int result =
        omptape_unify_move(events, from, completion->events, to, completion->copied, completion->progress);
    return result == 0 || result == -ENOENT ? 0 : explain_failure(completion, events, from, result);
}

static int move_events(struct completion *completion, char *words)
{
    char from[64];
    char to[64];
    unsigned long long number;
    unsigned long long old;
    int end = 0;
    if (sscanf(words, "%llu %llu %n", &number, &old, &end) != 2)
        return wrong_plan(completion);
    const char *path = words + end;
    read_name(words + end);
    if (!is_source(path))
        return wrong_plan(completion);
    snprintf(from, sizeof(from), "%llu.evt", old);
    snprintf(to, sizeof(to), "%llu.evt", number);
    int events = omptape_beneath_open_own_folder(completion->folder, path);
    /* An earlier attempt may already have removed the part. */
    if (events == -ENOENT && omptape_beneath_is_there(completion->events, to))
        return 0;
    if (events < 0)
        return explain_failure(completion, completion->folder, path, events);
    int result = move_once(completion, events, from, completion->events, to);
    if (result == 0)
        result = move_sums(completion, events, old, number);
    close(events);
    return result;
}

/* Moves the definition files that one scan of the folder lists. Returns their number, or negative errno. */
static int move_listed(struct completion *completion, DIR *entries)
{
    const struct dirent *entry;
    int count = 0;
    int result = 0;
    rewinddir(entries);
    while (result == 0 && (entry = readdir(entries)) != NULL) {
        size_t digits = strspn(entry->d_name, "0123456789");
        if (digits == 0 || strcmp(entry->d_name + digits, ".def") != 0)
            continue;
        result = move_once(completion, dirfd(entries), entry->d_name, completion->events, entry->d_name);
        count++;
    }
    return result != 0 ? result : count;
}

/* Moves all definition files. Repeats until it is empty, as some file systems skip names during moves. */
static int move_definitions(struct completion *completion)
{
    DIR *entries = omptape_beneath_list(completion->decided, OMPTAPE_ARCHIVE_EVENTS);
    int result = 1;
    if (entries == NULL)
        return errno == ENOENT
                   ? 0
                   : explain_failure(completion, completion->decided, OMPTAPE_ARCHIVE_EVENTS, -errno);
    while (result > 0)
        result = move_listed(completion, entries);
    closedir(entries);
    return result;
}

/* Removes the claim of a writer that was killed after its archive was complete. Keeps the claim of a live
 * writer that is still checking whether it can use the folder. */
static void remove_claim(int part)
{
    if (!omptape_unify_is_claimed(part, true))
        (void)omptape_beneath_remove(part, OMPTAPE_WRITER_CLAIM);
}

/* Removes a part's remaining files after its events have been moved. The anchor is removed last, because no
 * writer takes the folder while it exists. */
static void remove_part(int folder, const char *part, const struct omptape_plan_identity *identity)
{
    struct stat status;
    int inside = omptape_beneath_open_own_folder(folder, part);
    if (inside < 0)
        return;
    struct omptape_plan_identity now = {.bytes = -1};
    if (omptape_beneath_status(inside, OMPTAPE_ARCHIVE_ANCHOR, &status) == 0)
        now = omptape_plan_identity_of(&status);
    if (now.bytes == identity->bytes && now.seconds == identity->seconds &&
        now.nanoseconds == identity->nanoseconds) {
        int events = omptape_beneath_open_own_folder(inside, OMPTAPE_ARCHIVE_EVENTS);
        (void)omptape_beneath_remove(inside, OMPTAPE_ARCHIVE_DEFINITIONS);
        (void)omptape_beneath_remove(inside, OMPTAPE_ARCHIVE_MARKERS);
        remove_claim(inside);
        if (events >= 0) {
            omptape_unify_remove_files(events, ".def");
            close(events);
        }
        (void)omptape_beneath_remove_folder(inside, OMPTAPE_ARCHIVE_EVENTS);
        (void)omptape_beneath_remove(inside, OMPTAPE_ARCHIVE_ANCHOR);
    }
    close(inside);
    (void)omptape_beneath_remove_folder(folder, part);
}

/* Calls `step` for each line of the plan that starts with `kind`. */
static int walk_lines(struct completion *completion, FILE *plan, const char *kind,
                      int (*step)(struct completion *, char *))
{
    char line[LINE_BYTES];
    size_t length = strlen(kind);
    int result = fseek(plan, 0, SEEK_SET) == 0 ? 0 : -errno;
    while (result == 0 && fgets(line, sizeof(line), plan) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, kind, length) != 0 || line[length] != ' ')
            continue;
        result = step(completion, line + length + 1);
    }
    return result;
}

static int drop_part(struct completion *completion, char *words)
{
    struct omptape_plan_identity identity;
    int end = 0;
    if (sscanf(words, "%lld %lld %ld %n", &identity.bytes, &identity.seconds, &identity.nanoseconds, &end) !=
        3)
        return wrong_plan(completion);
    read_name(words + end);
    if (!is_part_name(words + end))
        return wrong_plan(completion);
    remove_part(completion->folder, words + end, &identity);
    return 0;
}

/* Sets the total of the progress. The "locations" line precedes all "move" lines. */
static int count_files(struct completion *completion, char *words)
{
    const uint32_t several = 2; /* events and definitions */
    omptape_unify_progress_step(completion->progress, "files moved",
                                several * (uint32_t)strtoul(words, NULL, 10));
    return 0;
}

static int open_events(struct completion *completion)
{
    completion->events = omptape_beneath_make_folder(completion->folder, OMPTAPE_ARCHIVE_EVENTS, NULL);
    return completion->events >= 0
               ? 0
               : explain_failure(completion, completion->folder, OMPTAPE_ARCHIVE_EVENTS, completion->events);
}

/* Moves all files of the plan. The anchor goes first and comes back last, so that no reader opens a part. */
static int move_all(struct completion *completion, FILE *plan)
{
    int folder = completion->folder;
    int decided = completion->decided;
    if (!omptape_beneath_is_there(decided, OMPTAPE_ARCHIVE_ANCHOR))
        return open_events(completion); /* an earlier attempt did all but the last step */
    int result = omptape_beneath_remove(folder, OMPTAPE_ARCHIVE_ANCHOR);
    if (result != 0 && result != -ENOENT)
        return explain_failure(completion, folder, OMPTAPE_ARCHIVE_ANCHOR, result);
    result = walk_lines(completion, plan, "locations", count_files);
    if (result == 0)
        result = open_events(completion);
    if (result == 0)
        result = walk_lines(completion, plan, "move", move_events);
    if (result == 0)
        result = move_definitions(completion);
    if (result == 0)
        result =
            move_once(completion, decided, OMPTAPE_ARCHIVE_DEFINITIONS, folder, OMPTAPE_ARCHIVE_DEFINITIONS);
    if (result == 0 && omptape_beneath_is_there(decided, OMPTAPE_ARCHIVE_MARKERS))
        result = move_once(completion, decided, OMPTAPE_ARCHIVE_MARKERS, folder, OMPTAPE_ARCHIVE_MARKERS);
    return result == 0
               ? move_once(completion, decided, OMPTAPE_ARCHIVE_ANCHOR, folder, OMPTAPE_ARCHIVE_ANCHOR)
               : result;
}

static int follow_plan(struct completion *completion, FILE *plan)
{
    int result = move_all(completion, plan);
    /* Moved files must have their new names on the disk before their old folders are removed. */
    if (result == 0) {
        result = omptape_unify_sync(completion->events);
        if (result != 0)
            return explain_failure(completion, completion->folder, OMPTAPE_ARCHIVE_EVENTS, result);
        result = omptape_unify_sync(completion->folder);
    }
    return result == 0 ? walk_lines(completion, plan, "part", drop_part) : result;
}

/* Returns true if the plan has its first and its last line. Completing a truncated plan would lose files. */
static bool is_whole(FILE *plan)
{
    char line[LINE_BYTES] = "";
    bool ended = false;
    const bool begun =
        fgets(line, sizeof(line), plan) != NULL && strcmp(line, OMPTAPE_PLAN_FIRST_LINE "\n") == 0;
    while (begun && fgets(line, sizeof(line), plan) != NULL)
        ended = strcmp(line, OMPTAPE_PLAN_LAST_LINE "\n") == 0;
    return ended;
}

/* Opens the plan and its folder. Returns NULL with an error in *result on failure. */
static FILE *open_plan(struct completion *completion, int *result)
{
    completion->decided = omptape_beneath_open_own_folder(completion->folder, OMPTAPE_UNIFY_DECIDED);
    if (completion->decided < 0) {
        *result = explain_failure(completion, completion->folder, OMPTAPE_UNIFY_DECIDED, completion->decided);
        return NULL;
    }
    int plan = omptape_beneath_open_own_file(completion->decided, "plan");
    if (plan < 0) {
        *result = explain_failure(completion, completion->folder, OMPTAPE_UNIFY_DECIDED "/plan", plan);
        return NULL;
    }
    FILE *file = fdopen(plan, "r");
    if (file == NULL) {
        *result = explain_failure(completion, completion->folder, OMPTAPE_UNIFY_DECIDED "/plan", -ENOMEM);
        close(plan);
    }
    return file;
}

int omptape_unify_plan_complete(int folder, struct omptape_unify_progress *progress, bool *copied, char *what,
                                size_t bytes)
{
    struct completion completion = {.folder = folder,
                                    .events = -1,
                                    .decided = -1,
                                    .progress = progress,
                                    .copied = copied,
                                    .what = what,
                                    .bytes = bytes};
    char staging[64];
    int result = 0;
    FILE *plan = open_plan(&completion, &result);
    if (plan != NULL) {
        result = is_whole(plan) ? follow_plan(&completion, plan) : wrong_plan(&completion);
        fclose(plan);
    }
    const int opened[] = {completion.decided, completion.events};
    for (size_t i = 0; i < sizeof(opened) / sizeof(opened[0]); i++)
        omptape_close(opened[i]);
    if (result != 0)
        return result;
    omptape_unify_staging_name(staging, sizeof(staging), getpid());
    result = omptape_beneath_rename(folder, OMPTAPE_UNIFY_DECIDED, folder, staging);
    if (result != 0)
        return explain_failure(&completion, folder, OMPTAPE_UNIFY_DECIDED, result);
    omptape_unify_remove_tree(folder, staging);
    return 0;
}
