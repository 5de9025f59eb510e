/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of options, and the parser of the variables. Called by the command, and by the library on the
 * thread that starts a session. Allocates nothing; snprintf is the only function of stdio that it calls.
 *
 * A new option is a field of struct omptape_options, and a row of the table with how its text is read.
 */
#include "src/core/options.h"

#include "src/core/events.h"
#include "src/core/filter.h"
#include "src/core/message.h"
#include "src/core/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t buffer_default = UINT64_C(64) << 20;
static const uint64_t device_buffer_default = UINT64_C(1) << 20;
static const uint64_t checkpoint_default = UINT64_C(2000000000); /* ns */
/* Time between two of a hundred samples a second. It is not 10 ms: what the program does by a timer, each
 * millisecond for example, would always or never be sampled. This one falls on all parts of such periods. */
static const uint64_t sample_default = UINT64_C(10579000); /* ns */
static const unsigned long longest_period = 86400;
static const unsigned long most_samples = 1000; /* a second */

int omptape_parse_switch(const char *text, bool *value, char *error, size_t error_bytes)
{
    static const char *const words[][2] = {{"0", "1"}, {"no", "yes"}, {"off", "on"}, {"false", "true"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        for (int on = 0; on < 2; on++) {
            if (strcmp(text, words[i][on]) == 0) {
                *value = on != 0;
                return 0;
            }
        }
    }
    return omptape_fail(error, error_bytes, -EINVAL, "\"%.80s\" is neither 1 nor 0", text);
}

static void *field_of(const struct omptape_option *option, struct omptape_options *options)
{
    return (char *)options + option->field;
}

static int set_path(const struct omptape_option *option, struct omptape_options *options, const char *text,
                    char *error, size_t error_bytes)
{
    if (strlen(text) >= OMPTAPE_PATH_BYTES)
        return omptape_fail(error, error_bytes, -EINVAL, "the path is too long");
    *(const char **)field_of(option, options) = text;
    return 0;
}

static int set_switch(const struct omptape_option *option, struct omptape_options *options, const char *text,
                      char *error, size_t error_bytes)
{
    return omptape_parse_switch(text, field_of(option, options), error, error_bytes);
}

static int set_size(const struct omptape_option *option, struct omptape_options *options, const char *text,
                    char *error, size_t error_bytes)
{
    const struct omptape_size_range *range = option->range;
    uint64_t bytes;
    int result = omptape_parse_bytes(text, &bytes);
    if (result == -ERANGE)
        bytes = UINT64_MAX;
    else if (result != 0) {
        (void)snprintf(error, error_bytes, "\"%.80s\" is no size (a number, then K, M or G if wanted; %s)",
                       text, range->text);
        return result;
    }
    if (bytes < range->min || bytes > range->max)
        return omptape_fail(error, error_bytes, -EINVAL, "\"%.80s\" is too %s (%s)", text,
                            bytes < range->min ? "small" : "large", range->text);
    *(uint64_t *)field_of(option, options) = bytes;
    return 0;
}

/* Returns the index of the text in the option's words, or -EINVAL with the reason in `error`. */
static int find_word(const struct omptape_option *option, const char *text, char *error, size_t error_bytes)
{
    const char *const *words = option->words;
    struct omptape_nearest nearest = omptape_nearest_start(text, strlen(text));
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    int n = snprintf(error, error_bytes, "\"%.80s\" is none of %s", text, words[0]);
    for (int i = 1; words[i] != NULL && n > 0 && (size_t)n < error_bytes; i++)
        n += snprintf(error + n, error_bytes - (size_t)n, ", %s", words[i]);
    for (int i = 0; words[i] != NULL; i++)
        omptape_nearest_try(&nearest, words[i]);
    if (n > 0 && (size_t)n < error_bytes)
        (void)snprintf(error + n, error_bytes - (size_t)n, "%s", omptape_nearest_hint(&nearest, "").text);
    return -EINVAL;
}

/* Sets a field whose enumeration has the order of the option's words. */
static int set_word(const struct omptape_option *option, struct omptape_options *options, const char *text,
                    char *error, size_t error_bytes)
{
    const int word = find_word(option, text, error, error_bytes);
    if (word < 0)
        return word;
    memcpy(field_of(option, options), &word, sizeof(word));
    return 0;
}

/* Sets a bool to true if the text is the second of the option's two words. */
static int set_second(const struct omptape_option *option, struct omptape_options *options, const char *text,
                      char *error, size_t error_bytes)
{
    const int word = find_word(option, text, error, error_bytes);
    if (word < 0)
        return word;
    *(bool *)field_of(option, options) = word == 1;
    return 0;
}

static int set_events(const struct omptape_option *option, struct omptape_options *options, const char *text,
                      char *error, size_t error_bytes)
{
    return omptape_events_parse(text, field_of(option, options), error, error_bytes);
}

static int set_filter(const struct omptape_option *option, struct omptape_options *options, const char *text,
                      char *error, size_t error_bytes)
{
    if (strlen(text) >= OMPTAPE_FILTER_BYTES)
        return omptape_fail(error, error_bytes, -EINVAL,
                            "the list is too long (a file, @FILE, may hold more)");
    int result = omptape_filter_check(text, error, error_bytes);
    if (result == 0)
        *(const char **)field_of(option, options) = text;
    return result;
}

/* Does not check the events' names: the writer does, because the machine determines which exist. */
static int set_counters(const struct omptape_option *option, struct omptape_options *options,
                        const char *text, char *error, size_t error_bytes)
{
    if (strlen(text) >= OMPTAPE_COUNTERS_BYTES)
        return omptape_fail(error, error_bytes, -EINVAL, "the list is too long");
    *(const char **)field_of(option, options) = text;
    return 0;
}

static int set_limit_per_site(const struct omptape_option *option, struct omptape_options *options,
                              const char *text, char *error, size_t error_bytes)
{
    uint64_t number;
    if (strspn(text, "0123456789") != strlen(text) || omptape_parse_bytes(text, &number) != 0 || number == 0)
        return omptape_fail(error, error_bytes, -EINVAL, "\"%.80s\" is no number from 1 on", text);
    *(uint64_t *)field_of(option, options) = number;
    return 0;
}

static int set_log(const struct omptape_option *option, struct omptape_options *options, const char *text,
                   char *error, size_t error_bytes)
{
    return omptape_log_parse(text, field_of(option, options), error, error_bytes);
}

static int set_checkpoint(const struct omptape_option *option, struct omptape_options *options,
                          const char *text, char *error, size_t error_bytes)
{
    const char *number = strcmp(text, "off") == 0 ? "0" : text;
    char *end = NULL;
    unsigned long seconds = strtoul(number, &end, 10);
    if (number[0] < '0' || number[0] > '9' || *end != '\0' || seconds > longest_period)
        return omptape_fail(error, error_bytes, -EINVAL,
                            "\"%.80s\" is neither off nor a number of seconds up to %lu", text,
                            longest_period);
    *(uint64_t *)field_of(option, options) = UINT64_C(1000000000) * seconds;
    return 0;
}

static int set_sample(const struct omptape_option *option, struct omptape_options *options, const char *text,
                      char *error, size_t error_bytes)
{
    const size_t signal_bytes = strcspn(text, ",");
    const bool by_signal = signal_bytes == strlen("signal") && strncmp(text, "signal", signal_bytes) == 0;
    const char *number = strcmp(text, "off") == 0 ? "0" : text;
    if (by_signal)
        number = text[signal_bytes] == ',' ? text + signal_bytes + 1 : "100";
    char *end = NULL;
    unsigned long rate = strtoul(number, &end, 10);
    if (number[0] < '0' || number[0] > '9' || *end != '\0' || rate > most_samples ||
        (rate == 0 && strcmp(text, "off") != 0))
        return omptape_fail(
            error, error_bytes, -EINVAL,
            "\"%.80s\" is neither off nor signal nor a number of samples a second from 1 to %lu", text,
            most_samples);
    *(uint64_t *)field_of(option, options) = rate > 0 ? 100 * sample_default / rate : 0;
    options->sample_requested = rate > 0;
    options->sample_by_signal = by_signal;
    return 0;
}

static const struct omptape_size_range pool_sizes = {
    .min = UINT64_C(1) << 20, .max = UINT64_C(1) << 40, .text = "1M is the least, 1024G the most"};
static const struct omptape_size_range device_buffer_sizes = {
    .min = UINT64_C(4) << 10, .max = UINT64_C(1) << 30, .text = "4K is the least, 1G the most"};

static const char *const policies[] = {[OMPTAPE_POLICY_WAIT] = "wait",
                                       [OMPTAPE_POLICY_DROP] = "drop",
                                       [OMPTAPE_POLICY_OVERWRITE] = "overwrite",
                                       NULL};
static const char *const cuda_words[] = {
    [OMPTAPE_CUDA_AUTO] = "auto", [OMPTAPE_CUDA_ON] = "on", [OMPTAPE_CUDA_OFF] = "off", NULL};
static const char *const mpi_words[] = {
    [OMPTAPE_MPI_OFF] = "off", [OMPTAPE_MPI_AUTO] = "auto", [OMPTAPE_MPI_ON] = "on", NULL};
static const char *const clock_sync_words[] = {[OMPTAPE_CLOCK_SYNC_OFF] = "off",
                                               [OMPTAPE_CLOCK_SYNC_AUTO] = "auto",
                                               [OMPTAPE_CLOCK_SYNC_ON] = "on",
                                               NULL};
static const char *const running_or_paused[] = {"running", "paused", NULL};
static const char *const on_or_off[] = {"on", "off", NULL};
static const char *const auto_or_off[] = {"auto", "off", NULL};

_Static_assert(sizeof(enum omptape_policy) == sizeof(int) && sizeof(enum omptape_cuda) == sizeof(int) &&
                   sizeof(enum omptape_mpi_when) == sizeof(int) &&
                   sizeof(enum omptape_clock_sync_when) == sizeof(int),
               "set_word writes an int");

const struct omptape_option omptape_option_table[] = {
    {"output", 'o', "OMPTAPE_OUTPUT", "DIR", "write DIR/traces.otf2", set_path,
     .field = offsetof(struct omptape_options, output)},
    {"force", 0, "OMPTAPE_FORCE", NULL, "replace the archive that DIR holds", set_switch,
     .field = offsetof(struct omptape_options, force)},
    {"events", 0, "OMPTAPE_EVENTS", "LIST", "what to record (\"help\" lists the groups)", set_events,
     .field = offsetof(struct omptape_options, events)},
    {"filter", 0, "OMPTAPE_FILTER", "RULES", "which constructs to show (\"help\" explains)", set_filter,
     .field = offsetof(struct omptape_options, filter)},
    {"limit-per-site", 0, "OMPTAPE_LIMIT_PER_SITE", "N", "show each site's first N, only count the others",
     set_limit_per_site, .field = offsetof(struct omptape_options, limit_per_site)},
    {"start", 0, "OMPTAPE_START", "HOW", "record at once or on request: running, paused", set_second,
     .field = offsetof(struct omptape_options, paused), .words = running_or_paused},
    {"buffer-size", 0, "OMPTAPE_BUFFER_SIZE", "SIZE", "memory for events on their way (64M)", set_size,
     .field = offsetof(struct omptape_options, buffer_bytes), .range = &pool_sizes},
    {"when-full", 0, "OMPTAPE_WHEN_FULL", "POLICY", "when it is full: wait, drop, overwrite", set_word,
     .field = offsetof(struct omptape_options, when_full), .words = policies},
    {"cuda", 0, "OMPTAPE_CUDA", "WHEN", "ask CUDA: auto, on, off (--device-buffer-size SIZE)", set_word,
     .field = offsetof(struct omptape_options, cuda), .words = cuda_words},
    {"device-buffer-size", 0, "OMPTAPE_DEVICE_BUFFER_SIZE", "SIZE", "each buffer of a device (1M)", set_size,
     .field = offsetof(struct omptape_options, device_buffer_bytes), .range = &device_buffer_sizes},
    {"mpi", 0, "OMPTAPE_MPI", "WHEN", "record MPI's calls: off, auto, on", set_word,
     .field = offsetof(struct omptape_options, mpi), .words = mpi_words},
    {"clock-sync", 0, "OMPTAPE_CLOCK_SYNC", "WHEN", "compare hosts' clocks by MPI messages: off, auto, on",
     set_word, .field = offsetof(struct omptape_options, clock_sync), .words = clock_sync_words},
    {"sched", 0, "OMPTAPE_SCHED", "WHEN", "look at threads by /proc: on, off (--sample[=HZ])", set_second,
     .field = offsetof(struct omptape_options, no_sched), .words = on_or_off},
    {"sample", 0, "OMPTAPE_SAMPLE", "[=HZ]", "where threads compute, so often a second (100), or off",
     set_sample, .field = offsetof(struct omptape_options, sample_ns), .alone = "100"},
    {"counters", 0, "OMPTAPE_COUNTERS", "LIST", "events to count with the samples (cycles,...), or off",
     set_counters, .field = offsetof(struct omptape_options, counters)},
    {"with-tool", 0, "OMPTAPE_WITH_TOOL", "FILE", "another OMPT tool beside omptape, or none", set_path,
     .field = offsetof(struct omptape_options, with_tool)},
    {"unify", 0, "OMPTAPE_UNIFY", "WHEN", "make one archive of several processes: auto, off", set_second,
     .field = offsetof(struct omptape_options, separate), .words = auto_or_off},
    {"distinct-times", 0, "OMPTAPE_DISTINCT_TIMES", NULL, "no two records of a thread at one time",
     set_switch, .field = offsetof(struct omptape_options, distinct_times)},
    {"checkpoint", 0, "OMPTAPE_CHECKPOINT", "SECONDS", "what SIGKILL of everything may cost (2), or off",
     set_checkpoint, .field = offsetof(struct omptape_options, checkpoint_ns)},
    {"profile", 0, "OMPTAPE_PROFILE", NULL, "add up what costs time, keep no events: for long runs",
     set_switch, .field = offsetof(struct omptape_options, profile)},
    {"report", 0, "OMPTAPE_REPORT", NULL, "show at the end what costs time, and where", set_switch,
     .field = offsetof(struct omptape_options, explain)},
    {"strict", 0, "OMPTAPE_STRICT", NULL, "do not run the program without a trace", set_switch,
     .field = offsetof(struct omptape_options, strict)},
    {"verbose", 'v', "OMPTAPE_VERBOSE", NULL, "say each step on stderr: --log LEVEL, --log-file FILE",
     set_switch, .field = offsetof(struct omptape_options, verbose)},
    {"log", 0, "OMPTAPE_LOG", "LEVEL", "log steps: off, info, debug (--log-file FILE)", set_log,
     .field = offsetof(struct omptape_options, log)},
    {"log-file", 0, "OMPTAPE_LOG_FILE", "FILE", "log to FILE, not to stderr", set_path,
     .field = offsetof(struct omptape_options, log.file)},
    {"quiet", 'q', "OMPTAPE_QUIET", NULL, "say nothing but errors", set_switch,
     .field = offsetof(struct omptape_options, quiet)},
};
const size_t omptape_option_count = sizeof(omptape_option_table) / sizeof(omptape_option_table[0]);

/* Returns the value of a variable, or NULL if it is unset or empty. Shells make it easy to set an empty
 * variable by mistake, and hard to unset it in a job script. */
static const char *variable_of(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && *text ? text : NULL;
}

int omptape_options_read(struct omptape_options *options, char *error, size_t error_bytes)
{
    char reason[256];
    int result = 0;
    *options = (struct omptape_options){.buffer_bytes = buffer_default,
                                        .device_buffer_bytes = device_buffer_default,
                                        .events = omptape_events_all,
                                        .checkpoint_ns = checkpoint_default,
                                        .sample_ns = sample_default,
                                        .mpi = OMPTAPE_MPI_AUTO,
                                        .clock_sync = OMPTAPE_CLOCK_SYNC_AUTO};
    if (error_bytes > 0)
        error[0] = '\0';
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        const char *text = variable_of(option->variable);
        if (text == NULL || option->set(option, options, text, reason, sizeof(reason)) == 0)
            continue;
        if (result == 0)
            (void)snprintf(error, error_bytes, "%s: %s", option->variable, reason);
        result = -EINVAL;
    }
    options->buffer_requested = variable_of("OMPTAPE_BUFFER_SIZE") != NULL;
    if (options->profile && options->when_full == OMPTAPE_POLICY_OVERWRITE) {
        if (result == 0)
            (void)snprintf(
                error, error_bytes,
                "OMPTAPE_PROFILE: the flight recorder (--when-full=overwrite) keeps the last events, a "
                "profile none");
        options->profile = false;
        result = -EINVAL;
    }
    if (options->verbose && options->log.level == OMPTAPE_LOG_OFF)
        options->log = (struct omptape_log_choice){OMPTAPE_LOG_INFO, ~0U, options->log.file};
    options->report = variable_of("OMPTAPE_REPORT_FILE");
    options->sibling = variable_of("OMPTAPE_RUN") != NULL;
    return result;
}

