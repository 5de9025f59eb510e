/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the text of `omptape whatif` (whatif.h).
 */
#include "src/command/whatif/whatif.h"

#include "src/command/text/table.h"
#include "src/command/text/units.h"

#include <stdlib.h>

static const double PERCENT = 100;

static void cell_time(struct table *table, uint64_t ns)
{
    table_cell(table, "%s", units_time(ns).text);
}

static void cell_share(struct table *table, const struct whatif *whatif, uint64_t ns)
{
    table_cell(table, "%.1f %%", whatif->wall > 0 ? PERCENT * (double)ns / (double)whatif->wall : 0);
}

static int print_regions(const struct whatif *whatif, const struct screen *screen)
{
    struct table table = table_of("region|on path|share:1|to win|limit");
    table.columns[2].style = SCREEN_FAINT;
    table.columns[3].style = SCREEN_GAIN;
    for (uint32_t i = 0; i < whatif->regions.count; i++) {
        const struct whatif_row *row = &whatif->regions.list[i];
        table_cell(&table, "%s", row->name);
        cell_time(&table, row->time);
        cell_share(&table, whatif, row->time);
        cell_time(&table, row->gain);
        table_cell_if(&table, row->critical_until < row->time, "%s", units_time(row->critical_until).text);
    }
    return table_print(&table, screen);
}

static int print_rows(const struct whatif *whatif, const struct screen *screen, const char *title,
                      const struct whatif_rows *rows)
{
    struct table table = table_of(title);
    table_column(&table, "on path", 0);
    table_column(&table, "share", 0)->style = SCREEN_FAINT;
    if (rows->count == 0)
        return 0;
    fputc('\n', screen->out);
    for (uint32_t i = 0; i < rows->count; i++) {
        table_cell(&table, "%s", rows->list[i].name);
        cell_time(&table, rows->list[i].time);
        cell_share(&table, whatif, rows->list[i].time);
    }
    return table_print(&table, screen);
}

static void print_error(const struct whatif *whatif, const struct screen *screen)
{
    screen_paragraph(
        screen, 0, "The model takes %s for the unchanged run, which took %s: an error of %+.1f %%.",
        units_time(whatif->wall).text, units_time(whatif->model.wall).text, PERCENT * whatif_error(whatif));
    if (whatif->unreproduced_waits > 0)
        screen_paragraph(screen, 0, "%s %s no end in the record: the model goes on without %s.",
                         units_things(whatif->unreproduced_waits, "wait").text,
                         whatif->unreproduced_waits == 1 ? "has" : "have",
                         whatif->unreproduced_waits == 1 ? "it" : "them");
    if (whatif->model.calls > 0)
        screen_paragraph(screen, 0,
                         "MPI: receives wait for their senders, blocking sends for late receivers, and "
                         "collective operations for the members that they need. What a transfer takes, and "
                         "asking whether something has come, stay as recorded.");
    if (whatif->model.unfollowed > 0)
        screen_paragraph(
            screen, 0,
            "Not followed: transfers by windows, files, and collective operations of MPI that do "
            "not block. "
            "What a process waits in them stays as recorded.");
    if (whatif->model.device > 0)
        screen_paragraph(screen, 0,
                         "Not followed: operations of devices without records of their own. What the "
                         "host waits for them is work here.");
}

static int print_path(const struct whatif *whatif, const struct screen *screen)
{
    const double wall = whatif->wall > 0 ? (double)whatif->wall : 1;
    screen_paragraph(
        screen, 0,
        "The critical path has %s of work, %.1f %% of the wall time. For %s (%.1f %%) it waits until "
        "threads begin, wake up or get a lock that is free.",
        units_time(whatif->path.work).text, PERCENT * (double)whatif->path.work / wall,
        units_time(whatif->path.lag).text, PERCENT * (double)whatif->path.lag / wall);
    print_error(whatif, screen);
    fputc('\n', screen->out);
    int status = print_regions(whatif, screen);
    screen_paragraph(
        screen, 0,
        "to win: by the whole run, if the region's work took no time. limit: by so much its work on the "
        "path can shrink before another path takes over; -: by all of it.");
    if (status == 0)
        status = print_rows(whatif, screen, "function (estimated by samples)", &whatif->functions);
    if (status == 0)
        status = print_rows(whatif, screen, "phase", &whatif->phases);
    if (status == 0)
        status = print_rows(whatif, screen, "thread", &whatif->threads);
    return status;
}

static void print_assumptions(const struct whatif *whatif, const struct screen *screen)
{
    for (uint32_t i = 0; i < whatif->scenario_count; i++) {
        if (whatif->scenarios[i].assumption == NULL)
            continue;
        screen_paragraph(screen, 0, "%s: %s", whatif->scenarios[i].text, whatif->scenarios[i].assumption);
    }
}

static int print_scenarios(const struct whatif *whatif, const struct screen *screen)
{
    struct table table = table_of("scenario|wall time|change|speed-up");
    table.columns[2].style = SCREEN_GAIN;
    const double wall = whatif->wall > 0 ? (double)whatif->wall : 1;
    table_cell(&table, "unchanged, by the model");
    cell_time(&table, whatif->wall);
    table_cell(&table, "-");
    table_cell(&table, "1.00");
    for (uint32_t i = 0; i < whatif->scenario_count; i++) {
        const struct whatif_scenario *scenario = &whatif->scenarios[i];
        table_cell(&table, "%s", scenario->text);
        cell_time(&table, scenario->wall);
        table_cell(&table, "%+.1f %%", PERCENT * ((double)scenario->wall / wall - 1));
        table_cell(&table, "%.2f", scenario->wall > 0 ? wall / (double)scenario->wall : 0);
    }
    const int status = table_print(&table, screen);
    fputc('\n', screen->out);
    print_error(whatif, screen);
    print_assumptions(whatif, screen);
    return status;
}

int whatif_print(const struct whatif *whatif, const struct screen *screen)
{
    return whatif->is_scenario ? print_scenarios(whatif, screen) : print_path(whatif, screen);
}
