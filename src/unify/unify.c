/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The course of a unification (unify.h): lock, complete what a killed process had begun, find the parts,
 * prepare the archive, decide, move. Called on one thread.
 */
#include "src/unify/unify.h"

#include "src/core/archive_files.h"
#include "src/core/claim.h"
#include "src/folder/beneath.h"
#include "src/unify/draft.h"
#include "src/unify/files.h"
#include "src/unify/lock.h"
#include "src/unify/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 2048 };

struct course {
    const char *dir;
    const struct omptape_unify_options *options;
    int folder;
    char *message;
    size_t bytes;
    bool copied;
    bool worked; /* a plan was completed */
    int draft;   /* the folder in which the archive is prepared, or -1 */
    struct omptape_unify_pulse pulse;
    struct omptape_unify_offsets offsets;
    struct omptape_unify_outcome outcome; /* of the last draft */
};

/* Names of folders may hold anything, a terminal's commands too. */
static void make_plain(char *line)
{
    for (; *line != '\0'; line++)
        if ((unsigned char)*line < ' ' || *line == 127)
            *line = '?';
}

static int say(const struct course *course, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int say(const struct course *course, int result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(course->message, course->bytes, format, arguments);
    va_end(arguments);
    make_plain(course->message);
    return result;
}

/* An empty line is none. */
static void tell(const struct course *course, void (*listener)(void *data, const char *line), char *line)
{
    if (listener == NULL || line[0] == '\0')
        return;
    make_plain(line);
    listener(course->options->data, line);
}

static void tell_of_part(const struct course *course, const struct omptape_unify_found *found)
{
    const char *slash = found->folder[0] != '\0' ? "/" : "";
    char line[LINE_BYTES];
    if (found->note != NULL) {
        snprintf(line, sizeof(line), "%s%s%s: %s", course->dir, slash, found->folder, found->note);
        tell(course, course->options->note, line);
    }
    if (found->why != NULL && !found->ignored) {
        snprintf(line, sizeof(line), "%s%s%s is left as it is: %s", course->dir, slash, found->folder,
                 found->why);
        tell(course, course->options->say, line);
    }
}

static int complete(struct course *course)
{
    char what[LINE_BYTES] = "";
    int result =
        omptape_unify_plan_complete(course->folder, &course->pulse, &course->copied, what, sizeof(what));
    if (result != 0)
        return say(course, result, "cannot unify %.300s: %.600s; omptape unify %.300s goes on from there",
                   course->dir, what, course->dir);
    course->worked = true;
    return 0;
}

/* What became of a draft. -EAGAIN: without the part that proved unfit it can be made anew. */
static int judge_draft(struct course *course, struct omptape_unify_search *search)
{
    const struct omptape_unify_outcome *outcome = &course->outcome;
    bool of_part = outcome->part < search->count;
    if (outcome->result == OMPTAPE_UNIFY_DRAFTED || outcome->result == OMPTAPE_UNIFY_NOTHING_NEW)
        return 0;
    if (outcome->result == OMPTAPE_UNIFY_FAILED || !of_part)
        return say(course, -EIO, "cannot unify %.300s: %.600s", course->dir,
                   outcome->line[0] != '\0' ? outcome->line : "the OTF2 library crashed");
    struct omptape_unify_found *found = &search->list[outcome->part];
    if (outcome->result == OMPTAPE_UNIFY_NO_PART)
        found->ignored = true;
    else
        omptape_unify_leave(found, outcome->result == OMPTAPE_UNIFY_PART_BAD
                                       ? outcome->line
                                       : "the OTF2 library crashes on it; it is damaged");
    /* What lies in the folder itself has the names that the unified archive needs. */
    if (found->folder[0] == '\0')
        return say(course, -EEXIST, "%.300s/trace.otf2 is in the way: %.600s", course->dir,
                   found->why != NULL ? found->why : "it is no archive of a process that omptape traced");
    return -EAGAIN;
}

static int make_draft(struct course *course, struct omptape_unify_search *search, const char *name)
{
    int result = -EAGAIN;
    while (result == -EAGAIN) {
        if (course->draft >= 0)
            close(course->draft);
        omptape_unify_remove_tree(course->folder, name);
        course->draft = omptape_beneath_make_folder(course->folder, name, NULL);
        if (course->draft < 0)
            return say(course, course->draft, "cannot write to %.600s: %s", course->dir,
                       strerror(-course->draft));
        omptape_unify_draft_apart(course->folder, course->draft, search, &course->offsets, &course->pulse,
                                  &course->outcome);
        result = judge_draft(course, search);
    }
    return result;
}

static void tell_of_others(struct course *course, const struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++)
        tell_of_part(course, &search->list[i]);
    tell(course, course->options->say, course->outcome.missing);
    tell(course, course->options->note, course->outcome.unmeasured);
}