int omptape_option_check(const struct omptape_option *option, const char *value, char *error,
                         size_t error_bytes)
{
    struct omptape_options scratch;
    char reason[256];
    if (option->set(option, &scratch, value, reason, sizeof(reason)) == 0)
        return 0;
    return omptape_fail(error, error_bytes, -EINVAL, "--%s: %s", option->name, reason);
}

int omptape_parse_bytes(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGTPE";
    uint64_t number = 0;
    unsigned shift = 0;
    bool overflow = false;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(number, UINT64_C(10), &number) ||
            __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
            overflow = true;
    if (p == text)
        return -EINVAL;
    if (*p != '\0') {
        char upper = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
        const char *unit = strchr(units, upper);
        if (unit != NULL) {
            shift = 10 * (unsigned)(unit - units + 1);
            p++;
            if (strcmp(p, "iB") != 0 && strcmp(p, "B") != 0 && *p != '\0')
                return -EINVAL;
        } else if (strcmp(p, "B") != 0) {
            return -EINVAL;
        }
    }
    if (overflow || number > UINT64_MAX >> shift)
        return -ERANGE;
    *bytes = number << shift;
    return 0;
}

static const char prefix[] = "OMPTAPE_";
static const char writer[] = "OMPTAPE_WRITER";

/* Returns true for the variables of options, for those between processes of a run, and for those that
 * environment modules set to a program's folders. */
