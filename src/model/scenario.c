/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses scenarios and converts them to rules (scenario.h).
 */
#include "src/model/scenario.h"

#include "src/core/buckets.h"
#include "src/core/message.h"
#include "src/core/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, MAX_ALTERNATIVES = 5 };

static bool is_any(enum omptape_region_kind kind)
{
    return kind != OMPTAPE_REGION_PROGRAM && kind != OMPTAPE_REGION_TASK_CREATE;
}

static bool is_team(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_PARALLEL;
}

static bool is_loop(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_LOOP || kind == OMPTAPE_REGION_SECTIONS;
}

static bool is_wait(enum omptape_region_kind kind)
{
    return omptape_region_is_barrier(kind) || kind == OMPTAPE_REGION_TASKWAIT ||
           kind == OMPTAPE_REGION_TASKWAIT_WAIT; /* also inside a taskgroup */
}

/* Rules for tasks apply to the place of their creation. */
static bool is_creation(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_TASK_CREATE;
}

static bool is_worksharing(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_LOOP;
}

static const char CHUNKS_STAY[] =
    "Recorded chunks are not divided: the shorter they were, the better this is.";

enum action {
    SCALE,
    DIVIDE,
    CUT_OFF,
    IN_TURN,
    GUIDED,
    STATIC,
    NO_BARRIER,
    NO_WAIT,
    ZERO_WAIT,
    NO_DEPEND,
    EVEN,
    THREADS,
    ACTIONS
};

static const struct {
    const char *word;    /* NULL if a number after the region names the action */
    const char *regions; /* kind of region, for messages */
    bool (*is_for)(enum omptape_region_kind kind);
    const char *assumption; /* NULL if there is none or it depends on the loop */
} actions[ACTIONS] = {
    [SCALE] = {NULL, "region", is_any, NULL},
    [DIVIDE] = {NULL, "task", is_creation,
                "The parts of a task are taken to be equal, and free of each other."},
    [CUT_OFF] = {"cut-off", "task", is_creation,
                 "A task below the cut-off is taken to cost no more than a call of its function."},
    [IN_TURN] = {"dynamic", "loop", is_loop, NULL},
    [GUIDED] = {"guided", "loop", is_worksharing, CHUNKS_STAY},
    [STATIC] = {"static", "loop", is_worksharing, CHUNKS_STAY},
    [NO_BARRIER] = {"no-barrier", "barrier", omptape_region_is_barrier,
                    "Whether the threads need this barrier's order is not in the record."},
    [NO_WAIT] = {"no-wait", "barrier, taskwait or taskgroup", is_wait,
                 "Whether the program needs this wait's order is not in the record."},
    [ZERO_WAIT] = {"zero-wait", "lock", omptape_region_is_lock,
                   "The work that the lock protects is taken to need no protection."},
    [NO_DEPEND] = {"no-depend", "task", is_creation,
                   "The tasks are taken to need none of what they wait for."},
    [EVEN] = {"even", "region", is_any, "The work is taken to be divisible among the threads of the team."},
    [THREADS] = {"threads", "parallel region", is_team,
                 "Each thread is taken to have a processor, and the work to take no longer there."},
};

/* How loops are executed by actions that change their schedule; SIMULATE_AS_RECORDED for the others. */
static const enum simulate_loop schedules[ACTIONS] = {
    [IN_TURN] = SIMULATE_IN_TURN, [GUIDED] = SIMULATE_GUIDED, [STATIC] = SIMULATE_STATIC};

struct scenario {
    enum action action;
    double factor;                 /* factor of SCALE */
    uint32_t number;               /* number of DIVIDE, CUT_OFF and THREADS, or a schedule's chunk size */
    enum omptape_device_work work; /* of SCALE: the target is all such work of devices, or that at a site */
    bool *is_combined;             /* of THREADS: which places are combined constructs (find_combined) */
    char target[NAME_BYTES]; /* without blanks around "@": "for@x.c:40", or "@x.c:40" for everything there */
};

