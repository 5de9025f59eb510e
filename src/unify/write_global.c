/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the global definitions of a unified archive, one kind after the other, each sorted by reference.
 */
#include "src/unify/reading.h"

#include "src/core/whole.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct global_writing {
    struct omptape_unify_model *model;
    OTF2_GlobalDefWriter *out;
    uint32_t count; /* number of words of the current row */
};

/* Writes the definition with the reference `self`. */
typedef OTF2_ErrorCode write_row(const struct global_writing *writing, uint32_t self, const uint64_t *words);

/* Renames a communicator that has one of the default names. `numbers`: for each name, number of the latest
 * such communicator, which is increased; the first one keeps its name. NULL: the name gets `number`. */
static bool name_like(struct omptape_unify_model *model, uint64_t *words, const char *const *names,
                      unsigned count, unsigned *numbers, unsigned number)
{
    char text[64];
    unsigned i = 0;
    while (i < count && strcmp(omptape_unify_text(model, words[0]), names[i]) != 0)
        i++;
    if (i == count)
        return false;
    snprintf(text, sizeof(text), "%s %u", names[i], numbers != NULL ? ++numbers[i] : number);
    if (numbers == NULL || numbers[i] > 1)
        words[0] = omptape_unify_add_text(model, text);
    return true;
}

/* Renumbers the communicators' names, as each process numbers its own from 0. Must precede the strings. */
static void name_comms(struct omptape_unify_model *model)
{
    struct omptape_rows *comms = &model->kinds[OMPTAPE_UNIFY_COMM];
    unsigned worlds[OMPTAPE_UNIFY_WORLD_NAMES] = {0};
    for (uint32_t i = 0; i < comms->count; i++) {
        unsigned number;
        int end = 0;
        char text[64];
        uint64_t *words = comms->list[i].data;
        if (name_like(model, words, omptape_unify_numbered_names, OMPTAPE_UNIFY_NUMBERED_NAMES, NULL, i) ||
            name_like(model, words, omptape_unify_world_names, OMPTAPE_UNIFY_WORLD_NAMES, worlds, 0))
            continue;
        const char *name = omptape_unify_text(model, words[0]);
        if (sscanf(name, "Thread team %u%n", &number, &end) != 1 || name[end] != '\0')
            continue;
        snprintf(text, sizeof(text), "Thread team %u", i);
        words[0] = omptape_unify_add_text(model, text);
    }
}

static void name_processes(struct omptape_unify_model *model)
{
    uint64_t property = omptape_unify_add_text(model, OMPTAPE_GROUP_NUMBER);
    for (uint32_t i = 0; i < model->process_count; i++) {
        const struct omptape_unify_process *process = &model->processes[i];
        uint64_t *words = model->kinds[OMPTAPE_UNIFY_LOCATION_GROUP].list[process->group].data;
        const uint64_t number[] = {OMPTAPE_UNIFY_GROUP_PROPERTY, process->group, property, OTF2_TYPE_UINT32,
                                   i};
        words[0] = process->name;
        omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_EXTRA], number, sizeof(number));
    }
}

static void write_kind(struct global_writing *writing, enum omptape_unify_kind kind, write_row *write)
{
    for (uint32_t i = 0; i < writing->model->kinds[kind].count && !omptape_unify_failed(writing->model);
         i++) {
        writing->count = omptape_unify_word_count(writing->model, kind, i);
        OTF2_ErrorCode code = write(writing, i, omptape_unify_words(writing->model, kind, i));
        if (code != OTF2_SUCCESS)
            omptape_unify_fail(writing->model, "%s", OTF2_Error_GetDescription(code));
    }
}

static void write_strings(const struct global_writing *writing)
{
    for (uint32_t i = 0; i < writing->model->kinds[OMPTAPE_UNIFY_STRING].count; i++)
        if (OTF2_GlobalDefWriter_WriteString(writing->out, i, omptape_unify_text(writing->model, i)) !=
            OTF2_SUCCESS)
            omptape_unify_fail(writing->model, "cannot write a string");
}

