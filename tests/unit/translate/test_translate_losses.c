/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A random program with records that each thread drops in random parts: whatever is lost, the archive is
 * properly nested and readable, and its teams have all their members. Run by CTest as unit.translate_losses.
 */
#include "tests/unit/translate/translate_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOCK = 0xabc };

/* A program of regions, nested ones, tasks and critical sections. Each thread drops parts at random. */
enum { PLAYERS = 3, ROUNDS = 60, SEEDS = 40 };
static uint64_t chance;
static uint64_t moment;
static uint64_t next_identity;
static struct {
    uint64_t since; /* 0: not dropping */
    uint64_t events;
} losses[PLAYERS];

static bool one_in(uint64_t often)
{
    return session_random(&chance) % often == 0;
}

/* The next moment. True: what the thread does then is dropped. */
static bool is_lost(unsigned thread)
{
    moment++;
    if (losses[thread].since == 0 && one_in(25))
        losses[thread].since = moment;
    if (losses[thread].since == 0)
        return false;
    losses[thread].events++;
    if (one_in(20)) {
        put_gap(thread, losses[thread].since, losses[thread].events, moment);
        losses[thread].since = losses[thread].events = 0;
        moment++;
        return false;
    }
    return true;
}

static void play_task(unsigned thread, uint64_t current)
{
    uint64_t task = ++next_identity;
    if (!is_lost(thread))
        put_task(thread, moment, task, 0);
    if (!is_lost(thread))
        put_schedule(thread, moment, ompt_task_switch, current, task);
    if (!is_lost(thread))
        put_flush(thread, moment);
    if (!is_lost(thread))
        put_schedule(thread, moment, ompt_task_complete, task, current);
}

static void play_critical(unsigned thread)
{
    if (!is_lost(thread))
        put_mutex(thread, moment, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    if (!is_lost(thread))
        put_mutex(thread, moment, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    if (!is_lost(thread))
        put_mutex(thread, moment, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
}

static void play_region(unsigned first, unsigned size, uint64_t from, bool outer)
{
    uint64_t region = ++next_identity;
    if (!is_lost(first))
        put_fork_from(first, moment, region, size, from);
    for (unsigned i = 0; i < size; i++)
        if (!is_lost(first + i))
            put_member(first + i, moment, region, i, size);
    for (unsigned i = 0; i < size; i++) {
        if (!is_lost(first + i))
            put_work(first + i, moment, ompt_work_loop, ompt_scope_begin, 4);
        play_critical(first + i);
        if (outer && one_in(2))
            play_region(first + i, 1, implicit_of(region), false);
        play_task(first + i, implicit_of(region));
        if (!is_lost(first + i))
            put_work(first + i, moment, ompt_work_loop, ompt_scope_end, 4);
    }
    for (unsigned i = size; i > 0; i--)
        if (!is_lost(first + i - 1))
            put_member_end(first + i - 1, moment, region);
    if (!is_lost(first))
        put_join(first, moment, region);
}

/* Up to the attributes, or the end of the line. */
static size_t name_length(const char *rest)
{
    size_t length = strcspn(rest, "\n");
    const char *attributes = strstr(rest, " [");
    return attributes != NULL && attributes < rest + length ? (size_t)(attributes - rest) : length;
}

/* What opens and what closes must be properly nested, over all kinds. */
static void expect_nested(const char *text)
{
    static const char *const pairs[][2] = {{"enter ", "leave "}, {"team ", "endteam "}, {"fork ", "join"}};
    enum { MAX_OPEN = 64 };
    char open[MAX_OPEN][128];
    unsigned depth = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *what = strchr(line, ' ') + 1;
        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
            const char *rest = i < 2 ? strchr(what, ' ') : "";
            if (strncmp(what, pairs[i][0], strlen(pairs[i][0])) == 0) {
                assert_true(depth < MAX_OPEN);
                (void)snprintf(open[depth++], sizeof(open[0]), "%c%.*s", *pairs[i][0],
                               i < 2 ? (int)name_length(rest) : 0, rest);
            } else if (strncmp(what, pairs[i][1], strlen(pairs[i][1])) == 0) {
                char own[128];
                (void)snprintf(own, sizeof(own), "%c%.*s", *pairs[i][0], i < 2 ? (int)name_length(rest) : 0,
                               rest);
                assert_true(depth > 0);
                assert_string_equal(open[--depth], own);
            }
        }
    }
    assert_int_equal(depth, 0);
}

/* How often the location begins a team of these members, as "0,1". */
static unsigned count_begins(unsigned location, const char *members, size_t length)
{
    unsigned count = 0;
    for (const char *line = translate.text->events[location]; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *what = strchr(line, ' ') + 1;
        count += strncmp(what, "team ", 5) == 0 && strncmp(what + 5, members, length) == 0 &&
                 what[5 + length] == '\n';
    }
    return count;
}

/* Nobody could tell which begins belong together if a member lacked one. */
static void expect_whole_teams(unsigned location)
{
    for (const char *line = translate.text->events[location]; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *members = strchr(line, ' ') + 1 + strlen("team ");
        size_t length = strcspn(members, "\n");
        if (strncmp(members - strlen("team "), "team ", strlen("team ")) != 0)
            continue;
        unsigned own = count_begins(location, members, length);
        for (const char *at = members; at < members + length; at += strcspn(at, ",\n") + 1)
            assert_int_equal(count_begins((unsigned)strtoul(at, NULL, 10), members, length), own);
    }
}

static void play(uint64_t seed)
{
    chance = seed;
    moment = 20;
    next_identity = 1000;
    memset(losses, 0, sizeof(losses));
    put_threads(PLAYERS - 1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        play_region(0, 1 + (unsigned)(session_random(&chance) % PLAYERS), implicit_of(INITIAL_REGION), true);
        for (unsigned i = 0; i < PLAYERS; i++)
            atomic_store(&translate.slots[i]->shared->dropped_since, losses[i].since);
        if (one_in(4))
            translate_pass();
    }
    translate_finish(moment + 1);
    for (unsigned i = 0; i < translate.text->locations; i++) {
        expect_nested(translate.text->events[i]);
        expect_whole_teams(i);
    }
    translate_expect_readable();
}

static void test_anything_lost(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        if (seed > 1) {
            translate_close(state);
            translate_open(state);
        }
        play(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_anything_lost, translate_open, translate_close),
    };
    return cmocka_run_group_tests_name("translate_losses", tests, NULL, NULL);
}
