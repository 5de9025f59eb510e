/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the tables of regions, loops, tasks and locks, and calls all other tables in their order.
 */
#include "src/command/report/state.h"
#include "src/command/text/units.h"
#include "src/core/short_names.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { BAR = 5 };

/* Draws a part of the whole as a bar; a part larger than the whole fills it. */
static void draw_bar(char bar[BAR + 1], uint64_t part, uint64_t whole)
{
    const double filled = whole > 0 ? (double)BAR * (double)part / (double)whole + 0.5 : 0;
    for (unsigned i = 0; i < BAR; i++)
        bar[i] = i + 1 <= filled ? '#' : ' ';
    bar[BAR] = '\0';
}

/* Adds the gain, marked with '*' if it is larger than the region's time. */
static void cell_gain(struct report_section *section, const struct analysis_region *region)
{
    table_cell_if(&section->table, region->gain > 0, "%s%s",
                  report_time(section->analysis, region->gain).text,
                  report_gain_reason(section->analysis, region)[0] != '\0' ? " *" : "");
}

/* Adds the short name of the function around the region. */
static void cell_function(struct report_section *section, const struct analysis_region *region)
{
    enum { MAX_COLUMNS = 40 };
    char name[OMPTAPE_SHORT_NAME_BYTES];
    char cut[SCREEN_TEXT_BYTES];
    (void)omptape_short_name_of_function(region->function, name);
    table_cell(&section->table, "%s", screen_shorten(name, MAX_COLUMNS, cut));
}

/* Adds the mean duration, or "-" if there are none. */
static void cell_mean(struct report_section *section, const struct analysis_durations *durations)
{
    table_cell_if(&section->table, durations->count > 0, "%s",
                  report_time(section->analysis, omptape_mean(durations->sum, durations->count)).text);
}

/* Adds a region's row: computing and waiting, of its own time and of the waiting for it. */
static void add_region(struct report_section *section, const struct analysis_region *region)
{
    const struct omptape_analysis *analysis = section->analysis;
    uint64_t working = report_time_working(region->parts);
    uint64_t all = report_cost(region);
    uint64_t waiting = omptape_minus(all, report_time_at_work(region->parts));
    uint64_t threads = analysis->threads > 0 ? analysis->threads : 1;
    uint64_t wall = omptape_minus(analysis->end, analysis->begin);
    char bar[BAR + 1];
    draw_bar(bar, waiting, all);
    report_cell_label(section, region, "");
    report_cell_time(section, all / threads);
    report_cell_share(section, all / threads, wall);
    report_cell_count(section, region->visits.count);
    report_cell_share(section, working, all);
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (omptape_buckets[bucket].off_cpu && report_has(analysis, bucket))
            report_cell_share(section, region->parts[bucket], all);
    report_cell_share(section, waiting, all);
    table_cell(&section->table, "|%s|", bar);
    cell_gain(section, region);
    cell_function(section, region);
}

/* Returns why the gain of a row is larger than its time; "" if it is not, or if the row is not shown. */
static const char *reason_of_row(const struct report *report, uint32_t row)
{
    const struct analysis_region *region = report->analysis->regions[row];
    const bool shown = report->all || !report_is_only_waiting(region);
    return shown ? report_gain_reason(report->analysis, region) : "";
}

/* Prints, below the table, why gains are larger than the rows' times: each reason once. */
static void print_reasons(const struct report *report, uint32_t rows)
{
    char text[400] = "";
    for (uint32_t i = 0; i < rows; i++) {
        const char *reason = reason_of_row(report, i);
        if (reason[0] != '\0' && strstr(text, reason) == NULL)
            omptape_append_item(text, sizeof(text), ", or ", "%s", reason);
    }
    if (text[0] != '\0')
        screen_paragraph(&report->screen, 2, "* %s", text);
}

static int print_regions(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section = report_section_begin(report, "region|time|share:3|visits:10|computing:2",
                                                         analysis->region_count, REPORT_DEFAULT_REGIONS);
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (omptape_buckets[bucket].off_cpu && report_has(analysis, bucket))
            table_column(&section.table, omptape_buckets[bucket].name, 1);
    table_column(&section.table, "waiting", 1);
    table_column(&section.table, "", 4)->style = SCREEN_WAITING;
    table_column(&section.table, "to win", 0)->style = SCREEN_GAIN;
    table_column(&section.table, "function", TABLE_SPARE + 1)->left = true;
    uint32_t max = section.shown;
    uint32_t rows = 0;
    section.shown = 0;
    for (; rows < analysis->region_count && section.shown < max; rows++) {
        if (report->all || !report_is_only_waiting(analysis->regions[rows])) {
            add_region(&section, analysis->regions[rows]);
            section.shown++;
        }
    }
    int status = report_section_end(&section);
    print_reasons(report, rows);
    return status;
}

static int print_serials(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section =
        report_section_begin(report, "serial after|<before:2|times:1|time|share:3|longest:4",
                             analysis->serial_count, REPORT_DEFAULT_ROWS);
    const uint64_t processes = analysis->at_once;
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_serial *serial = analysis->serials[i];
        report_cell_label(&section, serial->after, "(the beginning)");
        report_cell_label(&section, serial->before, "(the end)");
        report_cell_count(&section, serial->count);
        report_cell_time(&section, serial->sum / processes);
        report_cell_share(&section, serial->sum / processes, omptape_minus(analysis->end, analysis->begin));
        report_cell_time(&section, serial->longest);
    }
    const int status = report_section_end(&section);
    report_print_serial_samples(report, section.shown);
    return status;
}

