/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads messages to `omptape top` (message.h). Separate from message.c, because a writer does not need the
 * code of findings.
 */
#include "src/analysis/reduce/message.h"

#include "src/analysis/reduce/sums.h"
#include "src/archive/read/memory.h"

#include <errno.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REFS = 16 };

/* Takes `count` raw bytes. Returns NULL if there are fewer. */
static const unsigned char *take_raw(struct omptape_bytes_rest *rest, uint64_t count)
{
    const unsigned char *at = rest->at;
    rest->bad = rest->bad || count > (uint64_t)(rest->end - rest->at);
    if (rest->bad)
        return NULL;
    rest->at += count;
    return at;
}

static void take_text(struct omptape_bytes_rest *rest, char *text, size_t bytes)
{
    const uint64_t length = omptape_bytes_take(rest);
    const unsigned char *from = take_raw(rest, length);
    const size_t kept = from == NULL ? 0 : length < bytes ? (size_t)length : bytes - 1;
    if (kept > 0)
        memcpy(text, from, kept);
    text[kept] = '\0';
}

static void take_facts(struct omptape_bytes_rest *rest, struct omptape_message_facts *facts)
{
    const unsigned char *magic = take_raw(rest, OMPTAPE_MESSAGE_MAGIC_BYTES);
    rest->bad = rest->bad || memcmp(magic, OMPTAPE_MESSAGE_MAGIC, OMPTAPE_MESSAGE_MAGIC_BYTES) != 0;
    for (unsigned i = 0; omptape_message_number(facts, i) != NULL; i++)
        *omptape_message_number(facts, i) = omptape_bytes_take(rest);
    for (unsigned i = 0; omptape_message_text(facts, i) != NULL; i++)
        take_text(rest, omptape_message_text(facts, i), OMPTAPE_MESSAGE_TEXT_BYTES);
}

/* Takes the threads that OpenMP does not know, at least a byte for each field. */
static bool take_others(struct omptape_bytes_rest *rest, struct omptape_message *message)
{
    enum { FIELDS = 6 };
    const uint64_t announced = omptape_bytes_take(rest);
    rest->bad = rest->bad || announced > (uint64_t)(rest->end - rest->at) / FIELDS;
    const uint32_t count = rest->bad ? 0 : (uint32_t)announced;
    message->others = omptape_calloc(count + (size_t)1, sizeof(*message->others));
    if (message->others == NULL)
        return false;
    for (; message->other_count < count && !rest->bad; message->other_count++) {
        struct omptape_message_thread *thread = &message->others[message->other_count];
        thread->tid = omptape_bytes_take(rest);
        thread->begin = omptape_bytes_take(rest);
        thread->computing = omptape_bytes_take(rest);
        thread->runnable = omptape_bytes_take(rest);
        thread->blocked = omptape_bytes_take(rest);
        take_text(rest, thread->name, sizeof(thread->name));
        /* Readers search the list. */
        rest->bad = rest->bad || (message->other_count > 0 && thread->tid <= thread[-1].tid);
    }
    return true;
}

static uint32_t take_refs(struct omptape_bytes_rest *rest, struct omptape_reference refs[MAX_REFS])
{
    const uint64_t count = omptape_bytes_take(rest);
    rest->bad = rest->bad || count > MAX_REFS;
    for (uint64_t i = 0; i < count && !rest->bad; i++) {
        const uint64_t kind = omptape_bytes_take(rest);
        rest->bad = rest->bad || kind >= OMPTAPE_DEF_KINDS;
        refs[i] = omptape_reader_refer((enum omptape_definition_kind)kind, omptape_bytes_take(rest));
    }
    return rest->bad ? 0 : (uint32_t)count;
}

/* Takes the members of a definition, at least one byte each. The caller frees them. */
static uint64_t *take_members(struct omptape_bytes_rest *rest, uint32_t *count)
{
    const uint64_t announced = omptape_bytes_take(rest);
    rest->bad = rest->bad || announced > (uint64_t)(rest->end - rest->at);
    uint64_t *members = rest->bad ? NULL : omptape_calloc(announced + 1, sizeof(*members));
    *count = members != NULL ? (uint32_t)announced : 0;
    for (uint32_t i = 0; i < *count; i++)
        members[i] = omptape_bytes_take(rest);
    return members;
}

static char *take_long_text(struct omptape_bytes_rest *rest)
{
    const uint64_t length = omptape_bytes_take(rest);
    const unsigned char *from = take_raw(rest, length);
    return from != NULL ? strndup((const char *)from, (size_t)length) : NULL;
}

