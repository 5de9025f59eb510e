/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds threads that slept while they were at work, and writes the sentences. Blocking in parallel regions is
 * among the causes already. Called by findings.c and sentences.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/archive/read/regions.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

static uint64_t blocked_in(const struct analysis_serial *serial)
{
    return omptape_whole((double)serial->blocked * omptape_findings_before_fork(serial));
}

/* Returns true if the program's other threads may be what is waited for: they ran, or lacked a processor, for
 * half of the blocked time. Their sums do not show when that was. */
static bool may_await_threads(const struct analysis_state *state, const struct analysis_rivals *rivals,
                              uint64_t blocked)
{
    const double wanted = (rivals->threads + rivals->threads_queued) / state->ns_per_tick;
    return rivals->thread != NULL && blocked > 0 && 2 * wanted >= (double)blocked;
}

/* Returns the part of the blocked time that remains if OpenMP's threads share what the program's other
 * threads do. They would lack processors for as long. If the others ran at the same time, each of them has
 * its part of that. */
static double remaining_part(const struct analysis_findings *findings, double threads)
{
    const struct analysis_state *state = findings->state;
    const double ran = findings->rivals.threads / state->ns_per_tick;
    const double queued = findings->rivals.threads_queued / state->ns_per_tick;
    uint64_t blocked = 0;
    for (uint32_t i = 0; i < state->serials.count; i++)
        omptape_add(&blocked, blocked_in(state->serials.list[i].value));
    if (!may_await_threads(state, &findings->rivals, blocked))
        return 0;
    const double at_once = ran + queued > (double)blocked ? (ran + queued) / (double)blocked : 1;
    const double part = (ran / threads + queued / at_once) / (double)blocked;
    return part < 1 ? part : 1;
}

/* Returns the part of the blocked time that is no waiting of processes that sleep between calls that ask. */
static double part_at_work(const struct analysis_state *state)
{
    uint64_t asking = 0;
    uint64_t blocked = 0;
    for (uint32_t i = 0; i < state->late.count; i++) {
        const struct analysis_late *late = state->late.list[i].value;
        const struct analysis_process *waiter = omptape_analysis_process(state, late->waiter);
        const uint64_t most = waiter != NULL ? waiter->parts[OMPTAPE_BUCKET_BLOCKED] : UINT64_MAX;
        omptape_add(&asking, late->between < most ? late->between : most);
    }
    for (uint32_t i = 0; i < state->serials.count; i++)
        omptape_add(&blocked, blocked_in(state->serials.list[i].value));
    return asking < blocked ? (double)(blocked - asking) / (double)blocked : 0;
}

/* No thread of OpenMP's works meanwhile, so all blocked time is wall time. */
void omptape_findings_add_blocked_serials(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const double threads = omptape_analysis_mean_threads(state->result);
    const double remains = remaining_part(findings, threads);
    const double part = part_at_work(state);
    for (uint32_t i = 0; i < state->serials.count; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        const uint64_t blocked = omptape_whole(part * (double)blocked_in(serial));
        if (blocked == 0)
            continue;
        struct omptape_finding *finding =
            omptape_findings_add_serial(findings, OMPTAPE_FINDING_BLOCKED, serial);
        omptape_findings_set_cost(finding, blocked,
                                  omptape_minus(blocked, omptape_whole(remains * (double)blocked)));
        finding->blocked_time = blocked;
        finding->blocked_threads = 1;
        finding->waited = omptape_whole((double)blocked * (threads - 1));
    }
}

/* Counts how often threads were seen asleep, waiting for a disk, and stopped by a signal. Counts the thread
 * `only`, or all threads if `all`. */
struct seen {
    uint64_t asleep;
    uint64_t disk;
    uint64_t stopped;
};

