/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table and its cells (section.h).
 */
#include "src/command/report/section.h"

#include "src/command/text/function.h"

#include <inttypes.h>

struct report_section report_section_begin(const struct report *report,
                                           const struct omptape_table_column *columns, unsigned column_count,
                                           uint32_t count, unsigned usual)
{
    unsigned most = report->top > 0 ? report->top : usual;
    return (struct report_section){.report = report,
                                   .analysis = report->analysis,
                                   .table = {.columns = columns, .column_count = column_count},
                                   .count = count,
                                   .shown = count < most ? count : most};
}

int report_section_end(struct report_section *section)
{
    fputc('\n', section->report->screen.out);
    int result = omptape_table_print(&section->table, &section->report->screen);
    if (section->count > section->shown)
        fprintf(section->report->screen.out, "... %" PRIu32 " more\n", section->count - section->shown);
    return result;
}

void report_cell_time(struct report_section *section, uint64_t ticks)
{
    char unit[OMPTAPE_UNIT_BYTES];
    omptape_table_cell(&section->table, "%s", report_time(section->analysis, ticks, unit));
}

void report_cell_mean(struct report_section *section, const struct analysis_durations *durations)
{
    if (durations->count > 0)
        report_cell_time(section, durations->sum / durations->count);
    else
        omptape_table_cell(&section->table, "-");
}

void report_cell_count(struct report_section *section, uint64_t count)
{
    char unit[OMPTAPE_UNIT_BYTES];
    omptape_table_cell(&section->table, "%s", omptape_units_count(count, unit));
}

void report_cell_bytes(struct report_section *section, uint64_t bytes)
{
    char unit[OMPTAPE_UNIT_BYTES];
    omptape_table_cell(&section->table, "%s", omptape_units_bytes(bytes, unit));
}

void report_cell_share(struct report_section *section, uint64_t part, uint64_t whole)
{
    char text[REPORT_PERCENT_BYTES];
    omptape_table_cell(&section->table, "%s",
                       whole > 0 ? report_percent((double)part, (double)whole, text) : "-");
}

void report_cell_label(struct report_section *section, const struct analysis_region *region, const char *none)
{
    omptape_table_cell(&section->table, "%s", region != NULL ? region->shown : none);
}

void report_cell_function(struct report_section *section, const struct analysis_region *region)
{
    enum { MOST_COLUMNS = 40 };
    char name[OMPTAPE_SCREEN_TEXT_BYTES];
    char cut[OMPTAPE_SCREEN_TEXT_BYTES];
    (void)omptape_function_short(region->function, name, sizeof(name));
    omptape_table_cell(&section->table, "%s", omptape_screen_cut(name, MOST_COLUMNS, cut));
}
