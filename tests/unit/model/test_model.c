/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulation of graphs that are made by hand, so that the wall time and the critical path are known.
 */
#include "src/model/path.h"
#include "src/model/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_OPS = 64, PLACES = 7, OUTSIDE = 0, LOOP, BARRIER, CRITICAL, TASK, CREATION, TEAM };

static struct model_op ops[MAX_OPS];
static struct model_place places[PLACES];
static struct model_strand strands[MAX_OPS];
static struct model_edge edges[MAX_OPS];
static struct model_team teams[2];
static struct model_barrier barriers[2];
static struct model_loop loops[1];
static struct model_part parts[4];
static struct model_chunk chunks[8];
static struct model_thread threads[4];
static struct model_lock locks[1];
static struct model_sync syncs[1];
static struct model_sync_link sync_links[1];
static struct reader_region regions[PLACES];
static struct omptape_definition loop, barrier, critical, task, creation, team;
static struct omptape_definition *const definitions[PLACES] = {NULL,  &loop,     &barrier, &critical,
                                                               &task, &creation, &team};
static struct model model;

static void name_place(uint32_t place, enum omptape_region_kind kind, const char *label)
{
    const char *site = strstr(label, "@");
    regions[place] =
        (struct reader_region){.kind = kind, .label = label, .site = site != NULL ? site + 1 : NULL};
    definitions[place]->region = &regions[place];
    definitions[place]->id = place;
    places[place] =
        (struct model_place){.parent = place != TEAM ? TEAM : OUTSIDE, .region = definitions[place]};
}

/* So many threads; the first is the initial one. */
static void begin(uint32_t count)
{
    model = (struct model){.ops.list = ops,
                           .places.list = places,
                           .places.count = PLACES,
                           .strands.list = strands,
                           .edges.list = edges,
                           .teams.list = teams,
                           .barriers.list = barriers,
                           .loops.list = loops,
                           .parts.list = parts,
                           .chunks.list = chunks,
                           .threads.list = threads,
                           .threads.count = count,
                           .locks.list = locks,
                           .syncs.list = syncs,
                           .sync_links.list = sync_links,
                           .locks.count = 1,
                           .groups = 1};
    name_place(LOOP, OMPTAPE_REGION_LOOP, "for @a.c:10");
    name_place(BARRIER, OMPTAPE_REGION_IMPLICIT_BARRIER, "implicit barrier @a.c:10");
    name_place(CRITICAL, OMPTAPE_REGION_CRITICAL, "critical @a.c:20");
    name_place(TASK, OMPTAPE_REGION_TASK, "task @a.c:30");
    name_place(CREATION, OMPTAPE_REGION_TASK_CREATE, "create task @a.c:30");
    name_place(TEAM, OMPTAPE_REGION_PARALLEL, "parallel @a.c:5");
    for (uint32_t i = 0; i < MAX_OPS; i++)
        strands[i] = (struct model_strand){.first = MODEL_NONE,
                                           .last = MODEL_NONE,
                                           .parent = MODEL_NONE,
                                           .group = MODEL_NONE,
                                           .team = MODEL_NONE,
                                           .edge = MODEL_NONE};
    for (uint32_t i = 0; i < count; i++)
        threads[i] = (struct model_thread){.strand = i, .is_initial = i == 0};
    model.strands.count = count;
}

static uint32_t add(uint32_t strand, enum model_op_kind kind, uint32_t place, uint32_t arg, unsigned ns)
{
    const uint32_t op = model.ops.count++;
    assert_true(op < MAX_OPS);
    ops[op] = (struct model_op){.kind = (unsigned)kind & 31U, .next = MODEL_NONE, .arg = arg};
    ops[op].ns = ns;
    ops[op].place = place & (MODEL_MAX_PLACES - 1);
    if (strands[strand].last != MODEL_NONE)
        ops[strands[strand].last].next = op;
    else
        strands[strand].first = op;
    strands[strand].last = op;
    return op;
}

static uint32_t work(uint32_t strand, uint32_t place, unsigned ns)
{
    return add(strand, MODEL_WORK, place, MODEL_NONE, ns);
}

