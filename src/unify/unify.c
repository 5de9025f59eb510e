/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a unification step by step (unify.h). Takes the lock, completes an interrupted plan, searches the
 * parts, stages the archive, decides the plan and moves the files.
 */
#include "src/unify/unify.h"

#include "src/archive/read/damage.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"
#include "src/folder/named_folder.h"
#include "src/folder/output_folder.h"
#include "src/job/folder.h"
#include "src/job/marks.h"
#include "src/unify/files.h"
#include "src/unify/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 2048 };
/* MAX_COUNTED: events that are read again to compare the clocks unasked, which takes seconds.
 * MAX_CORRECTIONS: passes. */
enum { MAX_COUNTED = 20000000, MAX_CORRECTIONS = 5 };

struct unification {
    const char *dir;
    const struct omptape_unify_options *options;
    int folder;
    char *message;
    size_t bytes;
    bool copied;
    bool worked; /* true after a plan was completed */
    bool left;   /* true if a part is left as it is */
    int staging; /* descriptor of the staging folder, or -1 */
    struct omptape_unify_progress progress;
    struct omptape_unify_offsets offsets;
    struct omptape_unify_outcome outcome;                    /* result of the last staging */
    const struct omptape_unify_order_correction *correction; /* NULL unless clocks are being corrected */
};

static int set_message(const struct unification *unification, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int set_message(const struct unification *unification, int result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(unification->message, unification->bytes, format, arguments);
    va_end(arguments);
    omptape_utf8_make_plain(unification->message);
    return result;
}

/* Passes a line to the listener, unless the line is empty or the listener is NULL. */
static void pass_line(const struct unification *unification, void (*listener)(void *data, const char *line),
                      char *line)
{
    if (listener == NULL || line[0] == '\0')
        return;
    omptape_utf8_make_plain(line);
    listener(unification->options->data, line);
}

static void list_part(struct unification *unification, const struct omptape_unify_found *found)
{
    const char *slash = found->folder[0] != '\0' ? "/" : "";
    char line[LINE_BYTES];
    if (found->note != NULL) {
        snprintf(line, sizeof(line), "%s%s%s: %s", unification->dir, slash, found->folder, found->note);
        pass_line(unification, unification->options->note, line);
    }
    if (found->why != NULL && !found->ignored) {
        unification->left = true;
        snprintf(line, sizeof(line), "%s%s%s is left as it is: %s", unification->dir, slash, found->folder,
                 found->why);
        pass_line(unification, unification->options->say, line);
    }
}

static int complete_plan(struct unification *unification)
{
    char what[LINE_BYTES] = "";
    int result = omptape_unify_plan_complete(unification->folder, &unification->progress,
                                             &unification->copied, what, sizeof(what));
    if (result != 0)
        return set_message(unification, result,
                           "cannot unify %.300s: %.600s; omptape unify %.300s goes on from there",
                           unification->dir, what, unification->dir);
    unification->worked = true;
    return 0;
}

/* Skips a damaged part. The reason names the damaged file if it is found, or is libotf2's error. */
static void leave_damaged(const struct unification *unification, struct omptape_unify_found *found)
{
    const struct omptape_unify_outcome *outcome = &unification->outcome;
    char damage[LINE_BYTES];
    int part =
        omptape_beneath_open_folder(unification->folder, found->folder[0] != '\0' ? found->folder : ".");
    bool known = part >= 0 && omptape_damage_find(part, "traces", true, damage, sizeof(damage));
    omptape_close(part);
    omptape_unify_skip(found, known                                       ? damage
                              : outcome->result == OMPTAPE_UNIFY_PART_BAD ? outcome->line
                                                                          : "the OTF2 library crashes on it; "
                                                                            "it is damaged");
}

/* Evaluates a staging. Returns 0, -EAGAIN to repeat it without an unusable part, or negative errno. */
static int judge_staging(struct unification *unification, struct omptape_unify_search *search)
{
    const struct omptape_unify_outcome *outcome = &unification->outcome;
    bool of_part = outcome->part < search->count;
    if (outcome->result == OMPTAPE_UNIFY_STAGED || outcome->result == OMPTAPE_UNIFY_NOTHING_NEW)
        return 0;
    if (outcome->result == OMPTAPE_UNIFY_FAILED || !of_part)
        return set_message(unification, -EIO, "cannot unify %.300s: %.600s", unification->dir,
                           outcome->line[0] != '\0' ? outcome->line : "the OTF2 library crashed");
    struct omptape_unify_found *found = &search->list[outcome->part];
    if (outcome->result == OMPTAPE_UNIFY_NO_PART)
        found->ignored = true;
    else
        leave_damaged(unification, found);
    /* An unusable archive in the output folder itself occupies the file names of the unified archive. */
    if (found->folder[0] == '\0')
        return set_message(
            unification, -EEXIST, "%.300s/" OMPTAPE_ARCHIVE_ANCHOR " is in the way: %.600s", unification->dir,
            found->why != NULL ? found->why : "it is no archive of a process that omptape traced");
    return -EAGAIN;
}

static int make_staging(struct unification *unification, struct omptape_unify_search *search,
                        const char *name)
{
    int result = -EAGAIN;
    while (result == -EAGAIN) {
        omptape_close(unification->staging);
        omptape_unify_remove_tree(unification->folder, name);
        unification->staging = omptape_beneath_make_folder(unification->folder, name, NULL);
        if (unification->staging < 0)
            return set_message(unification, unification->staging, "cannot write to %.600s: %s",
                               unification->dir, omptape_cause(unification->staging));
        omptape_unify_stage(unification->folder, unification->staging, search, &unification->offsets,
                            unification->correction, &unification->progress, &unification->outcome);
        result = judge_staging(unification, search);
    }
    return result;
}

static void list_others(struct unification *unification, const struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++)
        list_part(unification, &search->list[i]);
    pass_line(unification, unification->options->say, unification->outcome.missing);
    pass_line(unification, unification->options->note, unification->outcome.unmeasured);
}

