/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape check`: for every rule of the global definitions, an archive that breaks it is
 * named. Run by CTest on one thread.
 */
#include "tests/unit/check_harness.h"

/* Definitions */

static void write_second_region(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteRegion(writer, 4, MAKE_SOME_STRING, MAKE_SOME_STRING, MAKE_SOME_STRING,
                                     OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                     MAKE_SOME_STRING, 1, 2);
}

static void definition_is_repeated(void **state)
{
    (void)state;
    check_definitions_break(write_second_region, "[definition]", "region 4", "duplicate");
}

static void write_region(OTF2_GlobalDefWriter *writer, OTF2_StringRef name, OTF2_StringRef file,
                         OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
    OTF2_GlobalDefWriter_WriteRegion(writer, 40, name, OTF2_UNDEFINED_STRING, OTF2_UNDEFINED_STRING, role,
                                     paradigm, OTF2_REGION_FLAG_NONE, file, 1, 2);
}

static void write_nameless_region(OTF2_GlobalDefWriter *writer)
{
    write_region(writer, MAKE_EMPTY_STRING, OTF2_UNDEFINED_STRING, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER);
}

static void region_has_no_name(void **state)
{
    (void)state;
    check_definitions_break(write_nameless_region, "[definition]", "region 40", "found an empty one");
}

static void write_region_of_unknown_file(OTF2_GlobalDefWriter *writer)
{
    write_region(writer, MAKE_SOME_STRING, 999, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER);
}

static void region_file_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_region_of_unknown_file, "[reference] region 40", "source file",
                            "found 999");
}

static void write_region_of_undefined_name(OTF2_GlobalDefWriter *writer)
{
    write_region(writer, OTF2_UNDEFINED_STRING, MAKE_SOME_STRING, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER);
}

static void region_name_is_undefined(void **state)
{
    (void)state;
    check_definitions_break(write_region_of_undefined_name, "[reference] region 40", "name", "\"undefined\"");
}

static void write_region_without_role(OTF2_GlobalDefWriter *writer)
{
    write_region(writer, MAKE_SOME_STRING, MAKE_SOME_STRING, OTF2_REGION_ROLE_UNKNOWN, OTF2_PARADIGM_OPENMP);
}

static void region_has_no_role(void **state)
{
    (void)state;
    check_definitions_break(write_region_without_role, "[definition] region 40", "known role", "found 0");
}

static void write_region_of_unknown_paradigm(OTF2_GlobalDefWriter *writer)
{
    write_region(writer, MAKE_SOME_STRING, MAKE_SOME_STRING, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_SHMEM);
}

static void region_paradigm_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_region_of_unknown_paradigm, "[reference] region 40", "paradigm",
                            "found 13");
}

static void write_group(OTF2_GlobalDefWriter *writer, OTF2_GroupType type, OTF2_Paradigm paradigm,
                        uint64_t first, uint64_t second)
{
    const uint64_t members[] = {first, second};
    OTF2_GlobalDefWriter_WriteGroup(writer, 40, MAKE_SOME_STRING, type, paradigm, OTF2_GROUP_FLAG_NONE, 2,
                                    members);
}

static void write_group_of_unknown_index(OTF2_GlobalDefWriter *writer)
{
    write_group(writer, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 0, 3);
}

static void group_index_is_too_large(void **state)
{
    (void)state;
    check_definitions_break(write_group_of_unknown_index, "[group] group 40", "member 1", "below 3");
}

static void write_group_with_repetition(OTF2_GlobalDefWriter *writer)
{
    write_group(writer, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 2, 2);
}

static void group_repeats_a_member(void **state)
{
    (void)state;
    check_definitions_break(write_group_with_repetition, "[group] group 40", "each member once",
                            "found 2 again");
}

static void write_group_of_unknown_location(OTF2_GlobalDefWriter *writer)
{
    write_group(writer, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_OPENMP, 0, 12);
}

static void group_location_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_group_of_unknown_location, "[group] group 40", "expected a location",
                            "found 12");
}

static void write_second_comm_locations(OTF2_GlobalDefWriter *writer)
{
    write_group(writer, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, 0, 1);
}

static void comm_locations_are_repeated(void **state)
{
    (void)state;
    check_definitions_break(write_second_comm_locations, "[group] group 40", "COMM_LOCATIONS",
                            "found a second");
}

static void write_comm_of_locations(OTF2_GlobalDefWriter *writer)
{
    write_group(writer, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_OPENMP, 0, 1);
    OTF2_GlobalDefWriter_WriteComm(writer, 40, MAKE_SOME_STRING, 40, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
}

static void comm_has_another_group(void **state)
{
    (void)state;
    check_definitions_break(write_comm_of_locations, "[definition] comm 40", "COMM_GROUP", "found type 1");
}

static void write_comm_without_group(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteComm(writer, 40, MAKE_SOME_STRING, 41, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
}

static void comm_group_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_comm_without_group, "[reference] comm 40", "group", "found 41");
}

static void write_comms_in_a_circle(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteComm(writer, 40, MAKE_SOME_STRING, 1, 41, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(writer, 41, MAKE_SOME_STRING, 1, 40, OTF2_COMM_FLAG_NONE);
}

static void comm_is_its_own_ancestor(void **state)
{
    (void)state;
    check_definitions_break(write_comms_in_a_circle, "[definition] comm 40", "ancestors", "cycle");
}

static void write_location_of_unknown_group(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteLocation(writer, 40, MAKE_SOME_STRING, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 17);
}

static void location_group_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_location_of_unknown_group, "[reference] location 40", "location group",
                            "found 17");
}

static void write_thread_of_a_device(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteLocation(writer, 40, MAKE_SOME_STRING, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 1);
}

static void thread_is_in_a_device(void **state)
{
    (void)state;
    check_definitions_break(write_thread_of_a_device, "[definition] location 40", "a process",
                            "location group 1 \"OpenMP device 0 (host)\"");
}

static void write_orphan_group(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteLocationGroup(writer, 40, MAKE_SOME_STRING, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                            23, OTF2_UNDEFINED_LOCATION_GROUP);
}

static void tree_node_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_orphan_group, "[reference] location group 40", "system tree parent",
                            "found 23");
}

static void write_second_property(OTF2_GlobalDefWriter *writer)
{
    const OTF2_AttributeValue value = {.uint64 = 1};
    OTF2_GlobalDefWriter_WriteLocationProperty(writer, 1, MAKE_SOME_STRING, OTF2_TYPE_UINT64, value);
    OTF2_GlobalDefWriter_WriteLocationProperty(writer, 1, MAKE_SOME_STRING, OTF2_TYPE_UINT64, value);
}

static void property_is_repeated(void **state)
{
    (void)state;
    check_definitions_break(write_second_property, "[definition] location 1", "property \"some text\"",
                            "duplicate");
}

static void write_source_of_unknown_file(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, 0, 777, 12);
}

static void source_file_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_source_of_unknown_file, "[reference] source code location 0", "file",
                            "found 777");
}

static void write_metric_of_unknown_member(OTF2_GlobalDefWriter *writer)
{
    const OTF2_MetricMemberRef member = 88;
    OTF2_GlobalDefWriter_WriteMetricClass(writer, 40, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                          OTF2_RECORDER_KIND_CPU);
}

static void metric_member_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_metric_of_unknown_member, "[reference] metric 40", "member", "found 88");
}

static void write_window_of_unknown_comm(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteRmaWin(writer, 40, MAKE_SOME_STRING, 44, OTF2_RMA_WIN_FLAG_NONE);
}

static void window_comm_is_not_defined(void **state)
{
    (void)state;
    check_definitions_break(write_window_of_unknown_comm, "[reference] RMA window 40", "comm", "found 44");
}

static void clock_is_missing(void **state)
{
    (void)state;
    check_breaks(&(struct make_plan){.no_clock = true}, "[definition]", "ClockProperties", "found 0");
}

static void write_second_clock(OTF2_GlobalDefWriter *writer)
{
    OTF2_GlobalDefWriter_WriteClockProperties(writer, 1, 0, 5000, OTF2_UNDEFINED_TIMESTAMP);
}

static void clock_is_repeated(void **state)
{
    (void)state;
    check_definitions_break(write_second_clock, "[definition]", "ClockProperties", "found 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(definition_is_repeated, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_has_no_name, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_file_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_name_is_undefined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_has_no_role, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_paradigm_is_not_defined, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(group_index_is_too_large, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(group_repeats_a_member, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(group_location_is_not_defined, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(comm_locations_are_repeated, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(comm_has_another_group, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(comm_group_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(comm_is_its_own_ancestor, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(location_group_is_not_defined, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(thread_is_in_a_device, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(tree_node_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(property_is_repeated, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(source_file_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(metric_member_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(window_comm_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(clock_is_missing, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(clock_is_repeated, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
