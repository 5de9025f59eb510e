/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the summaries of time (src/analysis/timeline/pyramid.h) and of windows of single events: on
 * archives with known events nothing may be lost, to the tick. Run by CTest on one thread; archives are made
 * by tests/unit/make_archive.h in a temporary folder.
 */
#include "src/analysis/timeline/pyramid.h"
#include "src/analysis/timeline/windows.h"
#include "tests/unit/check_harness.h"

static const char events[] =
    "0 100 program\n0 100 enter 0\n0 110 fork 2\n0 110 team 0\n0 110 enter 1\n"
    "1 120 team 0\n1 120 enter 1\n0 200 enter 4\n0 230 acquire 0 1\n0 300 release 0 1\n"
    "0 300 leave 4\n1 310 enter 4\n1 320 acquire 0 2\n1 330 release 0 2\n1 330 leave 4\n"
    "0 350 create 0 0 1\n1 400 switch 0 0 1\n1 400 enter 3\n1 450 leave 3\n"
    "1 450 complete 0 0 1\n1 450 switch 0 1 0\n0 500 enter 2\n0 700 leave 2\n1 550 enter 2\n"
    "1 700 leave 2\n0 700 leave 1\n1 700 leave 1\n0 700 endteam 0\n1 700 endteam 0\n"
    "0 700 join\n3 300 enter 5\n3 600 leave 5\n3 650 metric 0 7\n3 900 metric 0 9\n"
    "0 990 leave 0\n0 990 endprogram\n";

static struct omptape_reader *reader;
static struct omptape_analysis *analysis;

static void analyse(const struct omptape_analysis_options *options)
{
    char error[512] = "";
    if (omptape_analysis_run(&analysis, reader, options, error, sizeof(error)) != 0)
        fail_msg("%s", error);
}

static void open_archive(void)
{
    char error[512] = "";
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0)
        fail_msg("%s", error);
}

static struct omptape_pyramid *gather(const struct make_plan *plan, uint64_t from, uint64_t to)
{
    make_archive(check_folder, plan);
    open_archive();
    struct omptape_pyramid *pyramid = omptape_pyramid_begin(reader, from, to);
    assert_non_null(pyramid);
    const struct omptape_analysis_observer observer = omptape_pyramid_observer(pyramid);
    analyse(&(struct omptape_analysis_options){.from = from, .to = to, .observer = &observer});
    omptape_pyramid_end(pyramid);
    assert_false(omptape_out_of_memory);
    return pyramid;
}

static void close_all(struct omptape_pyramid *pyramid)
{
    omptape_pyramid_free(pyramid);
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
}

static uint64_t cell(const struct pyramid_row *row, int bucket, uint32_t bin)
{
    return row->buckets[bucket] != NULL ? row->buckets[bucket][bin] : 0;
}

static uint64_t sum_of(const struct omptape_pyramid *pyramid, const struct pyramid_row *row, int bucket)
{
    uint64_t sum = 0;
    for (uint32_t bin = 0; bin < pyramid->bins; bin++)
        sum += cell(row, bucket, bin);
    return sum;
}

/* Of the row's life, how much lies in this bin. */
static uint64_t life_in(const struct omptape_pyramid *pyramid, const struct pyramid_row *row, uint32_t bin)
{
    uint64_t begin = pyramid->begin + bin * pyramid->width;
    uint64_t end = begin + pyramid->width;
    begin = begin > row->begin ? begin : row->begin;
    end = end < row->end ? end : row->end;
    return end > begin ? end - begin : 0;
}

static void expect_whole_bins(const struct omptape_pyramid *pyramid)
{
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        const struct pyramid_row *row = &pyramid->rows[i];
        for (uint32_t bin = 0; bin < pyramid->bins; bin++) {
            uint64_t sum = 0;
            for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
                sum += cell(row, bucket, bin);
            assert_int_equal(life_in(pyramid, row, bin), sum);
            for (unsigned top = 0; row->tops != NULL && top < PYRAMID_TOPS; top++)
                assert_true(row->tops[bin].ticks[top] <= sum);
        }
    }
}