static uint32_t count_parts(const struct omptape_unify_search *search)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->count; i++)
        count += search->list[i].why == NULL && !search->list[i].ignored;
    return count;
}

/* What a killed writer left in the folder itself makes room. */
static int make_room(struct course *course, struct omptape_unify_search *search)
{
    char name[64];
    if (!search->base_unfinished)
        return 0;
    int result = omptape_unify_set_aside(course->folder, name, sizeof(name));
    if (result != 0)
        return say(course, result, "cannot make room in %.600s: %s", course->dir, strerror(-result));
    char *moved = strdup(name);
    if (moved != NULL) {
        free(search->list[0].folder);
        search->list[0].folder = moved;
    }
    return 0;
}

/* All that was found is another user's: that user can do it. */
static int nothing_found(struct course *course, struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        struct omptape_unify_found *found = &search->list[i];
        if (!found->refused || found->ignored)
            continue;
        say(course, -EPERM, "%.300s holds no archive that can be unified: %.600s", course->dir, found->why);
        search->said = true;
        return -EPERM;
    }
    return say(course, course->worked ? 0 : -ENOENT, "%.300s holds no archive that can be unified",
               course->dir);
}

/* May the unified archive have its names in the folder itself? */
static int find_obstacles(struct course *course, const struct omptape_unify_search *search)
{
    char what[OMPTAPE_BENEATH_WHY_BYTES];
    if (!search->base_there && omptape_unify_find_in_the_way(course->folder, what, sizeof(what)) != 0)
        return say(course, -EEXIST, "cannot unify %.300s: %.600s", course->dir, what);
    if (!search->base_unfinished && faccessat(course->folder, "trace", W_OK | X_OK, AT_EACCESS) != 0 &&
        errno != ENOENT)
        return say(course, -errno, "cannot write to %.600s/trace: %s", course->dir, strerror(errno));
    return 0;
}

static int unify_found(struct course *course, struct omptape_unify_search *search, const char *draft)
{
    if (search->base_busy || search->base_refused)
        return say(course, search->base_busy ? -EBUSY : -EPERM, "%.300s: %.600s", course->dir,
                   search->list[0].why);
    if (count_parts(search) == 0)
        return nothing_found(course, search);
    int result = make_draft(course, search, draft);
    if (result != 0 || course->outcome.result == OMPTAPE_UNIFY_NOTHING_NEW)
        return result;
    /* This process may have been stopped for long, and another have taken its place. */
    result = omptape_unify_lock_check(course->folder);
    if (result != 0)
        return say(course, result, "another process took over the unification of %.600s", course->dir);
    result = find_obstacles(course, search);
    if (result != 0)
        return result;
    result = make_room(course, search);
    if (result == 0)
        result = omptape_unify_plan_decide(course->folder, course->draft, draft, &course->pulse);
    if (result == -ENOTEMPTY || result == -EEXIST)
        return say(course, result,
                   "cannot unify %.300s: %.300s/" OMPTAPE_UNIFY_DECIDED
                   " is in the way, and holds no plan; remove it",
                   course->dir, course->dir);
    if (result != 0)
        return say(course, result, "cannot unify %.600s: %s", course->dir, strerror(-result));
    return complete(course);
}

