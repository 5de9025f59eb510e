/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts the ticks of the processes to times of the unified archive: types, steps and results.
 * Called by the staging child (plan.h); omptape_unify_offsets_read is called before it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_unify_offsets;

enum { OMPTAPE_UNIFY_SAMPLES = 2, OMPTAPE_UNIFY_NO_REFERENCE = -1 };

/* The same moment on two clocks, in ticks of the traces. */
struct omptape_unify_sample {
    uint64_t ticks;
    uint64_t reference;
    uint64_t error; /* maximum error in ticks */
};

/* Comparison of a process's clock with a reference process's clock, made while the program ran. */
struct omptape_unify_comparison {
    struct omptape_unify_sample list[OMPTAPE_UNIFY_SAMPLES];
    uint32_t count;
    int64_t pid; /* the reference process's */
    const char *host;
};

/* The comparisons of all processes of a domain. */
struct omptape_unify_samples {
    struct omptape_unify_sample *list; /* both moments increase from sample to sample */
    uint32_t count;
    uint32_t capacity;
    int64_t reference_domain; /* domain of the reference clock; OMPTAPE_UNIFY_NO_REFERENCE: the samples are
                                 not used */
    long double rate;         /* the reference domain's ticks per own tick, by the wall clocks */
};

/* The same moment on the counter and on the wall clock. */
struct omptape_unify_anchor {
    uint64_t ticks;
    uint64_t realtime; /* ns since 1970 */
};

/* Upper limit of ticks and times; in ns it is the year 2116. */
#define OMPTAPE_UNIFY_MAX_TICKS (UINT64_MAX / 4)

/* Clock properties of one process. */
struct omptape_unify_clock {
    const char *host;                       /* "" if unknown */
    const char *kind;                       /* "tsc" */
    int64_t rank;                           /* -1: none */
    uint64_t resolution;                    /* ticks per second */
    uint64_t first, last;                   /* ticks; all its events are in this range */
    struct omptape_unify_anchor start, end; /* end.realtime 0: there is no end anchor */
    uint64_t error;                         /* maximum error of its wall clock, ns */
    int64_t pid;
    uint64_t jumps; /* number of times that it went backwards */
    struct omptape_unify_comparison comparison;
    uint32_t domain; /* set by omptape_unify_convert_clocks */
};

/* A correction at one moment. Between two of them the offset is interpolated linearly, as in OTF2. */
struct omptape_unify_correction {
    uint64_t ticks;
    int64_t offset;   /* ticks to add */
    double deviation; /* ticks */
};

struct omptape_unify_corrections {
    /* sorted by `ticks`; empty: no correction, otherwise at least two */
    struct omptape_unify_correction *list;
    uint32_t count;
    uint32_t capacity;
};

struct omptape_unify_domain {
    const struct omptape_unify_clock *clock; /* clock of its first process */
    uint64_t first, last;
    struct omptape_unify_anchor start, end; /* earliest and latest anchor of its processes */
    uint64_t resolution, longest; /* resolution and runtime in ticks of the process that ran longest */
    long double rate;             /* ticks per second of its wall clock */
    uint64_t error;
    struct omptape_unify_samples samples;
    struct omptape_unify_corrections corrections;
};

struct omptape_unify_conversion {
    struct omptape_unify_domain *domains; /* domain 0 is the reference */
    uint32_t domain_count;
    uint32_t first_domain; /* domain of the first process */
    uint64_t resolution;   /* resolution of the unified archive, ticks per second */
    uint64_t first, last;  /* range of its times */
    uint64_t realtime;     /* wall clock at its beginning, ns since 1970 */
};

/* Processes that read the same counter (same host, kind of clock and boot) form one domain and keep their
 * ticks. The times of other domains are shifted and stretched by clock comparisons through messages, or else
 * by their wall clocks. Pure arithmetic, on any thread. */

/* Converts the clocks of `count` processes; the finest counter is the reference. Returns 0 or -ENOMEM. The
 * caller frees the result with omptape_unify_conversion_free. */
int omptape_unify_convert_clocks(struct omptape_unify_conversion *conversion,
                                 struct omptape_unify_clock *const *clocks, uint32_t count,
                                 const struct omptape_unify_offsets *offsets);
void omptape_unify_conversion_free(struct omptape_unify_conversion *conversion);

