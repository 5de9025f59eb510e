/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings while they are gathered (findings.c), and what else results.c puts together. Not for the users of
 * the analysis.
 */
#pragma once

#include "src/analysis/state.h"

#include <stddef.h>

enum { ANALYSIS_LEAST_INSTANCES = 50 };

/* Who had the processors that threads wanted, as far as that was measured: ns of processor time. */
enum analysis_rival {
    ANALYSIS_RIVAL_UNKNOWN,
    ANALYSIS_RIVAL_AFFINITY, /* the program's own threads, bound to fewer processors */
    ANALYSIS_RIVAL_QUOTA,
    ANALYSIS_RIVAL_THREADS, /* of the program, that OpenMP and MPI do not know */
    ANALYSIS_RIVAL_PROGRAMS,
    ANALYSIS_RIVAL_HYPERVISOR
};
struct analysis_rivals {
    enum analysis_rival kind; /* the one that had most, */
    double ns;                /* ...so much */
    double threads;
    const char *thread; /* the busiest one's name; NULL: there is none */
    double busiest;     /* ns that all of that name ran */
    bool is_known;      /* what all processors did was read: */
    double programs;
    double hypervisor;
    double quota;      /* its cgroup's threads were stopped for so long, all together, */
    double processors; /* ...by this limit, */
    double periods;    /* ...in so many of these periods */
    double throttled;
    bool is_used_up;   /* the limit is what the threads have had: they lost nothing to others, */
    double queued;     /* ...but wanted a processor for so long, all together */
    unsigned moved;    /* threads that since their first region may run on one processor alone, */
    const char *place; /* ...the same for all */
};

struct analysis_findings {
    struct analysis_rivals rivals;
    struct analysis_state *state;
    struct omptape_finding *list;
    uint32_t count;
    uint32_t room;
    uint64_t processors; /* of an oversubscribed process, the fewest; 0: there is none */
    double lost;         /* 0 to 1: of the wall of regions with more threads, what that costs */
    double lacking;      /* 0 to 1: of the time, in which a thread wanted a processor and had none */
    bool has_fewer;      /* some process has fewer processors than threads */
    double unworked;     /* wall, of all processes: parallel regions less what such processors worked */
    double in_kernel;    /* time of serial parts that findings about the kernel have, of all processes */
};

/* findings.c: what there is to win, the most first. efficiency.c: the shares of the time. warnings.c: why the
 * archive may say less than it seems to. */
void omptape_analysis_findings(struct analysis_state *state);
void omptape_analysis_efficiency(struct analysis_state *state);
void omptape_analysis_warn(struct analysis_state *state);

/* the one of this kind at this region, a new one if there is none. NULL: no memory. */
struct omptape_finding *omptape_findings_at(struct analysis_findings *findings,
                                            enum omptape_finding_kind kind,
                                            const struct analysis_region *region);

/* Its worst instance is the longest of these. */
void omptape_findings_set_worst(struct omptape_finding *finding, const struct analysis_durations *durations);

/* joining.c: makes one finding, at the one that costs most, of those that are mended together. The others
 * stay behind it in the list, joined: all elsewhere. What each region has of it is told if the whole is. */
void omptape_findings_join(struct analysis_findings *findings);
bool omptape_findings_is_same(const struct omptape_finding *one, const struct omptape_finding *other);
/* Nothing of it is its own: it was joined to another one (or is nothing). */
bool omptape_findings_is_joined(const struct omptape_finding *finding);

/* places.c: file and line. gcc has no line for some loops: these are in the parallel region next around,
 * which need not be the one whose threads waited. clang has none for a parallel construct of which it makes
 * one call with another one, as in the branches of an `if`: mostly these are one with their loops. And what
 * all regions are called where people read it. */
void omptape_findings_place(const struct analysis_state *state, struct omptape_finding *finding);
void omptape_findings_name_places(struct analysis_state *state);

/* perturbation.c: what tracing took; to be called when the threads' sums are known. And what is left of a
 * gain in which there are so many records, in wall (those of one thread, or of all by their number). */
void omptape_analysis_perturbation(struct analysis_state *state);
uint64_t omptape_findings_without(const struct analysis_state *state, uint64_t gain, double records);

/* certainty.c */
enum omptape_certainty omptape_findings_certainty(const struct analysis_state *state,
                                                  const struct omptape_finding *finding);

