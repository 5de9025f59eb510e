/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs that are made by hand, so that the wall time and the critical path are known.
 */
#pragma once

#include "src/model/path.h"
#include "src/model/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_OPS = 64, PLACES = 7, OUTSIDE = 0, LOOP, BARRIER, CRITICAL, TASK, CREATION, TEAM };

/* The graph, empty after graph_begin. */
extern struct model model;
extern struct model_op ops[MAX_OPS];
extern struct model_place places[PLACES];
extern struct model_strand strands[MAX_OPS];
extern struct model_edge edges[MAX_OPS];
extern struct model_team teams[2];
extern struct model_barrier barriers[2];
extern struct model_loop loops[1];
extern struct model_part parts[4];
extern struct model_chunk chunks[8];
extern struct model_thread threads[4];
extern struct model_sync syncs[1];
extern struct model_sync_link sync_links[1];
extern struct omptape_definition *const definitions[PLACES];

/* Gives a place a kind and a name with its call site. */
void graph_name(uint32_t place, enum omptape_region_kind kind, const char *label);

/* So many threads; the first is the initial one. */
void graph_begin(uint32_t count);

/* Append an operation to a strand, and work. Return its index. */
uint32_t graph_add(uint32_t strand, enum model_op_kind kind, uint32_t place, uint32_t arg, unsigned ns);
uint32_t graph_work(uint32_t strand, uint32_t place, unsigned ns);

/* All threads begin a team; all come to a barrier and end it. */
void graph_fork(void);
void graph_join(unsigned lag);

/* Simulates with the scenario (NULL: none), which must reproduce all waits. */
uint64_t graph_wall(const char *scenario);
