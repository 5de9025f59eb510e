/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the bodies of constructs by the function addresses that the code near a construct loads.
 */
#include "writers/symbols/image.h"

#include "src/core/words.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/lines.h"
#include "writers/symbols/names.h"

#include <string.h>

enum {
    MAX_CODE = 1 << 20, /* Most bytes of a function that are read. */
    NEAR = 1 << 10      /* Bytes before a construct that are read first. */
};

/* The bodies whose addresses a function loads. */
struct taken_bodies {
    struct omptape_image_address bodies[OMPTAPE_MAX_BODIES];
    bool near[OMPTAPE_MAX_BODIES]; /* True if loaded between the construct and the previous one. */
    size_t count, near_count;
};

static bool is_with_body(const struct omptape_callee *callee)
{
    return omptape_callee_is_listed(callee->name, omptape_callees_with_body);
}

static bool is_of_gnu(const struct omptape_callee *callee)
{
    return omptape_starts_with(callee->name, "GOMP_");
}

/* Returns true for the last byte of a call that passes a body to the runtime. The next function does the
 * same for the first byte of a jump. */
static bool hands_over_by_call(const struct omptape_image_address *call)
{
    struct omptape_callee callee;
    return omptape_callee_of_call(call, &callee) && is_with_body(&callee);
}

static bool hands_over_by_jump(const struct omptape_code_range *range,
                               const struct omptape_image_address *jump)
{
    struct omptape_callee callee;
    return omptape_callee_of_jump(range, jump, &callee) && is_with_body(&callee);
}

static void forget_near(struct taken_bodies *taken)
{
    memset(taken->near, 0, sizeof(taken->near));
    taken->near_count = 0;
}

static void add_body(struct taken_bodies *taken, const struct omptape_image_address *at, uint64_t address,
                     bool near)
{
    struct omptape_symbol symbol;
    size_t i = 0;
    if (!omptape_module_symbol(at->module, address, &symbol) || symbol.low != address ||
        !omptape_name_is_body(symbol.name))
        return;
    while (i < taken->count && taken->bodies[i].address != address)
        i++;
    if (i == OMPTAPE_MAX_BODIES)
        return;
    if (i == taken->count)
        taken->bodies[taken->count++] = (struct omptape_image_address){at->path, at->module, address};
    taken->near_count += near && !taken->near[i];
    taken->near[i] = taken->near[i] || near;
}

/* Finds the function around the construct, its code, and the target of the construct's call or jump.
 * Returns false if the function is too long. */
static bool find_function_of(const struct omptape_image_address *construct, struct omptape_call_code *code)
{
    return omptape_callee_at(construct, code) && code->range.high - code->range.low <= MAX_CODE;
}

/* Reads the part of the function from `low` to `high`. */
static void read_function(struct taken_bodies *taken, const struct omptape_code_range *range,
                          const struct omptape_image_address *construct, uint64_t low, uint64_t high)
{
    struct omptape_image_address at = *construct;
    struct omptape_image_address end = *construct;
    taken->count = 0;
    forget_near(taken);
    for (at.address = low; at.address < high; at.address += range->step) {
        uint64_t address;
        bool near = at.address < construct->address;
        if (omptape_code_address_at(range, at.address, &address))
            add_body(taken, &at, address, near);
        end.address = at.address + range->step - 1;
        if (near && end.address != construct->address &&
            (hands_over_by_call(&end) || hands_over_by_jump(range, &at)))
            forget_near(taken);
    }
}

/* Returns true if the function at `start` was compiled from the body of the construct of this source line. */
static bool has_line_of(struct omptape_image *image, const struct omptape_image_address *start,
                        const struct omptape_image_address *construct)
{
    const char *file;
    const char *declared_file;
    unsigned line;
    unsigned declared_line;
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(start->module, start->address, &address);
    if (unit == NULL || !omptape_image_find_line(image, construct, &file, &line))
        return false;
    if (omptape_functions_declaration(unit, address, &image->strings, &declared_file, &declared_line) &&
        declared_file == file && declared_line == line)
        return true;
    return omptape_lines_start(&unit->lines, address, address, &image->strings, file, line);
}

/* Finds the offset of the word on the stack from the base of its function's frame. */
static bool find_in_frame(struct omptape_module *module, const struct omptape_code_slot *slot,
                          int64_t *offset)
{
    unsigned base;
    int64_t distance;
    if (!omptape_module_frame(module, slot->address, &base, &distance) || base != slot->base)
        return false;
    *offset = slot->offset - distance;
    return true;
}

/* Finds the address that the code stored on the stack, usually before a loop, and loads from there as first
 * argument. The code in front of the load decides, not the order of execution. */
static bool find_stored(const struct omptape_code_range *range, const struct omptape_image_address *construct,
                        uint64_t *address)
{
    enum { MAX_PUSHED = 256 }; /* Bytes by which the stack pointer may differ between store and load. */
    struct omptape_code_slot load;
    struct omptape_code_slot store;
    int64_t wanted;
    int64_t offset;
    if (!omptape_code_argument_load(range, construct->address, &load) ||
        !find_in_frame(construct->module, &load, &wanted))
        return false;
    store = load;
    while (omptape_code_store_before(range, store.address, &store, address))
        if (store.base == load.base && store.offset - load.offset <= MAX_PUSHED &&
            load.offset - store.offset <= MAX_PUSHED && find_in_frame(construct->module, &store, &offset) &&
            offset == wanted)
            return *address != 0;
    return false;
}

