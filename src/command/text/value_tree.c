/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a tree of numbers and texts as JSON or CSV (value_tree.h).
 */
#include "src/command/text/value_tree.h"
#include "src/command/text/units.h"
#include "src/core/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

/* Writes what precedes a value: a comma, a new line at low depth, and its key. */
static void put_key(struct value_tree *tree, const char *key)
{
    enum { LINES = 2 };
    if (tree->depth == 0)
        return;
    if (tree->filled[tree->depth])
        fputc(',', tree->out);
    if (tree->depth <= LINES && !tree->is_compact)
        fprintf(tree->out, "\n%*s", (int)tree->depth, "");
    else if (tree->filled[tree->depth] && !tree->is_compact)
        fputc(' ', tree->out);
    tree->filled[tree->depth] = true;
    if (key != NULL) {
        json_quote(tree->out, key);
        fputs(tree->is_compact ? ":" : ": ", tree->out);
    }
}

static void json_begin(struct value_tree *tree, const char *key, bool list)
{
    put_key(tree, key);
    fputc(list ? '[' : '{', tree->out);
    tree->depth++;
    tree->filled[tree->depth] = false;
    tree->list[tree->depth] = list;
}

static void json_end(struct value_tree *tree)
{
    fputc(tree->list[tree->depth] ? ']' : '}', tree->out);
    tree->depth--;
}

static void json_value(struct value_tree *tree, const char *key, const char *text, bool quoted)
{
    put_key(tree, key);
    if (quoted)
        json_quote(tree->out, text);
    else
        fputs(text[0] != '\0' ? text : "null", tree->out);
}

static const struct value_tree_form json_form = {json_begin, json_end, json_value};

static int write_tree(struct value_tree tree, value_tree_writer *write, const void *data)
{
    value_tree_object(&tree, NULL);
    write(&tree, data);
    value_tree_end(&tree);
    return tree.no_memory ? -ENOMEM : 0;
}

int value_tree_write_json(FILE *out, value_tree_writer *write, const void *data)
{
    const int status = write_tree((struct value_tree){.out = out, .form = &json_form}, write, data);
    fputc('\n', out);
    return status;
}

int value_tree_write_compact_json(FILE *out, value_tree_writer *write, const void *data)
{
    return write_tree((struct value_tree){.out = out, .form = &json_form, .is_compact = true}, write, data);
}

void value_tree_object(struct value_tree *tree, const char *key)
{
    tree->form->begin(tree, key, false);
}

void value_tree_list(struct value_tree *tree, const char *key)
{
    tree->form->begin(tree, key, true);
}

void value_tree_end(struct value_tree *tree)
{
    tree->form->end(tree);
}

bool value_tree_item(struct value_tree *tree, const char *key, uint64_t item, uint64_t count)
{
    if (item == 0)
        value_tree_list(tree, key);
    if (item >= count)
        value_tree_end(tree);
    return item < count;
}

bool value_tree_row(struct value_tree *tree, const char *key, uint64_t row, uint64_t count)
{
    if (row > 0)
        value_tree_end(tree);
    if (!value_tree_item(tree, key, row, count))
        return false;
    value_tree_object(tree, NULL);
    return true;
}

void value_tree_text(struct value_tree *tree, const char *key, const char *text)
{
    tree->form->value(tree, key, text != NULL ? text : "", text != NULL);
}

void value_tree_count(struct value_tree *tree, const char *key, uint64_t count)
{
    char text[NUMBER_BYTES];
    (void)snprintf(text, sizeof(text), "%" PRIu64, count);
    tree->form->value(tree, key, text, false);
}

void value_tree_integer(struct value_tree *tree, const char *key, int64_t number)
{
    char text[NUMBER_BYTES];
    (void)snprintf(text, sizeof(text), "%" PRId64, number);
    tree->form->value(tree, key, text, false);
}

void value_tree_number(struct value_tree *tree, const char *key, double number)
{
    const double max = 1e18;
    char text[NUMBER_BYTES] = "";
    if (isfinite(number) && fabs(number) < max) {
        (void)snprintf(text, sizeof(text), "%.9f", number);
        size_t length = strlen(text);
        while (text[length - 1] == '0')
            length--;
        text[text[length - 1] == '.' ? length - 1 : length] = '\0';
    }
    tree->form->value(tree, key, text, false);
}

/* Adds a number with `digits` significant digits; null if it is not finite. */
static void add_rounded(struct value_tree *tree, const char *key, double number, int digits)
{
    char text[NUMBER_BYTES] = "";
    if (isfinite(number))
        (void)snprintf(text, sizeof(text), "%.*g", digits, number);
    tree->form->value(tree, key, text, false);
}

void value_tree_real(struct value_tree *tree, const char *key, double number)
{
    add_rounded(tree, key, number, 9);
}

void value_tree_exact(struct value_tree *tree, const char *key, double number)
{
    add_rounded(tree, key, number, 15);
}

enum { NAME_BYTES = 128 };
static const char summary[] = "summary";