static int conclude(const struct course *course)
{
    const struct omptape_unify_outcome *outcome = &course->outcome;
    if (outcome->processes == 0)
        return say(course, -ENOENT, "%.600s holds no archive that can be unified", course->dir);
    return say(course, 0, "%s/trace.otf2 holds %s%u process%s%s", course->dir,
               outcome->processes > 1 ? "all " : "", outcome->processes, outcome->processes > 1 ? "es" : "",
               course->copied ? " (event files were copied from another file system)" : "");
}

/* With the lock. */
static int run(struct course *course)
{
    struct omptape_unify_search search = {.list = NULL};
    char draft[64];
    int result = 0;
    if (omptape_unify_plan_pending(course->folder))
        result = complete(course);
    if (result != 0)
        return result;
    omptape_unify_plan_tidy(course->folder);
    omptape_unify_draft_name(draft, sizeof(draft), getpid());
    result = omptape_unify_search(&search, course->folder, course->options);
    if (result != 0)
        say(course, result, "cannot look through %.600s: %s", course->dir, strerror(-result));
    else
        result = unify_found(course, &search, draft);
    if (course->draft >= 0)
        close(course->draft);
    omptape_unify_remove_tree(course->folder, draft);
    if (!search.said)
        tell_of_others(course, &search);
    omptape_unify_search_free(&search);
    return result == 0 ? conclude(course) : result;
}

/* Somebody on another host has the lock, and may have been killed with it: then it is never touched again. */
static int lock(struct course *course, char *who, size_t bytes)
{
    static const struct timespec pause = {.tv_nsec = 200000000};
    struct omptape_progress progress;
    double before = 0;
    double age;
    int result = omptape_unify_lock(course->folder, who, bytes);
    omptape_progress_begin(&progress, course->options->silent);
    while (result == -EBUSY && course->options->waits &&
           omptape_unify_lock_is_elsewhere(course->folder, &age) && age >= before) {
        before = age;
        if (omptape_progress_is_due(&progress))
            omptape_progress_draw("waiting for a sign of life of process %.200s, which unifies here", who);
        nanosleep(&pause, NULL);
        result = omptape_unify_lock(course->folder, who, bytes);
    }
    omptape_progress_erase();
    return result;
}

int omptape_unify(const char *dir, const struct omptape_unify_options *options, char *message, size_t bytes)
{
    char who[OMPTAPE_CLAIM_BYTES] = "";
    struct course course = {.dir = dir, .options = options, .message = message, .bytes = bytes, .draft = -1};
    message[0] = '\0';
    if (strlen(dir) >= OMPTAPE_UNIFY_PATH_BYTES - 512)
        return say(&course, -ENAMETOOLONG, "%.100s...: %s", dir, strerror(ENAMETOOLONG));
    course.folder = omptape_beneath_open_named(dir);
    if (course.folder < 0)
        return say(&course, course.folder, "%.600s: %s", dir, strerror(-course.folder));
    int result = 0;
    if (options->clock_offsets != NULL &&
        omptape_unify_offsets_read(&course.offsets, options->clock_offsets, message, bytes) != 0)
        result = -EINVAL;
    if (result == 0) {
        result = lock(&course, who, sizeof(who));
        if (result == -EBUSY)
            say(&course, result, "%.300s is being unified by process %.300s", dir, who);
        else if (result != 0)
            say(&course, result, "cannot write to %.600s: %s", dir, strerror(-result));
        if (result == 0) {
            omptape_unify_pulse_begin(&course.pulse, course.folder, options->silent);
            result = run(&course);
            omptape_progress_erase();
            omptape_unify_unlock(course.folder);
        }
    }
    omptape_unify_offsets_free(&course.offsets);
    close(course.folder);
    return result;
}
