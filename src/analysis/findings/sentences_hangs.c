/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the sentences about hangs (hangs.h) and their steps for JSON and the page.
 */
#include "src/analysis/findings/hangs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A sentence under construction. */
struct text {
    const struct hangs *hangs;
    char text[TEXT_BYTES];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(text->text + text->used, sizeof(text->text) - text->used, format, arguments);
    va_end(arguments);
    text->used += count > 0 ? (size_t)count : 0;
    text->used = text->used < sizeof(text->text) ? text->used : sizeof(text->text) - 1;
}

static void describe_moment(struct text *text, uint64_t time)
{
    const struct omptape_analysis *result = text->hangs->state->result;
    append(text, "%.2f s",
           (double)omptape_minus(time, result->begin) * text->hangs->state->ns_per_tick / 1e9);
}

static void describe_since(struct text *text, uint64_t time)
{
    if (text->hangs->is_running)
        return;
    append(text, " since ");
    describe_moment(text, time);
}

static void describe_name(struct text *text, const struct hang_node *node)
{
    const bool several = text->hangs->state->result->process_count > 1;
    const bool whole = node->open == NULL || node->open->kind == ANALYSIS_OPEN_MPI || node->thread == NULL ||
                       node->process->threads < 2;
    if (whole && several)
        append(text, "%s", node->process->name);
    else if (node->thread == NULL)
        append(text, "the process");
    else if (several)
        append(text, "%s of %s", node->thread->name, node->process->name);
    else
        append(text, "%s", node->thread->name);
}

static const char *region_name(const struct text *text, uint64_t region)
{
    const struct analysis_region *known =
        region != 0 ? omptape_pairs_get(&text->hangs->state->regions, 0, region - 1) : NULL;
    return known != NULL ? known->shown : "";
}

static void describe_whom(struct text *text, const struct hang_node *node)
{
    if (node->next != NULL)
        describe_name(text, node->next);
    else if (node->open->untraced > 0)
        append(text, "a process that left no trace");
    if (node->next != NULL && node->open->awaited_count > 1)
        append(text, " and %" PRIu64 " more", node->open->awaited_count - 1);
}

static void describe_message(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    append(text, " for a message from ");
    if (open->any)
        append(text, "any");
    else
        describe_whom(text, node);
    if (open->has_tag)
        append(text, ", tag %" PRIu64, open->tag);
    append(text, open->any ? ", that nobody sent" : ", that was never sent");
    if (open->other > 0)
        append(text, " (%" PRIu64 " with another tag, %" PRIu64 ", was: nobody received it)", open->other,
               open->other_tag);
}

static void describe_lock(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    if (node->next == NULL && open->held_since == 0)
        return;
    if (open->held_since == 0) {
        append(text, " for ");
        describe_whom(text, node);
        return;
    }
    append(text, " for a lock that ");
    if (open->doubled)
        append(text, "it has itself");
    else if (node->next != NULL)
        describe_name(text, node->next);
    append(text, "%s", open->doubled ? "" : " has");
    describe_since(text, open->held_since);
    if (open->held != 0 && open->held != open->region)
        append(text, " by %s", region_name(text, open->held));
}

/* Appends for whom or what the node waits. */
static void describe_why(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    if (open->kind == ANALYSIS_OPEN_MPI && open->why == ANALYSIS_OPEN_WHY_MESSAGE) {
        describe_message(text, node);
    } else if (open->kind == ANALYSIS_OPEN_MPI && open->why == ANALYSIS_OPEN_WHY_RECEIVE) {
        append(text, " until ");
        describe_whom(text, node);
        append(text, " receives a message, tag %" PRIu64, open->tag);
    } else if (open->kind == ANALYSIS_OPEN_LOCK) {
        describe_lock(text, node);
    } else if (open->kind != ANALYSIS_OPEN_MPI && node->next == NULL) {
        append(text, " for tasks that nobody executes");
    } else if (node->next != NULL || open->untraced > 0) {
        append(text, open->kind == ANALYSIS_OPEN_TASKS ? " for a task of "
                     : open->locked                    ? " for the lock of a window that is with "
                                                       : " for ");
        describe_whom(text, node);
    }
}

