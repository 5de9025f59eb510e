/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses and evaluates the expressions of --fail-if (gates.h).
 */
#include "src/command/report/gates.h"

#include "src/archive/read/guard.h"
#include "src/command/text/units.h"
#include "src/core/message.h"
#include "src/core/words.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PERCENT = 100;

/* Least change of a region as a share of the wall time, if the limit is a share of the region's own time. */
static const double MIN_CHANGE = 1e-3;

/* Names of values that an archive has once, and prefixes before ':' for lists of values. */
static const struct subject {
    const char *name;
    enum report_row_kind kind;
    bool is_many;  /* a name follows after ':' */
    bool is_whole; /* or no name: any of them */
    bool is_of_series;
} subjects[] = {{"wall", REPORT_ROW_WHOLE, false, false, false},
                {"computing", REPORT_ROW_WORK, false, false, false},
                {"processes", REPORT_ROW_COUNT, false, false, false},
                {"threads", REPORT_ROW_COUNT, false, false, false},
                {"parallel", REPORT_ROW_EFFICIENCY, false, false, false},
                {"communication", REPORT_ROW_EFFICIENCY, false, false, false},
                {"mpi_load_balance", REPORT_ROW_EFFICIENCY, false, false, false},
                {"load_balance", REPORT_ROW_EFFICIENCY, false, false, false},
                {"serialisation", REPORT_ROW_EFFICIENCY, false, false, false},
                {"management", REPORT_ROW_EFFICIENCY, false, false, false},
                {"blocked", REPORT_ROW_EFFICIENCY, false, false, false},
                {"processor", REPORT_ROW_EFFICIENCY, false, false, false},
                {"finding", REPORT_ROW_FINDING, true, true, false},
                {"region", REPORT_ROW_REGION, true, false, false},
                {"phase", REPORT_ROW_PHASE, true, false, false},
                {"function", REPORT_ROW_FUNCTION, true, false, false},
                {"speedup", REPORT_ROW_COUNT, false, false, true},
                {"efficiency", REPORT_ROW_EFFICIENCY, false, false, true},
                {"computation", REPORT_ROW_EFFICIENCY, false, false, true}};
enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

static bool is_share(enum report_row_kind kind)
{
    return kind == REPORT_ROW_EFFICIENCY;
}

/* Returns true for kinds with many rows, which a pattern selects from. */
static bool has_pattern(enum report_row_kind kind)
{
    return kind == REPORT_ROW_REGION || kind == REPORT_ROW_PHASE || kind == REPORT_ROW_FUNCTION;
}

static bool is_number(enum report_row_kind kind)
{
    return kind == REPORT_ROW_COUNT;
}

/* Prints "--fail-if TEXT: REASON" as one line. Returns -EINVAL. */
static int refuse(const struct report_gates *gates, const struct report_gate *gate, const char *reason,
                  const char *hint)
{
    omptape_message("%s: --fail-if '%.200s': %s%s (docs/report.md has the expressions)", gates->command,
                    gate->text, reason, hint);
    return -EINVAL;
}

static bool has_name(const struct subject *subject, const char *text, size_t bytes)
{
    return strlen(subject->name) == bytes && strncmp(subject->name, text, bytes) == 0;
}

static int read_finding(const struct report_gates *gates, const struct report_gate *gate)
{
    struct omptape_nearest nearest = omptape_nearest_start(gate->name, strlen(gate->name));
    for (int kind = 0; kind < OMPTAPE_FINDING_KINDS; kind++) {
        const char *key = omptape_finding_key((enum omptape_finding_kind)kind);
        if (strcmp(gate->name, key) == 0)
            return 0;
        omptape_nearest_try(&nearest, key);
    }
    return refuse(gates, gate, "findings have no such kind", omptape_nearest_hint(&nearest, "").text);
}

