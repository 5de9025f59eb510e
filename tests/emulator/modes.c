/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the emulator's modes from the environment. Called once by the thread that starts the tool; the
 * questions are asked on every thread.
 */
#include "tests/emulator/modes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/violations.h"

static const char *const mode_names[EM_MODES] = {
    [EM_REQUEST_APP] = "request_app",
    [EM_COMPLETE_APP] = "complete_app",
    [EM_SUBRANGES] = "subranges",
    [EM_PARTIAL_BACK] = "partial_back",
    [EM_OUT_OF_ORDER] = "out_of_order",
    [EM_SHUFFLE] = "shuffle",
    [EM_LATE] = "late",
    [EM_LATE_DEVICE] = "late_device",
    [EM_LATE_FINALIZE] = "late_finalize",
    [EM_AFTER_END] = "after_end",
    [EM_NEVER] = "never",
    [EM_COMPLETE_TWICE] = "complete_twice",
    [EM_OWNED_TWICE] = "owned_twice",
    [EM_DUPLICATE] = "duplicate",
    [EM_EMPTY] = "empty",
    [EM_FOREIGN] = "foreign",
    [EM_HOARD] = "hoard",
    [EM_FLUSH_FAILS] = "flush_fails",
    [EM_FLUSH_ASYNC] = "flush_async",
    [EM_START_FAILS] = "start_fails",
    [EM_START_FAILS_ODD] = "start_fails_odd",
    [EM_STOP_FAILS] = "stop_fails",
    [EM_PAUSE_FAILS] = "pause_fails",
    [EM_NO_LOOKUP] = "no_lookup",
    [EM_ONE_FORM] = "one_form",
    [EM_TYPE_NONEMI] = "type_nonemi",
    [EM_TYPE_UNKNOWN] = "type_unknown",
    [EM_TARGET_TIME_ZERO] = "target_time_zero",
    [EM_THREAD_HASH] = "thread_hash",
    [EM_ID_SUBMIT] = "id_submit",
    [EM_ID_ZERO] = "id_zero",
    [EM_ID_UNKNOWN] = "id_unknown",
    [EM_DEVICE_ZERO] = "device_zero",
    [EM_CALLBACK_DEVICE_ZERO] = "callback_device_zero",
    [EM_END_BEFORE_BEGIN] = "end_before_begin",
    [EM_TIME_ZERO] = "time_zero",
    [EM_BEGIN_ZERO] = "begin_zero",
    [EM_END_ZERO] = "end_zero",
    [EM_D2D] = "d2d",
    [EM_D2D_TIMES] = "d2d_times",
    [EM_FIRST_NULL] = "first_null",
    [EM_IN_PLACE] = "in_place",
    [EM_INVALID] = "invalid",
    [EM_NATIVE] = "native",
    [EM_EVERY_KIND] = "every_kind",
    [EM_CURSOR_PLAIN] = "cursor_plain",
    [EM_CURSOR_LOOP] = "cursor_loop",
    [EM_CURSOR_CYCLE] = "cursor_cycle",
    [EM_CURSOR_PAST] = "cursor_past",
    [EM_RAMP] = "ramp",
    [EM_STEP_BACK] = "step_back",
    [EM_TIME_DEAD] = "time_dead",
    [EM_DISAGREE] = "disagree",
    [EM_ASYNC] = "async",
    [EM_OVERHANG] = "overhang",
};

static struct {
    const char *name;
    double value;
} numbers[EM_NUMBERS] = {
    [EM_PPM] = {"ppm", 50},        [EM_DRIFT] = {"drift", 5},        [EM_PERIOD] = {"period", 8},
    [EM_HZ] = {"hz", 1e9},         [EM_JITTER] = {"jitter", 1000},   [EM_READ_DELAY] = {"read_delay", 0},
    [EM_SPIKE] = {"spike", 0},     [EM_DELAY] = {"delay", 20000},    [EM_DURATION] = {"duration", 100000},
    [EM_STREAMS] = {"streams", 2}, [EM_THREADS] = {"threads", 2},    [EM_SUBRANGE] = {"subrange", 7},
    [EM_EVERY] = {"every", 3},     [EM_FLOOD] = {"flood", 0},        [EM_BURST] = {"burst", 250},
    [EM_STEP] = {"step", 1e6},     [EM_STEP_AT] = {"step_at", 50e6}, [EM_OFF_BY] = {"off_by", 500e3},
    [EM_SEED] = {"seed", 1},
};