/* Writers for the definitions of definition_table.h. */
#define WORDS(...) __VA_ARGS__
#define WRITTEN(kind, name, written)                                                                         \
    static OTF2_ErrorCode write_##kind(const struct global_writing *writing, uint32_t self,                  \
                                       const uint64_t *w)                                                    \
    {                                                                                                        \
        return OTF2_GlobalDefWriter_Write##name(writing->out, self, written);                                \
    }
#define DEFINITION(kind, name, arguments, kept, written) WRITTEN(kind, name, WORDS(written))
#include "src/unify/definition_table.h"

static OTF2_ErrorCode write_location(const struct global_writing *writing, uint32_t self,
                                     const uint64_t *words)
{
    return OTF2_GlobalDefWriter_WriteLocation(writing->out, omptape_unify_location_id(writing->model, self),
                                              (OTF2_StringRef)words[0], (OTF2_LocationType)words[1], words[2],
                                              (OTF2_LocationGroupRef)words[3]);
}

/* Lists a group's regions from all parts. `members` is large enough for all. */
static uint32_t list_regions(const struct omptape_unify_model *model, uint32_t group, uint64_t *members)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->kinds[OMPTAPE_UNIFY_EXTRA].count; i++) {
        const uint64_t *words = omptape_unify_words(model, OMPTAPE_UNIFY_EXTRA, i);
        if (words[0] == OMPTAPE_UNIFY_GROUP_REGION && words[1] == group)
            members[count++] = words[2];
    }
    return count;
}

static OTF2_ErrorCode write_group(const struct global_writing *writing, uint32_t self, const uint64_t *words)
{
    enum { HEAD = 4 };
    const struct omptape_unify_model *model = writing->model;
    bool listed = words[1] == OTF2_GROUP_TYPE_COMM_LOCATIONS;
    unsigned list = OMPTAPE_UNIFY_LISTED + (listed ? omptape_unify_list_of(model, words[2]) : 0);
    bool ranks = listed && words[2] == OTF2_PARADIGM_MPI;
    uint32_t count = writing->count - HEAD;
    if (listed)
        count = ranks ? model->rank_count : model->kinds[list].count;
    const bool regions = words[1] == OTF2_GROUP_TYPE_REGIONS;
    const uint32_t capacity = regions ? model->kinds[OMPTAPE_UNIFY_EXTRA].count : count;
    uint64_t *members = omptape_calloc((size_t)capacity + 1, sizeof(*members));
    if (members == NULL)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    if (regions)
        count = list_regions(model, self, members);
    for (uint32_t i = 0; i < count && !regions; i++) {
        uint64_t member = ranks    ? model->ranks[i]
                          : listed ? *omptape_unify_words(model, (enum omptape_unify_kind)list, i)
                                   : words[HEAD + i];
        members[i] = (listed && member != OTF2_UNDEFINED_LOCATION) || words[1] == OTF2_GROUP_TYPE_LOCATIONS
                         ? omptape_unify_location_id(model, member)
                         : member;
    }
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteGroup(writing->out, self, (OTF2_StringRef)words[0],
                                                          (OTF2_GroupType)words[1], (OTF2_Paradigm)words[2],
                                                          (OTF2_GroupFlag)words[3], count, members);
    free(members);
    return code;
}

static OTF2_ErrorCode write_metric(const struct global_writing *writing, uint32_t self, const uint64_t *words)
{
    enum { HEAD = 2 };
    OTF2_MetricMemberRef members[UINT8_MAX];
    for (uint32_t i = HEAD; i < writing->count; i++)
        members[i - HEAD] = (OTF2_MetricMemberRef)words[i];
    return OTF2_GlobalDefWriter_WriteMetricClass(writing->out, self, (uint8_t)(writing->count - HEAD),
                                                 members, (OTF2_MetricOccurrence)words[0],
                                                 (OTF2_RecorderKind)words[1]);
}