static void expect_sums_of_analysis(const struct omptape_pyramid *pyramid)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        for (uint32_t k = 0; k < analysis->thread_count; k++) {
            if (analysis->thread_list[k].location != pyramid->rows[i].location)
                continue;
            found++;
            for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
                assert_int_equal(analysis->thread_list[k].parts[bucket],
                                 sum_of(pyramid, &pyramid->rows[i], bucket));
        }
    }
    assert_int_equal(found, analysis->thread_count);
}

static void bins_hold_all_time(void **state)
{
    (void)state;
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = events}, 0, 0);
    assert_int_equal(pyramid->begin, MAKE_CLOCK_OFFSET);
    assert_int_equal(pyramid->width, 1);
    expect_whole_bins(pyramid);
    expect_sums_of_analysis(pyramid);
    const struct pyramid_row *stream = &pyramid->rows[3];
    assert_true(stream->device);
    assert_int_equal(300, sum_of(pyramid, stream, OMPTAPE_BUCKET_COMPUTING));
    assert_int_equal(300, sum_of(pyramid, stream, OMPTAPE_BUCKET_IDLE));
    /* In the middle of the barrier. */
    uint32_t region = pyramid->rows[0].tops[600 - MAKE_CLOCK_OFFSET].region[0];
    assert_int_equal(2, pyramid->regions[region - 1]->definition->id);
    close_all(pyramid);
}

/* Without a clock nobody knows how long the bins have to be. */
static void bins_stretch(void **state)
{
    static const char late[] =
        "0 100 enter 1\n1 100 enter 1\n0 300000 enter 2\n0 300007 leave 2\n1 700000 leave 1\n"
        "0 2000001 leave 1\n1 5000003 enter 2\n1 5000100 leave 2\n0 5000111 enter 0\n"
        "0 5000112 leave 0\n";
    (void)state;
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = late, .no_clock = true}, 0, 0);
    assert_true(pyramid->width > 1);
    assert_true(pyramid->width * pyramid->bins >= 5000112);
    assert_true(pyramid->width * pyramid->bins <= 2 * 5000112);
    expect_whole_bins(pyramid);
    expect_sums_of_analysis(pyramid);
    uint32_t region = pyramid->rows[0].tops[1000000 / pyramid->width].region[0];
    assert_int_equal(1, pyramid->regions[region - 1]->definition->id);
    close_all(pyramid);
}

static void states_are_shared_out(void **state)
{
    (void)state;
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = events}, 0, 0);
    struct pyramid_row *row = &pyramid->rows[0];
    const uint64_t ticks[2][PYRAMID_STATES] = {{100, 33, 0}, {1, 2, 796}};
    uint64_t sums[PYRAMID_STATES] = {0};
    assert_true(omptape_pyramid_add_states(pyramid, row, pyramid->begin + 3, pyramid->begin + 136, ticks[0]));
    assert_true(
        omptape_pyramid_add_states(pyramid, row, pyramid->begin + 136, pyramid->begin + 935, ticks[1]));
    for (int times = 0; times < 3; times++) {
        memset(sums, 0, sizeof(sums));
        for (uint32_t bin = 0; bin < pyramid->bins; bin++) {
            uint64_t all = 0;
            for (int which = 0; which < PYRAMID_STATES; which++) {
                sums[which] += row->states[which][bin];
                all += row->states[which][bin];
            }
            assert_true(all <= pyramid->width);
        }
        assert_in_range(sums[PYRAMID_RUNNING], 99, 101);
        assert_in_range(sums[PYRAMID_RUNNABLE], 33, 35);
        assert_in_range(sums[PYRAMID_BLOCKED], 794, 796);
        omptape_pyramid_halve(pyramid);
    }
    close_all(pyramid);
}

static void what_was_something_else_is_moved(void **state)
{
    (void)state;
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = events}, 0, 0);
    struct pyramid_row *row = &pyramid->rows[0];
    const uint64_t computing = sum_of(pyramid, row, OMPTAPE_BUCKET_COMPUTING);
    const uint64_t target = sum_of(pyramid, row, OMPTAPE_BUCKET_TARGET);
    assert_true(
        omptape_pyramid_move(pyramid, row, OMPTAPE_BUCKET_COMPUTING, OMPTAPE_BUCKET_TARGET, 110, 200, 30));
    assert_int_equal(computing - 30, sum_of(pyramid, row, OMPTAPE_BUCKET_COMPUTING));
    assert_int_equal(target + 30, sum_of(pyramid, row, OMPTAPE_BUCKET_TARGET));
    expect_whole_bins(pyramid);
    /* More than there is. */
    assert_true(
        omptape_pyramid_move(pyramid, row, OMPTAPE_BUCKET_COMPUTING, OMPTAPE_BUCKET_TARGET, 100, 990, 5000));
    assert_int_equal(0, sum_of(pyramid, row, OMPTAPE_BUCKET_COMPUTING));
    expect_whole_bins(pyramid);
    close_all(pyramid);
}

