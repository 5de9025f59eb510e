/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the model of an archive (src/model/build.c): time in run queues, and who shares processors.
 * Run by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "src/model/model.h"
#include "tests/unit/check_harness.h"
#include "tests/unit/make_archive.h"

#include <omptape/properties.h>

static struct omptape_reader *reader;
static struct model model;

static void build(const struct make_plan *plan)
{
    char error[512] = "";
    make_archive(check_folder, plan);
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0 ||
        model_build(&model, reader, NULL, error, sizeof(error)) != 0)
        fail_msg("%s", error);
}

static void end(void)
{
    model_free(&model);
    omptape_reader_close(reader);
}

/* Returns the time in run queues of all work, ns. */
static double queued(void)
{
    double sum = 0;
    for (uint32_t i = 0; i < model.queued.count; i++)
        sum += (double)model.ops.list[i].ns * (double)model.queued.list[i] / (double)MODEL_ALL_QUEUED;
    return sum;
}

/* Two threads begin the region at 10 ns, and come to its barrier at 100 ms. */
#define BOTH_WORK                                                                                            \
    "0 5 metric 0 5 1\n1 5 metric 0 5 1\n0 10 team 0\n0 10 enter 1\n1 10 team 0\n1 10 enter 1\n"             \
    "0 100000000 enter 2\n1 100000000 enter 2\n"                                                             \
    "0 100000100 leave 2\n0 100000100 leave 1\n0 100000100 endteam 0\n"                                      \
    "1 100000100 leave 2\n1 100000100 leave 1\n1 100000100 endteam 0\n"

/* Each slept for 80 ms of its work, ran for 10 ms and queued for 10 ms. */
static void sleep_is_no_queueing(void **state)
{
    (void)state;
    build(&(struct make_plan){
        .events =
            BOTH_WORK "0 100000200 metric 0 10000000 10000000\n1 100000200 metric 0 10000000 10000000\n"});
    assert_in_range(queued(), 19000000, 21000000);
    end();
}

/* Location group 2 is another process. Each has two processors: the same ones, or others. */
static void define_processors(OTF2_GlobalDefWriter *writer, bool same)
{
    enum { NUMBER = MAKE_STRINGS, PROCESSORS, ALLOWED, TWO, FIRST, SECOND };
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, NUMBER, OMPTAPE_GROUP_NUMBER));
    make_succeed(
        OTF2_GlobalDefWriter_WriteString(writer, PROCESSORS, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PROCESSORS));
    make_succeed(
        OTF2_GlobalDefWriter_WriteString(writer, ALLOWED, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_ALLOWED));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, TWO, "2"));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, FIRST, "0-1"));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, SECOND, "2-3"));
    for (uint32_t process = 0; process < 2; process++) {
        const OTF2_StringRef allowed = process == 0 || same ? FIRST : SECOND;
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            writer, 2 * process, NUMBER, OTF2_TYPE_UINT32, (OTF2_AttributeValue){.uint32 = process}));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            writer, 2 * process, PROCESSORS, OTF2_TYPE_STRING, (OTF2_AttributeValue){.stringRef = TWO}));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            writer, 2 * process, ALLOWED, OTF2_TYPE_STRING, (OTF2_AttributeValue){.stringRef = allowed}));
    }
}

static void define_same(OTF2_GlobalDefWriter *writer)
{
    define_processors(writer, true);
}

static void define_others(OTF2_GlobalDefWriter *writer)
{
    define_processors(writer, false);
}

static void set_processors(OTF2_Archive *archive)
{
    make_succeed(
        OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PROCESSORS, "2", true));
}

static void build_two_processes(void (*define)(OTF2_GlobalDefWriter *writer))
{
    build(&(struct make_plan){.events = "0 10 enter 0\n1 10 enter 0\n2 10 enter 0\n"
                                        "0 20 leave 0\n1 20 leave 0\n2 20 leave 0\n",
                              .more = define,
                              .properties = set_processors,
                              .two_processes = true});
}

/* Each has its own processors: none has too many threads. */
static void processes_have_their_processors(void **state)
{
    (void)state;
    build_two_processes(define_others);
    assert_int_equal(model.processors, 2);
    assert_int_equal(model.crowd, 2);
    assert_int_equal(model.crowd_processes, 1);
    end();
}

/* Three threads of both are too many for two processors. */
static void processes_share_processors(void **state)
{
    (void)state;
    build_two_processes(define_same);
    assert_int_equal(model.processors, 2);
    assert_int_equal(model.crowd, 3);
    assert_int_equal(model.crowd_processes, 2);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sleep_is_no_queueing, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(processes_have_their_processors, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(processes_share_processors, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
