/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the properties of a unified archive (reading.h).
 */
#include "src/unify/reading.h"

#include "src/core/buckets.h"
#include "src/core/words.h"
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 512, VALUE_BYTES = 8192 };

static const char *const sums[] = {
    OMPTAPE_KEY_EVENTS,       OMPTAPE_KEY_RECORDS,         OMPTAPE_KEY_THREADS,
    OMPTAPE_KEY_DROPPED,      OMPTAPE_KEY_DROPPED_OUTSIDE, OMPTAPE_KEY_FORGOTTEN,
    OMPTAPE_KEY_UNWRITTEN,    OMPTAPE_KEY_STALLED,         OMPTAPE_KEY_SYNTHESISED,
    OMPTAPE_KEY_TIME_LIVED,   OMPTAPE_KEY_DEVICE_KERNELS,  OMPTAPE_KEY_DEVICE_TRANSFERS,
    OMPTAPE_KEY_DEVICE_BYTES, OMPTAPE_KEY_CLOCK_JUMPS,     OMPTAPE_KEY_PROFILE,
    OMPTAPE_KEY_OVERTAKING,   OMPTAPE_KEY_SAMPLES,         OMPTAPE_KEY_SAMPLES_CUT,
    OMPTAPE_KEY_SAMPLES_LOST, OMPTAPE_KEY_SAMPLED_THREADS, OMPTAPE_KEY_UNSAMPLED_THREADS,
};

/* Properties that stay with each process even if all values are equal. */
static const char *const own[] = {
    OMPTAPE_KEY_PID,
    OMPTAPE_KEY_PROGRAM,
    OMPTAPE_KEY_END,
    OMPTAPE_KEY_DURATION,
    OMPTAPE_KEY_ENERGY,
    OMPTAPE_KEY_HOST,
    OMPTAPE_KEY_RANK,
    OMPTAPE_KEY_CLOCK_BEGIN,
    OMPTAPE_KEY_CLOCK_LENGTH,
    OMPTAPE_KEY_CLOCK_REALTIME,
    OMPTAPE_KEY_CLOCK_ERROR,
    OMPTAPE_KEY_CLOCK_SYNC,
    OMPTAPE_KEY_CLOCK_SYNC_WITH,
    OMPTAPE_KEY_CLOCK_END_TICKS,
    OMPTAPE_KEY_CLOCK_END_REALTIME,
    OMPTAPE_KEY_NAME,
    OMPTAPE_KEY_CLOCK_RESOLUTION,
};

static bool is_among(const char *const *keys, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

bool omptape_unify_is_sum(const char *key)
{
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (strcmp(omptape_buckets[bucket].key, key) == 0)
            return true;
    return is_among(sums, sizeof(sums) / sizeof(sums[0]), key);
}

static bool is_own(const char *key)
{
    /* Site names, warnings, connections and devices are numbered for each process. */
    static const char *const prefixes[] = {
        OMPTAPE_KEY_WARNING, OMPTAPE_KEY_LIMITED "::", OMPTAPE_KEY_MEETING "::", "DEVICE::", NULL};
    return omptape_starts_with_one_of(key, prefixes) || omptape_unify_is_sum(key) ||
           is_among(own, sizeof(own) / sizeof(own[0]), key);
}

static void set_text(struct omptape_unify_model *model, OTF2_Archive *archive, const char *key,
                     const char *value)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), OMPTAPE_PROPERTY_PREFIX "%s", key);
    /* An empty value would remove the property. */
    if (OTF2_Archive_SetProperty(archive, name, value[0] != '\0' ? value : "-", true) != OTF2_SUCCESS)
        omptape_unify_fail(model, "cannot set the property %s", name);
}

static void set_number(struct omptape_unify_model *model, OTF2_Archive *archive, const char *key,
                       uint64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, number);
    set_text(model, archive, key, text);
}

