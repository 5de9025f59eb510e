/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the pairs of a send and its receive (src/replay/channels.h): rank 0 sends at one time, and
 * rank 1 has received at another. Run by CTest on one thread.
 */
#include "src/replay/channels.h"
#include "tests/unit/analysis/mpi_fixture.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_PAIRS = 1024 };

struct pair {
    uint64_t sent;
    uint64_t received;
};

struct pairs {
    struct omptape_channels channels;
    struct pair list[MAX_PAIRS];
    size_t count;
};

static bool on_event(void *data, const struct omptape_event *event)
{
    struct pairs *pairs = data;
    struct omptape_message_end *made;
    if (event->kind != OMPTAPE_EVENT_MPI_SEND && event->kind != OMPTAPE_EVENT_MPI_RECEIVE)
        return true;
    const struct omptape_message_end *other = omptape_channels_match(&pairs->channels, event, &made);
    const bool sends = event->kind == OMPTAPE_EVENT_MPI_SEND;
    assert_false(omptape_out_of_memory);
    if (other == NULL)
        return true;
    assert_true(pairs->count < MAX_PAIRS);
    pairs->list[pairs->count++] =
        (struct pair){sends ? event->time : other->time, sends ? other->time : event->time};
    omptape_channels_release(&pairs->channels, (struct omptape_message_end *)other);
    return true;
}

static int by_sent(const void *one, const void *other)
{
    const struct pair *a = one;
    const struct pair *b = other;
    return (a->sent > b->sent) - (a->sent < b->sent);
}

