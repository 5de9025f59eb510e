/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line of `omptape whatif`, builds the model and runs the simulations (whatif.h).
 */
#include "src/command/whatif/whatif.h"

#include "src/archive/read/guard.h"
#include "src/command/report/file.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"

#include <errno.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <unistd.h>

static const char USAGE[] =
    "Usage: omptape whatif [--json FILE] ARCHIVE [SCENARIO...]\n"
    "\n"
    "Without a scenario: what is on the critical path, by region, function, phase and\n"
    "thread, and how much each region could shrink before another path takes over.\n"
    "With scenarios: how long the run would take, each alone and all together. The\n"
    "recorded work is executed again on a model of the runtime; the model's error for\n"
    "the unchanged run stands beside. Scenarios:\n"
    "\n"
    "  'for@x.c:40 x0.5'     work within the region takes half of its time; also\n"
    "                        'solver x0.8' (a name of the program's own),\n"
    "                        'serial x0.5'\n"
    "  'kernel@x.c:40 x0.5'  the device's kernels there; also 'kernel x0.5',\n"
    "                        'transfer x0'\n"
    "  'dynamic@x.c:40'      free threads take the loop's iterations;\n"
    "                        'dynamic,8@x.c:40' divides its chunks; also\n"
    "                        'guided@x.c:40', 'static@x.c:40'\n"
    "  'even single@x.c:50'  the team's threads share the region's work evenly\n"
    "  'task@x.c:30 /4'      each task is four of a quarter of its work\n"
    "  'cut-off=6 task@x.c:30'  tasks in six others are calls of their functions\n"
    "  'threads=8'           parallel regions have 8 threads;\n"
    "                        'threads=8 parallel@x.c:5': these\n"
    "  'no-barrier@x.c:60'   no thread waits at this barrier\n"
    "  'no-wait@x.c:70'      nor at this taskwait, or the end of this taskgroup\n"
    "  'no-depend@x.c:30'    these tasks depend on no others\n"
    "  'zero-wait critical@y.c:9'  no thread waits for this lock\n"
    "\n"
    "  --json FILE              the numbers (\"-\": to the standard output)\n"
    "\n"
    "Exit code: 0, or 2 if the archive cannot be read, or cannot answer a scenario.\n";

struct request {
    const char *path;
    const char *const *texts; /* the scenarios as typed */
    int count;
    struct report_file files[REPORT_OUTPUTS];
};

double whatif_error(const struct whatif *whatif)
{
    return whatif->model.wall > 0 ? (double)whatif->wall / (double)whatif->model.wall - 1 : 0;
}

static int simulate_unchanged(struct whatif *whatif)
{
    struct simulate_result result;
    int status = simulate_run(&whatif->model, NULL, !whatif->is_scenario, &result);
    whatif->wall = result.wall;
    whatif->unreproduced_waits = result.forced;
    if (status == 0 && !whatif->is_scenario)
        status = path_find(&whatif->model, &result, &whatif->path);
    free(result.steps);
    return status == 0 && !whatif->is_scenario ? whatif_find_rows(whatif) : status;
}

/* Simulates the combination of the first `count` texts. Returns 0, or negative errno with `error`. */
static int simulate_scenario(struct whatif *whatif, const char *const *texts, int count,
                             struct whatif_scenario *scenario, char *error, size_t bytes)
{
    struct simulate_rule *rules = scenario_rules(&whatif->model);
    struct simulate_result result = {.wall = 0};
    char reason[SCENARIO_ERROR_BYTES] = "out of memory";
    int status = rules != NULL ? 0 : -ENOMEM;
    for (int i = 0; i < count && status == 0; i++)
        status = scenario_apply(&whatif->model, texts[i], rules, reason);
    if (status == 0)
        status = simulate_run(&whatif->model, rules, false, &result);
    if (status != 0)
        (void)snprintf(error, bytes, "%s", reason);
    free(rules);
    scenario->wall = result.wall;
    return status;
}

static int simulate_scenarios(struct whatif *whatif, const struct request *request, char *error, size_t bytes)
{
    int status = 0;
    whatif->scenarios = calloc((size_t)request->count + 1, sizeof(whatif->scenarios[0]));
    if (whatif->scenarios == NULL)
        return -ENOMEM;
    for (int i = 0; i < request->count && status == 0; i++) {
        struct whatif_scenario *scenario = &whatif->scenarios[whatif->scenario_count++];
        scenario->text = request->texts[i];
        scenario->assumption = scenario_assumption(&whatif->model, request->texts[i]);
        status = simulate_scenario(whatif, &request->texts[i], 1, scenario, error, bytes);
    }
    if (status != 0 || request->count < 2)
        return status;
    whatif->scenarios[whatif->scenario_count].text = "all together";
    return simulate_scenario(whatif, request->texts, request->count,
                             &whatif->scenarios[whatif->scenario_count++], error, bytes);
}

static int write_answer(struct request *request, const struct whatif *whatif, FILE *out, char *error,
                        size_t bytes)
{
    struct screen screen = screen_for(STDOUT_FILENO);
    screen.out = out;
    return report_outputs_replace_text(request->files)
               ? report_outputs_write_numbers(request->files, out, whatif_write_numbers, whatif, error, bytes)
               : whatif_print(whatif, &screen);
}

static int answer(void *data, FILE *out, char *error, size_t bytes, struct omptape_reader_progress *progress)
{
    struct request *request = data;
    struct whatif whatif = {.archive = request->path, .is_scenario = request->count > 0};
    struct omptape_reader *reader = NULL;
    int status = omptape_reader_open(&reader, request->path, error, bytes);
    if (status != 0)
        return OMPTAPE_EXIT_ERROR;
    omptape_reader_follow(reader, progress);
    (void)snprintf(error, bytes, "out of memory");
    if (omptape_reader_number_of(reader, -1, OMPTAPE_KEY_PROFILE) > 0)
        status = omptape_fail(error, bytes, -EINVAL,
                              "this is a profile: only a trace has the events that a model needs");
    if (status == 0)
        status = model_build(&whatif.model, reader, &progress->done, error, bytes);
    if (status == 0)
        status = simulate_share_processors(&whatif.model);
    if (status == 0)
        status = simulate_unchanged(&whatif);
    if (status == 0 && whatif.is_scenario)
        status = simulate_scenarios(&whatif, request, error, bytes);
    if (status == 0)
        status = write_answer(request, &whatif, out, error, bytes);
    free(whatif.scenarios);
    path_free(&whatif.path);
    model_free(&whatif.model);
    omptape_reader_close(reader);
    return status == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

int omptape_command_whatif(int argc, char **argv)
{
    struct request request = {.path = NULL};
    const struct usage_option options[] = {
        {.name = "json", .text = &request.files[REPORT_JSON].name, .value = "FILE", .makes_file = true}};
    const struct usage usage = {
        "whatif", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = true};
    struct operands operands;
    report_outputs_init(request.files);
    int parsed = usage_parse_many(&usage, argc, argv, &operands, 1);
    int code = parsed > 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
    if (parsed == 0 && report_outputs_open(request.files, "whatif") == 0) {
        request.path = operands.list[0];
        request.texts = operands.list + 1;
        request.count = operands.count - 1;
        code = omptape_reader_guard("whatif", request.path, answer, &request);
        if (code == OMPTAPE_EXIT_OK && report_outputs_commit(request.files, "whatif") != 0)
            code = OMPTAPE_EXIT_ERROR;
    }
    report_outputs_close(request.files);
    free(operands.list);
    return code;
}