/* Parses the subject of the expression, its first `bytes` bytes. JSON's suffix "_s" is accepted for times. */
static int read_subject(const struct report_gates *gates, struct report_gate *gate, size_t bytes,
                        enum report_gates_scope scope)
{
    const char *colon = memchr(gate->text, ':', bytes);
    size_t length = colon != NULL ? (size_t)(colon - gate->text) : bytes;
    if (colon == NULL && length > 2 && strncmp(gate->text + length - 2, "_s", 2) == 0)
        length -= 2;
    struct omptape_nearest nearest = omptape_nearest_start(gate->text, length);
    const struct subject *found = NULL;
    for (size_t i = 0; i < SUBJECTS; i++) {
        if (subjects[i].is_of_series && scope != REPORT_GATES_SCOPE_SERIES)
            continue;
        omptape_nearest_try(&nearest, subjects[i].name);
        if (has_name(&subjects[i], gate->text, length))
            found = &subjects[i];
    }
    if (found == NULL)
        return refuse(gates, gate, "there is no such name", omptape_nearest_hint(&nearest, "").text);
    gate->kind = found->kind;
    if (!found->is_many) {
        (void)snprintf(gate->name, sizeof(gate->name), "%s", found->name);
        return colon == NULL ? 0 : refuse(gates, gate, "there is only one of these", "");
    }
    if (colon != NULL)
        (void)snprintf(gate->name, sizeof(gate->name), "%.*s", (int)(bytes - length - 1), colon + 1);
    if (gate->name[0] == '\0' && (!found->is_whole || colon != NULL))
        return refuse(gates, gate, "which one? A name or a pattern belongs behind ':'", "");
    return gate->kind == REPORT_ROW_FINDING && gate->name[0] != '\0' ? read_finding(gates, gate) : 0;
}

