/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape check`: for every rule on devices, an archive that breaks it is named. Run by CTest
 * on one thread.
 */
#include "tests/unit/check_harness.h"

/* An archive of omptape's, with a device whose clock is off by 20 ns at most. */
static void set_properties(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::VERSION", "1", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::DEVICE::0::CLOCK::BOUND", "20", true));
}

static struct make_plan planned(const char *events)
{
    return (struct make_plan){.events = events, .properties = set_properties};
}

static void passes(const char *events)
{
    const struct make_plan plan = planned(events);
    check_passes(&plan);
}

static void breaks(const char *events, const char *topic, const char *first, const char *second)
{
    const struct make_plan plan = planned(events);
    check_breaks(&plan, topic, first, second);
}

/* Operation 7 on thread 0 from 300 to 310. */
#define HOST "0 300 uint 2 7\n0 300 enter 1\n0 310 leave 1\n"
/* It on the device from TIME, which names location PLACE as its thread. */
#define DEVICE(TIME, PLACE)                                                                                  \
    "3 " #TIME " uint 2 7\n3 " #TIME " place 3 " #PLACE "\n3 " #TIME " enter 5\n3 400 get 0 0 8 1\n"         \
    "3 400 done 0 1\n3 400 leave 5\n"

static void good_devices_pass(void **state)
{
    (void)state;
    passes(HOST DEVICE(305, 0));
}

/* The clock's error, one more for what its text was rounded by. */
static void device_may_be_ahead_within_the_bound(void **state)
{
    (void)state;
    passes(DEVICE(279, 0) HOST);
}

static void device_is_too_far_ahead(void **state)
{
    (void)state;
    breaks(DEVICE(278, 0) HOST, "[device] location 3 \"stream 0\", event 1",
           "after the host's at 300 (less 21 of the clock's error)", "found 278");
}

static void operation_is_missing(void **state)
{
    (void)state;
    breaks("0 300 uint 2 8\n0 300 enter 1\n0 310 leave 1\n" DEVICE(305, 0), "[device] location 3",
           "expected operation 7", "found none");
}

/* Nobody told the host of any. */
static void no_operations_at_all_pass(void **state)
{
    (void)state;
    passes(DEVICE(305, 0));
}

static void gap_hides_operations(void **state)
{
    (void)state;
    passes("0 200 off\n0 250 on\n0 300 uint 2 8\n0 300 enter 1\n0 310 leave 1\n" DEVICE(305, 0));
}

static void host_thread_is_another(void **state)
{
    (void)state;
    breaks(HOST DEVICE(305, 1), "[device] location 3",
           "expected its host thread, location 0 \"Master thread\"", "found location 1");
}

static void other_tools_promise_nothing(void **state)
{
    (void)state;
    check_events_pass("0 300 uint 2 8\n0 300 enter 1\n0 310 leave 1\n3 300 get 0 0 8 1\n3 301 done 0 1\n"
                      "3 302 get 0 0 8 1\n3 303 done 0 1\n" DEVICE(305, 1));
}

static void transfer_outside_of_regions(void **state)
{
    (void)state;
    breaks("3 300 get 0 0 8 1\n3 300 enter 5\n3 310 done 0 1\n3 310 leave 5\n", "[device] location 3",
           "RmaGet", "an open region on the device, found none");
}

static void completion_outside_of_regions(void **state)
{
    (void)state;
    breaks("3 300 enter 5\n3 300 get 0 0 8 1\n3 310 leave 5\n3 310 done 0 1\n", "[device] location 3",
           "RmaOpCompleteBlocking", "an open region on the device, found none");
}

static void matching_id_comes_again(void **state)
{
    (void)state;
    breaks("3 300 enter 5\n3 300 get 0 0 8 1\n3 310 done 0 1\n3 310 put 0 0 8 1\n3 320 done 0 1\n"
           "3 320 leave 5\n",
           "[device] location 3", "RmaPut: expected a matching id of its own", "found 1");
}

static void memory_below_zero(void **state)
{
    (void)state;
    breaks("3 300 metric 0 9223372036854775807\n3 301 metric 0 18446744073709551615\n",
           "[device] location 3 \"stream 0\", event 2", "found 18446744073709551615", "(-1)");
}

static void define_instance(OTF2_GlobalDefWriter *writer)
{
    make_succeed(OTF2_GlobalDefWriter_WriteMetricInstance(writer, 1, 0, 3, OTF2_SCOPE_LOCATION_GROUP, 1));
}

static void metric_belongs_to_its_recorder(void **state)
{
    (void)state;
    check_passes(&(struct make_plan){.events = "3 300 metric 1 5\n", .more = define_instance});
}

static void metric_of_another_recorder(void **state)
{
    (void)state;
    check_breaks(&(struct make_plan){.events = "2 300 metric 1 5\n", .more = define_instance},
                 "[metric] location 2", "expected it on its recorder, location 3", "found it on location 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(good_devices_pass, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(device_may_be_ahead_within_the_bound, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(device_is_too_far_ahead, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(operation_is_missing, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(no_operations_at_all_pass, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(gap_hides_operations, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(host_thread_is_another, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(other_tools_promise_nothing, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(transfer_outside_of_regions, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(completion_outside_of_regions, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(matching_id_comes_again, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(memory_below_zero, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(metric_belongs_to_its_recorder, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(metric_of_another_recorder, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
