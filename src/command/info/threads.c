/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sections of `omptape info` on processes, threads (locations) and teams.
 */
#include "src/command/info/state.h"

#include "src/archive/read/regions.h"
#include "src/command/text/table.h"
#include "src/command/text/units.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <omptape/locations.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 24, FIRST_ROWS = 16, LAST_ROWS = 4, MAX_COLUMNS = 8, MAX_TEAMS = 10, CELL_BYTES = 80 };

/* Formats the value of a property. */
static void property_text(const struct omptape_reader *reader, const struct omptape_definition *property,
                          char *text, size_t bytes)
{
    char raw[CELL_BYTES] = "?";
    const OTF2_Type type = (OTF2_Type)property->value[0];
    const OTF2_AttributeValue value = {.uint64 = property->value[1]};
    const struct omptape_number number = omptape_value_number(type, value);
    if (type <= OTF2_TYPE_INT64 && number.kind == OMPTAPE_NUMBER_UNSIGNED)
        snprintf(raw, sizeof(raw), "%" PRIu64, number.whole);
    else if (number.kind == OMPTAPE_NUMBER_SIGNED)
        snprintf(raw, sizeof(raw), "%" PRId64, number.integer);
    omptape_cut_text(type == OTF2_TYPE_STRING ? omptape_reader_string(reader, value.stringRef) : raw, text,
                     bytes);
}

/* Properties with a thread's kernel statistics, indexed by enum info_sum. */
static const char *const sum_names[] = {
    OMPTAPE_LOCATION_RUNNING,      OMPTAPE_LOCATION_WAITING,      OMPTAPE_LOCATION_SYSTEM,
    OMPTAPE_LOCATION_MINOR_FAULTS, OMPTAPE_LOCATION_MAJOR_FAULTS, OMPTAPE_LOCATION_VOLUNTARY,
    OMPTAPE_LOCATION_INVOLUNTARY,  OMPTAPE_LOCATION_SEEN_BLOCKED, OMPTAPE_LOCATION_SEEN_DISK};
enum info_sum {
    RUNNING,
    WAITING,
    SYSTEM,
    MINOR_FAULTS,
    MAJOR_FAULTS,
    VOLUNTARY,
    INVOLUNTARY,
    SEEN_BLOCKED,
    SEEN_DISK,
    SUMS
};

/* Properties that are columns, in the order of their first use: one property of each name and type. */
struct info_columns {
    const struct omptape_definition *properties[MAX_COLUMNS];
    unsigned count;
    bool kernel;    /* a thread has kernel statistics */
    bool disk;      /* a thread was seen blocked by a disk */
    bool processes; /* a column with the process's number is shown */
};

/* Reads a kernel statistic. Returns false if the location has none. */
static bool sum_of(const struct info *info, uint64_t location, enum info_sum which, uint64_t *sum)
{
    const struct omptape_definition *property =
        omptape_reader_location_property(info->reader, location, sum_names[which], OTF2_TYPE_UINT64);
    *sum = property != NULL ? property->value[1] : 0;
    return property != NULL;
}

static bool has_sums(const struct info *info, uint64_t location)
{
    uint64_t sum;
    for (unsigned i = 0; i < SUMS; i++)
        if (sum_of(info, location, (enum info_sum)i, &sum))
            return true;
    return false;
}

/* Returns the time from the location's first to its last event in ns; 0 if unknown. */
static double life_of(const struct info *info, uint64_t id)
{
    const struct info_location *location = omptape_pairs_get(&info->profile.locations, 0, id);
    const double resolution = (double)info->reader->clock_resolution;
    return location != NULL && resolution > 0 ? (double)(location->last - location->first) * 1e9 / resolution
                                              : 0;
}

/* Appends the cell "45 %", the share of the thread's life, or the time if that is not known. */
static void share_cell(struct table *table, bool is_known, double ns, double life)
{
    if (life > 0)
        table_cell_if(table, is_known, "%.0f %%", fmin(100 * ns / life, 100));
    else
        table_cell_if(table, is_known, "%s", units_time(omptape_whole(ns)).text);
}