/* Adds a property of the process's location group as an extra definition. */
static void define_own(struct omptape_unify_model *model, const struct omptape_unify_process *process,
                       const char *key, uint64_t value)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), OMPTAPE_PROPERTY_PREFIX "%s", key);
    const uint64_t words[] = {OMPTAPE_UNIFY_GROUP_PROPERTY, process->group,
                              omptape_unify_add_text(model, name), OTF2_TYPE_STRING, value};
    omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_EXTRA], words, sizeof(words));
}

/* Formats "rank 3", or "app (pid 4711)" because several processes may run one program. */
static void describe_process(const struct omptape_unify_model *model,
                             const struct omptape_unify_process *process, char *text, size_t bytes)
{
    const char *name = omptape_unify_text(model, process->name);
    const char *pid = omptape_unify_property(process, OMPTAPE_KEY_PID);
    if (process->clock.rank >= 0 || pid == NULL)
        snprintf(text, bytes, "%s", name);
    else
        snprintf(text, bytes, "%s (pid %s)", name, pid);
}

/* Counts for each property and value the processes that have it. */
struct census {
    struct omptape_rows pairs; /* key, ' ', value */
    uint32_t *counts;          /* by row */
};

static uint32_t row_of(struct census *census, const struct omptape_unify_property *property)
{
    char text[VALUE_BYTES];
    snprintf(text, sizeof(text), "%s\n%s", property->key, property->value);
    return omptape_rows_text(&census->pairs, text);
}

static void count_properties(struct omptape_unify_model *model, struct census *census)
{
    size_t most = 1;
    for (uint32_t i = 0; i < model->process_count; i++)
        most += model->processes[i].property_count;
    census->counts = omptape_calloc(most, sizeof(*census->counts));
    for (uint32_t i = 0; i < model->process_count && census->counts != NULL; i++) {
        const struct omptape_unify_process *process = &model->processes[i];
        for (uint32_t k = 0; k < process->property_count; k++)
            if (!is_own(process->properties[k].key))
                census->counts[row_of(census, &process->properties[k])]++;
    }
}

static void define_each(struct omptape_unify_model *model, struct census *census)
{
    for (uint32_t i = 0; i < model->process_count && !omptape_unify_failed(model); i++) {
        struct omptape_unify_process *process = &model->processes[i];
        define_own(model, process, OMPTAPE_KEY_NAME, process->name);
        for (uint32_t k = 0; k < process->property_count; k++) {
            struct omptape_unify_property *property = &process->properties[k];
            property->alike =
                !is_own(property->key) && census->counts[row_of(census, property)] == model->process_count;
            if (!property->alike && strcmp(property->key, OMPTAPE_KEY_NAME) != 0)
                define_own(model, process, property->key, omptape_unify_add_text(model, property->value));
        }
    }
}

void omptape_unify_define_properties(struct omptape_unify_model *model)
{
    struct census census = {.counts = NULL};
    count_properties(model, &census);
    define_each(model, &census);
    omptape_rows_free(&census.pairs);
    free(census.counts);
}

static void write_alike(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    const struct omptape_unify_process *process = &model->processes[0];
    for (uint32_t k = 0; k < process->property_count; k++)
        if (process->properties[k].alike)
            set_text(model, archive, process->properties[k].key, process->properties[k].value);
}

static void write_sum(struct omptape_unify_model *model, OTF2_Archive *archive, const char *key)
{
    uint64_t sum = 0;
    bool there = false;
    for (uint32_t i = 0; i < model->process_count; i++) {
        there = there || omptape_unify_property(&model->processes[i], key) != NULL;
        if (__builtin_add_overflow(sum, omptape_unify_number(&model->processes[i], key, 0), &sum))
            sum = UINT64_MAX;
    }
    if (there)
        set_number(model, archive, key, sum);
}

static void write_sums(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
        write_sum(model, archive, sums[i]);
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        write_sum(model, archive, omptape_buckets[bucket].key);
}

