/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the tables of transfers, devices, MPI functions, processes, nodes and threads. Called by tables.c.
 */
#include "src/command/report/state.h"

#include "src/core/whole.h"

#include <inttypes.h>

int report_print_transfers(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section = report_section_begin(report, "transfers|number|data:2|time|sent again:1",
                                                         analysis->transfer_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_transfer *transfer = analysis->transfers[i];
        report_cell_label(&section, transfer->region, "");
        report_cell_count(&section, transfer->times.count);
        report_cell_bytes(&section, transfer->bytes);
        report_cell_time(&section, transfer->times.sum);
        report_cell_bytes(&section, transfer->repeated_bytes);
    }
    return report_section_end(&section);
}

int report_print_devices(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section =
        report_section_begin(report, "device|busy|kernels:2|time:1|transfers:4|time:3|data:5|overlap:6",
                             analysis->device_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_device *device = analysis->devices[i];
        table_cell(&section.table, "%s", device->name);
        report_cell_share(&section, device->busy, omptape_minus(analysis->end, analysis->begin));
        report_cell_count(&section, device->kernels);
        report_cell_time(&section, device->kernel_time);
        report_cell_count(&section, device->transfers);
        report_cell_time(&section, device->transfer_time);
        report_cell_bytes(&section, device->bytes);
        report_cell_share(&section, device->overlap, device->busy);
    }
    return report_section_end(&section);
}

static bool have_files(const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; i < analysis->mpi_count; i++)
        if (analysis->mpi[i]->read > 0 || analysis->mpi[i]->written > 0)
            return true;
    return false;
}

/* Adds the waiting share. It is unknown or a lower bound if processes have no trace. */
static void cell_waiting(struct report_section *section, const struct analysis_mpi *mpi, uint64_t time)
{
    if (mpi->unknown_wait == 0)
        report_cell_share(section, mpi->waited, time);
    else if (mpi->waited == 0)
        table_cell(&section->table, "not known");
    else
        table_cell(&section->table, "at least %s", report_percent((double)mpi->waited, (double)time).text);
}

/* Prints MPI functions. Their time is the threads' time in them, divided by the processes. */
int report_print_mpi(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    bool files = have_files(analysis);
    const uint64_t processes = analysis->at_once;
    struct report_section section =
        report_section_begin(report, "MPI|calls:2|time|share:1|waiting|sent:3|received:4",
                             analysis->mpi_count, REPORT_DEFAULT_ROWS);
    if (files) {
        table_column(&section.table, "read", 5);
        table_column(&section.table, "written", 6);
    }
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_mpi *mpi = analysis->mpi[i];
        uint64_t time = omptape_parts_sum(mpi->region->parts);
        report_cell_label(&section, mpi->region, "");
        report_cell_count(&section, omptape_durations_of_calls(analysis, mpi).count);
        report_cell_time(&section, time / processes);
        report_cell_share(&section, time / processes, omptape_minus(analysis->end, analysis->begin));
        cell_waiting(&section, mpi, time);
        report_cell_bytes(&section, mpi->sent);
        report_cell_bytes(&section, mpi->received);
        if (!files)
            continue;
        report_cell_bytes(&section, mpi->read);
        report_cell_bytes(&section, mpi->written);
    }
    return report_section_end(&section);
}

static uint64_t waiting_of(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    return omptape_minus(omptape_minus(omptape_parts_sum(parts), report_time_at_work(parts)),
                         parts[OMPTAPE_BUCKET_IDLE]);
}

/* Adds "3: app" or "3: app, OMP thread 1". The number is needed as several processes may have one name. */
static void cell_process(struct report_section *section, const struct analysis_process *process,
                         const char *thread)
{
    const char *comma = thread[0] != '\0' ? ", " : "";
    if (process->number >= 0)
        table_cell(&section->table, "%" PRId64 ": %s%s%s", process->number, process->name, comma, thread);
    else
        table_cell(&section->table, "%s%s%s", process->name, comma, thread);
}

