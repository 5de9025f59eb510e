/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All that the analysis found, under the names that docs/report.md lists (--json, --csv). Called by report.c.
 */
#include "src/command/report/state.h"

#include "src/command/report/tree.h"
#include "src/core/words.h"

#include <ctype.h>
#include <omptape/properties.h>

#include <string.h>
#include <time.h>

enum { FORMAT_VERSION = 1, KEY_BYTES = 64 };

static void tell_seconds(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                         uint64_t ticks)
{
    report_tree_number(tree, key, omptape_analysis_seconds(analysis, ticks));
}

static void tell_moment(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                        uint64_t time)
{
    report_tree_number(tree, key, report_moment(analysis, time));
}

static void tell_name(struct report_tree *tree, const struct analysis_region *region)
{
    report_tree_text(tree, "region", region != NULL ? region->label : "");
    report_tree_text(tree, "function", region != NULL ? region->function : "");
}

static void tell_line(struct report_tree *tree, const char *file, uint32_t line)
{
    report_tree_text(tree, "file", file);
    if (line > 0)
        report_tree_count(tree, "line", line);
    else
        report_tree_null(tree, "line");
}

static void tell_place(struct report_tree *tree, const struct analysis_region *region)
{
    tell_name(tree, region);
    tell_line(tree, region != NULL ? region->file : "", region != NULL ? region->line : 0);
}

static void tell_parts(struct report_tree *tree, const struct omptape_analysis *analysis,
                       const uint64_t *parts)
{
    report_tree_object(tree, "parts");
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        char key[KEY_BYTES];
        (void)snprintf(key, sizeof(key), "%s_s", omptape_buckets[bucket].name);
        for (char *at = key; *at != '\0'; at++)
            *at = *at == ' ' ? '_' : (char)tolower((unsigned char)*at);
        tell_seconds(tree, analysis, key, parts[bucket]);
    }
    report_tree_end(tree);
}

static void tell_durations(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                           const struct analysis_durations *durations)
{
    uint64_t resolution = analysis->reader->clock_resolution;
    unsigned bins = ANALYSIS_BINS;
    report_tree_object(tree, key);
    report_tree_count(tree, "count", durations->count);
    tell_seconds(tree, analysis, "sum_s", durations->sum);
    if (durations->count > 0) {
        report_tree_number(tree, "mean_s",
                           omptape_analysis_seconds(analysis, durations->sum) / (double)durations->count);
        tell_seconds(tree, analysis, "median_s", omptape_durations_median(durations, resolution));
        tell_seconds(tree, analysis, "longest_s", durations->longest);
        tell_moment(tree, analysis, "longest_begin_s", durations->longest_begin);
        report_tree_count(tree, "longest_location", durations->longest_location);
    }
    while (bins > 0 && durations->bins[bins - 1] == 0)
        bins--;
    report_tree_list(tree, "histogram");
    for (unsigned bin = 0; bin < bins; bin++)
        report_tree_count(tree, NULL, durations->bins[bin]);
    report_tree_end(tree);
    report_tree_end(tree);
}

static void tell_efficiency(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    const struct analysis_efficiency *efficiency = &analysis->efficiency;
    report_tree_object(tree, "efficiency");
    report_tree_number(tree, "parallel", efficiency->parallel);
    report_tree_number(tree, "communication", efficiency->communication);
    report_tree_number(tree, "load_balance", efficiency->load_balance);
    report_tree_number(tree, "serialisation", efficiency->serialisation);
    report_tree_number(tree, "management", efficiency->management);
    report_tree_number(tree, "processor", efficiency->processor);
    tell_seconds(tree, analysis, "available_s", efficiency->available);
    tell_seconds(tree, analysis, "lost_to_communication_s", efficiency->lost_to_communication);
    tell_seconds(tree, analysis, "lost_to_load_balance_s", efficiency->lost_to_load_balance);
    tell_seconds(tree, analysis, "lost_to_serialisation_s", efficiency->lost_to_serialisation);
    tell_seconds(tree, analysis, "lost_to_management_s", efficiency->lost_to_management);
    tell_seconds(tree, analysis, "lost_to_processor_s", efficiency->lost_to_processor);
    report_tree_end(tree);
}

static void tell_tracing(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    const struct analysis_perturbation *tracing = &analysis->perturbation;
    double resolution = (double)analysis->reader->clock_resolution;
    report_tree_object(tree, "tracing");
    report_tree_number(tree, "record_ns", resolution > 0 ? 1e9 * tracing->record / resolution : 0);
    tell_seconds(tree, analysis, "recording_s", tracing->recording);
    tell_seconds(tree, analysis, "writing_s", tracing->writing);
    report_tree_number(tree, "of_queue", tracing->of_queue);
    report_tree_end(tree);
}

