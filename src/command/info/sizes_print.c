/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints where the bytes of an archive go. Called by sizes.c in the child process.
 */
#include "src/command/info/sizes.h"

#include "src/command/text/units.h"

#include <stdlib.h>
#include <string.h>

/* The names of OTF2 3.0's event records, by their type byte. */
static const char *const record_names[] = {
    [10] = "BufferFlush",
    [11] = "MeasurementOnOff",
    [12] = "Enter",
    [13] = "Leave",
    [14] = "MpiSend",
    [15] = "MpiIsend",
    [16] = "MpiIsendComplete",
    [17] = "MpiIrecvRequest",
    [18] = "MpiRecv",
    [19] = "MpiIrecv",
    [20] = "MpiRequestTest",
    [21] = "MpiRequestCancelled",
    [22] = "MpiCollectiveBegin",
    [23] = "MpiCollectiveEnd",
    [24] = "OmpFork",
    [25] = "OmpJoin",
    [26] = "OmpAcquireLock",
    [27] = "OmpReleaseLock",
    [28] = "OmpTaskCreate",
    [29] = "OmpTaskSwitch",
    [30] = "OmpTaskComplete",
    [31] = "Metric",
    [32] = "ParameterString",
    [33] = "ParameterInt",
    [34] = "ParameterUnsignedInt",
    [35] = "RmaWinCreate",
    [36] = "RmaWinDestroy",
    [37] = "RmaCollectiveBegin",
    [38] = "RmaCollectiveEnd",
    [39] = "RmaGroupSync",
    [40] = "RmaRequestLock",
    [41] = "RmaAcquireLock",
    [42] = "RmaTryLock",
    [43] = "RmaReleaseLock",
    [44] = "RmaSync",
    [45] = "RmaWaitChange",
    [46] = "RmaPut",
    [47] = "RmaGet",
    [48] = "RmaAtomic",
    [49] = "RmaOpCompleteBlocking",
    [50] = "RmaOpCompleteNonBlocking",
    [51] = "RmaOpTest",
    [52] = "RmaOpCompleteRemote",
    [53] = "ThreadFork",
    [54] = "ThreadJoin",
    [55] = "ThreadTeamBegin",
    [56] = "ThreadTeamEnd",
    [57] = "ThreadAcquireLock",
    [58] = "ThreadReleaseLock",
    [59] = "ThreadTaskCreate",
    [60] = "ThreadTaskSwitch",
    [61] = "ThreadTaskComplete",
    [62] = "ThreadCreate",
    [63] = "ThreadBegin",
    [64] = "ThreadWait",
    [65] = "ThreadEnd",
    [66] = "CallingContextEnter",
    [67] = "CallingContextLeave",
    [68] = "CallingContextSample",
    [69] = "IoCreateHandle",
    [70] = "IoDestroyHandle",
    [71] = "IoDuplicateHandle",
    [72] = "IoSeek",
    [73] = "IoChangeStatusFlags",
    [74] = "IoDeleteFile",
    [75] = "IoOperationBegin",
    [76] = "IoOperationTest",
    [77] = "IoOperationIssued",
    [78] = "IoOperationComplete",
    [79] = "IoOperationCancelled",
    [80] = "IoAcquireLock",
    [81] = "IoReleaseLock",
    [82] = "IoTryLock",
    [83] = "ProgramBegin",
    [84] = "ProgramEnd",
    [85] = "NonBlockingCollectiveRequest",
    [86] = "NonBlockingCollectiveComplete",
    [87] = "CommCreate",
    [88] = "CommDestroy",
};

const char *omptape_info_record_name(unsigned type)
{
    static char unknown[32];
    if (type < sizeof(record_names) / sizeof(record_names[0]) && record_names[type] != NULL)
        return record_names[type];
    snprintf(unknown, sizeof(unknown), "record of type %u", type);
    return unknown;
}

struct row {
    struct info_amount amount;
    const char *name;
    unsigned type; /* whose name it is, if `name` is NULL */
};

static int compare_rows(const void *left, const void *right)
{
    const struct row *one = left;
    const struct row *other = right;
    if (one->amount.bytes != other->amount.bytes)
        return one->amount.bytes > other->amount.bytes ? -1 : 1;
    return (one->type > other->type) - (one->type < other->type);
}

static void print_title(FILE *out, const char *title, const char *number)
{
    fprintf(out, "\n%s\n  %15s  %13s  %9s  %6s\n", title, "bytes", number, "bytes/one", "share");
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
    fprintf(out, "  %15s  %13s  %9s  %5.1f%%  %s\n", omptape_units_count(amount.bytes, bytes), number, each,
            whole == 0 ? 0.0 : 100.0 * (double)amount.bytes / (double)whole, name);
}

static void print_rows(FILE *out, struct row *rows, size_t count, uint64_t whole)
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
    struct row rows[INFO_SIZES_TYPES];
    size_t count = 0;
    const struct info_event_sizes *events = &sizes->events;
    struct info_amount whole = {.number = all_events(events).number,
                                .bytes = sizes->files[INFO_FILE_EVENTS].bytes};
    for (unsigned i = 0; i < INFO_SIZES_TYPES; i++)
        if (events->types[i].number > 0)
            rows[count++] = (struct row){.amount = events->types[i], .type = i};
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
    struct row rows[INFO_SIZES_KINDS];
    size_t count = 0;
    for (unsigned i = 0; i < sizes->kind_count; i++) {
        if (sizes->events.kinds[i].bytes > 0) {
            rows[count++] =
                (struct row){.amount = sizes->events.kinds[i], .name = sizes->kind_names[i], .type = i};
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
    struct info_amount whole = {0};
    for (unsigned i = 0; i < INFO_FILE_CLASSES; i++) {
        whole.number += sizes->files[i].number;
        whole.bytes += sizes->files[i].bytes;
    }
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
    uint64_t least = all.bytes + events->lists.bytes + events->times.bytes - events->needless;
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

void omptape_info_print_sizes(const struct info_sizes *sizes, const struct omptape_reader *reader, FILE *out)
{
    fprintf(out, "  Archive        %s\n", reader->anchor);
    uint64_t total = print_files(sizes, out);
    print_types(sizes, out);
    print_kinds(sizes, out);
    print_comparison(sizes, total, out);
}
