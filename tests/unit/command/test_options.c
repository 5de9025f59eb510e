/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the options: the table and the variables (src/core/options.c), and the command line that is
 * turned into variables (src/command/arguments.c).
 */
#include "src/command/arguments.h"
#include "src/core/events.h"
#include "src/core/options.h"

#include <errno.h>
#include <omptape/ompt.h>
#include <omptape/shm.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char error[256];

static int clear_variables(void **state)
{
    (void)state;
    for (size_t i = 0; i < omptape_option_count; i++)
        unsetenv(omptape_option_table[i].variable);
    unsetenv("OMPTAPE_RUN");
    unsetenv("OMPTAPE_REPORT_FILE");
    strcpy(error, "untouched");
    return 0;
}

static const struct omptape_option *find(const char *name)
{
    for (size_t i = 0; i < omptape_option_count; i++)
        if (strcmp(omptape_option_table[i].name, name) == 0)
            return &omptape_option_table[i];
    fail_msg("no option --%s", name);
    return NULL;
}

static void assert_bytes(const char *text, uint64_t expected)
{
    uint64_t bytes = 0;
    assert_int_equal(omptape_parse_bytes(text, &bytes), 0);
    assert_int_equal(bytes, expected);
}

static void byte_counts(void **state)
{
    (void)state;
    assert_bytes("0", 0);
    assert_bytes("4711", 4711);
    assert_bytes("4711B", 4711);
    assert_bytes("2K", 2048);
    assert_bytes("2k", 2048);
    assert_bytes("64M", UINT64_C(64) << 20);
    assert_bytes("64MB", UINT64_C(64) << 20);
    assert_bytes("64MiB", UINT64_C(64) << 20);
    assert_bytes("3G", UINT64_C(3) << 30);
    assert_bytes("18446744073709551615", UINT64_MAX);
    assert_bytes("17179869183G", UINT64_C(17179869183) << 30);
}

static void bad_byte_counts(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "M",    "-1",  " 1",   "1 ",    "1 M", "1.5M",
                                        "12Q", "12MM", "1iB", "0x10", "1MiBs", "1Bi"};
    static const char *const large[] = {"18446744073709551616", "17179869184G", "16E",
                                        "99999999999999999999999K"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        uint64_t bytes = 42;
        assert_int_equal(omptape_parse_bytes(texts[i], &bytes), -EINVAL);
        assert_int_equal(bytes, 42);
    }
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        uint64_t bytes = 42;
        assert_int_equal(omptape_parse_bytes(large[i], &bytes), -ERANGE);
        assert_int_equal(bytes, 42);
    }
}

static void defaults(void **state)
{
    (void)state;
    struct omptape_options options;
    assert_int_equal(omptape_options_read(&options, error, sizeof(error)), 0);
    assert_string_equal(error, "");
    assert_null(options.output);
    assert_null(options.report);
    assert_int_equal(options.buffer_bytes, UINT64_C(64) << 20);
    assert_int_equal(options.device_buffer_bytes, 1 << 20);
    assert_int_equal(options.events, omptape_events_all);
    assert_false(options.quiet);
    assert_false(options.force);
    assert_false(options.sibling);
    assert_null(options.filter);
    assert_int_equal(options.limit_per_site, 0);
    assert_int_equal(options.checkpoint_ns, UINT64_C(2000000000));
    assert_false(options.paused);
    assert_false(options.distinct_times);
}

/* Returns the share of a timer's period in which no sample falls. */
static double missed_share(uint64_t sample_ns, uint64_t timer_ns)
{
    enum { PARTS = 8, SAMPLES = 40 };
    bool seen[PARTS] = {false};
    int missing = 0;
    for (uint64_t i = 0; i < SAMPLES; i++)
        seen[i * sample_ns % timer_ns * PARTS / timer_ns] = true;
    for (int i = 0; i < PARTS; i++)
        missing += !seen[i];
    return (double)missing / (double)PARTS;
}

/* What a program does at each tick of a timer must be sampled as often as its time says. */
static void samples_keep_no_step_with_timers(void **state)
{
    static const uint64_t timers_us[] = {100, 250, 400, 500, 1000, 2000, 4000, 5000, 10000, 20000};
    (void)state;
    for (int rate = 100; rate <= 1000; rate += 900) {
        struct omptape_options options;
        setenv("OMPTAPE_SAMPLE", rate == 100 ? "100" : "1000", 1);
        assert_int_equal(omptape_options_read(&options, error, sizeof(error)), 0);
        for (size_t i = 0; i < sizeof(timers_us) / sizeof(timers_us[0]); i++)
            assert_true(missed_share(options.sample_ns, timers_us[i] * 1000) <= 0.25);
    }
}

