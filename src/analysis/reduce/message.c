/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes messages to `omptape top` (message.h). Called by the writer.
 */
#include "src/analysis/reduce/message.h"

#include "src/analysis/reduce/partial.h"

#include <stdlib.h>
#include <string.h>

uint64_t *omptape_message_number(struct omptape_message_facts *facts, unsigned index)
{
    uint64_t *const fields[] = {&facts->flags,      &facts->pid,     &facts->rank,       &facts->size,
                                &facts->resolution, &facts->begin,   &facts->sums_begin, &facts->now,
                                &facts->processors, &facts->threads, &facts->alive,      &facts->records,
                                &facts->dropped,    &facts->stalled, &facts->writer_ns};
    enum { COUNT = sizeof(fields) / sizeof(fields[0]) };
    if (index < COUNT)
        return fields[index];
    return index - COUNT < OMPTAPE_BUCKET_COUNT ? &facts->books[index - COUNT] : NULL;
}

char *omptape_message_text(struct omptape_message_facts *facts, unsigned index)
{
    char *const fields[] = {facts->program, facts->host, facts->job, facts->folder};
    return index < sizeof(fields) / sizeof(fields[0]) ? fields[index] : NULL;
}

static void put_text(struct omptape_bytes *bytes, const char *text)
{
    const size_t length = strlen(text);
    omptape_bytes_put(bytes, length);
    omptape_bytes_put_raw(bytes, text, length);
}

static void put_thread(struct omptape_bytes *bytes, const struct omptape_message_thread *thread)
{
    omptape_bytes_put(bytes, thread->tid);
    omptape_bytes_put(bytes, thread->begin);
    omptape_bytes_put(bytes, thread->computing);
    omptape_bytes_put(bytes, thread->runnable);
    omptape_bytes_put(bytes, thread->blocked);
    put_text(bytes, thread->name);
}

void omptape_message_begin(struct omptape_bytes *bytes, const struct omptape_message_facts *facts,
                           const struct omptape_message_thread *others, uint32_t other_count)
{
    struct omptape_message_facts copy = *facts;
    omptape_bytes_put_raw(bytes, OMPTAPE_MESSAGE_MAGIC, OMPTAPE_MESSAGE_MAGIC_BYTES);
    for (unsigned i = 0; omptape_message_number(&copy, i) != NULL; i++)
        omptape_bytes_put(bytes, *omptape_message_number(&copy, i));
    for (unsigned i = 0; omptape_message_text(&copy, i) != NULL; i++)
        put_text(bytes, omptape_message_text(&copy, i));
    omptape_bytes_put(bytes, other_count);
    for (uint32_t i = 0; i < other_count; i++)
        put_thread(bytes, &others[i]);
}

void omptape_message_define(struct omptape_bytes *bytes, const struct omptape_definition *head,
                            const struct omptape_reference *refs, uint32_t ref_count)
{
    omptape_bytes_put(bytes, head->kind);
    omptape_bytes_put(bytes, head->id);
    omptape_bytes_put(bytes, head->member_kind);
    for (unsigned i = 0; i < sizeof(head->value) / sizeof(head->value[0]); i++)
        omptape_bytes_put(bytes, head->value[i]);
    omptape_bytes_put(bytes, ref_count);
    for (uint32_t i = 0; i < ref_count; i++) {
        omptape_bytes_put(bytes, refs[i].kind);
        omptape_bytes_put(bytes, refs[i].id);
    }
    omptape_bytes_put(bytes, head->member_count);
    for (uint32_t i = 0; i < head->member_count; i++)
        omptape_bytes_put(bytes, head->members[i]);
    omptape_bytes_put(bytes, head->text != NULL);
    if (head->text != NULL)
        put_text(bytes, head->text);
}

void omptape_message_define_all(struct omptape_bytes *bytes, const struct omptape_reader *reader)
{
    for (uint32_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *definition = reader->definitions[i];
        if (definition->kind != OMPTAPE_DEF_CALLING_CONTEXT)
            omptape_message_define(bytes, definition, definition->refs, definition->ref_count);
    }
}

void omptape_message_end(struct omptape_bytes *bytes, const struct analysis_state *pass)
{
    struct omptape_partial partial = {.bytes = NULL};
    omptape_bytes_put(bytes, OMPTAPE_DEF_NONE);
    if (pass == NULL)
        return;
    if (omptape_partial_write(&partial, pass, 0) != 0)
        bytes->failed = true;
    else
        omptape_bytes_put_raw(bytes, partial.bytes, partial.count);
    free(partial.bytes);
}
