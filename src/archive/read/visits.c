/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds visits of regions (visits.h).
 */
#include "src/archive/read/visits.h"

#include "src/archive/read/regions.h"
#include "src/core/message.h"

#include <errno.h>
#include <omptape/locations.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct visitor {
    uint32_t depth; /* nesting depth of visits */
    uint64_t count;
    bool inside;       /* inside the wanted visit */
    uint64_t entered;  /* time of the innermost Enter of a visit */
    bool is_innermost; /* no other region has been entered since */
    uint32_t numbered; /* depth of the outermost open step with a number; 0: none */
    bool inside_step;  /* that step has the wanted number */
};

struct search {
    struct omptape_reader *reader;
    struct omptape_arena arena;
    struct omptape_pairs regions;   /* (0, id) -> definition, for regions with the name */
    struct omptape_pairs locations; /* (0, id) -> visitor */
    bool of_all;                    /* visits are counted over all threads */
    uint64_t wanted;
    uint64_t count; /* maximum per thread, or total over all threads */
    uint64_t open;  /* number of threads inside the wanted visit */
    uint64_t last;  /* time of the last event */
    bool found;
    struct omptape_visit visit;
    bool of_steps;   /* user regions, which may have step numbers */
    uint64_t steps;  /* number of step numbers found */
    bool found_step; /* a step with the wanted number was found */
    bool any_step;   /* steps of any name count */
    struct omptape_visit step;
    bool no_memory;
};

/* Compares a label with a text, ignoring spaces. */
static bool is_called(const char *name, const char *text, size_t length)
{
    const char *end = text + length;
    while (true) {
        while (*name == ' ')
            name++;
        while (text < end && *text == ' ')
            text++;
        if (*name == '\0' || text == end)
            return *name == '\0' && text == end;
        if (*name++ != *text++)
            return false;
    }
}

bool omptape_region_is_of_teams(uint64_t role)
{
    switch (role) {
    case OTF2_REGION_ROLE_PARALLEL:
    case OTF2_REGION_ROLE_LOOP:
    case OTF2_REGION_ROLE_SECTIONS:
    case OTF2_REGION_ROLE_SINGLE:
    case OTF2_REGION_ROLE_WORKSHARE:
    case OTF2_REGION_ROLE_MASTER:
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return true;
    default:
        return false;
    }
}

static bool find_regions(struct search *search, const char *text, size_t length)
{
    const struct omptape_reader *reader = search->reader;
    for (uint32_t i = 0; i < reader->definition_count; i++) {
        struct omptape_definition *region = reader->definitions[i];
        const bool is_step = region->kind == OMPTAPE_DEF_REGION && region->value[1] == OTF2_PARADIGM_USER;
        if (region->kind != OMPTAPE_DEF_REGION ||
            !((search->any_step && is_step) || is_called(region->region->label, text, length)))
            continue;
        search->of_steps = search->of_steps || is_step;
        search->of_all = search->of_all || !omptape_region_is_of_teams(region->value[0]);
        if (omptape_pairs_put(&search->regions, 0, region->id, region) != 0)
            search->no_memory = true;
    }
    return search->regions.count > 0;
}

/* Parses "NAME:3" or "NAME". */
static int read_text(struct search *search, const char *text, char *error, size_t error_bytes)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    search->wanted = 1;
    if (find_regions(search, text, strlen(text)))
        return 0;
    if (colon != NULL && colon[1] >= '0' && colon[1] <= '9') {
        search->wanted = strtoull(colon + 1, &end, 10);
        if (*end == '\0' && find_regions(search, text, (size_t)(colon - text)) &&
            (search->wanted > 0 || search->of_steps))
            return 0;
        search->any_step = *end == '\0' && is_called("step", text, (size_t)(colon - text));
        if (search->any_step && find_regions(search, text, 0))
            return 0;
    }
    return omptape_fail(error, error_bytes, -EINVAL,
                        "no region is called %.80s (omptape report --all lists them)", text);
}

/* Assigns a step number to the innermost visit. Steps within a step are ignored. */
static void number(struct search *search, struct visitor *visitor, uint64_t number, uint64_t time)
{
    if (!visitor->is_innermost || visitor->depth == 0)
        return;
    search->steps++;
    if (visitor->numbered > 0)
        return;
    visitor->numbered = visitor->depth;
    visitor->inside_step = number == search->wanted;
    if (!visitor->inside_step)
        return;
    if (!search->found_step || visitor->entered < search->step.begin)
        search->step.begin = visitor->entered;
    search->found_step = true;
    search->step.end = time > search->step.end ? time : search->step.end;
}