static void variables_are_read(void **state)
{
    (void)state;
    struct omptape_options options;
    setenv("OMPTAPE_OUTPUT", "/tmp/out", 1);
    setenv("OMPTAPE_REPORT_FILE", "/proc/1/fd/3", 1);
    setenv("OMPTAPE_RUN", "1-2", 1);
    setenv("OMPTAPE_BUFFER_SIZE", "1M", 1);
    setenv("OMPTAPE_DEVICE_BUFFER_SIZE", "8K", 1);
    setenv("OMPTAPE_EVENTS", "-flush", 1);
    setenv("OMPTAPE_QUIET", "1", 1);
    setenv("OMPTAPE_FORCE", "yes", 1);
    setenv("OMPTAPE_FILTER", "-critical", 1);
    setenv("OMPTAPE_LIMIT_PER_SITE", "1000", 1);
    setenv("OMPTAPE_START", "paused", 1);
    setenv("OMPTAPE_CHECKPOINT", "off", 1);
    setenv("OMPTAPE_DISTINCT_TIMES", "1", 1);
    assert_int_equal(omptape_options_read(&options, error, sizeof(error)), 0);
    assert_string_equal(options.output, "/tmp/out");
    assert_string_equal(options.report, "/proc/1/fd/3");
    assert_int_equal(options.buffer_bytes, 1 << 20);
    assert_int_equal(options.device_buffer_bytes, 8192);
    assert_false(options.events & OMPTAPE_EVENT(ompt_callback_flush));
    assert_true(options.quiet);
    assert_true(options.force);
    assert_true(options.sibling);
    assert_string_equal(options.filter, "-critical");
    assert_int_equal(options.limit_per_site, 1000);
    assert_int_equal(options.checkpoint_ns, 0);
    assert_true(options.paused);
    assert_true(options.distinct_times);
}

static void empty_variables_count_as_unset(void **state)
{
    (void)state;
    struct omptape_options options;
    for (size_t i = 0; i < omptape_option_count; i++)
        setenv(omptape_option_table[i].variable, "", 1);
    setenv("OMPTAPE_RUN", "", 1);
    assert_int_equal(omptape_options_read(&options, error, sizeof(error)), 0);
    assert_null(options.output);
    assert_int_equal(options.events, omptape_events_all);
    assert_false(options.sibling);
}

static void a_bad_variable_keeps_its_default_and_the_others(void **state)
{
    (void)state;
    struct omptape_options options;
    setenv("OMPTAPE_BUFFER_SIZE", "12Q", 1);
    setenv("OMPTAPE_QUIET", "perhaps", 1);
    setenv("OMPTAPE_FORCE", "1", 1);
    assert_int_equal(omptape_options_read(&options, error, sizeof(error)), -EINVAL);
    assert_int_equal(options.buffer_bytes, UINT64_C(64) << 20);
    assert_false(options.quiet);
    assert_true(options.force);
    assert_non_null(strstr(error, "OMPTAPE_BUFFER_SIZE: \"12Q\""));
    assert_null(strchr(error, '\n'));
}

