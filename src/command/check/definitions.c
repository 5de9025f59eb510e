/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies an archive's global definitions: counts, unique ids, references, names, roles, the clock, group
 * members, and the kinds of the locations' groups. Called by check.c before any event is read.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static const char TOPIC[] = "definition";

bool check_reference(struct check *check, const struct omptape_reference *reference, const char *subject)
{
    bool undefined = omptape_reference_undefined(reference);
    if (reference->kind == OMPTAPE_DEF_NONE || (reference->optional && undefined) ||
        omptape_reader_find(check->reader, reference->kind, reference->id) != NULL)
        return true;
    char id[24];
    snprintf(id, sizeof(id), "%" PRIu64, reference->id);
    check_report(check, "reference", "%s%s%s: expected a %s, found %s, which is not defined",
                 subject != NULL ? subject : "", subject != NULL ? ": " : "", reference->what,
                 omptape_definition_kind_name(reference->kind), undefined ? "\"undefined\"" : id);
    return false;
}

/* Returns "region 5", or "property" for kinds without ids. */
static struct check_label subject_of(const struct omptape_definition *definition)
{
    struct check_label label;
    const char *kind = omptape_definition_kind_name(definition->kind);
    if (definition->kind < OMPTAPE_DEF_PROPERTY)
        snprintf(label.text, sizeof(label.text), "%s %" PRIu64, kind, definition->id);
    else
        snprintf(label.text, sizeof(label.text), "%s", kind);
    return label;
}

static void check_references(struct check *check, const struct omptape_definition *definition)
{
    struct check_label subject = subject_of(definition);
    for (uint32_t i = 0; i < definition->ref_count; i++)
        check_reference(check, &definition->refs[i], subject.text);
    for (uint32_t i = 0; definition->member_kind != OMPTAPE_DEF_NONE && i < definition->member_count; i++) {
        const struct omptape_reference member = {
            .kind = definition->member_kind, .what = "member", .id = definition->members[i]};
        check_reference(check, &member, subject.text);
    }
}

static bool needs_name(enum omptape_definition_kind kind)
{
    switch (kind) {
    case OMPTAPE_DEF_ATTRIBUTE:
    case OMPTAPE_DEF_PARADIGM:
    case OMPTAPE_DEF_SYSTEM_TREE_NODE:
    case OMPTAPE_DEF_LOCATION_GROUP:
    case OMPTAPE_DEF_LOCATION:
    case OMPTAPE_DEF_REGION:
    case OMPTAPE_DEF_METRIC_MEMBER:
    case OMPTAPE_DEF_PARAMETER:
        return true;
    default:
        return false;
    }
}

static void check_name(struct check *check, const struct omptape_definition *definition)
{
    const struct omptape_definition *string =
        omptape_reader_find(check->reader, OMPTAPE_DEF_STRING, definition->refs[0].id);
    if (string != NULL && string->text[0] == '\0')
        check_report(check, TOPIC, "%s: expected a name, found an empty one", subject_of(definition).text);
}

static void check_unique(struct check *check, const struct omptape_definition *definition)
{
    if (omptape_reader_find(check->reader, definition->kind, definition->id) != definition) {
        check_report(check, TOPIC, "%s: expected one definition with this id, found a second (duplicate)",
                     subject_of(definition).text);
    }
}

/* Checks that each owner has a property name once. `owners` maps (kind and name, owner) to the property. */
static void check_property(struct check *check, struct omptape_pairs *owners,
                           struct omptape_definition *property)
{
    uint64_t name = property->kind == OMPTAPE_DEF_PROPERTY ? property->refs[1].id : property->value[2];
    uint64_t high =
        ((uint64_t)property->kind << 56) | ((uint64_t)property->refs[0].kind << 40) | (name & 0xffffffffU);
    if (omptape_pairs_get(owners, high, property->refs[0].id) != NULL) {
        check_report(check, TOPIC, "%s: expected one property \"%s\", found a second (duplicate)",
                     check_label(check, property->refs[0].kind, property->refs[0].id).text,
                     property->kind == OMPTAPE_DEF_PROPERTY ? omptape_reader_string(check->reader, name)
                                                            : "of this kind");
    } else {
        (void)omptape_pairs_put(owners, high, property->refs[0].id, property);
    }
}

