/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sections of `omptape info` on events and regions: the number of each kind, and where the time went.
 */
#include "src/command/info/state.h"

#include "src/command/text/units.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SITES = 10, ROLES = 64, NAME_BYTES = 256 };

static int compare_counts(const void *left, const void *right)
{
    const struct info_count *one = *(const struct info_count *const *)left;
    const struct info_count *other = *(const struct info_count *const *)right;
    return one->count != other->count ? omptape_order(other->count, one->count)
                                      : strcmp(one->name, other->name);
}

static void print_counts(struct info *info, const char *label, const struct omptape_pairs *table)
{
    void **counts = NULL;
    char text[INFO_TEXT_BYTES] = "";
    size_t count = info_values(table, &counts);
    omptape_sort(counts, count, sizeof(*counts), compare_counts);
    for (size_t i = 0; i < count; i++) {
        const struct info_count *kind = counts[i];
        omptape_append_item(text, sizeof(text), ", ", "%s %s", info_number(kind->count), kind->name);
    }
    info_optional(info, label, text);
    free(counts);
}

void info_print_events(struct info *info)
{
    if (info->profile.events == 0 && info->profile.marker_count == 0)
        return;
    info_title(info, "Events");
    print_counts(info, "By kind", &info->profile.kinds);
    if (info->profile.transferred > 0)
        info_field(info, "Transferred", "%s", units_bytes(info->profile.transferred).text);
    print_counts(info, "Markers", &info->profile.markers);
    for (uint64_t i = 0; i < info->profile.marker_count && i < INFO_MARKER_TEXTS; i++) {
        uint64_t offset = info->reader->clock_offset;
        uint64_t time = info->profile.marker_times[i] > offset ? info->profile.marker_times[i] - offset : 0;
        info_field(info, "", "at %s: %s", info_time(info, time),
                   info->profile.marker_texts[i] == NULL ? "" : info->profile.marker_texts[i]);
    }
    if (info->profile.marker_count > INFO_MARKER_TEXTS)
        info_field(info, "", "... %s more", info_number(info->profile.marker_count - INFO_MARKER_TEXTS));
}

const char *info_role(uint64_t role)
{
    static const char *const names[] = {
        [OTF2_REGION_ROLE_UNKNOWN] = "unknown",
        [OTF2_REGION_ROLE_FUNCTION] = "function",
        [OTF2_REGION_ROLE_WRAPPER] = "routine",
        [OTF2_REGION_ROLE_LOOP] = "loop",
        [OTF2_REGION_ROLE_CODE] = "code",
        [OTF2_REGION_ROLE_PARALLEL] = "parallel",
        [OTF2_REGION_ROLE_SECTIONS] = "sections",
        [OTF2_REGION_ROLE_SECTION] = "section",
        [OTF2_REGION_ROLE_WORKSHARE] = "workshare",
        [OTF2_REGION_ROLE_SINGLE] = "single",
        [OTF2_REGION_ROLE_SINGLE_SBLOCK] = "single block",
        [OTF2_REGION_ROLE_MASTER] = "masked",
        [OTF2_REGION_ROLE_CRITICAL] = "critical",
        [OTF2_REGION_ROLE_CRITICAL_SBLOCK] = "critical block",
        [OTF2_REGION_ROLE_ATOMIC] = "atomic",
        [OTF2_REGION_ROLE_BARRIER] = "barrier",
        [OTF2_REGION_ROLE_IMPLICIT_BARRIER] = "implicit barrier",
        [OTF2_REGION_ROLE_FLUSH] = "flush",
        [OTF2_REGION_ROLE_ORDERED] = "ordered",
        [OTF2_REGION_ROLE_ORDERED_SBLOCK] = "ordered block",
        [OTF2_REGION_ROLE_TASK] = "task",
        [OTF2_REGION_ROLE_TASK_CREATE] = "task creation",
        [OTF2_REGION_ROLE_TASK_WAIT] = "taskwait",
        [OTF2_REGION_ROLE_COLL_ONE2ALL] = "one to all",
        [OTF2_REGION_ROLE_COLL_ALL2ONE] = "all to one",
        [OTF2_REGION_ROLE_COLL_ALL2ALL] = "all to all",
        [OTF2_REGION_ROLE_COLL_OTHER] = "collective",
        [OTF2_REGION_ROLE_FILE_IO] = "file I/O",
        [OTF2_REGION_ROLE_POINT2POINT] = "message",
        [OTF2_REGION_ROLE_RMA] = "RMA",
        [OTF2_REGION_ROLE_DATA_TRANSFER] = "data transfer",
        [OTF2_REGION_ROLE_ARTIFICIAL] = "artificial",
        [OTF2_REGION_ROLE_THREAD_CREATE] = "thread creation",
        [OTF2_REGION_ROLE_THREAD_WAIT] = "thread wait",
        [OTF2_REGION_ROLE_TASK_UNTIED] = "untied task",
        [OTF2_REGION_ROLE_ALLOCATE] = "allocation",
        [OTF2_REGION_ROLE_DEALLOCATE] = "deallocation",
        [OTF2_REGION_ROLE_REALLOCATE] = "reallocation",
        [OTF2_REGION_ROLE_FILE_IO_METADATA] = "file metadata",
    };
    return role < sizeof(names) / sizeof(names[0]) && names[role] != NULL ? names[role] : "of a newer OTF2";
}

