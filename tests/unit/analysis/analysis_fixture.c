/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the analysis says of an archive (analysis_fixture.h).
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { EVENT_BYTES = 1 << 18 };

struct omptape_analysis *analysis_fixture;
uint64_t analysis_fixture_from;
uint64_t analysis_fixture_to;
static struct omptape_reader *reader;
static char events[EVENT_BYTES];
static size_t used;

void analysis_fixture_make(const struct make_plan *plan)
{
    const struct omptape_analysis_options options = {.from = analysis_fixture_from,
                                                     .to = analysis_fixture_to};
    char error[512] = "";
    make_archive(check_folder, plan);
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0 ||
        omptape_analysis_run(&analysis_fixture, reader, &options, error, sizeof(error)) != 0)
        fail_msg("%s", error);
}

void analysis_fixture_add(unsigned location, uint64_t us, const char *format, ...)
{
    enum { LINE_BYTES = 64 };
    va_list arguments;
    assert_true(used + 2 * LINE_BYTES < sizeof(events));
    used += (size_t)snprintf(events + used, LINE_BYTES, "%u %" PRIu64 "000 ", location, us);
    va_start(arguments, format);
    used += (size_t)vsnprintf(events + used, LINE_BYTES, format, arguments);
    va_end(arguments);
    events[used++] = '\n';
    events[used] = '\0';
}

void analysis_fixture_make_added(struct make_plan plan)
{
    plan.events = events;
    used = 0;
    analysis_fixture_make(&plan);
}

void analysis_fixture_close(void)
{
    omptape_analysis_free(analysis_fixture);
    omptape_reader_close(reader);
}

struct omptape_finding analysis_fixture_sum(enum omptape_finding_kind kind)
{
    struct omptape_finding sum = {.kind = kind};
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++) {
        if (analysis_fixture->findings[i].kind != kind)
            continue;
        sum.region = analysis_fixture->findings[i].region;
        sum.waited += analysis_fixture->findings[i].waited;
        sum.gain += analysis_fixture->findings[i].gain;
        sum.count += analysis_fixture->findings[i].count;
    }
    return sum;
}
