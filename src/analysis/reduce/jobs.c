/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forks children that each analyse some of an archive's processes (sums.h), and adds up the results, which
 * the children leave in anonymous files.
 */
#include "src/analysis/reduce/sums.h"

#include "src/analysis/reduce/partial.h"
#include "src/analysis/state.h"
#include "src/core/guarded_child.h"
#include "src/core/process_stat.h"
#include "src/folder/atomic_file.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ERROR_BYTES = 1024, POLL_FIRST_NS = 100000, POLL_LAST_NS = 5000000, MAX_JOBS = 1024 };

/* Progress and result of a child, written by the child. */
struct worker {
    volatile uint64_t done;  /* number of events */
    volatile uint64_t beats; /* signs of life */
    int status;              /* result of its work, set at the end */
    char error[ERROR_BYTES];
};

/* Shared memory of parent and children. */
struct board {
    _Atomic uint32_t next; /* index into `order` */
    struct worker workers[];
};

struct child {
    pid_t pid;        /* 0: none, or it has ended */
    uint64_t stopped; /* ns for which the child has been stopped by a signal */
    int result;       /* anonymous file */
    bool good;
};

struct sharing {
    struct analysis_state *sums;
    const uint32_t *order; /* indices of the plan's processes, largest first */
    uint32_t *taken;       /* in shared memory: 1 + number of the child that took each process; 0: none */
    uint32_t count;
    unsigned jobs;
    struct board *board;
    struct child *children;
    uint64_t done; /* the parent's counters before the children began */
    uint64_t beats;
};

/* In a child: takes one process after the other. */
static int take_processes(const struct sharing *sharing, struct analysis_state *sums, unsigned number,
                          char *error, size_t error_bytes)
{
    int status = 0;
    while (status == 0) {
        uint32_t at = atomic_fetch_add(&sharing->board->next, 1);
        if (at >= sharing->count)
            break;
        sharing->taken[at] = number + 1;
        status = omptape_analysis_add_process(sums, sharing->order[at], error, error_bytes);
    }
    return status;
}

static int write_result(int file, const struct analysis_state *sums)
{
    struct omptape_partial partial = {0};
    int status = omptape_partial_write(&partial, sums, 0);
    if (status == 0)
        status = omptape_write_all(file, partial.bytes, partial.count);
    free(partial.bytes);
    return status;
}

static void work(const struct sharing *sharing, unsigned number)
{
    struct worker *worker = &sharing->board->workers[number];
    const struct analysis_plan *plan = sharing->sums->plan;
    struct omptape_analysis_options options = {0};
    if (plan->options != NULL)
        options = *plan->options;
    options.done = &worker->done;
    plan->first->options = &options;
    plan->reader->beats = &worker->beats;
    struct analysis_state *sums = omptape_analysis_sums_begin(plan);
    worker->status =
        sums == NULL ? -ENOMEM : take_processes(sharing, sums, number, worker->error, sizeof(worker->error));
    if (worker->status == 0)
        worker->status = write_result(sharing->children[number].result, sums);
}

/* Runs a child, which is killed if its parent ends. */
static void become_worker(const struct sharing *sharing, unsigned number, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        work(sharing, number);
    _exit(EXIT_SUCCESS);
}

static void start_children(struct sharing *sharing)
{
    pid_t parent = getpid();
    fflush(NULL); /* otherwise the child would print the buffered output again */
    for (unsigned i = 0; i < sharing->jobs; i++) {
        struct child *child = &sharing->children[i];
        child->result = memfd_create("omptape-partial", MFD_CLOEXEC);
        sharing->board->workers[i].status = -ECHILD;
        if (child->result < 0)
            continue;
        pid_t pid = fork();
        if (pid == 0)
            become_worker(sharing, i, parent);
        child->pid = pid > 0 ? pid : 0;
    }
}

/* Adds the children's counters to the parent's earlier ones. */
static void update_progress(const struct sharing *sharing)
{
    const struct analysis_plan *plan = sharing->sums->plan;
    uint64_t done = sharing->done;
    uint64_t beats = sharing->beats;
    for (unsigned i = 0; i < sharing->jobs; i++) {
        done += sharing->board->workers[i].done;
        beats += sharing->board->workers[i].beats;
    }
    if (plan->options != NULL && plan->options->done != NULL)
        *plan->options->done = done;
    if (plan->reader->beats != NULL)
        *plan->reader->beats = beats;
}

static void wait_for_children(struct sharing *sharing)
{
    struct timespec pause = {.tv_nsec = POLL_FIRST_NS};
    bool some = true;
    while (some) {
        some = false;
        for (unsigned i = 0; i < sharing->jobs; i++) {
            struct child *child = &sharing->children[i];
            int status = 0;
            if (child->pid == 0)
                continue;
            pid_t ended = waitpid(child->pid, &status, WNOHANG);
            if (ended == child->pid || (ended < 0 && errno != EINTR)) {
                child->good = ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
                child->pid = 0;
            } else if (omptape_process_is_stopped((int32_t)child->pid, (uint64_t)pause.tv_nsec,
                                                  &child->stopped)) {
                (void)kill(child->pid, SIGKILL); /* its processes are analysed again by the parent */
            }
            some = some || child->pid != 0;
        }
        update_progress(sharing);
        if (some)
            nanosleep(&pause, NULL);
        pause.tv_nsec = 2 * pause.tv_nsec < POLL_LAST_NS ? 2 * pause.tv_nsec : POLL_LAST_NS;
    }
}