/* Appends a thread's cells of kernel statistics. A flight recorder may have overwritten the begin of its
 * life: a thread runs shortly before its first event, but not for long. */
static void kernel_cells(const struct info *info, uint64_t location, bool has_disk, struct table *table)
{
    uint64_t sums[SUMS];
    bool known[SUMS];
    for (unsigned i = 0; i < SUMS; i++)
        known[i] = sum_of(info, location, (enum info_sum)i, &sums[i]);
    const double counted = (double)sums[RUNNING] + (double)sums[WAITING];
    const double seen = life_of(info, location);
    const double life = counted > 1.1 * seen ? 0 : fmax(seen, counted);
    table_cell_if(table, known[RUNNING], "%s", units_time(sums[RUNNING]).text);
    share_cell(table, known[WAITING], (double)sums[WAITING], life);
    share_cell(table, known[RUNNING] && known[WAITING] && life > 0, life - counted, life);
    share_cell(table, known[SYSTEM], (double)sums[SYSTEM], life);
    table_cell_if(table, known[MINOR_FAULTS], "%s",
                  info_number(omptape_plus(sums[MINOR_FAULTS], sums[MAJOR_FAULTS])));
    table_cell_if(table, known[VOLUNTARY], "%s",
                  info_number(omptape_plus(sums[VOLUNTARY], sums[INVOLUNTARY])));
    table_cell_if(table, known[INVOLUNTARY], "%s", info_number(sums[INVOLUNTARY]));
    if (has_disk)
        table_cell_if(table, sums[SEEN_BLOCKED] > 0, "%.0f %%",
                      fmin(100 * (double)sums[SEEN_DISK] / (double)sums[SEEN_BLOCKED], 100));
}

/* Returns a shorter title for omptape's own properties. */
static const char *column_title(const struct omptape_reader *reader, uint64_t name)
{
    static const char *const titles[][2] = {{OMPTAPE_LOCATION_ALLOWED_CHANGES, "changed"},
                                            {OMPTAPE_LOCATION_ALLOWED, "allowed"},
                                            {"OS thread id", "thread id"},
                                            {"OpenMP thread type", "type"}};
    const char *title = omptape_reader_string(reader, name);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (strcmp(title, titles[i][0]) == 0)
            return titles[i][1];
    return title;
}

static bool is_of_device(const struct omptape_reader *reader, uint64_t location)
{
    const struct omptape_definition *definition = omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, location);
    return definition != NULL && omptape_location_device(reader, definition) != NULL;
}

static bool is_location_property(const struct omptape_definition *definition)
{
    return definition->kind == OMPTAPE_DEF_PROPERTY && definition->refs[0].kind == OMPTAPE_DEF_LOCATION;
}

/* Returns true if the property is not a column by itself but a part of a computed one. */
static bool is_sum(struct info_columns *columns, const struct omptape_definition *property, const char *text)
{
    for (unsigned i = 0; i < SUMS; i++)
        if (strcmp(text, sum_names[i]) == 0) {
            columns->kernel = true;
            columns->disk |= i == SEEN_DISK && property->value[1] > 0;
            return true;
        }
    return strcmp(text, OMPTAPE_LOCATION_OTHER_THREAD) == 0 ||
           strcmp(text, OMPTAPE_LOCATION_SEEN_JOINING) == 0;
}

static bool is_same_column(const struct omptape_definition *one, const struct omptape_definition *other)
{
    return one->refs[1].id == other->refs[1].id && one->value[0] == other->value[0];
}

