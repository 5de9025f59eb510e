/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes of several MPI_COMM_WORLDs and what they say (worlds_fixture.h).
 */
#include "tests/unit/unify/worlds_fixture.h"

#include "src/unify/connections.h"
#include "src/unify/reading.h"

#include <omptape/properties.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_PROCESSES = 8, MAX_PROPERTIES = 8, DOMAINS = 2, GROUP_HEAD = 4, TEXT_BYTES = 256 };

int worlds_make(void **state)
{
    struct omptape_unify_model *model = calloc(1, sizeof(*model));
    assert_non_null(model);
    model->files = -1;
    model->foreign_places = OMPTAPE_UNIFY_FOREIGN_PLACES;
    model->processes = calloc(MAX_PROCESSES, sizeof(*model->processes));
    model->parts = calloc(MAX_PROCESSES, sizeof(*model->parts));
    model->conversion.domains = calloc(DOMAINS, sizeof(*model->conversion.domains));
    model->conversion.domain_count = DOMAINS;
    model->conversion.resolution = WORLDS_SECOND;
    assert_non_null(model->processes);
    assert_non_null(model->parts);
    assert_non_null(model->conversion.domains);
    *state = model;
    return 0;
}

int worlds_free(void **state)
{
    omptape_unify_model_free(*state);
    free(*state);
    return 0;
}

void worlds_set_property(struct omptape_unify_model *model, uint32_t number, const char *key,
                         const char *value)
{
    struct omptape_rows *texts = &model->kinds[OMPTAPE_UNIFY_PROPERTY_TEXT];
    struct omptape_unify_process *process = &model->processes[number];
    assert_true(process->property_count < MAX_PROPERTIES);
    process->properties[process->property_count++] =
        (struct omptape_unify_property){.key = omptape_rows_keep(texts, key, strlen(key)),
                                        .value = omptape_rows_keep(texts, value, strlen(value))};
}

/* The row of a communicator of these members; before them the words about the group. */
static uint64_t define_comm(struct omptape_unify_model *model, const uint64_t *words, uint32_t count)
{
    const uint64_t group =
        omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_GROUP], words, (GROUP_HEAD + count) * sizeof(*words));
    const uint64_t comm[] = {omptape_unify_add_text(model, ""), group, OTF2_UNDEFINED_COMM, 0};
    return omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_COMM], comm, sizeof(comm));
}

void worlds_add(struct omptape_unify_model *model, uint32_t size)
{
    uint64_t words[GROUP_HEAD + MAX_PROCESSES] = {omptape_unify_add_text(model, "MPI 0x1"),
                                                  OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI};
    const uint32_t first = omptape_unify_add_places(model, size);
    assert_true(first == model->process_count && first + size <= MAX_PROCESSES);
    for (uint32_t i = 0; i < size; i++)
        words[GROUP_HEAD + i] = first + i;
    const uint64_t comm = define_comm(model, words, size);
    for (uint32_t i = first; i < first + size; i++) {
        struct omptape_unify_property *properties = calloc(MAX_PROPERTIES, sizeof(*properties));
        assert_non_null(properties);
        model->ranks[i] = i;
        model->processes[i] = (struct omptape_unify_process){.part = i, .properties = properties};
        model->processes[i].clock.rank = i - first;
        model->parts[i] = (struct omptape_unify_part){.references = 100};
        assert_int_equal(
            omptape_unify_map_set(&model->parts[i], &model->parts[i].maps[OMPTAPE_UNIFY_COMM], 0, comm), 0);
    }
    model->process_count += size;
    model->part_count += size;
}

void worlds_add_ones(struct omptape_unify_model *model, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        worlds_add(model, 1);
}

