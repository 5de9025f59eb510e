/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape info`: what it says of a small archive, and that unreadable ones are named. Run by
 * CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/check_harness.h"
#include <omptape/properties.h>

static const char events[] = "0 100 program\n0 100 enter 0\n0 110 fork 2\n0 110 team 0\n1 110 team 0\n"
                             "0 120 enter 1\n1 130 enter 1\n1 140 enter 1\n1 150 leave 1\n"
                             "0 150 enter 2\n0 170 leave 2\n0 180 leave 1\n1 180 leave 1\n"
                             "0 190 endteam 0\n1 190 endteam 0\n0 190 join\n"
                             "3 200 put 0 0 2048 1\n3 201 done 0 1\n0 600 leave 0\n"
                             "0 300 defmarker 0\n0 300 marker 0 0 0 0\n";

static void set_properties(OTF2_Archive *archive)
{
    static const char *const properties[][2] = {
        {"OMPTAPE::VERSION", "9.8"},
        {"OMPTAPE::PROGRAM", "/home/me/solver"},
        {"OMPTAPE::PID", "4711"},
        {"OMPTAPE::RECORDS", "17"},
        {"OMPTAPE::THREADS", "4"},
        {"OMPTAPE::DURATION", "1000"},
        {"OMPTAPE::STALLED", "2500000"},
        {"OMPTAPE::SYNTHESISED", "3"},
        {"OMPTAPE::TIME_BARRIER", "1000"},
        {"OMPTAPE::CLOCK", "tsc"},
        {"OMPTAPE::CLOCK_JUMPS", "2"},
        {"OMPTAPE::WARNING", "two threads never began"},
        {"OMPTAPE::WARNING::1", "a second thing"},
        {"OMPTAPE::WARNING::2", "a third thing"},
        {"OMPTAPE::FILTER", "-critical,-file=*.h"},
        {"OMPTAPE::LIMIT_PER_SITE", "10"},
        {"OMPTAPE::START", "paused"},
        {"OMPTAPE::LIMITED::0", "10 12345 !$omp for @a.c:7"},
        {"OMPTAPE::LIMITED::1", "0 3 omp_set_lock @b.c:8"},
        {"OMPTAPE::INFO::RUNTIME::VERSION", "LLVM OMP version: 5.0"},
        {"OMPTAPE::INFO::CALLBACK::PARALLEL_BEGIN", "always"},
        {"OMPTAPE::INFO::CALLBACK::PARALLEL_END", "always"},
        {"OMPTAPE::INFO::CALLBACK::TARGET_MAP", "never"},
        {"OMPTAPE::INFO::STATE::101", "ompt_state_work_parallel"},
        {"OMPTAPE::INFO::MUTEX_IMPL::1", "spin"},
        {"OMPTAPE::INFO::PLACE::0", "{0,1}"},
    };
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
        make_succeed(OTF2_Archive_SetProperty(archive, properties[i][0], properties[i][1], true));
}

static void inform(const struct make_plan *plan)
{
    make_archive(check_folder, plan);
    const char *const words[] = {check_folder};
    check_expect_code(0, check_run_command(omptape_command_info, "info", 1, words));
}

static void recording_is_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){
        .events = events, .end = "signal 9", .dropped = "5", .properties = set_properties});
    check_expect_text("  Program        /home/me/solver\n");
    check_expect_text("  Command line   main some text\n");
    check_expect_text("  Process        4711\n");
    check_expect_text("  Host           node17\n");
    check_expect_text("  Recorded       2023-11-1");
    check_expect_text("  Duration       500 ns\n");
    check_expect_text("  End            killed by signal 9 (Killed)\n");
    check_expect_text("  Written by     omptape 9.8 (OTF2 ");
    check_expect_text("  Events         19 (");
    check_expect_text("  Clock          tsc, 1,000,000,000 ticks a second\n");
    check_expect_text("  Time stamps    from 100 to 1000\n");
    check_expect_text("  Clock jumps    it went back 2 times");
}

static void set_hostile_properties(OTF2_Archive *archive)
{
    static const char name[] = "/tmp/\033[2J\xC2\x9B"
                               "31m\a\r gr\xC3\xBC\xC3\x9F";
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::PROGRAM", name, true));
}

/* A terminal must not obey what somebody wrote into an archive. */
static void control_characters_are_not_shown(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .properties = set_hostile_properties});
    check_expect_text("  Program        /tmp/?[2J??31m?? gr\xC3\xBC\xC3\x9F\n");
    check_expect_no_text("\033");
}

static void losses_are_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .dropped = "5", .properties = set_properties});
    check_expect_text("  Records        17 read from the program, 5 dropped\n");
    check_expect_text("  Stalled        2.50 ms of thread time");
    check_expect_text("  Ends added     3, of what was open at the end");
    check_expect_text("  Warning        two threads never began\n"
                      "                 a second thing\n"
                      "                 a third thing\n");
}

static void set_long_warning(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::RECORDS", "17", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::TIME_LIVED", "2000", true));
    make_succeed(OTF2_Archive_SetProperty(
        archive, "OMPTAPE::WARNING",
        "all 2 threads were bound to processor 0 and waited 67 % of their time for it: something put them "
        "there after their first region (sched_setaffinity, a library, taskset -p)",
        true));
}

/* A sentence with commas is wrapped as one without; a number that is not known leaves no separator. */
static void sentences_are_wrapped(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .properties = set_long_warning});
    check_expect_text("  Warning        all 2 threads were bound to processor 0 and waited 67 % of\n"
                      "                 their time for it: something put them there after their first\n"
                      "                 region (sched_setaffinity, a library, taskset -p)\n");
    check_expect_text("Thread time (2.00 us in all)\n");
}

static void set_times(OTF2_Archive *archive)
{
    static const char *const times[][2] = {
        {"OMPTAPE::DURATION", "1000000"},         {"OMPTAPE::TIME_LIVED", "2000000"},
        {"OMPTAPE::TIME_COMPUTING", "1100000"},   {"OMPTAPE::TIME_SERIAL", "300000"},
        {"OMPTAPE::TIME_BARRIER", "599800"},      {"OMPTAPE::TIME_LOCK", "0"},
        {"OMPTAPE::TIME_TASK_MANAGEMENT", "200"},
    };
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        make_succeed(OTF2_Archive_SetProperty(archive, times[i][0], times[i][1], true));
}

static void thread_time_is_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .properties = set_times});
    check_expect_text("\nThread time (2.00 ms in all; 1.4 threads at work on average)\n"
                      "      1.10 ms   55.0 %  computing\n"
                      "       300 us   15.0 %  serial\n"
                      "       600 us   30.0 %  barrier\n"
                      "       200 ns    0.0 %  task management\n"
                      "\n");
}

static void what_was_left_out_is_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .properties = set_properties});
    check_expect_text("Left out on purpose\n"
                      "  Filter         -critical,-file=*.h\n"
                      "  Limit per site 10\n"
                      "  Start          paused\n"
                      "          shown             of  region\n"
                      "             10         12,345  !$omp for @a.c:7\n"
                      "              0              3  omp_set_lock @b.c:8\n");
}

static void threads_and_teams_are_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events});
    check_expect_text("  0              process 4711: process, 3 locations, on machine/node17\n");
    check_expect_text("  1              OpenMP device 0 (host): accelerator, 1 location,\n");
    check_expect_text("  Master thread      11  4711\n");
    check_expect_text("Threads and other locations (3)\n");
    check_expect_text("Teams (1)\n");
    check_expect_text("       0        2              1       -  team\n");
}

static void define_kernel_sums(OTF2_GlobalDefWriter *writer)
{
    static const struct {
        const char *name;
        uint64_t value;
    } sums[] = {{OMPTAPE_LOCATION_RUNNING, 100},    {OMPTAPE_LOCATION_WAITING, 50},
                {OMPTAPE_LOCATION_SYSTEM, 10},      {OMPTAPE_LOCATION_MINOR_FAULTS, 1234567},
                {OMPTAPE_LOCATION_VOLUNTARY, 1000}, {OMPTAPE_LOCATION_INVOLUNTARY, 234},
                {OMPTAPE_LOCATION_SEEN_BLOCKED, 8}, {OMPTAPE_LOCATION_SEEN_DISK, 2}};
    for (uint32_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, sums[i].name));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(
            writer, 1, MAKE_STRINGS + i, OTF2_TYPE_UINT64, (OTF2_AttributeValue){.uint64 = sums[i].value}));
    }
}

/* Location 1 lives for 500 ns. Faults do not fit beside the disk. */
static void kernel_sums_are_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "1 100 enter 1\n1 600 leave 1\n", .more = define_kernel_sums});
    check_expect_text("  name          running  runnable  blocked  kernel  switches  forced  disk\n");
    check_expect_text("  OMP thread 1   100 ns      10 %     70 %     2 %     1,234     234  25 %\n");
}

/* Region 1: location 0 is inside from 120 to 180, 20 of them in region 2; location 1 from 130 to 180, twice
 * at once from 140 to 150. */
static void regions_are_summed_up(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events});
    check_expect_text("       90 ns      110 ns              3  !$omp parallel @a.c:10\n");
    check_expect_text("       20 ns       20 ns              1  !$omp implicit barrier @a.c:20\n");
    check_expect_text("      440 ns      500 ns              1  main\n");
    check_expect_text("  parallel                1              3        90 ns   16.4 %\n");
    check_expect_text("5 Enter, 5 Leave, 2 ThreadTeamBegin");
    check_expect_text("  Transferred    2.0 KiB\n");
    check_expect_text("  Markers        1 cancel\n");
    check_expect_text("at 200 ns: a marker\n");
}

static void define_calls(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {"MPI_Recv", "MPI_Recv @b.c:7"};
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "call site"));
    make_succeed(
        OTF2_GlobalDefWriter_WriteAttribute(writer, 4, MAKE_STRINGS, MAKE_EMPTY_STRING, OTF2_TYPE_REGION));
    for (uint32_t i = 0; i < 2; i++) {
        OTF2_StringRef text = MAKE_STRINGS + 1 + i;
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, text, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, 6 + i, text, text, 0,
                                                      OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI,
                                                      OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
}

/* As `report` has them: a call that has a place is there by that. */
static void calls_are_told_apart_by_place(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "0 100 enter 0\n0 110 region 4 7\n0 110 enter 6\n0 150 leave 6\n"
                                         "0 160 enter 6\n0 170 leave 6\n0 200 leave 0\n",
                               .more = define_calls});
    check_expect_text("message                 2              2        50 ns");
    check_expect_text("       40 ns       40 ns              1  MPI_Recv @b.c:7\n");
    check_expect_text("       10 ns       10 ns              1  MPI_Recv\n");
}

static void runtime_is_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .properties = set_properties});
    check_expect_text("  Version        LLVM OMP version: 5.0\n");
    check_expect_text("  Places         0: {0,1}\n");
    check_expect_text("  Thread states  work_parallel\n");
    check_expect_text("  Mutexes        spin\n");
    check_expect_text("  Always         parallel_begin, parallel_end\n");
    check_expect_text("  Never          target_map\n");
}

static void broken_archive_is_described_too(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "0 110 enter 0\n0 120 enter 77\n0 130 leave 3\n0 140 team 9\n"});
    check_expect_text("       30 ns       30 ns              1  main\n");
}

/* Two threads in a region for most of the time that there is: their sum does not fit. */
static void long_times_do_not_wrap(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "0 110 enter 1\n1 110 enter 1\n"
                                         "0 16000000000000000000 leave 1\n1 16000000000000000000 leave 1\n"});
    check_expect_text("  18446744074 s  18446744074 s              2  !$omp parallel @a.c:10\n");
}

static void empty_archive_is_described(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = ""});
    check_expect_text("  Events         none\n");
}

static void write_many_locations(OTF2_GlobalDefWriter *writer)
{
    for (OTF2_LocationRef i = 40; i < 70; i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteLocation(writer, i, MAKE_SOME_STRING,
                                                        OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0));
    }
}

static void many_threads_are_condensed(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = "", .more = write_many_locations});
    check_expect_text("Threads and other locations (33)\n");
    check_expect_text("  some text           0\n  ... 13 more         0\n  some text");
}

static void lines_fit_the_screen(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .properties = set_properties});
    for (char *line = strtok(check_output, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (strlen(line) > 80 && strncmp(line, "  Archive", 9) != 0)
            fail_msg("a line of %zu columns: %s", strlen(line), line);
}

static void set_samples(OTF2_Archive *archive)
{
    static const char *const properties[][2] = {{"OMPTAPE::SAMPLES", "100"},
                                                {"OMPTAPE::SAMPLE_PERIOD", "10000000"},
                                                {"OMPTAPE::SAMPLES_LOST", "7"},
                                                {"OMPTAPE::SAMPLED_THREADS", "17"},
                                                {"OMPTAPE::UNSAMPLED_THREADS", "7"}};
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
        make_succeed(OTF2_Archive_SetProperty(archive, properties[i][0], properties[i][1], true));
}

/* The kernel counts lost samples and switches together. Threads that it did not refuse ended too soon. */
static void missing_samples_have_a_reason(void **state)
{
    (void)state;
    inform(&(struct make_plan){.events = events, .properties = set_samples});
    check_expect_text("    of threads   17; 7 were not sampled: they ended too soon\n");
    check_expect_text("    lost         7 samples or context switches\n");
}

static void unreadable_archive_is_named(void **state)
{
    (void)state;
    const char *const words[] = {check_folder};
    check_expect_code(2, check_run_command(omptape_command_info, "info", 1, words));
    check_expect_text("omptape: info: ");
    check_expect_text("no *.otf2 file");
    assert_int_equal(check_lines(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(recording_is_described, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(control_characters_are_not_shown, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(losses_are_described, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(sentences_are_wrapped, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(thread_time_is_described, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(what_was_left_out_is_described, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(threads_and_teams_are_described, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(kernel_sums_are_described, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(regions_are_summed_up, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(calls_are_told_apart_by_place, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(runtime_is_described, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(broken_archive_is_described_too, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(long_times_do_not_wrap, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(empty_archive_is_described, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(many_threads_are_condensed, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(lines_fit_the_screen, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(missing_samples_have_a_reason, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(unreadable_archive_is_named, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