static bool is_known(const char *name, size_t length)
{
    static const char *const others[] = {"REPORT",  "RUN",  "SAID", "WRITER",  "ROOT",   "HOME",
                                         "DIR",     "BASE", "PATH", "PREFIX",  "BIN",    "LIB",
                                         "LIBRARY", "INC",  "MAN",  "INCLUDE", "VERSION"};
    for (size_t i = 0; i < omptape_option_count; i++) {
        const char *known = omptape_option_table[i].variable;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return true;
    }
    const char *rest = name + sizeof(prefix) - 1;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strlen(others[i]) == length - (sizeof(prefix) - 1) &&
            memcmp(others[i], rest, strlen(others[i])) == 0)
            return true;
    return false;
}

static const char *find_meant(const char *name, size_t length)
{
    const size_t skipped = sizeof(prefix) - 1;
    struct omptape_nearest nearest = omptape_nearest_start(name + skipped, length - skipped);
    for (size_t i = 0; i < omptape_option_count; i++)
        omptape_nearest_try(&nearest, omptape_option_table[i].variable + skipped);
    omptape_nearest_try(&nearest, writer + skipped);
    return nearest.name;
}

const char *omptape_variables_next_unknown(size_t *from, char *line, size_t bytes)
{
    while (environ != NULL && environ[*from] != NULL) {
        const char *entry = environ[(*from)++];
        size_t length = strcspn(entry, "=");
        if (!omptape_starts_with(entry, prefix) || is_known(entry, length))
            continue;
        const char *meant = find_meant(entry, length);
        if (meant == NULL)
            continue;
        (void)snprintf(line, bytes, "unknown variable %.*s: did you mean %s%s?",
                       (int)(length < 80 ? length : 80), entry, prefix, meant);
        return line;
    }
    return NULL;
}