static void the_longest_visits_are_kept(void **state)
{
    (void)state;
    struct pyramid_region region = {.index = 0};
    for (uint64_t i = 1; i <= 20; i++) /* of each length two */
        omptape_pyramid_keep_visit(
            &region, (struct pyramid_visit){.ticks = 1 + i * 7 % 20 / 2, .begin = 100 * i, .location = i});
    for (unsigned i = 1; i < PYRAMID_VISITS; i++) {
        const struct pyramid_visit *before = &region.visits[i - 1];
        const struct pyramid_visit *visit = &region.visits[i];
        assert_true(before->ticks > visit->ticks ||
                    (before->ticks == visit->ticks && before->begin > visit->begin));
    }
    assert_int_equal(10, region.visits[0].ticks);
    assert_int_equal(7, region.visits[PYRAMID_VISITS - 1].ticks);
}

static void windows_of_time_are_cut(void **state)
{
    (void)state;
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = events}, 210, 520);
    assert_int_equal(210, pyramid->begin);
    expect_whole_bins(pyramid);
    expect_sums_of_analysis(pyramid);
    assert_int_equal(210, pyramid->rows[0].begin);
    assert_int_equal(520, pyramid->rows[0].end);
    assert_int_equal(20, sum_of(pyramid, &pyramid->rows[0], OMPTAPE_BUCKET_BARRIER));
    close_all(pyramid);
}

static void levels_become_curves(void **state)
{
    (void)state;
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = events}, 0, 0);
    assert_int_equal(1, pyramid->curve_count);
    const struct pyramid_curve *curve = pyramid->curves[0];
    uint32_t scale = pyramid->bins / PYRAMID_CURVE_BINS;
    assert_true(curve->bins[500 / scale] == 0);
    assert_true(curve->bins[550 / scale] == 7);
    assert_true(curve->bins[700 / scale] == 7);
    assert_true(curve->bins[800 / scale] == 9);
    close_all(pyramid);
}

/* Neither may stop the other. */
static void nonsense_is_passed_over(void **state)
{
    static const char nonsense[] =
        "0 100 leave 1\n0 110 enter 1\n0 120 leave 2\n1 130 leave 0\n1 130 endteam 0\n"
        "3 140 leave 5\n3 150 leave 5\n0 990 enter 2\n";
    (void)state;
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = nonsense}, 0, 0);
    expect_whole_bins(pyramid);
    expect_sums_of_analysis(pyramid);
    close_all(pyramid);
}

enum { TASK_ATTRIBUTE = 4, DEPENDS_PARAMETER = 2 };

static void define_dependences(OTF2_GlobalDefWriter *writer)
{
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "task id"));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + 1, "depends on task id"));
    make_succeed(OTF2_GlobalDefWriter_WriteAttribute(writer, TASK_ATTRIBUTE, MAKE_STRINGS, MAKE_EMPTY_STRING,
                                                     OTF2_TYPE_UINT64));
    make_succeed(OTF2_GlobalDefWriter_WriteParameter(writer, DEPENDS_PARAMETER, MAKE_STRINGS + 1,
                                                     OTF2_PARAMETER_TYPE_UINT64));
}

/* A fork, a lock that somebody waits for and that nobody waits for, a task that depends on another, what the
 * host starts on a device, and a barrier. */