static struct seen look_at_states(const struct analysis_state *state, uint64_t only, bool all)
{
    const struct omptape_analysis *result = state->result;
    struct seen seen = {.asleep = 0};
    for (uint32_t i = 0; i < result->thread_count && !state->windowed; i++) {
        const uint64_t id = result->thread_list[i].location->id;
        if (!all && id != only)
            continue;
        seen.asleep += omptape_rivals_number(state, id, OMPTAPE_LOCATION_SEEN_BLOCKED);
        seen.disk += omptape_rivals_number(state, id, OMPTAPE_LOCATION_SEEN_DISK);
        seen.stopped += omptape_rivals_number(state, id, OMPTAPE_LOCATION_SEEN_STOPPED);
    }
    return seen;
}

static bool were_stopped(const struct seen *seen)
{
    return 2 * seen->stopped > seen->asleep;
}

/* Returns true if threads in state D wait for the process's memory map: faults block while another changes
 * it. */
static bool wait_for_map(const struct analysis_state *state, const struct omptape_finding *finding,
                         const struct seen *seen)
{
    const double least_ns = 30e6;
    return finding->serial == NULL && finding->region != NULL && 2 * seen->disk > seen->asleep &&
           (double)finding->region->system * state->ns_per_tick > least_ns &&
           omptape_findings_are_page_faults(state, finding->region);
}

/* Returns the reason for the sleep, as far as the record shows it. */
static const char *describe_why(struct analysis_state *state, const struct seen *seen, bool for_map)
{
    enum { FEW_LOOKS = 3 };
    if (for_map)
        return omptape_sentence(state,
                                " (in %" PRIu64 " of %" PRIu64
                                " looks in state D, as page faults are while another thread changes the "
                                "process's memory map)",
                                seen->disk, seen->asleep);
    /* One look is enough: no thread is in state T but for this. */
    if (seen->stopped > seen->disk)
        return omptape_sentence(state,
                                " (stopped by a signal or a debugger in %" PRIu64 " of %" PRIu64
                                " looks: SIGSTOP, Ctrl-Z, a batch system that suspends jobs)",
                                seen->stopped, seen->asleep);
    if (seen->asleep < FEW_LOOKS)
        return " (input, output, another program, or a lock that is not OpenMP's)";
    if (seen->disk == 0)
        return omptape_sentence(
            state,
            " (a sleep, a pipe, a socket, another program, or a lock that is not OpenMP's; in "
            "none of %" PRIu64 " looks for a disk)",
            seen->asleep);
    return omptape_sentence(
        state, " (%s; in %" PRIu64 " of %" PRIu64 " looks for a disk or a network's file system: state D)",
        2 * seen->disk > seen->asleep ? "mostly input or output" : "input or output among them", seen->disk,
        seen->asleep);
}

static const char keep_memory[] =
    "keep the memory and use it again: each change of the map stops the other threads' page faults";

/* System calls and functions that make them, by prefix, with a proposal. The longest prefix counts, in
 * whichever row it is. */