struct value_tree_csv {
    bool learning;               /* first pass: collects the columns, writes nothing */
    struct omptape_rows columns; /* column names in the order of their first use */
    char **cells;                /* cells of the current row */
    bool row;                    /* the current row has values */
    const char *section;
    char prefix[NAME_BYTES]; /* for objects within a row: "efficiency." */
};

static void put_cell(FILE *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        fputc('"', out);
    while (*text != '\0') {
        size_t bytes = 0;
        const char *one = omptape_utf8_replace(&text, &bytes);
        if (*one == '"')
            fputc('"', out);
        fwrite(one, 1, bytes, out);
    }
    if (quoted)
        fputc('"', out);
}

static void end_row(struct value_tree *tree)
{
    struct value_tree_csv *csv = tree->csv;
    if (!csv->row)
        return;
    csv->row = false;
    if (csv->learning)
        return;
    put_cell(tree->out, csv->section);
    for (uint32_t i = 0; i < csv->columns.count; i++) {
        fputc(',', tree->out);
        if (csv->cells[i] != NULL)
            put_cell(tree->out, csv->cells[i]);
        free(csv->cells[i]);
        csv->cells[i] = NULL;
    }
    fputs("\r\n", tree->out);
}

/* Appends to a cell: the items of a list within a row are separated by blanks. */
static void set_cell(struct value_tree *tree, uint32_t column, const char *text)
{
    char **cell = &tree->csv->cells[column];
    char *longer = NULL;
    if (*cell != NULL && asprintf(&longer, "%s %s", *cell, text) < 0)
        longer = NULL;
    else if (*cell == NULL)
        longer = strdup(text);
    if (longer == NULL) {
        tree->no_memory = true;
        return;
    }
    free(*cell);
    *cell = longer;
}

static void csv_value(struct value_tree *tree, const char *key, const char *text, bool quoted)
{
    (void)quoted;
    struct value_tree_csv *csv = tree->csv;
    char name[2 * NAME_BYTES];
    bool alone = tree->depth == 2 && tree->list[2]; /* a row of one text */
    if (alone)
        end_row(tree);
    (void)snprintf(name, sizeof(name), "%s%s", csv->prefix, key != NULL ? key : alone ? "text" : "");
    uint32_t column = omptape_rows_text(&csv->columns, name);
    tree->no_memory = tree->no_memory || csv->columns.failed;
    csv->row = true;
    if (!csv->learning && text[0] != '\0' && !tree->no_memory)
        set_cell(tree, column, text);
}

/* Depth 1 is the root, depth 2 a list or an object of the root, and depth 3 a row of a list. */
static void csv_begin(struct value_tree *tree, const char *key, bool list)
{
    struct value_tree_csv *csv = tree->csv;
    size_t length = strlen(csv->prefix);
    if (tree->depth == 1 && list)
        end_row(tree);
    if (tree->depth == 1 && list)
        csv->section = key;
    else if (key != NULL)
        (void)snprintf(csv->prefix + length, sizeof(csv->prefix) - length, "%s%s", key, list ? "" : ".");
    tree->depth++;
    tree->list[tree->depth] = list;
}

/* Removes the last part of the prefix: "a.b." becomes "a.", "a.list" becomes "a.". */
static void shorten_prefix(char *prefix)
{
    size_t length = strlen(prefix);
    if (length > 0)
        length--;
    while (length > 0 && prefix[length - 1] != '.')
        length--;
    prefix[length] = '\0';
}

static void csv_end(struct value_tree *tree)
{
    struct value_tree_csv *csv = tree->csv;
    bool of_section = tree->depth == 2 && tree->list[2];
    bool row = tree->depth == 3 && tree->list[2];
    if (of_section || row || tree->depth == 1)
        end_row(tree);
    else
        shorten_prefix(csv->prefix);
    if (of_section)
        csv->section = summary;
    tree->depth--;
}

static const struct value_tree_form csv_form = {csv_begin, csv_end, csv_value};

static void write_once(struct value_tree *tree, value_tree_writer *write, const void *data)
{
    tree->csv->section = summary;
    value_tree_object(tree, NULL);
    write(tree, data);
    value_tree_end(tree);
}

int value_tree_write_csv(FILE *out, value_tree_writer *write, const void *data)
{
    struct value_tree_csv csv = {.learning = true};
    struct value_tree tree = {.out = out, .form = &csv_form, .csv = &csv};
    write_once(&tree, write, data);
    csv.learning = false;
    csv.cells = calloc(csv.columns.count + 1, sizeof(*csv.cells));
    tree.no_memory = tree.no_memory || csv.cells == NULL;
    if (!tree.no_memory) {
        fputs("section", out);
        for (uint32_t i = 0; i < csv.columns.count; i++) {
            fputc(',', out);
            put_cell(out, omptape_rows_text_at(&csv.columns, i));
        }
        fputs("\r\n", out);
        write_once(&tree, write, data);
    }
    for (uint32_t i = 0; csv.cells != NULL && i < csv.columns.count; i++)
        free(csv.cells[i]);
    free(csv.cells);
    omptape_rows_free(&csv.columns);
    return tree.no_memory ? -ENOMEM : 0;
}
