/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what makes definitions of several processes one: strings and words by their references, maps
 * of references, and which ranks are missing. Run by CTest as unit.unify_model.
 */
#include "src/unify/model.h"
#include "src/unify/reading.h"

#include <omptape/properties.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

static void test_maps(void **state)
{
    const struct omptape_unify_part part = {.references = 2000};
    struct omptape_unify_map map = {.to = NULL};
    (void)state;
    assert_int_equal(omptape_unify_map_get(&map, 0), UINT64_MAX);
    assert_int_equal(omptape_unify_map_set(&part, &map, 1000, 7), 0);
    assert_int_equal(omptape_unify_map_set(&part, &map, 3, 1), 0);
    assert_int_equal(omptape_unify_map_get(&map, 1000), 7);
    assert_int_equal(omptape_unify_map_get(&map, 3), 1);
    assert_int_equal(omptape_unify_map_get(&map, 4), UINT64_MAX);
    assert_int_equal(omptape_unify_map_get(&map, 1001), UINT64_MAX);
    /* A damaged reference must not cost gigabytes. */
    assert_int_equal(omptape_unify_map_set(&part, &map, 2000, 1), -EINVAL);
    assert_int_equal(map.count, 1001);
    free(map.to);
}

static void test_strings_and_words(void **state)
{
    const uint64_t words[] = {1, 2, 3};
    struct omptape_unify_model model = {.files = -1};
    (void)state;
    assert_int_equal(omptape_unify_add_text(&model, "one"), 0);
    assert_int_equal(omptape_unify_add_text(&model, "other"), 1);
    assert_int_equal(omptape_unify_add_text(&model, "one"), 0);
    assert_string_equal(omptape_unify_text(&model, 1), "other");
    assert_string_equal(omptape_unify_text(&model, 2), "");
    assert_string_equal(omptape_unify_text(&model, UINT64_MAX), "");
    assert_int_equal(omptape_rows_number(&model.kinds[OMPTAPE_UNIFY_GROUP], words, sizeof(words)), 0);
    assert_int_equal(omptape_unify_word_count(&model, OMPTAPE_UNIFY_GROUP, 0), 3);
    assert_int_equal(omptape_unify_words(&model, OMPTAPE_UNIFY_GROUP, 0)[2], 3);
    assert_false(omptape_unify_failed(&model));
    omptape_out_of_memory = true;
    assert_true(omptape_unify_failed(&model));
    assert_string_equal(model.error, "out of memory");
    model.error[0] = '\0';
    omptape_unify_fail(&model, "its definitions cannot be read");
    omptape_out_of_memory = false;
    assert_string_equal(model.error, "out of memory");
    omptape_unify_fail(&model, "another");
    assert_string_equal(model.error, "out of memory");
    omptape_unify_model_free(&model);
}

/* A process of a launch, as its properties tell. */
static void set_process(struct omptape_unify_process *process, struct omptape_unify_property *properties,
                        const char *job, int64_t rank, const char *size)
{
    properties[0] = (struct omptape_unify_property){.key = OMPTAPE_KEY_JOB, .value = job};
    properties[1] = (struct omptape_unify_property){.key = OMPTAPE_KEY_SIZE, .value = size};
    *process = (struct omptape_unify_process){.properties = properties, .property_count = 2};
    process->clock.rank = rank;
}

static void test_missing_ranks(void **state)
{
    enum { PROCESSES = 6 };
    struct omptape_unify_process processes[PROCESSES];
    struct omptape_unify_property properties[PROCESSES][2];
    struct omptape_unify_model model = {.processes = processes, .process_count = PROCESSES};
    struct omptape_unify_search search = {.list = NULL};
    char text[OMPTAPE_UNIFY_ERROR_BYTES];
    static const char a[] = "a";
    static const char b[] = "b";
    (void)state;
    set_process(&processes[0], properties[0], a, 0, "6");
    set_process(&processes[1], properties[1], b, 1, "2");
    set_process(&processes[2], properties[2], a, 2, "6");
    set_process(&processes[3], properties[3], b, -1, "9");
    set_process(&processes[4], properties[4], a, 5, "0");
    set_process(&processes[5], properties[5], a, 7, "6");
    omptape_unify_find_missing(&model, &search, text, sizeof(text));
    assert_string_equal(text, "ranks 1, 3-4 of 6 of a left no trace: they used no OpenMP, or were not run by "
                              "omptape; rank 0 of 2 of b left no trace: it used no OpenMP, or was not run by "
                              "omptape");
    assert_int_equal(model.kinds[OMPTAPE_UNIFY_WARNING].count, 2);
    model.process_count = 1;
    omptape_unify_find_missing(&model, &search, text, sizeof(text));
    assert_string_equal(text,
                        "ranks 1-5 of 6 left no trace: they used no OpenMP, or were not run by omptape");
    omptape_rows_free(&model.kinds[OMPTAPE_UNIFY_WARNING]);
}

/* MPI_COMM_WORLD tells that the others have come through MPI_Init; a part that is left out is no secret. */
static void test_why_ranks_are_missing(void **state)
{
    struct omptape_unify_process process;
    struct omptape_unify_property properties[2];
    struct omptape_unify_location location = {.process = 0};
    struct omptape_unify_world world = {.first = 0, .size = 4};
    uint64_t ranks[] = {OTF2_UNDEFINED_LOCATION, 0, OTF2_UNDEFINED_LOCATION, OTF2_UNDEFINED_LOCATION};
    struct omptape_unify_model model = {.processes = &process,
                                        .process_count = 1,
                                        .locations = &location,
                                        .location_count = 1,
                                        .ranks = ranks,
                                        .rank_count = 4,
                                        .worlds = &world,
                                        .world_count = 1};
    struct omptape_unify_found found[] = {
        {.folder = (char[]){"rank-1"}},
        {.folder = (char[]){"rank-2-app-17"}, .why = (char[]){"it is damaged"}}};
    const struct omptape_unify_search search = {.list = found, .count = 2};
    char text[OMPTAPE_UNIFY_ERROR_BYTES];
    (void)state;
    set_process(&process, properties, "a", 1, "4");
    omptape_unify_find_missing(&model, &search, text, sizeof(text));
    assert_string_equal(text,
                        "ranks 0, 3 of 4 left no trace: they were not run by omptape (their MPI_Init was "
                        "not seen); rank 2 of 4 left no trace: its part is left out");
    world.size = 1; /* each rank has a world of its own: what the others did is not known */
    omptape_unify_find_missing(&model, &search, text, sizeof(text));
    assert_non_null(strstr(text, "they used no OpenMP, or were not run by omptape"));
    omptape_rows_free(&model.kinds[OMPTAPE_UNIFY_WARNING]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings_and_words),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_missing_ranks),
        cmocka_unit_test(test_why_ranks_are_missing),
    };
    return cmocka_run_group_tests_name("unify_model", tests, NULL, NULL);
}