/* Finds the body in the first argument, where all libgomp functions but one expect it. False if it is not
 * there. */
static bool find_argument(const struct omptape_code_range *range, const struct omptape_callee *callee,
                          const struct omptape_image_address *construct, struct omptape_image_address *body)
{
    struct omptape_symbol symbol;
    *body = *construct;
    return is_of_gnu(callee) && !omptape_starts_with(callee->name, "GOMP_target") &&
           (omptape_code_first_argument(range, construct->address, &body->address) ||
            find_stored(range, construct, &body->address)) &&
           omptape_module_symbol(body->module, body->address, &symbol) && symbol.low == body->address &&
           omptape_name_is_body(symbol.name);
}

static size_t find_by_line(struct omptape_image *image, const struct taken_bodies *taken,
                           const struct omptape_image_address *construct,
                           struct omptape_image_address *bodies)
{
    size_t count = 0;
    for (size_t i = 0; i < taken->count; i++)
        if (has_line_of(image, &taken->bodies[i], construct))
            bodies[count++] = taken->bodies[i];
    return count;
}

/* Most code loads the address before passing it. Otherwise the load was moved, for example out of a loop. */
static size_t find_near(const struct taken_bodies *taken, struct omptape_image_address *bodies)
{
    size_t count = 0;
    for (size_t i = 0; i < taken->count; i++)
        if (taken->near[i])
            bodies[count++] = taken->bodies[i];
    return count;
}

static size_t find_taken(struct omptape_image *image, const struct taken_bodies *taken, bool gnu,
                         const struct omptape_image_address *construct, struct omptape_image_address *bodies)
{
    /* Lines from gcc may belong to other constructs. */
    if (gnu && taken->near_count == 1)
        return find_near(taken, bodies);
    return find_by_line(image, taken, construct, bodies);
}

static size_t find_passed_body(struct omptape_image *image, const struct omptape_code_range *range,
                               const struct omptape_callee *callee,
                               const struct omptape_image_address *construct,
                               struct omptape_image_address *bodies)
{
    struct taken_bodies taken = {.count = 0};
    bool gnu = is_of_gnu(callee);
    if (find_argument(range, callee, construct, bodies))
        return 1;
    size_t count = 0;
    size_t pieces = (construct->address - range->low) / NEAR;
    if (pieces > 1) {
        read_function(&taken, range, construct, range->low + (pieces - 1) * NEAR, construct->address);
        count = find_taken(image, &taken, gnu, construct, bodies);
    }
    if (count != 0)
        return count;
    read_function(&taken, range, construct, range->low, range->high);
    count = find_taken(image, &taken, gnu, construct, bodies);
    if (count != 0 || taken.count == OMPTAPE_MAX_BODIES)
        return count;
    if (taken.near_count == 1)
        return find_near(&taken, bodies);
    memcpy(bodies, taken.bodies, taken.count * sizeof(*bodies));
    return taken.count;
}

bool omptape_bodies_is_start(const struct omptape_image_address *place)
{
    struct omptape_symbol symbol;
    return place->module != NULL && omptape_module_symbol(place->module, place->address, &symbol) &&
           symbol.low == place->address && omptape_name_is_body(symbol.name);
}

size_t omptape_bodies_find(struct omptape_image *image, const struct omptape_image_address *construct,
                           struct omptape_image_address bodies[OMPTAPE_MAX_BODIES])
{
    struct omptape_call_code code;
    if (omptape_bodies_is_start(construct)) {
        bodies[0] = *construct;
        return 1;
    }
    if (!find_function_of(construct, &code))
        return 0;
    if (is_with_body(&code.callee))
        return find_passed_body(image, &code.range, &code.callee, construct, bodies);
    bodies[0] = *construct;
    bodies[0].address = code.around.low;
    return omptape_name_is_body(code.around.name) ? 1 : 0;
}

static bool find_first_line(struct omptape_image *image, const struct omptape_image_address *body,
                            const char **file, unsigned *line)
{
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(body->module, body->address, &address);
    return unit != NULL && omptape_lines_find_first(&unit->lines, address, &image->strings, file, line);
}

bool omptape_bodies_line(struct omptape_image *image, const struct omptape_image_address *construct,
                         const char **file, unsigned *line)
{
    struct omptape_image_address bodies[OMPTAPE_MAX_BODIES];
    struct omptape_call_code code;
    if (omptape_bodies_is_start(construct))
        return find_first_line(image, construct, file, line);
    if (!find_function_of(construct, &code) || !is_of_gnu(&code.callee) || !is_with_body(&code.callee) ||
        find_passed_body(image, &code.range, &code.callee, construct, bodies) != 1)
        return false;
    if (has_line_of(image, &bodies[0], construct))
        return omptape_image_find_line(image, construct, file, line);
    return find_first_line(image, &bodies[0], file, line);
}
