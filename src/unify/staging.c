/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The child process of omptape_unify and the parent's watch over it (staging.h).
 */
#include "src/unify/staging.h"

#include "src/unify/order.h"
#include "src/unify/plan.h"
#include <omptape/properties.h>

#include <errno.h>
#include <fcntl.h>
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

enum { POLL_FIRST_NS = 100000, POLL_LAST_NS = 20000000, PATIENCE_SECONDS = 300 };

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

static int read_parts(struct omptape_unify_model *model, int folder, const uint32_t *indexes,
                      struct omptape_unify_outcome *outcome)
{
    outcome->total = model->part_count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        outcome->part = indexes[i];
        if (omptape_unify_read(model, i, folder) != 0)
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

static int write_staging(struct omptape_unify_model *model, int folder, int staging,
                         const struct omptape_unify_offsets *offsets, struct omptape_unify_outcome *outcome)
{
    if (date(model, offsets) != 0)
        omptape_unify_fail(model, "out of memory");
    else
        omptape_unify_find_unmeasured(&model->dating, offsets, outcome->unmeasured,
                                      sizeof(outcome->unmeasured));
    if (omptape_unify_failed(model) || omptape_unify_write(model, staging) != 0)
        return -1;
    int result = omptape_unify_plan_write(model, folder, staging);
    if (result != 0)
        omptape_unify_fail(model, "cannot write the plan: %s", strerror(-result));
    return result;
}

void omptape_unify_staging(int folder, int staging, const struct omptape_unify_search *search,
                           const struct omptape_unify_offsets *offsets, struct omptape_unify_outcome *outcome)
{
    struct omptape_unify_model model = {.files = -1};
    uint32_t *indexes = calloc(search->count + 1U, sizeof(*indexes));
    enum omptape_unify_result result = OMPTAPE_UNIFY_FAILED;
    outcome->part = UINT32_MAX;
    if (indexes == NULL || !take_parts(&model, search, indexes) ||
        omptape_unify_order(&model, folder, indexes, &outcome->part) != 0) {
        snprintf(outcome->line, sizeof(outcome->line), "out of memory");
    } else if (read_parts(&model, folder, indexes, outcome) == 0) {
        outcome->processes = model.process_count;
        outcome->locations = model.location_count;
        model.written = &outcome->written;
        omptape_unify_find_missing(&model, outcome->missing, sizeof(outcome->missing));
        warn_of_others(&model, search);
        if (is_done(&model, offsets))
            result = OMPTAPE_UNIFY_NOTHING_NEW;
        else if (write_staging(&model, folder, staging, offsets, outcome) == 0)
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
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error as any other */
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
    struct omptape_unify_progress *progress;
    uint32_t read;
    uint32_t written;
    time_t since; /* when it last made progress */
};

/* False: it makes no progress any more. */
static bool tend(struct watch *watch)
{
    const volatile struct omptape_unify_outcome *outcome = watch->outcome;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (outcome->done != watch->read || outcome->written != watch->written) {
        watch->read = outcome->done;
        watch->written = outcome->written;
        watch->since = now.tv_sec;
    }
    if (watch->written == 0)
        omptape_unify_progress_step(watch->progress, "archives read", outcome->total);
    else
        omptape_unify_progress_step(watch->progress, "threads defined", outcome->locations);
    watch->progress->done = watch->written == 0 ? watch->read : watch->written;
    omptape_unify_progress_beat(watch->progress);
    return now.tv_sec - watch->since < PATIENCE_SECONDS;
}

static void wait_for(pid_t child, struct watch *watch)
{
    struct timespec pause = {.tv_nsec = POLL_FIRST_NS};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    watch->since = now.tv_sec;
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

void omptape_unify_staging_apart(int folder, int staging, const struct omptape_unify_search *search,
                                 const struct omptape_unify_offsets *offsets,
                                 struct omptape_unify_progress *progress,
                                 struct omptape_unify_outcome *outcome)
{
    struct omptape_unify_outcome *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *outcome = (struct omptape_unify_outcome){.result = OMPTAPE_UNIFY_FAILED, .part = UINT32_MAX};
    if (shared == MAP_FAILED) {
        snprintf(outcome->line, sizeof(outcome->line), "%s", strerror(errno));
        return;
    }
    struct watch watch = {.outcome = shared, .progress = progress};
    shared->part = UINT32_MAX;
    fflush(NULL); /* or the child would print it again */
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        restrain(parent);
        omptape_unify_staging(folder, staging, search, offsets, shared);
        _exit(0);
    }
    if (child > 0)
        wait_for(child, &watch);
    if (child > 0)
        *outcome = *shared;
    else
        snprintf(outcome->line, sizeof(outcome->line), "%s", strerror(errno));
    munmap(shared, sizeof(*shared));
}
