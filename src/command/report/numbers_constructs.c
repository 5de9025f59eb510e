/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes lists of regions, loops, tasks, locks, serial parts, transfers, MPI calls, devices, processes, nodes
 * and threads (numbers.h).
 */
#include "src/archive/read/regions.h"
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void report_write_regions(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "regions", i, analysis->region_count); i++) {
        const struct analysis_region *region = analysis->regions[i];
        report_write_place(tree, region);
        report_write_seconds(tree, analysis, "gain_s", region->gain);
        value_tree_text(tree, "gain_beyond", report_gain_reason(analysis, region));
        report_write_seconds(tree, analysis, "inclusive_s", region->inclusive);
        report_write_seconds(tree, analysis, "exclusive_s", omptape_parts_sum(region->parts));
        report_write_seconds(tree, analysis, "charged_s", region->charged);
        report_write_parts(tree, analysis, analysis->reader->clock_offset, region->parts);
        report_write_seconds(tree, analysis, "system_s", region->system);
        value_tree_count(tree, "faults", region->faults);
        report_write_durations(tree, analysis, "visits", &region->visits);
    }
}

static void write_loop_threads(struct value_tree *tree, const struct omptape_analysis *analysis,
                               const struct analysis_loop *loop)
{
    for (uint32_t i = 0; value_tree_item(tree, "thread_s", i, loop->threads); i++)
        report_write_seconds(tree, analysis, NULL, loop->thread_list[i].time);
    for (uint32_t i = 0; value_tree_item(tree, "thread_late_s", i, loop->threads); i++)
        report_write_seconds(tree, analysis, NULL, loop->thread_list[i].late);
    for (uint32_t i = 0; value_tree_item(tree, "thread_iterations", i, loop->threads); i++)
        value_tree_count(tree, NULL, loop->thread_list[i].iterations);
}

void report_write_loops(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "loops", i, analysis->loop_count); i++) {
        const struct analysis_loop *loop = analysis->loops[i];
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
    }
}

void report_write_tasks(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "tasks", i, analysis->task_count); i++) {
        const struct analysis_tasks *tasks = analysis->tasks[i];
        report_write_place(tree, tasks->region);
        value_tree_count(tree, "created", tasks->created);
        report_write_durations(tree, analysis, "grain", &tasks->grain);
        report_write_seconds(tree, analysis, "creation_s", tasks->creation);
        report_write_seconds(tree, analysis, "handling_s", tasks->handling);
        report_write_seconds(tree, analysis, "starved_s", tasks->starved);
        value_tree_count(tree, "most_at_once", tasks->most_at_once);
        report_write_seconds(tree, analysis, "chain_s", tasks->chain);
    }
}

void report_write_locks(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "locks", i, analysis->lock_count); i++) {
        const struct analysis_lock *lock = analysis->locks[i];
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
    }
}

void report_write_lock_holders(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "lock_holders", i, analysis->lock_holder_count); i++) {
        const struct analysis_lock_holder *holder = analysis->lock_holders[i];
        report_write_place(tree, holder->asker);
        value_tree_object(tree, "holder");
        report_write_place(tree, holder->holder);
        value_tree_end(tree);
        report_write_seconds(tree, analysis, "waited_s", holder->waited);
        value_tree_count(tree, "count", holder->count);
        report_write_seconds(tree, analysis, "longest_s", holder->worst);
        report_write_moment(tree, analysis, "longest_begin_s", holder->worst_begin);
        value_tree_count(tree, "longest_location", holder->worst_location);
    }
}

void report_write_serials(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "serial_parts", i, analysis->serial_count); i++) {
        const struct analysis_serial *serial = analysis->serials[i];
        value_tree_text(tree, "after", serial->after != NULL ? serial->after->label : "");
        value_tree_text(tree, "before", serial->before != NULL ? serial->before->label : "");
        value_tree_count(tree, "count", serial->count);
        report_write_seconds(tree, analysis, "sum_s", serial->sum);
        report_write_seconds(tree, analysis, "longest_s", serial->longest);
        report_write_moment(tree, analysis, "longest_begin_s", serial->longest_begin);
        value_tree_count(tree, "longest_location", serial->longest_location);
    }
}

