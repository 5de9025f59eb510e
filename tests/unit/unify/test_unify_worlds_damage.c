/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what becomes of connections of several worlds (src/unify/) where what archives say of
 * them is damaged: whatever it is, all members of all groups end up in MPI's list. Run by CTest as
 * unit.unify_worlds_damage; what goes well is test_unify_worlds.c's matter.
 */
#include "src/unify/connections.h"

#include <omptape/properties.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HEAD = 4, WORLD = 2, FACT_BYTES = 128 };

/* One process, in MPI's list the first of two. Its communicator 0 is MPI_COMM_WORLD. */
struct scene {
    struct omptape_unify_model model;
    struct omptape_unify_part part;
    struct omptape_unify_process process;
    struct omptape_unify_domain domain;
    uint32_t comms;
};

static void add_comm(struct scene *scene, const char *name, uint32_t count, const uint64_t *members)
{
    struct omptape_unify_model *model = &scene->model;
    uint64_t *words = calloc(HEAD + (size_t)count, sizeof(*words));
    assert_non_null(words);
    words[0] = omptape_unify_add_text(model, name);
    words[1] = OTF2_GROUP_TYPE_COMM_GROUP;
    words[2] = OTF2_PARADIGM_MPI;
    words[3] = strstr(name, " across ") != NULL ? UINT64_C(1) << 32 : 0;
    memcpy(words + HEAD, members, count * sizeof(*words));
    const uint64_t group = omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_GROUP], words,
                                               (HEAD + (size_t)count) * sizeof(*words));
    const uint64_t comm[] = {words[0], group, OTF2_UNDEFINED_COMM, 0};
    const uint32_t row = omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_COMM], comm, sizeof(comm));
    assert_int_equal(
        omptape_unify_map_set(&scene->part, &scene->part.maps[OMPTAPE_UNIFY_COMM], scene->comms++, row), 0);
    free(words);
}

/* The world, and so many others behind it. */
static void add_connection(struct scene *scene, unsigned number, uint32_t others)
{
    char name[64];
    uint64_t *members = calloc(WORLD + (size_t)others, sizeof(*members));
    assert_non_null(members);
    for (uint32_t i = 0; i < WORLD + others; i++)
        members[i] = i < WORLD ? i : OMPTAPE_UNIFY_FOREIGN_PLACES + scene->model.foreign_places++;
    snprintf(name, sizeof(name), OMPTAPE_ACROSS_NAME, (uint64_t)scene->comms, number);
    add_comm(scene, name, WORLD + others, members);
    free(members);
}

static void set_up(struct scene *scene)
{
    static const uint64_t world[WORLD] = {0, 1};
    *scene = (struct scene){.part = {.references = 1 << 16}};
    scene->model = (struct omptape_unify_model){.files = -1,
                                                .parts = &scene->part,
                                                .part_count = 1,
                                                .processes = &scene->process,
                                                .process_count = 1,
                                                .conversion = {.domains = &scene->domain, .domain_count = 1}};
    scene->model.ranks = calloc(WORLD, sizeof(*scene->model.ranks));
    scene->model.rank_count = scene->model.rank_capacity = WORLD;
    assert_non_null(scene->model.ranks);
    scene->model.ranks[1] = OTF2_UNDEFINED_LOCATION;
    add_comm(scene, "MPI 0x0000000000000001", WORLD, world);
}

/* What the process states: the communicator, its parent, and the size of the other side. */
static void say(struct scene *scene, uint32_t comm, uint32_t parent, bool first, uint32_t remote)
{
    char text[FACT_BYTES];
    struct omptape_rows *texts = &scene->model.kinds[OMPTAPE_UNIFY_PROPERTY_TEXT];
    struct omptape_unify_process *process = &scene->process;
    struct omptape_unify_property *list =
        realloc(process->properties, (process->property_count + 1U) * sizeof(*list));
    assert_non_null(list);
    process->properties = list;
    snprintf(text, sizeof(text), OMPTAPE_MEETING_FORMAT, comm, parent, 2U, first ? 1U : 0U, 1U, remote,
             UINT64_C(7), UINT64_C(0), UINT64_C(100), UINT64_C(200));
    list[process->property_count].key = OMPTAPE_KEY_MEETING "::0";
    list[process->property_count++].value = omptape_rows_keep(texts, text, strlen(text));
}

