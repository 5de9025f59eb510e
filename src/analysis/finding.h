/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings of an analysis (analysis.h): what costs wall time at one place, how much a repair would save, and
 * the sentences for users. All findings belong to the analysis. Times are ticks of the archive's clock.
 */
#pragma once

#include "src/analysis/result_rows.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_analysis;

enum omptape_finding_kind {
    OMPTAPE_FINDING_IMBALANCE,
    OMPTAPE_FINDING_LOCK,
    OMPTAPE_FINDING_FINE_TASKS,
    OMPTAPE_FINDING_TASK_CHAIN,
    OMPTAPE_FINDING_SERIAL,
    OMPTAPE_FINDING_NESTED_WAIT,
    OMPTAPE_FINDING_OVERSUBSCRIPTION,
    OMPTAPE_FINDING_PREEMPTION,
    OMPTAPE_FINDING_SMALL_TRANSFERS,
    OMPTAPE_FINDING_REPEATED_TRANSFERS,
    OMPTAPE_FINDING_TINY_REGIONS,
    OMPTAPE_FINDING_NEEDLESS_BARRIER,
    OMPTAPE_FINDING_LATE_SENDER,
    OMPTAPE_FINDING_LATE_RECEIVER,
    OMPTAPE_FINDING_COLLECTIVE_WAIT,
    OMPTAPE_FINDING_WINDOW_WAIT,
    OMPTAPE_FINDING_LATE_PROGRESS,
    OMPTAPE_FINDING_COMMUNICATION,
    OMPTAPE_FINDING_FINE_CHUNKS,
    OMPTAPE_FINDING_LATE_START,
    OMPTAPE_FINDING_FEW_THREADS,
    OMPTAPE_FINDING_HANG, /* the program was ended in a wait that would not have ended */
    OMPTAPE_FINDING_OUTLIER,
    OMPTAPE_FINDING_BLOCKED,
    OMPTAPE_FINDING_QUOTA,
    OMPTAPE_FINDING_PAGE_FAULTS,
    OMPTAPE_FINDING_SYSTEM_TIME,
    OMPTAPE_FINDING_HOT_FUNCTION,
    OMPTAPE_FINDING_ALLOCATION,
    OMPTAPE_FINDING_SPIN,
    OMPTAPE_FINDING_ATOMIC,
    OMPTAPE_FINDING_FALSE_SHARING,
    OMPTAPE_FINDING_STRIDE,
    OMPTAPE_FINDING_SCATTERED,
    OMPTAPE_FINDING_TREND,
    OMPTAPE_FINDING_MEMORY,
    OMPTAPE_FINDING_LOW_IPC,
    OMPTAPE_FINDING_SMALL_MESSAGES,
    OMPTAPE_FINDING_REPEATED_CREATION,
    OMPTAPE_FINDING_KINDS
};

/* One participant of a hang: a thread or process that waits or is waited for when the events end. */
struct omptape_hang_step {
    const char *who;
    const char *whom;  /* awaited participant: the next step, or an earlier one; "": unknown */
    const char *state; /* "waits", "asks" (repeatedly), "computes", "sleeps", "ended"; "": unknown */
    const struct analysis_region *region; /* NULL: none, or it has ended */
    uint32_t alike;                       /* number of participants that wait for the same one */
    uint64_t begin;                       /* of the visit, or when it left its last region */
    uint64_t end;
};

/* The chain of waiting participants in a program ended while it hung. If the last step waits, the chain is a
 * cycle. */
struct omptape_hang {
    uint32_t count;
    const struct omptape_hang_step *steps;
};

/* How reliable a gain is: a sum of measured times, a value with an estimate, an upper or a lower bound. */
enum omptape_certainty { OMPTAPE_MEASURED, OMPTAPE_ESTIMATED, OMPTAPE_AT_MOST, OMPTAPE_AT_LEAST };

struct omptape_finding {
    enum omptape_finding_kind kind;
    const struct analysis_region *region; /* NULL: no construct (serial part at the beginning) */
    const struct analysis_region *before; /* for serial parts: the region after it; else NULL */
    const struct analysis_region *around; /* enclosing parallel region; NULL: none, or unknown */
    const char *file; /* of the region, or of the enclosing one if the region has no line; "": unknown */
    uint32_t line;    /* 0: unknown */
    enum omptape_certainty certainty; /* of `gain` */
    bool is_slight;                   /* may be caused by interruptions; sorted last */
    uint64_t gain;                    /* wall ticks */
    uint64_t spent_wall;              /* wall ticks spent there if the gain is unknown; else 0 */
    uint64_t samples;                 /* all samples of the place (`count`: those of the finding); or 0 */
    uint64_t gain_of_others;          /* the part of `gain` that other regions account for (findings.c) */
    uint64_t cost;                    /* thread time or wall that is lost here */
    uint64_t cost_wall;          /* wall: `cost` divided by the threads that shared it; at least `gain` */
    uint64_t remaining_wall;     /* wall: the part of `cost_wall` that would remain after the repair */
    uint64_t tracing;            /* wall: the part of `cost_wall` that recording took */
    uint64_t waited;             /* thread time spent waiting because of it; 0 if not applicable */
    uint64_t blocked_time;       /* thread time that threads were blocked */
    uint64_t blocked_threads;    /* number of threads that were blocked */
    uint64_t count;              /* instances */
    bool is_crowded;             /* of processes that have too many threads only together */
    struct analysis_worst worst; /* most expensive instance, and the location that the others waited for */
    const struct analysis_serial *serial; /* for serial parts between regions; else NULL */
    const char *inside;                   /* function that the serial parts call; NULL: several, or none */
    uint32_t others; /* merged into this one: serial parts that call `inside`, or places of page faults */
    const struct analysis_transfer *transfer; /* for transfers; else NULL */
    const struct analysis_outliers *outlier;  /* for an outlier; else NULL */
    const struct analysis_late *late; /* for waits in MPI: those for one process that take most; else NULL */
    const struct omptape_hang *hang;  /* for a hang; else NULL */
    /* If it lies in one slow instance of a phase (findings/slow_steps.c); else NULL. */
    struct analysis_slow *slow;
    const char *phase;    /* the phase that contains all of it; "": none, or several */
    const char *text;     /* one sentence with numbers, without place and newline */
    const char *proposal; /* "" if the facts support none */
};

/* Returns true for kinds about waiting in MPI for other processes. */
static inline bool omptape_finding_waits_in_mpi(enum omptape_finding_kind kind)
{
    return kind >= OMPTAPE_FINDING_LATE_SENDER && kind <= OMPTAPE_FINDING_LATE_PROGRESS;
}

/* Returns the kind's constant key in JSON ("imbalance", "task_chain"), and its name for users
 * ("imbalance", "chain of tasks"). */
const char *omptape_finding_key(enum omptape_finding_kind kind);
const char *omptape_finding_name(enum omptape_finding_kind kind);
/* Returns how well the gain is known: "measured", "estimated", "at most", "at least". The second function
 * returns the words before its number: "", "about ", "at most ", "at least ". */
const char *omptape_finding_certainty(const struct omptape_finding *finding);
const char *omptape_finding_before_gain(const struct omptape_finding *finding);
/* Returns the wall time without the stalls of the thread that stalled longest, at least a twentieth of all.
 * Gains are those of an untraced program, which has no stalls. */
uint64_t omptape_finding_wall(const struct omptape_analysis *result);
/* Returns true if there is no finding, or if the first one has almost no gain. The functions in which the
 * time is spent are then the better answer. */
bool omptape_finding_is_little(const struct omptape_analysis *result);