static uint32_t count_parts(const struct omptape_unify_search *search)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->count; i++)
        count += search->list[i].why == NULL && !search->list[i].ignored;
    return count;
}

/* Moves the unfinished archive of a killed writer from the output folder itself into a subfolder. */
static int set_unfinished_aside(struct unification *unification, struct omptape_unify_search *search)
{
    char name[64];
    if (!search->base_unfinished)
        return 0;
    int result = omptape_unify_move_unfinished(unification->folder, name, sizeof(name));
    if (result != 0)
        return set_message(unification, result, "cannot make room in %.600s: %s", unification->dir,
                           omptape_cause(result));
    char *moved = strdup(name);
    if (moved != NULL) {
        free(search->list[0].folder);
        search->list[0].folder = moved;
    }
    return 0;
}

/* Reports that there is nothing to unify, or only another user's parts (-EPERM), for whom that user can. */
static int nothing_found(struct unification *unification, struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        struct omptape_unify_found *found = &search->list[i];
        if (!found->refused || found->ignored)
            continue;
        set_message(unification, -EPERM, "%.300s holds no archive that can be unified: %.600s",
                    unification->dir, found->why);
        search->reported = true;
        return -EPERM;
    }
    return set_message(unification, unification->worked ? 0 : -ENOENT,
                       "%.300s holds no archive that can be unified", unification->dir);
}

/* Checks that the unified archive can create its files in the output folder itself. */
static int find_obstacles(struct unification *unification, const struct omptape_unify_search *search)
{
    char what[OMPTAPE_BENEATH_WHY_BYTES];
    if (!search->has_base && omptape_unify_find_in_the_way(unification->folder, what, sizeof(what)) != 0)
        return set_message(unification, -EEXIST, "cannot unify %.300s: %.600s", unification->dir, what);
    if (!search->base_unfinished &&
        faccessat(unification->folder, OMPTAPE_ARCHIVE_EVENTS, W_OK | X_OK, AT_EACCESS) != 0 &&
        errno != ENOENT)
        return set_message(unification, -errno, "cannot write to %.600s/" OMPTAPE_ARCHIVE_EVENTS ": %s",
                           unification->dir, strerror(errno));
    return 0;
}