/* Sums over all regions of one role. */
struct info_kind {
    uint64_t role;
    uint64_t sites;
    uint64_t visits;
    uint64_t exclusive;
};

static int compare_kinds(const void *left, const void *right)
{
    const struct info_kind *one = left;
    const struct info_kind *other = right;
    const int order = omptape_order(other->exclusive, one->exclusive);
    return order != 0 ? order : omptape_order(other->visits, one->visits);
}

static void print_kinds(struct info *info, void *const *regions, size_t count, uint64_t total)
{
    struct info_kind kinds[ROLES] = {0};
    for (size_t i = 0; i < count; i++) {
        const struct info_region *region = regions[i];
        uint64_t role = region->definition->value[0] < ROLES ? region->definition->value[0] : ROLES - 1;
        kinds[role].role = role;
        kinds[role].sites++;
        kinds[role].visits += region->visits;
        omptape_add(&kinds[role].exclusive, region->exclusive);
    }
    omptape_sort(kinds, ROLES, sizeof(kinds[0]), compare_kinds);
    fprintf(info->out, "  %-16s  %7s  %13s  %11s  %7s\n", "kind", "sites", "visits", "exclusive", "share");
    for (size_t i = 0; i < ROLES; i++) {
        if (kinds[i].sites > 0) {
            fprintf(info->out, "  %-16s  %7" PRIu64 "  %13s  %11s  %5.1f %%\n", info_role(kinds[i].role),
                    kinds[i].sites, info_number(kinds[i].visits), info_time(info, kinds[i].exclusive),
                    total == 0 ? 0.0 : 100.0 * (double)kinds[i].exclusive / (double)total);
        }
    }
}

static int compare_regions(const void *left, const void *right)
{
    const struct info_region *one = *(const struct info_region *const *)left;
    const struct info_region *other = *(const struct info_region *const *)right;
    const int order = omptape_order(other->exclusive, one->exclusive);
    return order != 0 ? order : omptape_order(one->definition->id, other->definition->id);
}

static void print_sites(struct info *info, void *const *regions, size_t count)
{
    info_title(info, "Where the time went (exclusive, summed over threads)");
    fprintf(info->out, "  %10s  %10s  %13s  region\n", "exclusive", "inclusive", "visits");
    for (size_t i = 0; i < count && i < MAX_SITES; i++) {
        const struct info_region *region = regions[i];
        char name[NAME_BYTES];
        fprintf(
            info->out, "  %10s  %10s  %13s  %s\n", info_time(info, region->exclusive),
            info_time(info, region->inclusive), info_number(region->visits),
            omptape_cut_text(omptape_reader_name(info->reader, OMPTAPE_DEF_REGION, region->definition->id),
                             name, sizeof(name)));
    }
}

void info_print_regions(struct info *info)
{
    void **regions = NULL;
    size_t count = info_values(&info->profile.regions, &regions);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        omptape_add(&total, ((const struct info_region *)regions[i])->exclusive);
    if (count > 0) {
        omptape_sort(regions, count, sizeof(*regions), compare_regions);
        info_title(info, "Regions (%zu)", count);
        print_kinds(info, regions, count, total);
        print_sites(info, regions, count);
    }
    free(regions);
}
