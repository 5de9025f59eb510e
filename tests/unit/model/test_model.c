/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulation of graphs that are made by hand: barriers, locks, tasks and calls of MPI.
 */
#include "tests/unit/model/model_fixture.h"

/* Two members work 10 and 30. */
static void make_unequal(void)
{
    graph_begin(2);
    graph_work(0, OUTSIDE, 100);
    graph_fork();
    graph_work(0, LOOP, 10);
    graph_work(1, LOOP, 30);
    graph_join(3);
    graph_work(0, OUTSIDE, 5);
}

static void waits_at_a_barrier(void **state)
{
    (void)state;
    make_unequal();
    assert_int_equal(graph_wall(NULL), 100 + 30 + 3 + 5);
    assert_int_equal(graph_wall("for@a.c:10 x0.5"), 100 + 15 + 3 + 5);
    assert_int_equal(graph_wall("for @ a.c:10  x0"), 100 + 3 + 5);
    assert_int_equal(graph_wall("no-barrier@a.c:10"), 100 + 30); /* the other one is the last now */
}

static void finds_the_path(void **state)
{
    (void)state;
    struct simulate_result result;
    struct path path;
    make_unequal();
    assert_int_equal(simulate_run(&model, NULL, true, &result), 0);
    assert_int_equal(path_find(&model, &result, &path), 0);
    assert_int_equal(path.work, 100 + 30 + 5);
    assert_int_equal(path.lag, 3);
    assert_int_equal(path.places[LOOP], 30);
    assert_int_equal(path.places[OUTSIDE], 105);
    assert_int_equal(path.threads[1], 30);
    assert_int_equal(path.threads[0], 108);
    path_free(&path);
    free(result.steps);
}

static void gives_locks_in_turn(void **state)
{
    (void)state;
    graph_begin(3);
    graph_fork();
    for (uint32_t i = 0; i < 3; i++) {
        graph_work(i, TEAM, 1 + i);
        graph_add(i, MODEL_ACQUIRE, CRITICAL, 0, 0);
        graph_work(i, CRITICAL, 10);
        graph_add(i, MODEL_RELEASE, CRITICAL, 0, 0);
    }
    graph_join(0);
    assert_int_equal(graph_wall(NULL), 1 + 10 + 10 + 10);
    assert_int_equal(graph_wall("zero-wait critical@a.c:20"), 3 + 10);
    assert_int_equal(graph_wall("critical@a.c:20 x0.1"), 1 + 1 + 1 + 1);
}

/* The first thread creates tasks of 10, 10, 10 and 30 and waits for them. */
static void make_tasks(void)
{
    graph_begin(2);
    graph_fork();
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t task = model.strands.count++;
        strands[task].parent = 0;
        strands[task].team = 0;
        graph_work(0, TEAM, 1);
        graph_add(0, MODEL_CREATE, CREATION, task, 0);
        graph_work(task, TASK, i == 3 ? 30 : 10);
    }
    graph_add(0, MODEL_TASKWAIT, TEAM, MODEL_NONE, 0);
    graph_join(0);
}

static void shares_tasks(void **state)
{
    (void)state;
    make_tasks();
    /* At 1 the second thread begins; at 4 the first one takes its newest, which ends at 34. */
    assert_int_equal(graph_wall(NULL), 34);
    assert_int_equal(graph_wall("task@a.c:30 x0"), 4);
    /* The short ones are gone at 19, and the long one has three parts of 5 left. */
    assert_int_equal(graph_wall("task@a.c:30 /6"), 29);
    assert_int_equal(graph_wall("threads=1"), 64);
    assert_int_equal(graph_wall("even parallel@a.c:5"), 32); /* 4 and 60 */
    /* From 4 to 14 the first thread has the second task, and then the last one. */
    model.newest_first = -1;
    assert_int_equal(graph_wall(NULL), 44);
}