enum { MAX_CALLS = 24 };
static const struct {
    const char *names[MAX_CALLS];
    const char *proposal;
} kernel_calls[] = {
    {{"fsync", "fdatasync", "sync", "msync"},
     "sync less often, for several records at once, or in a thread of its own while the others go on"},
    {{"nanosleep", "clock_nanosleep", "usleep", "sleep", "thrd_sleep"},
     "the program sleeps by itself: do it less often, wait for what it sleeps for, or let other work go on "
     "meanwhile"},
    {{"pthread_mutex", "pthread_rwlock", "pthread_spin", "mtx_lock", "lll_lock"},
     "a lock that is not OpenMP's: hold it for less, use several, or sum up in each thread and join at the "
     "end"},
    {{"pthread_join", "pthread_clockjoin", "std::thread::join", "thrd_join"},
     "a thread is awaited that the program began: its work in a task of OpenMP, or right here; or threads "
     "that stay and take the pieces in turn"},
    {{"pthread_barrier"}, "share the work out evenly among the threads that meet there"},
    {{"pthread_cond", "sem_", "new_sem_", "futex", "pthread_once"},
     "another thread of the program is awaited: let other work go on meanwhile"},
    {{"fseek", "ftell", "rewind", "fsetpos"},
     "go through the file in order: each such call empties the stream's buffer; or pread, or mmap"},
    {{"read", "pread", "fread", "fgets", "getline", "recv", "accept", "getc"},
     "read ahead, more at a time, or let other work go on meanwhile"},
    {{"write", "pwrite", "fwrite", "fflush", "send", "fputs", "fclose", "fprintf", "vfprintf",
      "buffered_vfprintf", "puts", "std::ostream::flush", "std::endl", "std::basic_ostream<..>::flush"},
     "write more at a time, or in a thread of its own while the others go on"},
    {{"wait", "system", "do_system", "popen", "pclose", "posix_spawn"},
     "another program is awaited: let other work go on meanwhile"},
    {{"poll", "select", "ppoll", "pselect", "epoll"}, "it waits for input: let other work go on meanwhile"},
    {{"rand", "random", "drand48", "lrand48"},
     "a generator for each thread: rand_r, erand48, or std::mt19937 in a private variable"},
    {{"mmap", "munmap", "mremap", "madvise", "mprotect", "brk", "sbrk", "malloc_trim"}, keep_memory},
    {{"malloc", "free", "calloc", "realloc"},
     "allocate once, before the loop or in each thread; or another allocator (jemalloc, tcmalloc)"},
    {{"open", "close", "lseek", "readdir", "fopen", "std::locale", "setlocale", "newlocale", "freelocale"},
     "open it once, before the loop"},
    {{"_gfortran_st_open", "_gfortran_st_close", "_FortranAioBeginOpen", "_FortranAioBeginClose"},
     "open it once, before the loop"},
    {{"std::random_device", "getrandom", "getentropy", "arc4random"},
     "a generator for each thread (std::mt19937, rand_r) with such a number as its seed"},
    {{"clock", "times", "gettimeofday"}, "ask for the time less often"},
    {{"stat",        "fstat",        "lstat",      "access",      "readlink", "syscall", "getpid", "getppid",
      "gettid",      "getrusage",    "sysinfo",    "uname",       "ioctl",    "sysconf", "getpw",  "getgr",
      "getaddrinfo", "freeaddrinfo", "getifaddrs", "freeifaddrs", "gethost",  "getcwd"},
     "ask once, before the loop"},
    {{"pthread_create", "std::thread", "clone", "pthread_clone"},
     "tasks of OpenMP, or threads that stay and take the pieces in turn"},
    {{"sigsetjmp", "setjmp", "siglongjmp", "longjmp", "sigprocmask", "pthread_sigmask", "sigaction", "signal",
      "getcontext", "setcontext", "swapcontext"},
     "change the mask of signals less often: sigsetjmp(place, 0) leaves it as it is"},
    {{"dlsym", "dlvsym", "dlopen", "dlclose"}, "look it up once, before the loop"},
    {{"localtime", "gmtime", "mktime", "strftime", "tzset"},
     "keep the last result in each thread, and change only what differs from it"},
    {{"sched_yield", "sched_setaffinity", "pthread_setaffinity", "sched_getaffinity"},
     "do it less often, or wait where the runtime knows of it"},
};

const char *omptape_findings_call_proposal(const char *name)
{
    const char *proposal = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof(kernel_calls) / sizeof(kernel_calls[0]); i++)
        for (const char *const *prefix = kernel_calls[i].names; *prefix != NULL; prefix++)
            if (strlen(*prefix) > longest && omptape_starts_with(name, *prefix)) {
                longest = strlen(*prefix);
                proposal = kernel_calls[i].proposal;
            }
    return proposal;
}

/* Returns true if all threads sleep in the function of a lock for nearly the whole run. Then none of them may
 * have the lock, or each has one that another one wants. */
static bool is_deadlock(const struct analysis_state *state, const struct omptape_finding *finding,
                        const char *name)
{
    static const char *const locks[] = {"pthread_mutex_lock", "pthread_rwlock_", "lll_lock", NULL};
    const double nearly_all = 0.9;
    const struct omptape_analysis *result = state->result;
    const double wall = (double)omptape_minus(result->end, result->begin);
    return finding->blocked_threads > 1 && finding->blocked_threads >= result->threads &&
           omptape_starts_with_one_of(name, locks) &&
           (double)finding->blocked_time >= nearly_all * wall * (double)finding->blocked_threads;
}