static struct info_columns collect_columns(struct info *info)
{
    struct info_columns columns = {.processes = info_property_number(info, OMPTAPE_KEY_PROCESSES) > 0};
    for (size_t i = 0; i < info->reader->definition_count; i++) {
        const struct omptape_definition *property = info->reader->definitions[i];
        if (!is_location_property(property) || is_of_device(info->reader, property->refs[0].id) ||
            is_sum(&columns, property, omptape_reader_string(info->reader, property->refs[1].id)))
            continue;
        unsigned column = 0;
        while (column < columns.count && !is_same_column(columns.properties[column], property))
            column++;
        if (column == columns.count && column < MAX_COLUMNS)
            columns.properties[columns.count++] = property;
    }
    return columns;
}

/* The locations of the two tables. */
struct info_locations {
    const struct omptape_definition *const *list;
    size_t count;
    struct info_columns columns;
};

/* Appends the cells of columns that are properties. */
static void property_cells(const struct info *info, const struct info_columns *columns, uint64_t location,
                           struct table *table)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct omptape_definition *column = columns->properties[i];
        const struct omptape_definition *property = omptape_reader_location_property(
            info->reader, location, omptape_reader_string(info->reader, column->refs[1].id),
            (OTF2_Type)column->value[0]);
        char text[CELL_BYTES] = "";
        if (property != NULL)
            property_text(info->reader, property, text, sizeof(text));
        table_cell(table, "%s", text);
    }
}

/* Appends a row for the locations in the middle, which are not shown one by one. has_events: with their
 * numbers of events. */
static void middle_row(const struct info_locations *locations, bool has_events, struct table *table)
{
    uint64_t min = UINT64_MAX;
    uint64_t max = 0;
    for (size_t i = FIRST_ROWS; i < locations->count - LAST_ROWS; i++) {
        min = locations->list[i]->value[1] < min ? locations->list[i]->value[1] : min;
        max = locations->list[i]->value[1] > max ? locations->list[i]->value[1] : max;
    }
    table_cell(table, "  ... %zu more", locations->count - FIRST_ROWS - LAST_ROWS);
    if (locations->columns.processes)
        table_cell(table, "%s", "");
    if (has_events)
        table_cell(table, "%s%s%s", info_number(min), min == max ? "" : " to ",
                   min == max ? "" : info_number(max));
    while (table->cell_count % table->column_count != 0)
        table_cell(table, "%s", "");
}

/* Returns true if the row is shown. */
static bool is_shown(const struct info_locations *locations, size_t row)
{
    return locations->count <= MAX_ROWS || row < FIRST_ROWS || row >= locations->count - LAST_ROWS;
}

/* Begins a table: the name, and the process's number if there are several. */
static struct table begin_table(const struct info_locations *locations)
{
    return table_of(locations->columns.processes ? "  name|process" : "  name");
}

static void begin_row(const struct info *info, const struct info_locations *locations, size_t row,
                      struct table *table)
{
    const struct omptape_definition *location = locations->list[row];
    table_cell(table, "  %s", omptape_reader_name(info->reader, OMPTAPE_DEF_LOCATION, location->id));
    if (locations->columns.processes)
        table_cell(table, "%" PRId64, omptape_reader_process_number(info->reader, location->refs[1].id));
}

static void end_table(struct info *info, struct table *table, unsigned width)
{
    (void)table_print(table, &(struct screen){.out = info->out, .width = width, .utf8 = true});
}

static void print_locations(struct info *info, const struct info_locations *locations)
{
    const struct info_columns *columns = &locations->columns;
    struct table table = begin_table(locations);
    (void)table_column(&table, "events", 0);
    for (unsigned i = 0; i < columns->count; i++)
        table_column(&table, column_title(info->reader, columns->properties[i]->refs[1].id), 0)->left = true;
    for (size_t i = 0; i < locations->count; i++)
        if (is_shown(locations, i)) {
            begin_row(info, locations, i, &table);
            table_cell(&table, "%s", info_number(locations->list[i]->value[1]));
            property_cells(info, columns, locations->list[i]->id, &table);
        } else if (i == FIRST_ROWS) {
            middle_row(locations, true, &table);
        }
    end_table(info, &table, UINT_MAX); /* others may have many properties */
}

