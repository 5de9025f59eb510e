/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts libotf2's global definitions to the reader's uniform structure, by a callback for each row of
 * definition_table.h. open.c registers the callbacks.
 */
#include "src/archive/read/internal.h"
#include "src/core/whole.h"

#include <math.h>

/* Converts a metric instance's scope to a reference; supports the kinds of OTF2 3.0. */
static struct omptape_reference metric_scope(OTF2_MetricScope scope, uint64_t id)
{
    static const enum omptape_definition_kind kinds[] = {
        [OTF2_SCOPE_LOCATION] = OMPTAPE_DEF_LOCATION,
        [OTF2_SCOPE_LOCATION_GROUP] = OMPTAPE_DEF_LOCATION_GROUP,
        [OTF2_SCOPE_SYSTEM_TREE_NODE] = OMPTAPE_DEF_SYSTEM_TREE_NODE,
        [OTF2_SCOPE_GROUP] = OMPTAPE_DEF_GROUP};
    return omptape_scope(scope < sizeof(kinds) / sizeof(kinds[0]) ? kinds[scope] : OMPTAPE_DEF_NONE, id);
}

/* Returns the period of a sample in ns; 0 if samples are not taken by time. */
static uint64_t sample_ns(OTF2_InterruptGeneratorMode mode, OTF2_Base base, int64_t exponent, uint64_t period)
{
    enum { NS_EXPONENT = 9, MAX_EXPONENT = 64 };
    if (mode != OTF2_INTERRUPT_GENERATOR_MODE_TIME || exponent > MAX_EXPONENT || exponent < -MAX_EXPONENT)
        return 0;
    return omptape_whole(base == OTF2_BASE_DECIMAL
                             ? (double)period * pow(10, (double)(exponent + NS_EXPONENT))
                             : (double)period * pow(2, (double)exponent) * pow(10, NS_EXPONENT));
}

static OTF2_CallbackCode on_clock_properties(void *data, uint64_t resolution, uint64_t offset,
                                             uint64_t length, uint64_t realtime)
{
    struct omptape_reader *reader = data;
    if (reader->clocks++ == 0) {
        reader->clock_resolution = resolution;
        reader->clock_offset = offset;
        reader->clock_length = length;
        reader->clock_realtime = realtime;
    }
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CLOCK, .value = {resolution, offset, length}};
    return omptape_reader_add(reader, &head, NULL, 0);
}

/* OTF2's callbacks have parameters that are not kept. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define HEAD(...) __VA_ARGS__
#define VALUES(...) .value = {__VA_ARGS__}
#define NOTHING .id = 0
#define REFS(...)                                                                                            \
    (const struct omptape_reference[]){__VA_ARGS__},                                                         \
        sizeof((struct omptape_reference[]){__VA_ARGS__}) / sizeof(struct omptape_reference)
#define NO_REFS NULL, 0
#define NAME TO(STRING, "name", name)
#define MAY_NAME MAY(STRING, "name", name)
#define PROPERTY_OF(Name, Kind, Ref, what)                                                                   \
    DEFINITION_KIND(Name, PROPERTY,                                                                          \
                    (void *data, Ref owner, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value), \
                    HEAD(VALUES(type, omptape_value_bits(type, value))),                                     \
                    REFS(TO(Kind, what, owner), NAME, omptape_value_reference(type, value)))
#define DEFINITION_KIND(Name, Kind, Parameters, Head, Refs)                                                  \
    static OTF2_CallbackCode on_##Name Parameters                                                            \
    {                                                                                                        \
        const struct omptape_definition head = {.kind = OMPTAPE_DEF_##Kind, Head};                           \
        return omptape_reader_add(data, &head, Refs);                                                        \
    }
#include "src/archive/read/definition_table.h"
#undef DEFINITION_KIND

OTF2_GlobalDefReaderCallbacks *omptape_reader_definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (callbacks == NULL)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock_properties);
#define DEFINITION_KIND(Name, ...) OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
#include "src/archive/read/definition_table.h"
#undef DEFINITION_KIND
    return callbacks;
}
