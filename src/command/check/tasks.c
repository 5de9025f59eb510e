/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies explicit tasks: created once, executed by one location at a time, completed once. A task is
 * identified by the team's comm, the team's instance, the creating thread and the generation.
 */
#include "src/command/check/state.h"
#include "src/core/sort.h"
#include "src/core/whole.h"

#include <inttypes.h>
#include <stdlib.h>

static const char TOPIC[] = "task";

static uint64_t pack_pair(uint64_t upper, uint64_t lower)
{
    return (upper << 32) | (lower & 0xffffffffU);
}

/* Returns `task of thread 1 with generation 7 (instance 2 of comm 3 "x")`. */
static struct check_label describe_task(const struct check *check, const struct check_team *team,
                                        uint32_t instance, uint32_t thread, uint32_t generation)
{
    struct check_label label;
    snprintf(label.text, sizeof(label.text),
             "task of thread %" PRIu32 " with generation %" PRIu32 " (instance %" PRIu32 " of %.100s)",
             thread, generation, instance, check_label(check, OMPTAPE_DEF_COMM, team->comm).text);
    return label;
}

static struct check_label describe_live(const struct check *check, const struct check_task *task)
{
    const struct check_instance *instance = task->instance;
    return describe_task(check, instance->team, instance->number, task->thread, task->generation);
}

/* Returns the team's instance that the location is in (*inside: true), else its last one, else the newest. */
static uint32_t instance_for(const struct check *check, const struct check_team *team,
                             const struct check_location *location, bool *is_member)
{
    *is_member = true;
    for (uint32_t i = location->teams.depth; i-- > 0;)
        if (check_membership(location, i)->team == team)
            return check_membership(location, i)->instance;
    *is_member = false;
    const struct check_member *member = check_member(check, team, location);
    return member != NULL ? member->begins : team->begins;
}

static struct check_instance *find_instance(const struct check *check, const struct check_team *team,
                                            uint32_t number)
{
    return omptape_pairs_get(&check->instances, team->comm, number);
}

static struct check_instance *make_instance(struct check *check, struct check_team *team, uint32_t number)
{
    struct check_instance *instance =
        omptape_calloc(1, sizeof(*instance) + team->size * sizeof(instance->last_generation[0]));
    if (instance == NULL || omptape_pairs_put(&check->instances, team->comm, number, instance) != 0) {
        free(instance);
        return NULL;
    }
    instance->team = team;
    instance->number = number;
    instance->older = team->newest;
    team->newest = instance;
    for (uint32_t i = 0; i < team->member_count; i++)
        instance->ended += team->members[i].ends >= number;
    return instance;
}

/* Frees an instance that all members have left and that has no tasks. */
static void drop_if_over(struct check *check, struct check_instance *instance)
{
    struct check_team *team = instance->team;
    if (instance->live > 0 || instance->number == 0 || instance->ended < team->member_count)
        return;
    struct check_instance **link = &team->newest;
    while (*link != instance)
        link = &(*link)->older;
    *link = instance->older;
    omptape_pairs_remove(&check->instances, team->comm, instance->number);
    free(instance);
}

void check_instance_left(struct check *check, struct check_team *team, uint32_t number)
{
    struct check_instance *instance = find_instance(check, team, number);
    if (instance != NULL) {
        instance->ended++;
        drop_if_over(check, instance);
    }
}

static struct check_task *find_task_in(const struct check *check, const struct check_team *team,
                                       uint32_t instance, const struct check_deferred_event *item)
{
    return omptape_pairs_get(&check->tasks, pack_pair(team->comm, instance),
                             pack_pair(item->first, item->second));
}

/* Returns the living task that the event refers to, or NULL. A location inside the team refers to its own
 * instance (*sure is true). Another location may refer to an earlier one, because a detached task can be
 * completed from outside. */