static void describe_where(struct text *text, const struct hang_node *node)
{
    append(text, node->open->polls ? "asks again and again in %s" : "is in %s",
           region_name(text, node->open->region));
}

/* Returns the node's state for JSON. Whether it sleeps follows from its last known running time. */
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
static void describe_work(struct text *text, const struct hang_node *node)
{
    const struct analysis_open *open = node->open;
    const char *does = state_of(node);
    does = strcmp(does, "computes") == 0 ? "computes" : strcmp(does, "sleeps") == 0 ? "sleeps" : "is";
    if (open == NULL || (open->region == 0 && open->left == 0)) {
        append(text, "%s outside of all that is recorded", does);
    } else if (open->region == 0) {
        append(text, "%s outside of all that is recorded since it left %s at ", does,
               region_name(text, open->left));
        describe_moment(text, open->begin);
    } else if (open->why == ANALYSIS_OPEN_WHY_NOTHING) {
        append(text, "is in %s", region_name(text, open->region));
    } else {
        append(text, "%s in %s", does, region_name(text, open->region));
        describe_since(text, open->begin);
    }
}

static void describe_gone(struct text *text, const struct hang_node *node)
{
    if (node->end == HANG_END_OVER)
        append(text, "has ended normally");
    else if (node->ending != NULL && omptape_starts_with(node->ending, "signal "))
        append(text, "was ended by %s", node->ending);
    else
        append(text, "has ended (%s)", node->ending != NULL ? node->ending : "how is not known");
    append(text, " at ");
    describe_moment(text, hang_end_time(node));
    if (node->open != NULL && node->open->region != 0)
        append(text, " in %s", region_name(text, node->open->region));
}

/* Appends what the node does, after its name. Returns true if it waits, so that the next node follows. */
static bool describe_node(struct text *text, const struct hang_node *node, const struct hang_node *waiting)
{
    if (hang_is_gone(text->hangs, node, waiting)) {
        describe_gone(text, node);
        return false;
    }
    if (!hang_is_waiting(node)) {
        describe_work(text, node);
        return false;
    }
    describe_where(text, node);
    describe_why(text, node);
    return true;
}

/* Appends the chain of awaited nodes from the head: "rank 2, which is in MPI_Recv @dl.c:8 for a message ...".
 */
