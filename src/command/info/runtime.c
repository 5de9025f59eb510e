/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The section of `omptape info` on the OpenMP runtime: its name and version, and its answers to the
 * registration of each callback.
 */
#include "src/command/info/state.h"
#include "src/core/words.h"

#include "src/core/events.h"
#include <ctype.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLACES = 16 };

/* The names of the archive's properties. */
struct info_properties {
    const char *const *names; /* sorted */
    uint32_t count;
};

/* Returns the part of the name after the family's prefix, or NULL if it belongs to another family. */
static const char *member_of(const char *name, const char *family)
{
    const char *rest = omptape_text_after(name, OMPTAPE_INFO_PREFIX);
    return rest != NULL ? omptape_text_after(rest, family) : NULL;
}

static void make_lower_case(char *text)
{
    for (; *text != '\0'; text++)
        *text = (char)tolower((unsigned char)*text);
}

/* Prints the names of all callbacks for which the runtime returned this answer. */
static void print_callbacks(struct info *info, const struct info_properties *properties, const char *answer,
                            const char *label)
{
    char list[INFO_TEXT_BYTES] = "";
    for (uint32_t i = 0; i < properties->count; i++) {
        const char *member = member_of(properties->names[i], "CALLBACK::");
        const char *value =
            member == NULL ? NULL : omptape_reader_property(info->reader, properties->names[i]);
        if (value != NULL && strcmp(value, answer) == 0) {
            char name[128];
            snprintf(name, sizeof(name), "%s", member);
            make_lower_case(name);
            omptape_append_item(list, sizeof(list), ", ", "%s", name);
        }
    }
    info_optional(info, label, list);
}

/* Returns the text without the prefix that the runtime puts before all names of the family. */
static const char *without_prefix(const char *text)
{
    static const char *const prefixes[] = {"ompt_state_", "ompt_mutex_impl_", "kmp_mutex_impl_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (omptape_starts_with(text, prefixes[i]))
            return text + strlen(prefixes[i]);
    return text;
}

/* Prints the values of a family, such as the names of all states. */
static void print_values(struct info *info, const struct info_properties *properties, const char *family,
                         const char *label, bool with_key, unsigned max)
{
    char list[INFO_TEXT_BYTES] = "";
    unsigned shown = 0;
    unsigned hidden = 0;
    for (uint32_t i = 0; i < properties->count; i++) {
        const char *member = member_of(properties->names[i], family);
        const char *value =
            member == NULL ? NULL : omptape_reader_property(info->reader, properties->names[i]);
        if (value == NULL)
            continue;
        if (shown >= max) {
            hidden++;
            continue;
        }
        omptape_append_item(list, sizeof(list), ", ", with_key ? "%s: %s" : "%.0s%s", member,
                            without_prefix(value));
        shown++;
    }
    if (hidden > 0)
        omptape_append(list, sizeof(list), " ... and %u more", hidden);
    info_optional(info, label, list);
}

static void print_single(struct info *info, const char *key, const char *label)
{
    char name[128];
    snprintf(name, sizeof(name), OMPTAPE_INFO_PREFIX "%s", key);
    info_optional(info, label, omptape_reader_property(info->reader, name));
}

static bool has_any(const struct info_properties *properties, const char *family)
{
    for (uint32_t i = 0; i < properties->count; i++)
        if (member_of(properties->names[i], family) != NULL)
            return true;
    return false;
}

void info_print_runtime(struct info *info)
{
    static const char *const answers[][2] = {
        {"always", "Always"},           {"sometimes", "Sometimes"},
        {"sometimes_paired", "Paired"}, {"never", "Never"},
        {"impossible", "Impossible"},   {"error", "Error"},
        {"not asked", "Not asked for"}, {OMPTAPE_UNSAFE_ERROR_CALLBACK, "Unsafe here"},
    };
    struct info_properties properties;
    properties.count = omptape_reader_properties(info->reader, &properties.names);
    if (!has_any(&properties, ""))
        return;
    info_title(info, "OpenMP runtime");
    print_single(info, "RUNTIME::VERSION", "Version");
    if (info_property_number(info, "INFO::RUNTIME::OMP_VERSION") != 0) /* libgomp does not tell */
        print_single(info, "RUNTIME::OMP_VERSION", "OpenMP");
    print_single(info, "SECOND_TOOL", "Second tool");
    print_single(info, "PROCS", "Processors");
    print_values(info, &properties, "PLACE::", "Places", true, MAX_PLACES);
    print_single(info, "DEVICES", "Devices");
    print_values(info, &properties, "DEVICE::", "", true, MAX_PLACES);
    print_values(info, &properties, "STATE::", "Thread states", false, UINT32_MAX);
    print_values(info, &properties, "MUTEX_IMPL::", "Mutexes", false, UINT32_MAX);
    if (has_any(&properties, "CALLBACK::")) {
        info_title(info, "Callbacks (what the runtime answered when they were set)");
        for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
            print_callbacks(info, &properties, answers[i][0], answers[i][1]);
    }
}
