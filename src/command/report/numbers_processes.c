/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI, devices, processes, nodes and threads (numbers.h).
 */
#include "src/command/report/numbers.h"

#include "src/archive/read/regions.h"
#include "src/command/report/state.h"

#include <stdio.h>
#include <string.h>

/* "MPI_Recv @solver.c:42" is a function and a place. */
static void tell_call(struct report_tree *tree, const struct analysis_region *region)
{
    char function[64];
    snprintf(function, sizeof(function), "%.*s", (int)strcspn(region->label, " "), region->label);
    report_tree_text(tree, "function", function);
    report_tree_text(tree, "place",
                     region->definition->region->site != NULL ? region->definition->region->site : "");
}

void report_tell_mpi(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "mpi");
    for (uint32_t i = 0; i < analysis->mpi_count; i++) {
        const struct analysis_mpi *mpi = analysis->mpi[i];
        report_tree_object(tree, NULL);
        tell_call(tree, mpi->region);
        report_tell_durations(tree, analysis, "calls", &mpi->region->visits);
        report_tree_count(tree, "sent", mpi->sent);
        report_tree_count(tree, "received", mpi->received);
        report_tree_count(tree, "read", mpi->read);
        report_tree_count(tree, "written", mpi->written);
        report_tell_seconds(tree, analysis, "waited_s", mpi->waited);
        report_tell_seconds(tree, analysis, "not_known_s", mpi->untold);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

void report_tell_devices(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "devices");
    for (uint32_t i = 0; i < analysis->device_count; i++) {
        const struct analysis_device *device = analysis->devices[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "name", device->name);
        report_tell_seconds(tree, analysis, "busy_s", device->busy);
        report_tree_count(tree, "kernels", device->kernels);
        report_tell_seconds(tree, analysis, "kernel_s", device->kernel_time);
        report_tree_count(tree, "transfers", device->transfers);
        report_tell_seconds(tree, analysis, "transfer_s", device->transfer_time);
        report_tree_count(tree, "bytes", device->bytes);
        report_tell_seconds(tree, analysis, "overlap_s", device->overlap);
        report_tell_seconds(tree, analysis, "waited_s", device->waited);
        report_tell_seconds(tree, analysis, "idle_waited_s", device->idle);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

void report_tell_processes(struct report_tree *tree, const struct omptape_analysis *analysis)
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
        report_tell_moment(tree, analysis, "begin_s", process->begin);
        report_tell_moment(tree, analysis, "end_s", process->end);
        report_tree_count(tree, "threads", process->threads);
        report_tree_count(tree, "most_threads", process->most_threads);
        report_tree_count(tree, "processors", process->processors);
        report_tree_count(tree, "bound", process->bound);
        report_tell_seconds(tree, analysis, "serial_s", process->serial);
        report_tell_seconds(tree, analysis, "communication_s", process->communication);
        report_tell_parts(tree, analysis, analysis->reader->clock_offset, process->parts);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

void report_tell_nodes(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "nodes");
    for (uint32_t i = 0; i < analysis->node_count; i++) {
        const struct analysis_node *node = &analysis->nodes[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "name", node->name);
        report_tree_count(tree, "processes", node->processes);
        report_tree_count(tree, "threads", node->threads);
        report_tell_moment(tree, analysis, "begin_s", node->begin);
        report_tell_moment(tree, analysis, "end_s", node->end);
        report_tell_seconds(tree, analysis, "serial_s", node->serial);
        report_tell_parts(tree, analysis, analysis->reader->clock_offset, node->parts);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

void report_tell_threads(struct report_tree *tree, const struct omptape_analysis *analysis)
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
        report_tell_moment(tree, analysis, "begin_s", thread->begin);
        report_tell_moment(tree, analysis, "end_s", thread->end);
        report_tree_count(tree, "events", thread->events);
        report_tell_seconds(tree, analysis, "stalled_s", thread->stalled);
        report_tell_parts(tree, analysis, thread->begin, thread->parts);
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