static struct check_task *find_task(const struct check *check, const struct check_team *team,
                                    const struct check_deferred_event *item, bool *sure)
{
    uint32_t number = instance_for(check, team, item->at.location, sure);
    struct check_task *task = find_task_in(check, team, number, item);
    const struct check_instance *instance = *sure ? NULL : team->newest;
    for (; task == NULL && instance != NULL; instance = instance->older)
        task = find_task_in(check, team, instance->number, item);
    return task;
}

void check_task_detach(struct check_task *task)
{
    struct check_location *runner = task->runner;
    task->runner = NULL;
    if (runner == NULL)
        return;
    if (runner->task == task)
        runner->task = NULL;
    for (uint32_t i = 0; i < runner->teams.depth; i++)
        if (check_membership(runner, i)->outer_task == task)
            check_membership(runner, i)->outer_task = NULL;
}

/* Reports why no living task matches. */
static void report_unknown(struct check *check, const struct check_team *team,
                           const struct check_deferred_event *item)
{
    bool is_member = false;
    uint32_t number = instance_for(check, team, item->at.location, &is_member);
    const struct check_instance *instance = find_instance(check, team, number);
    bool completed = instance != NULL && item->second <= instance->last_generation[item->first];
    check_report(check, TOPIC, "expected a task that is created and not completed, found one %s: %s",
                 completed ? "already completed" : "never created",
                 describe_task(check, team, number, item->first, item->second).text);
}

/* Returns the task that the event refers to. If there is none, reports that unless events are missing. */
static struct check_task *expect_task(struct check *check, const struct check_team *team,
                                      const struct check_deferred_event *item)
{
    bool sure = false;
    struct check_task *task = find_task(check, team, item, &sure);
    if (task == NULL && !check->gaps)
        report_unknown(check, team, item);
    return task;
}

static void create_task(struct check *check, struct check_team *team, const struct check_deferred_event *item)
{
    bool is_member = false;
    uint32_t number = instance_for(check, team, item->at.location, &is_member);
    struct check_label name = describe_task(check, team, number, item->first, item->second);
    const struct check_member *member = check_member(check, team, item->at.location);
    struct check_instance *instance = find_instance(check, team, number);
    if (instance == NULL && (instance = make_instance(check, team, number)) == NULL)
        return;
    if (is_member && member != NULL && member->rank != item->first) {
        check_report(check, TOPIC, "expected this location's thread number %" PRIu32 ", found %s",
                     member->rank, name.text);
    }
    if (item->second <= instance->last_generation[item->first]) {
        check_report(check, TOPIC, "expected a generation above %" PRIu32 ", found one used before: %s",
                     instance->last_generation[item->first], name.text);
        return;
    }
    struct check_task *task = omptape_calloc(1, sizeof(*task));
    if (task == NULL || omptape_pairs_put(&check->tasks, pack_pair(team->comm, number),
                                          pack_pair(item->first, item->second), task) != 0) {
        free(task);
        return;
    }
    *task = (struct check_task){
        .instance = instance, .thread = item->first, .generation = item->second, .created = item->at};
    instance->last_generation[item->first] = item->second;
    instance->live++;
    check->seen.tasks++;
}

static void switch_to_implicit(struct check *check, const struct check_team *team,
                               const struct check_deferred_event *item)
{
    const struct check_member *member = check_member(check, team, item->at.location);
    if (member != NULL && member->rank != item->first) {
        check_report(check, TOPIC,
                     "expected its own implicit task, of thread %" PRIu32 ", found that of thread %" PRIu32,
                     member->rank, item->first);
    }
}

static void switch_to_task(struct check *check, struct check_team *team,
                           const struct check_deferred_event *item)
{
    struct check_location *location = item->at.location;
    if (location->task != NULL) {
        location->task->runner = NULL;
        location->task = NULL;
    }
    if (item->second == 0) {
        switch_to_implicit(check, team, item);
        return;
    }
    struct check_task *task = expect_task(check, team, item);
    if (task == NULL)
        return;
    if (task->runner != NULL) {
        check_report(check, TOPIC, "expected a task that runs nowhere, found one that runs at %.120s: %s",
                     check_label(check, OMPTAPE_DEF_LOCATION, task->runner->definition->id).text,
                     describe_live(check, task).text);
        check_task_detach(task);
    }
    task->runner = location;
    location->task = task;
}

