/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables (tables.h) as bytes, and back (partial.h). Numbers have seven bits in each byte, the lowest first,
 * since most are small. At the end is a hash of all: what is cut or was written in part is found out.
 */
#include "src/analysis/parts/partial.h"

#include "src/analysis/parts/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = "omptpart";
enum { VERSION = 1, HASH_BYTES = 8, NUMBER_BYTES = 10, LEAST_BYTES = sizeof(MAGIC) + HASH_BYTES };

static bool put_bytes(struct omptape_partial *partial, const void *bytes, size_t count)
{
    if (partial->room - partial->count < count) {
        size_t room = 2 * partial->room + count + 4096;
        unsigned char *grown = realloc(partial->bytes, room);
        if (grown == NULL)
            return false;
        partial->bytes = grown;
        partial->room = room;
    }
    memcpy(partial->bytes + partial->count, bytes, count);
    partial->count += count;
    return true;
}

static bool put(struct omptape_partial *partial, uint64_t number)
{
    unsigned char bytes[NUMBER_BYTES];
    size_t count = 0;
    for (; number > 0x7F; number >>= 7)
        bytes[count++] = (unsigned char)(number | 0x80);
    bytes[count++] = (unsigned char)number;
    return put_bytes(partial, bytes, count);
}

/* Of the tables' fields: other ones make other bytes. */
static uint64_t layout(void)
{
    uint64_t hash = VERSION;
    for (uint32_t i = 0; i < omptape_analysis_table_count; i++) {
        const struct analysis_table *table = &omptape_analysis_tables[i];
        uint64_t parts[4] = {hash, omptape_hash_key(table->name, strlen(table->name)), 0, 0};
        for (uint32_t j = 0; j < table->field_count; j++) {
            parts[2] = parts[2] * 31 + table->fields[j].bytes;
            parts[3] = parts[3] * 31 + table->fields[j].rule;
        }
        hash = omptape_hash_key(parts, sizeof(parts));
    }
    return hash;
}

static uint32_t entries_of(const struct analysis_state *state, const struct analysis_table *table)
{
    struct analysis_entry entry;
    uint32_t count = 0;
    for (uint32_t i = 0; table->at(state, table, i, &entry); i++)
        count += entry.value != NULL;
    return count;
}

static bool put_table(struct omptape_partial *partial, const struct analysis_state *state,
                      const struct analysis_table *table)
{
    struct analysis_entry entry;
    uint64_t numbers[ANALYSIS_MOST_NUMBERS];
    uint32_t count = omptape_analysis_table_numbers(table);
    bool good = put(partial, entries_of(state, table));
    for (uint32_t i = 0; good && table->at(state, table, i, &entry); i++) {
        if (entry.value == NULL)
            continue;
        omptape_analysis_entry_read(table, entry.value, numbers);
        good = put(partial, entry.key[0]) && put(partial, entry.key[1]);
        for (uint32_t j = 0; good && j < count; j++)
            good = put(partial, numbers[j]);
    }
    return good;
}

int omptape_partial_write(struct omptape_partial *partial, const struct analysis_state *pass,
                          uint64_t identity)
{
    *partial = (struct omptape_partial){0};
    bool good = put_bytes(partial, MAGIC, sizeof(MAGIC)) && put(partial, layout()) && put(partial, identity);
    for (uint32_t i = 0; good && i < omptape_analysis_table_count; i++)
        good = put_table(partial, pass, &omptape_analysis_tables[i]);
    uint64_t hash = good ? omptape_hash_key(partial->bytes, partial->count) : 0;
    return good && put_bytes(partial, &hash, HASH_BYTES) ? 0 : -ENOMEM;
}

/* What is still to be read. */
struct rest {
    const unsigned char *at;
    const unsigned char *end;
    bool bad;
};

static uint64_t take(struct rest *rest)
{
    uint64_t number = 0;
    for (unsigned shift = 0; rest->at < rest->end && shift < 64; shift += 7) {
        unsigned char byte = *rest->at++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte <= 0x7F)
            return number;
    }
    rest->bad = true;
    return 0;
}

static int begin(struct rest *rest, const void *bytes, size_t count, uint64_t identity)
{
    uint64_t hash = 0;
    if (count < LEAST_BYTES)
        return -EBADMSG;
    *rest = (struct rest){.at = (const unsigned char *)bytes + sizeof(MAGIC),
                          .end = (const unsigned char *)bytes + count - HASH_BYTES};
    memcpy(&hash, rest->end, HASH_BYTES);
    if (memcmp(bytes, MAGIC, sizeof(MAGIC)) != 0 || hash != omptape_hash_key(bytes, count - HASH_BYTES))
        return -EBADMSG;
    bool same = take(rest) == layout() && take(rest) == identity;
    return rest->bad ? -EBADMSG : same ? 0 : -ESTALE;
}

int omptape_partial_check(const void *bytes, size_t count, uint64_t identity)
{
    struct rest rest;
    return begin(&rest, bytes, count, identity);
}

static int add_entry(struct analysis_state *sums, const struct analysis_table *table, const uint64_t key[2],
                     const uint64_t *numbers)
{
    void *entry = table->make(sums, table, key);
    if (sums->no_memory)
        return -ENOMEM;
    if (entry == NULL || !omptape_analysis_entry_add(table, entry, numbers))
        return -EBADMSG;
    return table->added == NULL || table->added(sums, entry) ? 0 : -EEXIST;
}

static int add_table(struct analysis_state *sums, const struct analysis_table *table, struct rest *rest)
{
    uint64_t numbers[ANALYSIS_MOST_NUMBERS];
    uint32_t numbers_each = omptape_analysis_table_numbers(table);
    uint64_t entries = take(rest);
    int status = 0;
    for (uint64_t i = 0; i < entries && status == 0; i++) {
        uint64_t key[2] = {take(rest), 0};
        key[1] = take(rest);
        for (uint32_t j = 0; j < numbers_each; j++)
            numbers[j] = take(rest);
        status = rest->bad ? -EBADMSG : add_entry(sums, table, key, numbers);
    }
    return rest->bad ? -EBADMSG : status;
}

int omptape_partial_add(struct analysis_state *sums, const void *bytes, size_t count, uint64_t identity)
{
    struct rest rest;
    int status = begin(&rest, bytes, count, identity);
    for (uint32_t i = 0; i < omptape_analysis_table_count && status == 0; i++)
        status = add_table(sums, &omptape_analysis_tables[i], &rest);
    return status == 0 && rest.at != rest.end ? -EBADMSG : status;
}

/* Definitions as far as keys and times depend on them. */
uint64_t omptape_partial_identity(const struct analysis_plan *plan)
{
    const struct omptape_reader *reader = plan->reader;
    const struct omptape_analysis_options *options = plan->options;
    uint64_t facts[] = {reader->definition_count,
                        reader->clock_resolution,
                        reader->clock_offset,
                        reader->clock_length,
                        reader->clock_realtime,
                        options != NULL ? options->from : 0,
                        options != NULL ? options->to : 0,
                        plan->count,
                        plan->events};
    uint64_t hash = omptape_hash_key(facts, sizeof(facts));
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct analysis_planned *process = &plan->processes[i];
        uint64_t more[] = {hash, process->group->id, process->events,
                           omptape_hash_key(process->locations, process->location_count * sizeof(uint64_t))};
        hash = omptape_hash_key(more, sizeof(more));
    }
    return hash;
}