static void tell_findings(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "findings");
    for (uint32_t i = 0; i < analysis->finding_count; i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "kind", omptape_finding_key(finding->kind));
        tell_name(tree, finding->region);
        tell_line(tree, finding->file, finding->line);
        tell_seconds(tree, analysis, "gain_s", finding->gain);
        report_tree_text(tree, "text", finding->text);
        report_tree_text(tree, "proposal", finding->proposal);
        tell_seconds(tree, analysis, "waited_s", finding->waited);
        report_tree_count(tree, "count", finding->count);
        if (finding->kind == OMPTAPE_FINDING_SERIAL) {
            report_tree_text(tree, "after", finding->region != NULL ? finding->region->label : "");
            report_tree_text(tree, "before", finding->before != NULL ? finding->before->label : "");
        }
        report_tree_object(tree, "worst");
        tell_moment(tree, analysis, "begin_s", finding->worst_begin);
        tell_moment(tree, analysis, "end_s", finding->worst_end);
        report_tree_count(tree, "location", finding->worst_location);
        report_tree_end(tree);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_regions(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "regions");
    for (uint32_t i = 0; i < analysis->region_count; i++) {
        const struct analysis_region *region = analysis->regions[i];
        report_tree_object(tree, NULL);
        tell_place(tree, region);
        tell_seconds(tree, analysis, "gain_s", region->gain);
        tell_seconds(tree, analysis, "inclusive_s", region->inclusive);
        tell_seconds(tree, analysis, "exclusive_s", report_sum(region->parts));
        tell_seconds(tree, analysis, "charged_s", region->charged);
        tell_parts(tree, analysis, region->parts);
        tell_durations(tree, analysis, "visits", &region->visits);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_loop_threads(struct report_tree *tree, const struct omptape_analysis *analysis,
                              const struct analysis_loop *loop)
{
    report_tree_list(tree, "thread_s");
    for (uint32_t i = 0; i < loop->threads; i++)
        tell_seconds(tree, analysis, NULL, loop->thread_list[i].time);
    report_tree_end(tree);
    report_tree_list(tree, "thread_late_s");
    for (uint32_t i = 0; i < loop->threads; i++)
        tell_seconds(tree, analysis, NULL, loop->thread_list[i].late);
    report_tree_end(tree);
    report_tree_list(tree, "thread_iterations");
    for (uint32_t i = 0; i < loop->threads; i++)
        report_tree_count(tree, NULL, loop->thread_list[i].iterations);
    report_tree_end(tree);
}

static void tell_loops(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "loops");
    for (uint32_t i = 0; i < analysis->loop_count; i++) {
        const struct analysis_loop *loop = analysis->loops[i];
        report_tree_object(tree, NULL);
        tell_place(tree, loop->region);
        report_tree_text(tree, "schedule", loop->schedule);
        report_tree_count(tree, "instances", loop->instances);
        report_tree_count(tree, "iterations", loop->iterations);
        report_tree_count(tree, "chunks", loop->chunks);
        report_tree_count(tree, "threads", loop->threads);
        tell_seconds(tree, analysis, "wall_s", loop->wall);
        tell_seconds(tree, analysis, "mean_s", loop->mean);
        report_tree_text(tree, "reason", omptape_loop_reason(loop->reason));
        tell_seconds(tree, analysis, "lost_to_few_s", loop->lost_few);
        tell_seconds(tree, analysis, "lost_to_iterations_s", loop->lost_iterations);
        tell_seconds(tree, analysis, "lost_to_cost_s", loop->lost_cost);
        tell_seconds(tree, analysis, "lost_to_processor_s", loop->lost_processor);
        report_tree_count(tree, "slowest", loop->slowest);
        tell_loop_threads(tree, analysis, loop);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_tasks(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "tasks");
    for (uint32_t i = 0; i < analysis->task_count; i++) {
        const struct analysis_tasks *tasks = analysis->tasks[i];
        report_tree_object(tree, NULL);
        tell_place(tree, tasks->region);
        report_tree_count(tree, "created", tasks->created);
        tell_durations(tree, analysis, "grain", &tasks->grain);
        tell_seconds(tree, analysis, "creation_s", tasks->creation);
        tell_seconds(tree, analysis, "handling_s", tasks->handling);
        tell_seconds(tree, analysis, "starved_s", tasks->starved);
        report_tree_count(tree, "most_at_once", tasks->most_at_once);
        tell_seconds(tree, analysis, "chain_s", tasks->chain);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_locks(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "locks");
    for (uint32_t i = 0; i < analysis->lock_count; i++) {
        const struct analysis_lock *lock = analysis->locks[i];
        report_tree_object(tree, NULL);
        tell_place(tree, lock->region);
        tell_durations(tree, analysis, "wait", &lock->wait);
        tell_durations(tree, analysis, "hold", &lock->hold);
        report_tree_count(tree, "contended", lock->contended);
        tell_seconds(tree, analysis, "contended_wait_s", lock->contended_wait);
        tell_seconds(tree, analysis, "handover_s", lock->handover);
        report_tree_count(tree, "threads", lock->threads);
        report_tree_number(tree, "queue",
                           lock->contended > 0 ? (double)lock->queue / (double)lock->contended : 0);
        report_tree_count(tree, "longest_queue", lock->longest_queue);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_lock_holders(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "lock_holders");
    for (uint32_t i = 0; i < analysis->lock_holder_count; i++) {
        const struct analysis_lock_holder *holder = analysis->lock_holders[i];
        report_tree_object(tree, NULL);
        tell_place(tree, holder->asker);
        report_tree_object(tree, "holder");
        tell_place(tree, holder->holder);
        report_tree_end(tree);
        tell_seconds(tree, analysis, "waited_s", holder->waited);
        report_tree_count(tree, "count", holder->count);
        tell_seconds(tree, analysis, "longest_s", holder->worst);
        tell_moment(tree, analysis, "longest_begin_s", holder->worst_begin);
        report_tree_count(tree, "longest_location", holder->worst_location);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_serials(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "serial_parts");
    for (uint32_t i = 0; i < analysis->serial_count; i++) {
        const struct analysis_serial *serial = analysis->serials[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "after", serial->after != NULL ? serial->after->label : "");
        report_tree_text(tree, "before", serial->before != NULL ? serial->before->label : "");
        report_tree_count(tree, "count", serial->count);
        tell_seconds(tree, analysis, "sum_s", serial->sum);
        tell_seconds(tree, analysis, "longest_s", serial->longest);
        tell_moment(tree, analysis, "longest_begin_s", serial->longest_begin);
        report_tree_count(tree, "longest_location", serial->longest_location);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_transfers(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "transfers");
    for (uint32_t i = 0; i < analysis->transfer_count; i++) {
        const struct analysis_transfer *transfer = analysis->transfers[i];
        report_tree_object(tree, NULL);
        tell_place(tree, transfer->region);
        tell_durations(tree, analysis, "times", &transfer->times);
        report_tree_count(tree, "bytes", transfer->bytes);
        report_tree_count(tree, "repeated", transfer->repeated);
        report_tree_count(tree, "repeated_bytes", transfer->repeated_bytes);
        tell_seconds(tree, analysis, "repeated_s", transfer->repeated_time);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

/* "MPI_Recv @solver.c:42" is a function and a place. */
static void tell_call(struct report_tree *tree, const struct analysis_region *region)
{
    char function[64];
    const char *place = strstr(region->label, " @");
    snprintf(function, sizeof(function), "%.*s", (int)strcspn(region->label, " "), region->label);
    report_tree_text(tree, "function", function);
    report_tree_text(tree, "place", place != NULL ? place + 2 : "");
}

static void tell_mpi(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "mpi");
    for (uint32_t i = 0; i < analysis->mpi_count; i++) {
        const struct analysis_mpi *mpi = analysis->mpi[i];
        report_tree_object(tree, NULL);
        tell_call(tree, mpi->region);
        tell_durations(tree, analysis, "calls", &mpi->region->visits);
        report_tree_count(tree, "sent", mpi->sent);
        report_tree_count(tree, "received", mpi->received);
        report_tree_count(tree, "read", mpi->read);
        report_tree_count(tree, "written", mpi->written);
        tell_seconds(tree, analysis, "waited_s", mpi->waited);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_devices(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "devices");
    for (uint32_t i = 0; i < analysis->device_count; i++) {
        const struct analysis_device *device = analysis->devices[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "name", device->name);
        tell_seconds(tree, analysis, "busy_s", device->busy);
        report_tree_count(tree, "kernels", device->kernels);
        tell_seconds(tree, analysis, "kernel_s", device->kernel_time);
        report_tree_count(tree, "transfers", device->transfers);
        tell_seconds(tree, analysis, "transfer_s", device->transfer_time);
        report_tree_count(tree, "bytes", device->bytes);
        tell_seconds(tree, analysis, "overlap_s", device->overlap);
        tell_seconds(tree, analysis, "waited_s", device->waited);
        tell_seconds(tree, analysis, "idle_waited_s", device->idle);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_processes(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "process_list");
    for (uint32_t i = 0; i < analysis->process_count; i++) {
        const struct analysis_process *process = &analysis->processes[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "name", process->name);
        report_tree_text(tree, "node", process->node);
        if (process->number >= 0)
            report_tree_integer(tree, "number", process->number);
        else
            report_tree_null(tree, "number");
        tell_moment(tree, analysis, "begin_s", process->begin);
        tell_moment(tree, analysis, "end_s", process->end);
        report_tree_count(tree, "threads", process->threads);
        report_tree_count(tree, "most_threads", process->most_threads);
        report_tree_count(tree, "processors", process->processors);
        report_tree_count(tree, "bound", process->bound);
        tell_seconds(tree, analysis, "serial_s", process->serial);
        tell_seconds(tree, analysis, "communication_s", process->communication);
        tell_parts(tree, analysis, process->parts);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_nodes(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "nodes");
    for (uint32_t i = 0; i < analysis->node_count; i++) {
        const struct analysis_node *node = &analysis->nodes[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "name", node->name);
        report_tree_count(tree, "processes", node->processes);
        report_tree_count(tree, "threads", node->threads);
        tell_moment(tree, analysis, "begin_s", node->begin);
        tell_moment(tree, analysis, "end_s", node->end);
        tell_seconds(tree, analysis, "serial_s", node->serial);
        tell_parts(tree, analysis, node->parts);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_threads(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    const double ns = 1e-9;
    report_tree_list(tree, "threads_list");
    for (uint32_t i = 0; i < analysis->thread_count; i++) {
        const struct analysis_thread *thread = &analysis->thread_list[i];
        bool known = thread->running_ns > 0 || thread->queued_ns > 0;
        report_tree_object(tree, NULL);
        report_tree_count(tree, "location", thread->location->id);
        report_tree_count(tree, "process", thread->process);
        report_tree_text(tree, "name", thread->name);
        tell_moment(tree, analysis, "begin_s", thread->begin);
        tell_moment(tree, analysis, "end_s", thread->end);
        report_tree_count(tree, "events", thread->events);
        tell_seconds(tree, analysis, "stalled_s", thread->stalled);
        tell_parts(tree, analysis, thread->parts);
        if (known) {
            report_tree_number(tree, "running_s", ns * (double)thread->running_ns);
            report_tree_number(tree, "queued_s", ns * (double)thread->queued_ns);
        } else {
            report_tree_null(tree, "running_s");
            report_tree_null(tree, "queued_s");
        }
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void tell_summary(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    char date[REPORT_DATE_BYTES];
    report_tree_count(tree, "version", FORMAT_VERSION);
    report_tree_text(tree, "program", report_program(analysis));
    report_tree_text(tree, "archive", analysis->reader->anchor);
    report_tree_text(tree, "recorded", report_date(analysis, "%Y-%m-%dT%H:%M:%S%z", date));
    report_tree_number(tree, "wall_s", report_wall(analysis));
    tell_moment(tree, analysis, "begin_s", analysis->begin);
    report_tree_count(tree, "events", analysis->events);
    report_tree_count(tree, "processes", analysis->process_count);
    report_tree_count(tree, "threads", analysis->threads);
    tell_efficiency(tree, analysis);
    tell_tracing(tree, analysis);
    report_tree_number(tree, "serial_s", report_serial(analysis));
    report_tree_text(tree, "verdict", analysis->verdict != NULL ? analysis->verdict : "");
}

void report_tell(struct report_tree *tree, const void *data)
{
    const struct omptape_analysis *analysis = data;
    tell_summary(tree, analysis);
    tell_findings(tree, analysis);
    tell_regions(tree, analysis);
    tell_serials(tree, analysis);
    tell_loops(tree, analysis);
    tell_tasks(tree, analysis);
    tell_locks(tree, analysis);
    tell_lock_holders(tree, analysis);
    tell_transfers(tree, analysis);
    tell_mpi(tree, analysis);
    tell_devices(tree, analysis);
    tell_processes(tree, analysis);
    tell_nodes(tree, analysis);
    tell_threads(tree, analysis);
    report_tree_list(tree, "warnings");
    for (uint32_t i = 0; i < analysis->warning_count; i++)
        report_tree_text(tree, NULL, analysis->warnings[i]);
    report_tree_end(tree);
}
