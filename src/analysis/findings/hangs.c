/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hangs: who waits for whom when the events end (docs/report.md). Each thread that waits is followed to the
 * one that it waits for, and so on, to a circle or to one that does not wait: all that lead there are one
 * finding, if there is evidence that the program would not have gone on. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/location.h"
#include "src/analysis/opens.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is no hang yet: those in a circle wait together for less than this; others wait for less than this for
 * one that does not wait, or not so many times longer than ever before. */
enum {
    LEAST_CIRCLE_NS = 100000000,
    LEAST_STUCK_NS = 1000000000,
    LEAST_WAIT_NS = 2000000000,
    TIMES_BEFORE = 10
};
/* A process is over for others that go on for so much longer. */
enum { LONGER_NS = 50000000, MUCH_LONGER_NS = 1000000000 };

/* How a process ended. */
enum process_end {
    END_FROM_OUTSIDE,
    END_OVER,
    END_EXITED, /* in the middle; with a small status, which launchers that are ended do not bring about */
    END_LEFT,
    END_CRASHED
};

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* By a signal that comes of what the program does, and from nobody else. */
static bool is_crash(int signal)
{
    static const int own[] = {4, 5, 6, 7, 8, 11, 31}; /* ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS */
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (signal == own[i])
            return true;
    return false;
}

static enum process_end end_of(const char *text)
{
    enum { LEAST_OF_LAUNCHERS = 128 };
    if (text == NULL)
        return END_FROM_OUTSIDE;
    if (begins_with(text, "signal "))
        return is_crash(atoi(text + strlen("signal "))) ? END_CRASHED : END_FROM_OUTSIDE;
    if (begins_with(text, "exit status "))
        return atoi(text + strlen("exit status ")) < LEAST_OF_LAUNCHERS ? END_EXITED : END_FROM_OUTSIDE;
    if (begins_with(text, "MPI_Abort") || begins_with(text, "exit"))
        return END_LEFT;
    return strcmp(text, "finalize") == 0 ? END_OVER : END_FROM_OUTSIDE;
}

/* A thread; or a process of which nothing is open, that is over (`open` NULL). */
struct node {
    const struct analysis_open *open;
    const struct analysis_thread *thread;
    const struct analysis_process *process;
    const char *ending; /* how its process ended; NULL: that is not known */
    enum process_end end;
    bool is_killed; /* by SIGKILL, as of memory that ran out */
    uint64_t location;
    struct node *next; /* whom it waits for; NULL: nobody that is known */
    struct node *goal; /* where the way by these leads: one of a circle, or one that does not wait */
    bool in_circle;
    bool on_way;     /* while circles are looked for */
    bool told;       /* in the sentence */
    bool is_grouped; /* all that lead to it were looked at */
};

struct hangs {
    struct analysis_state *state;
    struct node *nodes;
    uint32_t count;
    struct omptape_pairs by_location; /* (0, location) */
    struct omptape_pairs by_process;  /* (0, location group): who acts for it in MPI */
};

static bool is_waiting(const struct node *node)
{
    return node->open != NULL && node->open->kind > ANALYSIS_OPEN_WORK &&
           node->open->why != ANALYSIS_OPEN_WHY_NOTHING;
}

static uint64_t ticks_of(const struct hangs *hangs, double ns)
{
    return omptape_whole(ns / hangs->state->ns_per_tick);
}

static uint64_t end_time(const struct node *node)
{
    return node->open != NULL ? node->open->end : node->process->end;
}

static uint64_t waited(const struct node *node)
{
    return omptape_minus(node->open->end, node->open->begin);
}

/* Did its process end by itself in the middle? A call of MPI that waits gives up when its launcher is ended.
 */
static bool has_left(const struct node *node)
{
    return node->end > END_OVER && !(is_waiting(node) && node->open->awaited_count > 0);
}

/* Is it over, for one that waits longer? Threads of a process end with it; launchers end ranks one after the
 * other, and in a way that the kernel does not. */
