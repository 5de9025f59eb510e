/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the upper part of `omptape report`: what ran, what costs time and what helps, and the efficiencies.
 */
#include "src/analysis/findings/inside.h"
#include "src/command/report/state.h"

#include "src/command/text/units.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <string.h>

enum { TEXT_BYTES = SCREEN_TEXT_BYTES, DEFAULT_FINDINGS = 5, INDENT = 5, ARROW = 3 };

const char *report_place(const struct omptape_finding *finding, char *text, size_t bytes)
{
    const char *region = finding->region != NULL ? finding->region->shown : NULL;
    const char *before = finding->before != NULL ? finding->before->shown : NULL;
    const char *part = finding->kind == OMPTAPE_FINDING_BLOCKED ? "blocked" : "serial";
    bool inside = finding->kind == OMPTAPE_FINDING_SERIAL && finding->serial == NULL;
    if (inside && region != NULL) /* code for one thread in a parallel region */
        (void)snprintf(text, bytes, "serial %s %s",
                       omptape_region_is_barrier(finding->region->kind) ? "before" : "in", region);
    else if (finding->serial == NULL && finding->before == NULL)
        (void)snprintf(text, bytes, "%s", region != NULL ? region : omptape_finding_name(finding->kind));
    else if (region != NULL && before != NULL)
        (void)snprintf(text, bytes, "%s between %s and %s", part, region, before);
    else if (region != NULL)
        (void)snprintf(text, bytes, "%s after %s", part, region);
    else if (before != NULL)
        (void)snprintf(text, bytes, "%s before %s", part, before);
    else
        (void)snprintf(text, bytes, "%s", part);
    return text;
}

/* Returns the number of nodes that the processes ran on. */
static unsigned count_nodes(const struct omptape_analysis *analysis)
{
    struct omptape_rows nodes = {0};
    for (uint32_t i = 0; i < analysis->process_count; i++)
        (void)omptape_rows_text(&nodes, analysis->processes[i].node);
    unsigned count = nodes.count;
    omptape_rows_free(&nodes);
    return count;
}

/* Prints "energy 1.2 kJ (85 W): processors and memory of the node, whoever used them". */
static void print_energy(const struct report *report)
{
    const double joules = report_energy(report->analysis);
    if (!report->whole || joules <= 0)
        return;
    screen_paragraph(&report->screen, 0, "energy %s (%s): %s, whoever used them",
                     units_large(joules, "J").text,
                     units_large(joules / report_wall(report->analysis), "W").text,
                     count_nodes(report->analysis) > 1 ? "processors and memory of all nodes"
                                                       : "processors and memory of the node");
}

void report_print_header(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const struct screen *screen = &report->screen;
    char where[2 * UNITS_TEXT_BYTES] = "";
    char line[TEXT_BYTES];
    const struct units_text date = report_date(analysis, "%Y-%m-%d %H:%M");
    unsigned nodes = count_nodes(analysis);
    if (nodes > 1)
        (void)snprintf(where, sizeof(where), " on %s", units_things(nodes, "node").text);
    else if (analysis->process_count == 1 && analysis->processes[0].processors > 0)
        (void)snprintf(where, sizeof(where), " on %s",
                       units_things(analysis->processes[0].processors, "processor").text);
    (void)snprintf(line, sizeof(line), "%s, %s%s, %s%s, %s", report_program(analysis),
                   units_count(analysis->process_count).text,
                   analysis->process_count == 1 ? " process" : " processes",
                   units_things(analysis->threads, "thread").text, where,
                   report_time(analysis, omptape_minus(analysis->end, analysis->begin)).text);
    unsigned column = screen_wrap(screen, 0, 0, line);
    unsigned columns = screen_columns(date.text);
    if (columns > 0 && column + 2 + columns <= screen->width)
        fprintf(screen->out, "%*s%s", (int)(screen->width - column - columns), "", date.text);
    else if (columns > 0)
        fprintf(screen->out, "\n%*s%s", (int)(columns < screen->width ? screen->width - columns : 0), "",
                date.text);
    fputc('\n', screen->out);
    if (!report->whole)
        screen_paragraph(screen, 0, "from %.6f s to %.6f s of the trace",
                         report_moment(analysis, analysis->begin), report_moment(analysis, analysis->end));
    print_energy(report);
}