/* Returns the factor for the unit after a number, or 0 if the unit is unknown. */
static double factor_of(const char *unit, enum report_row_kind kind, bool *is_percent)
{
    static const struct {
        const char *name;
        double factor;
    } times[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    *is_percent = strcmp(unit, "%") == 0;
    if (*is_percent)
        return 1 / PERCENT;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (strcmp(unit, times[i].name) == 0 && (i == 0 || !(is_share(kind) || is_number(kind))))
            return times[i].factor;
    return 0;
}

/* Parses the limit after the operator. */
static int read_limit(const struct report_gates *gates, struct report_gate *gate, const char *text,
                      enum report_gates_scope scope)
{
    char *end = NULL;
    text += strspn(text, " ");
    gate->is_change = text[0] == '+' || text[0] == '-';
    const double number = isdigit((unsigned char)text[gate->is_change]) || text[gate->is_change] == '.'
                              ? strtod(text, &end)
                              : NAN;
    if (end == NULL || end == text || !isfinite(number))
        return refuse(gates, gate, "no number stands behind the '<' or '>'", "");
    const double factor = factor_of(end + strspn(end, " "), gate->kind, &gate->is_percent);
    gate->limit = factor * number;
    if (factor <= 0)
        return refuse(gates, gate,
                      is_share(gate->kind)    ? "a share is from 0 to 1 or has a '%'"
                      : is_number(gate->kind) ? "it is a number without a unit"
                                              : "the unit is none of %, s, ms, us, ns",
                      "");
    if (gate->is_change && scope != REPORT_GATES_SCOPE_CHANGE)
        return refuse(gates, gate, "a limit with a sign is one of a change: omptape compare BEFORE AFTER",
                      "");
    if (is_share(gate->kind) && fabs(gate->limit) > 1)
        return refuse(gates, gate, "a share is from 0 to 1 or has a '%'", "");
    if (gate->is_percent && !gate->is_change && !is_share(gate->kind) && gate->kind != REPORT_ROW_FINDING &&
        !has_pattern(gate->kind))
        return refuse(gates, gate, "of what? Only shares, and times of a part of the run, have a '%'", "");
    return 0;
}

/* Parses "@N" at the end of the first `bytes` bytes. Returns the number of bytes before it. */
static size_t read_threads(struct report_gate *gate, size_t bytes)
{
    size_t at = bytes;
    while (at > 0 && isdigit((unsigned char)gate->text[at - 1]))
        at--;
    if (at == bytes || at == 0 || gate->text[at - 1] != '@')
        return bytes;
    gate->threads = (uint32_t)strtoul(gate->text + at, NULL, 10);
    return at - 1;
}

/* Parses an expression. The last '<' or '>' is the operator, as names may contain these, but limits not. */
static int read_gate(const struct report_gates *gates, struct report_gate *gate,
                     enum report_gates_scope scope)
{
    const char *sign = NULL;
    for (const char *at = gate->text; *at != '\0'; at++)
        if (*at == '<' || *at == '>')
            sign = at;
    size_t bytes = sign != NULL ? (size_t)(sign - gate->text) : strlen(gate->text);
    while (bytes > 0 && gate->text[bytes - 1] == ' ')
        bytes--;
    if (scope == REPORT_GATES_SCOPE_SERIES)
        bytes = read_threads(gate, bytes);
    int status = read_subject(gates, gate, bytes, scope);
    if (status != 0)
        return status;
    if (sign == NULL)
        return gate->kind == REPORT_ROW_FINDING
                   ? 0
                   : refuse(gates, gate, "a limit is missing, as in wall>10s or parallel<0.8", "");
    gate->comparison = *sign == '<' ? REPORT_GATE_BELOW : REPORT_GATE_ABOVE;
    gate->is_equal = sign[1] == '=';
    return read_limit(gates, gate, sign + 1 + gate->is_equal, scope);
}

int report_gates_read(struct report_gates *gates, const char *command, enum report_gates_scope scope)
{
    int status = 0;
    gates->command = command;
    if (gates->junit->name != NULL && gates->texts.count == 0) {
        omptape_message("%s: --junit writes what became of --fail-if, and there is none", command);
        return -EINVAL;
    }
    gates->list = calloc(gates->texts.count + 1, sizeof(gates->list[0]));
    if (gates->list == NULL) {
        omptape_message("%s: out of memory", command);
        return -ENOMEM;
    }
    for (uint32_t i = 0; status == 0 && i < gates->texts.count; i++) {
        gates->list[i].text = gates->texts.items[i];
        status = read_gate(gates, &gates->list[i], scope);
    }
    return status;
}

/* Copies text without its blanks, so that "for@a.c:7" matches the row "for @a.c:7". */
static void copy_without_blanks(char *copy, size_t bytes, const char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && text[i] != '\0' && used + 1 < bytes; i++)
        if (text[i] != ' ')
            copy[used++] = text[i];
    copy[used] = '\0';
}

static bool is_matched(const char *pattern, const char *name)
{
    return strpbrk(pattern, "*?[") != NULL ? fnmatch(pattern, name, 0) == 0 : strstr(name, pattern) != NULL;
}

static bool is_of_row(const struct report_gate *gate, const struct report_row *row)
{
    char pattern[REPORT_NAME_BYTES];
    char name[REPORT_NAME_BYTES];
    char function[REPORT_NAME_BYTES];
    if (row == NULL || gate->kind != row->kind)
        return false;
    if (gate->kind == REPORT_ROW_FINDING)
        return gate->name[0] == '\0' || strcmp(gate->name, omptape_finding_key(row->finding)) == 0;
    if (!has_pattern(gate->kind))
        return strcmp(gate->name, report_factor_key(row->name)) == 0;
    copy_without_blanks(pattern, sizeof(pattern), gate->name, strlen(gate->name));
    copy_without_blanks(name, sizeof(name), row->name, sizeof(row->name));
    copy_without_blanks(function, sizeof(function), row->key, row->function);
    return is_matched(pattern, name) || is_matched(pattern, function);
}