static int unify_found(struct unification *unification, struct omptape_unify_search *search,
                       const char *staging)
{
    for (uint32_t i = 0; i < search->count; i++)
        omptape_log(OMPTAPE_LOG_DEBUG, OMPTAPE_LOG_UNIFY, "found \"%s\": %s", search->list[i].folder,
                    search->list[i].why != NULL ? search->list[i].why : "a process archive");
    if (search->base_busy || search->base_refused)
        return set_message(unification, search->base_busy ? -EBUSY : -EPERM, "%.300s: %.600s",
                           unification->dir, search->list[0].why);
    if (count_parts(search) == 0)
        return nothing_found(unification, search);
    int result = make_staging(unification, search, staging);
    if (result != 0 || unification->outcome.result == OMPTAPE_UNIFY_NOTHING_NEW)
        return result;
    /* Another process may have taken over the lock if this process was stopped for long. */
    result = omptape_claim_check(unification->folder, OMPTAPE_UNIFY_LOCK);
    if (result != 0)
        return set_message(unification, result, "another process took over the unification of %.600s",
                           unification->dir);
    result = find_obstacles(unification, search);
    if (result != 0)
        return result;
    result = set_unfinished_aside(unification, search);
    if (result == 0)
        result = omptape_unify_plan_decide(unification->folder, unification->staging, staging,
                                           &unification->progress);
    if (result == -ENOTEMPTY || result == -EEXIST)
        return set_message(unification, result,
                           "cannot unify %.300s: %.300s/" OMPTAPE_UNIFY_DECIDED
                           " is in the way, and holds no plan; remove it",
                           unification->dir, unification->dir);
    if (result != 0)
        return set_message(unification, result, "cannot unify %.600s: %s", unification->dir,
                           omptape_cause(result));
    return complete_plan(unification);
}

static int describe_result(const struct unification *unification)
{
    const struct omptape_unify_outcome *outcome = &unification->outcome;
    if (outcome->processes == 0)
        return set_message(unification, -ENOENT, "%.600s holds no archive that can be unified",
                           unification->dir);
    return set_message(unification, 0, "%s/traces.otf2 holds %s%u process%s%s", unification->dir,
                       outcome->processes > 1 && !unification->left ? "all " : "", outcome->processes,
                       outcome->processes > 1 ? "es" : "",
                       unification->copied ? " (event files were copied from another file system)" : "");
}

/* Searches the parts once and unifies them. */
static int unify_once(struct unification *unification)
{
    struct omptape_unify_search search = {.list = NULL};
    char staging[64];
    omptape_unify_staging_name(staging, sizeof(staging), getpid());
    int result = omptape_unify_search(&search, unification->folder, unification->options->parts,
                                      unification->options->part_count);
    if (result != 0)
        set_message(unification, result, "cannot look through %.600s: %s", unification->dir,
                    omptape_cause(result));
    else
        result = unify_found(unification, &search, staging);
    omptape_close(unification->staging);
    unification->staging = -1;
    omptape_unify_remove_tree(unification->folder, staging);
    if (!search.reported && unification->correction == NULL)
        list_others(unification, &search);
    omptape_unify_search_free(&search);
    return result;
}

/* Counts the messages that arrive before they are sent, and corrects their times if the user asked for it.
 * Without that option archives with a single clock or with many events are not checked. */