/* Target that stands for all work outside of parallel regions. */
static const char SERIAL[] = "serial";

/* Copies a name without blanks at its ends and around "@". */
static void copy_name(char name[NAME_BYTES], const char *text, size_t bytes)
{
    size_t length = 0;
    for (size_t i = 0; i < bytes && length + 1 < NAME_BYTES; i++) {
        const bool is_blank = isspace((unsigned char)text[i]) != 0;
        if (is_blank && (length == 0 || name[length - 1] == '@'))
            continue;
        while (text[i] == '@' && length > 0 && name[length - 1] == ' ')
            length--;
        name[length++] = is_blank ? ' ' : text[i];
    }
    while (length > 0 && name[length - 1] == ' ')
        length--;
    name[length] = '\0';
}

/* Parses an integer from 1 on; *end receives the text after it. Returns 0 if there is none. */
static uint32_t read_number(const char *text, char **end)
{
    const unsigned long most = 1000000;
    const unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, end, 10) : 0;
    return number <= most ? (uint32_t)number : 0;
}

/* Parses "REGION xFACTOR" or "REGION /NUMBER"; the change follows the last blank. */
static bool read_change(const char *text, struct scenario *scenario)
{
    const char *blank = strrchr(text, ' ');
    char *end = NULL;
    if (blank == NULL)
        return false;
    copy_name(scenario->target, text, (size_t)(blank - text));
    if (blank[1] == '/') {
        const char *site = strchr(scenario->target, '@');
        scenario->action = DIVIDE;
        scenario->number = read_number(blank + 2, &end);
        if (site != NULL)
            memmove(scenario->target, site, strlen(site) + 1);
        return scenario->number > 0 && *end == '\0';
    }
    if (blank[1] != 'x' || (!isdigit((unsigned char)blank[2]) && blank[2] != '.'))
        return false;
    scenario->factor = strtod(blank + 2, &end);
    return *end == '\0' && scenario->factor >= 0 && scenario->factor <= 1e6;
}

static bool is_schedule(enum action action)
{
    return schedules[action] != SIMULATE_AS_RECORDED;
}

static bool has_number(enum action action)
{
    return action == THREADS || action == CUT_OFF;
}

/* Parses "dynamic@SITE", "zero-wait REGION", "dynamic,8@SITE", "threads=8" or "threads=8 REGION". */
static bool read_action(const char *text, enum action action, struct scenario *scenario)
{
    const size_t bytes = strlen(actions[action].word);
    char *rest = NULL;
    if (strncmp(text, actions[action].word, bytes) != 0)
        return false;
    text += bytes;
    if (*text == ',' && is_schedule(action)) {
        scenario->number = read_number(text + 1, &rest);
        if (scenario->number == 0)
            return false;
        text = rest;
    }
    if (*text == '=' && has_number(action)) {
        scenario->number = read_number(text + 1, &rest);
        text = scenario->number > 0 ? rest : "";
    }
    if (has_number(action) != (scenario->number > 0 && !is_schedule(action)) ||
        (*text != '@' && *text != ' ' && (*text != '\0' || !has_number(action))))
        return false;
    scenario->action = action;
    copy_name(scenario->target, text, strlen(text));
    const char *site = strchr(scenario->target, '@');
    if ((action == NO_DEPEND || action == CUT_OFF) && site != NULL)
        memmove(scenario->target, site, strlen(site) + 1);
    return true;
}

static int read_text(const char *text, struct scenario *scenario, char *error)
{
    char line[NAME_BYTES];
    copy_name(line, text, strlen(text));
    for (int i = 0; i < ACTIONS; i++) {
        *scenario = (struct scenario){.action = SCALE, .factor = 1};
        if (actions[i].word != NULL && read_action(line, (enum action)i, scenario))
            return 0;
    }
    *scenario = (struct scenario){.action = SCALE, .factor = 1};
    if (read_change(line, scenario))
        return 0;
    return omptape_fail(error, SCENARIO_ERROR_BYTES, -EINVAL,
                        "\"%.200s\" is no scenario: one is \"REGION xFACTOR\", \"dynamic@FILE:LINE\", "
                        "\"no-barrier@FILE:LINE\" or the like (omptape whatif --help lists all)",
                        text);
}

