/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The child process of omptape_unify and the parent's watch over it (draft.h).
 */
#include "src/unify/draft.h"

#include "src/core/progress.h"
#include "src/unify/lock.h"
#include "src/unify/plan.h"
#include "writers/properties.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_FIRST_NS = 100000, POLL_LAST_NS = 20000000, PATIENCE_SECONDS = 300, TOUCH_SECONDS = 20 };

/* Ranks that the job had and nobody recorded: "3, 7-9". 0: none is missing. */
static uint64_t list_missing(const bool *there, uint64_t size, char *text, size_t bytes)
{
    uint64_t missing = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint64_t rank = 0; rank < size; rank++) {
        uint64_t first = rank;
        while (rank < size && !there[rank])
            rank++;
        if (rank == first)
            continue;
        missing += rank - first;
        int n = rank - first == 1
                    ? snprintf(text + used, bytes - used, "%s%" PRIu64, used > 0 ? ", " : "", first)
                    : snprintf(text + used, bytes - used, "%s%" PRIu64 "-%" PRIu64, used > 0 ? ", " : "",
                               first, rank - 1);
        if (n > 0 && (size_t)n < bytes - used)
            used += (size_t)n;
    }
    return missing;
}

static void find_missing_ranks(struct omptape_unify_model *model, struct omptape_unify_outcome *outcome)
{
    enum { MOST_RANKS = 1 << 24 };
    char list[OMPTAPE_UNIFY_ERROR_BYTES / 2];
    uint64_t size = 0;
    for (uint32_t i = 0; i < model->process_count; i++) {
        uint64_t one = omptape_unify_number(&model->processes[i], OMPTAPE_KEY_SIZE, 0);
        size = one > size && one < MOST_RANKS ? one : size;
    }
    bool *there = calloc(size + 1, sizeof(*there));
    if (there == NULL)
        return;
    for (uint32_t i = 0; i < model->process_count; i++) {
        int64_t rank = model->processes[i].clock.rank;
        if (rank >= 0 && (uint64_t)rank < size)
            there[rank] = true;
    }
    uint64_t missing = list_missing(there, size, list, sizeof(list));
    free(there);
    if (missing == 0)
        return;
    snprintf(outcome->missing, sizeof(outcome->missing),
             "%s %s of %" PRIu64 " left no trace: they used no OpenMP, or were killed with their writers",
             missing == 1 ? "rank" : "ranks", list, size);
    omptape_unify_text(&model->warnings, outcome->missing);
}

static bool take_parts(struct omptape_unify_model *model, const struct omptape_unify_search *search,
                       uint32_t *indexes)
{
    model->parts = calloc(search->count + 1U, sizeof(*model->parts));
    if (model->parts == NULL)
        return false;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct omptape_unify_found *found = &search->list[i];
        if (found->why == NULL && !found->ignored) {
            indexes[model->part_count] = i;
            model->parts[model->part_count++].folder = found->folder;
        }
    }
    return true;
}

static void warn_of_others(struct omptape_unify_model *model, const struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        char text[OMPTAPE_UNIFY_PATH_BYTES + OMPTAPE_UNIFY_ERROR_BYTES];
        const struct omptape_unify_found *found = &search->list[i];
        if (found->why == NULL || found->ignored)
            continue;
        snprintf(text, sizeof(text), "%s is not in the archive: %s",
                 found->folder[0] != '\0' ? found->folder : "a process", found->why);
        omptape_unify_text(&model->warnings, text);
    }
}

static int date(struct omptape_unify_model *model, const struct omptape_unify_offsets *offsets)
{
    struct omptape_unify_clock **clocks = calloc(model->process_count + 1U, sizeof(*clocks));
    if (clocks == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < model->process_count; i++)
        clocks[i] = &model->processes[i].clock;
    int result = omptape_unify_date(&model->dating, clocks, model->process_count, offsets);
    free(clocks);
    return result;
}

static int read_parts(struct omptape_unify_model *model, const char *dir, const uint32_t *indexes,
                      struct omptape_unify_outcome *outcome)
{
    outcome->total = model->part_count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        outcome->part = indexes[i];
        if (omptape_unify_read(model, i, dir) != 0)
            return -1;
        outcome->done++;
    }
    outcome->part = UINT32_MAX;
    return 0;
}

/* Is what lies in the folder itself all there is? A single rank's archive is moved up. */
static bool is_done(const struct omptape_unify_model *model, const struct omptape_unify_offsets *offsets)
{
    if (model->part_count == 0)
        return true;
    if (model->part_count > 1 || model->parts[0].folder[0] != '\0')
        return false;
    return !model->parts[0].unified || offsets->count == 0;
}