static bool is_gone(const struct hangs *hangs, const struct node *node, const struct node *waiting)
{
    const bool inside = node->process == waiting->process;
    const bool earlier = omptape_plus(end_time(node), ticks_of(hangs, inside ? LONGER_NS : MUCH_LONGER_NS)) <
                         end_time(waiting);
    if (inside)
        return earlier;
    return has_left(node) || node->end == END_OVER || (earlier && node->is_killed);
}

/* Of two that are awaited, who decides: of whom one is enough the one that can still come, else the one that
 * cannot. */
static unsigned rank_of(const struct hangs *hangs, const struct node *node, const struct node *waiting)
{
    const bool any = waiting->open->any;
    if (is_gone(hangs, node, waiting))
        return any ? 1 : 3;
    return is_waiting(node) ? 2 : any ? 3 : 1;
}

static void choose_next(struct hangs *hangs, struct node *node)
{
    const bool mpi = node->open->kind == ANALYSIS_OPEN_MPI;
    const uint64_t count =
        node->open->awaited_count < ANALYSIS_OPEN_AWAITED ? node->open->awaited_count : ANALYSIS_OPEN_AWAITED;
    for (uint64_t i = 0; i < count; i++) {
        struct node *other =
            omptape_pairs_get(mpi ? &hangs->by_process : &hangs->by_location, 0, node->open->awaited[i] - 1);
        if (other == NULL)
            continue;
        if (node->next == NULL || rank_of(hangs, other, node) > rank_of(hangs, node->next, node) ||
            (rank_of(hangs, other, node) == rank_of(hangs, node->next, node) && is_waiting(other) &&
             other->open->begin < node->next->open->begin))
            node->next = other;
    }
}

/* Follows the way from here, whose nodes get one goal. */
static void follow(struct node *node)
{
    struct node *last = node;
    for (last->on_way = true; last->goal == NULL && last->next != NULL && is_waiting(last);
         last->on_way = true) {
        if (last->next->on_way)
            break;
        last = last->next;
    }
    struct node *goal = last->goal != NULL ? last->goal : last;
    if (last->goal == NULL && last->next != NULL && last->next->on_way && is_waiting(last)) {
        goal = last->next;
        struct node *one = goal;
        do {
            one->in_circle = true;
            one = one->next;
        } while (one != goal);
    }
    for (struct node *one = node; one->on_way; one = one->next) {
        one->on_way = false;
        one->goal = goal;
        if (one->next == NULL || !is_waiting(one))
            break;
    }
}

/* The thread that acts for its process in MPI: one that calls MPI and is at work now, one that is in a call,
 * the first. */
static unsigned acts(const struct node *node)
{
    if (node->open == NULL)
        return 0;
    if (node->open->kind == ANALYSIS_OPEN_WORK && node->thread != NULL && node->thread->messages > 0)
        return 3;
    return node->open->kind == ANALYSIS_OPEN_MPI ? 2 : 1;
}

static void add_node(struct hangs *hangs, const struct analysis_process *process,
                     const struct analysis_open *open, uint64_t location)
{
    struct node *node = &hangs->nodes[hangs->count++];
    const struct analysis_location *known = omptape_pairs_get(&hangs->state->locations, 0, location);
    *node = (struct node){.open = open,
                          .location = location,
                          .process = process,
                          .thread = known != NULL ? known->thread : NULL};
    node->ending = omptape_reader_property_of(hangs->state->reader, process->number, OMPTAPE_KEY_END);
    node->end = end_of(node->ending);
    node->is_killed = node->ending != NULL && strcmp(node->ending, "signal 9") == 0;
    const struct node *acting = omptape_pairs_get(&hangs->by_process, 0, process->group->id);
    bool good = true;
    if (acting == NULL || acts(node) > acts(acting))
        good = omptape_pairs_put(&hangs->by_process, 0, process->group->id, node) == 0;
    if (open != NULL)
        good = omptape_pairs_put(&hangs->by_location, 0, location, node) == 0 && good;
    hangs->state->no_memory |= !good;
}

static void add_nodes(struct hangs *hangs)
{
    const struct analysis_state *state = hangs->state;
    for (uint32_t i = 0; i < state->opens.count; i++) {
        const uint64_t id = state->opens.list[i].low;
        const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
        if (location != NULL && location->process < state->result->process_count)
            add_node(hangs, &state->result->processes[location->process], state->opens.list[i].value, id);
    }
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const struct analysis_process *process = &state->result->processes[i];
        if (omptape_pairs_get(&hangs->by_process, 0, process->group->id) == NULL)
            add_node(hangs, process, NULL, UINT64_MAX);
    }
}

