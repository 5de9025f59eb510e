/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes lists of regions, loops, tasks, locks, serial parts, transfers, MPI calls, devices, processes, nodes
 * and threads (numbers.h).
 */
#include "src/archive/read/regions.h"
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"

#include <stdio.h>
#include <string.h>

void report_write_regions(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "regions");
    for (uint32_t i = 0; i < analysis->region_count; i++) {
        const struct analysis_region *region = analysis->regions[i];
        value_tree_object(tree, NULL);
        report_write_place(tree, region);
        report_write_seconds(tree, analysis, "gain_s", region->gain);
        value_tree_text(tree, "gain_beyond", report_gain_reason(analysis, region));
        report_write_seconds(tree, analysis, "inclusive_s", region->inclusive);
        report_write_seconds(tree, analysis, "exclusive_s", report_sum(region->parts));
        report_write_seconds(tree, analysis, "charged_s", region->charged);
        report_write_parts(tree, analysis, analysis->reader->clock_offset, region->parts);
        report_write_seconds(tree, analysis, "system_s", region->system);
        value_tree_count(tree, "faults", region->faults);
        report_write_durations(tree, analysis, "visits", &region->visits);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

static void write_loop_threads(struct value_tree *tree, const struct omptape_analysis *analysis,
                               const struct analysis_loop *loop)
{
    value_tree_list(tree, "thread_s");
    for (uint32_t i = 0; i < loop->threads; i++)
        report_write_seconds(tree, analysis, NULL, loop->thread_list[i].time);
    value_tree_end(tree);
    value_tree_list(tree, "thread_late_s");
    for (uint32_t i = 0; i < loop->threads; i++)
        report_write_seconds(tree, analysis, NULL, loop->thread_list[i].late);
    value_tree_end(tree);
    value_tree_list(tree, "thread_iterations");
    for (uint32_t i = 0; i < loop->threads; i++)
        value_tree_count(tree, NULL, loop->thread_list[i].iterations);
    value_tree_end(tree);
}

void report_write_loops(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "loops");
    for (uint32_t i = 0; i < analysis->loop_count; i++) {
        const struct analysis_loop *loop = analysis->loops[i];
        value_tree_object(tree, NULL);
        report_write_place(tree, loop->region);
        value_tree_text(tree, "schedule", loop->schedule);
        value_tree_count(tree, "instances", loop->instances);
        value_tree_count(tree, "iterations", loop->iterations);
        value_tree_count(tree, "chunks", loop->chunks);
        value_tree_count(tree, "threads", loop->threads);
        report_write_seconds(tree, analysis, "wall_s", loop->wall);
        report_write_seconds(tree, analysis, "mean_s", loop->mean);
        value_tree_text(tree, "reason", omptape_loop_reason(loop->reason));
        report_write_seconds(tree, analysis, "lost_to_few_s", loop->lost_few);
        report_write_seconds(tree, analysis, "lost_to_iterations_s", loop->lost_iterations);
        report_write_seconds(tree, analysis, "lost_to_cost_s", loop->lost_cost);
        report_write_seconds(tree, analysis, "lost_to_processor_s", loop->lost_processor);
        value_tree_count(tree, "slowest", loop->slowest);
        write_loop_threads(tree, analysis, loop);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_tasks(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "tasks");
    for (uint32_t i = 0; i < analysis->task_count; i++) {
        const struct analysis_tasks *tasks = analysis->tasks[i];
        value_tree_object(tree, NULL);
        report_write_place(tree, tasks->region);
        value_tree_count(tree, "created", tasks->created);
        report_write_durations(tree, analysis, "grain", &tasks->grain);
        report_write_seconds(tree, analysis, "creation_s", tasks->creation);
        report_write_seconds(tree, analysis, "handling_s", tasks->handling);
        report_write_seconds(tree, analysis, "starved_s", tasks->starved);
        value_tree_count(tree, "most_at_once", tasks->most_at_once);
        report_write_seconds(tree, analysis, "chain_s", tasks->chain);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_locks(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "locks");
    for (uint32_t i = 0; i < analysis->lock_count; i++) {
        const struct analysis_lock *lock = analysis->locks[i];
        value_tree_object(tree, NULL);
        report_write_place(tree, lock->region);
        report_write_durations(tree, analysis, "wait", &lock->wait);
        report_write_durations(tree, analysis, "hold", &lock->hold);
        report_write_seconds(tree, analysis, "slept_s", lock->slept);
        value_tree_count(tree, "contended", lock->contended);
        report_write_seconds(tree, analysis, "contended_wait_s", lock->contended_wait);
        report_write_seconds(tree, analysis, "handover_s", lock->handover);
        value_tree_count(tree, "threads", lock->threads);
        value_tree_number(tree, "queue",
                          lock->contended > 0 ? (double)lock->queue / (double)lock->contended : 0);
        value_tree_count(tree, "longest_queue", lock->longest_queue);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_lock_holders(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "lock_holders");
    for (uint32_t i = 0; i < analysis->lock_holder_count; i++) {
        const struct analysis_lock_holder *holder = analysis->lock_holders[i];
        value_tree_object(tree, NULL);
        report_write_place(tree, holder->asker);
        value_tree_object(tree, "holder");
        report_write_place(tree, holder->holder);
        value_tree_end(tree);
        report_write_seconds(tree, analysis, "waited_s", holder->waited);
        value_tree_count(tree, "count", holder->count);
        report_write_seconds(tree, analysis, "longest_s", holder->worst);
        report_write_moment(tree, analysis, "longest_begin_s", holder->worst_begin);
        value_tree_count(tree, "longest_location", holder->worst_location);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_serials(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "serial_parts");
    for (uint32_t i = 0; i < analysis->serial_count; i++) {
        const struct analysis_serial *serial = analysis->serials[i];
        value_tree_object(tree, NULL);
        value_tree_text(tree, "after", serial->after != NULL ? serial->after->label : "");
        value_tree_text(tree, "before", serial->before != NULL ? serial->before->label : "");
        value_tree_count(tree, "count", serial->count);
        report_write_seconds(tree, analysis, "sum_s", serial->sum);
        report_write_seconds(tree, analysis, "longest_s", serial->longest);
        report_write_moment(tree, analysis, "longest_begin_s", serial->longest_begin);
        value_tree_count(tree, "longest_location", serial->longest_location);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_transfers(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "transfers");
    for (uint32_t i = 0; i < analysis->transfer_count; i++) {
        const struct analysis_transfer *transfer = analysis->transfers[i];
        value_tree_object(tree, NULL);
        report_write_place(tree, transfer->region);
        report_write_durations(tree, analysis, "times", &transfer->times);
        value_tree_count(tree, "bytes", transfer->bytes);
        value_tree_count(tree, "repeated", transfer->repeated);
        value_tree_count(tree, "repeated_bytes", transfer->repeated_bytes);
        report_write_seconds(tree, analysis, "repeated_s", transfer->repeated_time);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

/* Splits "MPI_Recv @solver.c:42" into function and place. */
static void write_call(struct value_tree *tree, const struct analysis_region *region)
{
    char function[64];
    snprintf(function, sizeof(function), "%.*s", (int)strcspn(region->label, " "), region->label);
    value_tree_text(tree, "function", function);
    value_tree_text(tree, "place",
                    region->definition->region->site != NULL ? region->definition->region->site : "");
}

void report_write_mpi(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "mpi");
    for (uint32_t i = 0; i < analysis->mpi_count; i++) {
        const struct analysis_mpi *mpi = analysis->mpi[i];
        value_tree_object(tree, NULL);
        write_call(tree, mpi->region);
        report_write_durations(tree, analysis, "calls", &mpi->region->visits);
        value_tree_count(tree, "sent", mpi->sent);
        value_tree_count(tree, "received", mpi->received);
        value_tree_count(tree, "read", mpi->read);
        value_tree_count(tree, "written", mpi->written);
        report_write_seconds(tree, analysis, "waited_s", mpi->waited);
        report_write_seconds(tree, analysis, "not_known_s", mpi->unknown_wait);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_devices(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "devices");
    for (uint32_t i = 0; i < analysis->device_count; i++) {
        const struct analysis_device *device = analysis->devices[i];
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", device->name);
        report_write_seconds(tree, analysis, "busy_s", device->busy);
        value_tree_count(tree, "kernels", device->kernels);
        report_write_seconds(tree, analysis, "kernel_s", device->kernel_time);
        value_tree_count(tree, "transfers", device->transfers);
        report_write_seconds(tree, analysis, "transfer_s", device->transfer_time);
        value_tree_count(tree, "bytes", device->bytes);
        report_write_seconds(tree, analysis, "overlap_s", device->overlap);
        report_write_seconds(tree, analysis, "waited_s", device->waited);
        report_write_seconds(tree, analysis, "idle_waited_s", device->idle);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_processes(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "process_list");
    for (uint32_t i = 0; i < analysis->process_count; i++) {
        const struct analysis_process *process = &analysis->processes[i];
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", process->name);
        value_tree_text(tree, "node", process->node);
        if (process->number >= 0)
            value_tree_integer(tree, "number", process->number);
        else
            value_tree_null(tree, "number");
        report_write_moment(tree, analysis, "begin_s", process->begin);
        report_write_moment(tree, analysis, "end_s", process->end);
        value_tree_count(tree, "threads", process->threads);
        value_tree_count(tree, "most_threads", process->most_threads);
        value_tree_count(tree, "processors", process->processors);
        value_tree_count(tree, "bound", process->team_processors);
        report_write_seconds(tree, analysis, "serial_s", process->serial);
        report_write_seconds(tree, analysis, "communication_s", process->communication);
        report_write_parts(tree, analysis, analysis->reader->clock_offset, process->parts);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_nodes(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "nodes");
    for (uint32_t i = 0; i < analysis->node_count; i++) {
        const struct analysis_node *node = &analysis->nodes[i];
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", node->name);
        value_tree_count(tree, "processes", node->processes);
        value_tree_count(tree, "threads", node->threads);
        report_write_moment(tree, analysis, "begin_s", node->begin);
        report_write_moment(tree, analysis, "end_s", node->end);
        report_write_seconds(tree, analysis, "serial_s", node->serial);
        report_write_parts(tree, analysis, analysis->reader->clock_offset, node->parts);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_threads(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    const double ns = 1e-9;
    value_tree_list(tree, "threads_list");
    for (uint32_t i = 0; i < analysis->thread_count; i++) {
        const struct analysis_thread *thread = &analysis->thread_list[i];
        bool known = thread->running_ns > 0 || thread->queued_ns > 0;
        value_tree_object(tree, NULL);
        value_tree_count(tree, "location", thread->location->id);
        value_tree_count(tree, "process", thread->process);
        value_tree_text(tree, "name", thread->name);
        report_write_moment(tree, analysis, "begin_s", thread->begin);
        report_write_moment(tree, analysis, "end_s", thread->end);
        value_tree_count(tree, "events", thread->events);
        report_write_seconds(tree, analysis, "stalled_s", thread->stalled);
        report_write_parts(tree, analysis, thread->begin, thread->parts);
        if (known) {
            value_tree_number(tree, "running_s", ns * (double)thread->running_ns);
            value_tree_number(tree, "queued_s", ns * (double)thread->queued_ns);
        } else {
            value_tree_null(tree, "running_s");
            value_tree_null(tree, "queued_s");
        }
        value_tree_end(tree);
    }
    value_tree_end(tree);
}
