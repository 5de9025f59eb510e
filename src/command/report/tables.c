/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of `omptape report`: the regions, and a section for each thing that the archive has. Called by
 * report.c.
 */
#include "src/command/report/state.h"

#include "src/command/text/table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { USUAL_REGIONS = 10, USUAL_ROWS = 3, USUAL_THREADS = 64, BAR = 5, TIME = OMPTAPE_UNIT_BYTES };

/* One table that is being filled. */
struct section {
    const struct report *report;
    const struct omptape_analysis *analysis;
    struct omptape_table table;
    uint32_t count; /* of all rows */
    uint32_t shown;
};

static struct section begin_section(const struct report *report, const struct omptape_table_column *columns,
                                    unsigned column_count, uint32_t count, unsigned usual)
{
    unsigned most = report->top > 0 ? report->top : usual;
    return (struct section){.report = report,
                            .analysis = report->analysis,
                            .table = {.columns = columns, .column_count = column_count},
                            .count = count,
                            .shown = count < most ? count : most};
}

static int end_section(struct section *section)
{
    fputc('\n', section->report->screen.out);
    int result = omptape_table_print(&section->table, &section->report->screen);
    if (section->count > section->shown)
        fprintf(section->report->screen.out, "... %" PRIu32 " more\n", section->count - section->shown);
    return result;
}

static void cell_time(struct section *section, uint64_t ticks)
{
    char unit[TIME];
    omptape_table_cell(&section->table, "%s", report_time(section->analysis, ticks, unit));
}

static void cell_mean(struct section *section, const struct analysis_durations *durations)
{
    if (durations->count > 0)
        cell_time(section, durations->sum / durations->count);
    else
        omptape_table_cell(&section->table, "-");
}

static void cell_count(struct section *section, uint64_t count)
{
    char unit[TIME];
    omptape_table_cell(&section->table, "%s", omptape_units_count(count, unit));
}

static void cell_share(struct section *section, uint64_t part, uint64_t whole)
{
    char text[REPORT_PERCENT_BYTES];
    omptape_table_cell(&section->table, "%s",
                       whole > 0 ? report_percent((double)part, (double)whole, text) : "-");
}

static void cell_label(struct section *section, const struct analysis_region *region, const char *none)
{
    omptape_table_cell(&section->table, "%s", region != NULL ? region->label : none);
}

/* What people call waiting beside what they call computing: of a region's own time, and what others waited
 * for it. */
static void add_region(struct section *section, const struct analysis_region *region)
{
    const struct omptape_analysis *analysis = section->analysis;
    uint64_t working = report_working(region->parts);
    uint64_t all = report_cost(region);
    uint64_t waiting = all - working;
    uint64_t threads = analysis->threads > 0 ? analysis->threads : 1;
    uint64_t wall = analysis->end - analysis->begin;
    char bar[BAR + 1];

    unsigned filled = all > 0 ? (unsigned)((double)BAR * (double)waiting / (double)all + 0.5) : 0;
    memset(bar, ' ', BAR);
    memset(bar, '#', filled);
    bar[BAR] = '\0';
    cell_label(section, region, "");
    cell_time(section, all / threads);
    cell_share(section, all / threads, wall);
    cell_share(section, working, all);
    cell_share(section, waiting, all);
    omptape_table_cell(&section->table, "|%s|", bar);
    if (region->gain > 0)
        cell_time(section, region->gain);
    else
        omptape_table_cell(&section->table, "-");
}

static int print_regions(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "region"},
        {.title = "time"},
        {.title = "share", .dispensable = 2},
        {.title = "computing", .dispensable = 3},
        {.title = "waiting", .dispensable = 1},
        {.title = "", .dispensable = 4, .style = OMPTAPE_SCREEN_WAITING},
        {.title = "to win", .style = OMPTAPE_SCREEN_GAIN},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->region_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->region_count, USUAL_REGIONS);
    uint32_t most = section.shown;
    section.shown = 0;
    for (uint32_t i = 0; i < analysis->region_count && section.shown < most; i++) {
        if (report->all || !report_is_mere_waiting(analysis->regions[i])) {
            add_region(&section, analysis->regions[i]);
            section.shown++;
        }
    }
    return end_section(&section);
}

static int print_serials(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "serial after"},
        {.title = "before", .left = true, .dispensable = 2},
        {.title = "times", .dispensable = 1},
        {.title = "time"},
        {.title = "share", .dispensable = 3},
        {.title = "longest", .dispensable = 4},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->serial_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->serial_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_serial *serial = analysis->serials[i];
        cell_label(&section, serial->after, "(the beginning)");
        cell_label(&section, serial->before, "(the end)");
        cell_count(&section, serial->count);
        cell_time(&section, serial->sum);
        cell_share(&section, serial->sum, analysis->end - analysis->begin);
        cell_time(&section, serial->longest);
    }
    return end_section(&section);
}