/* All threads begin a team. */
static void fork_team(void)
{
    teams[0] = (struct model_team){.size = model.threads.count, .region = TEAM, .barrier = MODEL_NONE};
    model.teams.count = 1;
    add(0, MODEL_FORK, OUTSIDE, 0, 0);
    for (uint32_t i = 0; i < model.threads.count; i++) {
        const uint32_t op = add(i, MODEL_TEAM_BEGIN, TEAM, 0, 0);
        ops[op].flag = i == 0;
        teams[0].begin = op;
    }
}

/* All threads come to a barrier and end the team. */
static void end_team(unsigned lag)
{
    teams[0].barrier = 0;
    barriers[0] = (struct model_barrier){.arrivals = model.threads.count, .next = MODEL_NONE};
    model.barriers.count = 1;
    for (uint32_t i = 0; i < model.threads.count; i++) {
        add(i, MODEL_BARRIER, BARRIER, 0, i == 0 ? lag : 0);
        add(i, MODEL_TEAM_END, TEAM, 0, 0);
    }
    add(0, MODEL_JOIN, OUTSIDE, 0, 0);
}

static uint64_t wall_with(const char *scenario)
{
    struct simulate_rule *rules = scenario_rules(&model);
    struct simulate_result result;
    char error[SCENARIO_ERROR_BYTES];
    assert_non_null(rules);
    if (scenario != NULL)
        assert_int_equal(scenario_apply(&model, scenario, rules, error), 0);
    assert_int_equal(simulate_run(&model, rules, false, &result), 0);
    assert_int_equal(result.forced, 0);
    free(rules);
    return result.wall;
}

/* Two members work 10 and 30. */
static void make_unequal(void)
{
    begin(2);
    work(0, OUTSIDE, 100);
    fork_team();
    work(0, LOOP, 10);
    work(1, LOOP, 30);
    end_team(3);
    work(0, OUTSIDE, 5);
}

static void waits_at_a_barrier(void **state)
{
    (void)state;
    make_unequal();
    assert_int_equal(wall_with(NULL), 100 + 30 + 3 + 5);
    assert_int_equal(wall_with("for@a.c:10 x0.5"), 100 + 15 + 3 + 5);
    assert_int_equal(wall_with("for @ a.c:10  x0"), 100 + 3 + 5);
    assert_int_equal(wall_with("no-barrier@a.c:10"), 100 + 30); /* the other one is the last now */
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
    begin(3);
    fork_team();
    for (uint32_t i = 0; i < 3; i++) {
        work(i, TEAM, 1 + i);
        add(i, MODEL_ACQUIRE, CRITICAL, 0, 0);
        work(i, CRITICAL, 10);
        add(i, MODEL_RELEASE, CRITICAL, 0, 0);
    }
    end_team(0);
    assert_int_equal(wall_with(NULL), 1 + 10 + 10 + 10);
    assert_int_equal(wall_with("zero-wait critical@a.c:20"), 3 + 10);
    assert_int_equal(wall_with("critical@a.c:20 x0.1"), 1 + 1 + 1 + 1);
}

/* The first thread creates tasks of 10, 10, 10 and 30 and waits for them. */
static void make_tasks(void)
{
    begin(2);
    fork_team();
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t task = model.strands.count++;
        strands[task].parent = 0;
        strands[task].team = 0;
        work(0, TEAM, 1);
        add(0, MODEL_CREATE, CREATION, task, 0);
        work(task, TASK, i == 3 ? 30 : 10);
    }
    add(0, MODEL_TASKWAIT, TEAM, MODEL_NONE, 0);
    end_team(0);
}

static void shares_tasks(void **state)
{
    (void)state;
    make_tasks();
    /* At 1 the second thread begins; at 4 the first one takes its newest, which ends at 34. */
    assert_int_equal(wall_with(NULL), 34);
    assert_int_equal(wall_with("task@a.c:30 x0"), 4);
    /* The short ones are gone at 19, and the long one has three parts of 5 left. */
    assert_int_equal(wall_with("task@a.c:30 /6"), 29);
    assert_int_equal(wall_with("threads=1"), 64);
    assert_int_equal(wall_with("even parallel@a.c:5"), 32); /* 4 and 60 */
    /* From 4 to 14 the first thread has the second task, and then the last one. */
    model.newest_first = -1;
    assert_int_equal(wall_with(NULL), 44);
}