/* The first thread comes first, and takes the single that the second one had in the record. */
static void waits_for_tasks_of_another_thread(void **state)
{
    (void)state;
    graph_begin(2);
    graph_fork();
    loops[0] = (struct model_loop){
        .place = LOOP, .next = MODEL_NONE, .part = MODEL_NONE, .threads = 2, .schedule = MODEL_DYNAMIC};
    model.loops.count = 1;
    graph_work(1, TEAM, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t loop = graph_add(i, MODEL_LOOP_BEGIN, LOOP, 0, 0);
        if (i == 1)
            chunks[0] = (struct model_chunk){
                .first = graph_add(1, MODEL_CHUNK, LOOP, 0, 0), .next = MODEL_NONE, .strand = 1};
        for (uint32_t task = 2; i == 1 && task < 4; task++) {
            model.strands.count++;
            strands[task].parent = 1;
            strands[task].team = 0;
            graph_add(1, MODEL_CREATE, CREATION, task, 0);
            graph_work(task, TASK, 10);
        }
        if (i == 1) {
            graph_add(1, MODEL_TASKWAIT, LOOP, MODEL_NONE, 0);
            graph_work(1, LOOP, 20);
        }
        ops[loop].ns = chunks[0].end = graph_add(i, MODEL_LOOP_END, LOOP, 0, 0);
    }
    graph_join(0);
    /* The second thread has a task from 1 to 11. */
    assert_int_equal(graph_wall(NULL), 31);
}

/* A task that creates one of 10, which creates one of 20, and so on. The runtime takes 3 for each. */
static void cuts_tasks_off(void **state)
{
    (void)state;
    graph_begin(2);
    model.create_ns = 2;
    graph_fork();
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t parent = i == 0 ? 0 : model.strands.count - 1;
        const uint32_t task = model.strands.count++;
        strands[task].parent = parent;
        strands[task].team = 0;
        graph_add(parent, MODEL_CREATE, CREATION, task, 0);
        ops[graph_work(task, TASK, 1)].flag = true;
        graph_work(task, TASK, 10 * (i + 1));
    }
    graph_join(0);
    assert_int_equal(graph_wall(NULL), 11 + 21 + 31);
    assert_int_equal(graph_wall("cut-off=1 task@a.c:30"), 11 + 18 + 28);
    assert_int_equal(graph_wall("cut-off=2"), graph_wall("cut-off=2 task@a.c:30"));
    graph_add(model.strands.count - 2, MODEL_TASKWAIT, TASK, MODEL_NONE, 5);
    assert_int_equal(graph_wall("cut-off=1 task@a.c:30"), 11 + 18 + 28);
}

/* A task that creates one of 10 and, by `kind`, one of 20 that depends on it. */
static void make_dependent(enum model_op_kind kind)
{
    graph_begin(2);
    graph_fork();
    for (uint32_t task = 2; task < 5; task++) {
        strands[task].parent = task == 2 ? 0 : 2;
        strands[task].team = 0;
    }
    model.strands.count = 5;
    graph_add(0, MODEL_CREATE, TEAM, 2, 0);
    graph_add(2, MODEL_CREATE, TEAM, 3, 0);
    graph_add(2, kind, CREATION, 4, 0);
    graph_work(3, TASK, 10);
    graph_work(4, TASK, 20);
    strands[3].edge = model.edges.count;
    edges[model.edges.count++] = (struct model_edge){.strand = 4, .next = MODEL_NONE};
    strands[4].waits = 1;
    graph_join(0);
}

/* What runs at once does not run again when its dependences are fulfilled. */
static void runs_once(void **state)
{
    (void)state;
    make_dependent(MODEL_CREATE);
    assert_int_equal(graph_wall(NULL), 10 + 20);
    assert_int_equal(graph_wall("cut-off=1 task@a.c:30"), 20);
    make_dependent(MODEL_RUN);
    assert_int_equal(graph_wall(NULL), 20);
}

static void follows_dependences(void **state)
{
    (void)state;
    make_tasks();
    for (uint32_t task = 2; task < 5; task++) {
        strands[task].edge = model.edges.count;
        edges[model.edges.count++] = (struct model_edge){.strand = task + 1, .next = MODEL_NONE};
        strands[task + 1].waits = 1;
    }
    assert_int_equal(graph_wall(NULL), 1 + 10 + 10 + 10 + 30);
    assert_int_equal(graph_wall("no-depend@a.c:30"), 34);
}

