/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the writers for `omptape top`, sends requests to them and receives their answers.
 */
#include "src/command/top/state.h"

#include "src/command/report/state.h"
#include "src/core/array.h"
#include "src/core/clock.h"
#include "src/core/message.h"
#include "src/core/process_stat.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"
#include "src/job/marks.h"
#include "src/job/process.h"
#include <errno.h>
#include <fcntl.h>
#include <omptape/requests.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer answers are discarded. An answer has some bytes for each construct of each thread. If root runs the
 * command, a writer may belong to a malicious user; a definition may then take 40 times its bytes. */
enum { MAX_ANSWER_BYTES = 1 << 26, MAX_ANSWER_BYTES_OF_OTHERS = 1 << 23 };

enum { MAX_ANCESTORS = 64, MAX_LISTED = 8, READ_BYTES = 1 << 16 };

/* Interval of the search for new processes, which lists /proc. It may take a five-hundredth of the time, but
 * new processes are seen in time on nodes with thousands of others, too. */
static const uint64_t shortest_period_ns = 5000000000;
static const uint64_t longest_period_ns = 10000000000;
enum { PART_FOR_SEARCH = 500 };

static bool is_below(pid_t process, pid_t ancestor)
{
    for (int i = 0; process > 1 && i < MAX_ANCESTORS; i++) {
        if (process == ancestor)
            return true;
        process = omptape_process_parent(process);
    }
    return false;
}

static bool is_inside(const char *path, const char *folder)
{
    const char *rest = omptape_text_after(path, folder);
    return rest != NULL && (*rest == '\0' || *rest == '/');
}

/* True if the writer has a file or folder in this folder open, as it has the folder of its archive. */
static bool writes_into(pid_t writer, const char *folder)
{
    char path[64];
    char link[4096];
    (void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)writer);
    DIR *list = opendir(path);
    const struct dirent *entry;
    bool found = false;
    while (list != NULL && !found && (entry = readdir(list)) != NULL) {
        const ssize_t n = readlinkat(dirfd(list), entry->d_name, link, sizeof(link) - 1);
        link[n > 0 ? n : 0] = '\0';
        found = is_inside(link, folder);
    }
    omptape_close_list(list);
    return found;
}

/* Returns true if the program's environment contains this batch job id. */
static bool is_of_job(pid_t program, const char *job)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"};
    char path[64];
    char *variable = NULL;
    size_t capacity = 0;
    bool found = false;
    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)program);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && getdelim(&variable, &capacity, '\0', file) > 0)
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            const size_t length = strlen(names[i]);
            found = found || (strncmp(variable, names[i], length) == 0 && variable[length] == '=' &&
                              strcmp(variable + length + 1, job) == 0);
        }
    free(variable);
    if (file != NULL)
        (void)fclose(file);
    return found;
}

/* Returns true if the process matches the command line's target. */
static bool is_wanted(const struct top *top, const struct omptape_writer_found *found)
{
    const pid_t pid = top->target != NULL ? omptape_parse_pid(top->target) : 0;
    if (top->target == NULL)
        return omptape_process_user(found->writer) == geteuid();
    if (pid > 0)
        return found->writer == pid || is_below(found->program, pid) ||
               is_of_job(found->program, top->target);
    char *folder = realpath(top->target, NULL);
    const bool inside = folder != NULL && writes_into(found->writer, folder);
    free(folder);
    return inside || is_of_job(found->program, top->target);
}

static bool is_known(const struct top *top, const struct omptape_writer_found *found)
{
    for (uint32_t i = 0; i < top->count; i++)
        if (top->processes[i].found.writer == found->writer &&
            top->processes[i].found.program == found->program)
            return true;
    return false;
}

static void free_nodes(struct top *top)
{
    for (uint32_t i = 0; i < top->node_count; i++)
        free(top->nodes[i].name);
    top->node_count = 0;
}

/* Counts a rank on another node; a callback. */
static void count_rank(void *context, int32_t rank, const char *host)
{
    struct top *top = context;
    uint32_t i = 0;
    (void)rank;
    while (i < top->node_count && strcmp(top->nodes[i].name, host) != 0)
        i++;
    if (i == top->node_count) {
        char *name = strdup(host);
        if (name == NULL || !OMPTAPE_RESERVE(top->nodes, top->node_count + 1, &top->node_capacity)) {
            free(name);
            return;
        }
        top->nodes[top->node_count++] = (struct top_node){.name = name};
    }
    top->nodes[i].ranks++;
}