/* Those that lead to one goal. */
struct group {
    struct node *goal;
    struct node *head; /* of the most that are in one region for one other */
    uint32_t alike;    /* so many are */
    uint64_t longest;  /* wait of these */
    uint64_t begin;    /* of that */
};

static bool is_of(const struct group *group, const struct node *node)
{
    return node->goal == group->goal && is_waiting(node);
}

static bool are_alike(const struct node *one, const struct node *other)
{
    return one->open->region == other->open->region && one->next == other->next &&
           one->open->kind == other->open->kind;
}

/* In an order that does not depend on who has read what. */
static bool is_better_head(const struct group *group, const struct node *node, uint32_t alike)
{
    const struct node *head = group->head;
    if (head == NULL || alike != group->alike)
        return head == NULL || alike > group->alike;
    return node->location < head->location;
}

/* Of more than one: a thread may wait for itself. */
static bool is_circle(const struct node *goal)
{
    return goal->in_circle && goal->next != goal;
}

static void find_head(const struct hangs *hangs, struct group *group)
{
    for (uint32_t i = 0; i < hangs->count; i++) {
        struct node *node = &hangs->nodes[i];
        uint32_t alike = 0;
        if (!is_of(group, node) || (is_circle(group->goal) && !node->in_circle))
            continue;
        for (uint32_t j = 0; j < hangs->count && (group->head == NULL || !are_alike(group->head, node)); j++)
            alike += is_of(group, &hangs->nodes[j]) && are_alike(node, &hangs->nodes[j]);
        if (group->head != NULL && are_alike(group->head, node))
            alike = group->alike;
        if (is_better_head(group, node, alike)) {
            group->head = node;
            group->alike = alike;
        }
    }
    for (uint32_t i = 0; i < hangs->count; i++) {
        const struct node *node = &hangs->nodes[i];
        if (is_of(group, node) && waited(node) > group->longest) {
            group->longest = waited(node);
            group->begin = node->open->begin;
        }
    }
}

/* How long all of the circle wait at the same time. */
static uint64_t together(const struct node *circle)
{
    uint64_t begin = 0;
    uint64_t end = UINT64_MAX;
    const struct node *one = circle;
    do {
        begin = one->open->begin > begin ? one->open->begin : begin;
        end = one->open->end < end ? one->open->end : end;
        one = one->next;
    } while (one != circle);
    return omptape_minus(end, begin);
}

/* Does one of them wait for so long, and longer than it ever did there? */
static bool is_long(const struct hangs *hangs, const struct group *group, uint64_t least)
{
    for (uint32_t i = 0; i < hangs->count; i++) {
        const struct node *node = &hangs->nodes[i];
        if (is_of(group, node) && waited(node) >= least && waited(node) / TIMES_BEFORE >= node->open->before)
            return true;
    }
    return false;
}

static bool is_evident(const struct hangs *hangs, const struct group *group)
{
    const struct node *goal = group->goal;
    const struct omptape_analysis *result = hangs->state->result;
    const uint64_t wall = omptape_minus(result->end, result->begin);
    const uint64_t least = ticks_of(hangs, LEAST_WAIT_NS);
    if (goal->in_circle)
        return together(goal) >= ticks_of(hangs, LEAST_CIRCLE_NS);
    if (goal->process != group->head->process && has_left(goal))
        return goal->end != END_EXITED || group->longest >= ticks_of(hangs, LEAST_CIRCLE_NS);
    /* It is no hang that its process was ended in by itself. */
    if (has_left(group->head) || (goal->process == group->head->process && goal->end > END_OVER))
        return false;
    if (goal != group->head && is_gone(hangs, goal, group->head))
        return group->longest >= ticks_of(hangs, LEAST_CIRCLE_NS);
    /* Nobody is known that would end it. */
    if (is_waiting(goal) && goal->open->kind != ANALYSIS_OPEN_MPI)
        return is_long(hangs, group, ticks_of(hangs, LEAST_STUCK_NS));
    return is_long(hangs, group, least > wall / 2 ? least : wall / 2);
}