/* Returns the work of devices that a target names, "kernel" or "transfer", perhaps with a site. */
static enum omptape_device_work read_device_work(const char *target)
{
    static const struct {
        const char *word;
        enum omptape_device_work work;
    } words[] = {{"kernel", OMPTAPE_DEVICE_KERNEL}, {"transfer", OMPTAPE_DEVICE_TRANSFER}};
    const size_t length = strcspn(target, "@");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i].word) == length && strncmp(target, words[i].word, length) == 0)
            return words[i].work;
    return OMPTAPE_DEVICE_OTHER;
}

static bool is_device_work(const struct omptape_definition *region, enum omptape_device_work work)
{
    const enum omptape_region_kind kind = region->region->kind;
    return omptape_reader_device_work(region) == work && kind != OMPTAPE_REGION_USER &&
           kind != OMPTAPE_REGION_PROGRAM && kind != OMPTAPE_REGION_MPI;
}

/* Finds out whether the target is work of devices. The program may have a region of its own with such a name,
 * which is meant where the archive has no such work. */
static void find_device_work(const struct model *model, struct scenario *scenario)
{
    const enum omptape_device_work work = read_device_work(scenario->target);
    for (uint32_t i = 1; i < model->places.count && work != OMPTAPE_DEVICE_OTHER; i++)
        if (is_device_work(model->places.list[i].region, work))
            scenario->work = work;
}

static bool is_meant(const struct scenario *scenario, const struct omptape_definition *region)
{
    char name[NAME_BYTES];
    if (!actions[scenario->action].is_for(region->region->kind))
        return false;
    if (scenario->target[0] == '\0')
        return true;
    const char *site = strchr(scenario->target, '@');
    if (scenario->work != OMPTAPE_DEVICE_OTHER && !is_device_work(region, scenario->work))
        return false;
    if (scenario->work != OMPTAPE_DEVICE_OTHER || site == scenario->target)
        return site == NULL || (region->region->site != NULL && strcmp(region->region->site, site + 1) == 0);
    copy_name(name, region->region->label, strlen(region->region->label));
    return strcmp(name, scenario->target) == 0;
}

/* Returns how similar a region's name is to the target, by site, construct and file; 0 if not at all. */
static int likeness(const struct scenario *scenario, const char *name)
{
    const char *wanted = strchr(scenario->target, '@');
    const char *site = strchr(name, '@');
    if (wanted == NULL || site == NULL)
        return strncmp(name, scenario->target, 3) == 0 ? 1 : 0;
    const size_t file = strcspn(wanted, ":");
    const size_t construct = (size_t)(wanted - scenario->target);
    const bool same_construct =
        (size_t)(site - name) == construct && strncmp(name, scenario->target, construct) == 0;
    return 4 * (strcmp(site, wanted) == 0) + 2 * same_construct + (strncmp(site, wanted, file + 1) == 0);
}

/* Returns true for the first place of each region, so that each region is listed once. */
static bool is_first(const struct model *model, uint32_t place)
{
    for (uint32_t i = 1; i < place; i++)
        if (model->places.list[i].region == model->places.list[place].region)
            return false;
    return true;
}