/* oversubscription.c: first of all, since it says which regions have too many threads. */
void omptape_findings_add_oversubscription(struct analysis_findings *findings);
/* Its own teams, or those that initial threads of one process have beside each other, on average. */
static inline bool omptape_findings_has_more_threads(const struct analysis_parallel *parallel,
                                                     uint64_t processors)
{
    return (uint64_t)parallel->threads * parallel->outer > processors ||
           (double)parallel->crowd > (double)processors * (double)parallel->apart;
}
static inline bool omptape_findings_has_too_many(const struct analysis_findings *findings,
                                                 const struct analysis_parallel *parallel)
{
    return findings->processors > 0 && omptape_findings_has_more_threads(parallel, findings->processors);
}
/* What waiting for a processor explains is no news where there are too many threads. */
bool omptape_findings_is_of_oversubscription(enum omptape_finding_kind kind);
/* When all have been added: what threads would wait for anyhow is not what too many of them cost. */
void omptape_findings_weigh_oversubscription(struct analysis_findings *findings);

/* preemption.c: were context switches of nearly all threads of the process recorded? Then the times without a
 * processor are sums of measured intervals. */
bool omptape_findings_are_measured(const struct analysis_state *state, uint32_t process);
bool omptape_findings_all_measured(const struct analysis_state *state);
/* When the causes of waiting have been added. */
void omptape_findings_add_preemption(struct analysis_findings *findings);
/* The share (0 to 1) of the time in which threads had a processor, of that in which they could have used one.
 * 1: not known. */
double omptape_findings_on_processor(const struct omptape_analysis *result);
/* Of the time that threads stood in line, the part (0 to 1) that was neither for each other nor for the
 * writer. And what a thread had no processor for at work, in ticks. */
double omptape_findings_queued_for_others(const struct omptape_analysis *result);
uint64_t omptape_findings_queued_at_work(const struct analysis_state *state,
                                         const struct analysis_thread *thread);

/* rivals.c: who had them; what a sentence says of that ("": it is not known), and what helps. */
struct analysis_rivals omptape_findings_rivals(const struct analysis_state *state);
const char *omptape_rivals_text(struct analysis_state *state, const struct analysis_rivals *rivals);
const char *omptape_rivals_proposal(struct analysis_state *state, const struct analysis_rivals *rivals);
/* What helps against a limit of processor time. */
const char *omptape_rivals_raise(struct analysis_state *state, const struct analysis_rivals *rivals);
void omptape_findings_add_quota(struct analysis_findings *findings);
/* How many threads use up a limit of so many processors. More than a tenth of one is worth another
 * thread. */
uint64_t omptape_rivals_threads(double processors);
/* A number that the archive has of a thread; 0: it has none. */
uint64_t omptape_rivals_number(const struct analysis_state *state, uint64_t location, const char *name);
/* warnings.c: the share (0 to 1) of their lives that threads wanted a processor and had none. */
double omptape_findings_queued_share(const struct analysis_state *state);

/* lacks.c: regions whose time goes to the kernel. */
void omptape_findings_add_system(struct analysis_findings *findings);
void omptape_say_system(struct analysis_state *state, struct omptape_finding *finding);

/* Of the time of a serial part, the share (0 to 1) in which the runtime did not begin a region yet. With too
 * few processors the first thread waits there for threads that have none. */
static inline double omptape_findings_before_fork(const struct analysis_serial *serial)
{
    return serial->sum > 0 ? 1 - (double)serial->forking / (double)serial->sum : 1;
}

/* lacks.c: serial parts in which the thread was blocked; and what a finding of that kind says. */
void omptape_findings_add_blocked_serials(struct analysis_findings *findings);
void omptape_say_blocked(struct analysis_state *state, struct omptape_finding *finding);

/* functions.c: library functions that take much of a place, and loops that wait, by samples. */
void omptape_findings_add_functions(struct analysis_findings *findings);
void omptape_say_functions(struct analysis_state *state, struct omptape_finding *finding);
/* Thread time that samples stand for; 0: it is not known. */
double omptape_findings_sampled_time(const struct analysis_state *state, uint64_t samples);
struct omptape_inside_call;
/* Does it call a function that such a finding may be of? */
bool omptape_findings_has_family(const struct omptape_inside_call *call);

/* counters.c: regions in which the processor waits, as its counters say. After the kernel's time. */
void omptape_findings_add_counted(struct analysis_findings *findings);
void omptape_say_counted(struct analysis_state *state, struct omptape_finding *finding);

/* tiny.c: a region so short that forking and joining it is most of it, and often. */
bool omptape_findings_is_tiny(const struct analysis_findings *findings,
                              const struct analysis_parallel *parallel);
void omptape_findings_add_tiny(struct analysis_findings *findings);
/* The finding counts: each of its regions gets its own part of the gain, as far as that was left to win (0 to
 * 1). */
