/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums values (values.h). Called by src/analysis/reduce/pass.c.
 */
#include "src/analysis/values.h"

#include <math.h>
#include <string.h>

static const uint64_t sign = UINT64_C(1) << 63;

/* Converts a number to an integer of the same order, which is not 0 if the number is finite. The rules for
 * sums therefore work for these numbers. */
static uint64_t order_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

double omptape_values_number(uint64_t ordered)
{
    const uint64_t bits = (ordered & sign) != 0 ? ordered & ~sign : ~ordered;
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

struct analysis_value *omptape_values_at(struct analysis_state *state, uint64_t name)
{
    const struct omptape_definition *text = omptape_reader_find(state->reader, OMPTAPE_DEF_STRING, name);
    if (text == NULL)
        return NULL;
    struct analysis_value *value =
        omptape_pairs_obtain(&state->values, &state->result->arena, 0, name, sizeof(*value));
    if (value == NULL)
        return NULL;
    value->id = name;
    value->name = text->text;
    return value;
}

void omptape_values_event(struct analysis_state *state, const struct omptape_event *event)
{
    const struct omptape_definition *class = omptape_reader_metric_class(state->reader, event->refs[0].id);
    const struct omptape_definition *member =
        class != NULL && class->member_count == 1 && event->count == 1
            ? omptape_reader_find(state->reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[0])
            : NULL;
    if (!state->inside || member == NULL || !omptape_metric_is_of_user(member))
        return;
    const double number = omptape_metric_number(event->types[0], event->values[0]);
    const uint64_t ordered = order_of(number);
    struct analysis_value *value = omptape_values_at(state, member->refs[0].id);
    if (value == NULL)
        return;
    value->count++;
    if (event->time >= value->last_time) {
        value->last_time = event->time;
        value->last = ordered;
    }
    if (!isfinite(number)) {
        value->not_finite++;
        return;
    }
    value->largest = ordered > value->largest ? ordered : value->largest;
    value->smallest = value->smallest == 0 || ordered < value->smallest ? ordered : value->smallest;
}