/* Returns the reference to the parent definition of the same kind, or NULL. */
static const struct omptape_reference *parent_of(const struct omptape_definition *definition)
{
    for (uint32_t i = 0; i < definition->ref_count; i++)
        if (definition->refs[i].kind == definition->kind && definition->refs[i].optional)
            return &definition->refs[i];
    return NULL;
}

static struct omptape_definition *parent_definition(const struct check *check,
                                                    const struct omptape_definition *definition)
{
    const struct omptape_reference *parent = parent_of(definition);
    return parent == NULL || omptape_reference_undefined(parent)
               ? NULL
               : omptape_pairs_get(&check->reader->table, parent->kind, parent->id);
}

/* Checks that the chain of parents ends. Walks up to a root or to a definition in `rooted`, and then adds all
 * definitions on the way to `rooted`. */
static void check_ancestry(struct check *check, struct omptape_pairs *rooted,
                           struct omptape_definition *definition)
{
    size_t steps = 0;
    struct omptape_definition *at = definition;
    while (at != NULL && omptape_pairs_get(rooted, at->kind, at->id) == NULL) {
        if (++steps > check->reader->definition_count) {
            check_report(check, TOPIC, "%s: expected its ancestors to end at a root, found a cycle",
                         subject_of(definition).text);
            break;
        }
        at = parent_definition(check, at);
    }
    for (at = definition; steps-- > 0 && at != NULL; at = parent_definition(check, at))
        (void)omptape_pairs_put(rooted, at->kind, at->id, at);
}

/* True for OTF2 paradigms that require a Paradigm definition: not UNKNOWN, USER, COMPILER and the like. */
static bool is_parallel_paradigm(uint64_t paradigm)
{
    switch (paradigm) {
    case OTF2_PARADIGM_UNKNOWN:
    case OTF2_PARADIGM_USER:
    case OTF2_PARADIGM_COMPILER:
    case OTF2_PARADIGM_MEASUREMENT_SYSTEM:
    case OTF2_PARADIGM_HARDWARE:
    case OTF2_PARADIGM_SAMPLING:
    case OTF2_PARADIGM_NONE:
        return false;
    default:
        return true;
    }
}

static void check_paradigm(struct check *check, const struct omptape_definition *definition)
{
    if (is_parallel_paradigm(definition->value[1])) {
        const struct omptape_reference paradigm = {
            .kind = OMPTAPE_DEF_PARADIGM, .what = "paradigm", .id = definition->value[1]};
        check_reference(check, &paradigm, subject_of(definition).text);
    }
}

static void check_region(struct check *check, const struct omptape_definition *region)
{
    enum { ROLES = 64 }; /* upper limit, with space for roles of later OTF2 versions */
    check_paradigm(check, region);
    if (region->value[0] >= ROLES ||
        (region->value[0] == OTF2_REGION_ROLE_UNKNOWN && region->value[1] == OTF2_PARADIGM_OPENMP)) {
        check_report(check, TOPIC, "%s: expected a known role, found %" PRIu64, subject_of(region).text,
                     region->value[0]);
    }
}

static void check_comm(struct check *check, const struct omptape_definition *comm)
{
    for (uint32_t i = 0; i < comm->ref_count; i++) {
        const struct omptape_definition *group =
            comm->refs[i].kind == OMPTAPE_DEF_GROUP
                ? omptape_reader_find(check->reader, OMPTAPE_DEF_GROUP, comm->refs[i].id)
                : NULL;
        if (group != NULL && group->value[0] < OTF2_GROUP_TYPE_COMM_GROUP) {
            check_report(check, TOPIC,
                         "%s: expected its group %" PRIu64 " to be of type COMM_GROUP, found type %" PRIu64,
                         subject_of(comm).text, group->id, group->value[0]);
        }
    }
}

/* Returns true for the undefined members of MPI's list, which has an entry for each rank, including ranks
 * without events in this archive. */
static bool may_be_undefined(const struct omptape_definition *group, uint64_t member)
{
    return group->value[0] == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->value[1] == OTF2_PARADIGM_MPI &&
           member == OTF2_UNDEFINED_LOCATION;
}

