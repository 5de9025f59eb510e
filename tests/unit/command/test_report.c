/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape report` and `compare` on archives made for them: names of any bytes as JSON and CSV,
 * archives that hold nothing or nonsense, and constructs whose line moved. Run by CTest on one thread.
 */
#include "src/command/report/file.h"
#include "src/command/report/pairs.h"
#include "src/command/report/report.h"
#include "src/command/text/value_tree.h"
#include "tests/unit/check_harness.h"

static void write_odd(struct value_tree *tree, const void *data)
{
    (void)data;
    value_tree_text(tree, "name", "a \"b\"\\\n\xFF\xC3\xA4,\x01");
    value_tree_object(tree, "part");
    value_tree_number(tree, "half", 0.5);
    value_tree_number(tree, "none", 0.0 / 0.0);
    value_tree_end(tree);
    for (unsigned i = 0; value_tree_row(tree, "rows", i, 2); i++) {
        value_tree_integer(tree, "number", -(int)i);
        for (unsigned item = 0; value_tree_item(tree, "list", item, 2); item++)
            value_tree_count(tree, NULL, item == 0 ? 1 : UINT64_MAX);
        value_tree_number(tree, "ns", 1e-9);
    }
    value_tree_list(tree, "texts");
    value_tree_text(tree, NULL, "one");
    value_tree_text(tree, NULL, "two");
    value_tree_end(tree);
    (void)value_tree_row(tree, "nothing", 0, 0);
}

static void expect_tree(int (*write)(FILE *, value_tree_writer *, const void *), const char *expected)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(write(out, write_odd, NULL), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void json_is_valid_for_any_bytes(void **state)
{
    (void)state;
    expect_tree(value_tree_write_json,
                "{\n \"name\": \"a \\\"b\\\"\\\\\\u000a\xEF\xBF\xBD\xC3\xA4,\\u0001\",\n"
                " \"part\": {\n  \"half\": 0.5,\n  \"none\": null},\n"
                " \"rows\": [\n  {\"number\": 0, \"list\": [1, 18446744073709551615], \"ns\": 0.000000001},\n"
                "  {\"number\": -1, \"list\": [1, 18446744073709551615], \"ns\": 0.000000001}],\n"
                " \"texts\": [\n  \"one\",\n  \"two\"],\n"
                " \"nothing\": []}\n");
}

static void csv_is_one_table(void **state)
{
    (void)state;
    expect_tree(value_tree_write_csv, "section,name,part.half,part.none,number,list,ns,text\r\n"
                                      "summary,\"a \"\"b\"\"\\\n\xEF\xBF\xBD\xC3\xA4,\x01\",0.5,,,,,\r\n"
                                      "rows,,,,0,1 18446744073709551615,0.000000001,\r\n"
                                      "rows,,,,-1,1 18446744073709551615,0.000000001,\r\n"
                                      "texts,,,,,,,one\r\n"
                                      "texts,,,,,,,two\r\n");
}

static int report_on(const char *option)
{
    const char *const words[] = {option, check_folder};
    return check_run_command(omptape_command_report, "report", 2, words);
}

static void set_energy(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::ENERGY",
                                          "package-0:1200000000 package-0/dram:34000000", true));
}

/* Each node's packages and memory, once. */
static void energy_is_the_nodes(void **state)
{
    (void)state;
    make_archive(check_folder,
                 &(struct make_plan){.events = "0 100 enter 0\n0 900 leave 0\n", .properties = set_energy});
    check_expect_code(0, report_on("--all"));
    check_expect_text("energy 1.23 kJ (");
    check_expect_code(0, report_on("--json=-"));
    check_expect_text(" \"energy_j\": 1234");
}

static void an_empty_archive_speaks(void **state)
{
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = ""});
    check_expect_code(0, report_on("--all"));
    check_expect_text("the archive holds no events");
    check_expect_code(0, report_on("--json=-"));
    check_expect_text(" \"events\": 0,");
    check_expect_text(" \"findings\": [],");
}

/* Nothing in an archive is believed. */
static void nonsense_is_passed_over(void **state)
{
    (void)state;
    make_archive(check_folder,
                 &(struct make_plan){.events =
                                         "0 100 leave 1\n0 110 endteam 1\n0 120 enter 77\n0 130 join\n"
                                         "1 140 release 5 1\n1 150 enter 4\n1 160 complete 0 9 9\n"
                                         "2 170 team 9\n2 180 switch 1 7 7\n3 190 done 0 5\n0 1000 off\n"});
    check_expect_code(0, report_on("--all"));
    check_expect_text("region ");
    check_expect_code(0, report_on("--csv=-"));
    check_expect_text("section,version,");
    const char *const words[] = {check_folder, check_folder};
    check_expect_code(0, check_run_command(omptape_command_compare, "compare", 2, words));
    check_expect_text("(+0 %)");
}

enum { UNTIED_TASK = 6, ITS_CREATION, PARTS = 60 };

static void define_untied(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {"!$omp task @a.c:30", "!$omp create task @a.c:30"};
    static const OTF2_RegionRole roles[] = {OTF2_REGION_ROLE_TASK_UNTIED, OTF2_REGION_ROLE_TASK_CREATE};
    for (uint32_t i = 0; i < 2; i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(
            writer, UNTIED_TASK + i, MAKE_STRINGS + i, MAKE_STRINGS + i, MAKE_EMPTY_STRING, roles[i],
            OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, MAKE_EMPTY_STRING, 30, 40));
    }
}

/* One task, though its region is visited often. */
static void an_untied_task_is_one(void **state)
{
    char script[8192];
    char *at = script;
    (void)state;
    at += sprintf(at,
                  "0 100 enter 0\n0 110 fork 2\n0 110 team 0\n0 110 enter 1\n1 110 team 0\n1 110 enter 1\n"
                  "0 120 enter %d\n0 120 create 0 0 1\n0 120 leave %d\n0 125 enter 2\n1 125 enter 2\n",
                  ITS_CREATION, ITS_CREATION);
    for (int i = 0; i < PARTS; i++) {
        int begin = 140 + 10 * i;
        at += sprintf(at, "0 %d switch 0 0 1\n0 %d enter %d\n0 %d leave %d\n", begin, begin, UNTIED_TASK,
                      begin + 3, UNTIED_TASK);
        at += sprintf(at, "0 %d %s\n", begin + 3, i == PARTS - 1 ? "complete 0 0 1" : "switch 0 0 0");
    }
    for (int i = 0; i < 2; i++)
        at += sprintf(at, "%d 800 leave 2\n%d 800 leave 1\n%d 800 endteam 0\n", i, i, i);
    sprintf(at, "0 800 join\n0 990 leave 0\n");
    make_archive(check_folder, &(struct make_plan){.events = script, .more = define_untied});
    check_expect_code(0, report_on("--all"));
    check_expect_text("1 untied task is put aside");
    check_expect_text("60 parts of 3.0 ns each");
    check_expect_text("-> without untied");
    check_expect_text("       1  180 ns");
}

static void an_archive_without_a_clock_is_read(void **state)
{
    (void)state;
    make_archive(check_folder,
                 &(struct make_plan){.events = "0 100 enter 0\n0 200 leave 0\n", .no_clock = true});
    (void)report_on("--all");
    check_expect_no_text("nan");
    check_expect_no_text("inf ");
    (void)report_on("--json=-");
    check_expect_no_text("nan");
}

static void a_summary_has_one_line_of_it(void **state)
{
    (void)state;
    char line[256] = "";
    make_archive(check_folder, &(struct make_plan){.events = "0 100 enter 0\n0 200 leave 0\n"});
    assert_true(report_first(check_folder, line, sizeof(line)));
    assert_string_equal(line, "nothing stands out");
}

static void or_none(void **state)
{
    (void)state;
    char line[256] = "x";
    make_archive(check_folder, &(struct make_plan){.events = ""});
    assert_false(report_first(check_folder, line, sizeof(line)));
    assert_string_equal(line, "");
    assert_false(report_first("/nowhere/at/all", line, sizeof(line)));
    assert_string_equal(line, "");
}

static struct report_row row_of(const char *key, uint32_t line, double value)
{
    struct report_row row = {.kind = REPORT_ROW_REGION, .line = line, .value = value};
    (void)snprintf(row.name, sizeof(row.name), "%s:%u", key, line);
    (void)snprintf(row.key, sizeof(row.key), "main %s:", key);
    return row;
}

/* The pair whose row after has this value; NULL if none has. */
static const struct report_pair *pair_after(const struct report_pairs *pairs, double value)
{
    for (uint32_t i = 0; i < pairs->count; i++)
        if (pairs->list[i].new != NULL && pairs->list[i].after > value - 0.5 &&
            pairs->list[i].after < value + 0.5)
            return &pairs->list[i];
    return NULL;
}

static void what_moved_is_found_again(void **state)
{
    (void)state;
    struct report_row before[] = {row_of("for @a.c", 10, 1), row_of("for @a.c", 20, 2),
                                  row_of("for @b.c", 7, 3), row_of("gone @a.c", 1, 9)};
    struct report_row after[] = {row_of("for @a.c", 23, 102), row_of("for @a.c", 13, 101),
                                 row_of("for @b.c", 7, 103), row_of("new @a.c", 1, 104),
                                 row_of("for @b.c", 5, 105)};
    struct report_pairs pairs = {0};
    assert_int_equal(report_pairs_make(&pairs, &(struct report_rows){.list = before, .runs = 1, .count = 4},
                                       &(struct report_rows){.list = after, .runs = 1, .count = 5}),
                     0);
    assert_int_equal(pairs.count, 6);
    assert_true(pair_after(&pairs, 101)->before == 1);
    assert_true(pair_after(&pairs, 102)->before == 2);
    assert_true(pair_after(&pairs, 103)->before == 3);
    assert_null(pair_after(&pairs, 104)->old);
    assert_null(pair_after(&pairs, 105)->old);
    assert_null(pairs.list[pairs.count - 1].new); /* the smallest change: gone @a.c */
    report_pairs_free(&pairs);
}

static void set_processors(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::INFO::PROCS", "2", true));
}

/* Region 6, and the function of a sample. */
static void define_second(OTF2_GlobalDefWriter *writer)
{
    enum { NAME = MAKE_STRINGS + 1 };
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "!$omp parallel @a.c:30"));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, 6, MAKE_STRINGS, MAKE_STRINGS, MAKE_EMPTY_STRING,
                                                  OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP,
                                                  OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, 30, 0));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, NAME, "sum"));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, 7, NAME, NAME, MAKE_EMPTY_STRING,
                                                  OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
                                                  OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, 31, 0));
    make_succeed(OTF2_GlobalDefWriter_WriteCallingContext(writer, 0, 7, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                          OTF2_UNDEFINED_CALLING_CONTEXT));
    make_succeed(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writer, 0, MAKE_EMPTY_STRING, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, 1000000));
}

/* The second thread has a processor when the first one is done: the same twice, which takes one place. The
 * second place, which is not printed, has the sample: its function is shown beside the findings. */
static void threads_without_a_processor_are_said_once(void **state)
{
    (void)state;
    make_archive(check_folder,
                 &(struct make_plan){
                     .events =
                         "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n0 100 enter 2\n1 100 enter 2\n"
                         "0 200 leave 2\n0 1000200 enter 2\n1 1000200 leave 2\n1 2001200 enter 2\n"
                         "0 2001300 leave 2\n0 2001300 leave 1\n0 2001300 endteam 0\n"
                         "1 2001300 leave 2\n1 2001300 leave 1\n1 2001300 endteam 0\n"
                         "0 2001400 metric 0 2001300 0\n1 2001400 metric 0 1001300 1000000\n"
                         "0 3000000 team 0\n0 3000000 enter 6\n1 3000000 team 0\n1 3000000 enter 6\n"
                         "0 3000100 enter 2\n1 3000100 enter 2\n"
                         "0 3000200 leave 2\n0 3400000 sample 0\n0 3500000 sample 0\n0 3600000 sample 0\n"
                         "0 4000200 enter 2\n1 4000200 leave 2\n1 5001200 enter 2\n"
                         "0 5001300 leave 2\n0 5001300 leave 6\n0 5001300 endteam 0\n"
                         "1 5001300 leave 2\n1 5001300 leave 6\n1 5001300 endteam 0\n"
                         "0 5001400 metric 0 5001300 0\n1 5001400 metric 0 3001300 2000000\n",
                     .more = define_second,
                     .properties = set_processors});
    check_expect_code(0, report_on("--top=9"));
    check_expect_text("\n     the same at 1 more place, 1.00 ms in all\n  2. ");
    assert_null(strstr(check_output, "  2. parallel"));
    check_expect_text("\nparallel @a.c:30 takes ");
    check_expect_text("; inside: sum 3 of 3 samples");
    check_expect_code(0, report_on("--all"));
    assert_null(strstr(check_output, "parallel @a.c:30 takes "));
    check_expect_text("  2. parallel");
    assert_null(strstr(check_output, "the same at"));
}

static bool is_replaced;

int __real_report_outputs_write_numbers(struct report_file files[REPORT_OUTPUTS], FILE *out,
                                        value_tree_writer *write, const void *data, char *error,
                                        size_t error_bytes);
int __wrap_report_outputs_write_numbers(struct report_file files[REPORT_OUTPUTS], FILE *out,
                                        value_tree_writer *write, const void *data, char *error,
                                        size_t error_bytes);

/* Another run replaces the archive before the command ends. */
int __wrap_report_outputs_write_numbers(struct report_file files[REPORT_OUTPUTS], FILE *out,
                                        value_tree_writer *write, const void *data, char *error,
                                        size_t error_bytes)
{
    char anchor[SCRATCH_BYTES + 16];
    snprintf(anchor, sizeof(anchor), "%s/traces.otf2", check_folder);
    if (is_replaced)
        assert_int_equal(truncate(anchor, 0), 0);
    return __real_report_outputs_write_numbers(files, out, write, data, error, error_bytes);
}

static void expect_no_file(int (*command)(int, char **), const char *name)
{
    char file[SCRATCH_BYTES + 16];
    snprintf(file, sizeof(file), "%s/numbers", check_folder);
    const char *const words[] = {"--json", file, check_folder};
    make_archive(check_folder, &(struct make_plan){.events = "0 100 enter 0\n0 900 leave 0\n"});
    check_expect_code(0, check_run_command(command, name, 3, words));
    assert_int_equal(unlink(file), 0);
    is_replaced = true;
    check_expect_code(2, check_run_command(command, name, 3, words));
    is_replaced = false;
    check_expect_text("it was replaced while it was read");
    check_expect_no_text("wrote");
    assert_int_equal(access(file, F_OK), -1);
}

/* The numbers may be of both archives. */
static void a_replaced_archive_leaves_no_file(void **state)
{
    (void)state;
    expect_no_file(omptape_command_report, "report");
}

static void nor_does_it_for_whatif(void **state)
{
    (void)state;
    expect_no_file(omptape_command_whatif, "whatif");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_valid_for_any_bytes),
        cmocka_unit_test(csv_is_one_table),
        cmocka_unit_test(what_moved_is_found_again),
        cmocka_unit_test_setup_teardown(an_empty_archive_speaks, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(energy_is_the_nodes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nonsense_is_passed_over, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(an_archive_without_a_clock_is_read, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(an_untied_task_is_one, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(or_none, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_summary_has_one_line_of_it, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(threads_without_a_processor_are_said_once, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_replaced_archive_leaves_no_file, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(nor_does_it_for_whatif, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