static OTF2_AttributeValue value_of(const struct global_writing *writing, uint64_t type, uint64_t value)
{
    const bool is_location = type == OTF2_TYPE_LOCATION && value != OTF2_UNDEFINED_LOCATION;
    return (OTF2_AttributeValue){.uint64 =
                                     is_location ? omptape_unify_location_id(writing->model, value) : value};
}

static OTF2_ErrorCode write_extra(const struct global_writing *writing, const uint64_t *words)
{
    const uint64_t *w = words + 1;
    switch ((enum omptape_unify_extra)words[0]) {
#define PLACE(row) omptape_unify_location_id(writing->model, row)
#define VALUE(type, value) (OTF2_Type)(type), value_of(writing, type, value)
#define WRITTEN_EXTRA(kind, name, written)                                                                   \
    case OMPTAPE_UNIFY_##kind:                                                                               \
        return OTF2_GlobalDefWriter_Write##name(writing->out, written);
#define EXTRA(kind, name, arguments, kept, written) WRITTEN_EXTRA(kind, name, WORDS(written))
#include "src/unify/definition_table.h"
    case OMPTAPE_UNIFY_GROUP_REGION:
        return OTF2_SUCCESS; /* written with its group */
    }
    return OTF2_ERROR_INVALID;
}

/* Readers expect paradigms directly after the strings. */
static OTF2_ErrorCode write_paradigm(const struct global_writing *writing, uint32_t self,
                                     const uint64_t *words)
{
    (void)self;
    return words[0] <= OMPTAPE_UNIFY_IO_PARADIGM ? write_extra(writing, words) : OTF2_SUCCESS;
}

static OTF2_ErrorCode write_other(const struct global_writing *writing, uint32_t self, const uint64_t *words)
{
    (void)self;
    return words[0] > OMPTAPE_UNIFY_IO_PARADIGM ? write_extra(writing, words) : OTF2_SUCCESS;
}

void omptape_unify_write_global(struct omptape_unify_model *model, OTF2_GlobalDefWriter *out)
{
    static const struct {
        enum omptape_unify_kind kind;
        write_row *write;
    } kinds[] = {
        {OMPTAPE_UNIFY_EXTRA, write_paradigm},
        {OMPTAPE_UNIFY_ATTRIBUTE, write_ATTRIBUTE},
        {OMPTAPE_UNIFY_PARAMETER, write_PARAMETER},
        {OMPTAPE_UNIFY_TREE_NODE, write_TREE_NODE},
        {OMPTAPE_UNIFY_LOCATION_GROUP, write_LOCATION_GROUP},
        {OMPTAPE_UNIFY_LOCATION, write_location},
        {OMPTAPE_UNIFY_REGION, write_REGION},
        {OMPTAPE_UNIFY_CODE_LOCATION, write_CODE_LOCATION},
        {OMPTAPE_UNIFY_CALLING_CONTEXT, write_CALLING_CONTEXT},
        {OMPTAPE_UNIFY_INTERRUPT_GENERATOR, write_INTERRUPT_GENERATOR},
        {OMPTAPE_UNIFY_GROUP, write_group},
        {OMPTAPE_UNIFY_COMM, write_COMM},
        {OMPTAPE_UNIFY_RMA_WIN, write_RMA_WIN},
        {OMPTAPE_UNIFY_IO_FILE, write_IO_FILE},
        {OMPTAPE_UNIFY_IO_HANDLE, write_IO_HANDLE},
        {OMPTAPE_UNIFY_METRIC_MEMBER, write_METRIC_MEMBER},
        {OMPTAPE_UNIFY_METRIC, write_metric},
        {OMPTAPE_UNIFY_EXTRA, write_other},
    };
    struct global_writing writing = {.model = model, .out = out};
    const struct omptape_unify_conversion *conversion = &model->conversion;
    name_comms(model);
    name_processes(model);
    omptape_unify_define_properties(model);
    OTF2_GlobalDefWriter_WriteClockProperties(out, conversion->resolution, conversion->first,
                                              omptape_minus(conversion->last, conversion->first),
                                              conversion->realtime);
    write_strings(&writing);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        write_kind(&writing, kinds[i].kind, kinds[i].write);
}
