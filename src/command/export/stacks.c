/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges a sample's functions with its constructs (stacks.h). The innermost construct is placed first, inside
 * the innermost function with its name. An outer construct is placed in the same or an outer function.
 */
#include "src/command/export/stacks.h"

#include "src/core/array.h"
#include "src/core/buckets.h"
#include "src/replay/replay.h"

#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 4096, NOT_PLACED = UINT16_MAX };

struct construct_row {
    uint64_t enclosing; /* number of the list without this region */
    uint64_t region;
};

static void enter(void *data, struct replay_location *location, struct replay_frame *frame,
                  const struct omptape_event *event)
{
    (void)location;
    export_open_begin((struct export_open *)frame, data, event);
}

static const struct replay_observer observer = {.frame_bytes = sizeof(struct export_open), .enter = enter};

void export_stacks_follow(const struct export_stacks *stacks, struct replay_location *location,
                          const struct omptape_event *event)
{
    (void)replay_follow(&observer, (void *)(uintptr_t)stacks->reader, location, event, event->time);
}

static uint32_t number_of(struct export_stacks *stacks, uint32_t enclosing, uint64_t region)
{
    const struct construct_row row = {.enclosing = enclosing, .region = region};
    const uint32_t number = omptape_rows_number(&stacks->construct_lists, &row, sizeof(row));
    return number + 2;
}

static const struct construct_row *row_of(const struct export_stacks *stacks, uint32_t construct_list)
{
    return construct_list < 2 || construct_list - 2 >= stacks->construct_lists.count
               ? NULL
               : stacks->construct_lists.list[construct_list - 2].data;
}

uint32_t export_stacks_constructs(struct export_stacks *stacks, struct replay_location *location,
                                  size_t frame_bytes)
{
    uint32_t known = location->depth;
    uint32_t construct_list = 1;
    while (known > 0) {
        const struct export_open *open = replay_frame_at(location, known - 1, frame_bytes);
        if (open->construct_list != 0) {
            construct_list = open->construct_list;
            break;
        }
        known--;
    }
    for (; known < location->depth; known++) {
        struct export_open *open = replay_frame_at(location, known, frame_bytes);
        open->construct_list = construct_list = number_of(stacks, construct_list, open->region);
    }
    return construct_list;
}

static const struct omptape_definition *region_of(const struct export_stacks *stacks, uint64_t id)
{
    return omptape_reader_find(stacks->reader, OMPTAPE_DEF_REGION, id);
}

static const struct omptape_definition *region_at(const struct export_stacks *stacks, uint32_t construct_list)
{
    const struct construct_row *row = row_of(stacks, construct_list);
    return row != NULL ? region_of(stacks, row->region) : NULL;
}

/* Returns true for the wait region inside a barrier, taskwait, taskgroup or reduction. */
static bool is_wait(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_BARRIER_WAIT || kind == OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT ||
           kind == OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT || kind == OMPTAPE_REGION_TASKWAIT_WAIT ||
           kind == OMPTAPE_REGION_TASKGROUP_WAIT || kind == OMPTAPE_REGION_REDUCTION_WAIT;
}

static bool is_part_of(const struct omptape_definition *region, const struct omptape_definition *enclosing)
{
    const enum omptape_region_kind kind = region->region->kind;
    return enclosing != NULL && kind < OMPTAPE_REGION_CHOICES && omptape_constructs[kind].whole != 0 &&
           (is_wait(kind) || omptape_constructs[kind].whole == enclosing->region->kind);
}

static bool is_for_lock(const struct omptape_definition *region)
{
    const enum omptape_region_kind kind = region->region->kind;
    return kind < OMPTAPE_REGION_KIND_COUNT && omptape_bucket_rules[kind].rule == OMPTAPE_BUCKET_OWN &&
           omptape_bucket_rules[kind].bucket == OMPTAPE_BUCKET_LOCK;
}

/* Returns true for the body of a critical, atomic or ordered construct: who sleeps there holds the lock. */
static bool is_body(const struct omptape_definition *region)
{
    const enum omptape_region_kind kind = region->region->kind;
    return kind == OMPTAPE_REGION_CRITICAL_SBLOCK || kind == OMPTAPE_REGION_ATOMIC_SBLOCK ||
           kind == OMPTAPE_REGION_ORDERED_SBLOCK;
}

