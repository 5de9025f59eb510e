/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes graphs (model_fixture.h).
 */
#include "tests/unit/model/model_fixture.h"

struct model_op ops[MAX_OPS];
struct model_place places[PLACES];
struct model_strand strands[MAX_OPS];
struct model_edge edges[MAX_OPS];
struct model_team teams[2];
struct model_barrier barriers[2];
struct model_loop loops[1];
struct model_part parts[4];
struct model_chunk chunks[8];
struct model_thread threads[4];
static struct model_lock locks[1];
struct model_sync syncs[1];
struct model_sync_link sync_links[1];
static struct reader_region regions[PLACES];
static struct omptape_definition loop, barrier, critical, task, creation, team;
struct omptape_definition *const definitions[PLACES] = {NULL,  &loop,     &barrier, &critical,
                                                        &task, &creation, &team};
struct model model;

void graph_name(uint32_t place, enum omptape_region_kind kind, const char *label)
{
    const char *site = strstr(label, "@");
    regions[place] =
        (struct reader_region){.kind = kind, .label = label, .site = site != NULL ? site + 1 : NULL};
    definitions[place]->region = &regions[place];
    definitions[place]->id = place;
    places[place] =
        (struct model_place){.parent = place != TEAM ? TEAM : OUTSIDE, .region = definitions[place]};
}

void graph_begin(uint32_t count)
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
    graph_name(LOOP, OMPTAPE_REGION_LOOP, "for @a.c:10");
    graph_name(BARRIER, OMPTAPE_REGION_IMPLICIT_BARRIER, "implicit barrier @a.c:10");
    graph_name(CRITICAL, OMPTAPE_REGION_CRITICAL, "critical @a.c:20");
    graph_name(TASK, OMPTAPE_REGION_TASK, "task @a.c:30");
    graph_name(CREATION, OMPTAPE_REGION_TASK_CREATE, "create task @a.c:30");
    graph_name(TEAM, OMPTAPE_REGION_PARALLEL, "parallel @a.c:5");
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

uint32_t graph_add(uint32_t strand, enum model_op_kind kind, uint32_t place, uint32_t arg, unsigned ns)
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

uint32_t graph_work(uint32_t strand, uint32_t place, unsigned ns)
{
    return graph_add(strand, MODEL_WORK, place, MODEL_NONE, ns);
}

void graph_fork(void)
{
    teams[0] = (struct model_team){.size = model.threads.count, .region = TEAM, .barrier = MODEL_NONE};
    model.teams.count = 1;
    graph_add(0, MODEL_FORK, OUTSIDE, 0, 0);
    for (uint32_t i = 0; i < model.threads.count; i++) {
        const uint32_t op = graph_add(i, MODEL_TEAM_BEGIN, TEAM, 0, 0);
        ops[op].flag = i == 0;
        teams[0].begin = op;
    }
}

void graph_join(unsigned lag)
{
    teams[0].barrier = 0;
    barriers[0] = (struct model_barrier){.arrivals = model.threads.count, .next = MODEL_NONE};
    model.barriers.count = 1;
    for (uint32_t i = 0; i < model.threads.count; i++) {
        graph_add(i, MODEL_BARRIER, BARRIER, 0, i == 0 ? lag : 0);
        graph_add(i, MODEL_TEAM_END, TEAM, 0, 0);
    }
    graph_add(0, MODEL_JOIN, OUTSIDE, 0, 0);
}

uint64_t graph_wall(const char *scenario)
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