static void check_members(struct check *check, const struct omptape_definition *group,
                          enum omptape_definition_kind kind)
{
    struct check_label label = check_label(check, OMPTAPE_DEF_GROUP, group->id);
    for (uint32_t i = 0; i < group->member_count && !check_stopped(check); i++) {
        if (omptape_reader_find(check->reader, kind, group->members[i]) == NULL &&
            !may_be_undefined(group, group->members[i])) {
            check_report(check, "group",
                         "%s: member %" PRIu32 ": expected a %s, found %" PRIu64 ", which is not defined",
                         label.text, i, omptape_definition_kind_name(kind), group->members[i]);
        }
    }
}

/* Checks that all members are valid indices into the paradigm's COMM_LOCATIONS group. */
static void check_indices(struct check *check, const struct omptape_definition *group)
{
    struct check_label label = check_label(check, OMPTAPE_DEF_GROUP, group->id);
    const struct omptape_definition *locations =
        omptape_reader_comm_locations(check->reader, group->value[1]);
    if (locations == NULL) {
        check_report(check, "group",
                     "%s: expected a COMM_LOCATIONS group of its paradigm %" PRIu64 ", found none",
                     label.text, group->value[1]);
        return;
    }
    for (uint32_t i = 0; i < group->member_count && !check_stopped(check); i++) {
        if (group->members[i] >= locations->member_count) {
            check_report(check, "group",
                         "%s: member %" PRIu32 ": expected an index below %" PRIu32
                         " (size of COMM_LOCATIONS group %" PRIu64 "), found %" PRIu64,
                         label.text, i, locations->member_count, locations->id, group->members[i]);
        }
    }
}

static void check_repeated(struct check *check, const struct omptape_definition *group)
{
    struct omptape_pairs seen = {0};
    for (uint32_t i = 0; i < group->member_count && !check_stopped(check); i++) {
        if (omptape_pairs_get(&seen, 0, group->members[i]) != NULL &&
            !may_be_undefined(group, group->members[i])) {
            check_report(check, "group", "%s: expected each member once, found %" PRIu64 " again at %" PRIu32,
                         check_label(check, OMPTAPE_DEF_GROUP, group->id).text, group->members[i], i);
        } else {
            (void)omptape_pairs_put(&seen, 0, group->members[i], &seen);
        }
    }
    omptape_pairs_free(&seen);
}

static void check_group(struct check *check, const struct omptape_definition *group)
{
    switch (group->value[0]) {
    case OTF2_GROUP_TYPE_LOCATIONS:
        check_members(check, group, OMPTAPE_DEF_LOCATION);
        break;
    case OTF2_GROUP_TYPE_REGIONS:
        check_members(check, group, OMPTAPE_DEF_REGION);
        break;
    case OTF2_GROUP_TYPE_METRIC:
        check_members(check, group, OMPTAPE_DEF_METRIC);
        break;
    case OTF2_GROUP_TYPE_COMM_LOCATIONS:
        check_members(check, group, OMPTAPE_DEF_LOCATION);
        check_repeated(check, group);
        if (omptape_reader_comm_locations(check->reader, group->value[1]) != group) {
            check_report(check, "group",
                         "%s: expected one COMM_LOCATIONS group of paradigm %" PRIu64 ", found a second",
                         check_label(check, OMPTAPE_DEF_GROUP, group->id).text, group->value[1]);
        }
        break;
    case OTF2_GROUP_TYPE_COMM_GROUP:
        check_indices(check, group);
        check_repeated(check, group);
        break;
    default:
        break;
    }
}