/* Appends the most similar regions to the error: "; there is for@x.c:40, for@x.c:50". */
static void name_alternatives(const struct model *model, const struct scenario *scenario, char *error)
{
    enum { MAX_SIMILARITY = 7, MAX_PLACES = 1000 };
    const uint32_t count = model->places.count < MAX_PLACES ? model->places.count : MAX_PLACES;
    char name[NAME_BYTES];
    int named = 0;
    for (int like = MAX_SIMILARITY; like >= 0; like--) {
        for (uint32_t i = 1; i < count && named < MAX_ALTERNATIVES; i++) {
            const struct reader_region *region = model->places.list[i].region->region;
            copy_name(name, region->label, strlen(region->label));
            if (!actions[scenario->action].is_for(region->kind) || likeness(scenario, name) != like ||
                !is_first(model, i) || strlen(error) + NAME_BYTES >= SCENARIO_ERROR_BYTES)
                continue;
            omptape_append(error, SCENARIO_ERROR_BYTES, "%s%s", named++ == 0 ? "; there is " : ", ", name);
        }
    }
}

/* Appends another kind of region at the target's site to the error: "; at x.c:40 is parallel@x.c:40". Static
 * loops of gcc, for example, leave no events. */
static void name_others(const struct model *model, const struct scenario *scenario, char *error)
{
    const char *site = strchr(scenario->target, '@');
    const size_t length = strlen(error);
    char name[NAME_BYTES];
    for (uint32_t i = 1; site != NULL && i < model->places.count; i++) {
        const struct reader_region *region = model->places.list[i].region->region;
        if (region->site == NULL || strcmp(region->site, site + 1) != 0 ||
            region->kind == OMPTAPE_REGION_TASK_CREATE || actions[scenario->action].is_for(region->kind))
            continue;
        copy_name(name, region->label, strlen(region->label));
        (void)snprintf(
            error + length, SCENARIO_ERROR_BYTES - length, "; at %.100s is %.100s%s", site + 1, name,
            is_schedule(scenario->action) ? " (gcc's static loops are not recorded: \"even REGION\" "
                                            "shares the region's work out)"
                                          : "");
        return;
    }
}

/* Returns true if a thread's part of the loop contains more than work and chunks, and is indivisible. */
static bool is_mixed(const struct model *model, const struct model_loop *loop)
{
    for (uint32_t i = loop->part; i != MODEL_NONE; i = model->parts.list[i].next) {
        uint32_t op = model->ops.list[model->parts.list[i].first].next;
        for (; op != MODEL_NONE && model->ops.list[op].kind != MODEL_LOOP_END; op = model->ops.list[op].next)
            if (model->ops.list[op].kind != MODEL_WORK && model->ops.list[op].kind != MODEL_SAMPLE &&
                model->ops.list[op].kind != MODEL_CHUNK)
                return true;
    }
    return false;
}

static bool has_chunks(const struct model_loop *loop)
{
    return loop->schedule != MODEL_STATIC && loop->chunk != MODEL_NONE;
}

/* Checks that the recording supports a prediction for another schedule. Returns 0, or -EINVAL with
 * `error`. */
static int check_loops(const struct model *model, const struct scenario *scenario, char *error)
{
    for (uint32_t i = 0; i < model->loops.count; i++) {
        const struct model_loop *loop = &model->loops.list[i];
        if (has_chunks(loop) || loop->place == 0 ||
            !is_meant(scenario, model->places.list[loop->place].region) ||
            (scenario->action != STATIC && !is_mixed(model, loop)))
            continue;
        (void)snprintf(error, SCENARIO_ERROR_BYTES,
                       "%.200s: the record has only each thread's part of this loop%s; a run with "
                       "schedule(dynamic) would have its chunks",
                       scenario->target, scenario->action != STATIC ? ", and threads wait within it" : "");
        return -EINVAL;
    }
    return 0;
}

/* Finds the parallel regions that have a loop or sections at their own line. In such a combined construct all
 * other work is the runtime's. Returns an array by place, which the caller frees, or NULL. */
