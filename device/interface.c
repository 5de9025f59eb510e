/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up a device's tracing entry points by name, and describes them.
 */
#include "device/interface.h"

#include "src/core/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t place; /* Offset in struct omptape_interface. */
} entries[] = {
    {"ompt_get_device_num_procs", offsetof(struct omptape_interface, get_device_num_procs)},
    {"ompt_get_device_time", offsetof(struct omptape_interface, get_device_time)},
    {"ompt_translate_time", offsetof(struct omptape_interface, translate_time)},
    {"ompt_set_trace_ompt", offsetof(struct omptape_interface, set_trace_ompt)},
    {"ompt_set_trace_native", offsetof(struct omptape_interface, set_trace_native)},
    {"ompt_start_trace", offsetof(struct omptape_interface, start_trace)},
    {"ompt_pause_trace", offsetof(struct omptape_interface, pause_trace)},
    {"ompt_flush_trace", offsetof(struct omptape_interface, flush_trace)},
    {"ompt_stop_trace", offsetof(struct omptape_interface, stop_trace)},
    {"ompt_advance_buffer_cursor", offsetof(struct omptape_interface, advance_buffer_cursor)},
    {"ompt_get_record_type", offsetof(struct omptape_interface, get_record_type)},
    {"ompt_get_record_ompt", offsetof(struct omptape_interface, get_record_ompt)},
    {"ompt_get_record_native", offsetof(struct omptape_interface, get_record_native)},
    {"ompt_get_record_abstract", offsetof(struct omptape_interface, get_record_abstract)},
    {OMPTAPE_GET_RECORD_DETAIL, offsetof(struct omptape_interface, get_record_detail)},
};
enum { ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static ompt_interface_fn_t entry_point(const struct omptape_interface *calls, size_t i)
{
    ompt_interface_fn_t function;
    memcpy(&function, (const char *)calls + entries[i].place, sizeof(function));
    return function;
}

void omptape_interface_find(struct omptape_interface *calls, ompt_function_lookup_t lookup)
{
    memset(calls, 0, sizeof(*calls));
    if (lookup == NULL)
        return;
    for (size_t i = 0; i < ENTRIES; i++) {
        ompt_interface_fn_t function = lookup(entries[i].name);
        memcpy((char *)calls + entries[i].place, &function, sizeof(function));
    }
}

ompt_interface_fn_t omptape_interface_get(const struct omptape_interface *calls, const char *name)
{
    size_t i = 0;
    while (i < ENTRIES && strcmp(entries[i].name, name) != 0)
        i++;
    return i < ENTRIES ? entry_point(calls, i) : NULL;
}

const char *omptape_interface_lacks(const struct omptape_interface *calls)
{
    bool any = false;
    for (size_t i = 0; i < ENTRIES; i++)
        any |= entry_point(calls, i) != NULL;
    if (!any)
        return "the runtime offers no tracing interface";
    if (calls->start_trace == NULL)
        return "the runtime's tracing interface lacks ompt_start_trace";
    if (calls->advance_buffer_cursor == NULL)
        return "the runtime's tracing interface lacks ompt_advance_buffer_cursor";
    if (calls->get_record_ompt == NULL && calls->get_record_abstract == NULL)
        return "the runtime's tracing interface lacks ompt_get_record_ompt and ompt_get_record_abstract";
    return NULL;
}

void omptape_lines_add(struct omptape_lines *lines, const char *format, ...)
{
    size_t capacity = sizeof(lines->text) - lines->used;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(lines->text + lines->used, capacity, format, arguments);
    va_end(arguments);
    /* One more byte for the newline. */
    if (n < 0 || (size_t)n + 1 >= capacity) {
        lines->text[lines->used] = '\0';
        return;
    }
    lines->used += (size_t)n;
    lines->text[lines->used++] = '\n';
    lines->text[lines->used] = '\0';
}

static const char *short_name(const char *name)
{
    const char *rest = omptape_text_after(name, "ompt_");
    return rest != NULL ? rest : name;
}

static void list_entries(const struct omptape_interface *calls, bool offered, const char *key,
                         struct omptape_lines *lines)
{
    char list[512] = "";
    for (size_t i = 0; i < ENTRIES; i++) {
        /* Only omptape's own producer offers the detail, so its absence is not listed. */
        bool own = strcmp(entries[i].name, OMPTAPE_GET_RECORD_DETAIL) == 0;
        if ((entry_point(calls, i) != NULL) != offered || own)
            continue;
        omptape_append_item(list, sizeof(list), ",", "%s", short_name(entries[i].name));
    }
    if (list[0] != '\0')
        omptape_lines_add(lines, "%s=%s", key, list);
}

void omptape_interface_describe(const struct omptape_interface *calls, ompt_device_t *device,
                                struct omptape_lines *lines)
{
    list_entries(calls, true, "offers", lines);
    list_entries(calls, false, "lacks", lines);
    if (calls->get_device_num_procs != NULL)
        omptape_lines_add(lines, "procs=%d", calls->get_device_num_procs(device));
}