/* Sets text and proposal by the call in which threads were found asleep. Returns false if it is unknown. */
static bool describe_call(struct analysis_state *state, const struct omptape_finding *finding,
                          const char **text, const char **proposal)
{
    enum { FEW_LOOKS = 3 };
    struct omptape_inside inside;
    char call[TEXT_BYTES / 2];
    char name[TEXT_BYTES / 4] = "";
    if (!omptape_inside_gather(state->result, finding->region, finding->serial, &inside))
        return false;
    const struct omptape_inside_entry *most = omptape_inside_most_blocked(&inside);
    const bool found = most != NULL && most->call.mark != OMPTAPE_INSIDE_STOPPED &&
                       most->blocked >= FEW_LOOKS && 3 * most->blocked >= inside.blocked;
    if (found) {
        *text = omptape_sentence(state, ": in %s (%" PRIu64 " of %" PRIu64 " looks)",
                                 omptape_inside_describe(&most->call, call, sizeof(call)), most->blocked,
                                 inside.blocked);
        if (most->call.called.function != NULL)
            omptape_inside_plain_name(most->call.called.function, name, sizeof(name));
        /* A wait for which the C library has no function calls `syscall`, as std::atomic::wait does. */
        const bool is_named = most->call.own.function != NULL && strcmp(name, "syscall") != 0;
        *proposal = is_named ? omptape_findings_call_proposal(name) : NULL;
        /* A thread that starts a program sleeps in clone, on another stack, until that runs. */
        if (omptape_starts_with(name, "clone"))
            *proposal = "another program begins each time (system, popen, posix_spawn): begin it less often, "
                        "or do here what it does";
        if (is_deadlock(state, finding, name))
            *proposal = "if each has a lock for which another one waits: take locks in the same order "
                        "everywhere, or at once (std::scoped_lock); else look for the thread that has it";
        if (*proposal == NULL)
            *proposal = "let other work go on meanwhile, or do it less often";
    }
    omptape_inside_free(&inside);
    return found;
}

/* Sets text and proposal by a function that takes a lock of all threads, if samples show one. Short sleeps
 * are rarely seen, and that thread sleeps where another one has the lock. Returns false if there is none. */
static bool describe_lock(struct analysis_state *state, const struct omptape_finding *finding,
                          const char **text, const char **proposal)
{
    enum { MIN_SAMPLES = 5, INVERSE_MIN_SHARE = 10 };
    struct omptape_inside inside;
    char call[TEXT_BYTES / 2];
    bool found = false;
    if (finding->serial != NULL || finding->blocked_threads == 0 ||
        !omptape_inside_gather(state->result, finding->region, NULL, &inside))
        return false;
    for (uint32_t i = 0; i < inside.entry_count && !found; i++) {
        const struct omptape_inside_entry *entry = &inside.entries[i];
        const char *helps = omptape_findings_lock_proposal(&entry->call);
        if (helps == NULL || entry->count < MIN_SAMPLES || INVERSE_MIN_SHARE * entry->count < inside.count)
            continue;
        found = true;
        *proposal = helps;
        *text = omptape_sentence(
            state, ", most likely for the lock of %s (%" PRIu64 " of %" PRIu64 " samples)",
            omptape_inside_describe(&entry->call, call, sizeof(call)), entry->count, inside.count);
    }
    omptape_inside_free(&inside);
    return found;
}

static const char *blocked_proposal(const struct seen *seen, bool holds, bool for_map)
{
    if (for_map)
        return keep_memory;
    if (were_stopped(seen))
        return "trace a run that nobody stops";
    if (2 * seen->disk > seen->asleep)
        return "write or read more at a time, sync less often, or let other work go on meanwhile: strace -f "
               "shows the calls";
    if (holds)
        return "omptape does not see for what: strace -f, or perf trace, shows the calls; do it less often, "
               "or "
               "without the lock, before or after it";
    return "omptape does not see for what: strace -f, or perf trace, shows the calls; let other work go on "
           "meanwhile, or do it less often";
}

