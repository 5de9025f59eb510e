/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Internal interfaces of the files in this folder, which collect findings (findings.c) and compute the other
 * results (results.c). Not for users of the analysis.
 */
#pragma once

#include "src/analysis/state.h"

#include <stddef.h>

enum { ANALYSIS_MIN_INSTANCES = 50 };

/* The user of the processors that threads wanted, by measurements. Times are ns of processor time. The record
 * has them for the whole run. With a window they count by the part of the threads' run-queue time that lies
 * in it, except for `threads` to `busiest`. */
enum analysis_rival {
    ANALYSIS_RIVAL_UNKNOWN,
    ANALYSIS_RIVAL_AFFINITY, /* the program's own threads, bound to fewer processors */
    ANALYSIS_RIVAL_QUOTA,
    ANALYSIS_RIVAL_THREADS, /* threads of the program unknown to OpenMP and MPI */
    ANALYSIS_RIVAL_PROGRAMS,
    ANALYSIS_RIVAL_HYPERVISOR
};
struct analysis_rivals {
    enum analysis_rival kind; /* the rival with the most time */
    double ns;                /* its time */
    double threads;
    double threads_queued; /* run-queue time of these; estimated by those with a location */
    const char *thread;    /* name of the busiest one; NULL if there is none */
    double busiest;        /* time of all threads with that name, ns */
    bool is_known;         /* true if the use of all processors was read; the next three are valid then */
    double programs;
    double nice; /* part of `programs`: those with a positive nice value, which give way to the traced one */
    double hypervisor;
    double quota;      /* time in which the cgroup's threads were throttled, sum, ns */
    double processors; /* the cgroup's limit, in processors */
    double periods;    /* periods of the limit; `throttled` of them were throttled */
    double throttled;
    bool is_used_up;  /* threads used the whole limit: they lost nothing to others */
    double queued;    /* run-queue time of the threads, sum */
    double run_share; /* the part of it of the whole run; 1 without a window */
    double run_ran;   /* processor and run-queue time of the threads in the whole run */
    double run_queued;
    unsigned moved;    /* threads that may use one processor alone since their first region */
    const char *place; /* the processor, if it is the same for all */
};

struct analysis_findings {
    struct analysis_rivals rivals;
    struct analysis_state *state;
    struct omptape_finding *list;
    struct omptape_finding spare; /* returned if out of memory */
    uint32_t count;
    uint32_t capacity;
    uint64_t fewest_processors;   /* of the oversubscribed processes; 0 if there is none */
    double lost_share;            /* of the wall time of regions with too many threads, 0 to 1 */
    double lacking_share;         /* of the time in which a thread wanted a processor and had none, 0 to 1 */
    bool rarely_lacks_processors; /* by readings of the threads */
    bool has_fewer_processors;    /* a process has fewer processors than threads */
    double idle_wall;             /* of parallel regions with idle processors, sum over processes */
    double serial_in_kernel;      /* serial time that findings about the kernel have, sum over processes */
};

/* results.c: computes the results from the sums of all passes: sorted lists, efficiencies, findings and
 * warnings. Called once by src/analysis/reduce/sums.c, after all sums were added. Returns 0 or -ENOMEM. */
int omptape_analysis_results(struct analysis_state *state);

/* findings.c: finds possible gains, largest first. efficiency.c: computes the shares of the time. warnings.c:
 * explains why the archive may be incomplete or misleading. */
void omptape_analysis_findings(struct analysis_state *state);
void omptape_analysis_efficiency(struct analysis_state *state);
void omptape_analysis_warn(struct analysis_state *state);
/* Returns true if all events of all processes were recorded and are analysed, until a normal end. */
bool omptape_findings_is_whole(const struct analysis_state *state);
/* listing.c: lists the rows of each table in the order of the result. Returns 0 or -ENOMEM. */
int omptape_analysis_list_rows(struct analysis_state *state);