/* The sentence, as far as it goes. */
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

static void say_name(struct text *text, const struct node *node)
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

static void say_whom(struct text *text, const struct node *node)
{
    if (node->next != NULL)
        say_name(text, node->next);
    else if (node->open->untraced > 0)
        say(text, "a process that left no trace");
    if (node->next != NULL && node->open->awaited_count > 1)
        say(text, " and %" PRIu64 " more", node->open->awaited_count - 1);
}

static void say_message(struct text *text, const struct node *node)
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

static void say_lock(struct text *text, const struct node *node)
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

/* For whom or what it waits there. */
static void say_why(struct text *text, const struct node *node)
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

static void say_where(struct text *text, const struct node *node)
{
    say(text, node->open->polls ? "asks again and again in %s" : "is in %s",
        region_name(text, node->open->region));
}

/* What it does, for programs. Whether it sleeps tells what it ran when the kernel told that last. */
static const char *state_of(const struct node *node)
{
    enum { MOSTLY = 500, HARDLY = 100 };
    if (node->open == NULL)
        return "ended";
    if (is_waiting(node))
        return node->open->polls ? "asks" : "waits";
    if (node->open->running > MOSTLY)
        return "computes";
    return node->open->running > 0 && node->open->running <= HARDLY ? "sleeps" : "";
}

/* Where it is, which does not wait. */
static void say_work(struct text *text, const struct node *node)
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

static void say_gone(struct text *text, const struct node *node)
{
    if (node->end == END_OVER)
        say(text, "has ended normally");
    else if (node->ending != NULL && begins_with(node->ending, "signal "))
        say(text, "was ended by %s", node->ending);
    else
        say(text, "has ended (%s)", node->ending != NULL ? node->ending : "how is not known");
    say(text, " at ");
    say_moment(text, end_time(node));
    if (node->open != NULL && node->open->region != 0)
        say(text, " in %s", region_name(text, node->open->region));
}

/* What the node does, behind its name: true if there is a next one. */
static bool say_node(struct text *text, const struct node *node, const struct node *waiting)
{
    if (is_gone(text->hangs, node, waiting)) {
        say_gone(text, node);
        return false;
    }
    if (!is_waiting(node)) {
        say_work(text, node);
        return false;
    }
    say_where(text, node);
    say_why(text, node);
    return true;
}

