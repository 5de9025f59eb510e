/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the state shown by `omptape top` as text: all processes, and the time of the selected one, in the
 * words and formats of `omptape report`.
 */
#include "src/command/top/state.h"

#include "src/command/report/state.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DEFAULT_REGIONS = 10,
    DEFAULT_FUNCTIONS = 5,
    DEFAULT_FINDINGS = 3,
    MIN_ROWS = 3,
    FEW_LINES = 14, /* with fewer lines the tables are more important than the run so far */
    INDENT = 8,
    TEXT_BYTES = SCREEN_TEXT_BYTES
};

/* Output state; `lines` is the number of free lines. */
struct picture {
    const struct top *top;
    const struct screen *screen;
    unsigned lines;
};

static void print_line(struct picture *picture, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void print_line(struct picture *picture, const char *format, ...)
{
    char text[TEXT_BYTES];
    char shown[TEXT_BYTES];
    char cut[TEXT_BYTES];
    va_list arguments;
    if (picture->lines == 0)
        return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)screen_sanitize(picture->screen, text, shown, sizeof(shown));
    fprintf(picture->screen->out, "%s\n", screen_shorten(shown, picture->screen->width, cut));
    picture->lines--;
}

/* Prints wrapped text after a title if all its lines fit. */
static void print_wrapped(struct picture *picture, const char *title, const char *words)
{
    char *text = NULL;
    size_t bytes = 0;
    struct screen screen = *picture->screen;
    screen.out = open_memstream(&text, &bytes);
    if (screen.out == NULL)
        return;
    (void)screen_wrap(&screen, INDENT, INDENT, words);
    if (fclose(screen.out) == 0) {
        unsigned lines = 1;
        for (const char *at = text; *at != '\0'; at++)
            lines += *at == '\n';
        if (lines <= picture->lines) {
            fprintf(picture->screen->out, "%-*s%s\n", INDENT, title, text);
            picture->lines -= lines;
        }
    }
    free(text);
}

static struct units_text time_text(const struct omptape_message *message, uint64_t ticks)
{
    return units_seconds(top_seconds(message, ticks));
}

/* Returns true if the program has not used OpenMP, MPI or marks yet. */
static bool is_unused(const struct top_process *process)
{
    return (top_now(process)->facts.flags & OMPTAPE_MESSAGE_UNUSED) != 0;
}

static const char *state_text(const struct top_process *process)
{
    switch (process->state) {
    case TOP_WAITS:
        return "no answer yet";
    case TOP_SILENT:
        return "no answer";
    case TOP_UNREADABLE:
        return "unreadable";
    case TOP_ENDED:
        return "ended";
    default:
        return (top_now(process)->facts.flags & OMPTAPE_MESSAGE_PAUSED) != 0 ? "paused" : "runs";
    }
}

/* Prints "lock, process 1234, rank 3 of 8 on node1 runs: 2 threads on 2 processors". */
static void print_header(struct picture *picture, const struct top_process *process)
{
    char line[TEXT_BYTES];
    char rank[64] = "";
    char where[2 * UNITS_TEXT_BYTES] = "";
    if (!process->has_message) {
        print_line(picture, "process %d: %s", (int)process->found.program, state_text(process));
        return;
    }
    const struct omptape_message_facts *facts = &top_now(process)->facts;
    if (facts->rank > 0)
        (void)snprintf(rank, sizeof(rank), ", rank %llu of %llu", (unsigned long long)facts->rank - 1,
                       (unsigned long long)facts->size);
    if (facts->processors > 0)
        (void)snprintf(where, sizeof(where), " on %s", units_things(facts->processors, "processor").text);
    (void)snprintf(line, sizeof(line), "%s, process %llu%s on %s %s: %s%s%s",
                   omptape_base_name(facts->program), (unsigned long long)facts->pid, rank, facts->host,
                   state_text(process), units_things(facts->alive, "thread").text, where,
                   picture->top->is_frozen ? ", frozen" : "");
    print_line(picture, "%s", line);
}