/* The archive's pairs, by when they were sent: "SENT>RECEIVED ...". */
static const char *pairs_of(const char *events)
{
    static char text[1 << 15];
    struct pairs pairs = {.count = 0};
    struct omptape_reader *reader;
    char error[512] = "";
    size_t length = 0;
    check_remove_folder(NULL);
    check_make_folder(NULL);
    make_archive(check_folder,
                 &(struct make_plan){.events = events, .more = mpi_fixture_define, .two_processes = true});
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    assert_true(omptape_channels_begin(&pairs.channels, reader, NULL));
    if (omptape_reader_read_events(reader, on_event, &pairs, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    omptape_channels_free(&pairs.channels);
    omptape_reader_close(reader);
    qsort(pairs.list, pairs.count, sizeof(pairs.list[0]), by_sent);
    text[0] = '\0';
    for (size_t i = 0; i < pairs.count; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRIu64 ">%" PRIu64,
                                   i > 0 ? " " : "", pairs.list[i].sent, pairs.list[i].received);
    return text;
}

#define TWO_SENDS                                                                                            \
    "0 100 enter 6\n0 100 send 1 " COMM " 1 8\n0 110 leave 6\n0 500 enter 6\n0 500 send 1 " COMM             \
    " 1 8\n0 510 leave 6\n"
#define TWO_POSTED                                                                                           \
    "2 150 enter 9\n2 150 posted 11\n2 155 leave 9\n2 160 enter 9\n2 160 posted 12\n2 165 leave 9\n"

/* The one that was posted later is waited for first. */
static void the_later_one_is_complete_first(void **state)
{
    (void)state;
    assert_string_equal("100>640 500>520",
                        pairs_of(TWO_SENDS TWO_POSTED "2 200 enter 10\n2 520 ireceive 0 " COMM
                                                      " 1 8 12\n2 530 leave 10\n2 600 enter 10\n"
                                                      "2 640 ireceive 0 " COMM " 1 8 11\n2 640 leave 10\n"));
    assert_string_equal("100>520 500>640",
                        pairs_of(TWO_SENDS TWO_POSTED "2 200 enter 10\n2 520 ireceive 0 " COMM
                                                      " 1 8 11\n2 530 leave 10\n2 600 enter 10\n"
                                                      "2 640 ireceive 0 " COMM " 1 8 12\n2 640 leave 10\n"));
}

/* Clocks differ: all is received before anything is sent. */
static void receives_come_before_sends(void **state)
{
    (void)state;
    assert_string_equal("600>302 610>301 620>300 630>305",
                        pairs_of("0 600 enter 6\n0 600 send 1 " COMM " 1 8\n0 605 leave 6\n0 610 enter 6\n"
                                 "0 610 send 1 " COMM " 1 8\n0 615 leave 6\n0 620 enter 6\n0 620 send 1 " COMM
                                 " 1 8\n0 625 leave 6\n0 630 enter 6\n0 630 send 1 " COMM
                                 " 1 8\n0 635 leave 6\n2 150 enter 9\n2 150 posted 11\n2 151 posted 12\n"
                                 "2 152 posted 13\n2 155 leave 9\n2 200 enter 10\n2 300 ireceive 0 " COMM
                                 " 1 8 13\n2 301 ireceive 0 " COMM " 1 8 12\n2 302 ireceive 0 " COMM
                                 " 1 8 11\n2 303 leave 10\n2 304 enter 7\n2 305 receive 0 " COMM
                                 " 1 8\n2 306 leave 7\n"));
}

/* A receive for another tag is open meanwhile, and ends last: it has to do with none of them. */
static void an_open_one_of_another_tag(void **state)
{
    (void)state;
    assert_string_equal(
        "100>520 500>640 700>720",
        pairs_of(TWO_SENDS "0 700 enter 6\n0 700 send 1 " COMM
                           " 9 8\n0 710 leave 6\n2 140 enter 9\n2 140 posted 10\n2 141 leave 9\n" TWO_POSTED
                           "2 200 enter 10\n2 520 ireceive 0 " COMM
                           " 1 8 11\n2 530 leave 10\n2 600 enter 10\n2 640 ireceive 0 " COMM
                           " 1 8 12\n2 650 leave 10\n2 660 enter 10\n2 720 ireceive 0 " COMM
                           " 9 8 10\n2 730 leave 10\n"));
}

/* What was posted first was cancelled, or never ends: who comes after it has what was sent first. */
static void others_do_not_count(void **state)
{
    (void)state;
    assert_string_equal("100>520", pairs_of(TWO_SENDS TWO_POSTED
                                            "2 200 enter 10\n2 520 ireceive 0 " COMM
                                            " 1 8 12\n2 530 leave 10\n2 600 enter 10\n2 640 cancelled 11\n"
                                            "2 640 leave 10\n"));
    assert_string_equal("100>520", pairs_of(TWO_SENDS TWO_POSTED "2 200 enter 10\n2 520 ireceive 0 " COMM
                                                                 " 1 8 12\n2 530 leave 10\n"));
    /* Its number is another's meanwhile. */
    assert_string_equal("100>520 500>640",
                        pairs_of(TWO_SENDS TWO_POSTED "2 200 enter 10\n2 520 ireceive 0 " COMM
                                                      " 1 8 12\n2 530 leave 10\n2 600 enter 9\n"
                                                      "2 600 posted 11\n2 610 leave 9\n2 620 enter 10\n"
                                                      "2 640 ireceive 0 " COMM " 1 8 11\n2 640 leave 10\n"));
}

/* A call that blocks is posted where it begins. */
static void a_call_that_blocks_comes_later(void **state)
{
    (void)state;
    assert_string_equal("100>640 500>520",
                        pairs_of(TWO_SENDS "2 150 enter 9\n2 150 posted 11\n2 155 leave 9\n"
                                           "2 200 enter 7\n2 520 receive 0 " COMM
                                           " 1 8\n2 530 leave 7\n2 600 enter 10\n2 640 ireceive 0 " COMM
                                           " 1 8 11\n2 640 leave 10\n"));
}

/* What a matched probe found is not what is posted after it. */
static void what_a_probe_found_comes_first(void **state)
{
    (void)state;
    assert_string_equal("100>520 500>640",
                        pairs_of(TWO_SENDS "2 120 enter 21\n2 130 leave 21\n2 150 enter 9\n2 150 posted 11\n"
                                           "2 155 leave 9\n2 200 enter 22\n2 520 receive 0 " COMM
                                           " 1 8\n2 530 leave 22\n2 600 enter 10\n2 640 ireceive 0 " COMM
                                           " 1 8 11\n2 640 leave 10\n"));
    /* Even if it is received later. */
    assert_string_equal("100>640 500>520",
                        pairs_of(TWO_SENDS "2 120 enter 21\n2 130 leave 21\n2 150 enter 9\n2 150 posted 11\n"
                                           "2 155 leave 9\n2 200 enter 10\n2 520 ireceive 0 " COMM
                                           " 1 8 11\n2 530 leave 10\n2 600 enter 22\n2 640 receive 0 " COMM
                                           " 1 8\n2 640 leave 22\n"));
    /* Or by a request. */
    assert_string_equal("100>640 500>520",
                        pairs_of(TWO_SENDS "2 120 enter 21\n2 130 leave 21\n2 150 enter 9\n2 150 posted 11\n"
                                           "2 155 leave 9\n2 200 enter 23\n2 201 posted 12\n2 202 leave 23\n"
                                           "2 300 enter 10\n2 520 ireceive 0 " COMM
                                           " 1 8 11\n2 640 ireceive 0 " COMM " 1 8 12\n2 640 leave 10\n"));
}

/* A send that was cancelled is received by nobody, whoever overtakes whom. */
static void a_cancelled_send_is_left_out(void **state)
{
    (void)state;
    struct omptape_message_end *made;
    struct omptape_message_end *cancelled;
    struct omptape_channels channels = {.free = {NULL}};
    struct omptape_reader *reader;
    char error[512] = "";
    make_archive(check_folder,
                 &(struct make_plan){.events = TWO_SENDS, .more = mpi_fixture_define, .two_processes = true});
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    assert_true(omptape_channels_begin(&channels, reader, NULL));
    struct omptape_event send = {
        .kind = OMPTAPE_EVENT_MPI_SEND, .location = 0, .time = 100, .refs[0].id = 4, .value = {1, 1, 8}};
    assert_null(omptape_channels_match(&channels, &send, &cancelled));
    send.time = 200;
    assert_null(omptape_channels_match(&channels, &send, &made));
    cancelled->cancelled = true;
    struct omptape_event receive = send;
    receive.kind = OMPTAPE_EVENT_MPI_RECEIVE;
    receive.location = 2;
    receive.value[0] = 0;
    const struct omptape_message_end *met = omptape_channels_match(&channels, &receive, &made);
    assert_non_null(met);
    assert_int_equal(200, met->time);
    assert_null(omptape_channels_match(&channels, &receive, &made));
    omptape_channels_free(&channels);
    omptape_reader_close(reader);
}

/* Two threads of one process receive in calls that block: as they are complete. */
static void threads_receive(void **state)
{
    (void)state;
    assert_string_equal(
        "200>300 210>310",
        pairs_of("2 200 enter 6\n2 200 send 0 " COMM " 1 8\n2 205 leave 6\n2 210 enter 6\n"
                 "2 210 send 0 " COMM " 1 8\n2 215 leave 6\n0 150 enter 7\n0 310 receive 1 " COMM
                 " 1 8\n0 320 leave 7\n1 160 enter 7\n1 300 receive 1 " COMM " 1 8\n1 320 leave 7\n"));
}

/* MPI in small: rank 0 sends with two tags, rank 1 posts, with and without a wildcard, cancels, blocks, and
 * waits in any order. Whatever it does, the pairs are those that MPI's rule made. */
enum { STEPS = 90, TAGS = 2, ANY = TAGS, MAX_OPEN = 24 };

struct posted {
    int tag;
    unsigned number;
    uint64_t sent; /* what it got; 0: nothing yet */
    int sent_tag;
};

struct world {
    uint32_t seed;
    uint64_t lead; /* by so much rank 0's clock is ahead */
    unsigned numbers;
    struct posted open[MAX_OPEN];
    size_t open_count;
    uint64_t unexpected[STEPS]; /* when they were sent, */
    int unexpected_tags[STEPS];
    size_t unexpected_count;
    struct pair truth[STEPS];
    size_t truth_count;
    char events[1 << 15];
    size_t length;
};

static unsigned pick(struct world *world, unsigned below)
{
    world->seed = world->seed * 1664525U + 1013904223U;
    return (world->seed >> 16) % below;
}

#define ADD(...)                                                                                             \
    (world->length +=                                                                                        \
     (size_t)snprintf(world->events + world->length, sizeof(world->events) - world->length, __VA_ARGS__))

static bool fits(int wanted, int tag)
{
    return wanted == ANY || wanted == tag;
}

static void world_sends(struct world *world, uint64_t now)
{
    const int tag = (int)pick(world, TAGS);
    const uint64_t time = now + world->lead;
    ADD("0 %" PRIu64 " enter 6\n0 %" PRIu64 " send 1 " COMM " %d 8\n0 %" PRIu64 " leave 6\n", time, time, tag,
        time + 1);
    for (size_t i = 0; i < world->open_count; i++) {
        struct posted *posted = &world->open[i];
        if (posted->sent == 0 && fits(posted->tag, tag)) {
            posted->sent = time;
            posted->sent_tag = tag;
            return;
        }
    }
    world->unexpected[world->unexpected_count] = time;
    world->unexpected_tags[world->unexpected_count++] = tag;
}

/* What came first of what nobody had posted for. */
static uint64_t take_unexpected(struct world *world, int wanted, int *tag)
{
    for (size_t i = 0; i < world->unexpected_count; i++) {
        if (!fits(wanted, world->unexpected_tags[i]))
            continue;
        const uint64_t sent = world->unexpected[i];
        *tag = world->unexpected_tags[i];
        world->unexpected_count--;
        memmove(&world->unexpected[i], &world->unexpected[i + 1],
                (world->unexpected_count - i) * sizeof(world->unexpected[0]));
        memmove(&world->unexpected_tags[i], &world->unexpected_tags[i + 1],
                (world->unexpected_count - i) * sizeof(world->unexpected_tags[0]));
        return sent;
    }
    return 0;
}

static void world_posts(struct world *world, uint64_t now)
{
    if (world->open_count == MAX_OPEN)
        return;
    struct posted *posted = &world->open[world->open_count++];
    *posted = (struct posted){.tag = (int)pick(world, TAGS + 1), .number = 1 + world->numbers++};
    posted->sent = take_unexpected(world, posted->tag, &posted->sent_tag);
    ADD("2 %" PRIu64 " enter 9\n2 %" PRIu64 " posted %u\n2 %" PRIu64 " leave 9\n", now, now, posted->number,
        now + 1);
}

static void world_blocks(struct world *world, uint64_t now)
{
    int tag;
    const uint64_t sent = take_unexpected(world, (int)pick(world, TAGS + 1), &tag);
    if (sent == 0)
        return;
    ADD("2 %" PRIu64 " enter 7\n2 %" PRIu64 " receive 0 " COMM " %d 8\n2 %" PRIu64 " leave 7\n", now, now + 1,
        tag, now + 1);
    world->truth[world->truth_count++] = (struct pair){sent, now + 1};
}

static void forget_posted(struct world *world, size_t index)
{
    world->open_count--;
    memmove(&world->open[index], &world->open[index + 1],
            (world->open_count - index) * sizeof(world->open[0]));
}

/* Waits for one that has come, or cancels one that has not, one time in four. */
static void world_waits(struct world *world, uint64_t now)
{
    if (world->open_count == 0)
        return;
    const size_t index = pick(world, (unsigned)world->open_count);
    const struct posted posted = world->open[index];
    if (posted.sent == 0 && pick(world, 4) > 0)
        return;
    ADD("2 %" PRIu64 " enter 10\n", now);
    if (posted.sent == 0) {
        ADD("2 %" PRIu64 " cancelled %u\n", now + 1, posted.number);
    } else {
        ADD("2 %" PRIu64 " ireceive 0 " COMM " %d 8 %u\n", now + 1, posted.sent_tag, posted.number);
        world->truth[world->truth_count++] = (struct pair){posted.sent, now + 1};
    }
    ADD("2 %" PRIu64 " leave 10\n", now + 1);
    forget_posted(world, index);
}

static const char *truth_of(struct world *world)
{
    static char text[1 << 15];
    size_t length = 0;
    qsort(world->truth, world->truth_count, sizeof(world->truth[0]), by_sent);
    text[0] = '\0';
    for (size_t i = 0; i < world->truth_count; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRIu64 ">%" PRIu64,
                                   i > 0 ? " " : "", world->truth[i].sent, world->truth[i].received);
    return text;
}

/* The last things: all that has come is waited for. */
static void world_ends(struct world *world, uint64_t now)
{
    while (world->open_count > 0) {
        const size_t index = pick(world, (unsigned)world->open_count);
        const struct posted posted = world->open[index];
        if (posted.sent != 0) {
            ADD("2 %" PRIu64 " enter 10\n2 %" PRIu64 " ireceive 0 " COMM " %d 8 %u\n2 %" PRIu64 " leave 10\n",
                now, now + 1, posted.sent_tag, posted.number, now + 1);
            world->truth[world->truth_count++] = (struct pair){posted.sent, now + 1};
            now += 2;
        }
        forget_posted(world, index);
    }
}

static void all_worlds_are_as_mpi_made_them(void **state)
{
    enum { WORLDS = 60 };
    static void (*const steps[])(struct world *, uint64_t) = {world_sends, world_sends, world_posts,
                                                              world_posts, world_waits, world_blocks};
    static struct world world;
    size_t messages = 0;
    (void)state;
    for (uint32_t seed = 0; seed < WORLDS; seed++) {
        uint64_t now = 102;
        world = (struct world){.seed = seed, .lead = seed % 2 * 500};
        for (int i = 0; i < STEPS; i++, now += 3)
            steps[pick(&world, sizeof(steps) / sizeof(steps[0]))](&world, now);
        world_ends(&world, now);
        messages += world.truth_count;
        assert_string_equal(truth_of(&world), pairs_of(world.events));
    }
    assert_true(messages > (size_t)WORLDS * STEPS / 8);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, check_make_folder, check_remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(the_later_one_is_complete_first), TEST(receives_come_before_sends),
        TEST(an_open_one_of_another_tag),      TEST(others_do_not_count),
        TEST(a_call_that_blocks_comes_later),  TEST(what_a_probe_found_comes_first),
        TEST(a_cancelled_send_is_left_out),    TEST(threads_receive),
        TEST(all_worlds_are_as_mpi_made_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