static void describe_way(struct text *text, const struct hang_group *group)
{
    enum { MAX_STEPS = 4 };
    const struct hang_node *waiting = group->head;
    bool continues = true;
    for (unsigned step = 0; continues && waiting->next != NULL && !waiting->next->is_named; step++) {
        struct hang_node *node = waiting->next;
        node->is_named = true;
        if (step == MAX_STEPS) {
            append(text, ", and so on");
            return;
        }
        /* After a text about a lock or several nodes, "which" would be ambiguous; the name is repeated. */
        const bool named = waiting->open->held_since == 0 && waiting->open->awaited_count < 2;
        append(text, named && step == 0 ? ", which " : "; ");
        if (!named || step > 0) {
            describe_name(text, node);
            append(text, " ");
        }
        continues = describe_node(text, node, waiting);
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

static const char *noun(const struct hang_node *node)
{
    return node->open->kind == ANALYSIS_OPEN_MPI ? "processes" : "threads";
}

/* Appends a cycle: each node and the next one that it waits for. */
static void describe_circle(struct text *text, const struct hang_group *group)
{
    enum { MAX_STEPS = 4 };
    struct hang_node *node = group->head;
    const uint32_t size = circle_size(node);
    const bool together = is_of_one_region(node);
    append(text, "%" PRIu32 " %s wait for each other%s%s", size, noun(node), size > 2 ? " in a circle" : "",
           text->hangs->is_running ? "" : " until the end");
    if (together)
        append(text, ", in %s", region_name(text, node->open->region));
    for (uint32_t i = 0; i < size; i++) {
        if (i == MAX_STEPS)
            append(text, ", and so on");
        if (i < MAX_STEPS) {
            append(text, i == 0 ? ": " : ", ");
            describe_name(text, node);
            if (!together)
                append(text, " in %s", region_name(text, node->open->region));
            describe_why(text, node);
        }
        node->is_named = true;
        node = node->next;
    }
}

static void describe_head(struct text *text, const struct hang_group *group)
{
    const struct hang_node *head = group->head;
    append(text, "%s", text->hangs->is_running ? "" : "until the end ");
    if (group->alike == 1)
        describe_name(text, head);
    else
        append(text, "%" PRIu32 " %s", group->alike, noun(head));
    append(text, " ");
    if (head->open->polls)
        append(text, group->alike == 1 ? "asks again and again in %s" : "ask again and again in %s",
               region_name(text, head->open->region));
    else
        append(text, group->alike == 1 ? "is in %s" : "are in %s", region_name(text, head->open->region));
    describe_why(text, head);
    describe_way(text, group);
}

/* Appends the whole sentence: nodes like the head are named, the others are counted. */
static void describe_all(struct text *text, const struct hang_group *group)
{
    const struct hangs *hangs = text->hangs;
    struct hang_node *head = group->head;
    uint32_t others = 0;
    for (uint32_t i = 0; i < hangs->count; i++)
        hangs->nodes[i].is_named =
            hang_is_of(group, &hangs->nodes[i]) && hang_are_alike(head, &hangs->nodes[i]);
    if (hang_is_cycle(head) && group->alike == 1)
        describe_circle(text, group);
    else
        describe_head(text, group);
    for (uint32_t i = 0; i < hangs->count; i++)
        others += hang_is_of(group, &hangs->nodes[i]) && !hangs->nodes[i].is_named;
    if (others > 0)
        append(text, "; %" PRIu32 " more wait for that", others);
    const char *longest = omptape_time_text(hangs->state, (double)group->longest);
    if (hangs->is_running) {
        append(text, ". For %s at least", longest);
        return;
    }
    append(text, ". Since ");
    describe_moment(text, group->begin);
    append(text, ", for %s", longest);
}

static const char *keep_text(struct analysis_state *state, const struct text *text)
{
    return omptape_sentence(state, "%s", text->text);
}

const char *hang_sentence(const struct hangs *hangs, const struct hang_group *group)
{
    struct text text = {.hangs = hangs};
    describe_all(&text, group);
    return keep_text(hangs->state, &text);
}

struct omptape_hang *hang_list_steps(const struct hangs *hangs, const struct hang_group *group)
{
    enum { MAX_STEPS = 32 };
    struct analysis_state *state = hangs->state;
    struct omptape_hang *hang = omptape_arena_alloc(&state->result->arena, sizeof(*hang));
    struct omptape_hang_step *steps = omptape_arena_alloc(&state->result->arena, MAX_STEPS * sizeof(*steps));
    if (hang == NULL || steps == NULL)
        return NULL;
    *hang = (struct omptape_hang){.steps = steps};
    for (uint32_t i = 0; i < hangs->count; i++)
        hangs->nodes[i].is_named = false;
    for (struct hang_node *node = group->head; node != NULL && !node->is_named && hang->count < MAX_STEPS;
         node = hang_is_waiting(node) ? node->next : NULL) {
        struct text who = {.hangs = hangs};
        struct text whom = {.hangs = hangs};
        node->is_named = true;
        describe_name(&who, node);
        if (hang_is_waiting(node) && node->next != NULL)
            describe_name(&whom, node->next);
        const bool gone = node != group->head && hang_is_gone(hangs, node, group->head);
        steps[hang->count++] = (struct omptape_hang_step){
            .who = keep_text(state, &who),
            .whom = keep_text(state, &whom),
            .state = gone ? "ended" : state_of(node),
            .region = node->open != NULL && node->open->region != 0
                          ? omptape_pairs_get(&state->regions, 0, node->open->region - 1)
                          : NULL,
            .alike = node == group->head ? group->alike : 1,
            .begin = node->open != NULL ? node->open->begin : node->process->begin,
            .end = hang_end_time(node)};
    }
    return hang;
}
