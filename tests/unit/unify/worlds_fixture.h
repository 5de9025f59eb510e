/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A model of processes of several MPI_COMM_WORLDs that met, each in a part of its own, made without archives,
 * and what becomes of it. On the test's only thread; failures end the test.
 */
#pragma once

#include "src/unify/model.h"

enum { WORLDS_SECOND = 1000 }; /* in ticks of all clocks */

/* One side of a connection. */
struct worlds_side {
    uint32_t process; /* its processes: from this one on */
    uint32_t count;
    uint32_t root; /* so many after the first */
    unsigned kind;
    unsigned first;
    uint32_t remote;
    uint64_t name;
    uint64_t begin, end;
    uint32_t after; /* they are those of its processes' communicator with this number; 0: of their world */
};

/* cmocka's set-up and tear-down of each test: *state is a model of no processes. */
int worlds_make(void **state);
int worlds_free(void **state);

/* A world of so many processes. These are numbered from 0 on in all worlds, as their places in MPI's list. */
void worlds_add(struct omptape_unify_model *model, uint32_t size);
/* So many worlds of one process each. */
void worlds_add_ones(struct omptape_unify_model *model, uint32_t count);
void worlds_set_property(struct omptape_unify_model *model, uint32_t number, const char *key,
                         const char *value);

/* Adds the sides, and brings together what belongs together. Communicators of a process are numbered: 0 is
 * its world, then those of the sides that it is in, in the order of these. */
void worlds_settle(struct omptape_unify_model *model, const struct worlds_side *sides, size_t count);

/* The members of a process's communicator, places in MPI's list. */
const uint64_t *worlds_members(const struct omptape_unify_model *model, uint32_t process, uint32_t number,
                               uint32_t *count);
/* They are these processes, with blanks between; "-": nobody. */
void worlds_expect(const struct omptape_unify_model *model, uint32_t process, uint32_t number,
                   const char *expected);
/* The same, and the two processes have this communicator in common. */
void worlds_expect_together(const struct omptape_unify_model *model, uint32_t one, uint32_t number,
                            uint32_t other, uint32_t its_number, const char *expected);