/* Writes the program's name, or "2 programs: a, b". */
static void write_programs(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    char text[VALUE_BYTES] = "";
    char all[VALUE_BYTES + 64];
    struct omptape_rows programs = {.list = NULL};
    for (uint32_t i = 0; i < model->process_count; i++) {
        const char *program = omptape_unify_property(&model->processes[i], OMPTAPE_KEY_PROGRAM);
        uint32_t before = programs.count;
        omptape_rows_text(&programs, program != NULL ? program : "");
        if (programs.count > before)
            omptape_append_item(text, sizeof(text), ", ", "%s", program != NULL ? program : "?");
    }
    snprintf(all, sizeof(all), "%" PRIu32 " programs: %s", programs.count, text);
    set_text(model, archive, OMPTAPE_KEY_PROGRAM, programs.count == 1 ? text : all);
    omptape_rows_free(&programs);
}

/* Returns a weight for the reason of a process's end. A launcher ends the other ranks of a failed job by
 * signal 9 or 15, so any other end is the actual reason. */
static unsigned weight_of_end(const char *end)
{
    static const char *const light[] = {"finalize", "unknown", "signal 9", "signal 15"};
    for (unsigned i = 0; i < sizeof(light) / sizeof(light[0]); i++)
        if (strcmp(end, light[i]) == 0)
            return i;
    return sizeof(light) / sizeof(light[0]);
}

/* Writes the end with the greatest weight among all processes. */
static void write_end(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    const char *end = "finalize";
    for (uint32_t i = 0; i < model->process_count; i++) {
        const char *one = omptape_unify_property(&model->processes[i], OMPTAPE_KEY_END);
        one = one != NULL ? one : "unknown";
        end = weight_of_end(one) > weight_of_end(end) ? one : end;
    }
    set_text(model, archive, OMPTAPE_KEY_END, end);
}

static void write_warning(struct omptape_unify_model *model, OTF2_Archive *archive, unsigned *count,
                          const char *text)
{
    char key[64] = OMPTAPE_KEY_WARNING;
    if (*count > 0)
        snprintf(key, sizeof(key), OMPTAPE_KEY_WARNING "::%u", *count);
    ++*count;
    set_text(model, archive, key, text);
}

/* Writes at most MAX_WARNINGS warnings. Each process's location group has all warnings of the process. */
static void write_warnings(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    enum { MAX_WARNINGS = 200, MAX_WARNING_BYTES = 500 };
    unsigned count = 0;
    unsigned more = 0;
    char name[NAME_BYTES / 2];
    char text[VALUE_BYTES];
    for (uint32_t i = 0; i < model->kinds[OMPTAPE_UNIFY_WARNING].count && count < MAX_WARNINGS; i++)
        write_warning(model, archive, &count, omptape_rows_text_at(&model->kinds[OMPTAPE_UNIFY_WARNING], i));
    for (uint32_t i = 0; i < model->process_count; i++) {
        const struct omptape_unify_process *process = &model->processes[i];
        for (uint32_t k = 0; k < process->property_count; k++) {
            const struct omptape_unify_property *property = &process->properties[k];
            if (!omptape_starts_with(property->key, OMPTAPE_KEY_WARNING))
                continue;
            describe_process(model, process, name, sizeof(name));
            snprintf(text, MAX_WARNING_BYTES, "%s: %s", name, property->value);
            if (count < MAX_WARNINGS)
                write_warning(model, archive, &count, text);
            else
                more++;
        }
    }
    snprintf(text, sizeof(text), "%u more warning%s with %s", more, more == 1 ? " is" : "s are",
             more == 1 ? "its process" : "their processes");
    if (more > 0)
        write_warning(model, archive, &count, text);
}

void omptape_unify_write_properties(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    const struct omptape_unify_conversion *conversion = &model->conversion;
    long double length =
        (long double)(conversion->last - conversion->first) * 1e9L / (long double)conversion->resolution;
    write_alike(model, archive);
    set_number(model, archive, OMPTAPE_KEY_PROCESSES, model->process_count);
    set_number(model, archive, OMPTAPE_KEY_DURATION, (uint64_t)length);
    write_sums(model, archive);
    write_programs(model, archive);
    write_end(model, archive);
    write_warnings(model, archive);
}