const uint64_t *worlds_members(const struct omptape_unify_model *model, uint32_t process, uint32_t number,
                               uint32_t *count)
{
    const uint64_t comm = omptape_unify_map_get(&model->parts[process].maps[OMPTAPE_UNIFY_COMM], number);
    assert_true(comm < model->kinds[OMPTAPE_UNIFY_COMM].count);
    const uint64_t group = omptape_unify_words(model, OMPTAPE_UNIFY_COMM, comm)[1];
    *count = omptape_unify_word_count(model, OMPTAPE_UNIFY_GROUP, group) - GROUP_HEAD;
    return omptape_unify_words(model, OMPTAPE_UNIFY_GROUP, group) + GROUP_HEAD;
}

/* What one process says. All but the root know no name, and that it took longer. */
static void tell(struct omptape_unify_model *model, const struct worlds_side *side, uint32_t process)
{
    struct omptape_unify_map *map = &model->parts[process].maps[OMPTAPE_UNIFY_COMM];
    const uint32_t number = map->count;
    const unsigned root = process == side->process + side->root;
    char text[TEXT_BYTES];
    char key[TEXT_BYTES];
    uint32_t own;
    const uint64_t *members = worlds_members(model, process, side->after, &own);
    snprintf(text, sizeof(text), OMPTAPE_ACROSS_NAME, (uint64_t)7, number - 1);
    uint64_t words[GROUP_HEAD + MAX_PROCESSES] = {omptape_unify_add_text(model, text),
                                                  OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                                  ((uint64_t)process + 1) << 32};
    assert_true(own + side->remote <= MAX_PROCESSES);
    for (uint32_t i = 0; i < own; i++)
        words[GROUP_HEAD + (side->first ? 0 : side->remote) + i] = members[i];
    for (uint32_t i = 0; i < side->remote; i++)
        words[GROUP_HEAD + (side->first ? own : 0) + i] = model->foreign_places++;
    assert_int_equal(omptape_unify_map_set(&model->parts[process], map, number,
                                           define_comm(model, words, own + side->remote)),
                     0);
    snprintf(key, sizeof(key), OMPTAPE_KEY_MEETING "::%" PRIu32, number - 1);
    /* What began at one time is one connection to all of a side. */
    snprintf(text, sizeof(text), OMPTAPE_MEETING_FORMAT, number, side->after, side->kind, side->first, root,
             side->remote, side->begin, root ? side->name : 0, root ? side->begin : side->begin / 2,
             root ? side->end : side->end * 2);
    worlds_set_property(model, process, key, text);
}

void worlds_settle(struct omptape_unify_model *model, const struct worlds_side *sides, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < sides[i].count; k++)
            tell(model, &sides[i], sides[i].process + k);
    omptape_unify_resolve_connections(model);
    assert_string_equal(model->error, "");
    assert_false(omptape_unify_failed(model));
}

void worlds_expect(const struct omptape_unify_model *model, uint32_t process, uint32_t number,
                   const char *expected)
{
    char text[TEXT_BYTES] = "";
    uint32_t count;
    const uint64_t *members = worlds_members(model, process, number, &count);
    for (uint32_t i = 0; i < count; i++) {
        const size_t length = strlen(text);
        assert_true(members[i] < model->rank_count);
        if (model->ranks[members[i]] == OTF2_UNDEFINED_LOCATION)
            snprintf(text + length, sizeof(text) - length, "%s-", i > 0 ? " " : "");
        else
            snprintf(text + length, sizeof(text) - length, "%s%" PRIu64, i > 0 ? " " : "",
                     model->ranks[members[i]]);
    }
    assert_string_equal(text, expected);
}

void worlds_expect_together(const struct omptape_unify_model *model, uint32_t one, uint32_t number,
                            uint32_t other, uint32_t its_number, const char *expected)
{
    worlds_expect(model, one, number, expected);
    worlds_expect(model, other, its_number, expected);
    assert_int_equal(omptape_unify_map_get(&model->parts[one].maps[OMPTAPE_UNIFY_COMM], number),
                     omptape_unify_map_get(&model->parts[other].maps[OMPTAPE_UNIFY_COMM], its_number));
}
