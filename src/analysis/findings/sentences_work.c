/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the sentences about tasks and tiny regions. Called by sentences.c and sentences_loops.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/tasks.h"
#include "src/core/short_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Describes the time that threads waited for the creation of tasks, or for the runtime to pass them on. */
static void describe_starved(const struct analysis_state *state, const struct omptape_finding *finding,
                             const struct analysis_task_site *site, char *text, size_t bytes)
{
    const struct analysis_tasks *tasks = &site->result;
    const uint64_t cost =
        omptape_findings_are_fine(state, site) ? omptape_plus(tasks->creation, tasks->handling) : 0;
    static const char *const whiles[][2] = {
        {"while some are queued", "while it is queued"},
        {"while each runs where it is created", "while it runs where it is created"},
        {"for the next one to be created", "for it to be created"}};
    const bool are_queued = 2 * site->unserved > tasks->starved;
    const int why = are_queued ? 0 : omptape_tasks_run_where_created(site) ? 1 : 2;
    const uint64_t waited = finding->gain_of_others > 0 ? 0 : omptape_minus(finding->cost, cost);
    text[0] = '\0';
    if (waited > cost / 100)
        snprintf(text, bytes, "; threads wait %s in all %s", omptape_time_text(state, (double)waited),
                 whiles[why][omptape_tasks_executed(tasks) == 1]);
}

/* Proposes tasks with the work of several of these, TASK_NS each: creating and handling such a task takes a
 * fiftieth of its work or less. Each thread must still have TASKS of them. */
static const char *describe_larger(struct analysis_state *state, const struct analysis_task_site *site)
{
    enum { TASK_NS = 50000, TASKS = 8 };
    const struct analysis_tasks *tasks = &site->result;
    const double grain = (double)tasks->grain.sum / (double)tasks->grain.count * state->ns_per_tick;
    const double threads = site->threads > 1 ? (double)site->threads : 2;
    const double most = (double)omptape_tasks_executed(tasks) / ((double)TASKS * threads);
    const double wanted = (double)TASK_NS / (grain > 1 ? grain : 1);
    const double times = wanted < most ? wanted : most;
    if (times < 2)
        return "fewer and larger tasks";
    return omptape_sentence(state,
                            "tasks that do the work of %.0f of these: below some size call the function "
                            "itself, or grainsize() of a taskloop",
                            times);
}

/* Writes the sentence for tasks that cost a good part of their work; `each` is the cost of each part. If only
 * the waiting counts, the sentence leaves this cost out. Untied tasks are often suspended when they create
 * others, so a task that only creates has many parts. */
static void describe_fine(struct analysis_state *state, struct omptape_finding *finding,
                          const struct analysis_task_site *site, const char *each)
{
    const struct analysis_tasks *tasks = &site->result;
    const bool has_cost = omptape_findings_are_fine(state, site) || finding->gain_of_others > 0;
    const char *cost =
        has_cost ? omptape_sentence(state, "; to create, find and switch to one takes %s", each) : "";
    uint64_t count = omptape_tasks_executed(tasks);
    uint64_t parts = tasks->grain.count;
    char starved[TEXT_BYTES / 4];
    const char *grain = omptape_time_text(state, (double)tasks->grain.sum / (double)parts);
    describe_starved(state, finding, site, starved, sizeof(starved));
    if (parts / 2 < count) {
        const bool has_others = finding->gain_of_others > 0;
        finding->text = omptape_sentence(state, "%s task%s of %s%s%s%s%s", omptape_count_text(state, count),
                                         count == 1 ? "" : "s", grain, count == 1 ? "" : " each",
                                         has_others ? ", and others in this function" : "", cost, starved);
        finding->proposal = count > 1 || has_others ? describe_larger(state, site) : "";
        return;
    }
    finding->text =
        omptape_sentence(state, "%s untied task%s put aside and taken up again: %s parts of %s each%s%s",
                         omptape_count_text(state, count), count == 1 ? " is" : "s are",
                         omptape_count_text(state, parts), grain, cost, starved);
    finding->proposal = "without untied; or fewer and larger tasks";
}

/* Smaller tasks would cost more than their work. */
static const char *propose_more(const struct analysis_state *state, const struct analysis_task_site *site)
{
    const double least = 20000;
    const struct analysis_tasks *tasks = &site->result;
    if ((double)tasks->grain.sum * state->ns_per_tick >= least * (double)tasks->grain.count)
        return "more and smaller tasks before they are waited for";
    return site->created_inside > tasks->created / 2
               ? "fewer and larger tasks"
               : "fewer and larger tasks, or let all threads create them";
}