static bool *find_combined(const struct model *model)
{
    bool *found = calloc(model->places.count + 1U, sizeof(*found));
    for (uint32_t i = 1; i < model->places.count && found != NULL; i++) {
        const struct reader_region *region = model->places.list[i].region->region;
        const uint32_t parent = model->places.list[i].parent;
        const char *site = parent != 0 ? model->places.list[parent].region->region->site : NULL;
        found[parent] |=
            site != NULL && is_loop(region->kind) && region->site != NULL && strcmp(region->site, site) == 0;
    }
    return found;
}

/* Returns true if the place is in a task. In a thread's own strand it is one that its creator executed like a
 * call. */
static bool is_in_task(const struct model *model, uint32_t place)
{
    while (place != 0 && model->places.list[place].region->region->kind != OMPTAPE_REGION_TASK)
        place = model->places.list[place].parent;
    return place != 0;
}

/* Returns a strand's work in teams outside of loops and similar constructs, which cannot be redistributed.
 * Adds all its work in teams to *all. */
static double own_work(const struct model *model, const struct scenario *scenario, uint32_t strand,
                       double *all)
{
    double sum = 0;
    uint32_t loop = MODEL_NONE;
    uint32_t place = 0;
    bool is_own = false;
    for (uint32_t i = model->strands.list[strand].first; i != MODEL_NONE; i = model->ops.list[i].next) {
        const struct model_op *op = &model->ops.list[i];
        if (op->kind == MODEL_TEAM_BEGIN && place != model->teams.list[op->arg].region) {
            place = model->teams.list[op->arg].region;
            is_own = !scenario->is_combined[place];
        }
        if (op->kind == MODEL_LOOP_BEGIN && loop == MODEL_NONE)
            loop = op->arg;
        if (op->kind == MODEL_LOOP_END && loop == op->arg)
            loop = MODEL_NONE;
        if (op->kind != MODEL_WORK || place == 0 || !is_meant(scenario, model->places.list[place].region) ||
            !model_is_within(model, op->place, model->places.list[place].region))
            continue;
        *all += (double)op->ns;
        const bool is_shared = loop != MODEL_NONE && !is_in_task(model, op->place);
        sum += is_own && !is_shared ? (double)op->ns : 0;
    }
    return sum;
}

/* Checks that the trace supports a prediction for teams of another size. Returns 0, or -EINVAL with
 * `error`. */
static int check_teams(const struct model *model, const struct scenario *scenario, char *error)
{
    const double most = 0.1;
    const double percent = 100;
    double all = 0;
    double own = 0;
    for (uint32_t i = 0; i < model->threads.count; i++)
        own += own_work(model, scenario, model->threads.list[i].strand, &all);
    for (uint32_t i = 0; i < model->strands.count; i++) /* strands of tasks */
        for (uint32_t op = model->strands.list[i].first;
             model->strands.list[i].parent != MODEL_NONE && op != MODEL_NONE; op = model->ops.list[op].next)
            all += model->ops.list[op].kind == MODEL_WORK ? (double)model->ops.list[op].ns : 0;
    if (own <= most * all)
        return 0;
    (void)snprintf(
        error, SCENARIO_ERROR_BYTES,
        "threads=%u: %.0f %% of the work in parallel regions is in no loop, section, single or task that "
        "others could take: the record does not say how other threads would share it",
        scenario->number, percent * own / all);
    return -EINVAL;
}

static void change(struct simulate_rule *rule, const struct scenario *scenario)
{
    switch (scenario->action) {
    case SCALE:
        rule->factor *= scenario->factor;
        break;
    case DIVIDE:
        rule->pieces = scenario->number;
        break;
    case CUT_OFF:
        rule->levels = scenario->number;
        break;
    case IN_TURN:
    case GUIDED:
    case STATIC:
        rule->loop = schedules[scenario->action];
        rule->chunk = scenario->number;
        break;
    case THREADS:
        rule->threads = scenario->number;
        break;
    case NO_DEPEND:
        rule->no_depend = true;
        break;
    case EVEN:
        rule->is_even = true;
        break;
    default:
        rule->no_wait = true;
        break;
    }
}