/* Returns the finding of this kind at this region, created if necessary. If memory is exhausted, these
 * functions return one that is not listed. */
struct omptape_finding *omptape_findings_at(struct analysis_findings *findings,
                                            enum omptape_finding_kind kind,
                                            const struct analysis_region *region);
/* Return a further finding, and one of a serial part with its count and worst instance. */
struct omptape_finding *omptape_findings_add(struct analysis_findings *findings,
                                             enum omptape_finding_kind kind,
                                             const struct analysis_region *region);
struct omptape_finding *omptape_findings_add_serial(struct analysis_findings *findings,
                                                    enum omptape_finding_kind kind,
                                                    const struct analysis_serial *serial);

/* Sets a cost in wall time, and the part that a change would save. The rest would remain. */
void omptape_findings_set_cost(struct omptape_finding *finding, uint64_t cost, uint64_t gain);
/* Adds a gain that is all of its cost. */
void omptape_findings_add_gain(struct omptape_finding *finding, uint64_t gain);

/* Returns a number that the process recorded about itself; 0 if there is none. */
double omptape_findings_number(const struct omptape_analysis *result, uint32_t process, const char *key);

/* Makes the serial part the finding's place. */
void omptape_findings_set_serial(struct omptape_finding *finding, const struct analysis_serial *serial);

/* Sets the finding's worst instance to the longest of these durations. */
void omptape_findings_set_worst(struct omptape_finding *finding, const struct analysis_durations *durations);

/* findings.c: returns true if a gain in wall time is too small for a finding to be reported. */
bool omptape_findings_is_little(const struct omptape_analysis *result, uint64_t gain);

/* joining.c: merges findings that one change resolves into the finding with the largest gain. The others stay
 * behind it in the list with their gain in `gain_of_others`. A region still gets its own part of the gain. */
void omptape_findings_join(struct analysis_findings *findings);
bool omptape_findings_is_same(const struct analysis_state *state, const struct omptape_finding *one,
                              const struct omptape_finding *other);
/* Returns true if the finding was merged into another one, or has no gain. */
bool omptape_findings_is_joined(const struct omptape_finding *finding);

/* places.c: set file and line of a finding. gcc has no line for some loops. These are placed in the
 * enclosing parallel region, which may not be the one whose threads waited. Nor has clang for a parallel
 * construct that it merges with another one, as in the branches of an `if`. Mostly they share the place of
 * their loops. Also sets the names of all regions for reports. */
void omptape_findings_place(const struct analysis_state *state, struct omptape_finding *finding);
void omptape_findings_name_places(struct analysis_state *state);

/* perturbation.c: computes the cost of tracing; requires the threads' sums. omptape_findings_without returns
 * a gain without the cost of `records` records, in wall time. `records` is the number of one thread, or the
 * sum of all divided by their number. */
void omptape_analysis_perturbation(struct analysis_state *state);
uint64_t omptape_findings_without(const struct analysis_state *state, uint64_t gain, double records);

/* oversubscription.c: must be called first, because it decides which regions have too many threads. */
void omptape_findings_add_oversubscription(struct analysis_findings *findings);
/* Returns true if the region has more threads than processors: in its own teams, or on average together with
 * other teams of the process. */
static inline bool omptape_findings_has_more_threads(const struct analysis_parallel *parallel,
                                                     uint64_t processors)
{
    return (uint64_t)parallel->threads * parallel->outer > processors ||
           (double)parallel->concurrent_time > (double)processors * (double)parallel->attributed_wall;
}
static inline bool omptape_findings_has_too_many(const struct analysis_findings *findings,
                                                 const struct analysis_parallel *parallel)
{
    return findings->fewest_processors > 0 &&
           omptape_findings_has_more_threads(parallel, findings->fewest_processors);
}
/* Returns true for kinds of findings that are consequences of too many threads. */
bool omptape_findings_is_of_oversubscription(enum omptape_finding_kind kind);
/* To be called after all findings were added: reduces waiting that would occur with fewer threads as well. */
void omptape_findings_weigh_oversubscription(struct analysis_findings *findings);

