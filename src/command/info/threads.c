/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sections of `omptape info` on processes, threads (locations) and teams.
 */
#include "src/command/info/state.h"

#include "src/archive/read/regions.h"
#include "src/command/text/units.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include <inttypes.h>
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

/* Columns computed from these properties. */
enum info_kernel_column { ON_PROCESSOR, RUNNABLE, BLOCKED, IN_KERNEL, FAULTS, SWITCHES, KERNEL_COLUMNS };
static const char *const kernel_titles[KERNEL_COLUMNS] = {
    "on a processor", "runnable", "blocked", "in the kernel", "page faults", "switches (forced)"};

/* Columns of the threads' table: property names in the order of their first use. */
struct info_columns {
    uint64_t names[MAX_COLUMNS];
    int widths[MAX_COLUMNS];
    unsigned count;
    int kernel_widths[KERNEL_COLUMNS];
    bool kernel;                 /* a thread has kernel statistics */
    bool processes;              /* a column with the process's number is shown */
    struct omptape_pairs values; /* (name, location) -> property */
};

/* Reads a kernel statistic. Returns false if the location has none. */
static bool sum_of(const struct info *info, uint64_t location, enum info_sum which, uint64_t *sum)
{
    const struct omptape_definition *property =
        omptape_reader_location_property(info->reader, location, sum_names[which], OTF2_TYPE_UINT64);
    *sum = property != NULL ? property->value[1] : 0;
    return property != NULL;
}

/* Returns the time from the location's first to its last event in ns; 0 if unknown. */
static double life_of(const struct info *info, uint64_t id)
{
    const struct info_location *location = omptape_pairs_get(&info->profile.locations, 0, id);
    const double resolution = (double)info->reader->clock_resolution;
    return location != NULL && resolution > 0 ? (double)(location->last - location->first) * 1e9 / resolution
                                              : 0;
}

/* Formats "1.23 s (45 %)", the share of the thread's lifetime. A flight recorder may have overwritten the
 * begin of the lifetime, so the share is limited to 100 %. */
static void share_text(uint64_t ns, double life, char *text, size_t bytes)
{
    const double share = life > 0 ? 100 * (double)ns / life : 0;
    int used = snprintf(text, bytes, "%s", units_time(ns).text);
    if (share > 0)
        snprintf(text + used, bytes - (size_t)used, " (%.0f %%)", fmin(share, 100));
}

/* Formats the time in which a thread neither ran nor waited for a processor, and its share in state D. */
static void blocked_text(const uint64_t sums[SUMS], double life, char *text, size_t bytes)
{
    const double rest = life - (double)sums[RUNNING] - (double)sums[WAITING];
    share_text(rest > 0 ? omptape_whole(rest) : 0, life, text, bytes);
    const size_t length = strlen(text);
    if (sums[SEEN_DISK] > 0)
        snprintf(text + length, bytes - length, ", disk %.0f %%",
                 fmin(100 * (double)sums[SEEN_DISK] / (double)sums[SEEN_BLOCKED], 100));
}

static void kernel_text(const struct info *info, uint64_t location, enum info_kernel_column column,
                        char *text, size_t bytes)
{
    uint64_t sums[SUMS];
    bool known[SUMS];
    double life = life_of(info, location);
    for (unsigned i = 0; i < SUMS; i++)
        known[i] = sum_of(info, location, (enum info_sum)i, &sums[i]);
    text[0] = '\0';
    /* A thread runs shortly before its first event. After a much longer time a flight recorder has lost its
     * begin. */
    const double counted = (double)sums[RUNNING] + (double)sums[WAITING];
    life = counted > 1.1 * life ? 0 : fmax(life, counted);
    if (column == ON_PROCESSOR && known[RUNNING])
        share_text(sums[RUNNING], life, text, bytes);
    else if (column == RUNNABLE && known[WAITING])
        share_text(sums[WAITING], life, text, bytes);
    else if (column == BLOCKED && known[RUNNING] && known[WAITING] && life > 0)
        blocked_text(sums, life, text, bytes);
    else if (column == IN_KERNEL && known[SYSTEM])
        share_text(sums[SYSTEM], life, text, bytes);
    else if (column == FAULTS && known[MINOR_FAULTS])
        snprintf(text, bytes, "%s", info_number(omptape_plus(sums[MINOR_FAULTS], sums[MAJOR_FAULTS])));
    else if (column == SWITCHES && known[VOLUNTARY]) {
        snprintf(text, bytes, "%s (%s)", info_number(omptape_plus(sums[VOLUNTARY], sums[INVOLUNTARY])),
                 info_number(sums[INVOLUNTARY]));
    }
}