/* Adds the average number of threads per bucket. */
static void add_states(const struct top_process *process, double threads[OMPTAPE_BUCKET_COUNT])
{
    const struct top_interval *interval = &process->interval;
    for (int bucket = 0; process->has_interval && bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        threads[bucket] += (double)interval->parts[bucket] / (double)interval->wall;
}

/* Prints numbers of threads after `line`: "computing 1.20, lock 0.70". */
static void print_states(struct picture *picture, const char *title, const char *line,
                         const double threads[OMPTAPE_BUCKET_COUNT])
{
    char text[TEXT_BYTES];
    char states[TEXT_BYTES] = "";
    const double noise = 0.005;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (threads[bucket] >= noise)
            omptape_append_item(states, sizeof(states), ", ", "%s %.2f", omptape_buckets[bucket].name,
                                threads[bucket]);
    (void)snprintf(text, sizeof(text), "%s%s", line, states[0] != '\0' ? states : "no thread");
    print_wrapped(picture, title, text);
}

/* Prints the sums of all processes that have not ended:
 * "64 processes (3 ended, 1 without an answer), 122 threads: computing 3.40, MPI 118.60". */
static void print_sums(struct picture *picture)
{
    const struct top *top = picture->top;
    double threads[OMPTAPE_BUCKET_COUNT] = {0};
    char line[TEXT_BYTES];
    char states[64] = "";
    unsigned ended = 0;
    unsigned silent = 0;
    uint64_t alive = 0;
    for (uint32_t i = 0; i < top->count; i++) {
        const struct top_process *process = &top->processes[i];
        ended += process->state == TOP_ENDED;
        silent += process->state != TOP_RUNS && process->state != TOP_ENDED;
        if (process->state == TOP_ENDED)
            continue;
        alive += top_now(process)->facts.alive;
        add_states(process, threads);
    }
    if (ended > 0 && silent > 0)
        (void)snprintf(states, sizeof(states), " (%u ended, %u without an answer)", ended, silent);
    else if (ended + silent > 0)
        (void)snprintf(states, sizeof(states), " (%u %s)", ended + silent,
                       ended > 0 ? "ended" : "without an answer");
    if (alive > 0)
        (void)snprintf(line, sizeof(line), "%u processes%s, %s: ", top->count, states,
                       units_things(alive, "thread").text);
    else
        (void)snprintf(line, sizeof(line), "%u processes%s: ", top->count, states);
    print_states(picture, "all", line, threads);
}

/* Prints the line of a program that has not used OpenMP, MPI or marks. */
static void print_unused(struct picture *picture, const struct top_process *process)
{
    const struct omptape_message *now = top_now(process);
    char line[TEXT_BYTES];
    (void)snprintf(line, sizeof(line), "%s: it has not used OpenMP, MPI or marks yet",
                   time_text(now, now->facts.now - now->facts.begin).text);
    print_wrapped(picture, "so far", line);
}

/* Prints how many threads OpenMP does not know, and their states. */
static void print_others(struct picture *picture, const struct top_process *process)
{
    const struct top_interval *interval = &process->interval;
    double threads[OMPTAPE_BUCKET_COUNT] = {0};
    char line[TEXT_BYTES];
    if (interval->other_count == 0)
        return;
    for (uint32_t i = 0; i < interval->other_count; i++)
        for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
            threads[bucket] += (double)interval->others[i].parts[bucket] / (double)interval->wall;
    (void)snprintf(line, sizeof(line),
                   "%s that OpenMP does not know: ", units_things(interval->other_count, "thread").text);
    print_states(picture, "others", line, threads);
}

static void print_efficiencies(struct picture *picture, const struct top_process *process)
{
    const struct omptape_message *now = top_now(process);
    char line[TEXT_BYTES];
    char text[TEXT_BYTES];
    (void)snprintf(line, sizeof(line), "%s: %s", time_text(now, process->interval.wall).text,
                   report_efficiency(&process->interval.efficiency, text, sizeof(text)));
    if (picture->lines < FEW_LINES) {
        print_line(picture, "%-*s%s", INDENT, "now", line);
        return;
    }
    print_wrapped(picture, "now", line);
    (void)snprintf(line, sizeof(line), "%s: %s", time_text(now, now->facts.now - now->facts.begin).text,
                   report_efficiency(&process->interval.whole, text, sizeof(text)));
    print_wrapped(picture, "so far", line);
}

static void print_phases(struct picture *picture, const struct top_process *process)
{
    const struct top_interval *interval = &process->interval;
    const double seconds = top_seconds(top_now(process), interval->wall);
    char line[TEXT_BYTES] = "";
    for (uint32_t i = 0; i < interval->phase_count; i++)
        omptape_append_item(line, sizeof(line), ", ", "%s %.1f/s", interval->phases[i].region->shown,
                            (double)interval->phases[i].count / seconds);
    if (line[0] != '\0')
        print_wrapped(picture, "steps", line);
}

static void print_losses(struct picture *picture, const struct top_process *process)
{
    const struct omptape_message_facts *facts = &top_now(process)->facts;
    if (facts->dropped > 0)
        print_line(picture, "dropped %s: the buffer was full", units_things(facts->dropped, "event").text);
    if ((facts->flags & OMPTAPE_MESSAGE_INCOMPLETE) != 0)
        print_line(picture, "the archive cannot be written any more");
}

static const enum top_sort *sort_of_run;
static uint64_t key_of(const struct top_region *region)
{
    switch (*sort_of_run) {
    case TOP_BY_WAITING:
        return omptape_minus(omptape_parts_sum(region->parts), report_time_at_work(region->parts));
    case TOP_BY_VISITS:
        return region->visits;
    default:
        return omptape_parts_sum(region->parts);
    }
}

static int compare_regions(const void *left, const void *right)
{
    return omptape_order(key_of(right), key_of(left));
}

static void print_table(struct picture *picture, struct table *table, unsigned rows)
{
    if (table_print(table, picture->screen) == 0)
        picture->lines -= rows + 1 < picture->lines ? rows + 1 : picture->lines;
}

static void cell_share(struct table *table, uint64_t part, uint64_t whole)
{
    table_cell(table, "%s", report_percent((double)part, (double)whole).text);
}

/* Adds the columns "computing|blocked|runnable|waiting", which are those of the report. */
static void cell_times(struct table *table, const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    const uint64_t sum = omptape_parts_sum(parts);
    cell_share(table, report_time_working(parts), sum);
    cell_share(table, parts[OMPTAPE_BUCKET_BLOCKED], sum);
    cell_share(table, parts[OMPTAPE_BUCKET_RUNNABLE], sum);
    cell_share(table, omptape_minus(sum, report_time_at_work(parts)), sum);
}

static void print_regions(struct picture *picture, const struct top_process *process, unsigned rows)
{
    const struct top_interval *interval = &process->interval;
    const double seconds = top_seconds(top_now(process), interval->wall);
    struct table table =
        table_of("construct|time|of all|computing|blocked:11|runnable:12|waiting|visits/s:13");
    table.columns[6].style = SCREEN_WAITING;
    if (picture->top->sort == TOP_BY_VISITS)
        table.columns[7].dispensable = 1;
    const uint64_t all = omptape_parts_sum(interval->parts);
    rows = rows < interval->region_count ? rows : interval->region_count;
    if (rows == 0)
        return;
    sort_of_run = &picture->top->sort;
    omptape_sort(interval->regions, interval->region_count, sizeof(*interval->regions), compare_regions);
    for (uint32_t i = 0; i < rows; i++) {
        const struct top_region *one = &interval->regions[i];
        const uint64_t sum = omptape_parts_sum(one->parts);
        table_cell(&table, "%s", one->region->shown);
        table_cell(&table, "%s", time_text(top_now(process), sum).text);
        cell_share(&table, sum, all);
        cell_times(&table, one->parts);
        table_cell(&table, "%.0f", (double)one->visits / seconds);
    }
    print_table(picture, &table, rows);
}

static void print_functions(struct picture *picture, const struct top_process *process, unsigned rows)
{
    const struct top_interval *interval = &process->interval;
    const bool any_asleep = interval->asleep > 0;
    struct table table =
        table_of(any_asleep ? "function|of samples|asleep|<mostly in:1" : "function|of samples|<mostly in:1");
    rows = rows < interval->function_count ? rows : interval->function_count;
    if (rows == 0)
        return;
    for (uint32_t i = 0; i < rows; i++) {
        table_cell(&table, "%s", interval->functions[i].name);
        cell_share(&table, interval->functions[i].samples, interval->samples);
        if (any_asleep)
            cell_share(&table, interval->functions[i].asleep, interval->asleep);
        table_cell(&table, "%s", interval->functions[i].place);
    }
    print_table(picture, &table, rows);
}

/* Adds the cells after a thread's name. */
static void cell_thread(struct table *table, const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    int max = 0;
    for (int bucket = 1; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        max = parts[bucket] > parts[max] ? bucket : max;
    cell_times(table, parts);
    table_cell(table, "%s", omptape_buckets[max].name);
}

/* Prints OpenMP's threads and then the others, which get half of the rows if there are too few. */
static void print_threads(struct picture *picture, const struct top_process *process, unsigned rows)
{
    const struct top_interval *interval = &process->interval;
    struct table table = table_of("thread|computing|blocked|runnable|waiting|<mostly");
    const uint32_t count = interval->thread_count + interval->other_count;
    rows = rows < count ? rows - (rows > 1) : count;
    if (rows == 0)
        return;
    const uint32_t half = interval->other_count < rows / 2 ? interval->other_count : rows / 2;
    const uint32_t own = interval->thread_count < rows - half ? interval->thread_count : rows - half;
    for (uint32_t i = 0; i < own; i++) {
        table_cell(&table, "%s", interval->threads[i].thread->name);
        cell_thread(&table, interval->threads[i].parts);
    }
    for (uint32_t i = 0; i < rows - own; i++) {
        const struct top_other *one = &interval->others[i];
        table_cell(&table, "%s (%llu)", one->thread->name, (unsigned long long)one->thread->tid);
        cell_thread(&table, one->parts);
    }
    print_table(picture, &table, rows);
    if (rows < count)
        print_line(picture, "... %u more", (unsigned)(count - rows));
}

static void print_findings(struct picture *picture, const struct top_process *process)
{
    const struct omptape_analysis *analysis = top_now(process)->analysis;
    char text[TEXT_BYTES];
    char title[16];
    for (unsigned i = 0; i < analysis->finding_count && i < DEFAULT_FINDINGS; i++) {
        report_sentence(analysis, &analysis->findings[i], text, sizeof(text));
        (void)snprintf(title, sizeof(title), "%5u. ", i + 1);
        print_wrapped(picture, title, text);
    }
}

/* Prints one row per process. A process that has ended has no state of now. */
static void print_processes(struct picture *picture, unsigned rows)
{
    const struct top *top = picture->top;
    struct table table = table_of("process|rank|<state|threads|parallel|at work|MPI|so far:1");
    const uint32_t first = top->chosen >= rows ? top->chosen - rows + 1 : 0;
    rows = rows < top->count ? rows : top->count;
    if (rows == 0)
        return;
    for (uint32_t i = first; i < first + rows; i++) {
        const struct top_process *process = &top->processes[i];
        const struct omptape_message_facts *facts = &top_now(process)->facts;
        const struct top_interval *interval = &process->interval;
        const uint64_t now = process->state != TOP_ENDED ? omptape_parts_sum(interval->parts) : 0;
        table_cell(&table, "%s%d %s", i == top->chosen ? "> " : "  ", (int)process->found.program,
                   omptape_base_name(facts->program));
        if (facts->rank > 0)
            table_cell(&table, "%llu", (unsigned long long)facts->rank - 1);
        else
            table_cell(&table, "%s", "");
        table_cell(&table, "%s", state_text(process));
        table_cell(&table, "%llu", (unsigned long long)facts->alive);
        cell_share(&table, (uint64_t)(1e6 * interval->efficiency.parallel), now > 0 ? 1000000 : 0);
        cell_share(&table, report_time_at_work(interval->parts), now);
        cell_share(&table, interval->parts[OMPTAPE_BUCKET_MPI], now);
        cell_share(&table, (uint64_t)(1e6 * interval->whole.parallel), process->has_interval ? 1000000 : 0);
    }
    print_table(picture, &table, rows);
}

static unsigned limit_rows(unsigned rows, unsigned max)
{
    return rows < max ? rows : max;
}

/* Prints the tables, which share the remaining lines. */
static void print_tables(struct picture *picture, const struct top_process *process)
{
    const bool limited = picture->lines < 1U << 16;
    const unsigned half = picture->lines / 2;
    unsigned rows = limited ? half : DEFAULT_REGIONS;
    if (picture->lines < MIN_ROWS)
        return;
    if (picture->top->shows_threads || is_unused(process)) {
        print_line(picture, "%s", "");
        print_threads(picture, process, limited ? (picture->lines > 1 ? picture->lines - 1 : 0) : UINT32_MAX);
        return;
    }
    print_line(picture, "%s", "");
    print_regions(picture, process, limit_rows(rows > MIN_ROWS ? rows - 1 : rows, DEFAULT_REGIONS));
    if (picture->lines > 2 && process->interval.function_count > 0) {
        print_line(picture, "%s", "");
        print_functions(picture, process,
                        limit_rows(limited && picture->lines > 1 ? picture->lines / 2 : DEFAULT_FUNCTIONS,
                                   DEFAULT_FUNCTIONS));
    }
}

void top_print(const struct top *top, const struct screen *screen, unsigned lines)
{
    struct picture picture = {.top = top, .screen = screen, .lines = lines > 0 ? lines : 1U << 20};
    const struct top_process *process = &top->processes[top->chosen];
    double threads[OMPTAPE_BUCKET_COUNT] = {0};
    char nodes[TEXT_BYTES];
    const bool has_nodes = top_describe_nodes(top, nodes, sizeof(nodes));
    const bool is_small = picture.lines < FEW_LINES;
    if (top->count > 1) {
        print_sums(&picture);
        print_processes(&picture, lines > 0 ? lines / 3 : top->count);
    }
    if (has_nodes)
        print_line(&picture, "%s", nodes);
    if (top->count > 1 || has_nodes)
        print_line(&picture, "%s", "");
    print_header(&picture, process);
    if (process->state == TOP_UNREADABLE)
        print_line(&picture, "its last answer is damaged, too long, or of another version of omptape");
    if (!process->has_interval)
        return;
    if (is_unused(process)) {
        print_unused(&picture, process);
    } else {
        print_efficiencies(&picture, process);
        add_states(process, threads);
        print_states(&picture, "threads", "", threads);
    }
    print_others(&picture, process);
    print_phases(&picture, process);
    print_losses(&picture, process);
    if (top_now(process)->analysis->finding_count > 0 && !top->shows_threads && !is_small)
        print_findings(&picture, process);
    print_tables(&picture, process);
}