/* Returns the row's value. For findings of one kind without a known gain it is the time spent there. */
static double value_of(const struct report_gate *gate, const struct report_row *row)
{
    if (row == NULL)
        return 0;
    return gate->kind == REPORT_ROW_FINDING && gate->name[0] != '\0' ? row->cost : row->value;
}

/* Returns the value to compare with the limit, in the limit's unit. */
static double compared(const struct report_gate *gate, const struct report_pair *pair,
                       const struct report_pairs *pairs)
{
    const double after = value_of(gate, pair->new);
    const double before = value_of(gate, pair->old);
    const bool is_of_wall = gate->kind == REPORT_ROW_FINDING || !gate->is_change;
    const double change = gate->is_change ? after - before : after;
    if (!gate->is_percent || is_share(gate->kind))
        return change;
    if (is_of_wall) {
        const double wall = gate->is_change ? pairs->wall_before : pairs->wall_after;
        return wall > 0 ? change / wall : 0;
    }
    if (gate->kind != REPORT_ROW_WHOLE && fabs(change) < MIN_CHANGE * pairs->wall)
        return 0;
    return before > 0 ? change / before : change > 0 ? HUGE_VAL : 0;
}

static bool is_true(const struct report_gate *gate, double value)
{
    switch (gate->comparison) {
    case REPORT_GATE_ABOVE:
        return value > gate->limit || (gate->is_equal && value >= gate->limit);
    case REPORT_GATE_BELOW:
        return value < gate->limit || (gate->is_equal && value <= gate->limit);
    default:
        return true;
    }
}

static struct units_text show_value(const struct report_gate *gate, const struct report_row *row, double wall)
{
    const double value = value_of(gate, row);
    struct units_text shown = row != NULL ? units_seconds(value) : (struct units_text){"none"};
    if (row == NULL)
        return shown;
    if (is_share(gate->kind)) {
        (void)snprintf(shown.text, sizeof(shown.text), "%.1f %%", PERCENT * value);
    } else if (is_number(gate->kind)) {
        (void)snprintf(shown.text, sizeof(shown.text), "%g", value);
    } else if (gate->is_percent && !gate->is_change && wall > 0) {
        (void)snprintf(shown.text, sizeof(shown.text), "%.1f %%, %.20s", PERCENT * value / wall,
                       units_seconds(value).text);
    }
    return shown;
}

/* Writes the reason: "for @a.c:7: 1.20 s -> 1.41 s, +17 %; 2 more". */
static void explain(struct report_gate *gate, const struct report_pair *pair,
                    const struct report_pairs *pairs, uint32_t more)
{
    char *reason = gate->reason;
    const size_t bytes = sizeof(gate->reason);
    const double old = value_of(gate, pair->old);
    const double new = value_of(gate, pair->new);
    (void)snprintf(reason, bytes, "%.300s: ", pair->name);
    if (gate->is_change)
        omptape_append(reason, bytes, "%s -> ", show_value(gate, pair->old, pairs->wall_before).text);
    omptape_append(reason, bytes, "%s", show_value(gate, pair->new, pairs->wall_after).text);
    if (gate->is_change && !is_share(gate->kind) && !is_number(gate->kind) && old > 0)
        omptape_append(reason, bytes, ", %+.1f %%", PERCENT * (new - old) / old);
    if (more > 0)
        omptape_append(reason, bytes, "; %u more", more);
}

static void evaluate(struct report_gate *gate, const struct report_pairs *pairs)
{
    const struct report_pair *worst = NULL;
    double max = 0;
    uint32_t found = 0;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        if (!is_of_row(gate, pair->new) && !is_of_row(gate, pair->old))
            continue;
        found++;
        const double value = compared(gate, pair, pairs);
        if ((gate->comparison == REPORT_GATE_ANY && pair->new == NULL) ||
            (gate->is_change && pair->is_noise) || !is_true(gate, value))
            continue;
        const double excess = gate->comparison == REPORT_GATE_BELOW ? -value : value;
        if (failed++ == 0 || excess > max) {
            worst = pair;
            max = excess;
        }
    }
    gate->is_unknown = found == 0 && gate->kind != REPORT_ROW_FINDING;
    gate->is_failed = worst != NULL;
    if (gate->is_failed)
        explain(gate, worst, pairs, failed - 1);
    else if (gate->is_unknown)
        (void)snprintf(gate->reason, sizeof(gate->reason), "nothing is called %s", gate->name);
}