/* Follows the rules of the analysis (src/analysis/visits.c, src/analysis/sampled.c). */
const struct omptape_definition *export_stacks_attributed_region(const struct export_stacks *stacks,
                                                                 uint32_t construct_list)
{
    const struct omptape_definition *region = region_at(stacks, construct_list);
    const struct omptape_definition *attributed = region;
    if (region != NULL && is_body(region))
        return region;
    for (const struct construct_row *row = row_of(stacks, construct_list);
         row != NULL && region != NULL && !omptape_region_is_blamed(region->region->kind);
         row = row_of(stacks, (uint32_t)row->enclosing)) {
        const struct omptape_definition *enclosing = region_at(stacks, (uint32_t)row->enclosing);
        attributed = enclosing != NULL ? enclosing : attributed;
        if (enclosing == NULL || !is_for_lock(enclosing))
            region = enclosing;
    }
    return attributed != NULL && attributed->region->kind == OMPTAPE_REGION_PROGRAM ? NULL : attributed;
}

bool export_stacks_is_asleep(const struct export_stacks *stacks, uint64_t context)
{
    const struct omptape_definition *definition =
        omptape_reader_find(stacks->reader, OMPTAPE_DEF_CALLING_CONTEXT, context);
    const char *name = definition != NULL
                           ? omptape_reader_name(stacks->reader, OMPTAPE_DEF_REGION, definition->refs[0].id)
                           : "";
    return strcmp(name, OMPTAPE_FRAME_BLOCKED) == 0 || strcmp(name, OMPTAPE_FRAME_STOPPED) == 0;
}

uint64_t export_stacks_ns(const struct export_stacks *stacks, const struct omptape_event *sample)
{
    const struct omptape_definition *generator =
        omptape_reader_find(stacks->reader, OMPTAPE_DEF_INTERRUPT_GENERATOR, sample->refs[1].id);
    return generator != NULL && !export_stacks_is_asleep(stacks, sample->refs[0].id) ? generator->value[2]
                                                                                     : 0;
}

static void add_call(struct export_stacks *stacks, const struct export_call *call)
{
    (void)OMPTAPE_APPEND(stacks->calls, stacks->count, stacks->capacity, *call);
}

static void reverse(struct export_call *calls, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const struct export_call call = calls[i];
        calls[i] = calls[count - 1 - i];
        calls[count - 1 - i] = call;
    }
}

/* Returns the path of a function's module, or "". omptape stores the path in the region's description. */
static const char *module_of(const struct export_stacks *stacks, const struct omptape_definition *region)
{
    const char *path = region != NULL && region->value[1] == OTF2_PARADIGM_SAMPLING
                           ? omptape_reader_string(stacks->reader, region->refs[2].id)
                           : "";
    return path[0] == '/' ? path : "";
}

static void list_functions(struct export_stacks *stacks, uint64_t context)
{
    const struct omptape_definition *definition;
    while (stacks->count < MAX_CALLS &&
           (definition = omptape_reader_find(stacks->reader, OMPTAPE_DEF_CALLING_CONTEXT, context)) != NULL) {
        const struct omptape_definition *line =
            omptape_reader_find(stacks->reader, OMPTAPE_DEF_SOURCE_CODE_LOCATION, definition->refs[1].id);
        const struct omptape_definition *region = region_of(stacks, definition->refs[0].id);
        const struct export_call call = {
            .name = region != NULL ? region->region->label : "",
            .module = module_of(stacks, region),
            .file = omptape_reader_string(stacks->reader, line != NULL     ? line->refs[0].id
                                                          : region != NULL ? region->refs[3].id
                                                                           : OTF2_UNDEFINED_STRING),
            .line = line != NULL ? (uint32_t)line->value[0] : 0,
            .region = definition->refs[0].id};
        add_call(stacks, &call);
        if (omptape_out_of_memory)
            return;
        context = definition->refs[2].id;
    }
    reverse(stacks->calls, stacks->count);
}

/* Returns true if the construct is listed. `inner` is true if a region inside it is listed. */
static bool is_shown(const struct export_stacks *stacks, const struct construct_row *row,
                     const struct omptape_definition *region, bool inner)
{
    const enum omptape_region_kind kind = region->region->kind;
    const bool tasks_run =
        omptape_region_is_barrier(kind) || kind == OMPTAPE_REGION_TASKWAIT || is_wait(kind);
    if (kind == OMPTAPE_REGION_PROGRAM || (inner && tasks_run))
        return false;
    return !is_part_of(region, region_at(stacks, (uint32_t)row->enclosing));
}

enum match { MATCH_REGION, MATCH_FUNCTION, MATCH_FILE, MATCHES };

/* Compares a function of the path with the construct's. Unresolved code has its file's name: "[solver]". */
static bool matches(const struct export_stacks *stacks, const struct export_call *call,
                    const struct omptape_definition *region, enum match match)
{
    if (match == MATCH_REGION)
        return call->region == region->id;
    if (match == MATCH_FUNCTION)
        return strcmp(call->name, omptape_reader_string(stacks->reader, region->refs[2].id)) == 0;
    return call->name[0] == '[' &&
           strcmp(call->file, omptape_reader_string(stacks->reader, region->refs[3].id)) == 0;
}