/* Prints what the kernel counted for each thread. */
static void print_kernel(struct info *info, const struct info_locations *locations)
{
    static const char *const titles[] = {"running", "runnable", "blocked", "kernel",
                                         "faults",  "switches", "forced",  "disk"};
    const bool has_disk = locations->columns.disk;
    struct table table = begin_table(locations);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]) - !has_disk; i++)
        (void)table_column(&table, titles[i], strcmp(titles[i], "faults") == 0);
    info_title(info, "Processor time of the threads");
    for (size_t i = 0; i < locations->count; i++)
        if (is_shown(locations, i) && has_sums(info, locations->list[i]->id)) {
            begin_row(info, locations, i, &table);
            kernel_cells(info, locations->list[i]->id, has_disk, &table);
        } else if (i == FIRST_ROWS && !is_shown(locations, i)) {
            middle_row(locations, false, &table);
        }
    end_table(info, &table, INFO_LINE_WIDTH);
    fprintf(info->out,
            "  Shares are of the time from a thread's first event to its last. Runnable: it\n"
            "  waited for a processor; blocked: it was asleep in the kernel%s;\n"
            "  forced: switches that it did not ask for.\n",
            has_disk ? " (disk: its state was D)" : "");
}

static void print_others(struct info *info, const struct info_locations *locations)
{
    size_t others = 0;
    for (size_t i = 0; i < locations->count; i++)
        others += omptape_location_is_other(info->reader, locations->list[i]);
    if (others > 0)
        fprintf(info->out,
                "  %zu thread%s neither of OpenMP nor of MPI: %s used more than 1 %% of a processor.\n",
                others, others == 1 ? " is" : "s are", others == 1 ? "it" : "each");
    if (info_property(info, OMPTAPE_KEY_VERSION) != NULL && !locations->columns.kernel)
        fprintf(info->out, "  Processor time is not known: the kernel did not tell, or it was not asked.\n");
}

static const char *group_type_name(uint64_t type)
{
    switch (type) {
    case OTF2_LOCATION_GROUP_TYPE_PROCESS:
        return "process";
    case OTF2_LOCATION_GROUP_TYPE_ACCELERATOR:
        return "accelerator";
    default:
        return "other";
    }
}

/* Writes the path of a location group's node: "machine/node17". The depth is limited: there may be cycles. */
static void tree_path(const struct omptape_reader *reader, uint64_t node_id, char *text, size_t bytes)
{
    enum { MAX_LEVELS = 6 };
    const char *names[MAX_LEVELS];
    int levels = 0;
    const struct omptape_definition *node =
        omptape_reader_find(reader, OMPTAPE_DEF_SYSTEM_TREE_NODE, node_id);
    while (node != NULL && levels < MAX_LEVELS) {
        names[levels++] = omptape_reader_name(reader, OMPTAPE_DEF_SYSTEM_TREE_NODE, node->id);
        node = omptape_reader_find(reader, OMPTAPE_DEF_SYSTEM_TREE_NODE, node->refs[2].id);
    }
    text[0] = '\0';
    while (levels-- > 0)
        omptape_append_item(text, bytes, "/", "%s", names[levels]);
}

