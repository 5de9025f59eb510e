/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the program names itself: regions, steps and marks (include/omptape/omptape.h).
 */
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <stdio.h>

enum { STEP = 1 };

/* The region of the name that begins at this word of the payload. */
static OTF2_RegionRef region_of(struct omptape_writer *writer, const struct omptape_record *record,
                                size_t first)
{
    char name[1024];
    const size_t room = ((size_t)record->words - OMPTAPE_RECORD_HEADER_WORDS - first) * sizeof(record->p[0]);
    snprintf(name, sizeof(name), "%.*s", (int)room, (const char *)&record->p[first]);
    return omptape_references_get_named(writer, OMPTAPE_REGION_USER, name);
}

/* The open step of that name; NULL: there is none. */
static struct omptape_open_region *find_step(const struct omptape_location *location, OTF2_RegionRef region)
{
    struct omptape_open_region *open = location->stack.top;
    while (open != location->stack.floor &&
           !(omptape_stack_is(open, OMPTAPE_CLASS_USER, STEP, 0) && open->region == region))
        open--;
    return open != location->stack.floor ? open : NULL;
}

static struct omptape_open_region *innermost(const struct omptape_location *location)
{
    return omptape_stack_find(location, OMPTAPE_CLASS_USER, OMPTAPE_ANY_KEY, 0);
}

/* A step ends the one before of its name, and what was left open in that. */
void omptape_user_translate_begin(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    const OTF2_RegionRef region = region_of(writer, record, 2);
    const bool is_step = record->a == STEP;
    if (region == OTF2_UNDEFINED_REGION)
        return;
    struct omptape_open_region *before = is_step ? find_step(location, region) : NULL;
    if (before != NULL)
        omptape_stack_leave(writer, location, time, before, false);
    omptape_stack_enter(writer, location, time,
                        &(struct omptape_enter){.kind = OMPTAPE_REGION_USER,
                                                .class = OMPTAPE_CLASS_USER,
                                                .key = is_step ? STEP : 0,
                                                .site = writer->references->list[region].site,
                                                .region = region});
    struct omptape_open_region *open = omptape_stack_innermost(location);
    if (is_step && open != NULL && open->written)
        omptape_archive_parameter_u64(&writer->archive, location->events, location->last,
                                      OMPTAPE_PARAMETER_STEP, record->p[1]);
}

void omptape_user_translate_end(struct omptape_writer *writer, struct omptape_location *location,
                      const struct omptape_record *record, uint64_t time)
{
    struct omptape_open_region *open = innermost(location);
    (void)record;
    if (open != NULL)
        omptape_stack_leave(writer, location, time, open, false);
}

void omptape_user_translate_mark(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record, uint64_t time)
{
    const OTF2_RegionRef region = region_of(writer, record, 1);
    if (region != OTF2_UNDEFINED_REGION)
        omptape_stack_mark(writer, location, time,
                           &(struct omptape_enter){.kind = OMPTAPE_REGION_USER,
                                                   .class = OMPTAPE_CLASS_INNER,
                                                   .site = writer->references->list[region].site,
                                                   .region = region});
}
