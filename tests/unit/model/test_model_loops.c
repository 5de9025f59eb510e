/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulation of graphs that are made by hand: loops, processors that threads share, and what is refused.
 */
#include "tests/unit/model/model_fixture.h"

/* Two threads execute a loop: with chunks, or with a part each. */
static void make_loop(bool has_chunks)
{
    static const unsigned costs[] = {40, 10, 10, 20};
    graph_begin(2);
    graph_fork();
    loops[0] = (struct model_loop){.place = LOOP,
                                   .next = MODEL_NONE,
                                   .chunk = has_chunks ? 0 : MODEL_NONE,
                                   .part = 0,
                                   .threads = 2,
                                   .schedule = has_chunks ? MODEL_DYNAMIC : MODEL_STATIC};
    model.loops.count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = (struct model_part){
            .index = i, .first = graph_add(i, MODEL_LOOP_BEGIN, LOOP, 0, 0), .next = i == 0 ? 1 : MODEL_NONE};
        /* As it was recorded, the first thread had the first two chunks. */
        for (uint32_t k = 2 * i; k < 2 * i + 2; k++) {
            if (has_chunks)
                chunks[k] = (struct model_chunk){.first = graph_add(i, MODEL_CHUNK, LOOP, k, 0),
                                                 .end = model.ops.count + 1,
                                                 .next = k < 3 ? k + 1 : MODEL_NONE};
            graph_work(i, LOOP, costs[k]);
        }
        const uint32_t end = graph_add(i, MODEL_LOOP_END, LOOP, 0, 0);
        ops[parts[i].first].ns = end;
    }
    graph_join(0);
}

static void shares_loops(void **state)
{
    (void)state;
    make_loop(false);
    assert_int_equal(graph_wall(NULL), 50);
    assert_int_equal(graph_wall("dynamic@a.c:10"), 40);
    /* The parts are 50 and 30: a third thread has a third of the row of both. */
    assert_int_equal(graph_wall("threads=4"), 25);
    assert_int_equal(graph_wall("threads=1"), 80);
    assert_int_equal(graph_wall("threads=3 parallel@a.c:5"), 33);
    assert_int_equal(graph_wall("even parallel@a.c:5"), 40);
    make_loop(true);
    assert_int_equal(graph_wall(NULL), 40);
    assert_int_equal(graph_wall("threads=1"), 80);
    assert_int_equal(graph_wall("threads=4"), 40);
    assert_int_equal(graph_wall("for@a.c:10 x0.5"), 20);
}

/* Of the four chunks the first one is the longest. */
static void divides_chunks_anew(void **state)
{
    (void)state;
    make_loop(true);
    assert_int_equal(graph_wall("dynamic@a.c:10"), 40);
    assert_int_equal(graph_wall("dynamic,2@a.c:10"), 50);
    assert_int_equal(graph_wall("static@a.c:10"), 50);
    assert_int_equal(graph_wall("static,1@a.c:10"), 50);
    assert_int_equal(graph_wall("static,4@a.c:10"), 80);
    assert_int_equal(graph_wall("guided@a.c:10"), 40);
    assert_int_equal(graph_wall("guided,2@a.c:10"), 50);
}

/* A chunk's time has the cost of taking the next one. */
static void chunks_cost(void **state)
{
    (void)state;
    make_loop(true);
    model.chunk_ns = 4;
    for (int i = 0; i < 4; i++)
        chunks[i].iterations = 2;
    assert_int_equal(graph_wall("dynamic@a.c:10"), 40);
    assert_int_equal(graph_wall("dynamic,4@a.c:10"), 46); /* 40 and 10 by one thread */
    assert_int_equal(graph_wall("static@a.c:10"), 42);    /* no cost */
    assert_int_equal(graph_wall("dynamic,1@a.c:10"), 22 + 7 + 7 + 12);
}

/* Two threads on one processor: half of the time they wait for it. */
static void relieves_processors(void **state)
{
    (void)state;
    static uint8_t queued[MAX_OPS];
    make_loop(false);
    model.processors = 1;
    model.crowd = 2;
    model.crowd_processes = 1;
    model.queued.list = queued;
    model.queued.count = MAX_OPS;
    for (uint32_t i = 0; i < MAX_OPS; i++)
        queued[i] = ops[i].kind == MODEL_WORK ? MODEL_ALL_QUEUED / 2 : 0;
    places[TEAM].lag = places[BARRIER].lag = 1;
    ops[teams[0].begin].ns = 5;
    assert_int_equal(graph_wall(NULL), 50);
    assert_int_equal(graph_wall("threads=1"), 40);
    graph_name(CRITICAL, OMPTAPE_REGION_PARALLEL, "parallel @b.c:1");
    assert_int_equal(graph_wall("threads=1 parallel@b.c:1"), 50); /* elsewhere */
}

