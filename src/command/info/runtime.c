/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The section of `omptape info` on the OpenMP runtime: what it said of itself, and what it answered when each
 * callback was set. Called by info.c in the child process.
 */
#include "src/command/info/state.h"

#include "src/core/events.h"
#include <omptape/properties.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 16 };

/* The properties' keys begin with this; callbacks' with CALLBACK:: after it, and so on. */
static const char PREFIX[] = OMPTAPE_INFO_PREFIX;

struct properties {
    const char *const *names; /* sorted */
    uint32_t count;
};

/* What follows the family's prefix in the name, or NULL if it is not of the family. */
static const char *member_of(const char *name, const char *family)
{
    size_t prefix = strlen(PREFIX);
    if (strncmp(name, PREFIX, prefix) != 0 || strncmp(name + prefix, family, strlen(family)) != 0)
        return NULL;
    return name + prefix + strlen(family);
}

static void lower(char *text)
{
    for (; *text != '\0'; text++)
        *text = (char)tolower((unsigned char)*text);
}

/* A comma-separated list that grows. */
struct list {
    FILE *stream;
    char *text;
    size_t bytes;
    unsigned count;
};

static bool start_list(struct omptape_info *info, struct list *list)
{
    *list = (struct list){0};
    list->stream = open_memstream(&list->text, &list->bytes);
    info->no_memory = info->no_memory || list->stream == NULL;
    return list->stream != NULL;
}

static void add(struct list *list, const char *text)
{
    fprintf(list->stream, "%s%s", list->count == 0 ? "" : ", ", text);
    list->count++;
}

static void end_list(struct omptape_info *info, struct list *list, const char *label)
{
    if (fclose(list->stream) == 0)
        omptape_info_optional(info, label, list->text);
    free(list->text);
}

/* The names of all callbacks for which the runtime gave this answer. */
static void print_callbacks(struct omptape_info *info, const struct properties *properties,
                            const char *answer, const char *label)
{
    struct list list;
    if (!start_list(info, &list))
        return;
    for (uint32_t i = 0; i < properties->count; i++) {
        const char *member = member_of(properties->names[i], "CALLBACK::");
        const char *value =
            member == NULL ? NULL : omptape_reader_property(info->reader, properties->names[i]);
        if (value != NULL && strcmp(value, answer) == 0) {
            char name[128];
            snprintf(name, sizeof(name), "%s", member);
            lower(name);
            add(&list, name);
        }
    }
    end_list(info, &list, label);
}

/* The text without what the runtime puts before every name of the family. */
static const char *without_prefix(const char *text)
{
    static const char *const prefixes[] = {"ompt_state_", "ompt_mutex_impl_", "kmp_mutex_impl_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return text + strlen(prefixes[i]);
    return text;
}

/* The values of a family, such as the names of all states. */
static void print_values(struct omptape_info *info, const struct properties *properties, const char *family,
                         const char *label, bool with_key, unsigned most)
{
    struct list list;
    unsigned hidden = 0;
    if (!start_list(info, &list))
        return;
    for (uint32_t i = 0; i < properties->count; i++) {
        const char *member = member_of(properties->names[i], family);
        const char *value =
            member == NULL ? NULL : omptape_reader_property(info->reader, properties->names[i]);
        if (value == NULL)
            continue;
        if (list.count >= most) {
            hidden++;
            continue;
        }
        char text[INFO_TEXT_BYTES];
        snprintf(text, sizeof(text), with_key ? "%s: %s" : "%.0s%s", member, without_prefix(value));
        add(&list, text);
    }
    if (hidden > 0)
        fprintf(list.stream, " ... and %u more", hidden);
    end_list(info, &list, label);
}

static void print_single(struct omptape_info *info, const char *key, const char *label)
{
    char name[128];
    snprintf(name, sizeof(name), "%s%s", PREFIX, key);
    omptape_info_optional(info, label, omptape_reader_property(info->reader, name));
}

static bool has_any(const struct properties *properties, const char *family)
{
    for (uint32_t i = 0; i < properties->count; i++)
        if (member_of(properties->names[i], family) != NULL)
            return true;
    return false;
}

void omptape_info_print_runtime(struct omptape_info *info)
{
    static const char *const answers[][2] = {
        {"always", "Always"},           {"sometimes", "Sometimes"},
        {"sometimes_paired", "Paired"}, {"never", "Never"},
        {"impossible", "Impossible"},   {"error", "Error"},
        {"not asked", "Not asked for"}, {OMPTAPE_UNSAFE_ERROR_CALLBACK, "Unsafe here"},
    };
    struct properties properties;
    properties.count = omptape_reader_properties(info->reader, &properties.names);
    if (!has_any(&properties, ""))
        return;
    omptape_info_title(info, "OpenMP runtime");
    print_single(info, "RUNTIME::VERSION", "Version");
    print_single(info, "RUNTIME::OMP_VERSION", "OpenMP");
    print_single(info, "PROCS", "Processors");
    print_values(info, &properties, "PLACE::", "Places", true, MOST_PLACES);
    print_single(info, "DEVICES", "Devices");
    print_values(info, &properties, "DEVICE::", "", true, MOST_PLACES);
    print_values(info, &properties, "STATE::", "Thread states", false, UINT32_MAX);
    print_values(info, &properties, "MUTEX_IMPL::", "Mutexes", false, UINT32_MAX);
    if (has_any(&properties, "CALLBACK::")) {
        omptape_info_title(info, "Callbacks (what the runtime answered when they were set)");
        for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
            print_callbacks(info, &properties, answers[i][0], answers[i][1]);
    }
}
