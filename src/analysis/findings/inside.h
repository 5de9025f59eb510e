/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What threads did inside a construct or a serial part, by samples: the program's own lines, and what they
 * call of libraries. Used by findings and by those who show them. Any thread; one analysis at a time.
 */
#pragma once

#include "src/analysis/analysis.h"

#include "src/core/store.h"

/* Of fewer samples the report shows no shares, and of still fewer it says that they are too few. */
enum { OMPTAPE_INSIDE_FEW = 40, OMPTAPE_INSIDE_TOO_FEW = 10 };

/* A function in a call path. */
struct omptape_inside_frame {
    const char *function; /* as the archive has it; NULL: there is none */
    const char *file;     /* "": not known */
    const char *module;   /* the path of the executable or library; "": not known */
    uint32_t line;        /* 0: not known */
    bool is_own;          /* the program's code, and not a system's library or header */
};

/* A call path in short. */
struct omptape_inside_call {
    struct omptape_inside_frame own;    /* the innermost function that is the program's own */
    struct omptape_inside_frame called; /* what it calls there of a library; .function NULL: nothing */
    bool in_runtime;                    /* it ends in the OpenMP runtime, */
    bool spins;                         /* ...or in a loop that waits for a change in memory, */
    bool stopped;                       /* ...or the process was stopped */
};

/* All samples of one function, or of one call of a library's function out of it. */
struct omptape_inside_entry {
    struct omptape_inside_call call; /* with the line that has most of them */
    uint64_t count;                  /* on a processor, at work */
    uint64_t blocked;                /* looks that found the thread asleep */
    uint64_t of_line;                /* of both, those of that line */
};

struct omptape_inside {
    struct omptape_inside_entry *entries; /* most samples first */
    uint32_t entry_count;
    uint64_t count; /* of all entries */
    uint64_t blocked;
    uint64_t waiting; /* samples beside these: the thread waited in OpenMP or MPI */
};

/* A frame of a path by its calling context. */
struct omptape_inside_frame omptape_inside_frame(const struct omptape_reader *reader,
                                                 const struct omptape_definition *context);
/* The context that calls it; NULL: none. */
const struct omptape_definition *omptape_inside_caller(const struct omptape_reader *reader,
                                                       const struct omptape_definition *context);
/* The path in short. */
struct omptape_inside_call omptape_inside_call(const struct omptape_reader *reader,
                                               const struct omptape_definition *context);

/* Constructs at one line of the source: a combined one, or the parts of one. */
bool omptape_inside_is_beside(const struct analysis_region *one, const struct analysis_region *other);

/* Is the row of this construct, serial part, or thread that OpenMP does not know? Of `place` these count. */
bool omptape_inside_is_at(const struct analysis_sampled *row, const struct analysis_sampled *place);

/* What was sampled in the serial part or, if that is NULL, in the construct (NULL: in none). Where a
 * construct has next to nothing, what all at its line have. False: no memory. */
bool omptape_inside_gather(const struct omptape_analysis *analysis, const struct analysis_region *region,
                           const struct analysis_serial *serial, struct omptape_inside *inside);
/* Pools number their threads: names that are the same but for a number at the end are one name here. So many
 * bytes are before that number. */
size_t omptape_inside_stem(const char *thread);

/* The same of threads with this name that OpenMP does not know. */
bool omptape_inside_gather_thread(const struct omptape_analysis *analysis, const char *thread,
                                  struct omptape_inside *inside);
/* Processor time of the threads with this name, and how many there are. */
uint64_t omptape_inside_thread_ns(const struct omptape_reader *reader, const char *thread, uint64_t *threads);
/* The same by who calls the function that the construct is in: these are the entries' own functions. Samples
 * whose path does not tell are left out. */
bool omptape_inside_gather_callers(const struct omptape_analysis *analysis,
                                   const struct analysis_region *region, struct omptape_inside *inside);
/* The same of all places. */
bool omptape_inside_gather_all(const struct omptape_analysis *analysis, struct omptape_inside *inside);
void omptape_inside_free(struct omptape_inside *inside);

/* The entry with most looks at blocked threads; NULL: there is none. */
const struct omptape_inside_entry *omptape_inside_most_blocked(const struct omptape_inside *inside);

/* "strlen" of "__strlen_avx2", "fwrite" of "_IO_fwrite@GLIBC_2.2.5", "std::map<..>::find" of "std::map<int,
 * int, ...>::find(int const&)": what people call a function. Returns `text`. */
const char *omptape_inside_plain_name(const char *function, char *text, size_t bytes);
/* "strlen from count @parse.c:31", "dgemv_ (libblas) from main @a.c:5", "count @parse.c:31". Returns `text`.
 */
const char *omptape_inside_describe(const struct omptape_inside_call *call, char *text, size_t bytes);