static void expect_refused(const char *text, const char *reason)
{
    struct simulate_rule *rules = scenario_rules(&model);
    char error[SCENARIO_ERROR_BYTES];
    assert_non_null(rules);
    assert_true(scenario_apply(&model, text, rules, error) != 0);
    if (strstr(error, reason) == NULL)
        fail_msg("%s: %s", text, error);
    free(rules);
}

/* Three threads: two work for 10 ms, and when they are at a barrier the third one, or all at once. Further
 * threads wait for them. */
static void make_turns(bool all_at_once, uint32_t further)
{
    enum { LONG_NS = 10000000 };
    graph_begin(3 + further);
    model.processors = 2;
    model.crowd = 3;
    graph_fork();
    graph_work(0, LOOP, LONG_NS);
    graph_work(1, LOOP, LONG_NS);
    if (all_at_once)
        graph_work(2, LOOP, LONG_NS);
    graph_join(0);
    if (!all_at_once) {
        const uint32_t end = strands[2].last;
        ops[graph_work(2, LOOP, LONG_NS)].next = end;
        for (uint32_t i = strands[2].first; i != MODEL_NONE;
             i = i == strands[2].last ? MODEL_NONE : ops[i].next)
            if (ops[i].kind == MODEL_BARRIER)
                ops[i].next = strands[2].last;
        ops[end].next = MODEL_NONE;
        strands[2].last = end;
    }
    assert_int_equal(simulate_share_processors(&model), 0);
}

static void takes_turns_on_processors(void **state)
{
    (void)state;
    make_turns(false, 0);
    assert_int_equal(model.shared, 2);
    assert_int_equal(graph_wall(NULL), 20000000);
    assert_int_equal(graph_wall("no-barrier@a.c:10"), 15000000);
    make_turns(true, 0); /* two processors are not enough for the record: the threads slept */
    assert_int_equal(model.shared, 0);
    assert_int_equal(graph_wall(NULL), 10000000);
}

/* The fourth thread may be on another node. */
static void takes_turns_on_the_same_processors(void **state)
{
    (void)state;
    make_turns(false, 1);
    assert_int_equal(model.shared, 0);
    model.streams = 1; /* it needs none of the processors */
    assert_int_equal(simulate_share_processors(&model), 0);
    assert_int_equal(model.shared, 2);
}

/* Whatever the work takes, there are at most some million slices of it, and the path has its time once. */
static void takes_turns_for_days(void **state)
{
    enum { MOST_SLICES = 1100000 };
    struct simulate_result result;
    struct path path;
    uint32_t count = 0;
    (void)state;
    graph_begin(3);
    model.processors = 2;
    model.crowd = 3;
    graph_fork();
    for (uint32_t i = 0; i < 3; i++)
        for (int k = 0; k < 10; k++)
            ops[graph_work(i, LOOP, 0)].ns = MODEL_MAX_NS; /* 18 minutes */
    graph_join(0);
    for (int k = 0; k < 2; k++)
        graph_work(0, OUTSIDE, 3000000000); /* alone, so at once */
    model.shared = 2;
    assert_int_equal(simulate_run(&model, NULL, true, &result), 0);
    assert_true(result.wall >= 15 * MODEL_MAX_NS);
    assert_true(result.wall < 16 * MODEL_MAX_NS);
    for (uint32_t step = result.last; step != MODEL_NONE; step = result.steps[step].before)
        count++;
    assert_in_range(count, 3, MOST_SLICES);
    assert_int_equal(path_find(&model, &result, &path), 0);
    assert_int_equal(path.work, result.wall);
    assert_int_equal(path.places[OUTSIDE], 6000000000);
    assert_int_equal(result.steps[result.last].ns, 3000000000);
    path_free(&path);
    free(result.steps);
    assert_true(graph_wall("for@a.c:10 x1e6") > 1000000 * MODEL_MAX_NS);
}

/* Two processes of one thread on one processor: each waited a fifth of its time, and needs the rest. */
static void needs_processors_once(void **state)
{
    (void)state;
    static uint8_t queued[MAX_OPS];
    const uint64_t running = 40000000 - 40000000 / 5;
    graph_begin(2);
    threads[1].is_initial = true;
    model.processors = model.shared = 1;
    model.queued.list = queued;
    model.queued.count = 2;
    for (uint32_t i = 0; i < 2; i++)
        queued[graph_work(i, OUTSIDE, 40000000)] = MODEL_ALL_QUEUED / 5;
    assert_int_equal(graph_wall("threads=1"), 2 * running);
}

