/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks for what leaves an archive empty. Called by report.c.
 */
#include "writers/remarks.h"

#include "writers/regions/choice.h"
#include "writers/regions/references.h"

#include <stdio.h>

/* Did the program reach a construct, shown or not? `asked`: one that --events has a say in. */
static bool had_constructs(const struct omptape_writer *writer, bool asked)
{
    for (uint32_t i = 0; i < writer->references->count; i++) {
        enum omptape_region_kind kind = writer->references->list[i].kind;
        bool always = kind == OMPTAPE_REGION_PARALLEL || kind == OMPTAPE_REGION_TEAMS ||
                      kind == OMPTAPE_REGION_CONTROL_TOOL;
        if (kind != OMPTAPE_REGION_PROGRAM && (!asked || !always))
            return true;
    }
    return false;
}

/* Part of the events is not known: what seems to be empty may not be. */
static bool lost_events(const struct omptape_writer *writer)
{
    return writer->dropped > 0 || writer->archive.disk_reserve.full || writer->window_begin != 0;
}

static const char *why_empty(const struct omptape_writer *writer)
{
    const struct omptape_settings *options = writer->settings;
    if (options->paused != 0 && !writer->was_started)
        return "nothing was recorded: --start=paused, and the program never started it with "
               "omp_control_tool(omp_control_tool_start, ...) (LLVM's runtime ignores that before the first "
               "parallel region)";
    if (lost_events(writer))
        return NULL;
    if (!had_constructs(writer, false))
        return "the program reached no OpenMP construct: the archive has no events of any";
    if (options->some_events != 0 && !had_constructs(writer, true))
        return "--events left nothing but parallel regions: the program had none of these events";
    if (writer->choice != NULL && !omptape_choice_shows_any(writer))
        return "--filter left nothing: the program had only constructs that it hides";
    return NULL;
}

void omptape_remarks(struct omptape_writer *writer,
                     void (*add)(struct omptape_writer *writer, const char *text))
{
    char text[512];
    const char *why = why_empty(writer);
    if (why != NULL)
        add(writer, why);
    if (had_constructs(writer, false) && !lost_events(writer) &&
        omptape_choice_unmatched(writer, text, sizeof(text)))
        add(writer, text);
}