static void arrows_lead_to_who_goes_on(void **state)
{
    static const char script[] =
        "0 100 program\n0 100 enter 0\n0 110 fork 2\n0 110 team 0\n0 110 enter 1\n"
        "1 120 team 0\n1 120 enter 1\n0 200 enter 4\n0 200 acquire 0 1\n1 210 enter 4\n"
        "0 300 release 0 1\n0 300 leave 4\n1 310 acquire 0 2\n1 330 release 0 2\n1 330 leave 4\n"
        "0 340 enter 4\n0 341 acquire 0 3\n0 345 release 0 3\n0 345 leave 4\n"
        "0 350 uint 4 7\n0 350 enter 4\n0 350 create 0 0 1\n0 350 leave 4\n"
        "0 360 uint 4 8\n0 360 enter 4\n0 360 create 0 0 2\n0 360 unsigned 2 7\n0 360 leave 4\n"
        "1 400 switch 0 0 1\n1 400 enter 3\n1 450 leave 3\n1 450 complete 0 0 1\n1 450 switch 0 1 0\n"
        "0 460 switch 0 0 2\n0 460 enter 3\n0 480 leave 3\n0 480 complete 0 0 2\n0 480 switch 0 0 0\n"
        "0 490 uint 2 5\n0 490 enter 4\n0 495 leave 4\n3 500 uint 2 5\n3 500 enter 5\n3 600 leave 5\n"
        "0 650 leave 1\n1 650 leave 1\n0 650 endteam 0\n1 650 endteam 0\n0 650 join\n"
        "0 700 fork 2\n0 700 team 0\n0 700 enter 1\n1 710 team 0\n1 710 enter 1\n0 720 enter 2\n"
        "1 800 enter 2\n0 810 leave 2\n1 810 leave 2\n0 810 leave 1\n1 810 leave 1\n"
        "0 810 endteam 0\n1 810 endteam 0\n0 810 join\n0 990 leave 0\n0 990 endprogram\n";
    static const struct window_arrow expected[] = {
        {REPLAY_ARROW_FORK, 0, 1, 110, 120},   {REPLAY_ARROW_LOCK, 0, 1, 300, 310},
        {REPLAY_ARROW_TASK, 0, 1, 350, 400},   {REPLAY_ARROW_DEPENDENCE, 1, 0, 450, 460},
        {REPLAY_ARROW_DEVICE, 0, 3, 490, 500}, {REPLAY_ARROW_FORK, 0, 1, 700, 710},
        {REPLAY_ARROW_WAIT, 0, 1, 720, 800},
    };
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = script, .more = define_dependences});
    open_archive();
    struct omptape_windows *windows = omptape_windows_new(reader);
    assert_non_null(windows);
    omptape_windows_add(windows, 100, 100, 990);
    /* The dependence ends here, whose tasks were created before. */
    omptape_windows_add(windows, 455, 455, 470);
    const struct omptape_analysis_observer observer = omptape_windows_observer(windows);
    analyse(&(struct omptape_analysis_options){.observer = &observer});
    const struct omptape_window *window = &windows->list[0];
    assert_int_equal(sizeof(expected) / sizeof(expected[0]), window->arrow_count);
    for (uint32_t i = 0; i < window->arrow_count; i++) {
        assert_int_equal(expected[i].kind, window->arrows[i].kind);
        assert_int_equal(expected[i].from_location, window->arrows[i].from_location);
        assert_int_equal(expected[i].to_location, window->arrows[i].to_location);
        assert_int_equal(expected[i].from, window->arrows[i].from);
        assert_int_equal(expected[i].to, window->arrows[i].to);
    }
    assert_int_equal(1, windows->list[1].arrow_count);
    assert_int_equal(REPLAY_ARROW_DEPENDENCE, windows->list[1].arrows[0].kind);
    omptape_windows_free(windows);
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
}

static void windows_hold_single_events(void **state)
{
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = events});
    open_archive();
    struct omptape_windows *windows = omptape_windows_new(reader);
    assert_non_null(windows);
    omptape_windows_add(windows, 205, 205, 460);
    omptape_windows_add(windows, 460, 460, 460);
    assert_int_equal(1, windows->count);
    const struct omptape_analysis_observer observer = omptape_windows_observer(windows);
    analyse(&(struct omptape_analysis_options){.observer = &observer});
    const struct omptape_window *window = &windows->list[0];
    assert_false(window->cut);
    uint64_t covered[MAKE_LOCATIONS] = {0};
    for (uint32_t i = 0; i < window->interval_count; i++) {
        const struct window_interval *stretch = &window->intervals[i];
        uint64_t from = stretch->from > window->begin ? stretch->from : window->begin;
        uint64_t to = stretch->to < window->end ? stretch->to : window->end;
        assert_true(to > from && stretch->location < MAKE_LOCATIONS);
        covered[stretch->location] += to - from;
    }
    assert_int_equal(255, covered[0]);
    assert_int_equal(255, covered[1]);
    assert_int_equal(160, covered[3]); /* the kernel begins at 300 */
    omptape_windows_free(windows);
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
}