/* Checks the kind of a location's group by OTF2 3.0's rules; older archives put GPUs into processes. */
static void check_location_group(struct check *check, const struct omptape_definition *location)
{
    uint8_t major = 0;
    uint8_t minor = 0;
    uint8_t fix = 0;
    const struct omptape_definition *group =
        omptape_reader_find(check->reader, OMPTAPE_DEF_LOCATION_GROUP, location->refs[1].id);
    if (group == NULL || OTF2_Reader_GetVersion(check->reader->otf2, &major, &minor, &fix) != OTF2_SUCCESS ||
        major < 3)
        return;
    bool accelerator = group->value[0] == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
    if ((location->value[0] == OTF2_LOCATION_TYPE_CPU_THREAD && accelerator) ||
        (location->value[0] == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM &&
         group->value[0] == OTF2_LOCATION_GROUP_TYPE_PROCESS)) {
        check_report(check, "definition", "%s: expected %s location group, found %s",
                     check_label(check, OMPTAPE_DEF_LOCATION, location->id).text,
                     accelerator ? "a process as" : "an accelerator as",
                     check_label(check, OMPTAPE_DEF_LOCATION_GROUP, group->id).text);
    }
    const struct omptape_definition *creator =
        omptape_reader_find(check->reader, OMPTAPE_DEF_LOCATION_GROUP, group->refs[2].id);
    if (accelerator && (creator == NULL || creator->value[0] != OTF2_LOCATION_GROUP_TYPE_PROCESS)) {
        check_report(check, "definition", "%s: expected a process as creating location group, found %s",
                     check_label(check, OMPTAPE_DEF_LOCATION_GROUP, group->id).text,
                     creator == NULL ? "none"
                                     : check_label(check, OMPTAPE_DEF_LOCATION_GROUP, creator->id).text);
    }
}

static void check_definition(struct check *check, const struct omptape_definition *definition)
{
    if (definition->kind < OMPTAPE_DEF_PROPERTY)
        check_unique(check, definition);
    check_references(check, definition);
    if (needs_name(definition->kind))
        check_name(check, definition);
    switch (definition->kind) {
    case OMPTAPE_DEF_REGION:
        check_region(check, definition);
        break;
    case OMPTAPE_DEF_GROUP:
        if (definition->value[0] >= OTF2_GROUP_TYPE_COMM_LOCATIONS)
            check_paradigm(check, definition);
        check_group(check, definition);
        break;
    case OMPTAPE_DEF_COMM:
        check_comm(check, definition);
        break;
    case OMPTAPE_DEF_LOCATION:
        check_location_group(check, definition);
        break;
    default:
        break;
    }
}

static void check_clock(struct check *check)
{
    const struct omptape_reader *reader = check->reader;
    if (reader->clocks != 1) {
        check_report(check, TOPIC, "expected one ClockProperties definition, found %u", reader->clocks);
    } else if (reader->clock_resolution == 0) {
        check_report(check, TOPIC, "ClockProperties: expected a timer resolution, found 0 ticks per second");
    } else if (reader->clock_length > UINT64_MAX - reader->clock_offset) {
        check_report(check, TOPIC,
                     "ClockProperties: expected a trace that ends, found offset %" PRIu64
                     " and length %" PRIu64,
                     reader->clock_offset, reader->clock_length);
    }
}

static void check_counts(struct check *check)
{
    const struct omptape_reader *reader = check->reader;
    uint64_t locations = 0;
    for (size_t i = 0; i < reader->definition_count; i++)
        locations += reader->definitions[i]->kind == OMPTAPE_DEF_LOCATION;
    if (reader->read_definitions != reader->announced_definitions) {
        check_report(check, "count", "expected %" PRIu64 " global definitions (anchor file), found %" PRIu64,
                     reader->announced_definitions, reader->read_definitions);
    }
    if (locations != reader->announced_locations) {
        check_report(check, "count", "expected %" PRIu64 " locations (anchor file), found %" PRIu64,
                     reader->announced_locations, locations);
    }
}

void check_definitions(struct check *check)
{
    struct omptape_pairs owners = {0};
    struct omptape_pairs rooted = {0};
    check_counts(check);
    check_clock(check);
    for (size_t i = 0; i < check->reader->definition_count && !check_stopped(check); i++) {
        struct omptape_definition *definition = check->reader->definitions[i];
        check_definition(check, definition);
        if (definition->kind == OMPTAPE_DEF_PROPERTY || definition->kind == OMPTAPE_DEF_PARADIGM_PROPERTY)
            check_property(check, &owners, definition);
        if (parent_of(definition) != NULL)
            check_ancestry(check, &rooted, definition);
    }
    omptape_pairs_free(&owners);
    omptape_pairs_free(&rooted);
}