/* preemption.c: return true if context switches of nearly all threads of the process (of all processes) were
 * recorded. Times without a processor are then sums of measured intervals. */
bool omptape_findings_are_measured(const struct analysis_state *state, uint32_t process);
bool omptape_findings_all_measured(const struct analysis_state *state);
/* To be called after the causes of waiting were added. */
void omptape_findings_add_preemption(struct analysis_findings *findings);
/* Returns the share (0 to 1) of the time in which threads had a processor, of the time in which they wanted
 * one. Returns 1 if unknown. */
double omptape_findings_on_processor(const struct omptape_analysis *result);
/* Returns the part (0 to 1) of the run-queue time that was not due to the program's own threads or the
 * writer. */
double omptape_findings_queued_for_others(const struct omptape_analysis *result);
/* Returns the ticks in which a thread at work had no processor. */
uint64_t omptape_findings_queued_at_work(const struct analysis_state *state,
                                         const struct analysis_thread *thread);

/* rivals.c: finds who used the processors; the text for a sentence ("" if unknown), and a proposal. */
struct analysis_rivals omptape_findings_rivals(const struct analysis_state *state);
const char *omptape_rivals_text(struct analysis_state *state, const struct analysis_rivals *rivals);
const char *omptape_rivals_proposal(struct analysis_state *state, const struct analysis_rivals *rivals);
/* Returns a proposal against a limit of processor time. */
const char *omptape_rivals_raise(struct analysis_state *state, const struct analysis_rivals *rivals);
void omptape_findings_add_quota(struct analysis_findings *findings);
/* Returns how many threads use up a limit of `processors`. A fraction above a tenth counts as another thread.
 */
uint64_t omptape_rivals_threads(double processors);
/* Returns a number that the archive has for a location; 0 if there is none. */
uint64_t omptape_rivals_number(const struct analysis_state *state, uint64_t location, const char *name);
/* kernel_time.c: finds regions that spend their time in the kernel. */
void omptape_findings_add_system(struct analysis_findings *findings);
void omptape_describe_system(struct analysis_state *state, struct omptape_finding *finding);
/* Returns true if the programs gave memory back and touched it again: they had more page faults than memory.
 */
bool omptape_findings_gives_back(const struct analysis_state *state);
/* Returns true if the region's kernel time is not longer than its page faults usually take. */
bool omptape_findings_are_page_faults(const struct analysis_state *state,
                                      const struct analysis_region *region);

/* Returns the share (0 to 1) of a serial part before the runtime began to fork a region. With too few
 * processors the first thread waits in the fork for threads without a processor. */
static inline double omptape_findings_before_fork(const struct analysis_serial *serial)
{
    return serial->sum > 0 ? 1 - (double)serial->forking / (double)serial->sum : 1;
}

/* blocked.c: finds serial parts in which the thread was blocked; writes the sentence of such a finding. */
void omptape_findings_add_blocked_serials(struct analysis_findings *findings);
void omptape_describe_blocked(struct analysis_state *state, struct omptape_finding *finding);
/* Returns the proposal for a function that makes system calls, by its name; NULL: none. */
const char *omptape_findings_call_proposal(const char *name);

/* functions.c: finds library functions with a large share of a place, and loops that wait, by samples. */
void omptape_findings_add_functions(struct analysis_findings *findings);
void omptape_describe_functions(struct analysis_state *state, struct omptape_finding *finding);
/* Returns the thread time that samples represent; 0 if unknown. */
double omptape_findings_sampled_time(const struct analysis_state *state, uint64_t samples);
struct omptape_inside_call;
/* Returns the proposal for a call that may be the subject of such a finding, or NULL for all others. */
const char *omptape_findings_function_proposal(const struct omptape_inside_call *call);
/* Returns the proposal for a function that takes a lock of all threads, or NULL for all others. */
const char *omptape_findings_lock_proposal(const struct omptape_inside_call *call);