/* More than a window holds comes before what it is for. */
static void windows_hold_their_core(void **state)
{
    enum {
        LOCKS = WINDOWS_MAX_INTERVALS,
        FIRST = 200,
        CORE = FIRST + 2 * LOCKS,
        END = CORE + 100,
        LINE = 48
    };
    char *script = malloc((size_t)LOCKS * LINE + 1024);
    assert_non_null(script);
    char *at = script + sprintf(script, "0 100 program\n0 100 enter 0\n");
    for (int i = 0; i < LOCKS; i++)
        at += sprintf(at, "0 %d enter 4\n0 %d leave 4\n", FIRST + 2 * i, FIRST + 2 * i + 1);
    sprintf(at, "0 %d enter 4\n0 %d leave 4\n0 %d leave 0\n0 %d endprogram\n", CORE, END, END + 10, END + 10);
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = script});
    free(script);
    open_archive();
    struct omptape_windows *windows = omptape_windows_new(reader);
    assert_non_null(windows);
    omptape_windows_add(windows, FIRST, CORE, END);
    omptape_windows_add(windows, FIRST, CORE, END); /* two findings may have one worst instance */
    assert_int_equal(1, windows->count);
    const struct omptape_analysis_observer observer = omptape_windows_observer(windows);
    analyse(&(struct omptape_analysis_options){.observer = &observer});
    const struct omptape_window *window = &windows->list[0];
    assert_true(window->cut);
    assert_in_range(window->begin, FIRST + 1, CORE - WINDOWS_MAX_INTERVALS / 16);
    assert_int_equal(END, window->end);
    uint64_t until = window->begin;
    for (uint32_t i = 0; i < window->interval_count; i++) {
        assert_int_equal(until, window->intervals[i].from);
        until = window->intervals[i].to;
    }
    assert_int_equal(END, until);
    omptape_windows_free(windows);
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
}

/* Twice as many as are kept: every second one of each row is, and says where it was. */
static void samples_are_thinned(void **state)
{
    enum { FIRST_ROW = 10, ALL = TIMELINE_MAX_SAMPLES + FIRST_ROW };
    struct omptape_pyramid *pyramid = gather(&(struct make_plan){.events = events}, 0, 0);
    struct timeline_samples *samples = &pyramid->samples;
    const uint64_t path = omptape_timeline_sampled_path(samples, 0, 3);
    (void)state;
    for (uint64_t i = 0; i < ALL; i++) {
        struct pyramid_row *row = &pyramid->rows[i >= FIRST_ROW];
        const uint64_t number = row->samples.seen;
        if (omptape_timeline_is_kept(samples, &row->samples))
            omptape_pyramid_keep_sample(pyramid, row, number, path, number % 4);
    }
    assert_int_equal(1, samples->halvings);
    assert_int_equal(ALL / 2, samples->kept);
    assert_int_equal(FIRST_ROW / 2, pyramid->rows[0].samples.count);
    for (uint32_t i = 0; i < pyramid->rows[1].samples.count; i++) {
        const struct timeline_sample *sample = &pyramid->rows[1].samples.list[i];
        assert_int_equal(2 * i, sample->time);
        assert_int_equal(sample->time % 4, timeline_place_at(samples, sample->place)->context);
    }
    close_all(pyramid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bins_hold_all_time, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(bins_stretch, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(states_are_shared_out, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(what_was_something_else_is_moved, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test(the_longest_visits_are_kept),
        cmocka_unit_test_setup_teardown(samples_are_thinned, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(windows_of_time_are_cut, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(levels_become_curves, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nonsense_is_passed_over, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(arrows_lead_to_who_goes_on, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(windows_hold_single_events, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(windows_hold_their_core, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