void omptape_findings_keep_tiny(const struct analysis_findings *findings,
                                const struct omptape_finding *finding, double part);

/* hangs.c: who waits for whom where the events end, of a program that hung. */
void omptape_findings_add_hangs(struct analysis_findings *findings);

/* processors.c: how many processors all processes together might run on when they began to use OpenMP, where
 * these are of one machine; 0: not known. */
uint32_t omptape_findings_allowed(const struct analysis_state *state);
/* They might run on more when they were started: the program or a library bound them. */
bool omptape_findings_bound_themselves(const struct analysis_state *state);
/* ...and how many the first one's machine has; 0: not known. */
uint64_t omptape_findings_online(const struct analysis_state *state);

/* few.c: regions of fewer threads than could run; and what is said of one. */
void omptape_findings_add_few(struct analysis_findings *findings);
void omptape_say_few(struct analysis_state *state, struct omptape_finding *finding);

/* chunks.c: loops whose chunks are so small that taking one is a good part of it. */
void omptape_findings_add_chunks(struct analysis_findings *findings);
/* What taking one costs, as measured or estimated, and what an iteration takes on a processor without that,
 * in ns; 0: not known. */
double omptape_chunks_cost(const struct analysis_state *state, const struct analysis_loop *loop);
bool omptape_chunks_are_measured(const struct analysis_state *state);
/* Do its threads wait for their turn at the counter that chunks are taken from? */
bool omptape_chunks_wait_in_turn(const struct analysis_state *state, const struct analysis_loop *loop);
double omptape_chunks_iteration(const struct analysis_state *state, const struct analysis_loop *loop);

/* outliers.c: when all others were joined: says of waiting, and of serial parts, that one exception is the
 * reason; adds those that nobody waited for. When all have their gains: such findings get their kind. And
 * sets the finding's text and proposal. */
void omptape_findings_tell_outliers(struct analysis_findings *findings);
void omptape_findings_name_outliers(struct analysis_findings *findings);
void omptape_say_outlier(struct analysis_state *state, struct omptape_finding *finding);

/* steps.c: when samples and causes are known, the instances of each phase, in their order. After the
 * outliers: slow ones, as findings or as part of those with the same loss, and trends; and what these
 * say. The name of the phase in which all of a finding is; NULL: there is none, or several. */
void omptape_steps_settle(struct analysis_state *state);
void omptape_findings_tell_steps(struct analysis_findings *findings);
/* One number of each step, at this offset: the median; of their distances from `from`, if that is not 0. */
uint64_t omptape_steps_median(struct analysis_step *const *steps, uint64_t count, size_t offset,
                              uint64_t from);
/* Where a step has the time of all threads in a bucket. */
static inline size_t omptape_step_part(enum omptape_bucket bucket)
{
    return offsetof(struct analysis_step, parts) + (size_t)bucket * sizeof(uint64_t);
}
/* A trend is seen in so many parts of all steps. */
enum { OMPTAPE_STEP_QUARTERS = 4 };

/* sentences_steps.c */
void omptape_say_slow(struct analysis_state *state, struct omptape_finding *finding);
void omptape_say_trend(struct analysis_state *state, struct omptape_finding *finding);
const char *omptape_finding_phase(const struct analysis_state *state, const struct omptape_finding *finding);

/* "3.1 us"; the text is of TIME_BYTES. And a sentence, which belongs to the result; "": no memory.
 */
enum { TEXT_BYTES = 768, TIME_BYTES = 32 };
const char *omptape_time_text(const struct analysis_state *state, double ticks, char *text);
const char *omptape_sentence(struct analysis_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* sentences_mpi.c: likewise. */
void omptape_say_mpi(struct analysis_state *state, struct omptape_finding *finding);
void omptape_say_mpi_lack(struct analysis_state *state, struct omptape_finding *finding);

/* sentences_loops.c, sentences_work.c: set the finding's text and perhaps its proposal. */
/* Threads differ in a few instances of many only, and by less there than interruptions take. */
bool omptape_findings_is_slight(const struct analysis_state *state, const struct omptape_finding *finding);
void omptape_say_imbalance(struct analysis_state *state, struct omptape_finding *finding);
/* Is half of what processes waited there for one of them? */
bool omptape_findings_is_for_one(const struct analysis_state *state, const struct omptape_finding *finding);
void omptape_say_chunks(struct analysis_state *state, struct omptape_finding *finding);
void omptape_say_tasks(struct analysis_state *state, struct omptape_finding *finding);
void omptape_say_tiny(struct analysis_state *state, struct omptape_finding *finding);
