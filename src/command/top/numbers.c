/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the state shown by `omptape top` as JSON, one line each (docs/top.md). Names are those of report's
 * JSON (docs/report.md) where the meaning is the same.
 */
#include "src/command/top/state.h"

#include "src/command/report/numbers.h"
#include "src/command/report/state.h"
#include "src/core/clock.h"

#include <errno.h>
#include <stdlib.h>
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
    value_tree_object(tree, NULL);
    report_write_place(tree, one->region);
    value_tree_count(tree, "visits", one->visits);
    write_parts(tree, now, one->parts);
    value_tree_end(tree);
}

static void write_finding(struct value_tree *tree, const struct omptape_analysis *analysis,
                          const struct omptape_finding *finding)
{
    char text[OMPTAPE_SCREEN_TEXT_BYTES];
    value_tree_object(tree, NULL);
    value_tree_text(tree, "kind", omptape_finding_name(finding->kind));
    value_tree_text(tree, "place", report_place(finding, text, sizeof(text)));
    report_write_line(tree, finding->file, finding->line);
    report_write_seconds(tree, analysis, "gain_s", finding->gain);
    value_tree_text(tree, "text", finding->text);
    value_tree_text(tree, "proposal", finding->proposal);
    value_tree_end(tree);
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
    value_tree_list(tree, "regions");
    for (uint32_t i = 0; i < interval->region_count; i++)
        write_region(tree, now, &interval->regions[i]);
    value_tree_end(tree);
    value_tree_list(tree, "functions");
    for (uint32_t i = 0; i < interval->function_count; i++) {
        value_tree_object(tree, NULL);
        value_tree_text(tree, "function", interval->functions[i].name);
        value_tree_text(tree, "mostly_in", interval->functions[i].place);
        value_tree_count(tree, "samples", interval->functions[i].samples);
        value_tree_end(tree);
    }
    value_tree_end(tree);
    value_tree_list(tree, "phases");
    for (uint32_t i = 0; i < interval->phase_count; i++) {
        value_tree_object(tree, NULL);
        report_write_name(tree, interval->phases[i].region);
        value_tree_count(tree, "count", interval->phases[i].count);
        value_tree_end(tree);
    }
    value_tree_end(tree);
    value_tree_list(tree, "threads");
    for (uint32_t i = 0; i < interval->thread_count; i++) {
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", interval->threads[i].thread->name);
        write_parts(tree, now, interval->threads[i].parts);
        value_tree_end(tree);
    }
    value_tree_end(tree);
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
    static const char *const states[] = {
        [TOP_WAITS] = "waits", [TOP_RUNS] = "runs", [TOP_SILENT] = "silent", [TOP_ENDED] = "ended"};
    value_tree_object(tree, NULL);
    value_tree_count(tree, "pid", (uint64_t)process->found.program);
    value_tree_text(tree, "state", is_unused(process) ? "unused" : states[process->state]);
    if (process->has_message)
        write_facts(tree, process);
    if (process->has_interval && !process->is_written)
        write_interval(tree, process);
    value_tree_list(tree, "findings");
    for (uint32_t i = 0; process->has_message && i < top_now(process)->analysis->finding_count; i++)
        write_finding(tree, top_now(process)->analysis, &top_now(process)->analysis->findings[i]);
    value_tree_end(tree);
    value_tree_end(tree);
}

static void write_all(struct value_tree *tree, const void *data)
{
    const struct top *top = data;
    value_tree_number(tree, "time_s", (double)omptape_clock_realtime_ns() * 1e-9);
    value_tree_list(tree, "processes");
    for (uint32_t i = 0; i < top->count; i++)
        write_process(tree, &top->processes[i]);
    value_tree_end(tree);
    value_tree_list(tree, "other_nodes");
    for (uint32_t i = 0; i < top->node_count; i++) {
        value_tree_object(tree, NULL);
        value_tree_text(tree, "node", top->nodes[i].name);
        value_tree_count(tree, "ranks", top->nodes[i].ranks);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

/* Removes line feeds and indentation, which are only for readability; JSON texts contain no line feed. */
int top_write_json(struct top *top, FILE *out)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory == NULL)
        return -ENOMEM;
    int status = value_tree_write_json(memory, write_all, top);
    if (fclose(memory) != 0)
        status = -ENOMEM;
    for (const char *at = text; status == 0 && *at != '\0'; at++) {
        if (*at != '\n') {
            fputc(*at, out);
            continue;
        }
        while (at[1] == ' ')
            at++;
    }
    fputc('\n', out);
    for (uint32_t i = 0; i < top->count; i++)
        top->processes[i].is_written = true;
    free(text);
    return status;
}
