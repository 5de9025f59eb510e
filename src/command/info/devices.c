/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The section of `omptape info` on devices: the origin of each device's records, their counts, its clock, and
 * its kernels and transfers.
 */
#include "src/command/info/state.h"
#include "src/command/text/units.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <math.h>
#include <omptape/properties.h>
#include <omptape/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKS = 5, MAX_LOCATIONS = 8 };

/* A device that properties, definitions, or both describe. */
struct shown_device {
    int number;      /* number of the device; INT32_MAX if unknown */
    int64_t process; /* in a unified archive: number of the owning process; else -1 */
    const char *producer;
    const struct info_device *device; /* NULL if it has no location */
};

/* Returns true if the property names a device's producer; *number receives the device's number. */
static bool is_producer(const char *name, int *number)
{
    int end = 0;
    return sscanf(name, OMPTAPE_DEVICE_PREFIX "%d::PRODUCER%n", number, &end) == 1 && end > 0 &&
           name[end] == '\0';
}

static size_t add_announced(struct info *info, struct shown_device *all)
{
    const char *const *names = NULL;
    uint32_t names_count = omptape_reader_properties(info->reader, &names);
    size_t count = 0;
    int number = 0;
    for (uint32_t i = 0; i < names_count; i++) {
        if (is_producer(names[i], &number)) {
            all[count++] = (struct shown_device){
                .number = number, .process = -1, .producer = omptape_reader_property(info->reader, names[i])};
        }
    }
    /* The same properties of the processes of a unified archive. */
    for (size_t i = 0; i < info->reader->definition_count; i++) {
        const struct omptape_definition *property = info->reader->definitions[i];
        if (property->kind == OMPTAPE_DEF_PROPERTY && property->refs[0].kind == OMPTAPE_DEF_LOCATION_GROUP &&
            property->value[0] == OTF2_TYPE_STRING &&
            is_producer(omptape_reader_string(info->reader, property->refs[1].id), &number)) {
            all[count++] = (struct shown_device){
                .number = number,
                .process = omptape_reader_process_number(info->reader, property->refs[0].id),
                .producer = omptape_reader_string(info->reader, property->value[1])};
        }
    }
    return count;
}

static struct shown_device *find_announced(struct shown_device *all, size_t count, int64_t process,
                                           int number)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].process == process && all[i].number == number && all[i].device == NULL)
            return &all[i];
    return NULL;
}

static int compare_shown(const void *left, const void *right)
{
    const struct shown_device *one = left;
    const struct shown_device *other = right;
    if (one->process != other->process)
        return one->process > other->process ? 1 : -1;
    if (one->number != other->number)
        return one->number > other->number ? 1 : -1;
    return omptape_order(one->device == NULL ? 0 : one->device->group->id,
                         other->device == NULL ? 0 : other->device->group->id);
}

/* Creates the entries of all devices, including devices without events. */
static void make_all_devices(struct info *info)
{
    OMPTAPE_EACH_DEFINITION(location, info->reader, OMPTAPE_DEF_LOCATION)
        info_device_of(&info->profile, location);
}

static size_t collect_devices(struct info *info, struct shown_device *all)
{
    size_t count = add_announced(info, all);
    size_t announced = count;
    for (uint32_t i = 0; i < info->profile.devices.count; i++) {
        const struct info_device *device = info->profile.devices.list[i].value;
        int number = INT32_MAX;
        int64_t process = omptape_reader_process_number(info->reader, device->group->id);
        struct shown_device *known = omptape_reader_device_number(info->reader, device->group->id, &number)
                                         ? find_announced(all, announced, process, number)
                                         : NULL;
        if (known != NULL)
            known->device = device;
        else
            all[count++] = (struct shown_device){.number = number, .process = process, .device = device};
    }
    omptape_sort(all, count, sizeof(*all), compare_shown);
    return count;
}

/* Lists all devices in display order in *all, which the caller frees. Returns their number. */
static size_t choose_devices(struct info *info, struct shown_device **all)
{
    const char *const *names = NULL;
    size_t max = omptape_reader_properties(info->reader, &names);
    if (max > 0)
        make_all_devices(info);
    max += info->profile.devices.count + info->reader->definition_count;
    *all = omptape_calloc(max + 1, sizeof(**all));
    if (*all == NULL)
        return 0;
    return collect_devices(info, *all);
}

static const char *property_of_device(struct info *info, const struct shown_device *shown, const char *key)
{
    char name[96];
    snprintf(name, sizeof(name), "DEVICE::%d::%s", shown->number, key);
    const char *text = omptape_reader_property_of(info->reader, shown->process, name);
    /* The writer stores "-" for an empty text. */
    return text != NULL && strcmp(text, "-") == 0 ? NULL : text;
}

