/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads scenarios (scenario.h).
 */
#include "src/model/scenario.h"

#include "src/core/buckets.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, MOST_ALTERNATIVES = 5 };

static bool is_any(enum omptape_region_kind kind)
{
    return kind != OMPTAPE_REGION_PROGRAM;
}

static bool is_loop(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_LOOP || kind == OMPTAPE_REGION_SECTIONS;
}

static bool is_lock(enum omptape_region_kind kind)
{
    return omptape_region_is_lock(kind);
}

enum action { SCALE, IN_TURN, NO_BARRIER, ZERO_WAIT, ACTIONS };

static const struct {
    const char *word;
    const char *regions; /* what it is for */
    bool (*is_for)(enum omptape_region_kind kind);
} actions[ACTIONS] = {
    [SCALE] = {NULL, "region", is_any},
    [IN_TURN] = {"dynamic", "loop", is_loop},
    [NO_BARRIER] = {"no-barrier", "barrier", omptape_region_is_barrier},
    [ZERO_WAIT] = {"zero-wait", "lock", is_lock},
};

struct scenario {
    enum action action;
    double factor;
    char target[NAME_BYTES]; /* without blanks around "@": "for@x.c:40", or "@x.c:40" for all there */
};

/* Copies without blanks at the ends and around "@". */
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

/* "REGION xFACTOR": the factor behind the last blank. */
static bool read_factor(const char *text, struct scenario *scenario)
{
    const char *blank = strrchr(text, ' ');
    char *end;
    if (blank == NULL || blank[1] != 'x' || (!isdigit((unsigned char)blank[2]) && blank[2] != '.'))
        return false;
    scenario->factor = strtod(blank + 2, &end);
    if (*end != '\0' || !(scenario->factor >= 0) || scenario->factor > 1e6)
        return false;
    copy_name(scenario->target, text, (size_t)(blank - text));
    return true;
}

static int read_text(const char *text, struct scenario *scenario, char *error)
{
    char line[NAME_BYTES];
    copy_name(line, text, strlen(text));
    *scenario = (struct scenario){.action = SCALE, .factor = 1};
    if (read_factor(line, scenario))
        return 0;
    for (int i = SCALE + 1; i < ACTIONS; i++) {
        const size_t bytes = strlen(actions[i].word);
        if (strncmp(line, actions[i].word, bytes) == 0 && (line[bytes] == '@' || line[bytes] == ' ')) {
            scenario->action = (enum action)i;
            copy_name(scenario->target, line + bytes, strlen(line + bytes));
            return 0;
        }
    }
    (void)snprintf(error, SCENARIO_ERROR_BYTES,
                   "\"%.200s\" is no scenario: one is \"REGION xFACTOR\", \"dynamic@FILE:LINE\", "
                   "\"no-barrier@FILE:LINE\" or \"zero-wait REGION\"",
                   text);
    return -EINVAL;
}

static bool is_meant(const struct scenario *scenario, const struct omptape_definition *region)
{
    char name[NAME_BYTES];
    if (!actions[scenario->action].is_for(region->region->kind))
        return false;
    if (scenario->target[0] == '@')
        return region->region->site != NULL && strcmp(region->region->site, scenario->target + 1) == 0;
    copy_name(name, region->region->label, strlen(region->region->label));
    return strcmp(name, scenario->target) == 0;
}

/* How much of the target a region's name has: the site, the construct, the file; 0: nothing. */
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

/* Each region once: is it the place with the lowest number that has it? */
static bool is_first(const struct model *model, uint32_t place)
{
    for (uint32_t i = 1; i < place; i++)
        if (model->places.list[i].region == model->places.list[place].region)
            return false;
    return true;
}

/* "; it has for@x.c:40, for@x.c:50" */
static void name_alternatives(const struct model *model, const struct scenario *scenario, char *error)
{
    enum { MOST_LIKE = 7, MOST_PLACES = 1000 };
    const uint32_t count = model->places.count < MOST_PLACES ? model->places.count : MOST_PLACES;
    char name[NAME_BYTES];
    int named = 0;
    size_t length = strlen(error);
    for (int like = MOST_LIKE; like >= 0; like--) {
        for (uint32_t i = 1; i < count && named < MOST_ALTERNATIVES; i++) {
            const struct reader_region *region = model->places.list[i].region->region;
            copy_name(name, region->label, strlen(region->label));
            if (!actions[scenario->action].is_for(region->kind) || likeness(scenario, name) != like ||
                !is_first(model, i) || length + NAME_BYTES >= SCENARIO_ERROR_BYTES)
                continue;
            length += (size_t)snprintf(error + length, SCENARIO_ERROR_BYTES - length, "%s%s",
                                       named++ == 0 ? "; there is " : ", ", name);
        }
    }
}

/* Do threads do more than work in a part of this loop that has no chunks? */
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

/* Can the record say what another schedule would do? */
static int check_loops(const struct model *model, const struct scenario *scenario, char *error)
{
    for (uint32_t i = 0; i < model->loops.count; i++) {
        const struct model_loop *loop = &model->loops.list[i];
        if (has_chunks(loop) || loop->place == 0 ||
            !is_meant(scenario, model->places.list[loop->place].region) || !is_mixed(model, loop))
            continue;
        (void)snprintf(error, SCENARIO_ERROR_BYTES,
                       "%.200s: the record has only each thread's part of this loop, and threads wait within "
                       "it; a run with schedule(dynamic) would have its chunks",
                       scenario->target);
        return -EINVAL;
    }
    return 0;
}

static void change(struct simulate_rule *rule, const struct scenario *scenario)
{
    if (scenario->action == IN_TURN)
        rule->loop = SIMULATE_IN_TURN;
    else if (scenario->action != SCALE)
        rule->no_wait = true;
}

static bool scale(const struct model *model, const struct scenario *scenario, struct simulate_rule *rules,
                  uint32_t place)
{
    uint32_t around = place;
    while (around != 0 && !is_meant(scenario, model->places.list[around].region))
        around = model->places.list[around].parent;
    if (around != 0)
        rules[place].factor *= scenario->factor;
    return around != 0;
}

int scenario_apply(const struct model *model, const char *text, struct simulate_rule *rules,
                   char error[SCENARIO_ERROR_BYTES])
{
    struct scenario scenario;
    bool is_found = false;
    if (read_text(text, &scenario, error) != 0)
        return -EINVAL;
    for (uint32_t i = 1; i < model->places.count; i++) {
        if (scenario.action == SCALE) {
            is_found |= scale(model, &scenario, rules, i);
        } else if (is_meant(&scenario, model->places.list[i].region)) {
            change(&rules[i], &scenario);
            is_found = true;
        }
    }
    if (is_found)
        return scenario.action == IN_TURN ? check_loops(model, &scenario, error) : 0;
    (void)snprintf(error, SCENARIO_ERROR_BYTES, "\"%.200s\": the archive has no such %s", text,
                   actions[scenario.action].regions);
    name_alternatives(model, &scenario, error);
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
    if (scenario.action == NO_BARRIER)
        return "Whether the threads need this barrier's order is not in the record.";
    if (scenario.action == ZERO_WAIT)
        return "The work that the lock protects is taken to need no protection.";
    for (uint32_t i = 0; scenario.action == IN_TURN && i < model->loops.count; i++)
        if (!has_chunks(&model->loops.list[i]) && model->loops.list[i].place != 0 &&
            is_meant(&scenario, model->places.list[model->loops.list[i].place].region))
            return "The record has only each thread's total of this loop: its iterations are taken to be "
                   "short, and to cost nothing to hand out.";
    return NULL;
}
