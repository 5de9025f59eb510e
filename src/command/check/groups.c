/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies the members of groups, and that locations sit in location groups of the right kind. Called by
 * definitions.c.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static const char TOPIC[] = "group";

/* MPI's list has a place for each rank, also for one whose events are not in this archive. */
static bool may_be_undefined(const struct omptape_definition *group, uint64_t member)
{
    return group->value[0] == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->value[1] == OTF2_PARADIGM_MPI &&
           member == OTF2_UNDEFINED_LOCATION;
}

/* Members that name definitions. */
static void check_members(struct omptape_check *check, const struct omptape_definition *group,
                          enum omptape_definition_kind kind)
{
    struct check_label label = omptape_check_label(check, OMPTAPE_DEF_GROUP, group->id);
    for (uint32_t i = 0; i < group->member_count && !omptape_check_stopped(check); i++) {
        if (omptape_reader_find(check->reader, kind, group->members[i]) == NULL &&
            !may_be_undefined(group, group->members[i])) {
            omptape_check_report(check, TOPIC,
                                 "%s: member %" PRIu32 ": expected a %s, found %" PRIu64
                                 ", which is not defined",
                                 label.text, i, omptape_definition_kind_name(kind), group->members[i]);
        }
    }
}

/* Members that are indices into the paradigm's list of locations. */
static void check_indices(struct omptape_check *check, const struct omptape_definition *group)
{
    struct check_label label = omptape_check_label(check, OMPTAPE_DEF_GROUP, group->id);
    const struct omptape_definition *locations =
        omptape_reader_comm_locations(check->reader, group->value[1]);
    if (locations == NULL) {
        omptape_check_report(check, TOPIC,
                             "%s: expected a COMM_LOCATIONS group of its paradigm %" PRIu64 ", found none",
                             label.text, group->value[1]);
        return;
    }
    for (uint32_t i = 0; i < group->member_count && !omptape_check_stopped(check); i++) {
        if (group->members[i] >= locations->member_count) {
            omptape_check_report(check, TOPIC,
                                 "%s: member %" PRIu32 ": expected an index below %" PRIu32
                                 " (size of COMM_LOCATIONS group %" PRIu64 "), found %" PRIu64,
                                 label.text, i, locations->member_count, locations->id, group->members[i]);
        }
    }
}

static void check_repeated(struct omptape_check *check, const struct omptape_definition *group)
{
    struct omptape_pairs seen = {0};
    for (uint32_t i = 0; i < group->member_count && !omptape_check_stopped(check); i++) {
        if (omptape_pairs_get(&seen, 0, group->members[i]) != NULL &&
            !may_be_undefined(group, group->members[i])) {
            omptape_check_report(
                check, TOPIC, "%s: expected each member once, found %" PRIu64 " again at %" PRIu32,
                omptape_check_label(check, OMPTAPE_DEF_GROUP, group->id).text, group->members[i], i);
        } else if (omptape_pairs_put(&seen, 0, group->members[i], &seen) != 0) {
            check->no_memory = true;
        }
    }
    omptape_pairs_free(&seen);
}

void omptape_check_group(struct omptape_check *check, const struct omptape_definition *group)
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
            omptape_check_report(
                check, TOPIC, "%s: expected one COMM_LOCATIONS group of paradigm %" PRIu64 ", found a second",
                omptape_check_label(check, OMPTAPE_DEF_GROUP, group->id).text, group->value[1]);
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

/* The location group's rules are OTF2 3.0's: older archives put GPU locations into processes. */
void omptape_check_location_group(struct omptape_check *check, const struct omptape_definition *location)
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
        omptape_check_report(check, "definition", "%s: expected %s location group, found %s",
                             omptape_check_label(check, OMPTAPE_DEF_LOCATION, location->id).text,
                             accelerator ? "a process as" : "an accelerator as",
                             omptape_check_label(check, OMPTAPE_DEF_LOCATION_GROUP, group->id).text);
    }
    const struct omptape_definition *creator =
        omptape_reader_find(check->reader, OMPTAPE_DEF_LOCATION_GROUP, group->refs[2].id);
    if (accelerator && (creator == NULL || creator->value[0] != OTF2_LOCATION_GROUP_TYPE_PROCESS)) {
        omptape_check_report(
            check, "definition", "%s: expected a process as creating location group, found %s",
            omptape_check_label(check, OMPTAPE_DEF_LOCATION_GROUP, group->id).text,
            creator == NULL ? "none"
                            : omptape_check_label(check, OMPTAPE_DEF_LOCATION_GROUP, creator->id).text);
    }
}