static uint64_t count_of(struct info *info, const struct shown_device *shown, const char *key)
{
    const char *text = property_of_device(info, shown, key);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static const char *origin_of(const char *producer)
{
    if (strcmp(producer, "runtime") == 0)
        return "traced by the runtime";
    return strcmp(producer, "CUPTI") == 0 ? "traced by CUPTI" : "host-observed";
}

static void print_origin(struct info *info, const struct shown_device *shown)
{
    char label[32];
    const char *type = property_of_device(info, shown, "TYPE");
    const char *why = property_of_device(info, shown, "WHY");
    bool cuda = shown->number >= OMPTAPE_FIRST_CUDA_DEVICE;
    snprintf(label, sizeof(label), cuda ? "CUDA device %d" : "Device %d",
             cuda ? shown->number - OMPTAPE_FIRST_CUDA_DEVICE : shown->number);
    const char *owner = shown->process < 0
                            ? NULL
                            : omptape_reader_property_of(info->reader, shown->process, OMPTAPE_KEY_NAME);
    info_field(info, label, "%s%s%s%s%s%s%s", owner == NULL ? "" : owner, owner == NULL ? "" : "; ",
               type == NULL ? "" : type, type == NULL ? "" : "; ", origin_of(shown->producer),
               why == NULL ? "" : ": ", why == NULL ? "" : why);
}

static void print_counts(struct info *info, const struct shown_device *shown)
{
    static const struct {
        const char *key;
        const char *text;
    } rest[] = {
        {"UNLINKED", "without a known host operation"},
        {"REPAIRED", "repaired"},
        {"UNDATED", "without a time (not shown)"},
        {"DUPLICATES", "that came again (not shown)"},
        {"INVALID", "invalid"},
        {"DROPPED", "dropped"},
        {"REFUSED", "requests for a buffer refused"},
        {"LOST", "buffers lost"},
    };
    char text[INFO_TEXT_BYTES] = "";
    omptape_append(text, sizeof(text), "%s came, %s shown", info_number(count_of(info, shown, "RECORDS")),
                   info_number(count_of(info, shown, "SHOWN")));
    omptape_append(text, sizeof(text), ", %s host-observed", info_number(count_of(info, shown, "OBSERVED")));
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
        uint64_t count = count_of(info, shown, rest[i].key);
        if (count > 0)
            omptape_append_item(text, sizeof(text), ", ", "%s %s", info_number(count), rest[i].text);
    }
    info_field(info, "Records", "%s", text);
}

/* Formats a property in ns without its sign. */
static struct units_text nanoseconds(const char *text)
{
    double value = fabs(strtod(text, NULL));
    return units_time(value < 1.8e19 ? (uint64_t)value : UINT64_MAX);
}

static void append_time(struct info *info, const struct shown_device *shown, const char *key, char *text,
                        const char *what)
{
    const char *value = property_of_device(info, shown, key);
    if (value != NULL && strcmp(value, "0") != 0)
        omptape_append(text, INFO_TEXT_BYTES, ", %s %s", what, nanoseconds(value).text);
}

static void print_clock(struct info *info, const struct shown_device *shown)
{
    char text[INFO_TEXT_BYTES] = "";
    const char *source = property_of_device(info, shown, "CLOCK::SOURCE");
    const char *offset = property_of_device(info, shown, "CLOCK::OFFSET");
    const char *drift = property_of_device(info, shown, "CLOCK::DRIFT_PPM");
    uint64_t rejected = count_of(info, shown, "CLOCK::REJECTED");
    uint64_t segments = count_of(info, shown, "CLOCK::SEGMENTS");
    if (source == NULL)
        return;
    omptape_append(text, sizeof(text), "%s, %s anchors", source,
                   info_number(count_of(info, shown, "CLOCK::ANCHORS")));
    if (rejected > 0)
        omptape_append(text, sizeof(text), " and %s rejected", info_number(rejected));
    if (segments > 1)
        omptape_append(text, sizeof(text), ", set %s time%s", info_number(segments - 1),
                       segments == 2 ? "" : "s");
    if (offset != NULL) {
        omptape_append(text, sizeof(text), ", %s %s the host's", nanoseconds(offset).text,
                       offset[0] == '-' ? "behind" : "ahead of");
    }
    if (drift != NULL)
        omptape_append(text, sizeof(text), ", drift %s ppm", drift);
    append_time(info, shown, "CLOCK::RESIDUAL", text, "residual");
    append_time(info, shown, "CLOCK::BOUND", text, "error at most");
    append_time(info, shown, "CLOCK::TRANSLATE_DIFFERENCE", text, "ompt_translate_time differs by");
    info_field(info, "Clock", "%s", text);
}

static int compare_works(const void *left, const void *right)
{
    const struct info_region *one = *(const struct info_region *const *)left;
    const struct info_region *other = *(const struct info_region *const *)right;
    const int order = omptape_order(other->inclusive, one->inclusive);
    return order != 0 ? order : omptape_order(one->definition->id, other->definition->id);
}