/* Returns the call in which the gathered thread was mostly asleep, or NULL. Writes its name to `name`. */
static const struct omptape_inside_entry *find_sleep(const struct omptape_inside *inside, char *name,
                                                     size_t bytes)
{
    enum { FEW_LOOKS = 3 };
    const struct omptape_inside_entry *most = omptape_inside_most_blocked(inside);
    if (most == NULL || most->call.mark == OMPTAPE_INSIDE_STOPPED || most->blocked < FEW_LOOKS ||
        2 * most->blocked < inside->blocked || most->call.called.function == NULL)
        return NULL;
    omptape_inside_plain_name(most->call.called.function, name, bytes);
    return most;
}

/* Returns true for calls that wait for a thread of the program: one asleep there has no work itself. */
static bool awaits_thread(const char *name)
{
    static const char *const calls[] = {"pthread_cond", "sem_",         "new_sem_",    "futex",
                                        "pthread_once", "pthread_join", "std::thread", NULL};
    return omptape_starts_with_one_of(name, calls);
}

/* What a thread that OpenMP does not know does, as far as its samples show it. */
struct doing {
    const char *text;     /* ", 81 % of 120 samples in compute @a.cpp:12, asleep in ...", or "" */
    const char *proposal; /* of the call in which it sleeps for itself; NULL: none */
    uint64_t asleep;      /* looks that found it in that call */
};

static struct doing describe_thread(const struct analysis_state *state, const char *thread)
{
    char place[TEXT_BYTES / 8];
    char name[TEXT_BYTES / 8];
    struct omptape_inside inside;
    struct doing doing = {.text = ""};
    if (!omptape_inside_gather_thread(state->result, thread, &inside))
        return doing;
    const struct omptape_inside_entry *most = inside.entries;
    for (uint32_t i = 0; i < inside.entry_count; i++)
        most = inside.entries[i].count > most->count ? &inside.entries[i] : most;
    if (inside.count >= OMPTAPE_INSIDE_FEW)
        doing.text = omptape_sentence(state, ", %.0f %% of %" PRIu64 " samples in %s",
                                      100 * (double)most->count / (double)inside.count, inside.count,
                                      omptape_inside_describe(&most->call, place, sizeof(place)));
    const struct omptape_inside_entry *sleep = find_sleep(&inside, name, sizeof(name));
    if (sleep != NULL && !awaits_thread(name)) {
        doing.proposal = omptape_findings_call_proposal(name);
        doing.asleep = sleep->blocked;
        doing.text =
            omptape_sentence(state, "%s, %" PRIu64 " looks found it asleep in %s", doing.text, sleep->blocked,
                             omptape_inside_describe(&sleep->call, place, sizeof(place)));
    }
    omptape_inside_free(&inside);
    return doing;
}

/* An awaited thread's sleep is proposed to change if it is at least this part of the wait. */
enum { PART_ASLEEP = 4 };

/* Returns the other thread for whose end this one was most often found waiting; NULL after a few looks. */
static const struct omptape_definition *find_joined(const struct analysis_state *state, uint64_t waiting)
{
    uint64_t most = 2;
    const struct omptape_reader *reader = state->reader;
    const struct omptape_definition *joined = NULL;
    const struct omptape_definition *waiter = omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, waiting);
    const struct omptape_definition *tid =
        omptape_reader_location_property(reader, waiting, "OS thread id", OTF2_TYPE_STRING);
    for (const struct omptape_definition *location = reader->first[OMPTAPE_DEF_LOCATION];
         location != NULL && waiter != NULL && tid != NULL; location = location->next) {
        const uint64_t looks = omptape_rivals_number(state, location->id, OMPTAPE_LOCATION_SEEN_JOINING);
        const uint64_t joiner = omptape_rivals_number(state, location->id, OMPTAPE_LOCATION_JOINED_BY);
        if (looks <= most || !omptape_location_is_other(reader, location) ||
            location->refs[1].id != waiter->refs[1].id ||
            joiner != strtoull(omptape_reader_string(reader, tid->value[1]), NULL, 10))
            continue;
        most = looks;
        joined = location;
    }
    return joined;
}