/* The iterations of the thread that had fewest, and of the one that had most: of all instances. */
static void cell_thread_iterations(struct section *section, const struct analysis_loop *loop)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    char unit[TIME];
    char other[TIME];
    for (uint32_t i = 0; i < loop->threads; i++) {
        uint64_t iterations = loop->thread_list[i].iterations;
        least = iterations < least ? iterations : least;
        most = iterations > most ? iterations : most;
    }
    if (most == 0)
        omptape_table_cell(&section->table, "-");
    else if (least == most)
        omptape_table_cell(&section->table, "%s", omptape_units_count(most, unit));
    else
        omptape_table_cell(&section->table, "%s-%s", omptape_units_count(least, unit),
                           omptape_units_count(most, other));
}

static int print_loops(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "loop"},
        {.title = "schedule", .left = true, .dispensable = 3},
        {.title = "instances", .dispensable = 4},
        {.title = "iterations", .dispensable = 5},
        {.title = "by thread", .dispensable = 2},
        {.title = "time"},
        {.title = "imbalance"},
        {.title = "by", .left = true, .dispensable = 1},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->loop_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->loop_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_loop *loop = analysis->loops[i];
        cell_label(&section, loop->region, "");
        omptape_table_cell(&section.table, "%s", loop->schedule[0] != '\0' ? loop->schedule : "-");
        cell_count(&section, loop->instances);
        if (loop->iterations > 0)
            cell_count(&section, loop->iterations);
        else
            omptape_table_cell(&section.table, "-");
        cell_thread_iterations(&section, loop);
        cell_time(&section, loop->wall);
        cell_time(&section, loop->wall > loop->mean ? loop->wall - loop->mean : 0);
        omptape_table_cell(&section.table, "%s", omptape_loop_reason(loop->reason));
    }
    return end_section(&section);
}

static int print_tasks(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "tasks"},
        {.title = "number"},
        {.title = "mean", .dispensable = 1},
        {.title = "creation", .dispensable = 4},
        {.title = "starved", .dispensable = 2},
        {.title = "chain", .dispensable = 3},
        {.title = "at once", .dispensable = 5},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->task_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->task_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_tasks *tasks = analysis->tasks[i];
        cell_label(&section, tasks->region, "");
        cell_count(&section, tasks->created);
        cell_mean(&section, &tasks->grain);
        cell_time(&section, tasks->created > 0 ? tasks->creation / tasks->created : 0);
        cell_time(&section, tasks->starved);
        cell_time(&section, tasks->chain);
        cell_count(&section, tasks->most_at_once);
    }
    return end_section(&section);
}

static int print_locks(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "lock"},
        {.title = "times", .dispensable = 2},
        {.title = "held (mean)", .dispensable = 3},
        {.title = "waited (mean)", .dispensable = 4},
        {.title = "contended", .dispensable = 1},
        {.title = "queue", .dispensable = 5},
        {.title = "waiting"},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->lock_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->lock_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_lock *lock = analysis->locks[i];
        cell_label(&section, lock->region, "");
        cell_count(&section, lock->hold.count);
        cell_mean(&section, &lock->hold);
        cell_mean(&section, &lock->wait);
        cell_share(&section, lock->contended, lock->hold.count);
        if (lock->contended > 0)
            omptape_table_cell(&section.table, "%.1f", (double)lock->queue / (double)lock->contended);
        else
            omptape_table_cell(&section.table, "-");
        cell_time(&section, lock->wait.sum);
    }
    return end_section(&section);
}

static int print_transfers(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "transfers"},
        {.title = "number"},
        {.title = "data", .dispensable = 2},
        {.title = "time"},
        {.title = "sent again", .dispensable = 1},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->transfer_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->transfer_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_transfer *transfer = analysis->transfers[i];
        char unit[TIME];
        cell_label(&section, transfer->region, "");
        cell_count(&section, transfer->times.count);
        omptape_table_cell(&section.table, "%s", omptape_units_bytes(transfer->bytes, unit));
        cell_time(&section, transfer->times.sum);
        omptape_table_cell(&section.table, "%s", omptape_units_bytes(transfer->repeated_bytes, unit));
    }
    return end_section(&section);
}

static int print_devices(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "device"},
        {.title = "busy"},
        {.title = "kernels", .dispensable = 2},
        {.title = "time", .dispensable = 1},
        {.title = "transfers", .dispensable = 4},
        {.title = "time", .dispensable = 3},
        {.title = "data", .dispensable = 5},
        {.title = "overlap", .dispensable = 6},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->device_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->device_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_device *device = analysis->devices[i];
        char unit[TIME];
        omptape_table_cell(&section.table, "%s", device->name);
        cell_share(&section, device->busy, analysis->end - analysis->begin);
        cell_count(&section, device->kernels);
        cell_time(&section, device->kernel_time);
        cell_count(&section, device->transfers);
        cell_time(&section, device->transfer_time);
        omptape_table_cell(&section.table, "%s", omptape_units_bytes(device->bytes, unit));
        cell_share(&section, device->overlap, device->busy);
    }
    return end_section(&section);
}

