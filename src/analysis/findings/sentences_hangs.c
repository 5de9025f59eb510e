/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the sentences about hangs (hangs.h) and their steps for JSON and the page.
 */
#include "src/analysis/findings/hangs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A sentence under construction. */
struct text {
    const struct hangs *hangs;
    char text[TEXT_BYTES];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(text->text + text->used, sizeof(text->text) - text->used, format, arguments);
    va_end(arguments);
    text->used += count > 0 ? (size_t)count : 0;
    text->used = text->used < sizeof(text->text) ? text->used : sizeof(text->text) - 1;
}

static void say_moment(struct text *text, uint64_t time)
{
    const struct omptape_analysis *result = text->hangs->state->result;
    say(text, "%.2f s", (double)omptape_minus(time, result->begin) * text->hangs->state->ns_per_tick / 1e9);
}

static void say_name(struct text *text, const struct hang_node *node)
{
    const bool several = text->hangs->state->result->process_count > 1;
    const bool whole = node->open == NULL || node->open->kind == ANALYSIS_OPEN_MPI || node->thread == NULL ||
                       node->process->threads < 2;
    if (whole && several)
        say(text, "%s", node->process->name);
    else if (node->thread == NULL)
        say(text, "the process");
    else if (several)
        say(text, "%s of %s", node->thread->name, node->process->name);
    else
        say(text, "%s", node->thread->name);
}

static const char *region_name(const struct text *text, uint64_t region)
{
    const struct analysis_region *known =
        region != 0 ? omptape_pairs_get(&text->hangs->state->regions, 0, region - 1) : NULL;
    return known != NULL ? known->shown : "";
}

static void say_whom(struct text *text, const struct hang_node *node)
{
    if (node->next != NULL)
        say_name(text, node->next);
    else if (node->open->untraced > 0)
        say(text, "a process that left no trace");
    if (node->next != NULL && node->open->awaited_count > 1)
        say(text, " and %" PRIu64 " more", node->open->awaited_count - 1);
}

static void say_message(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    say(text, " for a message from ");
    if (open->any)
        say(text, "any");
    else
        say_whom(text, node);
    if (open->has_tag)
        say(text, ", tag %" PRIu64, open->tag);
    say(text, open->any ? ", that nobody sent" : ", that was never sent");
    if (open->other > 0)
        say(text, " (%" PRIu64 " with another tag, %" PRIu64 ", was: nobody received it)", open->other,
            open->other_tag);
}

static void say_lock(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    if (node->next == NULL && open->held_since == 0)
        return;
    if (open->held_since == 0) {
        say(text, " for ");
        say_whom(text, node);
        return;
    }
    say(text, " for a lock that ");
    if (open->doubled)
        say(text, "it has itself");
    else if (node->next != NULL)
        say_name(text, node->next);
    say(text, "%s since ", open->doubled ? "" : " has");
    say_moment(text, open->held_since);
    if (open->held != 0 && open->held != open->region)
        say(text, " by %s", region_name(text, open->held));
}

/* Appends for whom or what the node waits. */
static void say_why(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    if (open->kind == ANALYSIS_OPEN_MPI && open->why == ANALYSIS_OPEN_WHY_MESSAGE) {
        say_message(text, node);
    } else if (open->kind == ANALYSIS_OPEN_MPI && open->why == ANALYSIS_OPEN_WHY_RECEIVE) {
        say(text, " until ");
        say_whom(text, node);
        say(text, " receives a message, tag %" PRIu64, open->tag);
    } else if (open->kind == ANALYSIS_OPEN_LOCK) {
        say_lock(text, node);
    } else if (open->kind != ANALYSIS_OPEN_MPI && node->next == NULL) {
        say(text, " for tasks that nobody executes");
    } else if (node->next != NULL || open->untraced > 0) {
        say(text, open->kind == ANALYSIS_OPEN_TASKS ? " for a task of "
                  : open->locked                    ? " for the lock of a window that is with "
                                                    : " for ");
        say_whom(text, node);
    }
}

static void say_where(struct text *text, const struct hang_node *node)
{
    say(text, node->open->polls ? "asks again and again in %s" : "is in %s",
        region_name(text, node->open->region));
}

/* Returns the node's state for JSON. Whether it sleeps follows from its running time at the kernel's last
 * report. */
