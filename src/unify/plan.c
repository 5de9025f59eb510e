/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes, decides and completes plans (plan.h), with the lock held; each step may have been done before by a
 * process that was killed.
 */
#include "src/unify/plan.h"

#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/unify/files.h"
#include "src/unify/search.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGING_PREFIX ".omptape-unify-staging-"
#define DECIDED OMPTAPE_UNIFY_DECIDED
#define FIRST_LINE "omptape-unify 2"
#define LAST_LINE "end"

enum { LINE_BYTES = 3 * OMPTAPE_UNIFY_PATH_BYTES };

void omptape_unify_staging_name(char *name, size_t bytes, long pid)
{
    snprintf(name, bytes, STAGING_PREFIX "%ld", pid);
}

/* A name on a line of its own: what is no plain character is written as %XX. */
static void put_name(FILE *file, const char *name)
{
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        if (c <= ' ' || c == '%' || c == 127)
            fprintf(file, "%%%02X", c);
        else
            fputc(c, file);
    }
}

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

/* What tells a part's anchor from any other that may come to have its name. */
struct anchor_identity {
    long long bytes;
    long long seconds;
    long nanoseconds;
};

static struct anchor_identity identity_of(const struct stat *anchor)
{
    return (struct anchor_identity){
        .bytes = anchor->st_size, .seconds = anchor->st_mtim.tv_sec, .nanoseconds = anchor->st_mtim.tv_nsec};
}

static void put_part(FILE *file, int folder, const char *part)
{
    struct stat status = {.st_size = -1};
    int inside = omptape_beneath_open_own_folder(folder, part);
    if (inside >= 0) {
        (void)omptape_beneath_status(inside, "trace.otf2", &status);
        close(inside);
    }
    struct anchor_identity own = identity_of(&status);
    fprintf(file, "part %lld %lld %ld ", own.bytes, own.seconds, own.nanoseconds);
    put_name(file, part);
    fputc('\n', file);
}

int omptape_unify_plan_write(const struct omptape_unify_model *model, int folder, int staging)
{
    int descriptor = omptape_beneath_create(staging, "plan");
    if (descriptor < 0)
        return descriptor;
    FILE *file = fdopen(descriptor, "w");
    if (file == NULL) {
        close(descriptor);
        return -ENOMEM;
    }
    fprintf(file, FIRST_LINE "\nlocations %u\n", (unsigned)model->location_count);
    for (uint32_t i = 0; i < model->location_count; i++) {
        const struct omptape_unify_location *location = &model->locations[i];
        const char *part = model->parts[location->part].folder;
        if (part[0] == '\0' || !location->has_events)
            continue;
        fprintf(file, "move %u %llu ", (unsigned)i, (unsigned long long)location->old);
        put_name(file, part);
        fputc('\n', file);
    }
    for (uint32_t i = 0; i < model->part_count; i++)
        if (model->parts[i].folder[0] != '\0')
            put_part(file, folder, model->parts[i].folder);
    fprintf(file, LAST_LINE "\n");
    int result = fflush(file) == 0 && fsync(fileno(file)) == 0 ? 0 : -EIO;
    return fclose(file) == 0 ? result : -EIO;
}

int omptape_unify_plan_decide(int folder, int staging, const char *name,
                              struct omptape_unify_progress *progress)
{
    /* After a power cut the decision must not be there without what it is about. */
    omptape_unify_progress_step(progress, "threads on the disk", progress->total);
    int events = omptape_beneath_open_own_folder(staging, "trace");
    int result = events < 0 ? events : omptape_unify_sync_all(events, progress);
    if (events >= 0)
        close(events);
    if (result == 0)
        result = omptape_unify_sync_all(staging, progress);
    if (result == 0)
        result = omptape_beneath_rename(folder, name, folder, DECIDED);
    return result == 0 ? omptape_unify_sync(folder) : result;
}

bool omptape_unify_plan_pending(int folder)
{
    struct stat status;
    return omptape_beneath_status(folder, DECIDED, &status) == 0 &&
           (!S_ISDIR(status.st_mode) || omptape_beneath_is_there(folder, DECIDED "/plan"));
}