static uint64_t waiting_of(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    return report_sum(parts) - report_working(parts) - parts[OMPTAPE_BUCKET_IDLE];
}

/* "3: app", "3: app, OMP thread 1": by its number, for several may be called the same. */
static void cell_process(struct section *section, const struct analysis_process *process, const char *thread)
{
    const char *comma = thread[0] != '\0' ? ", " : "";
    if (process->number >= 0)
        omptape_table_cell(&section->table, "%" PRId64 ": %s%s%s", process->number, process->name, comma,
                           thread);
    else
        omptape_table_cell(&section->table, "%s%s%s", process->name, comma, thread);
}

/* How well the threads were used. */
static void cell_use(struct section *section, const uint64_t *parts)
{
    uint64_t lived = report_sum(parts);
    cell_share(section, parts[OMPTAPE_BUCKET_COMPUTING], lived);
    cell_share(section, waiting_of(parts), lived);
    cell_share(section, parts[OMPTAPE_BUCKET_IDLE], lived);
}

/* Only of several: of one all has been said. */
static int print_processes(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "process"},
        {.title = "node", .left = true, .dispensable = 5},
        {.title = "threads", .dispensable = 4},
        {.title = "time"},
        {.title = "computing", .dispensable = 1},
        {.title = "waiting", .dispensable = 2},
        {.title = "idle", .dispensable = 3},
        {.title = "serial"},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->process_count < 2)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->process_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_process *process = &analysis->processes[i];
        cell_process(&section, process, "");
        omptape_table_cell(&section.table, "%s", process->node);
        cell_count(&section, process->threads);
        cell_time(&section, process->end - process->begin);
        cell_use(&section, process->parts);
        cell_time(&section, process->serial);
    }
    return end_section(&section);
}

static int print_nodes(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "node"},
        {.title = "processes", .dispensable = 5},
        {.title = "threads", .dispensable = 4},
        {.title = "time"},
        {.title = "computing", .dispensable = 1},
        {.title = "waiting", .dispensable = 2},
        {.title = "idle", .dispensable = 3},
        {.title = "serial"},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (analysis->node_count < 2)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->node_count, USUAL_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_node *node = &analysis->nodes[i];
        omptape_table_cell(&section.table, "%s", node->name);
        cell_count(&section, node->processes);
        cell_count(&section, node->threads);
        cell_time(&section, node->end - node->begin);
        cell_use(&section, node->parts);
        cell_time(&section, node->serial / node->processes);
    }
    return end_section(&section);
}

static int print_threads(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "thread"},
        {.title = "lived"},
        {.title = "computing", .dispensable = 1},
        {.title = "serial", .dispensable = 4},
        {.title = "waiting", .dispensable = 2},
        {.title = "idle", .dispensable = 3},
        {.title = "on processor", .dispensable = 5},
    };
    const struct omptape_analysis *analysis = report->analysis;
    if (!report->threads || analysis->thread_count == 0)
        return 0;
    struct section section = begin_section(report, columns, sizeof(columns) / sizeof(columns[0]),
                                           analysis->thread_count, USUAL_THREADS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_thread *thread = &analysis->thread_list[i];
        uint64_t lived = report_sum(thread->parts);
        if (analysis->process_count > 1)
            cell_process(&section, &analysis->processes[thread->process], thread->name);
        else
            omptape_table_cell(&section.table, "%s", thread->name);
        cell_time(&section, thread->end - thread->begin);
        cell_share(&section, thread->parts[OMPTAPE_BUCKET_COMPUTING], lived);
        cell_share(&section, thread->parts[OMPTAPE_BUCKET_SERIAL], lived);
        cell_share(&section, waiting_of(thread->parts), lived);
        cell_share(&section, thread->parts[OMPTAPE_BUCKET_IDLE], lived);
        cell_share(&section, thread->running_ns, thread->running_ns + thread->queued_ns);
    }
    return end_section(&section);
}

static int print_warnings(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const struct omptape_screen *screen = &report->screen;
    if (analysis->warning_count > 0)
        fputc('\n', screen->out);
    for (uint32_t i = 0; i < analysis->warning_count; i++) {
        omptape_screen_styled(screen, OMPTAPE_SCREEN_TITLE, "warning");
        fputs("  ", screen->out);
        (void)omptape_screen_words(screen, 9, 9, analysis->warnings[i]);
        fputc('\n', screen->out);
    }
    return 0;
}

int report_print_tables(const struct report *report)
{
    static int (*const sections[])(const struct report *) = {
        print_regions, print_serials,   print_loops, print_tasks,   print_locks,   print_transfers,
        print_devices, print_processes, print_nodes, print_threads, print_warnings};
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (sections[i](report) != 0)
            return -ENOMEM;
    return 0;
}