/* Adds the shares of the threads' time. */
static void cell_use(struct report_section *section, const uint64_t *parts)
{
    uint64_t lived = omptape_parts_sum(parts);
    report_cell_share(section, parts[OMPTAPE_BUCKET_COMPUTING], lived);
    report_cell_share(section, parts[OMPTAPE_BUCKET_BLOCKED], lived);
    report_cell_share(section, parts[OMPTAPE_BUCKET_RUNNABLE], lived);
    report_cell_share(section, waiting_of(parts), lived);
    report_cell_share(section, parts[OMPTAPE_BUCKET_IDLE], lived);
}

/* Values that the tables of processes and nodes share. */
struct group {
    uint64_t threads;
    uint64_t begin;
    uint64_t end;
    uint64_t serial;
    const uint64_t *parts;
};

#define GROUP_COLUMNS "|threads:4|time|computing:1|blocked:6|runnable:7|waiting:2|idle:3|serial"

static void cell_group(struct report_section *section, const struct group *group)
{
    report_cell_count(section, group->threads);
    report_cell_time(section, omptape_minus(group->end, group->begin));
    cell_use(section, group->parts);
    report_cell_time(section, group->serial);
}

/* Prints nothing for a single process: the report describes it already. */
int report_print_processes(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->process_count < 2)
        return 0;
    struct report_section section = report_section_begin(report, "process|<node:5" GROUP_COLUMNS,
                                                         analysis->process_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_process *process = &analysis->processes[i];
        cell_process(&section, process, "");
        table_cell(&section.table, "%s", process->node);
        cell_group(&section, &(struct group){.threads = process->threads,
                                             .begin = process->begin,
                                             .end = process->end,
                                             .serial = process->serial,
                                             .parts = process->parts});
    }
    return report_section_end(&section);
}

int report_print_nodes(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->node_count < 2)
        return 0;
    struct report_section section = report_section_begin(report, "node|processes:5" GROUP_COLUMNS,
                                                         analysis->node_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_node *node = &analysis->nodes[i];
        table_cell(&section.table, "%s", node->name);
        report_cell_count(&section, node->processes);
        cell_group(&section, &(struct group){.threads = node->threads,
                                             .begin = node->begin,
                                             .end = node->end,
                                             .serial = node->serial / node->processes,
                                             .parts = node->parts});
    }
    return report_section_end(&section);
}

/* Adds the share of time on a processor. The kernel's time may exceed the thread's life, because the thread
 * started before its first event. */
static void cell_on_processor(struct report_section *section, const struct analysis_thread *thread,
                              uint64_t lived)
{
    const double resolution = (double)section->report->analysis->reader->clock_resolution;
    const uint64_t lived_ns = resolution > 0 ? omptape_whole((double)lived * 1e9 / resolution) : 0;
    const bool known = thread->running_ns > 0 || thread->queued_ns > 0;
    report_cell_share(section, thread->running_ns < lived_ns ? thread->running_ns : lived_ns,
                      known ? lived_ns : 0);
}

int report_print_threads(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    if (!report->threads || analysis->thread_count == 0)
        return 0;
    struct report_section section = report_section_begin(
        report, "thread|lived|computing:1|serial:4|blocked:1|runnable:1|waiting:2|idle:3|on processor:5",
        analysis->thread_count, REPORT_DEFAULT_THREADS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_thread *thread = &analysis->thread_list[i];
        uint64_t lived = omptape_parts_sum(thread->parts);
        if (analysis->process_count > 1)
            cell_process(&section, &analysis->processes[thread->process], thread->name);
        else
            table_cell(&section.table, "%s", thread->name);
        report_cell_time(&section, lived);
        report_cell_share(&section, thread->parts[OMPTAPE_BUCKET_COMPUTING], lived);
        report_cell_share(&section, thread->parts[OMPTAPE_BUCKET_SERIAL], lived);
        report_cell_share(&section, thread->parts[OMPTAPE_BUCKET_BLOCKED], lived);
        report_cell_share(&section, thread->parts[OMPTAPE_BUCKET_RUNNABLE], lived);
        report_cell_share(&section, waiting_of(thread->parts), lived);
        report_cell_share(&section, thread->parts[OMPTAPE_BUCKET_IDLE], lived);
        cell_on_processor(&section, thread, lived);
    }
    return report_section_end(&section);
}