static void assert_settled(struct scene *scene)
{
    struct omptape_unify_model *model = &scene->model;
    omptape_unify_resolve_connections(model);
    assert_false(omptape_unify_failed(model));
    for (uint32_t i = 0; i < model->kinds[OMPTAPE_UNIFY_GROUP].count; i++)
        for (uint32_t k = HEAD; k < omptape_unify_word_count(model, OMPTAPE_UNIFY_GROUP, i); k++)
            assert_true(omptape_unify_words(model, OMPTAPE_UNIFY_GROUP, i)[k] < model->rank_count);
}

static void tear_down(struct scene *scene)
{
    for (unsigned i = 0; i < OMPTAPE_UNIFY_KINDS; i++)
        omptape_rows_free(&scene->model.kinds[i]);
    for (unsigned i = 0; i < OMPTAPE_UNIFY_REFERRED; i++)
        free(scene->part.maps[i].to);
    free(scene->process.properties);
    free(scene->model.ranks);
}

/* A communicator of a million members in the place of one of four. */
static void test_sizes_that_differ(void **state)
{
    struct scene scene;
    (void)state;
    for (int order = 0; order < 2; order++) {
        set_up(&scene);
        add_connection(&scene, 0, 1 << 20);
        add_connection(&scene, 0, 2);
        say(&scene, order == 0 ? 1 : 2, 0, true, 1);
        say(&scene, order == 0 ? 2 : 1, 0, true, 1);
        assert_settled(&scene);
        tear_down(&scene);
    }
}

static void test_sides_that_overlap(void **state)
{
    struct scene scene;
    (void)state;
    set_up(&scene);
    add_connection(&scene, 0, 2);
    say(&scene, 1, 0, true, 1);
    say(&scene, 1, 0, false, 2);
    assert_settled(&scene);
    tear_down(&scene);
}

/* Of itself, and of each other. */
static void test_circles(void **state)
{
    struct scene scene;
    (void)state;
    set_up(&scene);
    for (unsigned i = 0; i < 4; i++)
        add_connection(&scene, i, 2);
    say(&scene, 1, 1, true, 2);
    say(&scene, 2, 3, true, 2);
    say(&scene, 3, 4, false, 2);
    say(&scene, 4, 2, true, 3);
    assert_settled(&scene);
    tear_down(&scene);
}

/* Each made of the one before it. */
static void test_long_chain(void **state)
{
    enum { MEETINGS = 1000 };
    struct scene scene;
    (void)state;
    set_up(&scene);
    for (unsigned i = 0; i < MEETINGS; i++) {
        add_connection(&scene, i, 2);
        say(&scene, i + 1, i, true, 2);
    }
    assert_settled(&scene);
    assert_int_equal(scene.model.rank_count, WORLD + 2 * MEETINGS);
    tear_down(&scene);
}

/* Numbers that are none, or of nothing. */
static void test_contradictory_records(void **state)
{
    static const char *const values[] = {
        "",
        "1 0 2 1 1 2 7 0 100",
        "1 0 2 1 1 4 7 0 100 200",
        "1 0 2 1 1 4294967295 7 0 100 200",
        "1 0 99 1 1 2 7 0 100 200",
        "1 0 2 2 1 2 7 0 100 200",
        "1 9 2 1 1 2 7 0 100 200",
        "9 0 2 1 1 2 7 0 100 200",
        "0 0 2 1 1 1 7 0 100 200",
        "1 0 2 1 1 2 7 0 18446744073709551615 18446744073709551615",
        "99999999999999999999 0 2 1 1 2 7 0 100 200",
    };
    struct scene scene;
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        set_up(&scene);
        add_connection(&scene, 0, 2);
        say(&scene, 1, 0, true, 2);
        scene.process.properties[0].value = values[i];
        assert_settled(&scene);
        tear_down(&scene);
    }
}

/* Places of other worlds without a connection. */
static void test_places_without_connections(void **state)
{
    static const uint64_t members[] = {0, OMPTAPE_UNIFY_FOREIGN_PLACES, OMPTAPE_UNIFY_FOREIGN_PLACES + 1};
    struct scene scene;
    (void)state;
    set_up(&scene);
    scene.model.foreign_places = 2;
    add_comm(&scene, "MPI 0x0000000000000009", 3, members);
    assert_settled(&scene);
    tear_down(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_that_differ),
        cmocka_unit_test(test_sides_that_overlap),
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_contradictory_records),
        cmocka_unit_test(test_places_without_connections),
    };
    return cmocka_run_group_tests_name("unify_worlds", tests, NULL, NULL);
}
