/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shows, by samples, what threads did inside a construct or serial part: the program's own lines and their
 * library calls. Used by the findings and the reports. Any thread, for one analysis at a time.
 */
#pragma once

#include "src/analysis/analysis.h"

#include "src/core/store.h"

/* With fewer samples than OMPTAPE_INSIDE_FEW the report shows no shares. Below OMPTAPE_INSIDE_TOO_FEW it
 * states that they are too few. */
enum { OMPTAPE_INSIDE_FEW = 40, OMPTAPE_INSIDE_TOO_FEW = 10 };

/* Longest name of a function in a text, and number of frames that are followed in a call path. */
enum { OMPTAPE_INSIDE_NAME_BYTES = 256, OMPTAPE_INSIDE_MAX_FRAMES = 1024 };

/* A function in a call path. */
struct omptape_inside_frame {
    const char *function; /* name in the archive; NULL if there is none */
    const char *file;     /* "" if unknown */
    const char *module;   /* path of the executable or library; "" if unknown */
    uint32_t line;        /* 0 if unknown */
    bool is_own;          /* the program's code, not a system library or header */
};

/* What a thread did at the end of a call path (properties.h, OMPTAPE_FRAME_). */
enum omptape_inside_mark {
    OMPTAPE_INSIDE_UNMARKED, /* it executed what the path says, or was asleep there */
    OMPTAPE_INSIDE_RUNTIME,
    OMPTAPE_INSIDE_STOPPED,
    OMPTAPE_INSIDE_SPINNING,
    OMPTAPE_INSIDE_UPDATING,
    OMPTAPE_INSIDE_SHARING,
    OMPTAPE_INSIDE_FAR,
    OMPTAPE_INSIDE_SCATTERED,
    OMPTAPE_INSIDE_DIVIDING,
    /* At a construct's line, so the compiler may have made it: a reduction, and copies for threads. */
    OMPTAPE_INSIDE_REDUCING,
    OMPTAPE_INSIDE_COPYING
};

/* Summary of a call path. */
struct omptape_inside_call {
    struct omptape_inside_frame own;    /* the program's innermost own function */
    struct omptape_inside_frame called; /* library function that it calls; .function is NULL if none */
    enum omptape_inside_mark mark;
};

/* All samples of one function, or of its calls of one library function. */
struct omptape_inside_entry {
    struct omptape_inside_call call; /* with the line that has most of the samples */
    uint64_t count;                  /* samples on a processor, at work */
    uint64_t blocked;                /* looks that found the thread asleep */
    uint64_t of_line;                /* samples and looks at that line */
};

struct omptape_inside {
    struct omptape_inside_entry *entries; /* sorted by samples, most first */
    uint32_t entry_count;
    uint64_t count; /* sum of all entries */
    uint64_t blocked;
    uint64_t waiting; /* further samples, in which the thread waited in OpenMP or MPI */
};

/* Returns the frame of a calling context. */
struct omptape_inside_frame omptape_inside_frame(const struct omptape_reader *reader,
                                                 const struct omptape_definition *context);
/* Returns the caller's context, or NULL. */
const struct omptape_definition *omptape_inside_caller(const struct omptape_reader *reader,
                                                       const struct omptape_definition *context);
/* Returns the summary of the path, which was sampled in the construct (NULL: unknown, or none). If the
 * program's own function has no line, as in an interpreter, a function of the construct's library is `own`.
 */
struct omptape_inside_call omptape_inside_call(const struct omptape_reader *reader,
                                               const struct omptape_definition *context,
                                               const struct analysis_region *region);

/* Returns true for constructs at one source line: a combined construct or its parts. */
bool omptape_inside_is_beside(const struct analysis_region *one, const struct analysis_region *other);

/* Returns true if the row belongs to the same construct, serial part, or thread unknown to OpenMP as `place`.
 */
bool omptape_inside_is_at(const struct analysis_sampled *row, const struct analysis_sampled *place);

/* Gathers the samples of the serial part or, if that is NULL, of the construct (NULL: outside of all). For a
 * construct with very few samples, those of all constructs at its line are gathered. False: no memory. */
bool omptape_inside_gather(const struct omptape_analysis *analysis, const struct analysis_region *region,
                           const struct analysis_serial *serial, struct omptape_inside *inside);
/* Returns the length of a thread's name without the number at its end. Pools number their threads; these
 * names count as equal. */
size_t omptape_inside_stem(const char *thread);

/* Gathers the samples of threads with this name that OpenMP does not know. False if out of memory. */
bool omptape_inside_gather_thread(const struct omptape_analysis *analysis, const char *thread,
                                  struct omptape_inside *inside);
/* Returns the processor time of the threads with this name; *threads receives their number. */
uint64_t omptape_inside_thread_ns(const struct omptape_reader *reader, const char *thread, uint64_t *threads);
/* Gathers the samples by the callers of the construct's function, which become the entries' own functions.
 * Samples without a known caller are omitted. Returns false if out of memory. */
bool omptape_inside_gather_callers(const struct omptape_analysis *analysis,
                                   const struct analysis_region *region, struct omptape_inside *inside);
/* Gathers the samples of all places. Returns false if out of memory. */
bool omptape_inside_gather_all(const struct omptape_analysis *analysis, struct omptape_inside *inside);
void omptape_inside_free(struct omptape_inside *inside);

/* Returns the entry with most looks at blocked threads, or NULL. */
const struct omptape_inside_entry *omptape_inside_most_blocked(const struct omptape_inside *inside);

/* Writes a function's usual name: "strlen" for "__strlen_avx2", "fwrite" for "_IO_fwrite@GLIBC_2.2.5",
 * "std::map<..>::find" for "std::map<int, int, ...>::find(int const&)". Returns `text`. */
const char *omptape_inside_plain_name(const char *function, char *text, size_t bytes);
/* Describes a call: "strlen from count @parse.c:31", "dgemv_ (libblas) from main @a.c:5", "count
 * @parse.c:31". Returns `text`. */
const char *omptape_inside_describe(const struct omptape_inside_call *call, char *text, size_t bytes);
