/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a part's references to the unified archive's (reading.h). Called while libotf2 reads its definitions.
 */
#include "src/unify/reading.h"

#include "src/archive/read/reader.h"

static const struct {
    OTF2_Type type;
    enum omptape_unify_kind kind;
} value_kinds[] = {
    {OTF2_TYPE_STRING, OMPTAPE_UNIFY_STRING},     {OTF2_TYPE_ATTRIBUTE, OMPTAPE_UNIFY_ATTRIBUTE},
    {OTF2_TYPE_LOCATION, OMPTAPE_UNIFY_LOCATION}, {OTF2_TYPE_REGION, OMPTAPE_UNIFY_REGION},
    {OTF2_TYPE_GROUP, OMPTAPE_UNIFY_GROUP},       {OTF2_TYPE_METRIC, OMPTAPE_UNIFY_METRIC},
    {OTF2_TYPE_COMM, OMPTAPE_UNIFY_COMM},         {OTF2_TYPE_PARAMETER, OMPTAPE_UNIFY_PARAMETER},
    {OTF2_TYPE_RMA_WIN, OMPTAPE_UNIFY_RMA_WIN},   {OTF2_TYPE_LOCATION_GROUP, OMPTAPE_UNIFY_LOCATION_GROUP},
    {OTF2_TYPE_IO_FILE, OMPTAPE_UNIFY_IO_FILE},   {OTF2_TYPE_IO_HANDLE, OMPTAPE_UNIFY_IO_HANDLE},
};

OTF2_CallbackCode omptape_unify_done(const struct omptape_unify_reading *reading)
{
    return omptape_unify_failed(reading->model) ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

uint64_t omptape_unify_must(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                            uint64_t ref)
{
    uint64_t to = omptape_unify_map_get(&reading->part->maps[kind], ref);
    if (to == UINT64_MAX)
        omptape_unify_fail(reading->model, "its definitions refer to something that they do not define");
    return to;
}

uint64_t omptape_unify_may(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                           uint64_t ref)
{
    bool undefined =
        kind == OMPTAPE_UNIFY_LOCATION ? ref == OTF2_UNDEFINED_LOCATION : ref == OTF2_UNDEFINED_UINT32;
    return undefined ? ref : omptape_unify_must(reading, kind, ref);
}

uint64_t omptape_unify_string(const struct omptape_unify_reading *reading, OTF2_StringRef ref)
{
    return omptape_unify_may(reading, OMPTAPE_UNIFY_STRING, ref);
}

uint64_t omptape_unify_value(const struct omptape_unify_reading *reading, OTF2_Type type,
                             OTF2_AttributeValue value)
{
    for (size_t i = 0; i < sizeof(value_kinds) / sizeof(value_kinds[0]); i++) {
        if (value_kinds[i].type == type)
            return omptape_unify_may(reading, value_kinds[i].kind,
                                     type == OTF2_TYPE_LOCATION ? value.locationRef : value.uint32);
    }
    return omptape_value_bits(type, value);
}

OTF2_CallbackCode omptape_unify_define(const struct omptape_unify_reading *reading,
                                       enum omptape_unify_kind kind, uint64_t self, const uint64_t *words,
                                       size_t bytes)
{
    if (omptape_unify_failed(reading->model))
        return OTF2_CALLBACK_INTERRUPT;
    uint32_t row = omptape_rows_number(&reading->model->kinds[kind], words, bytes);
    if (omptape_unify_map_set(reading->part, &reading->part->maps[kind], self, row) != 0)
        omptape_unify_fail(reading->model, "its definitions have strange numbers");
    return omptape_unify_done(reading);
}

OTF2_CallbackCode omptape_unify_add_extra(const struct omptape_unify_reading *reading, const uint64_t *words,
                                          size_t bytes)
{
    if (!omptape_unify_failed(reading->model))
        omptape_rows_number(&reading->model->kinds[OMPTAPE_UNIFY_EXTRA], words, bytes);
    return omptape_unify_done(reading);
}

uint64_t omptape_unify_whose(const struct omptape_unify_reading *reading, uint64_t self)
{
    return ((uint64_t)reading->number + 1) << 32 | self;
}

uint32_t omptape_unify_process_of(const struct omptape_unify_reading *reading, uint64_t group)
{
    const struct omptape_hash_entry *entry = omptape_hash_next(&reading->processes, group + 1, NULL);
    return entry != NULL ? (uint32_t)entry->number : UINT32_MAX;
}
