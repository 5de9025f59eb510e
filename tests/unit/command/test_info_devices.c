/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what `omptape info` says of devices. Run by CTest on one thread; archives are made by
 * tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/check_harness.h"

static const char *const traced[][2] = {
    {"OMPTAPE::DEVICE::0::TYPE", "host"},
    {"OMPTAPE::DEVICE::0::PRODUCER", "runtime"},
    {"OMPTAPE::DEVICE::0::WHY", "it can"},
    {"OMPTAPE::DEVICE::0::RECORDS", "1234"},
    {"OMPTAPE::DEVICE::0::SHOWN", "1200"},
    {"OMPTAPE::DEVICE::0::OBSERVED", "4"},
    {"OMPTAPE::DEVICE::0::REPAIRED", "3"},
    {"OMPTAPE::DEVICE::0::CLOCK::SOURCE", "device time"},
    {"OMPTAPE::DEVICE::0::CLOCK::ANCHORS", "12"},
    {"OMPTAPE::DEVICE::0::CLOCK::REJECTED", "1"},
    {"OMPTAPE::DEVICE::0::CLOCK::SEGMENTS", "2"},
    {"OMPTAPE::DEVICE::0::CLOCK::OFFSET", "-3200000000"},
    {"OMPTAPE::DEVICE::0::CLOCK::DRIFT_PPM", "50.125"},
    {"OMPTAPE::DEVICE::0::CLOCK::RESIDUAL", "120"},
    {"OMPTAPE::DEVICE::0::CLOCK::BOUND", "800"},
    {"OMPTAPE::DEVICE::0::CLOCK::TRANSLATE_DIFFERENCE", "1250"},
    {"OMPTAPE::DEVICE::12::TYPE", "-"},
    {"OMPTAPE::DEVICE::12::PRODUCER", "host-observed"},
    {"OMPTAPE::DEVICE::12::WHY", "the runtime offers no lookup function"},
    {"OMPTAPE::DEVICE::12::RECORDS", "0"},
    {"OMPTAPE::DEVICE::12::SHOWN", "0"},
    {"OMPTAPE::DEVICE::12::OBSERVED", "0"},
    {"OMPTAPE::DEVICE::3::PRODUCER", "CUPTI"},
};

static void set_properties(OTF2_Archive *archive)
{
    for (size_t i = 0; i < sizeof(traced) / sizeof(traced[0]); i++)
        make_succeed(OTF2_Archive_SetProperty(archive, traced[i][0], traced[i][1], true));
}

static void inform(const struct make_plan *plan)
{
    make_archive(check_folder, plan);
    const char *const words[] = {check_folder};
    check_expect_code(0, check_run_command(omptape_command_info, "info", 1, words));
}

static void origin_counts_and_clock_are_told(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "3 200 enter 5\n3 250 leave 5\n", .properties = set_properties});
    check_expect_text("Devices (3)\n"
                      "  Device 0       host; traced by the runtime: it can\n"
                      "  Records        1,234 came, 1,200 shown, 4 host-observed, 3 repaired\n"
                      "  Clock          device time, 12 anchors and 1 rejected, set 1 time,\n"
                      "                 3.20 s behind the host's, drift 50.125 ppm, residual 120 ns,\n"
                      "                 error at most 800 ns, ompt_translate_time differs by 1.25 us\n");
    check_expect_text("  Device 3       traced by CUPTI\n");
    check_expect_text("  Device 12      host-observed: the runtime offers no lookup function\n"
                      "  Records        0 came, 0 shown, 0 host-observed\n");
}

/* Region 0 is a function like the kernel 5; 100 to 1000 is the duration. */
static void work_is_summed_up(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "0 100 enter 1\n3 200 enter 5\n3 250 leave 5\n"
                                         "3 250 enter 5\n3 270 leave 5\n3 300 enter 0\n3 301 leave 0\n"
                                         "3 400 enter 2\n3 400 get 0 0 2048 1\n3 410 done 0 1\n"
                                         "3 410 put 0 0 1024 2\n3 420 done 0 2\n"
                                         "3 420 get 0 1 4096 3\n3 430 done 0 3\n3 430 leave 2\n"
                                         "3 500 metric 0 3072\n3 510 metric 0 1024\n0 1000 leave 1\n",
                               .properties = set_properties});
    check_expect_text("  Kernels        3 in 71 ns\n"
                      "                      70 ns          2  kernel\n"
                      "                       1 ns          1  main\n"
                      "  Transfers      1 to the device: 2.0 KiB\n"
                      "                 1 from the device: 1.0 KiB\n"
                      "                 1 between devices: 4.0 KiB\n"
                      "  Memory         at most 3.0 KiB in use\n"
                      "  Busy           71 ns with kernels and transfers (7.9 % of the duration)\n"
                      "  Locations      3 stream 0 (16 events)\n");
}

/* A device's regions are not the threads'. */
static void threads_stand_alone(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "0 110 enter 1\n0 120 leave 1\n3 200 enter 5\n3 250 leave 5\n"});
    check_expect_text("Threads and other locations (3)\n");
    check_expect_text("Devices (1)\n  Device         OpenMP device 0 (host)\n  Kernels        1 in 50 ns\n");
    check_expect_text("Regions (1)\n");
}

/* CUDA's numbers are not OpenMP's: devices that no runtime reported get numbers from 0x4000 on. */
static void define_cuda(OTF2_GlobalDefWriter *writer)
{
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "CUDA device 1 (sm_90)"));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 2, MAKE_STRINGS,
                                                         OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 0));
    make_succeed(OTF2_GlobalDefWriter_WriteLocation(writer, 4, MAKE_SOME_STRING,
                                                    OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 2));
}

static void set_cuda(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::DEVICE::16385::PRODUCER", "CUPTI", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::DEVICE::16385::DROPPED", "9", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::DEVICE::16385::TYPE", "sm_90", true));
}

static void cuda_devices_have_their_numbers(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "", .more = define_cuda, .properties = set_cuda});
    check_expect_text("Devices (2)\n");
    check_expect_text("  CUDA device 1  sm_90; traced by CUPTI\n"
                      "  Records        0 came, 0 shown, 0 host-observed, 9 dropped\n"
                      "  Locations      4 some text (0 events)\n");
}

/* Of another tool, that has no properties. */
static void no_device_no_section(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "0 110 enter 1\n0 120 leave 1\n"});
    assert_null(strstr(check_output, "Devices ("));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(origin_counts_and_clock_are_told, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(work_is_summed_up, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(threads_stand_alone, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(cuda_devices_have_their_numbers, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(no_device_no_section, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