/* counters.c: finds regions in which the processor waits, by its counters. To be called after
 * omptape_findings_add_system. */
void omptape_findings_add_counted(struct analysis_findings *findings);
void omptape_describe_counted(struct analysis_state *state, struct omptape_finding *finding);

/* tiny_regions.c: finds frequent regions that are so short that fork and join are most of their time. */
bool omptape_findings_is_tiny(const struct analysis_findings *findings,
                              const struct analysis_parallel *parallel);
struct analysis_cause;
/* Returns true if the cause remains where the tiny region is joined with others: threads that differ in
 * their work, or wait for a lock. Its gain must be a tenth of the region's overhead. */
bool omptape_findings_outlives_tiny(const struct analysis_findings *findings,
                                    const struct analysis_parallel *parallel,
                                    const struct analysis_cause *cause);
void omptape_findings_add_tiny(struct analysis_findings *findings);
/* Gives each region of the finding its own part of the gain. `part` (0 to 1) is the share that remains. */
void omptape_findings_keep_tiny(const struct analysis_findings *findings,
                                const struct omptape_finding *finding, double part);

/* waiting.c: makes findings of the causes of waiting and of fine tasks. Requires the findings about
 * oversubscription and tiny regions. */
void omptape_findings_add_waiting(struct analysis_findings *findings);
/* Returns the tasks whose region this is, or NULL. */
const struct analysis_task_site *omptape_findings_task_site(const struct analysis_state *state,
                                                            const struct analysis_region *region);
/* Returns true if creating and handling the tasks costs more than a quarter of their work. Only then is this
 * cost part of a finding about fine tasks. */
bool omptape_findings_are_fine(const struct analysis_state *state, const struct analysis_task_site *site);
/* A graph of tasks with dependences: sums over the parallel regions that have it. */
struct analysis_graph {
    uint64_t chain; /* thread time of the longest chains */
    uint64_t work;  /* thread time of all tasks */
    uint32_t threads;
};
/* Returns the finding's graph of tasks; all zero if it has none. */
struct analysis_graph omptape_findings_graph(const struct analysis_state *state,
                                             const struct omptape_finding *finding);

/* serial_parts.c: finds time in which only one thread works. Called after omptape_findings_add_system. */
void omptape_findings_add_serials(struct analysis_findings *findings);

/* transfers.c: finds messages that could be fewer and larger, and writes the finding's sentence. Finds
 * small and repeated data transfers to and from devices. */
void omptape_findings_add_transfers(struct analysis_findings *findings);
void omptape_findings_add_small_messages(struct analysis_findings *findings);
void omptape_describe_small_messages(struct analysis_state *state, struct omptape_finding *finding);
/* Adds functions of MPI that take a fifth of the run themselves. Called after the findings that explain it.
 */
void omptape_findings_add_calls(struct analysis_findings *findings);
void omptape_describe_calls(struct analysis_state *state, struct omptape_finding *finding);

/* creations.c: finds communicators, windows, files, datatypes and processes that are made again and again,
 * and writes the finding's sentence. */
void omptape_findings_add_creations(struct analysis_findings *findings);
void omptape_describe_creations(struct analysis_state *state, struct omptape_finding *finding);

/* hangs.c: finds who waits for whom at the end of a program that hung. */
void omptape_findings_add_hangs(struct analysis_findings *findings);

/* Returns true for a wait in a parallel region that is not a consequence of too many threads. */
bool omptape_findings_is_waiting_inside(const struct omptape_finding *finding);

/* crowded_nodes.c: finds nodes whose processes have more threads than processors together, although none has
 * alone. Requires the findings about waiting and missing processors, and drops those that are consequences.
 */