static const char *column_title(const struct omptape_reader *reader, uint64_t name)
{
    const char *title = omptape_reader_string(reader, name);
    return strcmp(title, OMPTAPE_LOCATION_ALLOWED_CHANGES) == 0 ? "changed" : title;
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
static bool is_sum(struct info_columns *columns, const char *text)
{
    for (unsigned i = 0; i < SUMS; i++)
        if (strcmp(text, sum_names[i]) == 0) {
            columns->kernel = true;
            return true;
        }
    return strcmp(text, OMPTAPE_LOCATION_OTHER_THREAD) == 0 ||
           strcmp(text, OMPTAPE_LOCATION_SEEN_JOINING) == 0;
}

static void collect_columns(struct info *info, struct info_columns *columns)
{
    for (size_t i = 0; i < info->reader->definition_count; i++) {
        struct omptape_definition *property = info->reader->definitions[i];
        if (!is_location_property(property) || is_of_device(info->reader, property->refs[0].id))
            continue;
        (void)omptape_pairs_put(&columns->values, property->refs[1].id, property->refs[0].id, property);
        if (is_sum(columns, omptape_reader_string(info->reader, property->refs[1].id)))
            continue;
        unsigned column = 0;
        while (column < columns->count && columns->names[column] != property->refs[1].id)
            column++;
        if (column == MAX_COLUMNS)
            continue;
        char text[CELL_BYTES];
        property_text(info->reader, property, text, sizeof(text));
        if (column == columns->count) {
            columns->names[columns->count++] = property->refs[1].id;
            columns->widths[column] = (int)strlen(column_title(info->reader, property->refs[1].id));
        }
        columns->widths[column] =
            (int)strlen(text) > columns->widths[column] ? (int)strlen(text) : columns->widths[column];
    }
}

/* Prints a cell. Its padding is printed before the next cell, so lines have no trailing blanks. */
static void print_cell(struct info *info, int *blanks, int width, const char *text)
{
    fprintf(info->out, "%*s%s", *blanks, "", text);
    *blanks = 2 + (width > (int)strlen(text) ? width - (int)strlen(text) : 0);
}

static void print_location(struct info *info, const struct info_columns *columns, int name_width,
                           const struct omptape_definition *location)
{
    char text[CELL_BYTES];
    int blanks = 0;
    omptape_cut_text(omptape_reader_name(info->reader, OMPTAPE_DEF_LOCATION, location->id), text,
                     sizeof(text));
    fprintf(info->out, "  ");
    if (columns->processes)
        fprintf(info->out, "%7" PRId64 "  ",
                omptape_reader_process_number(info->reader, location->refs[1].id));
    print_cell(info, &blanks, name_width, text);
    fprintf(info->out, "%*s%13s", blanks, "", info_number(location->value[1]));
    blanks = 2;
    for (unsigned i = 0; i < columns->count; i++) {
        const struct omptape_definition *property =
            omptape_pairs_get(&columns->values, columns->names[i], location->id);
        if (property == NULL) {
            blanks += columns->widths[i] + 2;
            continue;
        }
        property_text(info->reader, property, text, sizeof(text));
        print_cell(info, &blanks, columns->widths[i], text);
    }
    for (unsigned i = 0; i < KERNEL_COLUMNS && columns->kernel; i++) {
        kernel_text(info, location->id, (enum info_kernel_column)i, text, sizeof(text));
        if (text[0] != '\0')
            print_cell(info, &blanks, columns->kernel_widths[i], text);
        else
            blanks += columns->kernel_widths[i] + 2;
    }
    fputc('\n', info->out);
}

static void print_header(struct info *info, const struct info_columns *columns, int name_width)
{
    int blanks = 2;
    fprintf(info->out, "  %s%-*s  %13s", columns->processes ? "process  " : "", name_width, "name", "events");
    for (unsigned i = 0; i < columns->count; i++)
        print_cell(info, &blanks, columns->widths[i], column_title(info->reader, columns->names[i]));
    for (unsigned i = 0; i < KERNEL_COLUMNS && columns->kernel; i++)
        print_cell(info, &blanks, columns->kernel_widths[i], kernel_titles[i]);
    fputc('\n', info->out);
}

static void measure_kernel_columns(const struct info *info, struct info_columns *columns,
                                   const struct omptape_definition *const *locations, size_t count)
{
    char text[CELL_BYTES];
    for (unsigned column = 0; column < KERNEL_COLUMNS; column++) {
        columns->kernel_widths[column] = (int)strlen(kernel_titles[column]);
        for (size_t i = 0; i < count && columns->kernel; i++) {
            kernel_text(info, locations[i]->id, (enum info_kernel_column)column, text, sizeof(text));
            if ((int)strlen(text) > columns->kernel_widths[column])
                columns->kernel_widths[column] = (int)strlen(text);
        }
    }
}

/* Explains the columns of kernel statistics and threads outside of OpenMP and MPI. */
static void explain_columns(struct info *info, const struct info_columns *columns,
                            const struct omptape_definition *const *locations, size_t count)
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        others += omptape_location_is_other(info->reader, locations[i]);
    if (columns->kernel)
        fprintf(info->out, "  Shares are of a thread's life, from its first event to its last. Runnable:\n"
                           "  it waited for a processor; blocked: it was asleep in the kernel (disk: so\n"
                           "  often its state was D).\n");
    if (others > 0)
        fprintf(info->out,
                "  %zu thread%s neither of OpenMP nor of MPI: %s used more than 1 %% of a processor.\n",
                others, others == 1 ? " is" : "s are", others == 1 ? "it" : "each");
}