/* The first thread comes first, and takes the single that the second one had in the record. */
static void waits_for_tasks_of_another_thread(void **state)
{
    (void)state;
    begin(2);
    fork_team();
    loops[0] = (struct model_loop){
        .place = LOOP, .next = MODEL_NONE, .part = MODEL_NONE, .threads = 2, .schedule = MODEL_DYNAMIC};
    model.loops.count = 1;
    work(1, TEAM, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t loop = add(i, MODEL_LOOP_BEGIN, LOOP, 0, 0);
        if (i == 1)
            chunks[0] = (struct model_chunk){
                .first = add(1, MODEL_CHUNK, LOOP, 0, 0), .next = MODEL_NONE, .strand = 1};
        for (uint32_t task = 2; i == 1 && task < 4; task++) {
            model.strands.count++;
            strands[task].parent = 1;
            strands[task].team = 0;
            add(1, MODEL_CREATE, CREATION, task, 0);
            work(task, TASK, 10);
        }
        if (i == 1) {
            add(1, MODEL_TASKWAIT, LOOP, MODEL_NONE, 0);
            work(1, LOOP, 20);
        }
        ops[loop].ns = chunks[0].end = add(i, MODEL_LOOP_END, LOOP, 0, 0);
    }
    end_team(0);
    /* The second thread has a task from 1 to 11. */
    assert_int_equal(wall_with(NULL), 31);
}

/* A task that creates one of 10, which creates one of 20, and so on. The runtime takes 3 for each. */
static void cuts_tasks_off(void **state)
{
    (void)state;
    begin(2);
    model.create_ns = 2;
    fork_team();
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t parent = i == 0 ? 0 : model.strands.count - 1;
        const uint32_t task = model.strands.count++;
        strands[task].parent = parent;
        strands[task].team = 0;
        add(parent, MODEL_CREATE, CREATION, task, 0);
        ops[work(task, TASK, 1)].flag = true;
        work(task, TASK, 10 * (i + 1));
    }
    end_team(0);
    assert_int_equal(wall_with(NULL), 11 + 21 + 31);
    assert_int_equal(wall_with("cut-off=1 task@a.c:30"), 11 + 18 + 28);
    assert_int_equal(wall_with("cut-off=2"), wall_with("cut-off=2 task@a.c:30"));
    add(model.strands.count - 2, MODEL_TASKWAIT, TASK, MODEL_NONE, 5);
    assert_int_equal(wall_with("cut-off=1 task@a.c:30"), 11 + 18 + 28);
}

/* A task that creates one of 10 and, by `kind`, one of 20 that depends on it. */
static void make_dependent(enum model_op_kind kind)
{
    begin(2);
    fork_team();
    for (uint32_t task = 2; task < 5; task++) {
        strands[task].parent = task == 2 ? 0 : 2;
        strands[task].team = 0;
    }
    model.strands.count = 5;
    add(0, MODEL_CREATE, TEAM, 2, 0);
    add(2, MODEL_CREATE, TEAM, 3, 0);
    add(2, kind, CREATION, 4, 0);
    work(3, TASK, 10);
    work(4, TASK, 20);
    strands[3].edge = model.edges.count;
    edges[model.edges.count++] = (struct model_edge){.strand = 4, .next = MODEL_NONE};
    strands[4].waits = 1;
    end_team(0);
}

/* What runs at once does not run again when its dependences are fulfilled. */
static void runs_once(void **state)
{
    (void)state;
    make_dependent(MODEL_CREATE);
    assert_int_equal(wall_with(NULL), 10 + 20);
    assert_int_equal(wall_with("cut-off=1 task@a.c:30"), 20);
    make_dependent(MODEL_RUN);
    assert_int_equal(wall_with(NULL), 20);
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
    assert_int_equal(wall_with(NULL), 1 + 10 + 10 + 10 + 30);
    assert_int_equal(wall_with("no-depend@a.c:30"), 34);
}