/* Describes a graph of tasks in which several may run at a time for the most part. False for others. */
static bool describe_graph(const struct analysis_state *state, struct omptape_finding *finding,
                           const char *waited)
{
    const double chain_like = 1.25;
    const struct analysis_graph graph = omptape_findings_graph(state, finding);
    const double parallelism = graph.chain > 0 ? (double)graph.work / (double)graph.chain : 0;
    if (parallelism < chain_like)
        return false;
    if (parallelism < graph.threads) {
        finding->text = omptape_sentence(
            state,
            "the graph of these tasks has a parallelism of %.1f (work by longest chain), too little for %u "
            "threads: they wait %s in all for a task that they may begin",
            parallelism, graph.threads, waited);
        finding->proposal = "smaller tasks, or fewer dependences";
        return true;
    }
    finding->text = omptape_sentence(
        state,
        "threads wait %s in all for a task that they may begin, though the graph of these tasks has a "
        "parallelism of %.1f (work by longest chain), enough for %u threads: at its begin and end fewer may "
        "run, and the runtime may hand tasks on late",
        waited, parallelism, graph.threads);
    finding->proposal = "";
    return true;
}

void omptape_describe_tasks(struct analysis_state *state, struct omptape_finding *finding)
{
    const char *waited = omptape_time_text(state, (double)finding->waited);
    for (uint32_t i = 0; i < state->task_sites.count; i++) {
        const struct analysis_task_site *site = state->task_sites.list[i].value;
        if (site->result.region != finding->region || site->result.grain.count == 0)
            continue;
        uint64_t count = omptape_tasks_executed(&site->result);
        const char *grain = omptape_time_text(state, (double)site->result.grain.sum / (double)count);
        const char *cost = omptape_time_text(state, (double)(site->result.creation + site->result.handling) /
                                                        (double)site->result.grain.count);
        if (finding->kind == OMPTAPE_FINDING_FINE_TASKS) {
            describe_fine(state, finding, site, cost);
        } else if (finding->kind == OMPTAPE_FINDING_IMBALANCE) {
            finding->text = omptape_sentence(
                state, "a task takes %s on average, the longest %s: threads wait %s in all for the last ones",
                grain, omptape_time_text(state, (double)site->result.grain.longest), waited);
            finding->proposal = "split the longest tasks, or create them first";
        } else if (describe_graph(state, finding, waited)) {
            return;
        } else if (omptape_tasks_are_chain(&site->result)) {
            finding->text =
                omptape_sentence(state,
                                 "%s tasks of %s run one after another while threads wait %s in all "
                                 "for one that they may begin",
                                 omptape_count_text(state, count), grain, waited);
        } else if (count == 1) {
            finding->text = omptape_sentence(state, "one task of %s: threads wait %s in all while it runs",
                                             grain, waited);
            finding->proposal = "split it, or let it begin earlier";
        } else {
            finding->text =
                omptape_sentence(state,
                                 "%s tasks of %s, too few at a time: threads wait %s in all while the "
                                 "last ones run",
                                 omptape_count_text(state, count), grain, waited);
            finding->proposal = propose_more(state, site);
        }
        return;
    }
}

void omptape_describe_tiny(struct analysis_state *state, struct omptape_finding *finding)
{
    char function[OMPTAPE_SHORT_NAME_BYTES];
    struct analysis_parallel sum = {0};
    uint32_t places = 0;
    bool one_function = finding->region->function[0] != '\0';
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        if (parallel->tiny_with != finding->region)
            continue;
        places++;
        omptape_add(&sum.instances, parallel->instances);
        omptape_add(&sum.wall, parallel->usual_wall);
        omptape_add(&sum.useful, parallel->usual_useful);
        sum.threads = parallel->threads > sum.threads ? parallel->threads : sum.threads;
        one_function = one_function && strcmp(parallel->region->function, finding->region->function) == 0;
    }
    if (sum.instances == 0)
        return;
    const struct analysis_parallel *this = omptape_analysis_of_region(&state->parallels, finding->region);
    if (this != NULL && this->threads == 1)
        finding->proposal =
            "it has one thread, as it is within another region: leave it out, or collapse() both";
    else if (this != NULL && this->outer > 1)
        finding->proposal = "it lies within another region: OMP_MAX_ACTIVE_LEVELS=1, or collapse() both";
    else if (this != NULL && this->is_better_alone)
        finding->proposal = "no parallel region where there is so little work: if()";
    const char *time = omptape_time_text(state, (double)sum.wall / (double)sum.instances);
    const char *each = omptape_time_text(state, (double)sum.useful / (double)sum.instances);
    omptape_short_name_of_function(finding->region->function, function);
    if (places == 1)
        finding->text = omptape_sentence(state, "%s instances take %s each for %s of work in each thread",
                                         omptape_count_text(state, sum.instances), time, each);
    else
        finding->text = omptape_sentence(
            state,
            "%s instances of %u tiny regions%s%s take %s each for %s of work in each thread; this "
            "one costs most",
            omptape_count_text(state, sum.instances), places, one_function ? " in " : "",
            one_function ? function : "", time, each);
}
