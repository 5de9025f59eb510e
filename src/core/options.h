/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The user's options. One table (omptape_option_table) makes the command line, the environment variables, the
 * help and the man page. The command turns options into variables; the library, in the traced program, reads
 * variables.
 */
#pragma once

#include "src/core/log.h"

#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_options;
struct omptape_size_range;

struct omptape_option {
    const char *name;     /* "output": --output on the command line */
    char letter;          /* 'o': -o, or 0 */
    const char *variable; /* "OMPTAPE_OUTPUT" */
    const char
        *argument;    /* "DIR" in the help, "[=HZ]": see `alone`; NULL: a switch, its variable holds 1 or 0 */
    const char *help; /* one line */
    /* Reads `text` into the option's field. 0, or -EINVAL with the reason, a phrase without the option's
     * name, in `error`. */
    int (*set)(const struct omptape_option *option, struct omptape_options *options, const char *text,
               char *error, size_t error_bytes);
    size_t field;                           /* offset in struct omptape_options */
    const char *const *words;               /* the values there are, with a NULL behind; NULL: others */
    const struct omptape_size_range *range; /* of a size, or NULL */
    const char *alone; /* what it is without a value, which has to be attached to it, else; or NULL */
};

struct omptape_size_range {
    uint64_t least, most; /* bytes */
    const char *text;     /* both in words */
};

extern const struct omptape_option omptape_option_table[];
extern const size_t omptape_option_count;

/* Whether CUDA's own interface (CUPTI) is asked for what a device did: when the program uses CUDA, at once,
 * never. */
enum omptape_cuda { OMPTAPE_CUDA_AUTO = 0, OMPTAPE_CUDA_ON = 1, OMPTAPE_CUDA_OFF = 2 };

/* Whether MPI's calls are recorded: never, where the program may use it, in any case. */
enum omptape_mpi_when { OMPTAPE_MPI_OFF = 0, OMPTAPE_MPI_AUTO = 1, OMPTAPE_MPI_ON = 2 };

/* Whether an MPI program's hosts compare their clocks: never, where there may be several, in any case. */
enum omptape_clock_sync_when {
    OMPTAPE_CLOCK_SYNC_OFF = 0,
    OMPTAPE_CLOCK_SYNC_AUTO = 1,
    OMPTAPE_CLOCK_SYNC_ON = 2
};

/* The options' values. Strings belong to the environment; they are only valid while nobody changes it. */
struct omptape_options {
    const char *output;           /* directory for the archive, or NULL: the default name */
    const char *report;           /* OMPTAPE_REPORT_FILE (not in the table; set by the command), or NULL */
    uint64_t buffer_bytes;        /* the pool's limit */
    uint64_t events;              /* bit n: callback number n (ompt_callbacks_t) is asked for */
    uint64_t device_buffer_bytes; /* of each buffer that a device writes its records into */
    enum omptape_policy when_full;
    enum omptape_cuda cuda;
    enum omptape_mpi_when mpi;
    enum omptape_clock_sync_when clock_sync;
    const char *filter;      /* rules (src/core/filter.h), or NULL: everything is shown */
    uint64_t checkpoint_ns;  /* how often the trace is made safe against SIGKILL of everything; 0: never */
    uint64_t limit_per_site; /* instances of each region that are shown; 0: all */
    bool paused;             /* recording starts when the program says so */
    uint64_t sample_ns;      /* processor time of a thread between two samples; 0: there are none */
    const char *with_tool;   /* the other OMPT tool, "none", or NULL: the one there is without omptape */
    const char *counters;    /* events to be counted with the samples, "off", or NULL: the default */
    bool sample_asked;       /* the user named a rate: what the kernel refuses is worth a line */
    bool sample_by_signal;   /* by a signal handler in the program, in place of the kernel */
    bool no_sched;           /* the threads' processor time is not read */
    bool profile;            /* the writer adds up and keeps no events */
    bool distinct_times;     /* each record of a location has a time of its own */
    struct omptape_log_choice log; /* the debug channel (src/core/log.h) */
    bool verbose;                  /* it has the steps of a run, unless `log` says more */
    bool quiet;
    bool strict; /* the command does not run a program that cannot be traced */
    bool force;
    bool explain;  /* the command shows a report at the end */
    bool separate; /* the archives of several processes stay as they are */
    bool sibling;  /* OMPTAPE_RUN is set: `output` was made for this run, several processes may share it */
};

/* Fills `options` with the defaults and then with what the environment says. Async-signal-unsafe, allocates
 * nothing. A bad value leaves its default and is described in `error` (one line, no newline; the first one
 * only). Returns -EINVAL then, else 0 with an empty `error`. */
int omptape_options_read(struct omptape_options *options, char *error, size_t error_bytes);

/* Checks one option's text as the reader above would. 0, or -EINVAL with a line in `error`. */
int omptape_option_check(const struct omptape_option *option, const char *value, char *error,
                         size_t error_bytes);

/* A switch's text: 1, yes, on, true or 0, no, off, false. 0, or -EINVAL with the reason in `error`. */
int omptape_parse_switch(const char *text, bool *value, char *error, size_t error_bytes);

/* A byte count: a number with an optional K, M, G and so on (powers of 1024; an optional "iB" or "B" may
 * follow). 0; -EINVAL: it is none; -ERANGE: more than can be counted. */
int omptape_parse_bytes(const char *text, uint64_t *bytes);

/* Set once all was said of misspelt variables: those that are started later have nothing to add. */
#define OMPTAPE_VARIABLES_SAID "OMPTAPE_SAID"

/* Variables OMPTAPE_... that no option has, but whose name is nearly one's. Finds the next one from the
 * environment's entry number *from on, and moves that behind it. Returns `line` with what is to be said of
 * it, or NULL: there is none. Variables that are omptape's own or that environment modules set
 * (OMPTAPE_ROOT) are none. Allocates nothing. */
const char *omptape_variables_next_unknown(size_t *from, char *line, size_t bytes);
