/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Manages the folder in which a job's ranks store their parts of a report (share.h).
 *
 * One rank always prints if all ranks end: each rank creates its "done" link before it checks the others'.
 * The rank whose link came last therefore sees all. If several ranks see all, the one that creates the link
 * print-RUN prints. A killed rank leaves a claim without an owner. Ranks on other hosts cannot detect this;
 * the launcher must.
 */
#include "src/command/report/share.h"

#include "src/core/hash.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/atomic_file.h"
#include "src/folder/beneath.h"
#include "src/folder/claim.h"
#include "src/job/job.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PARTS = 1000000, TEXT_BYTES = 512, MAX_NAMED = 8, NAMED_BYTES = 96 };

static const char done_text[] = "done";

static uint64_t add_text(uint64_t hash, const char *text)
{
    const uint64_t parts[] = {hash, text != NULL ? omptape_hash_key(text, strlen(text)) : 0};
    return omptape_hash_key(parts, sizeof(parts));
}

/* Parses "2/8", the third of eight parts. */
static bool read_part(const char *text, struct analysis_share_of *which)
{
    char *end = NULL;
    unsigned long number = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '/' || end[1] < '0' || end[1] > '9')
        return false;
    unsigned long count = strtoul(end + 1, &end, 10);
    *which = (struct analysis_share_of){(uint32_t)number, (uint32_t)count};
    return *end == '\0' && count > 0 && count <= MAX_PARTS && number < count;
}

/* Returns the processors that the launcher assigned to each rank; 1 if unknown. */
static unsigned processors_of_rank(void)
{
    const char *text = getenv("SLURM_CPUS_PER_TASK");
    unsigned long count = text != NULL ? strtoul(text, NULL, 10) : 1;
    return count > 0 && count < INT_MAX ? (unsigned)count : 1;
}

/* Sets a name that distinguishes this run from others. The tasks of a Slurm array share the array's name. */
static void name_run(struct report_share *share, const struct omptape_job *job)
{
    uint64_t hash = share->which.count;
    if (share->is_explicit) {
        hash = add_text(hash, getenv("SLURM_CLUSTER_NAME"));
        hash = add_text(hash, getenv("SLURM_ARRAY_JOB_ID"));
    } else {
        hash = add_text(hash, job->identity);
    }
    snprintf(share->run, sizeof(share->run), "%016" PRIx64, hash);
}

int report_share_read(struct report_share *share, const char *part, bool draws, unsigned *jobs,
                      bool jobs_are_given)
{
    struct omptape_job job;
    *share = (struct report_share){.which = {0, 1}, .parent = -1, .folder = -1};
    omptape_job_read(&job);
    /* Launchers connect their ranks' standard input to pipes. A terminal means an interactive shell of one
     * rank ("srun --pty -n 4 bash"), which works alone. */
    bool several = omptape_job_is_parallel(&job) && isatty(STDIN_FILENO) == 0;
    if (part != NULL && !read_part(part, &share->which)) {
        omptape_message("report: --part: \"%.80s\" is no part: 0/4 is the first of four", part);
        return -EINVAL;
    }
    if (part == NULL && several && job.rank >= 0)
        share->which = (struct analysis_share_of){(uint32_t)job.rank, job.size > 0 ? (uint32_t)job.size : 1};
    share->draws = draws;
    share->shared = (part != NULL || several) && share->which.count > 1 && share->which.count <= MAX_PARTS &&
                    share->which.number < share->which.count;
    /* If the number of ranks is unknown, the first rank does everything. */
    share->idle = (part != NULL || several) && !share->shared && share->which.number > 0;
    if (share->shared && part == NULL && !jobs_are_given)
        *jobs = processors_of_rank();
    share->is_explicit = part != NULL;
    name_run(share, &job);
    return 0;
}

static void name_mark(const struct report_share *share, const char *kind, uint32_t number, char *name)
{
    snprintf(name, REPORT_SHARE_NAME_BYTES, "%s-%s-%" PRIu32, kind, share->run, number);
}

/* Prints an error. Only the first rank prints what concerns all ranks; with --part each process prints. */
static int refuse(const struct report_share *share, const char *path, const char *why, int status)
{
    if (share->which.number == 0 || share->is_explicit)
        omptape_message(
            "report: cannot keep parts of the result in %s: %s; --parts DIR names another folder that "
            "all processes reach",
            omptape_quoted(path).text, why);
    return status;
}

/* Prints an error about `place` in the open folder. */
static int refuse_place(const struct report_share *share, int folder, const char *place, const char *path,
                        int status)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    omptape_beneath_explain(folder, place, status, why, sizeof(why));
    return refuse(share, path, why, status);
}