void omptape_findings_add_crowded(struct analysis_findings *findings);
/* Returns how long a process's work takes if its threads share it evenly, in ticks. */
double omptape_findings_work(const struct analysis_process *process);
/* Returns the process that works longest, or NULL. It must work for a twentieth of the run, and half of all
 * for less than four fifths of its time. Others would wait for it with a processor for each, too. `*mean`
 * receives the mean time of all, in ticks. */
const struct analysis_process *omptape_findings_most_work(const struct analysis_state *state, double *mean);

/* processors.c: processors of a machine, by their numbers. */
enum { ANALYSIS_MAX_PROCESSORS = 1024 };
struct analysis_processors {
    uint64_t words[ANALYSIS_MAX_PROCESSORS / 64];
};
/* Adds the processors of a list such as "0-3,8". Returns false if the text is no list. */
bool omptape_findings_add_allowed(struct analysis_processors *set, const char *list);
/* Returns how many processors the processes of the node (NULL: all, if they are on one) could
 * use together when OpenMP started. Returns 0 if it is unknown. */
uint32_t omptape_findings_allowed(const struct analysis_state *state, const char *node);
/* Returns how many processors the machine has if the processes could use fewer when OpenMP started, and all
 * are on it; otherwise 0. */
uint64_t omptape_findings_beyond(const struct analysis_state *state);
/* True if the processes could use more processors at their start: the program or a library bound them. */
bool omptape_findings_bound_themselves(const struct analysis_state *state);
/* Returns how many processors the first process's machine has; 0 if unknown. */
uint64_t omptape_findings_online(const struct analysis_state *state);

/* few_threads.c: finds regions with fewer threads than possible, and writes their sentence. */
void omptape_findings_add_few(struct analysis_findings *findings);
void omptape_describe_few(struct analysis_state *state, struct omptape_finding *finding);

/* chunks.c: finds loops with chunks so small that taking one is a large part of the time. */
void omptape_findings_add_chunks(struct analysis_findings *findings);
/* omptape_chunks_cost returns the measured or estimated cost of taking a chunk. omptape_chunks_iteration
 * returns an iteration's time on a processor without that cost. Both in ns; 0 if unknown. */
double omptape_chunks_cost(const struct analysis_state *state, const struct analysis_loop *loop);
bool omptape_chunks_are_measured(const struct analysis_state *state);
double omptape_chunks_iteration(const struct analysis_state *state, const struct analysis_loop *loop);

/* outliers.c: attributes waiting and serial parts to single exceptions, and adds exceptions that nobody
 * waited for. Called after all other findings were merged. */
void omptape_findings_attribute_outliers(struct analysis_findings *findings);
/* Sets the kind of these findings. Called after all gains are known. */
void omptape_findings_set_outlier_kind(struct analysis_findings *findings);
/* Sets text and proposal, if the finding has an outlier. */
void omptape_describe_outlier(struct analysis_state *state, struct omptape_finding *finding);

/* steps.c: orders the instances of each phase, after samples and causes are known. */
void omptape_steps_finish(struct analysis_state *state);
/* With fewer steps there is no usual time. */
enum { OMPTAPE_STEPS_MIN = 8 };
/* Returns the median of the steps' field at this offset, or, if `from` is not 0, of its distance from it. */
uint64_t omptape_steps_median(struct analysis_step *const *steps, uint64_t count, size_t offset,
                              uint64_t from);
/* Returns the offset of all threads' time in a bucket. */
static inline size_t omptape_step_part(enum omptape_bucket bucket)
{
    return offsetof(struct analysis_step, parts) + (size_t)bucket * sizeof(uint64_t);
}
/* Number of equal parts of all steps, between which a trend is looked for. */
enum { OMPTAPE_STEP_QUARTERS = 4 };

/* slow_steps.c: adds slow steps, alone or as part of a finding with the same loss, and trends. Called after
 * omptape_findings_attribute_outliers. */
void omptape_findings_attribute_steps(struct analysis_findings *findings);