static int write_draft(struct omptape_unify_model *model, const char *draft,
                       const struct omptape_unify_offsets *offsets)
{
    if (date(model, offsets) != 0)
        omptape_unify_fail(model, "out of memory");
    if (omptape_unify_failed(model) || omptape_unify_write(model, draft) != 0)
        return -1;
    int result = omptape_unify_plan_write(model, draft);
    if (result != 0)
        omptape_unify_fail(model, "cannot write to %.200s: %s", draft, strerror(-result));
    return result;
}

void omptape_unify_draft(const char *dir, const char *draft, const struct omptape_unify_search *search,
                         const struct omptape_unify_offsets *offsets, struct omptape_unify_outcome *outcome)
{
    struct omptape_unify_model model = {.part_count = 0};
    uint32_t *indexes = calloc(search->count + 1U, sizeof(*indexes));
    enum omptape_unify_result result = OMPTAPE_UNIFY_FAILED;
    outcome->part = UINT32_MAX;
    if (indexes == NULL || !take_parts(&model, search, indexes)) {
        snprintf(outcome->line, sizeof(outcome->line), "out of memory");
    } else if (read_parts(&model, dir, indexes, outcome) == 0) {
        outcome->processes = model.process_count;
        outcome->locations = model.location_count;
        find_missing_ranks(&model, outcome);
        warn_of_others(&model, search);
        if (is_done(&model, offsets))
            result = OMPTAPE_UNIFY_NOTHING_NEW;
        else if (write_draft(&model, draft, offsets) == 0)
            result = OMPTAPE_UNIFY_DRAFTED;
    } else {
        result = model.not_a_part ? OMPTAPE_UNIFY_NO_PART : OMPTAPE_UNIFY_PART_BAD;
    }
    if (model.error[0] != '\0')
        snprintf(outcome->line, sizeof(outcome->line), "%s", model.error);
    omptape_unify_model_free(&model);
    free(indexes);
    outcome->result = result; /* last: after a crash there is none */
}

/* The child must neither print, nor leave a core file, nor outlive its parent. */
static void restrain(pid_t parent)
{
    struct rlimit none = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setrlimit(RLIMIT_CORE, &none);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    setenv("LIBC_FATAL_STDERR_", "1", 1);
}

/* What the parent looks after while the child works. */
struct watch {
    const volatile struct omptape_unify_outcome *outcome;
    int folder;
    struct omptape_progress progress;
    uint32_t seen;
    time_t since;   /* when it last made progress */
    time_t touched; /* when the lock was last touched */
};

/* False: it makes no progress any more. */
static bool tend(struct watch *watch)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (watch->outcome->done != watch->seen) {
        watch->seen = watch->outcome->done;
        watch->since = now.tv_sec;
    }
    if (now.tv_sec - watch->touched >= TOUCH_SECONDS) {
        omptape_unify_touch(watch->folder);
        watch->touched = now.tv_sec;
    }
    if (omptape_progress_is_due(&watch->progress))
        omptape_progress_draw("unifying: %u of %u archives read", watch->seen, watch->outcome->total);
    return now.tv_sec - watch->since < PATIENCE_SECONDS;
}

static void wait_for(pid_t child, struct watch *watch)
{
    struct timespec pause = {.tv_nsec = POLL_FIRST_NS};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    watch->since = watch->touched = now.tv_sec;
    while (waitpid(child, NULL, WNOHANG) == 0) {
        if (!tend(watch)) {
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            return;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < POLL_LAST_NS)
            pause.tv_nsec *= 2;
    }
}

void omptape_unify_draft_apart(const char *dir, const char *draft, const struct omptape_unify_search *search,
                               const struct omptape_unify_offsets *offsets, bool silent,
                               struct omptape_unify_outcome *outcome)
{
    struct omptape_unify_outcome *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *outcome = (struct omptape_unify_outcome){.result = OMPTAPE_UNIFY_FAILED, .part = UINT32_MAX};
    if (shared == MAP_FAILED) {
        snprintf(outcome->line, sizeof(outcome->line), "%s", strerror(errno));
        return;
    }
    struct watch watch = {.outcome = shared, .folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    shared->part = UINT32_MAX;
    fflush(NULL); /* or the child would print it again */
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        restrain(parent);
        omptape_unify_draft(dir, draft, search, offsets, shared);
        _exit(0);
    }
    omptape_progress_begin(&watch.progress, silent);
    if (child > 0)
        wait_for(child, &watch);
    omptape_progress_erase();
    if (child > 0)
        *outcome = *shared;
    else
        snprintf(outcome->line, sizeof(outcome->line), "%s", strerror(errno));
    if (watch.folder >= 0)
        close(watch.folder);
    munmap(shared, sizeof(*shared));
}