/* Adds a child's result. Returns 0; 1 if there is no result, because the child was killed; or a negative
 * errno with one line in `error`. */
static int add_result(const struct sharing *sharing, unsigned number, char *error, size_t error_bytes)
{
    const struct child *child = &sharing->children[number];
    const struct worker *worker = &sharing->board->workers[number];
    struct stat about;
    if (!child->good || worker->status == -ECHILD || worker->status == -ENOMEM)
        return 1;
    if (worker->status != 0) {
        snprintf(error, error_bytes, "%.*s", (int)sizeof(worker->error) - 1,
                 worker->error[0] != '\0' ? worker->error : strerror(-worker->status));
        return worker->status;
    }
    if (fstat(child->result, &about) != 0 || about.st_size <= 0)
        return 1;
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, child->result, 0);
    if (bytes == MAP_FAILED)
        return 1;
    int status =
        omptape_analysis_add_partial(sharing->sums, bytes, (size_t)about.st_size, 0, error, error_bytes);
    munmap(bytes, (size_t)about.st_size);
    return status;
}

/* Adds the results of all children, and analyses the processes of children that were killed. */
static int add_results(const struct sharing *sharing, char *error, size_t error_bytes)
{
    bool lost[MAX_JOBS + 1] = {true}; /* [0]: processes that no child took */
    int status = 0;
    for (unsigned i = 0; i < sharing->jobs && status >= 0; i++) {
        status = add_result(sharing, i, error, error_bytes);
        lost[i + 1] = status > 0;
    }
    for (uint32_t i = 0; i < sharing->count && status >= 0; i++)
        if (lost[sharing->taken[i] <= sharing->jobs ? sharing->taken[i] : 0])
            status = omptape_analysis_add_process(sharing->sums, sharing->order[i], error, error_bytes);
    return status < 0 ? status : 0;
}

static void free_sharing(struct sharing *sharing, size_t board_bytes, size_t taken_bytes)
{
    for (unsigned i = 0; sharing->children != NULL && i < sharing->jobs; i++)
        if (sharing->children[i].result >= 0)
            close(sharing->children[i].result);
    if (sharing->board != NULL)
        munmap(sharing->board, board_bytes);
    if (sharing->taken != NULL)
        munmap(sharing->taken, taken_bytes);
    free(sharing->children);
}

static int share(struct analysis_state *sums, const uint32_t *order, uint32_t count, unsigned jobs,
                 char *error, size_t error_bytes)
{
    const struct analysis_plan *plan = sums->plan;
    struct sharing sharing = {.sums = sums, .order = order, .count = count, .jobs = jobs};
    size_t board_bytes = sizeof(*sharing.board) + jobs * sizeof(sharing.board->workers[0]);
    size_t taken_bytes = count * sizeof(*sharing.taken);
    int status;
    if (plan->options != NULL && plan->options->done != NULL)
        sharing.done = *plan->options->done;
    if (plan->reader->beats != NULL)
        sharing.beats = *plan->reader->beats;
    sharing.board = omptape_guarded_memory(board_bytes);
    sharing.taken = omptape_guarded_memory(taken_bytes);
    sharing.children = omptape_calloc(jobs, sizeof(*sharing.children));
    for (unsigned i = 0; sharing.children != NULL && i < jobs; i++)
        sharing.children[i].result = -1;
    if (sharing.board != NULL && sharing.taken != NULL && sharing.children != NULL) {
        start_children(&sharing);
        wait_for_children(&sharing);
        status = add_results(&sharing, error, error_bytes);
    } else {
        status = -ENOMEM;
    }
    free_sharing(&sharing, board_bytes, taken_bytes);
    return status;
}

int omptape_analysis_add_processes(struct analysis_state *sums, const uint32_t *processes, uint32_t count,
                                   unsigned jobs, char *error, size_t error_bytes)
{
    int status = 0;
    jobs = jobs < count ? jobs : count;
    jobs = jobs < MAX_JOBS ? jobs : MAX_JOBS;
    for (uint32_t i = 0; jobs <= 1 && i < count && status == 0 && !sums->stopped; i++)
        status = omptape_analysis_add_process(sums, processes[i], error, error_bytes);
    if (jobs <= 1)
        return status;
    uint32_t *order = malloc(count * sizeof(*order));
    if (order == NULL)
        return -ENOMEM;
    memcpy(order, processes, count * sizeof(*order));
    omptape_analysis_plan_sort(sums->plan, order, count);
    status = share(sums, order, count, jobs, error, error_bytes);
    free(order);
    return status;
}