/* Opens the folder that contains the archive, or the named one. */
static int open_parent(const char *path, const char *parts, char *parent, size_t bytes)
{
    struct stat about;
    if (parts != NULL) {
        snprintf(parent, bytes, "%s", parts);
    } else if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        snprintf(parent, bytes, "%s", path);
    } else {
        int length = (int)(omptape_base_name(path) - path);
        snprintf(parent, bytes, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
    }
    return omptape_beneath_open_named(parent);
}

static void name_folder(struct report_share *share, const char *path, const struct report_option_texts *texts)
{
    char real[PATH_MAX];
    uint64_t hash = share->which.count;
    hash = add_text(hash, texts->from);
    hash = add_text(hash, texts->to);
    hash = add_text(hash, texts->ranks);
    hash = add_text(hash, share->draws ? "picture" : NULL);
    /* The user's id is part of the name, so that another user's parts are not in the way. */
    const uint64_t user[] = {hash, geteuid()};
    hash = omptape_hash_key(user, sizeof(user));
    if (texts->parts != NULL && realpath(path, real) != NULL)
        hash = add_text(hash, real);
    snprintf(share->name, sizeof(share->name), ".omptape-report-%016" PRIx64, hash);
}

int report_share_join(struct report_share *share, const char *path, const struct report_option_texts *texts)
{
    char parent[PATH_MAX];
    char name[REPORT_SHARE_NAME_BYTES];
    bool made = false;
    share->parent = open_parent(path, texts->parts, parent, sizeof(parent));
    if (share->parent < 0)
        return refuse(share, parent, omptape_cause(share->parent), share->parent);
    name_folder(share, path, texts);
    share->folder = omptape_beneath_make_folder(share->parent, share->name, &made);
    if (share->folder < 0)
        return refuse_place(share, share->parent, share->name, parent, share->folder);
    if (made)
        (void)fchmod(share->folder, 0700);
    /* Removes what a killed run of the same name left. No rank prints before all have arrived. */
    name_mark(share, "print", 0, name);
    (void)omptape_beneath_remove(share->folder, name);
    name_mark(share, "done", share->which.number, name);
    (void)omptape_beneath_remove(share->folder, name);
    name_mark(share, "live", share->which.number, name);
    (void)omptape_beneath_remove(share->folder, name);
    int status = omptape_claim_make(share->folder, name);
    return status == 0 ? 0 : refuse_place(share, share->folder, name, parent, status);
}

static void name_part(uint32_t number, char *name, bool new)
{
    if (new)
        snprintf(name, REPORT_SHARE_NAME_BYTES, "new-%" PRIu32 "-%d", number, (int)getpid());
    else
        snprintf(name, REPORT_SHARE_NAME_BYTES, "part-%" PRIu32, number);
}

int report_share_store(const struct report_share *share, const struct omptape_partial *partial, char *error,
                       size_t error_bytes)
{
    char name[REPORT_SHARE_NAME_BYTES];
    char new[REPORT_SHARE_NAME_BYTES];
    name_part(share->which.number, name, false);
    name_part(share->which.number, new, true);
    int file = omptape_beneath_create(share->folder, new);
    int status = file < 0 ? file : omptape_write_all(file, partial->bytes, partial->count);
    if (file >= 0 && close(file) != 0 && status == 0)
        status = -errno;
    if (status == 0)
        status = omptape_beneath_rename(share->folder, new, share->folder, name);
    if (status == 0)
        return 0;
    (void)omptape_beneath_remove(share->folder, new);
    return omptape_fail(error, error_bytes, status, "cannot keep part %" PRIu32 " of the result: %s",
                        share->which.number, omptape_cause(status));
}

int report_share_load(void *data, uint32_t number, struct omptape_partial *partial)
{
    const struct report_share *share = data;
    char name[REPORT_SHARE_NAME_BYTES];
    name_part(number, name, false);
    int file = omptape_beneath_open_own_file(share->folder, name);
    if (file < 0)
        return file;
    int status = omptape_read_all(file, SIZE_MAX, &partial->bytes, &partial->count);
    close(file);
    return status;
}

enum rank_state { RANK_AT_WORK, RANK_DONE, RANK_FAILED, RANK_KILLED };

/* Reads a link; links of other users are ignored. */
static bool read_mark(const struct report_share *share, const char *kind, uint32_t number, char *text,
                      size_t bytes)
{
    char name[REPORT_SHARE_NAME_BYTES];
    name_mark(share, kind, number, name);
    return omptape_beneath_read_own_link(share->folder, name, text, bytes);
}