/* Returns true if the place is outside of all teams. */
static bool is_serial(const struct model *model, uint32_t place)
{
    for (; place != 0; place = model->places.list[place].parent) {
        const enum omptape_region_kind kind = model->places.list[place].region->region->kind;
        if (kind != OMPTAPE_REGION_PROGRAM && kind != OMPTAPE_REGION_USER)
            return false;
    }
    return true;
}

/* Returns true if the scenario changes the place. Work is also changed in nested regions. */
static bool is_changed(const struct model *model, const struct scenario *scenario, uint32_t place)
{
    if (scenario->action != SCALE && scenario->action != EVEN)
        return place != 0 && is_meant(scenario, model->places.list[place].region);
    if (strcmp(scenario->target, SERIAL) == 0)
        return is_serial(model, place);
    while (place != 0 && !is_meant(scenario, model->places.list[place].region))
        place = model->places.list[place].parent;
    return place != 0;
}

/* Changes the rules. Returns false if no place is meant. */
static bool change_all(const struct model *model, const struct scenario *scenario,
                       struct simulate_rule *rules)
{
    bool is_found = false;
    for (uint32_t i = 0; i < model->places.count; i++) {
        if (is_changed(model, scenario, i)) {
            change(&rules[i], scenario);
            if (scenario->action == THREADS && scenario->number == 1 && scenario->is_combined[i])
                rules[i].factor = 0; /* the runtime has nothing to share out */
            is_found = true;
        }
    }
    return is_found;
}

int scenario_apply(const struct model *model, const char *text, struct simulate_rule *rules,
                   char error[SCENARIO_ERROR_BYTES])
{
    struct scenario scenario;
    if (read_text(text, &scenario, error) != 0)
        return -EINVAL;
    find_device_work(model, &scenario);
    scenario.is_combined = scenario.action == THREADS ? find_combined(model) : NULL;
    if (scenario.action == THREADS && scenario.is_combined == NULL)
        return omptape_fail(error, SCENARIO_ERROR_BYTES, -ENOMEM, "out of memory");
    const bool is_found = change_all(model, &scenario, rules);
    const int status = !is_found                      ? -EINVAL
                       : is_schedule(scenario.action) ? check_loops(model, &scenario, error)
                       : scenario.action == THREADS   ? check_teams(model, &scenario, error)
                                                      : 0;
    free(scenario.is_combined);
    if (is_found)
        return status;
    if (read_device_work(scenario.target) != scenario.work)
        return omptape_fail(error, SCENARIO_ERROR_BYTES, -EINVAL,
                            "\"%.200s\": the archive has no such work of a device%s", text,
                            model->device > 0 ? " with times of its own: the host alone observed it" : "");
    (void)snprintf(error, SCENARIO_ERROR_BYTES, "\"%.200s\": the archive has no such %s", text,
                   actions[scenario.action].regions);
    name_alternatives(model, &scenario, error);
    name_others(model, &scenario, error);
    return -EINVAL;
}

struct simulate_rule *scenario_rules(const struct model *model)
{
    struct simulate_rule *rules = calloc(model->places.count + 1U, sizeof(*rules));
    for (uint32_t i = 0; rules != NULL && i < model->places.count; i++)
        rules[i].factor = 1;
    return rules;
}

const char *scenario_assumption(const struct model *model, const char *text)
{
    struct scenario scenario;
    char error[SCENARIO_ERROR_BYTES];
    if (read_text(text, &scenario, error) != 0)
        return NULL;
    for (uint32_t i = 0; is_schedule(scenario.action) && i < model->loops.count; i++)
        if (!has_chunks(&model->loops.list[i]) && model->loops.list[i].place != 0 &&
            is_meant(&scenario, model->places.list[model->loops.list[i].place].region))
            return "The record has only each thread's total of this loop: its iterations are taken to be "
                   "short, and to cost nothing to hand out.";
    return actions[scenario.action].assumption;
}