void report_write_transfers(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "transfers", i, analysis->transfer_count); i++) {
        const struct analysis_transfer *transfer = analysis->transfers[i];
        report_write_place(tree, transfer->region);
        report_write_durations(tree, analysis, "times", &transfer->times);
        value_tree_count(tree, "bytes", transfer->bytes);
        value_tree_count(tree, "repeated", transfer->repeated);
        value_tree_count(tree, "repeated_bytes", transfer->repeated_bytes);
        report_write_seconds(tree, analysis, "repeated_s", transfer->repeated_time);
    }
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
    for (uint32_t i = 0; value_tree_row(tree, "mpi", i, analysis->mpi_count); i++) {
        const struct analysis_mpi *mpi = analysis->mpi[i];
        const struct analysis_durations calls = omptape_durations_of_calls(analysis, mpi);
        write_call(tree, mpi->region);
        report_write_durations(tree, analysis, "calls", &calls);
        value_tree_count(tree, "sent", mpi->sent);
        value_tree_count(tree, "received", mpi->received);
        value_tree_count(tree, "read", mpi->read);
        value_tree_count(tree, "written", mpi->written);
        report_write_seconds(tree, analysis, "waited_s", mpi->waited);
        report_write_seconds(tree, analysis, "not_known_s", mpi->unknown_wait);
    }
}

void report_write_devices(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "devices", i, analysis->device_count); i++) {
        const struct analysis_device *device = analysis->devices[i];
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
    }
}

void report_write_processes(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "process_list", i, analysis->process_count); i++) {
        const struct analysis_process *process = &analysis->processes[i];
        value_tree_text(tree, "name", process->name);
        value_tree_text(tree, "node", process->node);
        value_tree_number(tree, "number", process->number >= 0 ? (double)process->number : NAN);
        report_write_moment(tree, analysis, "begin_s", process->begin);
        report_write_moment(tree, analysis, "end_s", process->end);
        value_tree_count(tree, "threads", process->threads);
        value_tree_count(tree, "most_threads", process->most_threads);
        value_tree_count(tree, "processors", process->processors);
        value_tree_count(tree, "bound", process->team_processors);
        report_write_seconds(tree, analysis, "serial_s", process->serial);
        report_write_seconds(tree, analysis, "communication_s", process->communication);
        report_write_parts(tree, analysis, analysis->reader->clock_offset, process->parts);
    }
}

void report_write_nodes(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "nodes", i, analysis->node_count); i++) {
        const struct analysis_node *node = &analysis->nodes[i];
        value_tree_text(tree, "name", node->name);
        value_tree_count(tree, "processes", node->processes);
        value_tree_count(tree, "threads", node->threads);
        report_write_moment(tree, analysis, "begin_s", node->begin);
        report_write_moment(tree, analysis, "end_s", node->end);
        report_write_seconds(tree, analysis, "serial_s", node->serial);
        report_write_parts(tree, analysis, analysis->reader->clock_offset, node->parts);
    }
}

void report_write_threads(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "threads_list", i, analysis->thread_count); i++) {
        const struct analysis_thread *thread = &analysis->thread_list[i];
        const double ns = thread->running_ns > 0 || thread->queued_ns > 0 ? 1e-9 : NAN;
        value_tree_count(tree, "location", thread->location->id);
        value_tree_count(tree, "process", thread->process);
        value_tree_text(tree, "name", thread->name);
        report_write_moment(tree, analysis, "begin_s", thread->begin);
        report_write_moment(tree, analysis, "end_s", thread->end);
        value_tree_count(tree, "events", thread->events);
        report_write_seconds(tree, analysis, "stalled_s", thread->stalled);
        report_write_parts(tree, analysis, thread->begin, thread->parts);
        value_tree_number(tree, "running_s", ns * (double)thread->running_ns);
        value_tree_number(tree, "queued_s", ns * (double)thread->queued_ns);
    }
}