static const char *state_of(const struct hang_node *node)
{
    enum { MOSTLY = 500, HARDLY = 100 };
    if (node->open == NULL)
        return "ended";
    if (hang_is_waiting(node))
        return node->open->polls ? "asks" : "waits";
    if (node->open->running > MOSTLY)
        return "computes";
    return node->open->running > 0 && node->open->running <= HARDLY ? "sleeps" : "";
}

/* Appends where a node is that does not wait. */
static void say_work(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    const char *does = state_of(node);
    does = strcmp(does, "computes") == 0 ? "computes" : strcmp(does, "sleeps") == 0 ? "sleeps" : "is";
    if (open == NULL || (open->region == 0 && open->left == 0)) {
        say(text, "%s outside of all that is recorded", does);
    } else if (open->region == 0) {
        say(text, "%s outside of all that is recorded since it left %s at ", does,
            region_name(text, open->left));
        say_moment(text, open->begin);
    } else if (open->why == ANALYSIS_OPEN_WHY_NOTHING) {
        say(text, "is in %s", region_name(text, open->region));
    } else {
        say(text, "%s in %s since ", does, region_name(text, open->region));
        say_moment(text, open->begin);
    }
}

static void say_gone(struct text *text, const struct hang_node *node)
{
    if (node->end == HANG_END_OVER)
        say(text, "has ended normally");
    else if (node->ending != NULL && hang_begins_with(node->ending, "signal "))
        say(text, "was ended by %s", node->ending);
    else
        say(text, "has ended (%s)", node->ending != NULL ? node->ending : "how is not known");
    say(text, " at ");
    say_moment(text, hang_end_time(node));
    if (node->open != NULL && node->open->region != 0)
        say(text, " in %s", region_name(text, node->open->region));
}

/* Appends what the node does, after its name. Returns true if it waits, so that the next node follows. */
static bool say_node(struct text *text, const struct hang_node *node, const struct hang_node *waiting)
{
    if (hang_is_gone(text->hangs, node, waiting)) {
        say_gone(text, node);
        return false;
    }
    if (!hang_is_waiting(node)) {
        say_work(text, node);
        return false;
    }
    say_where(text, node);
    say_why(text, node);
    return true;
}

/* Appends the chain of awaited nodes from the head: "rank 2, which is in MPI_Recv @dl.c:8 for a message ...".
 */
static void say_way(struct text *text, const struct hang_group *group)
{
    enum { MOST_STEPS = 4 };
    const struct hang_node *waiting = group->head;
    bool goes_on = true;
    for (unsigned step = 0; goes_on && waiting->next != NULL && !waiting->next->told; step++) {
        struct hang_node *node = waiting->next;
        node->told = true;
        if (step == MOST_STEPS) {
            say(text, ", and so on");
            return;
        }
        /* After a text about a lock or several nodes, "which" would be ambiguous; the name is repeated. */
        const bool named = waiting->open->held_since == 0 && waiting->open->awaited_count < 2;
        say(text, named && step == 0 ? ", which " : "; ");
        if (!named || step > 0) {
            say_name(text, node);
            say(text, " ");
        }
        goes_on = say_node(text, node, waiting);
        waiting = node;
    }
}

static uint32_t circle_size(const struct hang_node *circle)
{
    uint32_t size = 1;
    for (const struct hang_node *one = circle->next; one != circle; one = one->next)
        size++;
    return size;
}

/* Returns true if all nodes of a cycle are in one region. */
static bool is_of_one_region(const struct hang_node *circle)
{
    for (const struct hang_node *one = circle->next; one != circle; one = one->next)
        if (one->open->region != circle->open->region || one->open->why != circle->open->why)
            return false;
    return true;
}

static const char *noun(const struct hang_node *node, bool several)
{
    if (node->open->kind == ANALYSIS_OPEN_MPI)
        return several ? "processes" : "process";
    return several ? "threads" : "thread";
}