/* From whom the head waits for on: "rank 2, which is in MPI_Recv @dl.c:8 for a message ..." and so on. */
static void say_way(struct text *text, const struct group *group)
{
    enum { MOST_STEPS = 4 };
    const struct node *waiting = group->head;
    bool goes_on = true;
    for (unsigned step = 0; goes_on && waiting->next != NULL && !waiting->next->told; step++) {
        struct node *node = waiting->next;
        node->told = true;
        if (step == MOST_STEPS) {
            say(text, ", and so on");
            return;
        }
        /* What a lock is told of, or several, is no name right before. */
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

static uint32_t circle_size(const struct node *circle)
{
    uint32_t size = 1;
    for (const struct node *one = circle->next; one != circle; one = one->next)
        size++;
    return size;
}

/* Are all of a circle in one region? */
static bool is_of_one_region(const struct node *circle)
{
    for (const struct node *one = circle->next; one != circle; one = one->next)
        if (one->open->region != circle->open->region || one->open->why != circle->open->why)
            return false;
    return true;
}

static const char *noun(const struct node *node, bool several)
{
    if (node->open->kind == ANALYSIS_OPEN_MPI)
        return several ? "processes" : "process";
    return several ? "threads" : "thread";
}

/* Each for the next. */
static void say_circle(struct text *text, const struct group *group)
{
    enum { MOST_STEPS = 4 };
    struct node *node = group->head;
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

static void say_head(struct text *text, const struct group *group)
{
    const struct node *head = group->head;
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

/* Those that are alike are said; others wait for the ones that were. */
static void say_all(struct text *text, const struct group *group)
{
    const struct hangs *hangs = text->hangs;
    struct node *head = group->head;
    uint32_t others = 0;
    char time[TIME_BYTES];
    for (uint32_t i = 0; i < hangs->count; i++)
        hangs->nodes[i].told = is_of(group, &hangs->nodes[i]) && are_alike(head, &hangs->nodes[i]);
    if (is_circle(head) && group->alike == 1)
        say_circle(text, group);
    else
        say_head(text, group);
    for (uint32_t i = 0; i < hangs->count; i++)
        others += is_of(group, &hangs->nodes[i]) && !hangs->nodes[i].told;
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

/* Whom the head waits for, and so on, until one is met again. */
static struct omptape_hang *list_steps(const struct hangs *hangs, const struct group *group)
{
    enum { MOST_STEPS = 32 };
    struct analysis_state *state = hangs->state;
    struct omptape_hang *hang = omptape_arena_take(&state->result->arena, sizeof(*hang));
    struct omptape_hang_step *steps = omptape_arena_take(&state->result->arena, MOST_STEPS * sizeof(*steps));
    if (hang == NULL || steps == NULL) {
        state->no_memory = true;
        return NULL;
    }
    *hang = (struct omptape_hang){.steps = steps};
    for (uint32_t i = 0; i < hangs->count; i++)
        hangs->nodes[i].told = false;
    for (struct node *node = group->head; node != NULL && !node->told && hang->count < MOST_STEPS;
         node = is_waiting(node) ? node->next : NULL) {
        struct text who = {.hangs = hangs};
        struct text whom = {.hangs = hangs};
        node->told = true;
        say_name(&who, node);
        if (is_waiting(node) && node->next != NULL)
            say_name(&whom, node->next);
        const bool gone = node != group->head && is_gone(hangs, node, group->head);
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
            .end = end_time(node)};
    }
    return hang;
}

static void add_finding(struct analysis_findings *findings, const struct hangs *hangs,
                        const struct group *group)
{
    struct text text = {.hangs = hangs};
    const struct analysis_region *region =
        group->head->open->region != 0
            ? omptape_pairs_get(&hangs->state->regions, 0, group->head->open->region - 1)
            : NULL;
    say_all(&text, group);
    struct omptape_finding *finding = omptape_findings_at(findings, OMPTAPE_FINDING_HANG, region);
    if (finding == NULL || finding->text != NULL)
        return;
    finding->waited = group->longest;
    finding->count = group->alike;
    finding->worst_begin = group->begin;
    finding->worst_end = omptape_plus(group->begin, group->longest);
    finding->worst_location = group->head->location;
    finding->text = keep_text(hangs->state, &text);
    finding->hang = list_steps(hangs, group);
}

static void add_groups(struct analysis_findings *findings, struct hangs *hangs)
{
    for (uint32_t i = 0; i < hangs->count; i++) {
        struct group group = {.goal = hangs->nodes[i].goal};
        if (!is_waiting(&hangs->nodes[i]) || group.goal->is_grouped)
            continue;
        group.goal->is_grouped = true;
        find_head(hangs, &group);
        if (group.head != NULL && is_evident(hangs, &group))
            add_finding(findings, hangs, &group);
    }
}

void omptape_findings_add_hangs(struct analysis_findings *findings)
{
    struct analysis_state *state = findings->state;
    struct hangs hangs = {.state = state};
    if (state->opens.count == 0)
        return;
    const size_t most = (size_t)state->opens.count + state->result->process_count;
    hangs.nodes = calloc(most, sizeof(*hangs.nodes));
    if (hangs.nodes == NULL) {
        state->no_memory = true;
        return;
    }
    add_nodes(&hangs);
    for (uint32_t i = 0; i < hangs.count; i++)
        if (is_waiting(&hangs.nodes[i]))
            choose_next(&hangs, &hangs.nodes[i]);
    for (uint32_t i = 0; i < hangs.count; i++)
        if (hangs.nodes[i].goal == NULL)
            follow(&hangs.nodes[i]);
    add_groups(findings, &hangs);
    omptape_pairs_free(&hangs.by_location);
    omptape_pairs_free(&hangs.by_process);
    free(hangs.nodes);
}