/* Lists the device's kernels, longest first, in *kernels, which the caller frees. Returns their number. */
static size_t kernels_of(struct info *info, const struct info_device *device,
                         const struct info_region ***kernels)
{
    size_t count = 0;
    *kernels = omptape_calloc(info->profile.works.count + 1, sizeof(**kernels));
    if (*kernels == NULL)
        return 0;
    for (uint32_t i = 0; i < info->profile.works.count; i++) {
        const struct omptape_pair *work = &info->profile.works.list[i];
        const struct info_region *region = work->value;
        if (work->high == device->group->id &&
            omptape_reader_device_work(region->definition) == OMPTAPE_DEVICE_KERNEL)
            (*kernels)[count++] = region;
    }
    omptape_sort(*kernels, count, sizeof(**kernels), compare_works);
    return count;
}

static void print_kernels(struct info *info, const struct info_device *device)
{
    const struct info_region **kernels = NULL;
    size_t count = kernels_of(info, device, &kernels);
    uint64_t visits = 0;
    uint64_t time = 0;
    for (size_t i = 0; i < count; i++) {
        visits += kernels[i]->visits;
        omptape_add(&time, kernels[i]->inclusive);
    }
    if (count > 0)
        info_field(info, "Kernels", "%s in %s", info_number(visits), info_time(info, time));
    for (size_t i = 0; i < count && i < MAX_WORKS; i++) {
        info_field(info, "", "%10s  %9s  %s", info_time(info, kernels[i]->inclusive),
                   info_number(kernels[i]->visits),
                   omptape_reader_name(info->reader, OMPTAPE_DEF_REGION, kernels[i]->definition->id));
    }
    if (count > MAX_WORKS)
        info_field(info, "", "... %zu more", count - MAX_WORKS);
    free(kernels);
}

static void print_transfers(struct info *info, const struct info_device *device)
{
    static const char *const directions[INFO_DIRECTIONS] = {
        [INFO_TO_DEVICE] = "to the device",
        [INFO_FROM_DEVICE] = "from the device",
        [INFO_BETWEEN_DEVICES] = "between devices",
    };
    const char *label = "Transfers";
    for (size_t i = 0; i < INFO_DIRECTIONS; i++) {
        if (device->transfers[i] > 0) {
            info_field(info, label, "%s %s: %s", info_number(device->transfers[i]), directions[i],
                       units_bytes(device->bytes[i]).text);
            label = "";
        }
    }
}

static void print_locations(struct info *info, const struct info_device *device)
{
    const struct omptape_reader *reader = info->reader;
    char text[INFO_TEXT_BYTES] = "";
    size_t count = 0;
    OMPTAPE_EACH_DEFINITION(location, reader, OMPTAPE_DEF_LOCATION) {
        if (location->refs[1].id != device->group->id)
            continue;
        if (++count <= MAX_LOCATIONS) {
            omptape_append_item(text, sizeof(text), ", ", "%" PRIu64 " %s (%s event%s)", location->id,
                                omptape_reader_name(reader, OMPTAPE_DEF_LOCATION, location->id),
                                info_number(location->value[1]), location->value[1] == 1 ? "" : "s");
        }
    }
    if (count > MAX_LOCATIONS)
        omptape_append(text, sizeof(text), ", and %zu more", count - MAX_LOCATIONS);
    info_optional(info, "Locations", text);
}

static void print_work(struct info *info, const struct info_device *device)
{
    uint64_t duration = omptape_minus(info->profile.last_time, info->profile.first_time);
    print_kernels(info, device);
    print_transfers(info, device);
    if (device->has_memory)
        info_field(info, "Memory", "at most %s in use", units_bytes(device->memory).text);
    if (device->busy > 0 && duration > 0) {
        info_field(info, "Busy", "%s with kernels and transfers (%.1f %% of the duration)",
                   info_time(info, device->busy), 100 * (double)device->busy / (double)duration);
    }
    print_locations(info, device);
}

static void print_device(struct info *info, const struct shown_device *shown)
{
    if (shown->producer != NULL) {
        print_origin(info, shown);
        print_counts(info, shown);
        print_clock(info, shown);
    } else {
        info_field(info, "Device", "%s",
                   omptape_reader_name(info->reader, OMPTAPE_DEF_LOCATION_GROUP, shown->device->group->id));
    }
    if (shown->device != NULL)
        print_work(info, shown->device);
}

void info_print_devices(struct info *info)
{
    struct shown_device *all = NULL;
    size_t count = choose_devices(info, &all);
    if (count > 0)
        info_title(info, "Devices (%zu)", count);
    for (size_t i = 0; i < count; i++)
        print_device(info, &all[i]);
    free(all);
}