/* Formats a line for the user if there are measured offsets, but none for some hosts other than the first
 * process's. Their names may be misspelt in the file. Otherwise sets "". */
void omptape_unify_find_unmeasured(const struct omptape_unify_conversion *conversion,
                                   const struct omptape_unify_offsets *offsets, char *line, size_t bytes);

/* Steps of the conversion. Pure arithmetic, on any thread. */

/* Rounds towards 0 and limits the result to half of the 64-bit range, as damaged archives may have any
 * value. */
int64_t omptape_unify_to_whole(long double number);

/* Returns to - from; negative if `to` is earlier. */
long double omptape_unify_difference(uint64_t from, uint64_t to);

/* Converts `ticks` of the domain `number` to the common corrected wall-clock time, in ns since 1970. */
long double omptape_unify_wall_at(const struct omptape_unify_conversion *conversion, uint32_t number,
                                  long double ticks, const struct omptape_unify_offsets *offsets);

/* Computes the corrections of all domains so that no time is negative. Returns 0 or -ENOMEM. */
int omptape_unify_correct(struct omptape_unify_conversion *conversion,
                          const struct omptape_unify_offsets *offsets);

/* Converts `ticks` to the time that a reader computes, and back. */
uint64_t omptape_unify_corrected(const struct omptape_unify_corrections *corrections, uint64_t ticks);
uint64_t omptape_unify_uncorrected(const struct omptape_unify_corrections *corrections, uint64_t time);

/* Measured offsets between hosts' wall clocks from a file (--clock-offsets), which the unifying process reads
 * once.
 *
 * A line has three words: a host name or rank, the time of the measurement, and the ns to add to the host's
 * clock. The time is in seconds since 1970 by that clock and may have a fraction. Between two measurements of
 * a host the offset is interpolated; before the first and after the last it is constant. Lines for a rank
 * override lines for its host. Empty lines and text after '#' are ignored. */

struct omptape_unify_offset {
    char *who;     /* a host, or a rank without leading zeros */
    int64_t time;  /* ns since 1970 */
    int64_t value; /* ns to add */
};

struct omptape_unify_offsets {
    struct omptape_unify_offset *list; /* sorted by `who`, then by time */
    uint32_t count;
    uint32_t capacity;
};

/* Reads the file. Returns 0, or negative errno with one line in `error`. The caller always frees the result
 * with omptape_unify_offsets_free. */
int omptape_unify_offsets_read(struct omptape_unify_offsets *offsets, const char *path, char *error,
                               size_t bytes);
void omptape_unify_offsets_free(struct omptape_unify_offsets *offsets);

/* Returns the first line for a process, by its rank or else by its host; `count` receives the number of its
 * lines. Returns NULL with a count of 0 if there is none. */
const struct omptape_unify_offset *omptape_unify_offsets_of(const struct omptape_unify_offsets *offsets,
                                                            const char *host, int64_t rank, size_t *count);

/* Returns the ns to add to the wall clock at that time. */
int64_t omptape_unify_offset_at(const struct omptape_unify_offset *list, size_t count, int64_t time);

/* Clocks that were compared while the program ran (include/omptape/clock_sync.h): determines which domain
 * follows which reference domain. Pure arithmetic, on any thread.
 *
 * A domain's ticks are converted to its reference domain's by a line through the moments at which both clocks
 * were read. Outside of these moments the measured slope is used if they are far enough apart to measure it.
 * Otherwise the rates of both counters by their wall clocks are used. */

/* Parses a process's properties (include/omptape/properties.h), perhaps malformed. Keeps a pointer to the
 * host's name. */
void omptape_unify_comparison_read(struct omptape_unify_comparison *comparison, const char *samples,
                                   const char *reference);

/* Assigns the samples to the domains, after domains and rates are known. Domains with offsets measured by the
 * user get none. Returns 0 or -ENOMEM. */
int omptape_unify_samples_join(struct omptape_unify_conversion *conversion,
                               struct omptape_unify_clock *const *clocks, uint32_t count,
                               const struct omptape_unify_offsets *offsets);

/* Converts `ticks` to the reference domain's clock, and back. */
long double omptape_unify_to_reference(const struct omptape_unify_samples *samples, long double ticks);
long double omptape_unify_from_reference(const struct omptape_unify_samples *samples, long double ticks);
