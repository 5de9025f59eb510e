/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes folded stacks (formats.h). Stacks that differ only in threads or line numbers are merged, and the
 * lines are sorted by text.
 */
#include "src/command/export/bytes.h"
#include "src/command/export/samples.h"
#include "src/core/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folded {
    struct export_samples samples;
    struct omptape_pairs by_text; /* (0, number of the text) -> struct line */
    struct omptape_rows texts;
    struct omptape_arena arena;
    struct export_bytes text; /* of the current stack */
};

struct line {
    const char *text;
    uint64_t count;
};

/* Appends a name and replaces the separator ';' in it. */
static void put_name(struct export_bytes *text, const char *name)
{
    const size_t bytes = strlen(name);
    uint8_t *place = export_bytes_take(text, bytes);
    for (size_t i = 0; place != NULL && i < bytes; i++)
        place[i] = name[i] == ';' ? ',' : (uint8_t)name[i];
}

static void add_sample(struct folded *folded, const struct export_sample *sample)
{
    struct export_stacks *stacks = &folded->samples.stacks;
    struct export_bytes *text = &folded->text;
    if (export_stacks_is_asleep(stacks, sample->context))
        return;
    text->used = 0;
    export_stacks_list(stacks, sample->context, sample->construct_list);
    for (uint32_t i = 0; i < stacks->count; i++) {
        export_bytes_add(text, ";", i > 0);
        put_name(text, stacks->calls[i].name);
    }
    export_bytes_add(text, "", 1);
    const uint32_t number = omptape_rows_number(&folded->texts, text->data, text->used);
    struct line *line = omptape_pairs_obtain(&folded->by_text, &folded->arena, 0, number, sizeof(*line));
    if (omptape_out_of_memory)
        return;
    line->text = omptape_rows_text_at(&folded->texts, number);
    line->count += sample->count;
}

static int compare_lines(const void *left, const void *right)
{
    const struct line *one = ((const struct omptape_pair *)left)->value;
    const struct line *other = ((const struct omptape_pair *)right)->value;
    return strcmp(one->text, other->text);
}

static void write_lines(struct folded *folded, struct export_stream *stream)
{
    enum { NUMBER_BYTES = 32 };
    omptape_sort(folded->by_text.list, folded->by_text.count, sizeof(*folded->by_text.list), compare_lines);
    for (uint32_t i = 0; i < folded->by_text.count; i++) {
        const struct line *line = folded->by_text.list[i].value;
        const size_t bytes = strlen(line->text) + NUMBER_BYTES;
        char *place = (char *)export_stream_reserve(stream, bytes);
        if (place != NULL)
            stream->used += (size_t)snprintf(place, bytes, "%s %" PRIu64 "\n", line->text, line->count);
    }
}

int export_folded(const struct export_job *job)
{
    struct folded folded = {.by_text = {.count = 0}};
    int status = export_samples_read(&folded.samples, job);
    for (uint32_t i = 0; status == 0 && i < folded.samples.list.count && !omptape_out_of_memory; i++)
        add_sample(&folded, folded.samples.list.list[i].value);
    if (status == 0)
        write_lines(&folded, job->stream);
    omptape_pairs_free(&folded.by_text);
    omptape_rows_free(&folded.texts);
    omptape_arena_free(&folded.arena);
    free(folded.text.data);
    export_samples_free(&folded.samples);
    return status;
}