/* Formats the gain's share of the wall time. After stalls of a tenth of it, the share of the rest follows. */
static const char *describe_share(const struct omptape_analysis *analysis, uint64_t gain, char *text,
                                  size_t bytes)
{
    const double seconds = omptape_analysis_seconds(analysis, gain);
    const double wall = report_wall(analysis);
    const double left = omptape_analysis_seconds(analysis, omptape_finding_wall(analysis));
    const bool stalled = 10 * left < 9 * wall;
    (void)snprintf(text, bytes, "%s%s%s", report_percent(seconds, wall).text,
                   stalled ? ", without standing still " : "",
                   stalled ? report_percent(seconds, left).text : "");
    return text;
}

void report_sentence(const struct omptape_analysis *analysis, const struct omptape_finding *finding,
                     char *text, size_t bytes)
{
    char place[TEXT_BYTES];
    char share[TEXT_BYTES / 8];
    if (finding->kind == OMPTAPE_FINDING_HANG) {
        (void)snprintf(text, bytes, "hang: %s", finding->text);
        return;
    }
    if (finding->gain == 0) {
        (void)snprintf(text, bytes, "%s: %s", report_place(finding, place, sizeof(place)), finding->text);
        return;
    }
    (void)snprintf(text, bytes, "%s loses %s%s (%s)%s%s", report_place(finding, place, sizeof(place)),
                   omptape_finding_before_gain(finding), report_time(analysis, finding->gain).text,
                   describe_share(analysis, finding->gain, share, sizeof(share)),
                   finding->text[0] != '\0' ? ": " : "", finding->text);
}

void report_first_line(const struct omptape_analysis *analysis, char *line, size_t bytes)
{
    line[0] = '\0';
    const bool is_hottest =
        omptape_finding_is_little(analysis) && report_hottest_region(analysis, line, bytes);
    if (analysis->finding_count > 0 && !is_hottest)
        report_sentence(analysis, &analysis->findings[0], line, bytes);
    else if (analysis->events > 0 && !is_hottest)
        (void)snprintf(line, bytes, "nothing stands out");
    if (analysis->starting != NULL)
        omptape_append_item(line, bytes, "\n", "%s", analysis->starting);
    if (analysis->lacks_lines)
        omptape_append_item(line, bytes, "\n", "%s", OMPTAPE_ADVICE_LINES);
}

bool report_is_folded(const struct report *report, unsigned number)
{
    const struct omptape_finding *findings = report->analysis->findings;
    if (report->all || findings[number].kind != OMPTAPE_FINDING_PREEMPTION)
        return false;
    for (unsigned i = 0; i < number; i++)
        if (findings[i].kind == OMPTAPE_FINDING_PREEMPTION)
            return true;
    return false;
}

/* Returns true if an earlier printed finding has the same region. */
static bool is_region_printed(const struct report *report, unsigned number)
{
    const struct omptape_finding *findings = report->analysis->findings;
    for (unsigned i = 0; i < number; i++)
        if (omptape_inside_is_beside(findings[i].region, findings[number].region) &&
            findings[i].serial == NULL && !report_is_folded(report, i))
            return true;
    return false;
}

/* Prints a further line below a finding. */
static void print_below(const struct screen *screen, const char *title, const char *text)
{
    char line[2 * TEXT_BYTES];
    (void)snprintf(line, sizeof(line), "%s%s", title, text);
    fprintf(screen->out, "\n%*s", INDENT, "");
    (void)screen_wrap(screen, INDENT, INDENT + ARROW, line);
}

/* Prints a finding. `shown` is the number of findings printed before. */
static void print_finding(const struct report *report, unsigned number, unsigned shown)
{
    const struct omptape_analysis *analysis = report->analysis;
    const struct screen *screen = &report->screen;
    const struct omptape_finding *finding = &analysis->findings[number];
    char text[TEXT_BYTES];
    char head[UNITS_TEXT_BYTES];
    (void)snprintf(head, sizeof(head), "%3u. ", shown + 1);
    screen_styled(screen, SCREEN_TITLE, head);
    report_sentence(analysis, finding, text, sizeof(text));
    (void)screen_wrap(screen, INDENT, INDENT, text);
    if (finding->proposal[0] != '\0')
        print_below(screen, "-> ", finding->proposal);
    const bool in_region = finding->region != NULL && finding->before == NULL && finding->serial == NULL &&
                           !is_region_printed(report, number);
    if ((in_region || finding->serial != NULL) &&
        report_hottest(analysis, finding->region, finding->serial, text, sizeof(text)) &&
        (finding->samples == 0 || strchr(text, ',') != NULL)) /* else named already */
        print_below(screen, "inside: ", text);
    if (in_region && report_callers(analysis, finding->region, text, sizeof(text)))
        print_below(screen, "called from: ", text);
    fputc('\n', screen->out);
    if (finding->outlier != NULL)
        report_print_command(report, finding->worst.begin, finding->worst.end, INDENT);
}

