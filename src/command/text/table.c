/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a table that fits the screen (table.h). Called by the command's only thread.
 */
#include "src/command/text/table.h"

#include "src/command/text/units.h"
#include "src/core/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BETWEEN = 2 };

struct table_column *table_column(struct table *table, const char *title, unsigned dispensable)
{
    struct table_column *column = &table->columns[table->column_count++];
    (void)snprintf(column->title, sizeof(column->title), "%s", title);
    column->dispensable = dispensable;
    return column;
}

struct table table_of(const char *columns)
{
    struct table table = {.column_count = 0};
    for (const char *at = columns; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        struct table_column *column = &table.columns[table.column_count++];
        column->left = *at == '<';
        at += column->left;
        const size_t bytes = strcspn(at, ":|");
        memcpy(column->title, at, bytes);
        column->dispensable = at[bytes] == ':' ? (unsigned)strtoul(at + bytes + 1, NULL, 10) : 0;
    }
    return table;
}

static void add_cell(struct table *table, const char *format, va_list arguments)
{
    char text[SCREEN_TEXT_BYTES];
    (void)vsnprintf(text, sizeof(text), format, arguments);
    char *copy = omptape_arena_alloc(&table->arena, strlen(text) + 1);
    if (copy == NULL || !OMPTAPE_RESERVE(table->cells, table->cell_count + 1, &table->capacity)) {
        table->no_memory = true;
        return;
    }
    memcpy(copy, text, strlen(text) + 1);
    table->cells[table->cell_count++] = copy;
}

void table_cell(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cell(table, format, arguments);
    va_end(arguments);
}

void table_cell_if(struct table *table, bool is_known, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cell(table, is_known ? format : "-", arguments);
    va_end(arguments);
}

struct layout {
    const struct table *table;
    const struct screen *screen;
    unsigned widths[TABLE_MAX_COLUMNS];
    bool hidden[TABLE_MAX_COLUMNS];
};

static void measure(struct layout *layout)
{
    const struct table *table = layout->table;
    char shown[SCREEN_TEXT_BYTES];
    for (unsigned i = 0; i < table->column_count; i++)
        layout->widths[i] = screen_columns(table->columns[i].title);
    unsigned column = 0;
    for (uint32_t i = 0; i < table->cell_count; i++) {
        unsigned columns =
            screen_columns(screen_sanitize(layout->screen, table->cells[i], shown, sizeof(shown)));
        if (columns > layout->widths[column])
            layout->widths[column] = columns;
        column = column + 1 < table->column_count ? column + 1 : 0;
    }
}

/* Returns the width of all visible columns except the first one. */
static unsigned numbers_width(const struct layout *layout)
{
    unsigned sum = 0;
    for (unsigned i = 1; i < layout->table->column_count; i++)
        sum += layout->hidden[i] ? 0 : layout->widths[i] + BETWEEN;
    return sum;
}

/* Hides columns with at least this `dispensable`, the largest first, until the names have `names` columns. */
static void hide(struct layout *layout, unsigned names, unsigned dispensable)
{
    const struct table *table = layout->table;
    while (numbers_width(layout) + names > layout->screen->width) {
        unsigned min = 0;
        for (unsigned i = 1; i < table->column_count; i++)
            if (!layout->hidden[i] && table->columns[i].dispensable > table->columns[min].dispensable)
                min = i;
        if (min == 0 || table->columns[min].dispensable < dispensable)
            break;
        layout->hidden[min] = true;
    }
}

static void fit(struct layout *layout)
{
    unsigned min = layout->widths[0] < TABLE_MIN_NAME ? layout->widths[0] : TABLE_MIN_NAME;
    hide(layout, layout->widths[0], TABLE_SPARE);
    hide(layout, min, 1);
    unsigned numbers = numbers_width(layout);
    unsigned available = layout->screen->width > numbers ? layout->screen->width - numbers : 0;
    layout->widths[0] = layout->widths[0] < available ? layout->widths[0] : available;
}

/* Prints one cell. Collects padding in *blanks, printed before the next text, no line ends in blanks. */
static void print_cell(const struct layout *layout, unsigned column, const char *text, unsigned *blanks,
                       enum screen_style style)
{
    char shown[SCREEN_TEXT_BYTES];
    char cut[SCREEN_TEXT_BYTES];
    unsigned width = layout->widths[column];
    (void)screen_sanitize(layout->screen, text, shown, sizeof(shown));
    if (column == 0)
        (void)screen_shorten(shown, width, cut);
    else
        memcpy(cut, shown, strlen(shown) + 1);
    unsigned columns = screen_columns(cut);
    unsigned pad = width > columns ? width - columns : 0;
    bool left = layout->table->columns[column].left || column == 0;
    *blanks += left ? 0 : pad;
    if (cut[0] != '\0') {
        fprintf(layout->screen->out, "%*s", (int)*blanks, "");
        *blanks = 0;
        screen_styled(layout->screen, style, cut);
    } else {
        *blanks += columns;
    }
    *blanks += BETWEEN + (left ? pad : 0);
}

static void print_row(const struct layout *layout, const char *const *cells)
{
    unsigned blanks = 0;
    for (unsigned i = 0; i < layout->table->column_count; i++) {
        const struct table_column *column = &layout->table->columns[i];
        if (!layout->hidden[i])
            print_cell(layout, i, cells != NULL ? cells[i] : column->title, &blanks,
                       cells != NULL ? column->style : SCREEN_TITLE);
    }
    fputc('\n', layout->screen->out);
}

static void print_html_cell(const struct screen *screen, const char *tag, const char *text)
{
    fprintf(screen->out, "<%s>", tag);
    xml_quote(screen->out, text);
    fprintf(screen->out, "</%.2s>", tag);
}

static void print_html(const struct table *table, const struct screen *screen)
{
    const uint32_t columns = table->column_count;
    fputs("<table>\n<thead><tr>", screen->out);
    for (uint32_t i = 0; i < columns; i++)
        print_html_cell(screen, "th scope=\"col\"", table->columns[i].title);
    fputs("</tr></thead>\n<tbody>\n", screen->out);
    for (uint32_t i = 0; i + columns <= table->cell_count; i += columns) {
        fputs("<tr>", screen->out);
        for (uint32_t k = 0; k < columns; k++)
            print_html_cell(screen, "td", table->cells[i + k]);
        fputs("</tr>\n", screen->out);
    }
    fputs("</tbody>\n</table>\n", screen->out);
}

static void print_text(const struct table *table, const struct screen *screen)
{
    struct layout layout = {.table = table, .screen = screen};
    measure(&layout);
    fit(&layout);
    print_row(&layout, NULL);
    for (uint32_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count)
        print_row(&layout, table->cells + i);
}

int table_print(struct table *table, const struct screen *screen)
{
    const bool good = !table->no_memory;
    if (good && screen->is_html)
        print_html(table, screen);
    else if (good)
        print_text(table, screen);
    free(table->cells);
    omptape_arena_free(&table->arena);
    table->cells = NULL;
    table->cell_count = 0;
    table->capacity = 0;
    return good ? 0 : -ENOMEM;
}
