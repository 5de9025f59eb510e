/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The image of the traced process: its mappings, and their opened modules.
 */
#pragma once

#include "src/core/store.h"
#include "writers/symbols/maps.h"
#include "writers/symbols/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_image_module;

/* All zeros: empty. */
struct omptape_image {
    struct omptape_rows strings;
    struct omptape_maps maps;
    uint32_t code_id; /* Code that look-ups refer to, if several were loaded at one address. */
    struct omptape_image_module *list;
    uint32_t count;
    uint32_t capacity;
    uint64_t start_ns;    /* When the program began (CLOCK_REALTIME); 0: unknown. */
    const char *replaced; /* A file whose path was deleted or got another file since; NULL: none. */
};

/* A place in the program's code. */
struct omptape_image_address {
    const char *path;              /* Path of the module; the strings own it. */
    struct omptape_module *module; /* NULL: its file cannot be read. */
    uint64_t address;              /* Linked address in the module; without a module, offset in its file. */
};

void omptape_image_free(struct omptape_image *image);

/* Finds the place of an address of the process. Returns false if no module lies there. */
bool omptape_image_find(struct omptape_image *image, uint64_t address, struct omptape_image_address *place);

/* Finds the start of the exported function of this name, in `first`'s module or another one, but not in an
 * OpenMP runtime. Returns false if there is none. Opens all modules. */
bool omptape_image_find_export(struct omptape_image *image, const struct omptape_image_address *first,
                               const char *name, struct omptape_image_address *place);

/* Sets file and line of the place, as omptape_lines_find does. */
bool omptape_image_find_line(struct omptape_image *image, const struct omptape_image_address *place,
                             const char **file, unsigned *line);

/* callees.c: names the function to which a call or jump in a module's code leads. */

/* Lists of names end with NULL; a '*' at a name's end matches any suffix. */

/* Functions of the runtimes that receive the body of a construct as function. */
extern const char *const omptape_callees_with_body[];

/* Prefixes of the names of the runtimes' functions, which no function of a user has. */
extern const char *const omptape_callees_of_runtime[];

bool omptape_callee_is_listed(const char *name, const char *const *list);

struct omptape_callee {
    const char *name; /* The module owns the name. */
    bool here;        /* True for a function of the call's own module; then `start` is its begin. */
    struct omptape_image_address start;
};

/* Returns the code between two addresses of the place's module; all zeros if it cannot be read. */
struct omptape_code_range omptape_callee_code(const struct omptape_image_address *place, uint64_t low,
                                              uint64_t high);

/* Finds the target of a call whose last byte is `call`. Returns false if no known function begins there. */
bool omptape_callee_of_call(const struct omptape_image_address *call, struct omptape_callee *callee);

/* Finds the target of a jump that begins at this place in the range, if it leaves the range. */
bool omptape_callee_of_jump(const struct omptape_code_range *range, const struct omptape_image_address *jump,
                            struct omptape_callee *callee);

/* A call or a jump: the surrounding function, its code, and the target. */
struct omptape_call_code {
    struct omptape_symbol around;
    struct omptape_code_range range;
    struct omptape_callee callee;
};

/* Finds the target of a call or a jump, and the surrounding function. */
bool omptape_callee_at(const struct omptape_image_address *place, struct omptape_call_code *code);

/* bodies.c: functions made of constructs' bodies, found from the call that passes them to the runtime. */

enum { OMPTAPE_MAX_BODIES = 64 };

/* Returns true for the first byte of a body's function. If libgomp's caller is uncertain, this address
 * represents the construct instead of the call's last byte (callbacks/gomp/record.h). */
bool omptape_bodies_is_start(const struct omptape_image_address *place);

/* Finds the start of the body that the construct passes to the runtime. `construct` is the jump to the
 * runtime, or the last byte of the call. A construct without a body (such as single) may be inside another
 * one's body; then finds that body. If the body is ambiguous, sets all candidates. Returns their number.
 * The start of a body is its own body. */
size_t omptape_bodies_find(struct omptape_image *image, const struct omptape_image_address *construct,
                           struct omptape_image_address bodies[OMPTAPE_MAX_BODIES]);

