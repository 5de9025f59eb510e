/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes samples and their callstacks (perfetto.h).
 */
#include "src/command/export/perfetto.h"

enum { MAPPING = 1, MODE_USER = 2 };

/* Fields of InternedData. */
enum { FRAMES = 6, CALLSTACKS = 7, MAPPING_PATHS = 17, MAPPINGS = 19 };

/* Writes the only mapping. Older viewers reject frames without a mapping. */
static void write_mapping(struct perfetto *perfetto, const char *path)
{
    enum { NUMBER = 1, PATH = 7, PATH_NUMBER = 1 };
    struct export_bytes *texts = &perfetto->packets.body;
    packets_add_text(&perfetto->packets, MAPPING_PATHS, PATH_NUMBER, path);
    const uint32_t mapping = protobuf_begin(texts, MAPPINGS);
    protobuf_number(texts, NUMBER, MAPPING);
    protobuf_number(texts, PATH, PATH_NUMBER);
    protobuf_end(texts, mapping);
    packets_texts(&perfetto->packets);
}

static uint64_t frame_of(struct perfetto *perfetto, const struct export_call *call)
{
    enum { NUMBER = 1, FUNCTION = 2, IN_MAPPING = 3, ADDRESS = 4, SOURCE = 5, LINE = 6 };
    const uint64_t key[] = {names_function(&perfetto->names, call->name),
                            names_source(&perfetto->names, call->file), call->line};
    struct export_bytes *texts = &perfetto->packets.body;
    const uint32_t known = perfetto->stack_frames.count;
    const uint64_t number = 1 + omptape_rows_number(&perfetto->stack_frames, key, sizeof(key));
    if (number <= known)
        return number;
    if (number == 1)
        write_mapping(perfetto, perfetto->places->groups[perfetto->places->group_count - 1].name);
    const uint32_t frame = protobuf_begin(texts, FRAMES);
    protobuf_number(texts, NUMBER, number);
    protobuf_number(texts, FUNCTION, key[0]);
    protobuf_number(texts, IN_MAPPING, MAPPING);
    protobuf_number(texts, ADDRESS, number);
    if (call->file[0] != '\0')
        protobuf_number(texts, SOURCE, key[1]);
    if (call->line > 0)
        protobuf_number(texts, LINE, call->line);
    protobuf_end(texts, frame);
    packets_texts(&perfetto->packets);
    return number;
}

/* Writes a callstack after its frames. */
static void write_callstack(struct perfetto *perfetto, uint64_t context, uint32_t construct_list,
                            uint64_t number)
{
    enum { NUMBER = 1, FRAME = 2 };
    struct export_stacks *stacks = &perfetto->stacks;
    struct export_bytes *texts = &perfetto->packets.body;
    export_stacks_list(stacks, context, construct_list);
    for (uint32_t i = 0; i < stacks->count && !omptape_out_of_memory; i++)
        (void)frame_of(perfetto, &stacks->calls[i]);
    const uint32_t callstack = protobuf_begin(texts, CALLSTACKS);
    protobuf_number(texts, NUMBER, number);
    for (uint32_t i = 0; i < stacks->count && !omptape_out_of_memory; i++)
        protobuf_number(texts, FRAME, frame_of(perfetto, &stacks->calls[i]));
    protobuf_end(texts, callstack);
    packets_texts(&perfetto->packets);
}

static uint64_t callstack_of(struct perfetto *perfetto, uint64_t context, uint32_t construct_list)
{
    uint64_t number = (uint64_t)(uintptr_t)omptape_pairs_get(&perfetto->callstacks, context, construct_list);
    if (number != 0)
        return number;
    number = perfetto->callstacks.count + 1U;
    write_callstack(perfetto, context, construct_list, number);
    (void)omptape_pairs_put(&perfetto->callstacks, context, construct_list, (void *)(uintptr_t)number);
    return number;
}

void export_callstacks_sample(struct perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event)
{
    const struct export_place *place = lane->place;
    enum { PROCESSOR = 1, PID = 2, TID = 3, CALLSTACK = 4, MODE = 5 };
    struct export_bytes *sample = &perfetto->packets.body;
    if (!perfetto->open || lane->track == 0 || place->group != place->process)
        return;
    perfetto->stacks.reader = perfetto->reader;
    const uint32_t construct_list =
        export_stacks_constructs(&perfetto->stacks, &lane->replay, sizeof(struct export_frame));
    const uint64_t callstack = callstack_of(perfetto, event->refs[0].id, construct_list);
    protobuf_number(sample, PROCESSOR, 0);
    protobuf_number(sample, PID, (uint32_t)perfetto->places->groups[place->process].pid);
    protobuf_number(sample, TID, (uint32_t)place->tid);
    protobuf_number(sample, CALLSTACK, callstack);
    protobuf_number(sample, MODE, MODE_USER);
    packets_sample(&perfetto->packets, perfetto->now);
}

void export_callstacks_free(struct perfetto *perfetto)
{
    export_stacks_free(&perfetto->stacks);
    omptape_pairs_free(&perfetto->callstacks);
    omptape_rows_free(&perfetto->stack_frames);
}