static int compare_nodes(const void *left, const void *right)
{
    return strcmp(((const struct top_node *)left)->name, ((const struct top_node *)right)->name);
}

/* Lists the nodes of other ranks from the marks in the job's folder. */
static void find_nodes(struct top *top)
{
    free_nodes(top);
    if (top->target != NULL && omptape_parse_pid(top->target) == 0)
        omptape_job_marks_on_other_hosts(top->target, count_rank, top);
    omptape_sort(top->nodes, top->node_count, sizeof(*top->nodes), compare_nodes);
}

bool top_describe_nodes(const struct top *top, char *text, size_t bytes)
{
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < top->node_count; i++)
        ranks += top->nodes[i].ranks;
    (void)snprintf(text, bytes, "%u rank%s on %s not shown:", ranks, ranks == 1 ? "" : "s",
                   top->node_count == 1 ? "another node" : "other nodes");
    for (uint32_t i = 0; i < top->node_count && i < MAX_LISTED; i++)
        omptape_append(text, bytes, "%s %s (%u)", i > 0 ? "," : "", top->nodes[i].name, top->nodes[i].ranks);
    if (top->node_count > MAX_LISTED)
        omptape_append(text, bytes, " and %u more", top->node_count - MAX_LISTED);
    return ranks > 0;
}

static int complain(const struct top *top, const struct omptape_traced *others)
{
    const bool is_path = top->target != NULL && omptape_parse_pid(top->target) == 0;
    char nodes[SCREEN_TEXT_BYTES];
    if (top_describe_nodes(top, nodes, sizeof(nodes)))
        omptape_message(
            "top: no program on this node is being traced into %s; %s (omptape top shows them there)",
            top->target, nodes);
    else if (top->target == NULL)
        omptape_message("top: no program of yours is being traced");
    else if (is_path)
        omptape_message("top: no program on this node is being traced into %s%s", top->target, others->text);
    else
        omptape_message("top: process %s is not being traced%s", top->target, others->text);
    return -ESRCH;
}

static int add_process(struct top *top, const struct omptape_writer_found *found)
{
    return OMPTAPE_APPEND(
               top->processes, top->count, top->capacity,
               (struct top_process){.found = *found, .state = TOP_WAITS, .call = {.fd = -1, .other = -1}})
               ? 0
               : -ENOMEM;
}

/* Returns the time until the next search if the last one took `spent`. */
static uint64_t search_period(uint64_t spent)
{
    const uint64_t period = omptape_greater(spent * PART_FOR_SEARCH, shortest_period_ns);
    return period < longest_period_ns ? period : longest_period_ns;
}

int top_find(struct top *top)
{
    struct omptape_writer_found found;
    struct omptape_traced others = {.count = 0};
    int status = 0;
    const uint64_t begin = omptape_clock_thread_ns();
    find_nodes(top);
    omptape_writer_search_begin(&top->search);
    while (status == 0 && omptape_writer_search_next(&top->search, OMPTAPE_TOP_SIGNAL, &found)) {
        if (is_known(top, &found))
            continue;
        if (is_wanted(top, &found))
            status = add_process(top, &found);
        else
            omptape_traced_add(&others, found.program);
    }
    omptape_writer_search_end(&top->search);
    top->next_search_ns = omptape_clock_raw_ns() + search_period(omptape_clock_thread_ns() - begin);
    if (status == -ENOMEM)
        omptape_message("top: out of memory");
    return status == 0 && top->count == 0 ? complain(top, &others) : status;
}

static void end_call(struct top_process *process)
{
    omptape_writer_call_end(&process->call);
    process->accepted = false;
    process->count = 0;
}

static void check_alive(struct top_process *process)
{
    struct omptape_process_stat stat;
    if (omptape_process_stat_of(process->found.writer, &stat) == 0 && !omptape_process_is_dead(&stat))
        return;
    end_call(process);
    process->state = TOP_ENDED;
}

static void ask(struct top_process *process)
{
    check_alive(process);
    const bool pending = process->call.fd >= 0;
    if (process->state == TOP_ENDED)
        return;
    /* A pending request is not repeated. */
    if (pending) {
        process->state = process->has_message ? TOP_SILENT : TOP_WAITS;
        return;
    }
    const int error = omptape_writer_call(&process->call, &process->found, OMPTAPE_TOP_SIGNAL);
    if (error != 0) {
        end_call(process);
        process->state = TOP_ENDED;
        return;
    }
    (void)fcntl(process->call.fd, F_SETFL, O_NONBLOCK);
}

