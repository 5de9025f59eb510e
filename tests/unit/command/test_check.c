/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape check`: the command itself, and the rules that one location or one event can break.
 * Run by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "src/archive/read/guard.h"
#include "src/folder/claim.h"
#include "tests/unit/check_harness.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* A region on two threads with a task that moves, a lock that changes hands, and everything else once. */
static const char good_events[] = "0 100 program\n"
                                  "0 100 enter 0\n"
                                  "0 110 fork 2\n"
                                  "0 110 team 0\n"
                                  "0 110 uint 0 17\n"
                                  "0 110 enter 1\n"
                                  "1 111 team 0\n"
                                  "1 111 enter 1\n"
                                  "0 120 create 0 0 1\n"
                                  "0 121 create 0 0 2\n"
                                  "0 122 create 0 0 3\n"
                                  "0 123 string 0 1\n"
                                  "0 123 unsigned 1 99\n"
                                  "1 130 switch 0 0 1\n"
                                  "1 130 enter 3\n"
                                  "1 131 acquire 0 1\n"
                                  "1 132 release 0 1\n"
                                  "1 133 leave 3\n"
                                  "1 133 switch 0 1 0\n"
                                  "0 133 acquire 0 2\n"
                                  "0 134 switch 0 0 1\n"
                                  "0 134 text 1 1\n"
                                  "0 134 enter 3\n"
                                  "0 135 leave 3\n"
                                  "0 135 complete 0 0 1\n"
                                  "0 135 switch 0 0 0\n"
                                  "0 136 release 0 2\n"
                                  "1 140 complete 0 0 3\n" /* cancelled: never ran */
                                  "1 141 switch 0 0 2\n"
                                  "1 142 switch 0 1 0\n"
                                  "0 150 enter 2\n"
                                  "1 150 enter 2\n"
                                  "0 160 leave 2\n"
                                  "0 160 leave 1\n"
                                  "0 160 endteam 0\n"
                                  "0 160 join\n"
                                  "1 160 leave 2\n"
                                  "1 160 leave 1\n"
                                  "1 160 endteam 0\n"
                                  "2 170 complete 0 0 2\n" /* detached: completed from outside the team */
                                  "3 180 put 0 0 100 7\n"
                                  "3 180 metric 0 100\n"
                                  "3 185 done 0 7\n"
                                  "3 186 remote 0 7\n"
                                  "3 190 get 0 1 100 8\n"
                                  "3 190 get 0 1 100 8\n"
                                  "3 195 done 0 8\n"
                                  "0 197 flush 199\n"
                                  "0 200 leave 0\n"
                                  "0 1000 endprogram\n"
                                  "0 500 defmarker 0\n"
                                  "0 500 marker 0 0 0 0\n"
                                  "0 500 marker 0 1 2 500\n";

static void good_archive_passes(void **state)
{
    (void)state;
    check_events_pass(good_events);
    check_expect_text("48 events");
    check_expect_text("1 team instances, 3 tasks, 2 lock acquisitions, 3 transfers, 2 markers");
}

static void empty_archive_passes(void **state)
{
    (void)state;
    check_events_pass("");
}

/* The command */

static void all_lists_violations(void **state)
{
    (void)state;
    const char *const words[] = {"--all", check_folder};
    make_archive(check_folder,
                 &(struct make_plan){.events = "0 99 leave 0\n1 110 enter 77\n1 120 leave 0\n"});
    check_expect_code(1, check_run(2, words));
    check_expect_text("[time]");
    check_expect_text("found an empty stack");
    check_expect_text("[reference]");
    check_expect_text("end of its events");
    check_expect_text(": 5 violations\n");
    assert_int_equal(check_lines(), 6);
}

static void all_stops_at_a_hundred(void **state)
{
    (void)state;
    static char script[8192] = "";
    const char *const words[] = {"--all", check_folder};
    for (int i = 0; i < 150; i++)
        strcat(script, "0 200 leave 0\n");
    make_archive(check_folder, &(struct make_plan){.events = script});
    check_expect_code(1, check_run(2, words));
    check_expect_text(": 100 violations listed; there may be more\n");
    assert_int_equal(check_lines(), 101);
}

static void quiet_prints_nothing(void **state)
{
    (void)state;
    const char *const words[] = {"-q", check_folder};
    make_archive(check_folder, &(struct make_plan){.events = "0 200 leave 0\n"});
    check_expect_code(1, check_run(2, words));
    assert_string_equal(check_output, "");
}

static void file_and_folder_are_the_same(void **state)
{
    (void)state;
    char path[300];
    const char *const words[] = {path};
    snprintf(path, sizeof(path), "%s/traces.otf2", check_folder);
    make_archive(check_folder, &(struct make_plan){.events = good_events});
    check_expect_code(0, check_run(1, words));
    check_expect_text(path);
}

static void expect_unreadable(const char *path, const char *why)
{
    const char *const words[] = {path};
    check_expect_code(2, check_run(1, words));
    check_expect_text(path);
    check_expect_text(why);
    assert_int_equal(check_lines(), 1);
}

static void write_file(const char *name, const char *content)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", check_folder, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(content, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static void make_folder(const char *name)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", check_folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

/* Only a writer's claim or checkpoint shows that an archive was begun. */
static void unfinished_archives_are_named(void **state)
{
    char path[300];
    char claim[320];
    const bool is_root = geteuid() == 0;
    (void)state;
    make_folder("out");
    make_folder("out/rank-0");
    snprintf(path, sizeof(path), "%s/out", check_folder);
    snprintf(claim, sizeof(claim), "%s/.omptape-run", path);
    assert_int_equal(symlink("unknown:1:2:3", claim), 0);
    snprintf(claim, sizeof(claim), "%s/.omptape-job", path);
    assert_int_equal(symlink("4711", claim), 0);
    expect_unreadable(path, "no *.otf2 file");
    write_file("out/rank-0/traces.otf2", "x");
    expect_unreadable(path, "rank-0 is one");
    write_file("out/.omptape-checkpoint", "x");
    expect_unreadable(path, ": its writer was killed; ");
    snprintf(claim, sizeof(claim), "%s/.omptape-writing", path);
    assert_int_equal(symlink("unknown:1:2:3", claim), 0);
    expect_unreadable(path, "it is being written, or its writer was killed");
    assert_int_equal(unlink(claim), 0);
    omptape_claim_own(path, sizeof(path));
    assert_int_equal(symlink(path, claim), 0);
    snprintf(path, sizeof(path), "%s/out", check_folder);
    expect_unreadable(path, " is writing it (omptape top ");
    /* Another user may have forged the claim. */
    assert_int_equal(lchown(claim, is_root ? 65534 : geteuid(), (gid_t)-1), 0);
    expect_unreadable(path, is_root ? "it is being written, or its writer was killed" : " is writing it ");
}

static void unreadable_paths_are_named(void **state)
{
    (void)state;
    char path[300];
    expect_unreadable("/nonexistent/traces.otf2", "No such file or directory");
    expect_unreadable(check_folder, "no *.otf2 file");
    snprintf(path, sizeof(path), "%s/notes.txt", check_folder);
    write_file("notes.txt", "hello");
    expect_unreadable(path, "not an OTF2 archive");
    assert_int_equal(chmod(path, 0755), 0);
    expect_unreadable(path, "a program, not an OTF2 archive");
    snprintf(path, sizeof(path), "%s/fake.otf2", check_folder);
    write_file("fake.otf2", "");
    expect_unreadable(path, "empty");
    write_file("fake.otf2",
               "this is not an anchor file, whatever its name says, and it is long enough to be one");
    expect_unreadable(path, "not a readable OTF2 archive");
    write_file("more.otf2", "x");
    expect_unreadable(check_folder, "several");
}

static void truncate_to(const char *name, off_t size)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", check_folder, name);
    assert_int_equal(truncate(path, size), 0);
}

static void truncated_files_are_named(void **state)
{
    (void)state;
    char path[300];
    make_archive(check_folder, &(struct make_plan){.events = good_events});
    truncate_to("traces/1.evt", 60);
    expect_unreadable(check_folder,
                      "traces/1.evt is cut short: 60 bytes are there, with 4 whole events; the other");
    snprintf(path, sizeof(path), "%s/traces/1.evt", check_folder);
    assert_int_equal(unlink(path), 0);
    expect_unreadable(check_folder, "the event file of location 1 is missing");
    truncate_to("traces.def", 300);
    expect_unreadable(check_folder, "traces.def is cut short: 300 bytes are there; the other");
    truncate_to("traces.otf2", 20);
    expect_unreadable(check_folder,
                      "traces.otf2 is cut short: 20 bytes are there, and 1 more file is damaged");
}

static void bad_words_are_named(void **state)
{
    (void)state;
    const char *const unknown[] = {"--frob", check_folder};
    const char *const two[] = {check_folder, "other"};
    check_expect_code(2, check_run(2, unknown));
    check_expect_text("no option is named --frob (omptape check --help");
    check_expect_code(2, check_run(2, two));
    check_expect_text("one archive at a time");
    check_expect_code(2, check_run(0, NULL));
    check_expect_text("no archive is in this folder");
}

static int crash(void *data, FILE *out, char *error, size_t error_bytes,
                 struct omptape_reader_progress *progress)
{
    (void)data;
    (void)error;
    (void)error_bytes;
    progress->done++;
    fputs("half a line", out);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return 0;
}

static int run_crash(int argc, char **argv)
{
    (void)argc;
    return omptape_reader_guard(argv[0], argv[1], crash, NULL);
}

static int crash_beside(void *data, FILE *out, char *error, size_t error_bytes,
                        struct omptape_reader_progress *progress)
{
    strcpy(progress->current_file, "traces/0.sums");
    return crash(data, out, error, error_bytes, progress);
}

static int run_crash_beside(int argc, char **argv)
{
    (void)argc;
    return omptape_reader_guard(argv[0], argv[1], crash_beside, NULL);
}

/* libotf2 may crash on what it reads: the child that does is not the command. */
static void crash_is_put_into_words(void **state)
{
    (void)state;
    const char *const words[] = {"the/path"};
    check_expect_code(2, check_run_command(run_crash, "check", 1, words));
    assert_string_equal(check_output,
                        "omptape: check: the/path: damaged archive: the OTF2 library crashed reading it "
                        "(Segmentation fault)\n");
    check_expect_code(2, check_run_command(run_crash_beside, "check", 1, words));
    assert_string_equal(check_output,
                        "omptape: check: the/path: traces/0.sums is damaged: reading it crashed "
                        "(Segmentation fault)\n");
}

static int replace(void *data, FILE *out, char *error, size_t error_bytes,
                   struct omptape_reader_progress *progress)
{
    char anchor[512];
    (void)error;
    (void)error_bytes;
    (void)progress;
    fputs("of two archives\n", out);
    snprintf(anchor, sizeof(anchor), "%s/traces.otf2", (const char *)data);
    return truncate(anchor, 0) == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

static int run_replace(int argc, char **argv)
{
    (void)argc;
    return omptape_reader_guard(argv[0], argv[1], replace, argv[1]);
}

static void replaced_archive_is_named(void **state)
{
    (void)state;
    const char *const words[] = {check_folder};
    check_events_pass(good_events);
    check_expect_code(2, check_run_command(run_replace, "check", 1, words));
    check_expect_text("it was replaced while it was read (run the command again)");
    assert_null(strstr(check_output, "of two archives"));
}

static int delete_archive(void *data, FILE *out, char *error, size_t error_bytes,
                          struct omptape_reader_progress *progress)
{
    char anchor[512];
    (void)out;
    (void)error;
    (void)error_bytes;
    (void)progress;
    snprintf(anchor, sizeof(anchor), "%s/traces.otf2", (const char *)data);
    return unlink(anchor) == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

static int run_delete(int argc, char **argv)
{
    (void)argc;
    return omptape_reader_guard(argv[0], argv[1], delete_archive, argv[1]);
}

static void deleted_archive_is_named(void **state)
{
    (void)state;
    const char *const words[] = {check_folder};
    check_events_pass(good_events);
    check_expect_code(2, check_run_command(run_delete, "check", 1, words));
    check_expect_text("it was deleted while it was read");
}

static void help_is_printed(void **state)
{
    (void)state;
    const char *const words[] = {"--help"};
    check_expect_code(0, check_run(1, words));
    check_expect_text("Usage: omptape check");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(good_archive_passes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(empty_archive_passes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(all_lists_violations, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(all_stops_at_a_hundred, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(quiet_prints_nothing, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(file_and_folder_are_the_same, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(unfinished_archives_are_named, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(unreadable_paths_are_named, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(truncated_files_are_named, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(bad_words_are_named, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(crash_is_put_into_words, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(replaced_archive_is_named, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(deleted_archive_is_named, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(help_is_printed, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