/* Returns the innermost of the first `max` functions that contains the construct, from 1, or NOT_PLACED. */
static uint32_t find_function(const struct export_stacks *stacks, const struct omptape_definition *region,
                              uint32_t max)
{
    for (enum match match = MATCH_REGION; match < MATCHES; match++)
        for (uint32_t i = max; i > 0; i--)
            if (matches(stacks, &stacks->calls[i - 1], region, match))
                return i;
    return NOT_PLACED;
}

/* Appends the constructs after the functions, innermost first. */
static void add_constructs(struct export_stacks *stacks, uint32_t construct_list, uint32_t functions)
{
    uint32_t max = functions;
    for (const struct construct_row *row = row_of(stacks, construct_list);
         row != NULL && stacks->count < 2 * MAX_CALLS && !omptape_out_of_memory;
         row = row_of(stacks, (uint32_t)row->enclosing)) {
        const struct omptape_definition *region = region_of(stacks, row->region);
        if (region == NULL || !is_shown(stacks, row, region, stacks->count > functions))
            continue;
        const uint32_t function_depth = find_function(stacks, region, max);
        max = function_depth != NOT_PLACED ? function_depth : max;
        const struct export_call call = {.name = region->region->label,
                                         .module = "",
                                         .file = omptape_reader_string(stacks->reader, region->refs[3].id),
                                         .line = (uint32_t)region->value[2],
                                         .region = region->id,
                                         .function_depth = function_depth,
                                         .is_construct = true};
        add_call(stacks, &call);
    }
}

/* Returns the position for constructs whose functions are missing in the path, for example because of tail
 * calls. It is before the runtime's frames, or after the first frame of a truncated path. What the program
 * itself names has no function: it is after the first frame in all paths, or a flame graph has it twice. */
static uint32_t find_gap(const struct export_stacks *stacks, uint32_t count)
{
    const struct export_call *functions = stacks->calls;
    const struct omptape_definition *outermost = region_of(stacks, functions[count].region);
    uint32_t gap = count;
    if (count > 0 && functions[0].name[0] != '[' && outermost != NULL &&
        outermost->region->kind == OMPTAPE_REGION_USER)
        return 1;
    while (gap > 0 && functions[gap - 1].name[0] == '[')
        gap--;
    if (gap < count && gap > 0)
        return gap;
    return count > 0 && functions[0].name[0] == '[';
}

/* Places a construct whose function is not in the path at the position of the next outer construct. */
static void place_remaining(struct export_call *constructs, uint32_t count, uint32_t gap)
{
    uint32_t function_depth = count > 0 && constructs[0].function_depth == NOT_PLACED ? gap : 0;
    for (uint32_t i = count; i-- > 0;) /* not further inside than the constructs it contains */
        if (constructs[i].function_depth != NOT_PLACED && constructs[i].function_depth < function_depth)
            function_depth = constructs[i].function_depth;
    for (uint32_t i = 0; i < count; i++) {
        if (constructs[i].function_depth == NOT_PLACED)
            constructs[i].function_depth = function_depth;
        function_depth = constructs[i].function_depth;
    }
}

/* Inserts the constructs, which follow the functions in the array, at their positions. A worker's path may
 * begin with the region itself, which is listed only once. */
static void merge(struct export_stacks *stacks, uint32_t functions)
{
    const uint32_t all = stacks->count;
    uint32_t next = functions;
    struct export_call *merged = omptape_calloc((size_t)all + 1, sizeof(*merged));
    if (merged == NULL)
        return;
    stacks->count = 0;
    for (uint32_t i = 0; i <= functions; i++) {
        if (i > 0)
            merged[stacks->count++] = stacks->calls[i - 1];
        for (; next < all && stacks->calls[next].function_depth == i; next++)
            if (i == 0 || stacks->calls[next].region != stacks->calls[i - 1].region)
                merged[stacks->count++] = stacks->calls[next];
    }
    free(stacks->calls);
    stacks->calls = merged;
    stacks->capacity = all + 1;
}

void export_stacks_list(struct export_stacks *stacks, uint64_t context, uint32_t construct_list)
{
    stacks->count = 0;
    list_functions(stacks, context);
    const uint32_t functions = stacks->count;
    add_constructs(stacks, construct_list, functions);
    if (omptape_out_of_memory || stacks->count == functions)
        return;
    reverse(stacks->calls + functions, stacks->count - functions);
    place_remaining(stacks->calls + functions, stacks->count - functions, find_gap(stacks, functions));
    merge(stacks, functions);
}

void export_stacks_free(struct export_stacks *stacks)
{
    omptape_rows_free(&stacks->construct_lists);
    free(stacks->calls);
}
