/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serialises tables (table.h) and adds them (partial.h). A hash at the end detects incomplete data.
 */
#include "src/analysis/reduce/partial.h"

#include "src/analysis/reduce/byte_coding.h"
#include "src/analysis/reduce/timelines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "omptpart";
enum { VERSION = 2, MAGIC_BYTES = sizeof(MAGIC) - 1, HASH_BYTES = 8, MIN_BYTES = MAGIC_BYTES + HASH_BYTES };

/* Returns a hash of the tables' fields: other fields have another encoding. */
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
    for (uint32_t i = 0; omptape_analysis_entry_at(state, table, i, &entry); i++)
        count += entry.value != NULL;
    return count;
}

static void put_table(struct omptape_bytes *bytes, const struct analysis_state *state,
                      const struct analysis_table *table)
{
    struct analysis_entry entry;
    uint64_t numbers[ANALYSIS_MAX_NUMBERS];
    uint32_t count = omptape_analysis_table_numbers(table);
    omptape_bytes_put(bytes, entries_of(state, table));
    for (uint32_t i = 0; omptape_analysis_entry_at(state, table, i, &entry); i++) {
        if (entry.value == NULL)
            continue;
        omptape_analysis_entry_read(table, entry.value, numbers);
        omptape_bytes_put(bytes, entry.key[0]);
        omptape_bytes_put(bytes, entry.key[1]);
        for (uint32_t j = 0; j < count; j++)
            omptape_bytes_put(bytes, numbers[j]);
    }
}

int omptape_partial_write(struct omptape_partial *partial, const struct analysis_state *pass,
                          uint64_t identity)
{
    struct omptape_bytes bytes = {.list = NULL};
    omptape_bytes_put_raw(&bytes, MAGIC, MAGIC_BYTES);
    omptape_bytes_put(&bytes, layout());
    omptape_bytes_put(&bytes, identity);
    for (uint32_t i = 0; i < omptape_analysis_table_count; i++)
        put_table(&bytes, pass, &omptape_analysis_tables[i]);
    if (pass->timelines != NULL)
        omptape_partial_timelines_put(&bytes, pass->timelines);
    uint64_t hash = bytes.failed ? 0 : omptape_hash_key(bytes.list, bytes.count);
    omptape_bytes_put_raw(&bytes, &hash, HASH_BYTES);
    *partial = (struct omptape_partial){.bytes = bytes.list, .count = bytes.count};
    return bytes.failed ? -ENOMEM : 0;
}

static int begin(struct omptape_bytes_rest *rest, const void *bytes, size_t count, uint64_t identity)
{
    uint64_t hash = 0;
    if (count < MIN_BYTES)
        return -EBADMSG;
    *rest = (struct omptape_bytes_rest){.at = (const unsigned char *)bytes + MAGIC_BYTES,
                                        .end = (const unsigned char *)bytes + count - HASH_BYTES};
    memcpy(&hash, rest->end, HASH_BYTES);
    if (memcmp(bytes, MAGIC, MAGIC_BYTES) != 0 || hash != omptape_hash_key(bytes, count - HASH_BYTES))
        return -EBADMSG;
    bool same = omptape_bytes_take(rest) == layout() && omptape_bytes_take(rest) == identity;
    return rest->bad ? -EBADMSG : same ? 0 : -ESTALE;
}

int omptape_partial_check(const void *bytes, size_t count, uint64_t identity)
{
    struct omptape_bytes_rest rest;
    return begin(&rest, bytes, count, identity);
}

static int add_entry(struct analysis_state *sums, const struct analysis_table *table, const uint64_t key[2],
                     const uint64_t *numbers)
{
    void *entry = omptape_analysis_entry_make(sums, table, key);
    if (omptape_out_of_memory)
        return -ENOMEM;
    if (entry == NULL || !omptape_analysis_entry_add(table, entry, numbers))
        return -EBADMSG;
    return table->added == NULL || table->added(sums, entry) ? 0 : -EEXIST;
}

static int add_table(struct analysis_state *sums, const struct analysis_table *table,
                     struct omptape_bytes_rest *rest, const struct omptape_partial_map *map)
{
    uint64_t numbers[ANALYSIS_MAX_NUMBERS];
    uint32_t numbers_each = omptape_analysis_table_numbers(table);
    uint64_t entries = omptape_bytes_take(rest);
    int status = 0;
    for (uint64_t i = 0; i < entries && status == 0; i++) {
        uint64_t key[2] = {omptape_bytes_take(rest), 0};
        key[1] = omptape_bytes_take(rest);
        for (uint32_t j = 0; j < numbers_each; j++)
            numbers[j] = omptape_bytes_take(rest);
        if (rest->bad || (map != NULL && !omptape_analysis_entry_map(table, map, key, numbers)))
            return -EBADMSG;
        status = add_entry(sums, table, key, numbers);
    }
    return rest->bad ? -EBADMSG : status;
}

int omptape_partial_add(struct analysis_state *sums, const void *bytes, size_t count, uint64_t identity,
                        const struct omptape_partial_map *map)
{
    struct omptape_bytes_rest rest;
    int status = begin(&rest, bytes, count, identity);
    for (uint32_t i = 0; i < omptape_analysis_table_count && status == 0; i++)
        status = add_table(sums, &omptape_analysis_tables[i], &rest, map);
    if (status == 0 && sums->timelines != NULL && map == NULL)
        status = omptape_partial_timelines_take(sums->timelines, &rest);
    return status == 0 && rest.at != rest.end ? -EBADMSG : status;
}

/* Hashes the definitions as far as keys and times depend on them. */
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
                        options != NULL && options->pyramid != NULL,
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