static void print_locations(struct info *info, const struct omptape_definition *const *locations,
                            size_t count)
{
    struct info_columns columns = {0};
    int name_width = (int)strlen("name");
    columns.processes = info_property_number(info, OMPTAPE_KEY_PROCESSES) > 0;
    collect_columns(info, &columns);
    for (size_t i = 0; i < count; i++) {
        int width = (int)strlen(omptape_reader_name(info->reader, OMPTAPE_DEF_LOCATION, locations[i]->id));
        name_width = width > name_width ? width : name_width;
    }
    name_width = name_width < CELL_BYTES ? name_width : CELL_BYTES;
    measure_kernel_columns(info, &columns, locations, count);
    print_header(info, &columns, name_width);
    for (size_t i = 0; i < count; i++) {
        if (count > MAX_ROWS && i == FIRST_ROWS) {
            uint64_t min = UINT64_MAX;
            uint64_t max = 0;
            for (; i < count - LAST_ROWS; i++) {
                min = locations[i]->value[1] < min ? locations[i]->value[1] : min;
                max = locations[i]->value[1] > max ? locations[i]->value[1] : max;
            }
            fprintf(info->out, "     ... %zu more with %s%s%s events\n", count - FIRST_ROWS - LAST_ROWS,
                    info_number(min), min == max ? "" : " to ", min == max ? "" : info_number(max));
        }
        print_location(info, &columns, name_width, locations[i]);
    }
    explain_columns(info, &columns, locations, count);
    if (info_property(info, OMPTAPE_KEY_VERSION) != NULL && !columns.kernel)
        fprintf(info->out, "  Processor time is not known: the kernel did not tell, or it was not asked.\n");
    omptape_pairs_free(&columns.values);
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
    while (levels-- > 0) {
        size_t length = strlen(text);
        snprintf(text + length, bytes - length, "%s%s", length > 0 ? "/" : "", names[levels]);
    }
}

static void print_groups(struct info *info)
{
    const struct omptape_reader *reader = info->reader;
    unsigned rows = 0;
    unsigned hidden = 0;
    info_title(info, "Processes and devices");
    for (const struct omptape_definition *group = reader->first[OMPTAPE_DEF_LOCATION_GROUP]; group != NULL;
         group = group->next) {
        uint64_t locations = 0;
        char path[INFO_TEXT_BYTES];
        char label[24];
        if (++rows > MAX_ROWS) {
            hidden++;
            continue;
        }
        for (const struct omptape_definition *location = reader->first[OMPTAPE_DEF_LOCATION];
             location != NULL; location = location->next)
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
    const struct omptape_definition **locations =
        omptape_calloc(reader->definition_count + 1, sizeof(*locations));
    if (locations == NULL)
        return;
    /* Locations of devices have their own section. */
    for (const struct omptape_definition *location = reader->first[OMPTAPE_DEF_LOCATION]; location != NULL;
         location = location->next)
        if (omptape_location_device(reader, location) == NULL)
            locations[count++] = location;
    omptape_sort(locations, count, sizeof(*locations), compare_ids);
    print_groups(info);
    info_title(info, "Threads and other locations (%zu)", count);
    print_locations(info, locations, count);
    free(locations);
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