/* What is moved goes from folder to folder, each held open from the beginning to the end. */
struct completion {
    int folder;
    int events;         /* trace in it */
    int decided;        /* DECIDED in it, */
    int decided_events; /* ...and trace in that */
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

/* Moves `from` to `to`, unless an earlier attempt did. */
static int move_once(struct completion *completion, int from_folder, const char *from, int to_folder,
                     const char *to)
{
    int result =
        omptape_unify_move(from_folder, from, to_folder, to, completion->copied, completion->progress);
    completion->progress->done++;
    omptape_unify_progress_beat(completion->progress);
    if (result == -ENOENT && omptape_beneath_is_there(to_folder, to))
        return 0;
    return result == 0 ? 0 : explain_failure(completion, from_folder, from, result);
}

/* A plan that anybody else wrote must not reach outside the folder. */
static bool is_part_name(const char *name)
{
    return name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int wrong_plan(struct completion *completion)
{
    snprintf(completion->what, completion->bytes, "its plan " DECIDED "/plan is damaged");
    return -EINVAL;
}

static int move_events(struct completion *completion, char *words)
{
    char path[OMPTAPE_UNIFY_PATH_BYTES + 64];
    char from[64];
    char to[64];
    unsigned number;
    unsigned long long old;
    int end = 0;
    if (sscanf(words, "%u %llu %n", &number, &old, &end) != 2)
        return wrong_plan(completion);
    read_name(words + end);
    if (!is_part_name(words + end))
        return wrong_plan(completion);
    snprintf(from, sizeof(from), "%llu.evt", old);
    snprintf(to, sizeof(to), "%u.evt", number);
    snprintf(path, sizeof(path), "%s/trace", words + end);
    int events = omptape_beneath_open_own_folder(completion->folder, path);
    /* An earlier attempt may have come so far that it removed the part. */
    if (events == -ENOENT && omptape_beneath_is_there(completion->events, to))
        return 0;
    if (events < 0)
        return explain_failure(completion, completion->folder, path, events);
    int result = move_once(completion, events, from, completion->events, to);
    close(events);
    return result;
}

static int move_definitions(struct completion *completion, unsigned long count)
{
    int result = 0;
    completion->decided_events = omptape_beneath_open_own_folder(completion->decided, "trace");
    if (completion->decided_events < 0)
        return count == 0
                   ? 0
                   : explain_failure(completion, completion->decided, "trace", completion->decided_events);
    for (unsigned long i = 0; result == 0 && i < count; i++) {
        char name[64];
        snprintf(name, sizeof(name), "%lu.def", i);
        result = move_once(completion, completion->decided_events, name, completion->events, name);
    }
    return result;
}

/* A writer that was killed when its archive was complete left its claim. One that just looks whether it can
 * have the folder must not lose its own. */
static void remove_claim(int part)
{
    if (!omptape_unify_is_claimed(part, true))
        (void)omptape_beneath_remove(part, OMPTAPE_WRITER_CLAIM);
}

/* The files that were only one part's are of no use now that its events are elsewhere. Its anchor goes last:
 * as long as it is there no writer takes the folder. */
static void remove_part(int folder, const char *part, const struct anchor_identity *identity)
{
    struct stat status;
    int inside = omptape_beneath_open_own_folder(folder, part);
    if (inside < 0)
        return;
    struct anchor_identity now = {.bytes = -1};
    if (omptape_beneath_status(inside, "trace.otf2", &status) == 0)
        now = identity_of(&status);
    if (now.bytes == identity->bytes && now.seconds == identity->seconds &&
        now.nanoseconds == identity->nanoseconds) {
        int events = omptape_beneath_open_own_folder(inside, "trace");
        (void)omptape_beneath_remove(inside, "trace.def");
        (void)omptape_beneath_remove(inside, "trace.marker");
        remove_claim(inside);
        if (events >= 0) {
            omptape_unify_remove_files(events, ".def");
            close(events);
        }
        (void)omptape_beneath_remove_folder(inside, "trace");
        (void)omptape_beneath_remove(inside, "trace.otf2");
    }
    close(inside);
    (void)omptape_beneath_remove_folder(folder, part);
}

/* Goes through the plan: the lines of one kind. */
static int walk_lines(struct completion *completion, FILE *plan, const char *kind,
                      int (*step)(struct completion *, char *))
{
    char line[LINE_BYTES];
    size_t length = strlen(kind);
    int result = 0;
    rewind(plan);
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
    struct anchor_identity identity;
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

/* The line comes before those of what is to be moved. */
static int count_files(struct completion *completion, char *words)
{
    const uint32_t several = 2; /* events and definitions */
    omptape_unify_progress_step(completion->progress, "files moved",
                                several * (uint32_t)strtoul(words, NULL, 10));
    return 0;
}

static int take_definitions(struct completion *completion, char *words)
{
    return move_definitions(completion, strtoul(words, NULL, 10));
}

/* The anchor goes away first and comes last: without it nobody takes what is in between for an archive. */
static int move_all(struct completion *completion, FILE *plan)
{
    static const char anchor[] = "trace.otf2";
    int folder = completion->folder;
    int decided = completion->decided;
    if (!omptape_beneath_is_there(decided, anchor))
        return 0; /* all but the last step was done before */
    int result = omptape_beneath_remove(folder, anchor);
    if (result != 0 && result != -ENOENT)
        return explain_failure(completion, folder, anchor, result);
    result = walk_lines(completion, plan, "locations", count_files);
    if (result == 0)
        result = walk_lines(completion, plan, "move", move_events);
    if (result == 0)
        result = walk_lines(completion, plan, "locations", take_definitions);
    if (result == 0)
        result = move_once(completion, decided, "trace.def", folder, "trace.def");
    if (result == 0 && omptape_beneath_is_there(decided, "trace.marker"))
        result = move_once(completion, decided, "trace.marker", folder, "trace.marker");
    return result == 0 ? move_once(completion, decided, anchor, folder, anchor) : result;
}

/* With all folders open. */
static int follow_plan(struct completion *completion, FILE *plan)
{
    int result = move_all(completion, plan);
    /* What is moved must have its new name on the disk before its old place goes. */
    if (result == 0) {
        result = omptape_unify_sync(completion->events);
        if (result != 0)
            return explain_failure(completion, completion->folder, "trace", result);
        result = omptape_unify_sync(completion->folder);
    }
    return result == 0 ? walk_lines(completion, plan, "part", drop_part) : result;
}

/* One that was cut short would lose what it does not name. */
static bool is_whole(FILE *plan)
{
    char line[LINE_BYTES];
    bool begun = fgets(line, sizeof(line), plan) != NULL && strcmp(line, FIRST_LINE "\n") == 0;
    bool ended = false;
    while (begun && fgets(line, sizeof(line), plan) != NULL)
        ended = strcmp(line, LAST_LINE "\n") == 0;
    return ended;
}

/* Opens the plan and the folders; NULL with an error in *result. */
static FILE *open_plan(struct completion *completion, int *result)
{
    completion->decided = omptape_beneath_open_own_folder(completion->folder, DECIDED);
    if (completion->decided < 0) {
        *result = explain_failure(completion, completion->folder, DECIDED, completion->decided);
        return NULL;
    }
    int plan = omptape_beneath_open_own_file(completion->decided, "plan");
    if (plan < 0) {
        *result = explain_failure(completion, completion->folder, DECIDED "/plan", plan);
        return NULL;
    }
    completion->events = omptape_beneath_make_folder(completion->folder, "trace", NULL);
    FILE *file = completion->events >= 0 ? fdopen(plan, "r") : NULL;
    if (file == NULL) {
        *result = explain_failure(completion, completion->folder, "trace",
                                  completion->events < 0 ? completion->events : -ENOMEM);
        close(plan);
    }
    return file;
}

int omptape_unify_plan_complete(int folder, struct omptape_unify_progress *progress, bool *copied, char *what,
                                size_t bytes)
{
    struct completion completion = {folder, -1, -1, -1, progress, copied, what, bytes};
    char staging[64];
    int result = 0;
    FILE *plan = open_plan(&completion, &result);
    if (plan != NULL) {
        result = is_whole(plan) ? follow_plan(&completion, plan) : wrong_plan(&completion);
        fclose(plan);
    }
    const int opened[] = {completion.decided_events, completion.decided, completion.events};
    for (size_t i = 0; i < sizeof(opened) / sizeof(opened[0]); i++)
        if (opened[i] >= 0)
            close(opened[i]);
    if (result != 0)
        return result;
    omptape_unify_staging_name(staging, sizeof(staging), getpid());
    result = omptape_beneath_rename(folder, DECIDED, folder, staging);
    if (result != 0)
        return explain_failure(&completion, folder, DECIDED, result);
    omptape_unify_remove_tree(folder, staging);
    return 0;
}

void omptape_unify_plan_tidy(int folder)
{
    DIR *entries = omptape_beneath_list(folder, ".");
    const struct dirent *entry;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL)
        if (strncmp(entry->d_name, STAGING_PREFIX, strlen(STAGING_PREFIX)) == 0)
            omptape_unify_remove_tree(folder, entry->d_name);
    closedir(entries);
}