/* Two processes: the second one's call needs a call of the first, or each the other's. */
static void make_calls(bool is_collective)
{
    graph_begin(2);
    threads[1].is_initial = true;
    syncs[0] = (struct model_sync){.needed = is_collective ? 2 : 1};
    model.syncs.count = 1;
    sync_links[0] = (struct model_sync_link){.sync = 0, .next = MODEL_NONE};
    model.sync_links.count = 1;
    graph_work(0, LOOP, 30);
    graph_add(0, MODEL_CALL_BEGIN, OUTSIDE, 0, 0);
    graph_add(0, MODEL_CALL_END, OUTSIDE, is_collective ? 0 : MODEL_NONE, 5);
    graph_work(1, OUTSIDE, 10);
    graph_add(1, MODEL_CALL_BEGIN, OUTSIDE, is_collective ? 0 : MODEL_NONE, 0);
    graph_add(1, MODEL_CALL_END, OUTSIDE, 0, 3);
    graph_work(1, OUTSIDE, 4);
}

static void calls_wait_for_others(void **state)
{
    (void)state;
    make_calls(false);
    assert_int_equal(graph_wall(NULL), 37);
    assert_int_equal(graph_wall("for@a.c:10 x0.5"), 22);
    assert_int_equal(graph_wall("for@a.c:10 x0"), 17); /* the message is there already */
    make_calls(true);
    assert_int_equal(graph_wall(NULL), 37);
    assert_int_equal(graph_wall("for@a.c:10 x0"), 17);
    make_calls(false);
    syncs[0].needed = 2; /* the other one left no trace */
    struct simulate_result result;
    assert_int_equal(simulate_run(&model, NULL, false, &result), 0);
    assert_int_equal(result.forced, 1);
}

static void ends_without_a_partner(void **state)
{
    (void)state;
    struct simulate_result result;
    graph_begin(2);
    graph_fork();
    graph_add(0, MODEL_ACQUIRE, CRITICAL, 0, 0); /* never released */
    graph_work(0, TEAM, 10);
    graph_add(1, MODEL_ACQUIRE, CRITICAL, 0, 0);
    graph_work(1, TEAM, 10);
    graph_join(0);
    barriers[0].arrivals = 3; /* nor does the third come */
    assert_int_equal(simulate_run(&model, NULL, false, &result), 0);
    assert_true(result.forced > 0);
    assert_true(result.wall >= 10);
}

/* A region of the program's own may be called as the work of a device. */
static void tells_kernels_from_regions(void **state)
{
    (void)state;
    make_unequal();
    graph_name(LOOP, OMPTAPE_REGION_USER, "kernel");
    assert_int_equal(graph_wall("kernel x0.5"), 100 + 15 + 3 + 5);
    graph_name(CRITICAL, OMPTAPE_REGION_KIND_COUNT, "target kernel @a.c:20");
    definitions[CRITICAL]->value[0] = OTF2_REGION_ROLE_FUNCTION;
    graph_work(0, CRITICAL, 20);
    assert_int_equal(graph_wall("kernel x0.5"), 100 + 30 + 3 + 5 + 10);
    definitions[CRITICAL]->value[0] = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits_at_a_barrier),
                                       cmocka_unit_test(finds_the_path),
                                       cmocka_unit_test(gives_locks_in_turn),
                                       cmocka_unit_test(shares_tasks),
                                       cmocka_unit_test(follows_dependences),
                                       cmocka_unit_test(calls_wait_for_others),
                                       cmocka_unit_test(ends_without_a_partner),
                                       cmocka_unit_test(waits_for_tasks_of_another_thread),
                                       cmocka_unit_test(cuts_tasks_off),
                                       cmocka_unit_test(runs_once),
                                       cmocka_unit_test(tells_kernels_from_regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