static void complete_task(struct check *check, struct check_team *team,
                          const struct check_deferred_event *item)
{
    struct check_task *task = expect_task(check, team, item);
    if (task == NULL)
        return;
    struct check_instance *instance = task->instance;
    if (task->runner != NULL && task->runner != item->at.location) {
        check_report(check, TOPIC,
                     "expected a task that no other location runs, found one that runs at %.120s: %s",
                     check_label(check, OMPTAPE_DEF_LOCATION, task->runner->definition->id).text,
                     describe_live(check, task).text);
    }
    check_task_detach(task);
    omptape_pairs_remove(&check->tasks, pack_pair(team->comm, instance->number),
                         pack_pair(task->thread, task->generation));
    free(task);
    instance->live--;
    drop_if_over(check, instance);
}

enum check_fit check_task_fit(struct check *check, const struct check_deferred_event *item)
{
    const struct check_team *team = check_team(check, item);
    if (item->kind == OMPTAPE_EVENT_TASK_CREATE || item->second == 0 || team == NULL || !team->usable)
        return CHECK_FITS;
    bool sure = false;
    const struct check_task *task = find_task(check, team, item, &sure);
    if (task == NULL)
        return CHECK_BREAKS;
    if (task->runner != NULL && task->runner != item->at.location)
        return CHECK_OVERLAPS;
    return sure ? CHECK_FITS : CHECK_FITS_LATER;
}

void check_task(struct check *check, const struct check_deferred_event *item)
{
    struct check_team *team = check_team(check, item);
    if (team == NULL || !team->usable)
        return;
    if (item->first >= team->size) {
        check_report(check, TOPIC,
                     "expected a creating thread below %" PRIu32 " (size of %.100s), found %" PRIu32,
                     team->size, check_label(check, OMPTAPE_DEF_COMM, team->comm).text, item->first);
        return;
    }
    if (item->second == 0 && item->kind != OMPTAPE_EVENT_TASK_SWITCH) {
        check_report(check, TOPIC,
                     "expected an explicit task, found generation 0, which is the implicit task's");
        return;
    }
    switch (item->kind) {
    case OMPTAPE_EVENT_TASK_CREATE:
        create_task(check, team, item);
        break;
    case OMPTAPE_EVENT_TASK_SWITCH:
        switch_to_task(check, team, item);
        break;
    default:
        complete_task(check, team, item);
        break;
    }
}

static int compare_creation(const void *left, const void *right)
{
    const struct check_task *one = *(const struct check_task *const *)left;
    const struct check_task *other = *(const struct check_task *const *)right;
    const int order = omptape_order(one->created.time, other->created.time);
    return order != 0 ? order : omptape_order(one->created.number, other->created.number);
}

static void report_unfinished(struct check *check, struct check_task **tasks, size_t count)
{
    omptape_sort(tasks, count, sizeof(struct check_task *), compare_creation);
    for (size_t i = 0; i < count && !check_stopped(check); i++) {
        const struct check_task *task = tasks[i];
        check_report_at(check, TOPIC, &task->created,
                        "expected a ThreadTaskComplete by the end, found none: %s",
                        describe_live(check, task).text);
    }
}

void check_tasks_end(struct check *check)
{
    size_t count = 0;
    struct check_task **tasks = omptape_calloc(check->tasks.count + 1, sizeof(*tasks));
    if (tasks == NULL)
        return;
    for (uint32_t i = 0; i < check->tasks.count; i++)
        tasks[count++] = check->tasks.list[i].value;
    if (!check->ended_early && !check->gaps)
        report_unfinished(check, tasks, count);
    for (size_t i = 0; i < count; i++)
        free(tasks[i]);
    free(tasks);
    omptape_pairs_free(&check->tasks);
}