/* Two threads execute a loop: with chunks, or with a part each. */
static void make_loop(bool has_chunks)
{
    static const unsigned costs[] = {40, 10, 10, 20};
    begin(2);
    fork_team();
    loops[0] = (struct model_loop){.place = LOOP,
                                   .next = MODEL_NONE,
                                   .chunk = has_chunks ? 0 : MODEL_NONE,
                                   .part = 0,
                                   .threads = 2,
                                   .schedule = has_chunks ? MODEL_DYNAMIC : MODEL_STATIC};
    model.loops.count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = (struct model_part){
            .index = i, .first = add(i, MODEL_LOOP_BEGIN, LOOP, 0, 0), .next = i == 0 ? 1 : MODEL_NONE};
        /* As it was recorded, the first thread had the first two chunks. */
        for (uint32_t k = 2 * i; k < 2 * i + 2; k++) {
            if (has_chunks)
                chunks[k] = (struct model_chunk){.first = add(i, MODEL_CHUNK, LOOP, k, 0),
                                                 .end = model.ops.count + 1,
                                                 .next = k < 3 ? k + 1 : MODEL_NONE};
            work(i, LOOP, costs[k]);
        }
        const uint32_t end = add(i, MODEL_LOOP_END, LOOP, 0, 0);
        ops[parts[i].first].ns = end;
    }
    end_team(0);
}

static void shares_loops(void **state)
{
    (void)state;
    make_loop(false);
    assert_int_equal(wall_with(NULL), 50);
    assert_int_equal(wall_with("dynamic@a.c:10"), 40);
    /* The parts are 50 and 30: a third thread has a third of the row of both. */
    assert_int_equal(wall_with("threads=4"), 25);
    assert_int_equal(wall_with("threads=1"), 80);
    assert_int_equal(wall_with("threads=3 parallel@a.c:5"), 33);
    assert_int_equal(wall_with("even parallel@a.c:5"), 40);
    make_loop(true);
    assert_int_equal(wall_with(NULL), 40);
    assert_int_equal(wall_with("threads=1"), 80);
    assert_int_equal(wall_with("threads=4"), 40);
    assert_int_equal(wall_with("for@a.c:10 x0.5"), 20);
}

/* Of the four chunks the first one is the longest. */
static void divides_chunks_anew(void **state)
{
    (void)state;
    make_loop(true);
    assert_int_equal(wall_with("dynamic@a.c:10"), 40);
    assert_int_equal(wall_with("dynamic,2@a.c:10"), 50);
    assert_int_equal(wall_with("static@a.c:10"), 50);
    assert_int_equal(wall_with("static,1@a.c:10"), 50);
    assert_int_equal(wall_with("static,4@a.c:10"), 80);
    assert_int_equal(wall_with("guided@a.c:10"), 40);
    assert_int_equal(wall_with("guided,2@a.c:10"), 50);
}