/* Adds the fewest and the most iterations of a thread, over all instances. */
static void cell_thread_iterations(struct report_section *section, const struct analysis_loop *loop)
{
    uint64_t min = UINT64_MAX;
    uint64_t max = 0;
    for (uint32_t i = 0; i < loop->threads; i++) {
        uint64_t iterations = loop->thread_list[i].iterations;
        min = iterations < min ? iterations : min;
        max = iterations > max ? iterations : max;
    }
    if (min >= max)
        table_cell_if(&section->table, max > 0, "%s", units_count(max).text);
    else
        table_cell(&section->table, "%s-%s", units_count(min).text, units_count(max).text);
}

static int print_loops(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section = report_section_begin(
        report, "loop|<schedule:3|instances:4|iterations:5|by thread:2|time|imbalance|<by:1",
        analysis->loop_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_loop *loop = analysis->loops[i];
        report_cell_label(&section, loop->region, "");
        table_cell(&section.table, "%s", loop->schedule[0] != '\0' ? loop->schedule : "-");
        report_cell_count(&section, loop->instances);
        table_cell_if(&section.table, loop->iterations > 0, "%s", units_count(loop->iterations).text);
        cell_thread_iterations(&section, loop);
        report_cell_time(&section, loop->wall);
        report_cell_time(&section, omptape_minus(loop->wall, loop->mean));
        table_cell(&section.table, "%s", omptape_loop_reason(loop->reason));
    }
    return report_section_end(&section);
}

static int print_tasks(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section =
        report_section_begin(report, "tasks|number|mean:1|creation:4|starved:2|chain:3|at once:5",
                             analysis->task_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_tasks *tasks = analysis->tasks[i];
        report_cell_label(&section, tasks->region, "");
        uint64_t executed = omptape_tasks_executed(tasks);
        report_cell_count(&section, tasks->created > executed ? tasks->created : executed);
        table_cell_if(&section.table, executed > 0, "%s",
                      report_time(analysis, omptape_mean(tasks->grain.sum, executed)).text);
        report_cell_time(&section, omptape_mean(tasks->creation, tasks->created));
        report_cell_time(&section, tasks->starved);
        report_cell_time(&section, tasks->chain);
        report_cell_count(&section, tasks->most_at_once);
    }
    return report_section_end(&section);
}

static int print_locks(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section =
        report_section_begin(report, "lock|times:2|held (mean):3|waited (mean):4|contended:1|queue:5|waiting",
                             analysis->lock_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_lock *lock = analysis->locks[i];
        report_cell_label(&section, lock->region, "");
        report_cell_count(&section, lock->hold.count);
        cell_mean(&section, &lock->hold);
        cell_mean(&section, &lock->wait);
        report_cell_share(&section, lock->contended, lock->hold.count);
        table_cell_if(&section.table, lock->contended > 0, "%.1f",
                      (double)lock->queue / (double)omptape_greater(lock->contended, 1));
        report_cell_time(&section, lock->wait.sum);
    }
    return report_section_end(&section);
}

/* Prints warnings above all tables, because they limit the meaning of the numbers. */
static int print_warnings(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const struct screen *screen = &report->screen;
    bool any = false;
    for (uint32_t i = 0; i < analysis->warning_count; i++) {
        if (analysis->banner != NULL && strcmp(analysis->warnings[i], analysis->banner) == 0)
            continue;
        fputs(any ? "" : "\n", screen->out);
        any = true;
        screen_styled(screen, SCREEN_TITLE, "warning");
        fputs("  ", screen->out);
        (void)screen_wrap(screen, 9, 9, analysis->warnings[i]);
        fputc('\n', screen->out);
    }
    return 0;
}

int report_print_tables(const struct report *report)
{
    static int (*const sections[])(const struct report *) = {print_warnings,
                                                             report_print_phases,
                                                             report_print_values,
                                                             print_regions,
                                                             report_print_counters,
                                                             print_serials,
                                                             print_loops,
                                                             print_tasks,
                                                             print_locks,
                                                             report_print_outliers,
                                                             report_print_transfers,
                                                             report_print_devices,
                                                             report_print_mpi,
                                                             report_print_processes,
                                                             report_print_nodes,
                                                             report_print_threads};
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (sections[i](report) != 0)
            return -ENOMEM;
    return 0;
}

struct report_section report_section_begin(const struct report *report, const char *columns, uint32_t count,
                                           unsigned usual)
{
    unsigned max = report->top > 0 ? report->top : usual;
    return (struct report_section){.report = report,
                                   .analysis = report->analysis,
                                   .table = table_of(columns),
                                   .count = count,
                                   .shown = count < max ? count : max};
}

int report_section_end(struct report_section *section)
{
    if (section->count == 0)
        return 0;
    fputc('\n', section->report->screen.out);
    int result = table_print(&section->table, &section->report->screen);
    if (section->count > section->shown)
        fprintf(section->report->screen.out, "... %" PRIu32 " more\n", section->count - section->shown);
    return result;
}

void report_cell_time(struct report_section *section, uint64_t ticks)
{
    table_cell(&section->table, "%s", report_time(section->analysis, ticks).text);
}

void report_cell_count(struct report_section *section, uint64_t count)
{
    table_cell(&section->table, "%s", units_count(count).text);
}

void report_cell_bytes(struct report_section *section, uint64_t bytes)
{
    table_cell(&section->table, "%s", units_bytes(bytes).text);
}

void report_cell_share(struct report_section *section, uint64_t part, uint64_t whole)
{
    table_cell(&section->table, "%s", whole > 0 ? report_percent((double)part, (double)whole).text : "-");
}

void report_cell_label(struct report_section *section, const struct analysis_region *region, const char *none)
{
    table_cell(&section->table, "%s", region != NULL ? region->shown : none);
}