/* Names the thread that the finding's thread waits for. Returns false if the record does not show it. */
static bool describe_joined(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_definition *joined =
        finding->blocked_threads == 1 ? find_joined(state, finding->worst.location) : NULL;
    if (joined == NULL)
        return false;
    const struct omptape_definition *name = omptape_reader_location_property(
        state->reader, joined->id, OMPTAPE_LOCATION_OTHER_THREAD, OTF2_TYPE_STRING);
    const uint64_t ran = omptape_rivals_number(state, joined->id, OMPTAPE_LOCATION_RUNNING);
    const uint64_t looks = omptape_rivals_number(state, joined->id, OMPTAPE_LOCATION_SEEN_JOINING);
    const struct doing doing = describe_thread(state, omptape_reader_string(state->reader, name->value[1]));
    finding->text = omptape_sentence(
        state, "%s; in %" PRIu64 " look%s it waited for the end of the thread %s, which ran for %s%s",
        finding->text, looks, looks == 1 ? "" : "s",
        omptape_reader_name(state->reader, OMPTAPE_DEF_LOCATION, joined->id),
        omptape_time_text(state, (double)ran / state->ns_per_tick), doing.text);
    finding->proposal =
        doing.proposal != NULL && PART_ASLEEP * doing.asleep >= looks
            ? doing.proposal
            : "do the work of that thread in a parallel region, or let OpenMP's threads go on "
              "meanwhile";
    return true;
}

/* Mentions threads unknown to OpenMP if they ran for about as long as the serial thread slept, because it may
 * wait for them. Their sums do not show when they ran, so the sentence claims no more. */
static void describe_others_compute(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    const double ran = rivals.threads / state->ns_per_tick;
    const double wall = (double)omptape_minus(result->end, result->begin);
    if (finding->serial == NULL || !may_await_threads(state, &rivals, finding->blocked_time) || wall <= 0)
        return;
    finding->text = omptape_sentence(
        state,
        "%s; the program's other threads, which OpenMP does not know, run for %s, most of all %s (%.0f %% of "
        "a processor over the run%s): it may wait for these",
        finding->text, omptape_time_text(state, ran), rivals.thread,
        100 * rivals.busiest / state->ns_per_tick / wall, describe_thread(state, rivals.thread).text);
    finding->proposal =
        "if it waits for that thread: do its work in a parallel region, or let OpenMP's threads go "
        "on meanwhile";
}

/* Returns how many looks at each of the finding's threads found it asleep for another thread of the program.
 * Returns 0 if they mostly sleep for something else. */
static uint64_t looks_awaiting(const struct analysis_state *state, const struct omptape_finding *finding)
{
    struct omptape_inside inside;
    char name[TEXT_BYTES / 8];
    if (!omptape_inside_gather(state->result, finding->region, finding->serial, &inside))
        return 0;
    const struct omptape_inside_entry *sleep = find_sleep(&inside, name, sizeof(name));
    const uint64_t looks = sleep != NULL && awaits_thread(name) ? sleep->blocked : 0;
    omptape_inside_free(&inside);
    return finding->blocked_threads > 1 ? looks / finding->blocked_threads : looks;
}

/* Returns true if another thread that OpenMP does not know ran for half of the wait: it may be awaited, too.
 */
static bool does_another_run(const struct analysis_state *state, const struct analysis_rivals *rivals,
                             const struct omptape_finding *finding, const char *thread)
{
    const uint64_t threads = finding->blocked_threads > 1 ? finding->blocked_threads : 1;
    return rivals->thread != NULL && strcmp(rivals->thread, thread) != 0 &&
           2 * rivals->busiest / state->ns_per_tick * (double)threads >= (double)finding->blocked_time;
}