/* A chunk's time has the cost of taking the next one. */
static void chunks_cost(void **state)
{
    (void)state;
    make_loop(true);
    model.chunk_ns = 4;
    for (int i = 0; i < 4; i++)
        chunks[i].iterations = 2;
    assert_int_equal(wall_with("dynamic@a.c:10"), 40);
    assert_int_equal(wall_with("dynamic,4@a.c:10"), 46); /* 40 and 10 by one thread */
    assert_int_equal(wall_with("static@a.c:10"), 42);    /* no cost */
    assert_int_equal(wall_with("dynamic,1@a.c:10"), 22 + 7 + 7 + 12);
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
    assert_int_equal(wall_with(NULL), 50);
    assert_int_equal(wall_with("threads=1"), 40);
    name_place(CRITICAL, OMPTAPE_REGION_PARALLEL, "parallel @b.c:1");
    assert_int_equal(wall_with("threads=1 parallel@b.c:1"), 50); /* elsewhere */
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
    begin(3 + further);
    model.processors = 2;
    model.crowd = 3;
    fork_team();
    work(0, LOOP, LONG_NS);
    work(1, LOOP, LONG_NS);
    if (all_at_once)
        work(2, LOOP, LONG_NS);
    end_team(0);
    if (!all_at_once) {
        const uint32_t end = strands[2].last;
        ops[work(2, LOOP, LONG_NS)].next = end;
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
    assert_int_equal(wall_with(NULL), 20000000);
    assert_int_equal(wall_with("no-barrier@a.c:10"), 15000000);
    make_turns(true, 0); /* two processors are not enough for the record: the threads slept */
    assert_int_equal(model.shared, 0);
    assert_int_equal(wall_with(NULL), 10000000);
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
    begin(3);
    model.processors = 2;
    model.crowd = 3;
    fork_team();
    for (uint32_t i = 0; i < 3; i++)
        for (int k = 0; k < 10; k++)
            ops[work(i, LOOP, 0)].ns = MODEL_MAX_NS; /* 18 minutes */
    end_team(0);
    for (int k = 0; k < 2; k++)
        work(0, OUTSIDE, 3000000000); /* alone, so at once */
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
    assert_true(wall_with("for@a.c:10 x1e6") > 1000000 * MODEL_MAX_NS);
}

/* Two processes of one thread on one processor: each waited a fifth of its time, and needs the rest. */
static void needs_processors_once(void **state)
{
    (void)state;
    static uint8_t queued[MAX_OPS];
    const uint64_t running = 40000000 - 40000000 / 5;
    begin(2);
    threads[1].is_initial = true;
    model.processors = model.shared = 1;
    model.queued.list = queued;
    model.queued.count = 2;
    for (uint32_t i = 0; i < 2; i++)
        queued[work(i, OUTSIDE, 40000000)] = MODEL_ALL_QUEUED / 5;
    assert_int_equal(wall_with("threads=1"), 2 * running);
}

/* Threads take turns only if the threads of all processes that share the processors fit. */
static void takes_turns_of_all_processes(void **state)
{
    enum { LONG_NS = 10000000 };
    (void)state;
    begin(3);
    threads[1].is_initial = true;
    model.processors = model.shared = 2;
    model.crowd = 3;
    for (uint32_t i = 0; i < 3; i++)
        work(i, OUTSIDE, LONG_NS);
    model.crowd_processes = 1;
    assert_int_equal(wall_with("threads=2"), LONG_NS + LONG_NS / 2);
    model.crowd_processes = 2;
    assert_int_equal(wall_with("threads=1"), LONG_NS + LONG_NS / 2);
    assert_int_equal(wall_with("threads=2"), LONG_NS);
}

/* A combined construct has no work of the program's outside of its loop. One thread calls it like a function.
 */
static void shares_combined_loops(void **state)
{
    (void)state;
    begin(2);
    fork_team();
    loops[0] = (struct model_loop){.place = LOOP, .next = MODEL_NONE, .chunk = MODEL_NONE, .threads = 2};
    model.loops.count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = (struct model_part){
            .index = i, .first = add(i, MODEL_LOOP_BEGIN, LOOP, 0, 0), .next = i == 0 ? 1 : MODEL_NONE};
        work(i, LOOP, 10);
        const uint32_t end = add(i, MODEL_LOOP_END, LOOP, 0, 0);
        ops[parts[i].first].ns = end;
        work(i, TEAM, 30);
    }
    end_team(5);
    expect_refused("threads=1", "75 % of the work in parallel regions is in no loop");
    name_place(TEAM, OMPTAPE_REGION_PARALLEL, "parallel @a.c:10");
    assert_int_equal(wall_with(NULL), 45);
    assert_int_equal(wall_with("threads=1"), 20);
}

/* A team of one thread executes its tasks like calls. */
static void refuses_tasks_of_one_thread(void **state)
{
    (void)state;
    begin(1);
    fork_team();
    loops[0] = (struct model_loop){.place = LOOP, .next = MODEL_NONE, .chunk = MODEL_NONE, .threads = 1};
    model.loops.count = 1;
    parts[0] = (struct model_part){.first = add(0, MODEL_LOOP_BEGIN, LOOP, 0, 0), .next = MODEL_NONE};
    work(0, TASK, 30);
    ops[parts[0].first].ns = add(0, MODEL_LOOP_END, LOOP, 0, 0);
    end_team(0);
    expect_refused("threads=2", "100 % of the work in parallel regions is in no loop");
}