void top_ask(struct top *top)
{
    if (omptape_clock_raw_ns() >= top->next_search_ns)
        (void)top_find(top);
    for (uint32_t i = 0; i < top->count; i++)
        ask(&top->processes[i]);
}

/* Decodes a complete answer and computes the interval since the previous one. */
static void take_message(struct top_process *process)
{
    const unsigned next = process->has_message ? 1 - process->newest : process->newest;
    struct omptape_message message;
    if (omptape_message_read(&message, process->bytes, process->count) != 0 || message.analysis == NULL ||
        report_fold(message.analysis) != 0) {
        omptape_message_free(&message);
        process->state = process->count > 0 ? TOP_UNREADABLE : process->state;
        return;
    }
    top_interval_free(&process->interval);
    omptape_message_free(&process->messages[next]);
    process->messages[next] = message;
    const struct omptape_message *before = process->has_message ? &process->messages[process->newest] : NULL;
    process->newest = next;
    process->has_interval = top_interval_make(&process->interval, before, &process->messages[next]) == 0 &&
                            process->interval.wall > 0;
    process->has_message = true;
    process->is_written = false;
    process->state = TOP_RUNS;
}

/* Reads available bytes. Returns false if the answer is complete or none will come. */
static bool read_some(struct top_process *process)
{
    if (!process->accepted) {
        const int error = omptape_writer_call_accept(&process->call);
        if (error == -EAGAIN)
            return true;
        process->accepted = error == 0;
        if (error != 0)
            return false;
        (void)fcntl(process->call.fd, F_SETFL, O_NONBLOCK);
    }
    const size_t max = process->call.user == geteuid() ? MAX_ANSWER_BYTES : MAX_ANSWER_BYTES_OF_OTHERS;
    while (process->count < max) {
        if (process->capacity - process->count < READ_BYTES) {
            unsigned char *more = realloc(process->bytes, 2 * process->capacity + READ_BYTES);
            if (more == NULL)
                return false;
            process->bytes = more;
            process->capacity = 2 * process->capacity + READ_BYTES;
        }
        const ssize_t n =
            read(process->call.fd, process->bytes + process->count, process->capacity - process->count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n <= 0)
            return false;
        process->count += (size_t)n;
    }
    process->count = 1; /* A part of an answer is none. */
    return false;
}

bool top_wait(struct top *top, int ms, int keys)
{
    struct pollfd *polled = calloc(top->count + (size_t)1, sizeof(*polled));
    bool pending = false;
    if (polled == NULL)
        return true;
    for (uint32_t i = 0; i < top->count; i++) {
        polled[i] = (struct pollfd){.fd = top->processes[i].call.fd, .events = POLLIN};
        pending = pending || polled[i].fd >= 0;
    }
    polled[top->count] = (struct pollfd){.fd = keys, .events = POLLIN};
    const int ready = pending || keys >= 0 ? poll(polled, top->count + (nfds_t)1, ms) : -1;
    for (uint32_t i = 0; i < top->count; i++)
        if (ready > 0 && polled[i].revents != 0 && polled[i].fd >= 0 && !read_some(&top->processes[i])) {
            take_message(&top->processes[i]);
            end_call(&top->processes[i]);
        } else if (ready == 0 && polled[i].fd >= 0 && !top->processes[i].accepted) {
            /* The pipe does not tell that the writer has ended, as its other end is open here. */
            check_alive(&top->processes[i]);
        }
    free(polled);
    pending = false;
    for (uint32_t i = 0; i < top->count; i++)
        pending = pending || top->processes[i].call.fd >= 0;
    return !pending;
}

bool top_is_alive(const struct top *top)
{
    for (uint32_t i = 0; i < top->count; i++)
        if (top->processes[i].state != TOP_ENDED)
            return true;
    return false;
}

void top_free(struct top *top)
{
    for (uint32_t i = 0; i < top->count; i++) {
        struct top_process *process = &top->processes[i];
        omptape_writer_call_end(&process->call);
        top_interval_free(&process->interval);
        omptape_message_free(&process->messages[0]);
        omptape_message_free(&process->messages[1]);
        free(process->bytes);
    }
    free(top->processes);
    free_nodes(top);
    free(top->nodes);
    omptape_writer_search_free(&top->search);
}