static int write_junit(FILE *out, const void *data)
{
    const struct report_gates *gates = data;
    unsigned failures = 0;
    unsigned errors = 0;
    for (uint32_t i = 0; i < gates->texts.count; i++) {
        failures += gates->list[i].is_failed;
        errors += gates->list[i].is_unknown;
    }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "<testsuite name=\"omptape %s\" tests=\"%u\" failures=\"%u\" errors=\"%u\">\n",
            gates->command, gates->texts.count, failures, errors);
    for (uint32_t i = 0; i < gates->texts.count; i++) {
        const struct report_gate *gate = &gates->list[i];
        const char *element = gate->is_failed ? "failure" : "error";
        fprintf(out, "<testcase classname=\"omptape.%s\" name=\"", gates->command);
        xml_quote(out, gate->text);
        fputs("\">", out);
        if (gate->is_failed || gate->is_unknown) {
            fprintf(out, "<%s message=\"", element);
            xml_quote(out, gate->reason);
            fputs("\"/>", out);
        }
        fputs("</testcase>\n", out);
    }
    fputs("</testsuite>\n</testsuites>\n", out);
    return ferror(out) ? -EIO : 0;
}

/* Prints one line with all failed or all unknown expressions. Returns their number. */
static uint32_t print_results(const struct report_gates *gates, bool unknown)
{
    char line[2 * REPORT_GATE_REASON_BYTES] = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < gates->texts.count; i++) {
        const struct report_gate *gate = &gates->list[i];
        if (unknown ? !gate->is_unknown : !gate->is_failed)
            continue;
        count++;
        omptape_append_item(line, sizeof(line), "; ", "%.200s (%s)", gate->text, gate->reason);
    }
    if (count > 0)
        omptape_message("%s: %s: %s", gates->command, unknown ? "--fail-if" : "failed", line);
    return count;
}

/* Evaluates the expression for the side that it names. */
static void evaluate_on_side(struct report_gate *gate, const struct report_gates_side *sides, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (gate->threads == 0 || gate->threads == sides[i].threads) {
            evaluate(gate, sides[i].pairs);
            return;
        }
    gate->is_unknown = true;
    (void)snprintf(gate->reason, sizeof(gate->reason), "no run has %u threads", gate->threads);
}

int report_gates_evaluate(struct report_gates *gates, const struct report_gates_side *sides, uint32_t count)
{
    char error[OMPTAPE_ATOMIC_FILE_ERROR_BYTES];
    if (gates->texts.count == 0)
        return OMPTAPE_EXIT_OK;
    for (uint32_t i = 0; i < gates->texts.count; i++)
        evaluate_on_side(&gates->list[i], sides, count);
    if (gates->junit->name != NULL) {
        if (report_file_write(gates->junit, stdout, write_junit, gates, error, sizeof(error)) != 0) {
            omptape_message("%s: %s", gates->command, error);
            return OMPTAPE_EXIT_ERROR;
        }
        if (report_file_commit(gates->junit, gates->command) != 0)
            return OMPTAPE_EXIT_ERROR;
    }
    if (print_results(gates, true) > 0)
        return OMPTAPE_EXIT_ERROR;
    return print_results(gates, false) > 0 ? REPORT_EXIT_FAILED : OMPTAPE_EXIT_OK;
}

void report_gates_free(struct report_gates *gates)
{
    omptape_string_list_free(&gates->texts);
    free(gates->list);
    gates->list = NULL;
}