/* Sets the construct's line according to its body. Used for constructs whose call has no own line: gcc gives
 * it the previous line if no data is passed. Also accepts the start of a body. False for all others. */
bool omptape_bodies_line(struct omptape_image *image, const struct omptape_image_address *construct,
                         const char **file, unsigned *line);

/* calls.c: finds a construct whose return address belongs to an outer function. Optimising compilers turn
 * a call at the end of a function into a jump (a tail call). The runtime then sees the return address of
 * the function itself. */

/* Finds a jump to one of the callees (see callees.c) that ends the called function, possibly through other
 * functions. `call` is the last byte before a return address. Returns false if the called function belongs
 * to the runtime, or if there is no such jump, or several at different source lines. */
bool omptape_calls_find_jump(struct omptape_image *image, const struct omptape_image_address *call,
                             const char *const *callees, struct omptape_image_address *site);

/* Finds the jump to one of the callees that ends the body of `construct`, or the body of another construct
 * at its end. `construct` is a call or jump to the runtime with a body, or is inside such a body. Without
 * a jump, finds the only call of a callee in the body and in functions of the module that it calls. *site
 * is then the call's last byte. */
bool omptape_calls_find_in_body(struct omptape_image *image, const struct omptape_image_address *construct,
                                const char *const *callees, struct omptape_image_address *site);

/* Finds the call of a callee by the construct. A combined construct is itself this call. Otherwise it is
 * the only such call in its body and in functions of the module that the body calls. Returns false if
 * there is none, or several at different source lines. */
bool omptape_calls_find_inside(struct omptape_image *image, const struct omptape_image_address *construct,
                               const char *const *callees, struct omptape_image_address *site);

/* Returns true for a call through a pointer. The called function is unknown and may end with a jump to the
 * runtime. Returns false for the start of a body, which represents its construct (bodies.c). */
bool omptape_calls_is_indirect(const struct omptape_image_address *call);

/* Returns true if the return address of `call` cannot belong to a construct with these callees (empty:
 * never). Then the call leads to another function of the program, which does not end with exactly one jump
 * to a callee. For a construct that is a separate call (`alone`) it may also begin another construct. */
bool omptape_calls_is_of_other(struct omptape_image *image, const struct omptape_image_address *call,
                               const char *const *callees, bool alone);

/* call_lines.c: checks whether the line of a call of libgomp is the call's own. For many of these calls gcc
 * emits no line, so the line table has the previous one. */

/* Returns false if the line belongs to another statement, or may do so. `call` is a jump to the runtime,
 * or the last byte of a call. */
bool omptape_call_line_is_own(struct omptape_image *image, const struct omptape_image_address *call);

/* Sets the line of a task for which clang emits none, from the preceding call that allocates it. `call` is
 * the call that creates the task, by its last byte, or the jump. False if it creates none. Also returns false
 * if some task of the function is not created right after its own allocation, because calls were merged. */
bool omptape_call_line_of_task(struct omptape_image *image, const struct omptape_image_address *call,
                               const char **file, unsigned *line);

/* Finds the line of a loop whose bounds come from inlined functions. For the call that begins such a loop
 * gcc emits no line. The line table then has the line of the last inlined function. `call` is the last
 * byte of a call. Returns true if it begins a loop of libgomp and lies in code of an inlined function
 * outside the loop. Then *file and *line are the call of that function, or the construct's line above it
 * if known. *around is the number of functions inlined there that contain the loop. */
bool omptape_call_line_of_loop(struct omptape_image *image, const struct omptape_image_address *call,
                               const char **file, unsigned *line, size_t *around);

/* directive_lines.c: finds the line of a construct in the source text, if it can be read. Used for constructs
 * whose line in the debug information is missing or wrong. */

/* Finds the directive of `call`, a call of the runtime by a construct with these callees (callees.c).
 * Candidates are the file's directives in the calling function, or in the body that it passes. They must
 * be followed by lines with code of that function. Returns true if there is one candidate, or if their
 * number equals the number of such calls in the function; then their order decides. Sets *file and *line.
 * On entry *line is the line in the debug information, which is right for flang's loops. */
bool omptape_directive_line_find(struct omptape_image *image, const struct omptape_image_address *call,
                                 const char *const *callees, const char **file, unsigned *line);