static enum rank_state state_of(const struct report_share *share, uint32_t number)
{
    char text[OMPTAPE_CLAIM_BYTES];
    char name[REPORT_SHARE_NAME_BYTES];
    name_mark(share, "live", number, name);
    bool claimed = omptape_claim_read(share->folder, name, text, sizeof(text)) == OMPTAPE_CLAIM_NOBODY &&
                   text[0] != '\0';
    /* The rank may have ended between the two checks; it creates "done" before it releases its claim. */
    if (read_mark(share, "done", number, text, sizeof(text)))
        return strcmp(text, done_text) == 0 ? RANK_DONE : RANK_FAILED;
    return claimed ? RANK_KILLED : RANK_AT_WORK;
}

/* Prints which parts are missing and removes their links, so that the next run starts from the beginning.
 * With --part a single rank may be repeated, so the links of the others stay. */
static void name_missing(const struct report_share *share)
{
    char list[MAX_NAMED * NAMED_BYTES] = "";
    char text[NAMED_BYTES - 16];
    uint32_t missing = 0;
    for (uint32_t i = 0; i < share->which.count; i++) {
        char name[REPORT_SHARE_NAME_BYTES];
        enum rank_state state = state_of(share, i);
        name_mark(share, "done", i, name);
        if (state == RANK_DONE) {
            if (!share->is_explicit)
                (void)omptape_beneath_remove(share->folder, name);
            continue;
        }
        bool has_reason = read_mark(share, "done", i, text, sizeof(text));
        if (missing++ < MAX_NAMED)
            omptape_append_item(list, sizeof(list), ", ", "%" PRIu32 " (%s)", i,
                                has_reason ? text : "killed");
        (void)omptape_beneath_remove(share->folder, name);
        name_mark(share, "live", i, name);
        (void)omptape_beneath_remove(share->folder, name);
    }
    omptape_message("report: %" PRIu32 " of %" PRIu32
                    " parts of the result are missing: %s%s; the others are kept: "
                    "run it again with as many processes",
                    missing, share->which.count, list, missing > MAX_NAMED ? "..." : "");
}

/* Returns true if this rank prints for all. */
static bool claim_printing(const struct report_share *share, char name[REPORT_SHARE_NAME_BYTES])
{
    name_mark(share, "print", 0, name);
    return omptape_beneath_make_link(share->folder, name, share->run) == 0;
}

enum report_share_end report_share_finish(struct report_share *share, bool good)
{
    char name[REPORT_SHARE_NAME_BYTES];
    char host[HOST_NAME_MAX + 1] = "";
    char text[TEXT_BYTES];
    bool failed = false;
    (void)gethostname(host, sizeof(host) - 1);
    snprintf(text, sizeof(text), "%s%s", good ? done_text : "failed on ", good ? "" : host);
    name_mark(share, "done", share->which.number, name);
    (void)omptape_beneath_make_link(share->folder, name, text);
    name_mark(share, "live", share->which.number, name);
    omptape_claim_release(share->folder, name);
    for (uint32_t i = 0; i < share->which.count; i++) {
        enum rank_state state = state_of(share, i);
        if (state == RANK_AT_WORK)
            return REPORT_SHARE_OTHERS_CONTINUE;
        failed = failed || state != RANK_DONE;
    }
    if (!claim_printing(share, name))
        return REPORT_SHARE_OTHERS_CONTINUE;
    if (!failed)
        return REPORT_SHARE_PRINT;
    name_missing(share);
    (void)omptape_beneath_remove(share->folder, name);
    return REPORT_SHARE_FAILED;
}

void report_share_remove(struct report_share *share, bool printed)
{
    char name[REPORT_SHARE_NAME_BYTES];
    for (uint32_t i = 0; i < share->which.count; i++) {
        name_part(i, name, false);
        if (printed)
            (void)omptape_beneath_remove(share->folder, name);
        name_mark(share, "done", i, name);
        (void)omptape_beneath_remove(share->folder, name);
        name_mark(share, "live", i, name);
        (void)omptape_beneath_remove(share->folder, name);
    }
    name_mark(share, "print", 0, name);
    (void)omptape_beneath_remove(share->folder, name);
    (void)omptape_beneath_remove_folder(share->parent, share->name);
}

void report_share_close(struct report_share *share)
{
    omptape_close(share->folder);
    omptape_close(share->parent);
    share->folder = -1;
    share->parent = -1;
}
