/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes, decides and completes plans (plan.h). Called by omptape_unify with the lock held; each step may have
 * been done before by a process that was killed.
 */
#include "src/unify/plan.h"

#include "src/core/archive_files.h"
#include "src/core/checkpoint.h"
#include "src/unify/files.h"
#include "src/unify/search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAFT_PREFIX ".omptape-unify-draft-"
#define DECIDED OMPTAPE_UNIFY_DECIDED
#define FIRST_LINE "omptape-unify 2"

enum { LINE_BYTES = 3 * OMPTAPE_UNIFY_PATH_BYTES };

void omptape_unify_draft_name(char *name, size_t bytes, long pid)
{
    snprintf(name, bytes, DRAFT_PREFIX "%ld", pid);
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
        unsigned c;
        if (at[0] == '%' && sscanf(at + 1, "%2x", &c) == 1) {
            *to++ = (char)c;
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* What tells a part's anchor from any other that may come to have its name. */
struct identity {
    long long bytes;
    long long seconds;
    long nanoseconds;
};

static struct identity identity_of(const struct stat *anchor)
{
    return (struct identity){
        .bytes = anchor->st_size, .seconds = anchor->st_mtim.tv_sec, .nanoseconds = anchor->st_mtim.tv_nsec};
}

static void put_part(FILE *file, const char *dir, const char *part)
{
    char path[2 * OMPTAPE_UNIFY_PATH_BYTES];
    struct stat status = {.st_size = -1};
    snprintf(path, sizeof(path), "%s/%s/trace.otf2", dir, part);
    (void)!stat(path, &status);
    struct identity own = identity_of(&status);
    fprintf(file, "part %lld %lld %ld ", own.bytes, own.seconds, own.nanoseconds);
    put_name(file, part);
    fputc('\n', file);
}

int omptape_unify_plan_write(const struct omptape_unify_model *model, const char *dir, const char *draft)
{
    char path[OMPTAPE_UNIFY_PATH_BYTES];
    snprintf(path, sizeof(path), "%s/plan", draft);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return -errno;
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
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (model->parts[i].folder[0] != '\0')
            put_part(file, dir, model->parts[i].folder);
    }
    fprintf(file, "end\n");
    int result = fflush(file) == 0 && fsync(fileno(file)) == 0 ? 0 : -EIO;
    return fclose(file) == 0 ? result : -EIO;
}

int omptape_unify_plan_decide(int folder, const char *draft, struct omptape_unify_pulse *pulse)
{
    char events[128];
    snprintf(events, sizeof(events), "%s/trace", draft);
    /* After a power cut the decision must not be there without what it is about. */
    omptape_unify_pulse_step(pulse, "threads on the disk", pulse->total);
    int result = omptape_unify_sync_all(folder, events, pulse);
    if (result == 0)
        result = omptape_unify_sync_all(folder, draft, pulse);
    if (result == 0 && renameat(folder, draft, folder, DECIDED) != 0)
        result = -errno;
    return result == 0 ? omptape_unify_sync(folder, ".") : result;
}

bool omptape_unify_plan_pending(int folder)
{
    return faccessat(folder, DECIDED "/plan", F_OK, 0) == 0;
}

struct completion {
    int folder;
    struct omptape_unify_pulse *pulse;
    bool *copied;
    char *what;
    size_t bytes;
};

static int fail(struct completion *completion, int error, const char *name)
{
    snprintf(completion->what, completion->bytes, "%s", name);
    return error;
}

/* Moves `from` to `to`, unless an earlier attempt did. */
static int move(struct completion *completion, const char *from, const char *to)
{
    int result = omptape_unify_move(completion->folder, from, to, completion->copied, completion->pulse);
    completion->pulse->done++;
    omptape_unify_pulse_beat(completion->pulse);
    if (result == -ENOENT && faccessat(completion->folder, to, F_OK, 0) == 0)
        return 0;
    return result == 0 ? 0 : fail(completion, result, from);
}

/* A plan that anybody else wrote must not reach outside the folder. */
static bool is_part_name(const char *name)
{
    return name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int move_events(struct completion *completion, char *words)
{
    char from[OMPTAPE_UNIFY_PATH_BYTES + 64];
    char to[64];
    unsigned number;
    unsigned long long old;
    int end = 0;
    if (sscanf(words, "%u %llu %n", &number, &old, &end) != 2)
        return fail(completion, -EINVAL, DECIDED "/plan");
    read_name(words + end);
    if (!is_part_name(words + end))
        return fail(completion, -EINVAL, DECIDED "/plan");
    snprintf(from, sizeof(from), "%s/trace/%llu.evt", words + end, old);
    snprintf(to, sizeof(to), "trace/%u.evt", number);
    return move(completion, from, to);
}

static int move_definitions(struct completion *completion, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) {
        char from[64];
        char to[64];
        snprintf(from, sizeof(from), DECIDED "/trace/%lu.def", i);
        snprintf(to, sizeof(to), "trace/%lu.def", i);
        int result = move(completion, from, to);
        if (result != 0)
            return result;
    }
    return 0;
}

/* A writer that was killed when its archive was complete left its claim. One that just looks whether it can
 * have the folder must not lose its own. */
static void remove_claim(int part)
{
    if (!omptape_unify_is_claimed(part, true))
        unlinkat(part, OMPTAPE_WRITER_CLAIM, 0);
}

/* The files that were only one part's are of no use now that its events are elsewhere. Its anchor goes last:
 * as long as it is there no writer takes the folder. */
static void remove_part(int folder, const char *part, const struct identity *identity)
{
    struct stat status;
    int inside = openat(folder, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (inside < 0)
        return;
    struct identity now = {.bytes = -1};
    if (fstatat(inside, "trace.otf2", &status, 0) == 0)
        now = identity_of(&status);
    if (now.bytes == identity->bytes && now.seconds == identity->seconds &&
        now.nanoseconds == identity->nanoseconds) {
        unlinkat(inside, "trace.def", 0);
        unlinkat(inside, "trace.marker", 0);
        remove_claim(inside);
        omptape_unify_remove_files(inside, "trace", ".def");
        unlinkat(inside, "trace", AT_REMOVEDIR);
        unlinkat(inside, "trace.otf2", 0);
    }
    close(inside);
    /* A part on another file system may be a link. */
    if (unlinkat(folder, part, AT_REMOVEDIR) != 0 && errno == ENOTDIR && now.bytes == identity->bytes)
        unlinkat(folder, part, 0);
}

/* Goes through the plan: the lines of one kind. */
static int walk(struct completion *completion, FILE *plan, const char *kind,
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
    struct identity identity;
    int end = 0;
    if (sscanf(words, "%lld %lld %ld %n", &identity.bytes, &identity.seconds, &identity.nanoseconds, &end) !=
        3)
        return fail(completion, -EINVAL, DECIDED "/plan");
    read_name(words + end);
    if (!is_part_name(words + end))
        return fail(completion, -EINVAL, DECIDED "/plan");
    remove_part(completion->folder, words + end, &identity);
    return 0;
}

/* The line comes before those of what is to be moved. */
static int count_files(struct completion *completion, char *words)
{
    const uint32_t several = 2; /* events and definitions */
    omptape_unify_pulse_step(completion->pulse, "files moved", several * (uint32_t)strtoul(words, NULL, 10));
    return 0;
}

static int take_definitions(struct completion *completion, char *words)
{
    return move_definitions(completion, strtoul(words, NULL, 10));
}

/* The anchor goes away first and comes last: without it nobody takes what is in between for an archive. */
static int move_all(struct completion *completion, FILE *plan)
{
    int folder = completion->folder;
    if (faccessat(folder, DECIDED "/trace.otf2", F_OK, 0) != 0)
        return 0; /* all but the last step was done before */
    if (unlinkat(folder, "trace.otf2", 0) != 0 && errno != ENOENT)
        return fail(completion, -errno, "trace.otf2");
    if (mkdirat(folder, "trace", 0777) != 0 && errno != EEXIST)
        return fail(completion, -errno, "trace");
    int result = walk(completion, plan, "locations", count_files);
    if (result == 0)
        result = walk(completion, plan, "move", move_events);
    if (result == 0)
        result = walk(completion, plan, "locations", take_definitions);
    if (result == 0)
        result = move(completion, DECIDED "/trace.def", "trace.def");
    if (result != 0)
        return result;
    if (faccessat(folder, DECIDED "/trace.marker", F_OK, 0) == 0)
        result = move(completion, DECIDED "/trace.marker", "trace.marker");
    return result == 0 ? move(completion, DECIDED "/trace.otf2", "trace.otf2") : result;
}

int omptape_unify_plan_complete(int folder, struct omptape_unify_pulse *pulse, bool *copied, char *what,
                                size_t bytes)
{
    struct completion completion = {folder, pulse, copied, what, bytes};
    char draft[64];
    int descriptor = openat(folder, DECIDED "/plan", O_RDONLY | O_CLOEXEC);
    FILE *plan = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    if (plan == NULL)
        return fail(&completion, -errno, DECIDED "/plan");
    int result = move_all(&completion, plan);
    /* What is moved must have its new name on the disk before its old place goes. */
    if (result == 0 && omptape_unify_sync(folder, "trace") != 0)
        result = fail(&completion, -EIO, "trace");
    if (result == 0)
        result = omptape_unify_sync(folder, ".");
    if (result == 0)
        result = walk(&completion, plan, "part", drop_part);
    fclose(plan);
    if (result != 0)
        return result;
    omptape_unify_draft_name(draft, sizeof(draft), getpid());
    if (renameat(folder, DECIDED, folder, draft) != 0)
        return fail(&completion, -errno, DECIDED);
    omptape_unify_remove_tree(folder, draft);
    return 0;
}

void omptape_unify_plan_tidy(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again >= 0 ? fdopendir(again) : NULL;
    const struct dirent *entry;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, DRAFT_PREFIX, strlen(DRAFT_PREFIX)) == 0)
            omptape_unify_remove_tree(folder, entry->d_name);
    }
    closedir(entries);
}

int omptape_unify_set_aside(int folder, char *name, size_t bytes)
{
    enum { MOST = 1000 };
    static const char *const names[] = {"trace", "trace.def", "trace.marker", OMPTAPE_CHECKPOINT_FILE,
                                        OMPTAPE_WRITER_CLAIM};
    int made = -1;
    for (unsigned i = 1; made != 0 && i < MOST; i++) {
        snprintf(name, bytes, "unfinished-%u", i);
        made = mkdirat(folder, name, 0777);
        if (made != 0 && errno != EEXIST)
            return -errno;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char to[128];
        snprintf(to, sizeof(to), "%s/%s", name, names[i]);
        if (renameat(folder, names[i], folder, to) != 0 && errno != ENOENT)
            return -errno;
    }
    return made != 0 ? -EEXIST : 0;
}
