/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints where the bytes of an archive go. Called by sizes.c.
 */
#include "src/command/info/sizes_print.h"

#include "src/command/text/units.h"
#include "src/core/whole.h"

#include <stdlib.h>
#include <string.h>

const char *omptape_info_record_name(unsigned type)
{
    static char unknown[32];
    const char *name = omptape_reader_event_name(type);
    snprintf(unknown, sizeof(unknown), "record of type %u", type);
    return name != NULL ? name : unknown;
}

struct info_row {
    struct info_amount amount;
    const char *name;
    unsigned type; /* whose name it is, if `name` is NULL */
};

static int compare_rows(const void *left, const void *right)
{
    const struct info_row *one = left;
    const struct info_row *other = right;
    if (one->amount.bytes != other->amount.bytes)
        return one->amount.bytes > other->amount.bytes ? -1 : 1;
    return (one->type > other->type) - (one->type < other->type);
}

static void print_title(FILE *out, const char *title, const char *number)
{
    fprintf(out, "\n%s\n  %15s  %13s  %9s  %7s\n", title, "bytes", number, "bytes/one", "share");
}

/* Rows that stand for nothing countable have no number. */
static void print_row(FILE *out, struct info_amount amount, uint64_t whole, const char *name)
{
    char bytes[OMPTAPE_UNIT_BYTES];
    char number[OMPTAPE_UNIT_BYTES] = "";
    char each[OMPTAPE_UNIT_BYTES] = "";
    if (amount.number > 0) {
        omptape_units_count(amount.number, number);
        snprintf(each, sizeof(each), "%.2f", (double)amount.bytes / (double)amount.number);
    }
    fprintf(out, "  %15s  %13s  %9s  %5.1f %%  %s\n", omptape_units_count(amount.bytes, bytes), number, each,
            whole == 0 ? 0.0 : 100.0 * (double)amount.bytes / (double)whole, name);
}

static void print_rows(FILE *out, struct info_row *rows, size_t count, uint64_t whole)
{
    qsort(rows, count, sizeof(*rows), compare_rows);
    for (size_t i = 0; i < count; i++) {
        const char *name = rows[i].name != NULL ? rows[i].name : omptape_info_record_name(rows[i].type);
        print_row(out, rows[i].amount, whole, name);
    }
}

static struct info_amount all_events(const struct info_event_sizes *events)
{
    struct info_amount sum = {0};
    for (unsigned i = 0; i < INFO_SIZES_TYPES; i++) {
        sum.number += events->types[i].number;
        sum.bytes += events->types[i].bytes;
    }
    return sum;
}

static void print_types(const struct info_sizes *sizes, FILE *out)
{
    struct info_row rows[INFO_SIZES_TYPES];
    size_t count = 0;
    const struct info_event_sizes *events = &sizes->events;
    struct info_amount whole = {.number = all_events(events).number,
                                .bytes = sizes->files[INFO_FILE_EVENTS].bytes};
    for (unsigned i = 0; i < INFO_SIZES_TYPES; i++)
        if (events->types[i].number > 0)
            rows[count++] = (struct info_row){.amount = events->types[i], .type = i};
    print_title(out, "Event files, by kinds of records", "number");
    print_rows(out, rows, count, whole.bytes);
    print_row(out, events->times, whole.bytes, "time stamps (one where the time changes)");
    print_row(out, events->lists, whole.bytes, "attribute lists");
    print_row(out, (struct info_amount){.bytes = events->rest}, whole.bytes,
              "rest (chunk headers, ends of chunks)");
    print_row(out, whole, whole.bytes, "all event files, by events");
}

static void print_kinds(const struct info_sizes *sizes, FILE *out)
{
    struct info_row rows[INFO_SIZES_KINDS];
    size_t count = 0;
    for (unsigned i = 0; i < sizes->kind_count; i++) {
        if (sizes->events.kinds[i].bytes > 0) {
            rows[count++] =
                (struct info_row){.amount = sizes->events.kinds[i], .name = sizes->kind_names[i], .type = i};
        }
    }
    print_title(out, "Event files, by kinds of regions (with their time stamps and attributes)", "events");
    print_rows(out, rows, count, sizes->files[INFO_FILE_EVENTS].bytes);
}

static uint64_t print_files(const struct info_sizes *sizes, FILE *out)
{
    static const char *const names[INFO_FILE_CLASSES] = {
        [INFO_FILE_EVENTS] = "events",
        [INFO_FILE_LOCAL_DEFINITIONS] = "definitions of single locations",
        [INFO_FILE_DEFINITIONS] = "definitions",
        [INFO_FILE_MARKERS] = "markers",
        [INFO_FILE_ANCHOR] = "anchor file, with the properties",
        [INFO_FILE_OTHER] = "other files",
    };
    struct info_amount whole = omptape_info_all_files(sizes->files);
    print_title(out, "Files", "files");
    for (unsigned i = 0; i < INFO_FILE_CLASSES; i++)
        if (sizes->files[i].number > 0)
            print_row(out, sizes->files[i], whole.bytes, names[i]);
    print_row(out, whole, whole.bytes, "total");
    return whole.bytes;
}

/* What the archive has beyond what libotf2 takes for these events with their times and attributes. */
static void print_comparison(const struct info_sizes *sizes, uint64_t total, FILE *out)
{
    char bytes[OMPTAPE_UNIT_BYTES];
    const struct info_event_sizes *events = &sizes->events;
    struct info_amount all = all_events(events);
    uint64_t least = omptape_minus(all.bytes + events->lists.bytes + events->times.bytes, events->needless);
    if (all.number == 0) {
        fprintf(out, "\nNo events.\n");
        return;
    }
    fprintf(out, "\nOTF2's own encoding of these events: %s bytes, %.2f an event;\n",
            omptape_units_count(least, bytes), (double)least / (double)all.number);
    fprintf(out, "the event files have %s (%.4f times that), ",
            omptape_units_count(sizes->files[INFO_FILE_EVENTS].bytes, bytes),
            (double)sizes->files[INFO_FILE_EVENTS].bytes / (double)least);
    fprintf(out, "the archive %s (%.4f).\n", omptape_units_count(total, bytes),
            (double)total / (double)least);
}

void omptape_info_print_sizes(const struct info_sizes *sizes, struct omptape_reader *reader, FILE *out)
{
    fprintf(out, "  Archive        %s\n", omptape_reader_path(reader));
    uint64_t total = print_files(sizes, out);
    print_types(sizes, out);
    print_kinds(sizes, out);
    print_comparison(sizes, total, out);
}