static void print_groups(struct info *info)
{
    const struct omptape_reader *reader = info->reader;
    unsigned rows = 0;
    unsigned hidden = 0;
    info_title(info, "Processes and devices");
    OMPTAPE_EACH_DEFINITION(group, reader, OMPTAPE_DEF_LOCATION_GROUP) {
        uint64_t locations = 0;
        char path[INFO_TEXT_BYTES];
        char label[24];
        if (++rows > MAX_ROWS) {
            hidden++;
            continue;
        }
        OMPTAPE_EACH_DEFINITION(location, reader, OMPTAPE_DEF_LOCATION)
            locations += location->refs[1].id == group->id;
        tree_path(reader, group->refs[1].id, path, sizeof(path));
        snprintf(label, sizeof(label), "%" PRIu64, group->id);
        info_field(info, label, "%s: %s, %" PRIu64 " location%s, on %s",
                   omptape_reader_name(reader, OMPTAPE_DEF_LOCATION_GROUP, group->id),
                   group_type_name(group->value[0]), locations, locations == 1 ? "" : "s",
                   path[0] == '\0' ? "an unknown node" : path);
    }
    if (hidden > 0)
        fprintf(info->out, "     ... %u more\n", hidden);
}

/* Sorts by process, then by id. */
static int compare_ids(const void *left, const void *right)
{
    const struct omptape_definition *one = *(const struct omptape_definition *const *)left;
    const struct omptape_definition *other = *(const struct omptape_definition *const *)right;
    const int order = omptape_order(omptape_location_process(one->id), omptape_location_process(other->id));
    return order != 0 ? order : omptape_order(one->id, other->id);
}

void info_print_threads(struct info *info)
{
    const struct omptape_reader *reader = info->reader;
    size_t count = 0;
    const struct omptape_definition **list = omptape_calloc(reader->definition_count + 1, sizeof(*list));
    if (list == NULL)
        return;
    /* Locations of devices have their own section. */
    OMPTAPE_EACH_DEFINITION(location, reader, OMPTAPE_DEF_LOCATION)
        if (omptape_location_device(reader, location) == NULL)
            list[count++] = location;
    omptape_sort(list, count, sizeof(*list), compare_ids);
    const struct info_locations locations = {list, count, collect_columns(info)};
    print_groups(info);
    info_title(info, "Threads and other locations (%zu)", count);
    print_locations(info, &locations);
    print_others(info, &locations);
    if (locations.columns.kernel)
        print_kernel(info, &locations);
    free(list);
}

static uint64_t team_size(const struct omptape_reader *reader, const struct info_team *team)
{
    const struct omptape_definition *group =
        omptape_reader_find(reader, OMPTAPE_DEF_GROUP, team->definition->refs[1].id);
    return group == NULL || group->member_count == 0 ? 1 : group->member_count;
}

static int compare_teams(const void *left, const void *right)
{
    const struct info_team *one = *(const struct info_team *const *)left;
    const struct info_team *other = *(const struct info_team *const *)right;
    const int order = omptape_order(other->begins, one->begins);
    return order != 0 ? order : omptape_order(one->definition->id, other->definition->id);
}

void info_print_teams(struct info *info)
{
    void **teams = NULL;
    size_t count = info_values(&info->profile.teams, &teams);
    if (count > 0) {
        omptape_sort(teams, count, sizeof(*teams), compare_teams);
        info_title(info, "Teams (%zu)", count);
        fprintf(info->out, "  %6s  %7s  %13s  %6s  name\n", "comm", "threads", "instances", "parent");
    }
    for (size_t i = 0; i < count && i < MAX_TEAMS; i++) {
        const struct info_team *team = teams[i];
        uint64_t size = team_size(info->reader, team);
        char name[CELL_BYTES];
        char parent[24] = "-";
        if (team->definition->refs[2].id != OTF2_UNDEFINED_COMM)
            snprintf(parent, sizeof(parent), "%" PRIu64, team->definition->refs[2].id);
        fprintf(info->out, "  %6" PRIu64 "  %7" PRIu64 "  %13s  %6s  %s\n", team->definition->id, size,
                info_number((team->begins + size - 1) / size), parent,
                omptape_cut_text(omptape_reader_name(info->reader, OMPTAPE_DEF_COMM, team->definition->id),
                                 name, sizeof(name)));
    }
    if (count > MAX_TEAMS)
        fprintf(info->out, "     ... %zu more with fewer instances\n", count - MAX_TEAMS);
    free(teams);
}
