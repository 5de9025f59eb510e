/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the state shown by `omptape top` as JSON, one line each (docs/top.md). Names are those of report's
 * JSON (docs/report.md) where the meaning is the same.
 */
#include "src/command/top/state.h"

#include "src/command/report/numbers.h"
#include "src/command/report/state.h"
#include "src/core/clock.h"
#include "src/core/whole.h"

#include <string.h>

/* Lists the times by bucket, with the bucket's name in lower case as key: "computing_s". */
static void write_parts(struct value_tree *tree, const struct omptape_message *now, const uint64_t *parts)
{
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        char key[64];
        size_t n = 0;
        for (const char *from = omptape_buckets[bucket].name; *from != '\0' && n < sizeof(key) - 3; from++)
            key[n++] = *from == ' ' ? '_' : *from >= 'A' && *from <= 'Z' ? (char)(*from - 'A' + 'a') : *from;
        memcpy(key + n, "_s", 3);
        value_tree_number(tree, key, top_seconds(now, parts[bucket]));
    }
}

static void write_facts(struct value_tree *tree, const struct top_process *process)
{
    const struct omptape_message_facts *facts = &top_now(process)->facts;
    value_tree_text(tree, "program", facts->program);
    value_tree_text(tree, "host", facts->host);
    value_tree_text(tree, "archive", facts->folder);
    if (facts->rank > 0) {
        value_tree_count(tree, "rank", facts->rank - 1);
        value_tree_count(tree, "size", facts->size);
    }
    value_tree_number(tree, "run_s", top_seconds(top_now(process), facts->now - facts->begin));
    value_tree_count(tree, "threads", facts->alive);
    value_tree_count(tree, "processors", facts->processors);
    value_tree_count(tree, "records", facts->records);
    value_tree_count(tree, "dropped", facts->dropped);
    value_tree_number(tree, "stalled_s", top_seconds(top_now(process), facts->stalled));
    value_tree_number(tree, "writer_s", (double)facts->writer_ns * 1e-9);
}

static void write_region(struct value_tree *tree, const struct omptape_message *now,
                         const struct top_region *one)
{
    report_write_place(tree, one->region);
    value_tree_count(tree, "visits", one->visits);
    write_parts(tree, now, one->parts);
}

static void write_finding(struct value_tree *tree, const struct omptape_analysis *analysis,
                          const struct omptape_finding *finding)
{
    char text[SCREEN_TEXT_BYTES];
    value_tree_text(tree, "kind", omptape_finding_name(finding->kind));
    value_tree_text(tree, "place", report_place(finding, text, sizeof(text)));
    report_write_line(tree, finding->file, finding->line);
    report_write_seconds(tree, analysis, "gain_s", finding->gain);
    value_tree_text(tree, "text", finding->text);
    value_tree_text(tree, "proposal", finding->proposal);
}

static void write_interval(struct value_tree *tree, const struct top_process *process)
{
    const struct omptape_message *now = top_now(process);
    const struct top_interval *interval = &process->interval;
    value_tree_object(tree, "now");
    value_tree_number(tree, "wall_s", top_seconds(now, interval->wall));
    value_tree_count(tree, "records", interval->records);
    write_parts(tree, now, interval->parts);
    value_tree_object(tree, "efficiency");
    report_write_factors(tree, &interval->efficiency);
    value_tree_end(tree);
    for (uint32_t i = 0; value_tree_row(tree, "regions", i, interval->region_count); i++)
        write_region(tree, now, &interval->regions[i]);
    for (uint32_t i = 0; value_tree_row(tree, "functions", i, interval->function_count); i++) {
        value_tree_text(tree, "function", interval->functions[i].name);
        value_tree_text(tree, "mostly_in", interval->functions[i].place);
        value_tree_count(tree, "samples", interval->functions[i].samples);
        value_tree_count(tree, "asleep", interval->functions[i].asleep);
    }
    for (uint32_t i = 0; value_tree_row(tree, "phases", i, interval->phase_count); i++) {
        report_write_name(tree, interval->phases[i].region);
        value_tree_count(tree, "count", interval->phases[i].count);
    }
    for (uint32_t i = 0; value_tree_row(tree, "threads", i, interval->thread_count); i++) {
        value_tree_text(tree, "name", interval->threads[i].thread->name);
        write_parts(tree, now, interval->threads[i].parts);
    }
    for (uint32_t i = 0; value_tree_row(tree, "other_threads", i, interval->other_count); i++) {
        const struct top_other *one = &interval->others[i];
        value_tree_text(tree, "name", one->thread->name);
        value_tree_count(tree, "tid", one->thread->tid);
        value_tree_number(tree, "lived_s",
                          top_seconds(now, omptape_minus(now->facts.now, one->thread->begin)));
        write_parts(tree, now, one->parts);
    }
    value_tree_end(tree);
    value_tree_object(tree, "whole");
    write_parts(tree, now, now->facts.books);
    value_tree_object(tree, "efficiency");
    report_write_factors(tree, &interval->whole);
    value_tree_end(tree);
    value_tree_end(tree);
}

static bool is_unused(const struct top_process *process)
{
    return process->state == TOP_RUNS && (top_now(process)->facts.flags & OMPTAPE_MESSAGE_UNUSED) != 0;
}

static void write_process(struct value_tree *tree, const struct top_process *process)
{
    static const char *const states[] = {[TOP_WAITS] = "waits",
                                         [TOP_RUNS] = "runs",
                                         [TOP_SILENT] = "silent",
                                         [TOP_UNREADABLE] = "unreadable",
                                         [TOP_ENDED] = "ended"};
    const uint32_t findings = process->has_message ? top_now(process)->analysis->finding_count : 0;
    value_tree_count(tree, "pid", (uint64_t)process->found.program);
    value_tree_text(tree, "state", is_unused(process) ? "unused" : states[process->state]);
    if (process->has_message)
        write_facts(tree, process);
    if (process->has_interval && !process->is_written)
        write_interval(tree, process);
    for (uint32_t i = 0; value_tree_row(tree, "findings", i, findings); i++)
        write_finding(tree, top_now(process)->analysis, &top_now(process)->analysis->findings[i]);
}

static void write_all(struct value_tree *tree, const void *data)
{
    const struct top *top = data;
    value_tree_number(tree, "time_s", (double)omptape_clock_realtime_ns() * 1e-9);
    for (uint32_t i = 0; value_tree_row(tree, "processes", i, top->count); i++)
        write_process(tree, &top->processes[i]);
    for (uint32_t i = 0; value_tree_row(tree, "other_nodes", i, top->node_count); i++) {
        value_tree_text(tree, "node", top->nodes[i].name);
        value_tree_count(tree, "ranks", top->nodes[i].ranks);
    }
}

int top_write_json(struct top *top, FILE *out)
{
    const int status = value_tree_write_compact_json(out, write_all, top);
    fputc('\n', out);
    for (uint32_t i = 0; i < top->count; i++)
        top->processes[i].is_written = true;
    return status;
}