static void values_are_checked(void **state)
{
    (void)state;
    const struct omptape_option *size = find("buffer-size");
    assert_int_equal(omptape_option_check(size, "1M", error, sizeof(error)), 0);
    assert_int_equal(omptape_option_check(size, "1023K", error, sizeof(error)), -EINVAL);
    assert_non_null(strstr(error, "--buffer-size: \"1023K\" is too small"));
    assert_int_equal(omptape_option_check(size, "1025G", error, sizeof(error)), -EINVAL);
    assert_non_null(strstr(error, "too large"));
    const struct omptape_option *device = find("device-buffer-size");
    assert_int_equal(omptape_option_check(device, "4K", error, sizeof(error)), 0);
    assert_int_equal(omptape_option_check(device, "1G", error, sizeof(error)), 0);
    assert_int_equal(omptape_option_check(device, "4095", error, sizeof(error)), -EINVAL);
    assert_int_equal(omptape_option_check(device, "2G", error, sizeof(error)), -EINVAL);
    assert_int_equal(omptape_option_check(find("events"), "taks", error, sizeof(error)), -EINVAL);
    assert_non_null(strstr(error, "--events: "));
    assert_int_equal(omptape_option_check(find("quiet"), "off", error, sizeof(error)), 0);

    const struct omptape_option *limit = find("limit-per-site");
    static const char *const bad_limits[] = {"0", "-1", "1K", "", "99999999999999999999"};
    assert_int_equal(omptape_option_check(limit, "1", error, sizeof(error)), 0);
    for (size_t i = 0; i < sizeof(bad_limits) / sizeof(bad_limits[0]); i++)
        assert_int_equal(omptape_option_check(limit, bad_limits[i], error, sizeof(error)), -EINVAL);
    static const char *const bad_periods[] = {
        "-1", "1.5", "2s", "", "never", "86401", "99999999999999999999"};
    assert_int_equal(omptape_option_check(find("checkpoint"), "10", error, sizeof(error)), 0);
    for (size_t i = 0; i < sizeof(bad_periods) / sizeof(bad_periods[0]); i++)
        assert_int_equal(omptape_option_check(find("checkpoint"), bad_periods[i], error, sizeof(error)),
                         -EINVAL);
    assert_int_equal(omptape_option_check(find("start"), "running", error, sizeof(error)), 0);
    assert_int_equal(omptape_option_check(find("start"), "later", error, sizeof(error)), -EINVAL);
    assert_non_null(strstr(error, "--start: \"later\""));
    /* A file of rules is read by the command and the writer. */
    assert_int_equal(omptape_option_check(find("filter"), "@/nowhere", error, sizeof(error)), 0);
    assert_int_equal(omptape_option_check(find("filter"), "-critcal", error, sizeof(error)), -EINVAL);
    assert_non_null(strstr(error, "--filter: no construct"));

    char path[OMPTAPE_PATH_BYTES + 1];
    memset(path, 'p', sizeof(path));
    path[OMPTAPE_PATH_BYTES] = '\0';
    assert_int_equal(omptape_option_check(find("output"), path, error, sizeof(error)), -EINVAL);
    path[OMPTAPE_PATH_BYTES - 1] = '\0';
    assert_int_equal(omptape_option_check(find("output"), path, error, sizeof(error)), 0);
}

static void the_table_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        /* The variable is the name in capitals. */
        assert_int_equal(strncmp(option->variable, "OMPTAPE_", 8), 0);
        assert_int_equal(strlen(option->variable), 8 + strlen(option->name));
        for (size_t c = 0; option->name[c]; c++) {
            char expected = option->name[c] == '-' ? '_' : (char)(option->name[c] - 'a' + 'A');
            assert_int_equal(option->variable[8 + c], expected);
        }
        /* The help ends with the words. */
        for (size_t w = 0; option->words != NULL && option->words[w] != NULL; w++)
            assert_non_null(strstr(strrchr(option->help, ':'), option->words[w]));
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(omptape_option_table[j].name, option->name);
            assert_false(option->letter && omptape_option_table[j].letter == option->letter);
        }
    }
}

/* Command lines. */
enum { MAX_ARGUMENTS = 12 };

static struct arguments parse(char *const *words)
{
    int argc = 0;
    struct arguments arguments = {0};
    while (words[argc] != NULL)
        argc++;
    assert_int_equal(arguments_parse(argc, words, &arguments, error, sizeof(error)), 0);
    return arguments;
}

static void assert_usage_error(char *const *words, const char *named)
{
    int argc = 0;
    struct arguments arguments = {0};
    while (words[argc] != NULL)
        argc++;
    assert_int_equal(arguments_parse(argc, words, &arguments, error, sizeof(error)), -EINVAL);
    assert_non_null(strstr(error, named));
    assert_null(strchr(error, '\n'));
}

#define WORDS(...) ((char *[]){"omptape", __VA_ARGS__, NULL})

static void options_become_variables(void **state)
{
    (void)state;
    static char *const spellings[][MAX_ARGUMENTS] = {
        {"omptape", "-o", "out", "-q", "--buffer-size", "2M", "app", NULL},
        {"omptape", "-oout", "-q", "--buffer-size=2M", "app", NULL},
        {"omptape", "--output=out", "--quiet", "--buffer-size=2M", "--", "app", NULL},
        {"omptape", "-qo", "out", "--buffer-size=2M", "app", NULL},
        {"omptape", "-qoout", "--buffer-size=2M", "app", NULL},
        {"omptape", "--output", "out", "--quiet=1", "--buffer-size=3M", "--buffer-size=2M", "app", NULL},
    };
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        clear_variables(NULL);
        struct arguments arguments = parse(spellings[i]);
        assert_int_equal(arguments.action, ACTION_RUN);
        assert_string_equal(spellings[i][arguments.program], "app");
        assert_string_equal(getenv("OMPTAPE_OUTPUT"), "out");
        assert_string_equal(getenv("OMPTAPE_QUIET"), "1");
        assert_string_equal(getenv("OMPTAPE_BUFFER_SIZE"), "2M");
        assert_null(getenv("OMPTAPE_FORCE"));
        assert_true(arguments.output_given);
    }
}