/* What the peers report of two runtimes, in a word. */
static const struct {
    const char *name;
    const char *words;
} bundles[] = {
    {"amd", "request_app,subranges,type_nonemi,target_time_zero,thread_hash,first_null,set=all:sometimes"},
    {"cray", "duplicate,empty,end_before_begin,device_zero,partial_back"},
};

static bool is_on[EM_MODES];
static char missing[512];
static char results[512];

static void append(char *list, size_t size, const char *words)
{
    size_t used = strlen(list);

    snprintf(list + used, size - used, "+%s+", words);
}

static bool read_assignment(const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length;

    if (equals == NULL)
        return false;
    length = (size_t)(equals - word);
    if (strncmp(word, "missing", length) == 0 && length == strlen("missing")) {
        append(missing, sizeof(missing), equals + 1);
        return true;
    }
    if (strncmp(word, "set", length) == 0 && length == strlen("set")) {
        append(results, sizeof(results), equals + 1);
        return true;
    }
    for (int i = 0; i < EM_NUMBERS; i++) {
        if (strncmp(word, numbers[i].name, length) == 0 && strlen(numbers[i].name) == length) {
            numbers[i].value = strtod(equals + 1, NULL);
            return true;
        }
    }
    return false;
}

static void read_words(const char *text, int depth);

static bool read_bundle(const char *word, int depth)
{
    for (size_t i = 0; i < sizeof(bundles) / sizeof(bundles[0]); i++) {
        if (depth == 0 && strcmp(word, bundles[i].name) == 0) {
            read_words(bundles[i].words, depth + 1);
            return true;
        }
    }
    return false;
}

static bool read_mode(const char *word)
{
    for (int i = 0; i < EM_MODES; i++) {
        if (strcmp(word, mode_names[i]) == 0) {
            is_on[i] = true;
            return true;
        }
    }
    return false;
}

static void read_words(const char *text, int depth)
{
    char copy[1024];
    char *rest = copy;
    char *word;

    snprintf(copy, sizeof(copy), "%s", text);
    while ((word = strsep(&rest, ",")) != NULL)
        if (word[0] != '\0' && strcmp(word, "default") != 0 && !read_mode(word) &&
            !read_bundle(word, depth) && !read_assignment(word))
            em_violation("the emulator knows no mode '%s'", word);
}

void em_modes_read(void)
{
    const char *text = getenv("OMPTAPE_EMULATOR");

    if (text != NULL)
        read_words(text, 0);
}

bool em_mode(enum em_mode mode)
{
    return is_on[mode];
}

const char *em_mode_name(enum em_mode mode)
{
    return mode_names[mode];
}

double em_number(enum em_number number)
{
    return numbers[number].value;
}

static bool has_word(const char *list, const char *word)
{
    char wanted[128];

    snprintf(wanted, sizeof(wanted), "+%s+", word);
    return strstr(list, wanted) != NULL;
}

bool em_modes_missing(const char *entry_point)
{
    return has_word(missing, entry_point);
}

static const char *kind_name(unsigned etype)
{
    switch (etype) {
    case 0:
        return "all";
    case ompt_callback_target:
    case ompt_callback_target_emi:
        return "target";
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
        return "data_op";
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
        return "submit";
    case ompt_callback_target_map:
    case ompt_callback_target_map_emi:
        return "map";
    default:
        return "host";
    }
}

ompt_set_result_t em_modes_set_result(unsigned etype, ompt_set_result_t usual)
{
    static const char *const names[] = {"error", "never", "impossible", "sometimes", "sometimes_paired",
                                        "always"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char wanted[64];
        snprintf(wanted, sizeof(wanted), "%s:%s", kind_name(etype), names[i]);
        if (has_word(results, wanted))
            return (ompt_set_result_t)i;
    }
    return usual;
}

bool em_modes_hit(enum em_mode mode, unsigned long long serial)
{
    unsigned long long every = (unsigned long long)numbers[EM_EVERY].value;

    return is_on[mode] && (every < 2 || serial % every == 0);
}