/* Threads take turns only if the threads of all processes that share the processors fit. */
static void takes_turns_of_all_processes(void **state)
{
    enum { LONG_NS = 10000000 };
    (void)state;
    graph_begin(3);
    threads[1].is_initial = true;
    model.processors = model.shared = 2;
    model.crowd = 3;
    for (uint32_t i = 0; i < 3; i++)
        graph_work(i, OUTSIDE, LONG_NS);
    model.crowd_processes = 1;
    assert_int_equal(graph_wall("threads=2"), LONG_NS + LONG_NS / 2);
    model.crowd_processes = 2;
    assert_int_equal(graph_wall("threads=1"), LONG_NS + LONG_NS / 2);
    assert_int_equal(graph_wall("threads=2"), LONG_NS);
}

/* A combined construct has no work of the program's outside of its loop. One thread calls it like a function.
 */
static void shares_combined_loops(void **state)
{
    (void)state;
    graph_begin(2);
    graph_fork();
    loops[0] = (struct model_loop){.place = LOOP, .next = MODEL_NONE, .chunk = MODEL_NONE, .threads = 2};
    model.loops.count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = (struct model_part){
            .index = i, .first = graph_add(i, MODEL_LOOP_BEGIN, LOOP, 0, 0), .next = i == 0 ? 1 : MODEL_NONE};
        graph_work(i, LOOP, 10);
        const uint32_t end = graph_add(i, MODEL_LOOP_END, LOOP, 0, 0);
        ops[parts[i].first].ns = end;
        graph_work(i, TEAM, 30);
    }
    graph_join(5);
    expect_refused("threads=1", "75 % of the work in parallel regions is in no loop");
    graph_name(TEAM, OMPTAPE_REGION_PARALLEL, "parallel @a.c:10");
    assert_int_equal(graph_wall(NULL), 45);
    assert_int_equal(graph_wall("threads=1"), 20);
}

/* A team of one thread executes its tasks like calls. */
static void refuses_tasks_of_one_thread(void **state)
{
    (void)state;
    graph_begin(1);
    graph_fork();
    loops[0] = (struct model_loop){.place = LOOP, .next = MODEL_NONE, .chunk = MODEL_NONE, .threads = 1};
    model.loops.count = 1;
    parts[0] = (struct model_part){.first = graph_add(0, MODEL_LOOP_BEGIN, LOOP, 0, 0), .next = MODEL_NONE};
    graph_work(0, TASK, 30);
    ops[parts[0].first].ns = graph_add(0, MODEL_LOOP_END, LOOP, 0, 0);
    graph_join(0);
    expect_refused("threads=2", "100 % of the work in parallel regions is in no loop");
}

static void refuses_what_it_cannot_answer(void **state)
{
    (void)state;
    make_loop(false);
    expect_refused("for@a.c:11 x0.5", "no such region; there is for@a.c:10");
    expect_refused("dynamic@a.c:5", "no such loop; there is for@a.c:10");
    expect_refused("dynamic@a.c:5", "at a.c:5 is parallel@a.c:5 (gcc's static loops are not recorded");
    expect_refused("zero-wait critical@b.c:20", "no such lock; there is critical@a.c:20");
    expect_refused("faster", "is no scenario");
    expect_refused("for@a.c:10 x-1", "is no scenario");
    expect_refused("for@a.c:10 x", "is no scenario");
    expect_refused("static@a.c:10", "the record has only each thread's part of this loop; a run");
    expect_refused("kernel x0.5", "the archive has no such work of a device");
    ops[ops[parts[1].first].next].kind = MODEL_ACQUIRE;
    expect_refused("dynamic@a.c:10", "would have its chunks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_loops),
                                       cmocka_unit_test(divides_chunks_anew),
                                       cmocka_unit_test(shares_combined_loops),
                                       cmocka_unit_test(refuses_tasks_of_one_thread),
                                       cmocka_unit_test(takes_turns_on_processors),
                                       cmocka_unit_test(takes_turns_on_the_same_processors),
                                       cmocka_unit_test(takes_turns_for_days),
                                       cmocka_unit_test(needs_processors_once),
                                       cmocka_unit_test(takes_turns_of_all_processes),
                                       cmocka_unit_test(refuses_what_it_cannot_answer),
                                       cmocka_unit_test(relieves_processors),
                                       cmocka_unit_test(chunks_cost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
