/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape info --sizes`: lists all files of an archive and walks through the event files. Region
 * numbers are translated by each location's mapping tables.
 */
#include "src/archive/read/local.h"
#include "src/archive/read/regions.h"
#include "src/command/info/sizes_walk.h"
#include "src/command/info/state.h"
#include "src/command/text/units.h"
#include "src/core/message.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CACHED_REGIONS = 1024 };

/* State for resolving the region references of one location's event file. */
struct info_references {
    struct info_sizes *sizes;
    const struct omptape_reader *reader;
    const struct omptape_local *local;
    struct {
        bool known;
        uint32_t region;
        unsigned kind;
    } cache[CACHED_REGIONS];
};

struct info_sizes {
    struct info_event_sizes events;
    /* The class EVENTS counts only files that were walked through. */
    struct info_amount files[INFO_FILE_CLASSES];
    char kind_names[INFO_SIZES_KINDS][40];
    unsigned kind_count;
};

const char *info_record_name(unsigned type)
{
    static char unknown[32];
    const char *name = omptape_reader_event_name(type);
    snprintf(unknown, sizeof(unknown), "record of type %u", type);
    return name != NULL ? name : unknown;
}

struct info_row {
    struct info_amount amount;
    const char *name;
    unsigned type; /* record type that gives the name if `name` is NULL */
};

static int compare_rows(const void *left, const void *right)
{
    const struct info_row *one = left;
    const struct info_row *other = right;
    const int order = omptape_order(other->amount.bytes, one->amount.bytes);
    return order != 0 ? order : omptape_order(one->type, other->type);
}

static void print_title(FILE *out, const char *title, const char *number)
{
    fprintf(out, "\n%s\n  %15s  %13s  %9s  %7s\n", title, "bytes", number, "bytes/one", "share");
}

/* Prints a row. The columns for number and average stay empty if the number is 0. */
static void print_row(FILE *out, struct info_amount amount, uint64_t whole, const char *name)
{
    char each[UNITS_TEXT_BYTES] = "";
    if (amount.number > 0)
        snprintf(each, sizeof(each), "%.2f", (double)amount.bytes / (double)amount.number);
    fprintf(out, "  %15s  %13s  %9s  %5.1f %%  %s\n", units_count(amount.bytes).text,
            amount.number > 0 ? units_count(amount.number).text : "", each,
            whole == 0 ? 0.0 : 100.0 * (double)amount.bytes / (double)whole, name);
}

static void print_rows(FILE *out, struct info_row *rows, size_t count, uint64_t whole)
{
    omptape_sort(rows, count, sizeof(*rows), compare_rows);
    for (size_t i = 0; i < count; i++) {
        const char *name = rows[i].name != NULL ? rows[i].name : info_record_name(rows[i].type);
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
    struct info_amount whole = info_all_files(sizes->files);
    print_title(out, "Files", "files");
    for (unsigned i = 0; i < INFO_FILE_CLASSES; i++)
        if (sizes->files[i].number > 0)
            print_row(out, sizes->files[i], whole.bytes, names[i]);
    print_row(out, whole, whole.bytes, "total");
    return whole.bytes;
}

/* Compares the archive's size with the size that libotf2's own encoding of the events would take. */
static void print_comparison(const struct info_sizes *sizes, uint64_t total, FILE *out)
{
    const struct info_event_sizes *events = &sizes->events;
    struct info_amount all = all_events(events);
    uint64_t min = omptape_minus(all.bytes + events->lists.bytes + events->times.bytes, events->needless);
    if (all.number == 0) {
        fprintf(out, "\nNo events.\n");
        return;
    }
    fprintf(out, "\nOTF2's own encoding of these events: %s bytes, %.2f an event;\n", units_count(min).text,
            (double)min / (double)all.number);
    fprintf(out, "the event files have %s (%.4f times that), ",
            units_count(sizes->files[INFO_FILE_EVENTS].bytes).text,
            (double)sizes->files[INFO_FILE_EVENTS].bytes / (double)min);
    fprintf(out, "the archive %s (%.4f).\n", units_count(total).text, (double)total / (double)min);
}

static void print_sizes(const struct info_sizes *sizes, struct omptape_reader *reader, FILE *out)
{
    fprintf(out, "  Archive        %s\n", omptape_reader_path(reader));
    uint64_t total = print_files(sizes, out);
    print_types(sizes, out);
    print_kinds(sizes, out);
    print_comparison(sizes, total, out);
}

/* Writes the region's construct: "parallel", "create task"; for others the role in parentheses. */
static void construct_of(const struct omptape_definition *definition, char *text, size_t bytes)
{
    static const char routine[] = "omp_";
    const struct reader_region *region = definition->region;
    char whole[256];
    if (!region->is_directive && !omptape_starts_with(region->label, routine)) {
        snprintf(text, bytes, "(%s)", info_role(definition->value[0]));
        return;
    }
    snprintf(whole, sizeof(whole), "%.*s", region->construct_bytes, region->label);
    omptape_cut_text(whole, text, bytes);
}

/* Returns the index of a kind's name, created at its first use. INFO_SIZES_OTHER if the table is full. */
static unsigned kind_of_name(struct info_sizes *sizes, const char *name)
{
    for (unsigned i = 0; i < sizes->kind_count; i++)
        if (strcmp(sizes->kind_names[i], name) == 0)
            return i;
    if (sizes->kind_count == INFO_SIZES_KINDS)
        return INFO_SIZES_OTHER;
    snprintf(sizes->kind_names[sizes->kind_count], sizeof(sizes->kind_names[0]), "%s", name);
    return sizes->kind_count++;
}

static unsigned look_up_kind(struct info_references *references, uint32_t region)
{
    char text[sizeof(references->sizes->kind_names[0])];
    uint64_t id = region;
    omptape_local_id(references->local, OTF2_MAPPING_REGION, &id);
    const struct omptape_definition *definition =
        omptape_reader_find(references->reader, OMPTAPE_DEF_REGION, id);
    if (definition == NULL)
        return INFO_SIZES_OTHER;
    construct_of(definition, text, sizeof(text));
    return kind_of_name(references->sizes, text);
}

static unsigned kind_of_region(void *data, uint32_t region)
{
    struct info_references *references = data;
    uint32_t place = region % CACHED_REGIONS;
    if (!references->cache[place].known || references->cache[place].region != region) {
        references->cache[place].known = true;
        references->cache[place].region = region;
        references->cache[place].kind = look_up_kind(references, region);
    }
    return references->cache[place].kind;
}

/* Walks through the location's event file, if there is one. Returns 0 or negative errno. */
static int walk_location(struct info_sizes *sizes, struct omptape_reader *reader, int folder,
                         uint64_t location, struct omptape_reader_progress *progress, char *error,
                         size_t error_bytes)
{
    char name[40];
    char what[160] = "";
    struct stat about;
    struct info_references *references = omptape_calloc(1, sizeof(*references));
    snprintf(name, sizeof(name), "%" PRIu64 ".evt", location);
    int file = omptape_beneath_open_file(folder, name);
    int status = references == NULL ? -ENOMEM : 0;
    if (status != 0 || file < 0 || fstat(file, &about) != 0)
        goto out;
    references->sizes = sizes;
    references->reader = reader;
    sizes->files[INFO_FILE_EVENTS].number++;
    sizes->files[INFO_FILE_EVENTS].bytes += (uint64_t)about.st_size;
    status = omptape_reader_read_local(reader, location, &references->local, error, error_bytes);
    if (status == 0) {
        status = info_walk_events(&sizes->events, file, (uint64_t)about.st_size, kind_of_region, references,
                                  progress, what, sizeof(what));
    }
    if (what[0] != '\0')
        snprintf(error, error_bytes, "the event file of location %" PRIu64 " is %s", location, what);
out:
    omptape_close(file);
    free(references);
    return status;
}

static int walk_locations(struct info_sizes *sizes, struct omptape_reader *reader, int folder,
                          struct omptape_reader_progress *progress, char *error, size_t error_bytes)
{
    int status = 0;
    for (const struct omptape_definition *definition = reader->first[OMPTAPE_DEF_LOCATION];
         definition != NULL && status == 0; definition = definition->next) {
        if (definition->id != OTF2_UNDEFINED_LOCATION)
            status = walk_location(sizes, reader, folder, definition->id, progress, error, error_bytes);
    }
    return status;
}

/* Rejects archives that are compressed or use another file substrate. */
static int refuse_others(const struct omptape_reader *reader, char *error, size_t error_bytes)
{
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    if (OTF2_Reader_GetFileSubstrate(reader->otf2, &substrate) == OTF2_SUCCESS &&
        OTF2_Reader_GetCompression(reader->otf2, &compression) == OTF2_SUCCESS &&
        substrate == OTF2_SUBSTRATE_POSIX && compression == OTF2_COMPRESSION_NONE)
        return 0;
    return omptape_fail(error, error_bytes, -ENOTSUP,
                        "--sizes needs an archive of plain, uncompressed files");
}

int info_print_sizes(struct omptape_reader *reader, FILE *out, struct omptape_reader_progress *progress,
                     char *error, size_t error_bytes)
{
    int folder = -1;
    struct info_sizes *sizes = omptape_calloc(1, sizeof(*sizes));
    int status = sizes == NULL ? -ENOMEM : refuse_others(reader, error, error_bytes);
    if (status != 0)
        goto out;
    kind_of_name(sizes, "outside of all regions");
    kind_of_name(sizes, "parallel");
    kind_of_name(sizes, "task");
    kind_of_name(sizes, "other regions");
    status = info_add_files(reader, sizes->files);
    folder = status == 0 ? omptape_beneath_open_folder(reader->folder, reader->name) : status;
    if (folder < 0) {
        status = folder;
        snprintf(error, error_bytes, "cannot read the folder of event files: %s", strerror(-status));
        goto out;
    }
    progress->total = sizes->files[INFO_FILE_EVENTS].bytes;
    sizes->files[INFO_FILE_EVENTS] = (struct info_amount){0}; /* counted again during the walk */
    status = walk_locations(sizes, reader, folder, progress, error, error_bytes);
    if (status == 0)
        print_sizes(sizes, reader, out);
out:
    omptape_close(folder);
    free(sizes);
    return status;
}