static void the_command_line_beats_the_variables(void **state)
{
    (void)state;
    setenv("OMPTAPE_QUIET", "1", 1);
    setenv("OMPTAPE_OUTPUT", "env", 1);
    assert_false(parse(WORDS("app")).output_given);
    assert_string_equal(getenv("OMPTAPE_OUTPUT"), "env");
    parse(WORDS("--quiet=0", "-o", "line", "app"));
    assert_string_equal(getenv("OMPTAPE_QUIET"), "0");
    assert_string_equal(getenv("OMPTAPE_OUTPUT"), "line");
}

static void the_programs_options_are_its_own(void **state)
{
    (void)state;
    assert_int_equal(parse(WORDS("app", "-q", "--help", "-o", "x")).program, 1);
    assert_null(getenv("OMPTAPE_QUIET"));
    assert_int_equal(parse(WORDS("--", "-q")).program, 2);
    assert_null(getenv("OMPTAPE_QUIET"));
}

static void actions(void **state)
{
    (void)state;
    assert_int_equal(parse(WORDS("--help")).action, ACTION_HELP);
    assert_int_equal(parse(WORDS("-h")).action, ACTION_HELP);
    assert_int_equal(parse(WORDS("--version")).action, ACTION_VERSION);
    assert_int_equal(parse(WORDS("--events=help")).action, ACTION_EVENTS);
    assert_int_equal(parse(WORDS("--events", "help", "app")).action, ACTION_EVENTS);
    assert_int_equal(parse(WORDS("--filter=help")).action, ACTION_FILTER);
    assert_int_equal(parse(WORDS("--man")).action, ACTION_MAN);
    assert_int_equal(parse(WORDS("--completions")).action, ACTION_COMPLETIONS);
    assert_int_equal(parse(WORDS("info", "x")).action, ACTION_INFO);
    assert_int_equal(parse(WORDS("-q", "check", "x")).action, ACTION_CHECK);
    assert_int_equal(parse(WORDS("export", "x")).action, ACTION_EXPORT);
    assert_int_equal(parse(WORDS("snapshot", "x")).action, ACTION_SNAPSHOT);
    assert_int_equal(parse(WORDS("unify", "x")).action, ACTION_UNIFY);
    assert_int_equal(parse(WORDS("--", "info", "x")).action, ACTION_RUN);
    assert_int_equal(parse(WORDS("./info", "x")).action, ACTION_RUN);
}

static void usage_errors(void **state)
{
    (void)state;
    assert_usage_error(((char *[]){"omptape", NULL}), "no program");
    assert_usage_error(WORDS("--"), "no program");
    assert_usage_error(WORDS("-q"), "no program");
    assert_usage_error(WORDS("--outptu", "x", "app"), "--outptu");
    assert_usage_error(WORDS("--out=x", "app"), "--out");
    assert_usage_error(WORDS("-x", "app"), "-x");
    assert_usage_error(WORDS("-qx", "app"), "-x");
    assert_usage_error(WORDS("-o"), "--output");
    assert_usage_error(WORDS("--output"), "--output");
    assert_usage_error(WORDS("--output=", "app"), "--output");
    assert_usage_error(WORDS("--buffer-size=12Q", "app"), "12Q");
    assert_usage_error(WORDS("--events=taks", "app"), "taks");
    assert_usage_error(WORDS("--help=me"), "--help");
    assert_usage_error(WORDS("-", "app"), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_counts),
        cmocka_unit_test(bad_byte_counts),
        cmocka_unit_test_setup(defaults, clear_variables),
        cmocka_unit_test_setup(variables_are_read, clear_variables),
        cmocka_unit_test_setup(samples_keep_no_step_with_timers, clear_variables),
        cmocka_unit_test_setup(empty_variables_count_as_unset, clear_variables),
        cmocka_unit_test_setup(a_bad_variable_keeps_its_default_and_the_others, clear_variables),
        cmocka_unit_test_setup(values_are_checked, clear_variables),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test_setup(options_become_variables, clear_variables),
        cmocka_unit_test_setup(the_command_line_beats_the_variables, clear_variables),
        cmocka_unit_test_setup(the_programs_options_are_its_own, clear_variables),
        cmocka_unit_test_setup(actions, clear_variables),
        cmocka_unit_test_setup(usage_errors, clear_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