/* Two processes: the second one's call needs a call of the first, or each the other's. */
static void make_calls(bool is_collective)
{
    begin(2);
    threads[1].is_initial = true;
    syncs[0] = (struct model_sync){.needed = is_collective ? 2 : 1};
    model.syncs.count = 1;
    sync_links[0] = (struct model_sync_link){.sync = 0, .next = MODEL_NONE};
    model.sync_links.count = 1;
    work(0, LOOP, 30);
    add(0, MODEL_CALL_BEGIN, OUTSIDE, 0, 0);
    add(0, MODEL_CALL_END, OUTSIDE, is_collective ? 0 : MODEL_NONE, 5);
    work(1, OUTSIDE, 10);
    add(1, MODEL_CALL_BEGIN, OUTSIDE, is_collective ? 0 : MODEL_NONE, 0);
    add(1, MODEL_CALL_END, OUTSIDE, 0, 3);
    work(1, OUTSIDE, 4);
}

static void calls_wait_for_others(void **state)
{
    (void)state;
    make_calls(false);
    assert_int_equal(wall_with(NULL), 37);
    assert_int_equal(wall_with("for@a.c:10 x0.5"), 22);
    assert_int_equal(wall_with("for@a.c:10 x0"), 17); /* the message is there already */
    make_calls(true);
    assert_int_equal(wall_with(NULL), 37);
    assert_int_equal(wall_with("for@a.c:10 x0"), 17);
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
    begin(2);
    fork_team();
    add(0, MODEL_ACQUIRE, CRITICAL, 0, 0); /* never released */
    work(0, TEAM, 10);
    add(1, MODEL_ACQUIRE, CRITICAL, 0, 0);
    work(1, TEAM, 10);
    end_team(0);
    barriers[0].arrivals = 3; /* nor does the third come */
    assert_int_equal(simulate_run(&model, NULL, false, &result), 0);
    assert_true(result.forced > 0);
    assert_true(result.wall >= 10);
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

/* A region of the program's own may be called as the work of a device. */
static void tells_kernels_from_regions(void **state)
{
    (void)state;
    make_unequal();
    name_place(LOOP, OMPTAPE_REGION_USER, "kernel");
    assert_int_equal(wall_with("kernel x0.5"), 100 + 15 + 3 + 5);
    name_place(CRITICAL, OMPTAPE_REGION_KIND_COUNT, "target kernel @a.c:20");
    critical.value[0] = OTF2_REGION_ROLE_FUNCTION;
    work(0, CRITICAL, 20);
    assert_int_equal(wall_with("kernel x0.5"), 100 + 30 + 3 + 5 + 10);
    critical.value[0] = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits_at_a_barrier),
                                       cmocka_unit_test(finds_the_path),
                                       cmocka_unit_test(gives_locks_in_turn),
                                       cmocka_unit_test(shares_tasks),
                                       cmocka_unit_test(follows_dependences),
                                       cmocka_unit_test(shares_loops),
                                       cmocka_unit_test(divides_chunks_anew),
                                       cmocka_unit_test(calls_wait_for_others),
                                       cmocka_unit_test(ends_without_a_partner),
                                       cmocka_unit_test(shares_combined_loops),
                                       cmocka_unit_test(refuses_tasks_of_one_thread),
                                       cmocka_unit_test(waits_for_tasks_of_another_thread),
                                       cmocka_unit_test(takes_turns_on_processors),
                                       cmocka_unit_test(takes_turns_on_the_same_processors),
                                       cmocka_unit_test(takes_turns_for_days),
                                       cmocka_unit_test(needs_processors_once),
                                       cmocka_unit_test(takes_turns_of_all_processes),
                                       cmocka_unit_test(refuses_what_it_cannot_answer),
                                       cmocka_unit_test(cuts_tasks_off),
                                       cmocka_unit_test(runs_once),
                                       cmocka_unit_test(relieves_processors),
                                       cmocka_unit_test(chunks_cost),
                                       cmocka_unit_test(tells_kernels_from_regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