/* sentences_steps.c: write the sentences of slow steps and trends. The last function returns the name of the
 * phase that contains the whole finding, or NULL if there is none or several. */
void omptape_describe_slow(struct analysis_state *state, struct omptape_finding *finding);
void omptape_describe_trend(struct analysis_state *state, struct omptape_finding *finding);
const char *omptape_finding_phase(const struct analysis_state *state, const struct omptape_finding *finding);

/* sentences.c: sets the finding's text and proposal. The second function returns what stands before the
 * kind's name within a sentence, with a space: "a "; "" if nothing does. verdict.c: sets the overall verdict.
 */
void omptape_finding_describe(struct analysis_state *state, struct omptape_finding *finding);
const char *omptape_finding_article(enum omptape_finding_kind kind);
void omptape_findings_verdict(struct analysis_state *state);

/* Format a number such as "1,234", a time such as "3.1 us", and a sentence. They belong to the result; "" if
 * out of memory. */
enum { TEXT_BYTES = 768 };
const char *omptape_count_text(const struct analysis_state *state, uint64_t count);
const char *omptape_time_text(const struct analysis_state *state, double ticks);
const char *omptape_sentence(const struct analysis_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the name of the thread at a location; NULL if it is no thread. */
const char *omptape_findings_thread_name(const struct analysis_state *state, uint64_t location);

/* Write the sentences of findings about MPI. */
void omptape_describe_mpi(struct analysis_state *state, struct omptape_finding *finding);
void omptape_describe_mpi_lack(struct analysis_state *state, struct omptape_finding *finding);

/* sentences_processors.c: write the sentences of findings about processors. */
/* Returns the proposal for ranks that have too few processors together. */
const char *omptape_fewer_ranks(const struct analysis_state *state);
void omptape_describe_oversubscription(struct analysis_state *state, struct omptape_finding *finding);
void omptape_describe_preemption(struct analysis_state *state, struct omptape_finding *finding);
void omptape_describe_quota(struct analysis_state *state, struct omptape_finding *finding);
void omptape_describe_late_start(struct analysis_state *state, struct omptape_finding *finding);

/* sentences_loops.c, sentences_work.c: set the finding's text and possibly its proposal. */
/* Returns true if threads differ in a few of many instances, or in one for the most part, and by less than
 * usual interruptions take. */
bool omptape_findings_is_slight(const struct analysis_state *state, const struct omptape_finding *finding);
void omptape_describe_imbalance(struct analysis_state *state, struct omptape_finding *finding);
/* Returns the first key of its rows in state->late. */
uint64_t omptape_findings_late_key(const struct omptape_finding *finding);
/* Returns the process that was waited for most here, or NULL. *all receives the whole waiting, *between the
 * part between polling calls. */
const struct analysis_late *omptape_findings_most_late(const struct analysis_state *state,
                                                       const struct omptape_finding *finding, uint64_t *all,
                                                       uint64_t *between);
/* Returns the part of `between` in which the waiting processes worked. If it is longer than the polling
 * calls, they do so as far as they did not sleep. Without readings of their threads all of it counts as
 * waiting. */
uint64_t omptape_findings_worked_between(const struct analysis_state *state,
                                         const struct omptape_finding *finding, uint64_t all,
                                         uint64_t between);
/* Returns true if at least half of the processes' waiting was for one process. */
bool omptape_findings_is_for_one(const struct analysis_state *state, const struct omptape_finding *finding);
/* Returns true if the awaited process was mostly in a call of MPI itself. */
bool omptape_findings_awaits_waiting(const struct analysis_state *state,
                                     const struct omptape_finding *finding);
void omptape_describe_chunks(struct analysis_state *state, struct omptape_finding *finding);
void omptape_describe_tasks(struct analysis_state *state, struct omptape_finding *finding);
void omptape_describe_tiny(struct analysis_state *state, struct omptape_finding *finding);