static int check_message_order(struct unification *unification)
{
    const struct omptape_unify_outcome *outcome = &unification->outcome;
    const bool corrects = unification->options->mend_clocks;
    struct omptape_unify_order_correction correction = {.dir = unification->dir};
    char error[LINE_BYTES];
    char line[LINE_BYTES];
    int result = 0;
    if (!corrects &&
        (outcome->result != OMPTAPE_UNIFY_STAGED || outcome->clocks < 2 || outcome->events > MAX_COUNTED))
        return 0;
    if (omptape_unify_count(unification->dir, &correction.counts, &unification->progress, error,
                            sizeof(error)) != 0)
        return corrects ? set_message(unification, -EIO, "%.300s cannot be mended: %.600s", unification->dir,
                                      error)
                        : 0;
    /* Rounding where times are stretched much may leave events out of order: further passes may be needed. */
    for (int i = 0;
         i < MAX_CORRECTIONS && corrects && result == 0 && omptape_unify_is_early(&correction.counts); i++) {
        unification->correction = &correction;
        result = unify_once(unification);
        unification->correction = NULL;
        if (result == 0)
            result = omptape_unify_count(unification->dir, &correction.counts, &unification->progress, error,
                                         sizeof(error));
    }
    omptape_unify_describe_order(unification->dir, &correction.counts, corrects, line, sizeof(line));
    pass_line(unification, unification->options->note, line);
    return result;
}

/* Removes marks, claims and checkpoints of killed processes, except of parts that the unification skipped. */
static void tidy_folder(int folder)
{
    omptape_job_marks_remove_stale(folder);
    omptape_job_folder_make_claim_permanent(folder);
    omptape_output_folder_release_run(folder);
    omptape_checkpoint_remove_all_dead();
}

/* Unifies the folder; the caller holds the lock. */
static int unify_locked(struct unification *unification)
{
    int result = 0;
    if (omptape_unify_plan_pending(unification->folder))
        result = complete_plan(unification);
    if (result != 0)
        return result;
    omptape_unify_plan_tidy(unification->folder);
    result = unify_once(unification);
    if (result == 0)
        result = check_message_order(unification);
    return result == 0 ? describe_result(unification) : result;
}

static int fail_locked(struct unification *unification, const char *who)
{
    char owner[OMPTAPE_CLAIM_BYTES];
    omptape_claim_describe(who, owner, sizeof(owner));
    return set_message(unification, -EBUSY, "%.300s is being unified by %.300s", unification->dir, owner);
}

static int unify_folder(struct unification *unification)
{
    char who[OMPTAPE_CLAIM_BYTES] = "";
    int result = omptape_unify_lock(unification->folder, unification->options->waits,
                                    unification->options->silent, who, sizeof(who));
    if (result == -EBUSY)
        return fail_locked(unification, who);
    if (result != 0)
        return set_message(unification, result, "cannot write to %.600s: %s", unification->dir,
                           omptape_cause(result));
    omptape_unify_progress_begin(&unification->progress, unification->folder, unification->options->silent);
    result = unify_locked(unification);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_UNIFY, "unified %s: %s", unification->dir,
                unification->message);
    tidy_folder(unification->folder);
    omptape_progress_erase();
    omptape_claim_release(unification->folder, OMPTAPE_UNIFY_LOCK);
    return result;
}

int omptape_unify(const char *dir, const struct omptape_unify_options *options, char *message, size_t bytes)
{
    struct unification unification = {
        .dir = dir, .options = options, .message = message, .bytes = bytes, .staging = -1};
    message[0] = '\0';
    if (strlen(dir) >= OMPTAPE_UNIFY_PATH_BYTES - 512)
        return set_message(&unification, -ENAMETOOLONG, "%.100s...: %s", dir, strerror(ENAMETOOLONG));
    unification.folder = omptape_named_folder_open(dir);
    if (unification.folder < 0)
        return set_message(&unification, unification.folder, "%.600s: %s", dir,
                           omptape_cause(unification.folder));
    int result = 0;
    if (options->clock_offsets != NULL &&
        omptape_unify_offsets_read(&unification.offsets, options->clock_offsets, message, bytes) != 0)
        result = -EINVAL;
    else
        result = unify_folder(&unification);
    omptape_unify_offsets_free(&unification.offsets);
    close(unification.folder);
    return result;
}