static void leave_step(struct search *search, struct visitor *visitor, uint64_t time)
{
    if (visitor->depth == 0 || visitor->depth != visitor->numbered)
        return;
    visitor->numbered = 0;
    if (visitor->inside_step)
        search->step.end = time > search->step.end ? time : search->step.end;
    visitor->inside_step = false;
}

static void enter(struct search *search, struct visitor *visitor, uint64_t time)
{
    visitor->entered = time;
    visitor->is_innermost = true;
    if (visitor->depth++ > 0)
        return;
    visitor->count++;
    search->count = search->of_all                   ? search->count + 1
                    : visitor->count > search->count ? visitor->count
                                                     : search->count;
    if ((search->of_all ? search->count : visitor->count) != search->wanted)
        return;
    if (!search->found)
        search->visit = (struct omptape_visit){.begin = time, .end = time};
    search->found = true;
    visitor->inside = true;
    search->open++;
}

static void leave(struct search *search, struct visitor *visitor, uint64_t time)
{
    leave_step(search, visitor, time);
    if (visitor->depth == 0)
        return;
    visitor->depth--;
    if (visitor->depth > 0 || !visitor->inside)
        return;
    visitor->inside = false;
    search->open--;
    search->visit.end = time;
}

static bool is_number(const struct search *search, const struct omptape_event *event)
{
    return search->of_steps && event->kind == OMPTAPE_EVENT_PARAMETER &&
           event->refs[0].id == search->reader->attribute_ids[READER_STEP];
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct search *search = data;
    const bool numbers = is_number(search, event);
    const bool enters = event->kind == OMPTAPE_EVENT_ENTER;
    const bool visits = (enters || event->kind == OMPTAPE_EVENT_LEAVE) &&
                        omptape_pairs_get(&search->regions, 0, event->refs[0].id) != NULL;
    search->last = event->time;
    if (!numbers && !visits && !(enters && search->of_steps))
        return true;
    struct visitor *visitor =
        omptape_pairs_obtain(&search->locations, &search->arena, 0, event->location, sizeof(*visitor));
    if (visitor == NULL)
        search->no_memory = true;
    else if (numbers)
        number(search, visitor, event->value[1], event->time);
    else if (!visits)
        visitor->is_innermost = false;
    else if (enters)
        enter(search, visitor, event->time);
    else
        leave(search, visitor, event->time);
    return !search->no_memory && !(search->of_all && !search->of_steps && search->found && search->open == 0);
}

static int run(struct search *search, const char *text, char *error, size_t error_bytes)
{
    int status = read_text(search, text, error, error_bytes);
    if (status == 0)
        status = omptape_reader_read_events(search->reader, on_event, search, error, error_bytes);
    if (status == 0 && search->open > 0)
        search->visit.end = search->last;
    if (search->steps > 0) {
        search->found = search->found_step;
        search->visit = search->step;
    }
    if (status == 0 && search->no_memory) {
        status = omptape_fail(error, error_bytes, -ENOMEM, "out of memory");
    } else if (status == 0 && !search->found && search->steps > 0) {
        status = omptape_fail(error, error_bytes, -EINVAL, "%.80s: no step has that number", text);
    } else if (status == 0 && !search->found) {
        const bool one = search->count == 1;
        status = omptape_fail(error, error_bytes, -EINVAL, "%.80s: %s %llu %s", text,
                              !search->of_all ? "each thread has at most"
                              : one           ? "there is"
                                              : "there are",
                              (unsigned long long)search->count, one ? "visit" : "visits");
    }
    return status;
}

int omptape_visit_find(struct omptape_visit *visit, const char *path, const char *text, char *error,
                       size_t error_bytes)
{
    struct search search = {.reader = NULL};
    int status = omptape_reader_open(&search.reader, path, error, error_bytes);
    if (status != 0)
        return status;
    status = run(&search, text, error, error_bytes);
    *visit = search.visit;
    omptape_pairs_free(&search.regions);
    omptape_pairs_free(&search.locations);
    omptape_arena_free(&search.arena);
    omptape_reader_close(search.reader);
    return status;
}

bool omptape_locations_are_plain(const struct omptape_reader *reader)
{
    uint32_t locations = 0;
    uint32_t groups = 0;
    for (uint32_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *definition = reader->definitions[i];
        groups += definition->kind == OMPTAPE_DEF_LOCATION_GROUP;
        locations += definition->kind == OMPTAPE_DEF_LOCATION;
        if (definition->kind == OMPTAPE_DEF_LOCATION && omptape_location_index(definition->id) > 0)
            return false;
    }
    return locations > groups;
}