static void print_other_places(const struct report *report, unsigned first)
{
    const struct omptape_analysis *analysis = report->analysis;
    uint64_t gain = 0;
    unsigned count = 0;
    char line[TEXT_BYTES];
    for (unsigned i = first + 1; i < analysis->finding_count; i++) {
        omptape_add(&gain, report_is_folded(report, i) ? analysis->findings[i].gain : 0);
        count += report_is_folded(report, i);
    }
    if (count == 0)
        return;
    (void)snprintf(line, sizeof(line), "the same at %s, %s in all", units_things(count, "more place").text,
                   report_time(analysis, gain).text);
    fprintf(report->screen.out, "%*s", INDENT, "");
    (void)screen_wrap(&report->screen, INDENT, INDENT, line);
    fputc('\n', report->screen.out);
}

/* Prints the findings; with --all each one separately. */
static void print_all_findings(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    unsigned rows = report->top > 0 ? report->top : DEFAULT_FINDINGS;
    unsigned shown = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < analysis->finding_count; i++) {
        bool again = report_is_folded(report, i);
        bool fits = !again && shown < rows;
        left += !again && !fits;
        if (!fits)
            continue;
        print_finding(report, i, shown);
        if (!report->all && analysis->findings[i].kind == OMPTAPE_FINDING_PREEMPTION)
            print_other_places(report, i);
        shown++;
    }
    if (left > 0)
        fprintf(report->screen.out, "     ... %u more\n", left);
}

const char *report_efficiency(const struct analysis_efficiency *efficiency, char *line, size_t bytes)
{
    const double percent = 100;
    const char *sign = "=";
    (void)snprintf(line, bytes, "parallel %.0f %%", percent * efficiency->parallel);
    for (int factor = 0; factor < ANALYSIS_FACTORS; factor++) {
        if (!omptape_analysis_has_factor(efficiency, factor))
            continue;
        omptape_append(line, bytes, " %s %s %.0f %%", sign, omptape_analysis_factors[factor].name,
                       percent * efficiency->factors[factor]);
        sign = "x";
    }
    return line;
}

static void print_efficiency(const struct report *report)
{
    const struct analysis_efficiency *efficiency = &report->analysis->efficiency;
    char line[TEXT_BYTES];
    if (efficiency->available == 0)
        return;
    fputc('\n', report->screen.out);
    screen_styled(&report->screen, SCREEN_TITLE, "efficiency");
    fputs("  ", report->screen.out);
    (void)screen_wrap(&report->screen, 12, 12, report_efficiency(efficiency, line, sizeof(line)));
    fputc('\n', report->screen.out);
}

void report_print_findings(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const struct screen *screen = &report->screen;
    struct report shown = *report;
    const bool little = omptape_finding_is_little(analysis);
    report_print_header(report);
    fputc('\n', screen->out);
    if (analysis->banner != NULL) {
        screen_paragraph(screen, 0, "%s", analysis->banner);
        fputc('\n', screen->out);
    }
    if (analysis->finding_count == 0)
        screen_paragraph(screen, 0, "%s",
                         analysis->events == 0 ? "the archive holds no events"
                         : analysis->verdict != NULL && analysis->verdict[0] != '\0' ? analysis->verdict
                                                                                     : "nothing stands out");
    if (little && report_print_samples(&shown)) {
        screen_paragraph(screen, 0,
                         "Whether the processor waits there, as for memory, is not in the record: "
                         "perf stat -d shows that, or perf c2c for false sharing.");
        if (analysis->finding_count > 0)
            fputc('\n', screen->out);
    }
    print_all_findings(report);
    shown.findings = report->all ? analysis->finding_count : DEFAULT_FINDINGS;
    if (!little)
        (void)report_print_samples(&shown);
    report_print_other_threads(report);
    print_efficiency(report);
}
