/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes samples and their callstacks (perfetto.h).
 */
#include "src/command/export/perfetto.h"

#include <stdlib.h>

enum { MAPPING = 1, MODE_USER = 2 };

/* Writes the only mapping. Older viewers reject frames without a mapping. */
static void write_mapping(struct omptape_perfetto *perfetto, const char *path)
{
    uint64_t path_number = 1;
    Pf__InternedText text = PF__INTERNED_TEXT__INIT;
    Pf__InternedText *texts[] = {&text};
    Pf__Mapping mapping = PF__MAPPING__INIT;
    Pf__Mapping *mappings[] = {&mapping};
    Pf__InternedData data = PF__INTERNED_DATA__INIT;
    text.iid = path_number;
    text.name = (char *)path;
    mapping.has_iid = 1;
    mapping.iid = MAPPING;
    mapping.n_path_string_ids = 1;
    mapping.path_string_ids = &path_number;
    data.n_mapping_paths = data.n_mappings = 1;
    data.mapping_paths = texts;
    data.mappings = mappings;
    omptape_packets_texts(&perfetto->packets, &data);
}

static uint64_t frame_of(struct omptape_perfetto *perfetto, const struct export_call *call)
{
    const uint64_t key[] = {omptape_names_function(&perfetto->names, call->name),
                            omptape_names_source(&perfetto->names, call->file), call->line};
    const uint32_t known = perfetto->stack_frames.count;
    const uint64_t number = 1 + omptape_rows_number(&perfetto->stack_frames, key, sizeof(key));
    if (number <= known)
        return number;
    if (number == 1)
        write_mapping(perfetto, perfetto->places->groups[perfetto->places->group_count - 1].name);
    Pf__Frame frame = PF__FRAME__INIT;
    Pf__Frame *frames[] = {&frame};
    Pf__InternedData data = PF__INTERNED_DATA__INIT;
    frame.has_iid = frame.has_function_name_id = frame.has_mapping_id = frame.has_rel_pc = 1;
    frame.has_source_path_iid = call->file[0] != '\0';
    frame.has_line_number = call->line > 0;
    frame.iid = frame.rel_pc = number;
    frame.function_name_id = key[0];
    frame.mapping_id = MAPPING;
    frame.source_path_iid = key[1];
    frame.line_number = call->line;
    data.n_frames = 1;
    data.frames = frames;
    omptape_packets_texts(&perfetto->packets, &data);
    return number;
}

/* Writes a callstack and returns its number, or 0 if memory is exhausted. */
static uint64_t write_callstack(struct omptape_perfetto *perfetto, uint64_t context, uint32_t construct_list,
                                uint64_t number)
{
    struct export_stacks *stacks = &perfetto->stacks;
    Pf__Callstack callstack = PF__CALLSTACK__INIT;
    Pf__Callstack *callstacks[] = {&callstack};
    Pf__InternedData data = PF__INTERNED_DATA__INIT;
    export_stacks_list(stacks, context, construct_list);
    callstack.frame_ids = omptape_calloc(stacks->count + 1U, sizeof(*callstack.frame_ids));
    if (omptape_out_of_memory) {
        free(callstack.frame_ids);
        return 0;
    }
    for (uint32_t i = 0; i < stacks->count; i++)
        callstack.frame_ids[i] = frame_of(perfetto, &stacks->calls[i]);
    callstack.has_iid = 1;
    callstack.iid = number;
    callstack.n_frame_ids = stacks->count;
    data.n_callstacks = 1;
    data.callstacks = callstacks;
    omptape_packets_texts(&perfetto->packets, &data);
    free(callstack.frame_ids);
    return number;
}

static uint64_t callstack_of(struct omptape_perfetto *perfetto, uint64_t context, uint32_t construct_list)
{
    uint64_t number = (uint64_t)(uintptr_t)omptape_pairs_get(&perfetto->callstacks, context, construct_list);
    if (number != 0)
        return number;
    number = write_callstack(perfetto, context, construct_list, perfetto->callstacks.count + 1U);
    (void)omptape_pairs_put(&perfetto->callstacks, context, construct_list, (void *)(uintptr_t)number);
    return number;
}

void export_callstacks_sample(struct omptape_perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event)
{
    const struct omptape_export_place *place = lane->place;
    Pf__PerfSample sample = PF__PERF_SAMPLE__INIT;
    if (!perfetto->open || lane->track == 0 || place->group != place->process)
        return;
    perfetto->stacks.reader = perfetto->reader;
    const uint32_t construct_list =
        export_stacks_constructs(&perfetto->stacks, &lane->replay, sizeof(struct export_frame));
    sample.has_cpu = sample.has_pid = sample.has_tid = sample.has_callstack_iid = sample.has_cpu_mode = 1;
    sample.pid = (uint32_t)perfetto->places->groups[place->process].pid;
    sample.tid = (uint32_t)place->tid;
    sample.callstack_iid = callstack_of(perfetto, event->refs[0].id, construct_list);
    sample.cpu_mode = MODE_USER;
    if (!omptape_out_of_memory)
        omptape_packets_sample(&perfetto->packets, perfetto->now, &sample);
}

void export_callstacks_free(struct omptape_perfetto *perfetto)
{
    export_stacks_free(&perfetto->stacks);
    omptape_pairs_free(&perfetto->callstacks);
    omptape_rows_free(&perfetto->stack_frames);
}
