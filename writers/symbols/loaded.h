/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the traced process has loaded: its mappings, and the modules of those that were looked into.
 */
#pragma once

#include "src/core/store.h"
#include "writers/symbols/maps.h"
#include "writers/symbols/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_loaded_module;

/* All zero: nothing. */
struct omptape_loaded {
    struct omptape_rows strings;
    struct omptape_maps maps;
    uint32_t code; /* of several that were at one address, the one that is asked about */
    struct omptape_loaded_module *list;
    uint32_t count;
    uint32_t capacity;
};

/* A place in the program's code. */
struct omptape_loaded_place {
    const char *path;              /* of the module; owned by the strings */
    struct omptape_module *module; /* NULL: its file cannot be read */
    uint64_t address;              /* in the module as linked; without a module, in its file */
};

void omptape_loaded_free(struct omptape_loaded *loaded);

/* The place of an address of the process. False if no module lies there. */
bool omptape_loaded_find(struct omptape_loaded *loaded, uint64_t address, struct omptape_loaded_place *place);

/* Start of the function of this name that other modules can reach: `first`'s own, or that of another module,
 * but not of an OpenMP runtime. False if there is none. Opens all modules. */
bool omptape_loaded_export(struct omptape_loaded *loaded, const struct omptape_loaded_place *first,
                           const char *name, struct omptape_loaded_place *place);

/* File and line of the place, as omptape_lines_find gives them. */
bool omptape_loaded_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *place,
                         const char **file, unsigned *line);

/* callees.c: Which function a call or jump in a module's code leads to. */

/* Lists of names are ended by NULL; a '*' at a name's end stands for anything. */

/* The functions of the runtimes that are handed the body of a construct, made into a function. */
extern const char *const omptape_callees_with_body[];

/* What begins the names of the runtimes' functions, but of no function of a user. */
extern const char *const omptape_callees_of_runtime[];

bool omptape_callee_is_listed(const char *name, const char *const *list);

struct omptape_callee {
    const char *name; /* owned by the module */
    bool here;        /* a function of the module of the call itself, and `start` is where it begins */
    struct omptape_loaded_place start;
};

/* The code between two places of the place's module; all zero if it cannot be read. */
struct omptape_code_range omptape_callee_code(const struct omptape_loaded_place *place, uint64_t low,
                                              uint64_t high);

/* What the call whose last byte this place is leads to; false where no known function begins there. */
bool omptape_callee_of_call(const struct omptape_loaded_place *call, struct omptape_callee *callee);

/* The same for the jump that begins at this place in the range, if it leaves the range. */
bool omptape_callee_of_jump(const struct omptape_code_range *range, const struct omptape_loaded_place *jump,
                            struct omptape_callee *callee);

/* The same for a place that is the one or the other. Sets the function around it, too, and its code. */
bool omptape_callee_at(const struct omptape_loaded_place *place, struct omptape_symbol *around,
                       struct omptape_code_range *range, struct omptape_callee *callee);

/* bodies.c: The functions that compilers make of constructs' bodies, found from the call that hands them to
 * the runtime. */

enum { OMPTAPE_MAX_BODIES = 64 };

/* True for the first byte of a body's function. Where libgomp's caller is not known for certain, this stands
 * for the construct in place of the call's last byte (callbacks/gomp/record.h). */
bool omptape_bodies_is_start(const struct omptape_loaded_place *place);

/* Where the function of the body begins that the construct passes to the runtime. `construct` is the jump to
 * the runtime, or the last byte of the call. A construct that passes none (a single, say) may stand in the
 * body of another one: then that body. If one body cannot be distinguished from others, all candidates;
 * returns how many. A body's start is its own. */
size_t omptape_bodies_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                           struct omptape_loaded_place bodies[OMPTAPE_MAX_BODIES]);

/* Where the construct stands in the source according to its body. This is for constructs whose call has no
 * line of its own: gcc gives it the line before where no data is passed. Also for the start of a body. False
 * for all others. */
bool omptape_bodies_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                         const char **file, unsigned *line);

/* calls.c: Finds the place of a construct whose return address is not its own. Optimising compilers turn a
 * call at the end of a function into a jump (a tail call). The runtime then sees the address that the
 * function itself would return to. */

/* `callees`: see callees.c. `call` is the last byte before a return address. True if the function called
 * there is none of the runtime but ends, maybe through others, with a jump to one of the callees. *site is
 * that jump. False if there is no such jump, or more than one that the source could distinguish. */
bool omptape_calls_find_jump(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                             const char *const *callees, struct omptape_loaded_place *site);

/* `construct` is the call or jump to the runtime of a construct with a body, or stands in such a body. If the
 * body, or that of another such construct that it ends with, ends with a jump to one of the callees: as
 * above. If there is none, it is the only call to them in the body and in the functions of the module that it
 * calls, by its last byte. */
bool omptape_calls_find_in_body(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                                const char *const *callees, struct omptape_loaded_place *site);

/* The call to one of the callees that the construct is itself, if it is a combined one. Else the one call
 * that its body makes, or a function of the module that this calls. False if there is none, or more than one
 * that the source could tell apart. */
bool omptape_calls_find_inside(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                               const char *const *callees, struct omptape_loaded_place *site);

/* True if the call goes through a pointer: what it called is not known, and may be a function that ends with
 * a jump to the runtime. Never of the start of a body, which stands for its construct (bodies.c). */
bool omptape_calls_is_indirect(const struct omptape_loaded_place *call);

/* True if a construct with these callees (none: never) cannot have the call's return address. Then the call
 * leads to another function of the program, and to none that ends with just one jump to a callee. For a
 * construct that is a call `alone` it may also begin another construct. */
bool omptape_calls_is_of_other(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                               const char *const *callees, bool alone);

/* located.c: Whether the line of a call to libgomp's functions is the call's own. gcc gives many of them
 * none. Then the line table has the line of what stands before. */

/* `call` is a jump to the runtime, or the last byte of a call. False where the line is another's, or may be.
 */
bool omptape_located(struct omptape_loaded *loaded, const struct omptape_loaded_place *call);

/* The line of a task that clang gives none: its memory is asked for by a call right before, which has it.
 * `call`: the call that creates the task, by its last byte, or the jump. False if it creates none, or if not
 * every task of the function is created right behind its own allocation: then calls were merged. */
bool omptape_allocated_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                            const char **file, unsigned *line);

/* Where a loop stands whose bounds come from functions that were inlined. gcc gives the call that begins it
 * no line, and the line table then has the line of the last bound's function. `call` is the last byte of a
 * call. True if it begins a loop of libgomp's and lies in the code of an inlined function that is none of the
 * loop's. Then *file and *line are where that one is called, as far as it is known the line of the construct
 * above it. *around is how many of the functions inlined there are around the loop. */
bool omptape_bounds_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                         const char **file, unsigned *line, size_t *around);

/* written.c: Where a construct stands whose line the debug info does not tell, or tells wrongly: as it is
 * written in the source file, if that can be read. */

/* `call` is the call to the runtime of a construct with these callees (callees.c). Of its directives in the
 * file those belong to the function that calls, or to the body that it hands over, of which this has code in
 * the lines behind them. True if there is one (of which compilers may make several calls), or if there are as
 * many as such calls in the function, in their order. Then *file and *line are set. *line is what the debug
 * info said: flang's loops have the right one. */
bool omptape_written_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                          const char *const *callees, const char **file, unsigned *line);