/* Returns true if a definition has what readers use unchecked: enough references, and a string's text. */
static bool is_whole(const struct omptape_definition *head, uint32_t ref_count)
{
    static const uint8_t least[OMPTAPE_DEF_KINDS] = {
        [OMPTAPE_DEF_ATTRIBUTE] = 1,       [OMPTAPE_DEF_SYSTEM_TREE_NODE] = 1,
        [OMPTAPE_DEF_LOCATION_GROUP] = 3,  [OMPTAPE_DEF_LOCATION] = 2,
        [OMPTAPE_DEF_REGION] = 4,          [OMPTAPE_DEF_GROUP] = 1,
        [OMPTAPE_DEF_METRIC_MEMBER] = 1,   [OMPTAPE_DEF_COMM] = 3,
        [OMPTAPE_DEF_PARAMETER] = 1,       [OMPTAPE_DEF_RMA_WIN] = 2,
        [OMPTAPE_DEF_CALLING_CONTEXT] = 3, [OMPTAPE_DEF_SOURCE_CODE_LOCATION] = 1,
        [OMPTAPE_DEF_PROPERTY] = 2,        [OMPTAPE_DEF_INTERRUPT_GENERATOR] = 1};
    if (head->kind >= OMPTAPE_DEF_KINDS || ref_count < least[head->kind])
        return false;
    if (head->kind == OMPTAPE_DEF_METRIC && head->value[0] != 0)
        return ref_count > 0;
    return head->kind != OMPTAPE_DEF_STRING || head->text != NULL;
}

/* Takes a definition of this kind. Returns false if out of memory or the message is damaged. */
static bool take_definition(struct omptape_bytes_rest *rest, struct omptape_reader *reader, uint64_t kind)
{
    struct omptape_reference refs[MAX_REFS];
    struct omptape_definition head = {.kind = (enum omptape_definition_kind)kind};
    head.id = omptape_bytes_take(rest);
    head.member_kind = (enum omptape_definition_kind)omptape_bytes_take(rest);
    for (unsigned i = 0; i < sizeof(head.value) / sizeof(head.value[0]); i++)
        head.value[i] = omptape_bytes_take(rest);
    const uint32_t ref_count = take_refs(rest, refs);
    uint64_t *members = take_members(rest, &head.member_count);
    char *text = omptape_bytes_take(rest) != 0 ? take_long_text(rest) : NULL;
    head.members = members;
    head.text = text;
    rest->bad = rest->bad || !is_whole(&head, ref_count) || head.member_kind >= OMPTAPE_DEF_KINDS;
    bool good = !rest->bad && omptape_reader_define(reader, &head, refs, ref_count) != NULL;
    free(members);
    free(text);
    return good;
}

static int analyse(struct omptape_message *message, const unsigned char *bytes, size_t count)
{
    static const struct omptape_analysis_options options = {.is_running = true};
    struct analysis_plan plan;
    char error[OMPTAPE_READER_ERROR_BYTES];
    int status = omptape_analysis_plan_make(&plan, message->reader, &options);
    struct analysis_state *sums = status == 0 ? omptape_analysis_sums_begin(&plan) : NULL;
    if (sums == NULL)
        status = -ENOMEM;
    if (status == 0 && count > 0)
        status = omptape_analysis_add_partial(sums, bytes, count, 0, error, sizeof(error));
    if (status == 0)
        status = omptape_analysis_conclude(&message->analysis, sums, error, sizeof(error));
    omptape_analysis_sums_free(sums);
    omptape_analysis_plan_free(&plan);
    return status == 0 || status == -ENOMEM ? status : -EBADMSG;
}

/* Sets the archive properties that findings use (include/omptape/properties.h). */
static bool set_properties(struct omptape_reader *reader, const struct omptape_message_facts *facts)
{
    char processors[24];
    (void)snprintf(processors, sizeof(processors), "%llu", (unsigned long long)facts->processors);
    return omptape_reader_set_property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PROGRAM, facts->program) &&
           omptape_reader_set_property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PROCESSORS, processors) &&
           omptape_reader_set_property(reader, OMPTAPE_INFO_PREFIX "PROCS", processors);
}

int omptape_message_read(struct omptape_message *message, const void *bytes, size_t count)
{
    struct omptape_bytes_rest rest = {.at = bytes, .end = (const unsigned char *)bytes + count};
    uint64_t kind;
    *message = (struct omptape_message){.reader = NULL};
    take_facts(&rest, &message->facts);
    if (!take_others(&rest, message))
        return -ENOMEM;
    if (rest.bad)
        return -EBADMSG;
    message->reader = omptape_reader_of_memory(message->facts.resolution);
    if (message->reader == NULL)
        return -ENOMEM;
    message->reader->clock_offset = message->facts.begin;
    while ((kind = omptape_bytes_take(&rest)) != OMPTAPE_DEF_NONE)
        if (!take_definition(&rest, message->reader, kind))
            return rest.bad ? -EBADMSG : -ENOMEM;
    if (!rest.bad && !set_properties(message->reader, &message->facts))
        return -ENOMEM;
    return rest.bad ? -EBADMSG : analyse(message, rest.at, (size_t)(rest.end - rest.at));
}

void omptape_message_free(struct omptape_message *message)
{
    free(message->others);
    omptape_analysis_free(message->analysis);
    omptape_reader_free_memory(message->reader);
    *message = (struct omptape_message){.reader = NULL};
}
