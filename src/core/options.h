/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The user's options. The command line, the environment variables, the help and the manual page are generated
 * from one table (omptape_option_table). The command sets a variable for each option; the library in the
 * traced program reads the variables.
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
    /* "DIR" or, with `alone`, "[=HZ]" in the help; NULL: a switch, whose text is 1 or 0. */
    const char *argument;
    const char *help; /* one line */
    /* Parses `text` into the option's field. 0, or -EINVAL with `error`, without the option's name. */
    int (*set)(const struct omptape_option *option, struct omptape_options *options, const char *text,
               char *error, size_t error_bytes);
    size_t field;                           /* offset in struct omptape_options */
    const char *const *words;               /* all valid values, then NULL; NULL: the value is no word */
    const struct omptape_size_range *range; /* limits of a size; NULL: the value is no size */
    /* Value of an option without an attached value: "--sample" is "--sample=100". NULL: the value is
     * required, attached or as the next word. */
    const char *alone;
};

struct omptape_size_range {
    uint64_t min, max; /* bytes */
    const char *text;  /* both limits as a phrase for error messages */
};

extern const struct omptape_option omptape_option_table[];
extern const size_t omptape_option_count;

/* When devices are recorded through CUDA's CUPTI: AUTO with the first use, ON from the start, OFF never. */
enum omptape_cuda { OMPTAPE_CUDA_AUTO = 0, OMPTAPE_CUDA_ON = 1, OMPTAPE_CUDA_OFF = 2 };

/* When MPI calls are recorded: OFF never, AUTO if the program may use MPI, ON always. */
enum omptape_mpi_when { OMPTAPE_MPI_OFF = 0, OMPTAPE_MPI_AUTO = 1, OMPTAPE_MPI_ON = 2 };

/* When an MPI program's hosts compare clocks: OFF never, AUTO if several are possible, ON always. */
enum omptape_clock_sync_when {
    OMPTAPE_CLOCK_SYNC_OFF = 0,
    OMPTAPE_CLOCK_SYNC_AUTO = 1,
    OMPTAPE_CLOCK_SYNC_ON = 2
};

/* The values of the options. Strings point into the environment and are valid until it changes. */
struct omptape_options {
    const char *output;           /* directory for the archive, or NULL: the default name */
    const char *report;           /* OMPTAPE_REPORT_FILE (not in the table; set by the command), or NULL */
    uint64_t buffer_bytes;        /* limit of the pool */
    bool buffer_requested;        /* the user chose it */
    uint64_t events;              /* bit n: callback number n (ompt_callbacks_t) is recorded */
    uint64_t device_buffer_bytes; /* size of each buffer for a device's records */
    enum omptape_policy when_full;
    enum omptape_cuda cuda;
    enum omptape_mpi_when mpi;
    enum omptape_clock_sync_when clock_sync;
    const char *filter;      /* rules (src/core/filter.h), or NULL: everything is shown */
    uint64_t checkpoint_ns;  /* period of checkpoints, which survive a SIGKILL of the writer; 0: none */
    uint64_t limit_per_site; /* number of instances of each call site that are shown; 0: all */
    bool paused;             /* recording starts at the program's request */
    uint64_t sample_ns;      /* processor time of a thread between two samples; 0: no samples */
    const char *with_tool; /* file of the other OMPT tool, "none", or NULL: the tool found without omptape */
    const char *counters;  /* events counted with the samples, "off", or NULL: the default events */
    bool sample_requested; /* the user set a rate, so a refusal by the kernel is reported */
    bool sample_by_signal; /* a signal handler in the program takes the samples, not the kernel */
    bool no_sched;         /* the threads' processor time is not read */
    bool profile;          /* the writer keeps sums and no events */
    bool distinct_times;   /* no two records of a location have the same time */
    struct omptape_log_choice log; /* the debug channel (src/core/log.h) */
    bool verbose;                  /* sets the level of `log` to INFO for all areas, unless a level is set */
    bool quiet;
    bool strict; /* the command does not run a program that cannot be traced */
    bool force;
    bool explain;  /* the command shows a report at the end */
    bool separate; /* the archives of several processes are not unified */
    bool sibling;  /* OMPTAPE_RUN is set: `output` was made for this run, several processes may share it */
};

/* Sets `options` to the defaults and then to the values of the environment's variables. Not
 * async-signal-safe; allocates nothing. An invalid value leaves its default. Returns -EINVAL with the first
 * invalid value described in `error` (one line without a newline), or 0 with an empty `error`. `error` may be
 * NULL if `error_bytes` is 0. */
int omptape_options_read(struct omptape_options *options, char *error, size_t error_bytes);

/* Checks one option's value as omptape_options_read does. Returns 0, or -EINVAL with a line in `error`. */
int omptape_option_check(const struct omptape_option *option, const char *value, char *error,
                         size_t error_bytes);

/* Parses the text of a switch: 1, yes, on, true or 0, no, off, false. 0, or -EINVAL with the reason in
 * `error`. */
int omptape_parse_switch(const char *text, bool *value, char *error, size_t error_bytes);

/* Parses a number of bytes with an optional unit K, M, G, T, P or E (powers of 1024). An optional "iB" or "B"
 * may follow. Returns 0, -EINVAL if the text is malformed, or -ERANGE if the number exceeds 64 bits. */
int omptape_parse_bytes(const char *text, uint64_t *bytes);

/* Variable that is set once misspelt variables were reported. Processes started later do not repeat this. */
#define OMPTAPE_VARIABLES_REPORTED "OMPTAPE_SAID"

/* Finds the next misspelt variable: OMPTAPE_... with a name similar to an option's. Searches from entry
 * *from of the environment, and sets *from to the entry after the found one. Returns `line` with a message,
 * or NULL if there is none. Skips omptape's own variables, and those of environment modules (OMPTAPE_ROOT).
 * Allocates nothing. */
const char *omptape_variables_next_unknown(size_t *from, char *line, size_t bytes);
