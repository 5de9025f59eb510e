/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the analysis says of an archive (analysis_fixture.h).
 */
#include "tests/unit/analysis/analysis_fixture.h"

struct omptape_analysis *analysis_fixture;
static struct omptape_reader *reader;

void analysis_fixture_make(const struct make_plan *plan)
{
    const struct omptape_analysis_options options = {0};
    char error[512] = "";
    make_archive(check_folder, plan);
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0 ||
        omptape_analysis_run(&analysis_fixture, reader, &options, error, sizeof(error)) != 0)
        fail_msg("%s", error);
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
