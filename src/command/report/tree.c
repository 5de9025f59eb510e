/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is common to the forms of a tree, and JSON (tree.h).
 */
#include "src/command/report/tree.h"

#include "src/command/text/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

/* What comes before a value: a comma, a line for what is not deep within, its name. */
static void put_key(struct report_tree *tree, const char *key)
{
    enum { LINES = 2 };
    if (tree->depth == 0)
        return;
    if (tree->filled[tree->depth])
        fputc(',', tree->out);
    if (tree->depth <= LINES)
        fprintf(tree->out, "\n%*s", (int)tree->depth, "");
    else if (tree->filled[tree->depth])
        fputc(' ', tree->out);
    tree->filled[tree->depth] = true;
    if (key != NULL) {
        omptape_json_quote(tree->out, key);
        fputs(": ", tree->out);
    }
}

static void json_begin(struct report_tree *tree, const char *key, bool list)
{
    put_key(tree, key);
    fputc(list ? '[' : '{', tree->out);
    tree->depth++;
    tree->filled[tree->depth] = false;
    tree->list[tree->depth] = list;
}

static void json_end(struct report_tree *tree)
{
    fputc(tree->list[tree->depth] ? ']' : '}', tree->out);
    tree->depth--;
}

static void json_value(struct report_tree *tree, const char *key, const char *text, bool quoted)
{
    put_key(tree, key);
    if (quoted)
        omptape_json_quote(tree->out, text);
    else
        fputs(text[0] != '\0' ? text : "null", tree->out);
}

static const struct report_tree_form json_form = {json_begin, json_end, json_value};

int report_tree_write_json(FILE *out, report_teller *tell, const void *data)
{
    struct report_tree tree = {.out = out, .form = &json_form};
    report_tree_object(&tree, NULL);
    tell(&tree, data);
    report_tree_end(&tree);
    fputc('\n', out);
    return tree.no_memory ? -ENOMEM : 0;
}

void report_tree_object(struct report_tree *tree, const char *key)
{
    tree->form->begin(tree, key, false);
}

void report_tree_list(struct report_tree *tree, const char *key)
{
    tree->form->begin(tree, key, true);
}

void report_tree_end(struct report_tree *tree)
{
    tree->form->end(tree);
}

void report_tree_text(struct report_tree *tree, const char *key, const char *text)
{
    tree->form->value(tree, key, text, true);
}

void report_tree_count(struct report_tree *tree, const char *key, uint64_t count)
{
    char text[NUMBER_BYTES];
    (void)snprintf(text, sizeof(text), "%" PRIu64, count);
    tree->form->value(tree, key, text, false);
}

void report_tree_integer(struct report_tree *tree, const char *key, int64_t number)
{
    char text[NUMBER_BYTES];
    (void)snprintf(text, sizeof(text), "%" PRId64, number);
    tree->form->value(tree, key, text, false);
}

void report_tree_number(struct report_tree *tree, const char *key, double number)
{
    const double most = 1e18;
    char text[NUMBER_BYTES] = "";
    if (isfinite(number) && fabs(number) < most) {
        (void)snprintf(text, sizeof(text), "%.9f", number);
        size_t length = strlen(text);
        while (text[length - 1] == '0')
            length--;
        text[text[length - 1] == '.' ? length - 1 : length] = '\0';
    }
    tree->form->value(tree, key, text, false);
}

void report_tree_null(struct report_tree *tree, const char *key)
{
    tree->form->value(tree, key, "", false);
}