/* Appends a cycle: each node and the next one that it waits for. */
static void say_circle(struct text *text, const struct hang_group *group)
{
    enum { MOST_STEPS = 4 };
    struct hang_node *node = group->head;
    const uint32_t size = circle_size(node);
    const bool together = is_of_one_region(node);
    say(text, "%" PRIu32 " %s wait for each other%s until the end", size, noun(node, true),
        size > 2 ? " in a circle" : "");
    if (together)
        say(text, ", in %s", region_name(text, node->open->region));
    for (uint32_t i = 0; i < size; i++) {
        if (i == MOST_STEPS)
            say(text, ", and so on");
        if (i < MOST_STEPS) {
            say(text, i == 0 ? ": " : ", ");
            say_name(text, node);
            if (!together)
                say(text, " in %s", region_name(text, node->open->region));
            say_why(text, node);
        }
        node->told = true;
        node = node->next;
    }
}

static void say_head(struct text *text, const struct hang_group *group)
{
    const struct hang_node *head = group->head;
    say(text, "until the end ");
    if (group->alike == 1)
        say_name(text, head);
    else
        say(text, "%" PRIu32 " %s", group->alike, noun(head, true));
    say(text, " ");
    if (head->open->polls)
        say(text, group->alike == 1 ? "asks again and again in %s" : "ask again and again in %s",
            region_name(text, head->open->region));
    else
        say(text, group->alike == 1 ? "is in %s" : "are in %s", region_name(text, head->open->region));
    say_why(text, head);
    say_way(text, group);
}

/* Appends the whole sentence: nodes like the head are named, the others are counted. */
static void say_all(struct text *text, const struct hang_group *group)
{
    const struct hangs *hangs = text->hangs;
    struct hang_node *head = group->head;
    uint32_t others = 0;
    char time[TIME_BYTES];
    for (uint32_t i = 0; i < hangs->count; i++)
        hangs->nodes[i].told = hang_is_of(group, &hangs->nodes[i]) && hang_are_alike(head, &hangs->nodes[i]);
    if (hang_is_circle(head) && group->alike == 1)
        say_circle(text, group);
    else
        say_head(text, group);
    for (uint32_t i = 0; i < hangs->count; i++)
        others += hang_is_of(group, &hangs->nodes[i]) && !hangs->nodes[i].told;
    if (others > 0)
        say(text, "; %" PRIu32 " more wait for that", others);
    say(text, ". Since ");
    say_moment(text, group->begin);
    say(text, ", for %s", omptape_time_text(hangs->state, (double)group->longest, time));
}

static const char *keep_text(struct analysis_state *state, const struct text *text)
{
    return omptape_sentence(state, "%s", text->text);
}

const char *hang_sentence(const struct hangs *hangs, const struct hang_group *group)
{
    struct text text = {.hangs = hangs};
    say_all(&text, group);
    return keep_text(hangs->state, &text);
}

struct omptape_hang *hang_list_steps(const struct hangs *hangs, const struct hang_group *group)
{
    enum { MOST_STEPS = 32 };
    struct analysis_state *state = hangs->state;
    struct omptape_hang *hang = omptape_arena_alloc(&state->result->arena, sizeof(*hang));
    struct omptape_hang_step *steps = omptape_arena_alloc(&state->result->arena, MOST_STEPS * sizeof(*steps));
    if (hang == NULL || steps == NULL)
        return NULL;
    *hang = (struct omptape_hang){.steps = steps};
    for (uint32_t i = 0; i < hangs->count; i++)
        hangs->nodes[i].told = false;
    for (struct hang_node *node = group->head; node != NULL && !node->told && hang->count < MOST_STEPS;
         node = hang_is_waiting(node) ? node->next : NULL) {
        struct text who = {.hangs = hangs};
        struct text whom = {.hangs = hangs};
        node->told = true;
        say_name(&who, node);
        if (hang_is_waiting(node) && node->next != NULL)
            say_name(&whom, node->next);
        const bool gone = node != group->head && hang_is_gone(hangs, node, group->head);
        steps[hang->count++] = (struct omptape_hang_step){
            .who = keep_text(state, &who),
            .whom = keep_text(state, &whom),
            .state = gone ? "ended" : state_of(node),
            .region = node->open != NULL && node->open->region != 0
                          ? omptape_pairs_get(&state->regions, 0, node->open->region - 1)
                          : NULL,
            .location = node->open != NULL ? node->location : UINT64_MAX,
            .alike = node == group->head ? group->alike : 1,
            .begin = node->open != NULL ? node->open->begin : node->process->begin,
            .end = hang_end_time(node)};
    }
    return hang;
}
