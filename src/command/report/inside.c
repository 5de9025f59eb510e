/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape report --inside PLACE`: prints the call tree and the functions of a construct or serial
 * part, by samples. Also writes them as numbers. Called by report.c and numbers.c.
 */
#include "src/analysis/findings/inside.h"
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"

#include "src/core/sort.h"
#include "src/core/words.h"

#include <errno.h>
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 512, MAX_INDENT = 24, INVERSE_MIN_SHARE = 100, DEFAULT_FUNCTIONS = 10, NUMBERS = 18 };

/* A function below its caller, or a function at a place. */
struct function_sum {
    const struct analysis_sampled *place; /* one of its rows */
    struct omptape_inside_frame frame;    /* with the line of the first row */
    uint64_t parent;                      /* in a tree: number of the calling node, 0 if none */
    uint64_t number;                      /* in a tree: number of the node, from 1 */
    uint64_t inclusive;                   /* samples at work */
    uint64_t exclusive;                   /* part of these in the function itself */
    uint64_t asleep;                      /* looks that found the thread asleep, inclusive */
    uint64_t row;                         /* last row that was added, plus 1 */
};

/* Sums with two keys; the second one is a name's number. */
struct function_sums {
    struct omptape_pairs sums;
    struct omptape_rows names;
};

/* Lists the contexts of a path, innermost first. Returns their number. */
static uint32_t list_path(const struct omptape_reader *reader, const struct omptape_definition *context,
                          const struct omptape_definition **path)
{
    uint32_t count = 0;
    for (; context != NULL && count < MAX_FRAMES; context = omptape_inside_caller(reader, context))
        path[count++] = context;
    return count;
}

/* Returns true if the row belongs to the place. For a construct all constructs at its line match. */
static bool is_at(const struct analysis_sampled *row, const struct analysis_sampled *place)
{
    return place->serial == NULL && place->thread == NULL
               ? row->serial == NULL && row->thread == NULL &&
                     omptape_inside_is_beside(row->region, place->region)
               : omptape_inside_is_at(row, place);
}

/* Returns the sum of a function below the node or place `at`, created if necessary; NULL if out of memory. */
static struct function_sum *obtain(struct function_sums *sums, uint64_t at,
                                   const struct omptape_inside_frame *frame)
{
    char text[2 * SCREEN_TEXT_BYTES];
    (void)snprintf(text, sizeof(text), "%s\n%s", frame->function != NULL ? frame->function : "",
                   frame->module);
    struct function_sum *sum = omptape_pairs_obtain(&sums->sums, &sums->names.arena, at,
                                                    omptape_rows_text(&sums->names, text), sizeof(*sum));
    if (sum == NULL || sums->names.failed)
        return NULL;
    if (sum->frame.function == NULL) {
        sum->frame = *frame;
        sum->frame.function = frame->function != NULL ? frame->function : "";
        sum->parent = at;
        sum->number = sums->sums.count;
    }
    return sum;
}

/* Adds a row to a function's sum. A recursive function counts once for each path. */
static void count(struct function_sum *sum, const struct analysis_sampled *row, uint64_t number, bool is_last)
{
    const uint64_t samples = row->count - row->waiting;
    if (sum->row != number + 1) {
        sum->inclusive += samples;
        sum->asleep += row->blocked;
    }
    sum->exclusive += is_last ? samples : 0;
    sum->row = number + 1;
}

/* Adds a row to its path below node 0, or to the functions of a place `at` other than 0. False: no memory. */
static bool add_row(struct function_sums *sums, const struct omptape_reader *reader,
                    const struct analysis_sampled *row, uint64_t number, uint64_t at)
{
    const struct omptape_definition *path[MAX_FRAMES];
    const uint32_t frames = list_path(reader, row->context, path);
    uint64_t node = at;
    for (uint32_t i = frames; i > 0; i--) {
        const struct omptape_inside_frame frame = omptape_inside_frame(reader, path[i - 1]);
        struct function_sum *sum = obtain(sums, node, &frame);
        if (sum == NULL)
            return false;
        sum->place = row;
        count(sum, row, number, i == 1);
        node = at == 0 ? sum->number : at;
    }
    return true;
}

static void free_sums(struct function_sums *sums)
{
    omptape_pairs_free(&sums->sums);
    omptape_rows_free(&sums->names);
}

static int compare(const void *left, const void *right)
{
    const struct function_sum *one = *(const struct function_sum *const *)left;
    const struct function_sum *other = *(const struct function_sum *const *)right;
    const uint64_t sum = one->inclusive + one->asleep;
    const uint64_t other_sum = other->inclusive + other->asleep;
    if (one->parent != other->parent)
        return one->parent > other->parent ? 1 : -1;
    if (sum != other_sum)
        return sum > other_sum ? -1 : 1;
    return one->number > other->number ? 1 : -1;
}

static int compare_exclusive(const void *left, const void *right)
{
    const struct function_sum *one = *(const struct function_sum *const *)left;
    const struct function_sum *other = *(const struct function_sum *const *)right;
    if (one->exclusive != other->exclusive)
        return one->exclusive > other->exclusive ? -1 : 1;
    return compare(left, right);
}

/* Returns all sums sorted; the caller frees the list. Returns NULL if out of memory. */
static struct function_sum **sort(const struct function_sums *sums,
                                  int (*how)(const void *left, const void *right))
{
    struct function_sum **list = calloc((size_t)sums->sums.count + 1, sizeof(struct function_sum *));
    for (uint32_t i = 0; list != NULL && i < sums->sums.count; i++)
        list[i] = sums->sums.list[i].value;
    if (list != NULL && sums->sums.count > 0)
        omptape_sort(list, sums->sums.count, sizeof(struct function_sum *), how);
    return list;
}

/* Writes a share, "61 %", or the number if there are few samples. */
static struct units_text share_text(uint64_t part, uint64_t whole)
{
    struct units_text share = {"-"};
    if (part > 0 && whole < OMPTAPE_INSIDE_FEW)
        (void)snprintf(share.text, sizeof(share.text), "%" PRIu64, part);
    else if (part > 0)
        (void)snprintf(share.text, sizeof(share.text), "%.0f %%", 100 * (double)part / (double)whole);
    return share;
}

static void describe(const struct omptape_inside_frame *frame, char *text, size_t bytes)
{
    char name[SCREEN_TEXT_BYTES / 2];
    omptape_inside_plain_name(frame->function, name, sizeof(name));
    if (frame->is_own && frame->line > 0)
        (void)snprintf(text, bytes, "%s @%s:%u", name, omptape_base_name(frame->file), frame->line);
    else if (frame->module[0] != '\0' && !frame->is_own)
        (void)snprintf(text, bytes, "%s (%s)", name, omptape_base_name(frame->module));
    else
        (void)snprintf(text, bytes, "%s", name);
}

/* Data of a printed tree: nodes sorted by parent, and the sums of the place. */
struct tree_print {
    const struct report *report;
    struct function_sum **nodes;
    uint32_t count;
    uint64_t samples;
    uint64_t asleep;
};

static void print_node(const struct tree_print *print, const struct function_sum *node, unsigned depth)
{
    const struct screen *screen = &print->report->screen;
    const unsigned indent = depth < MAX_INDENT ? depth : MAX_INDENT;
    char line[2 * SCREEN_TEXT_BYTES];
    char cut[SCREEN_TEXT_BYTES];
    describe(&node->frame, line, sizeof(line));
    const unsigned width = screen->width > NUMBERS + 1 + indent ? screen->width - NUMBERS - 1 - indent : 1;
    fprintf(screen->out, "%5s %5s %6s %*s%s\n", share_text(node->inclusive, print->samples).text,
            share_text(node->exclusive, print->samples).text, share_text(node->asleep, print->asleep).text,
            (int)indent, "", screen_shorten(line, width, cut));
}

/* Returns the index of the first node with this parent, or `count`. */
static uint32_t find_children(const struct tree_print *print, uint64_t parent)
{
    uint32_t low = 0;
    uint32_t high = print->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (print->nodes[middle]->parent < parent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void print_children(const struct tree_print *print, uint64_t parent, unsigned depth)
{
    const uint64_t all = print->samples + print->asleep;
    for (uint32_t i = find_children(print, parent); i < print->count && depth < MAX_FRAMES; i++) {
        const struct function_sum *node = print->nodes[i];
        if (node->parent != parent)
            break;
        const bool small = (node->inclusive + node->asleep) * INVERSE_MIN_SHARE < all;
        if (node->inclusive + node->asleep == 0 || (small && !print->report->all))
            continue;
        print_node(print, node, depth);
        print_children(print, node->number, depth + 1);
    }
}

static bool print_tree(const struct tree_print *plan, const struct function_sums *tree)
{
    struct tree_print print = *plan;
    const struct screen *screen = &print.report->screen;
    print.nodes = sort(tree, compare);
    print.count = tree->sums.count;
    if (print.nodes == NULL)
        return false;
    fputc('\n', screen->out);
    screen_styled(screen, SCREEN_TITLE, " incl  excl asleep function and what it calls");
    fputc('\n', screen->out);
    print_children(&print, 0, 0);
    free(print.nodes);
    return true;
}

static bool print_functions(const struct tree_print *plan, const struct function_sums *functions)
{
    const struct screen *screen = &plan->report->screen;
    const uint32_t max = plan->report->all ? UINT32_MAX : DEFAULT_FUNCTIONS;
    struct function_sum **list = sort(functions, compare_exclusive);
    if (list == NULL)
        return false;
    fputc('\n', screen->out);
    screen_styled(screen, SCREEN_TITLE, " incl  excl asleep function, by samples of its own");
    fputc('\n', screen->out);
    for (uint32_t i = 0; i < functions->sums.count && i < max; i++)
        if (list[i]->exclusive > 0)
            print_node(plan, list[i], 0);
    free(list);
    return true;
}

/* Prints one construct, serial part, or group of threads with one name. Returns 0 or -ENOMEM. */
static int print_place(const struct report *report, const char *name, const struct analysis_sampled *place)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct function_sums tree = {.sums = {.count = 0}};
    struct function_sums functions = {.sums = {.count = 0}};
    struct tree_print print = {.report = report};
    uint64_t waiting = 0;
    bool good = true;
    for (uint32_t i = 0; i < analysis->sampled_count && good; i++) {
        const struct analysis_sampled *row = analysis->sampled[i];
        if (!is_at(row, place))
            continue;
        waiting += row->waiting;
        print.samples += row->count - row->waiting;
        print.asleep += row->blocked;
        if (row->count > row->waiting || row->blocked > 0)
            good = add_row(&tree, analysis->reader, row, i, 0) &&
                   add_row(&functions, analysis->reader, row, i, 1);
    }
    const bool by_signal = omptape_reader_property_of(analysis->reader, -1, OMPTAPE_KEY_SAMPLED_BY) != NULL;
    screen_paragraph(&report->screen, 2,
                     "%s: %" PRIu64 " samples of threads at work%s%s; %" PRIu64
                     " looks found a thread asleep; %" PRIu64
                     " samples in waits of OpenMP or MPI are left out",
                     name, print.samples, print.samples < OMPTAPE_INSIDE_TOO_FEW ? " (too few to tell)" : "",
                     by_signal ? ", by a signal to each" : "", print.asleep, waiting);
    if (print.samples + print.asleep > 0)
        good = good && print_tree(&print, &tree) && print_functions(&print, &functions);
    free_sums(&tree);
    free_sums(&functions);
    return good ? 0 : -ENOMEM;
}

/* Copies text without its blanks. */
static void squeeze(const char *text, char *squeezed, size_t bytes)
{
    size_t used = 0;
    for (; *text != '\0' && used + 1 < bytes; text++)
        if (*text != ' ')
            squeezed[used++] = *text;
    squeezed[used] = '\0';
}

/* Returns true if `typed` is the place's name or its part from '@' on. A number at the end may be missing. */
static bool is_called(const char *name, const char *typed)
{
    char one[SCREEN_TEXT_BYTES];
    char other[SCREEN_TEXT_BYTES];
    squeeze(name, one, sizeof(one));
    squeeze(typed, other, sizeof(other));
    const char *site = other[0] == '@' ? strchr(one, '@') : one;
    const size_t length = strlen(other);
    return site != NULL && strncmp(site, other, length) == 0 && strspn(site + length, "0123456789") == 0;
}

static bool is_region_called(const struct analysis_region *region, const char *typed)
{
    return is_called(region->shown, typed) || is_called(region->label, typed);
}

/* Returns true if an earlier region with a matching name has the same samples. */
static bool is_beside_another(const struct report *report, uint32_t number)
{
    const struct omptape_analysis *analysis = report->analysis;
    for (uint32_t i = 0; i < number; i++)
        if (is_region_called(analysis->regions[i], report->inside) &&
            omptape_inside_is_beside(analysis->regions[i], analysis->regions[number]))
            return true;
    return false;
}

static void name_serial(const struct analysis_serial *serial, char *text, size_t bytes)
{
    const struct omptape_finding finding = {
        .kind = OMPTAPE_FINDING_SERIAL, .region = serial->after, .before = serial->before, .serial = serial};
    (void)report_place(&finding, text, bytes);
}

int report_print_inside(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    char name[2 * SCREEN_TEXT_BYTES];
    uint32_t found = 0;
    int status = 0;
    for (uint32_t i = 0; i < analysis->region_count && status == 0; i++) {
        const struct analysis_region *region = analysis->regions[i];
        if (!is_region_called(region, report->inside) || is_beside_another(report, i))
            continue;
        fputs(found++ > 0 ? "\n" : "", report->screen.out);
        status = print_place(report, region->shown, &(struct analysis_sampled){.region = region});
    }
    for (uint32_t i = 0; i < analysis->serial_count && status == 0 && report->inside[0] != '@'; i++) {
        name_serial(analysis->serials[i], name, sizeof(name));
        if (!is_called(name, report->inside))
            continue;
        fputs(found++ > 0 ? "\n" : "", report->screen.out);
        status = print_place(report, name, &(struct analysis_sampled){.serial = analysis->serials[i]});
    }
    /* Threads have the program's name unless they are given another one, as the program's region has. */
    for (uint32_t i = 0; i < analysis->sampled_count && status == 0; i++) {
        const char *thread = analysis->sampled[i]->thread;
        if (thread == NULL || strcmp(thread, report->inside) != 0)
            continue;
        fputs(found++ > 0 ? "\n" : "", report->screen.out);
        status = print_place(report, thread, &(struct analysis_sampled){.thread = thread});
        break;
    }
    if (found == 0)
        status = -ENOENT;
    return status;
}

static void write_function(struct value_tree *tree, const struct function_sum *sum)
{
    report_write_sampled_place(tree, sum->place);
    value_tree_text(tree, "in_function", sum->frame.function);
    value_tree_text(tree, "in_file", sum->frame.file);
    value_tree_text(tree, "in_module", sum->frame.module);
    value_tree_count(tree, "exclusive", sum->exclusive);
    value_tree_count(tree, "inclusive", sum->inclusive);
    value_tree_count(tree, "asleep", sum->asleep);
}

/* Returns the number of the row's place, from 1. */
static uint64_t number_place(struct omptape_rows *places, const struct analysis_sampled *row)
{
    const void *const key[] = {row->region, row->serial, row->thread};
    return 1 + (uint64_t)omptape_rows_number(places, key, sizeof(key));
}

void report_write_functions(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    struct function_sums functions = {.sums = {.count = 0}};
    struct omptape_rows places = {0};
    bool good = true;
    for (uint32_t i = 0; i < analysis->sampled_count && good; i++)
        good = add_row(&functions, analysis->reader, analysis->sampled[i], i,
                       number_place(&places, analysis->sampled[i]));
    struct function_sum **list = good ? sort(&functions, compare) : NULL;
    tree->no_memory |= list == NULL;
    for (uint32_t i = 0; value_tree_row(tree, "functions", i, list != NULL ? functions.sums.count : 0); i++)
        write_function(tree, list[i]);
    free(list);
    omptape_rows_free(&places);
    free_sums(&functions);
}