/* Mentions a thread unknown to OpenMP that writes, if the finding's threads wait for one of the program's. An
 * idle thread also sleeps, but not in these calls. */
static bool describe_awaited(struct analysis_state *state, struct omptape_finding *finding)
{
    static const char *const writing[] = {"fsync",  "fdatasync", "sync",   "msync", "write",
                                          "pwrite", "fwrite",    "fflush", NULL};
    const struct omptape_analysis *result = state->result;
    char place[TEXT_BYTES / 4];
    char name[TEXT_BYTES / 8];
    const uint64_t looks = looks_awaiting(state, finding);
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    uint64_t most = 0;
    const char *text = finding->text;
    for (uint32_t i = 0; i < result->sampled_count && looks > 0; i++) {
        const char *thread = result->sampled[i]->thread;
        struct omptape_inside inside;
        if (thread == NULL || does_another_run(state, &rivals, finding, thread) ||
            !omptape_inside_gather_thread(result, thread, &inside))
            continue;
        const struct omptape_inside_entry *sleep = find_sleep(&inside, name, sizeof(name));
        if (sleep != NULL && sleep->blocked > most && PART_ASLEEP * sleep->blocked >= looks &&
            omptape_starts_with_one_of(name, writing)) {
            most = sleep->blocked;
            finding->text = omptape_sentence(state,
                                             "%s; %" PRIu64 " of %" PRIu64
                                             " looks at thread %s, which OpenMP does not know, found it in "
                                             "%s: %s may wait for that",
                                             text, most, inside.blocked, thread,
                                             omptape_inside_describe(&sleep->call, place, sizeof(place)),
                                             finding->blocked_threads > 1 ? "they" : "it");
            finding->proposal = omptape_findings_call_proposal(name);
        }
        omptape_inside_free(&inside);
    }
    return most > 0;
}

void omptape_describe_blocked(struct analysis_state *state, struct omptape_finding *finding)
{
    const char *name = omptape_findings_thread_name(state, finding->worst.location);
    const bool many = finding->blocked_threads > 1;
    const bool holds =
        finding->serial == NULL && omptape_analysis_of_region(&state->lock_sites, finding->region) != NULL;
    const struct seen seen = look_at_states(state, finding->worst.location, many);
    const char *lacked = omptape_time_text(state, (double)finding->blocked_time);
    const char *others = finding->serial == NULL && finding->waited > 0
                             ? omptape_sentence(state, "; the others wait %s in all for that",
                                                omptape_time_text(state, (double)finding->waited))
                             : "";
    const char *who = many ? omptape_sentence(state, "%" PRIu64 " threads", finding->blocked_threads)
                      : finding->serial != NULL || name == NULL ? "the one thread that works here"
                                                                : name;
    const char *longest = many && name != NULL ? omptape_sentence(state, ", longest %s", name) : "";
    const char *why;
    const char *proposal;
    const bool known = !were_stopped(&seen) &&
                       (describe_call(state, finding, &why, &proposal) ||
                        (2 * seen.disk <= seen.asleep && describe_lock(state, finding, &why, &proposal)));
    if (!known) {
        const bool for_map = wait_for_map(state, finding, &seen);
        why = describe_why(state, &seen, for_map);
        proposal = blocked_proposal(&seen, holds, for_map);
    }
    if (finding->blocked_threads == 0)
        finding->text =
            omptape_sentence(state, "the last thread to come slept or waited before%s%s", why, others);
    else
        finding->text = omptape_sentence(state, "%s sleep%s or wait%s%s: %s in all%s%s%s", who,
                                         many ? "" : "s", many ? "" : "s",
                                         !holds ? ""
                                         : many ? ", while they have the lock"
                                                : ", while it has the lock",
                                         lacked, longest, why, others);
    finding->proposal = proposal;
    if (!describe_joined(state, finding) && !describe_awaited(state, finding))
        describe_others_compute(state, finding);
}
