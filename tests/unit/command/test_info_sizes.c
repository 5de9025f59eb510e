/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape info --sizes`: archives with known events, whose sizes follow from OTF2's encoding,
 * against the files on disk, and event files that are damaged in every place. Run by CTest on one thread;
 * archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "src/command/info/sizes_walk.h"
#include "tests/unit/check_harness.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const char events[] = "0 100 program\n0 100 enter 0\n0 110 uint 0 7\n0 110 enter 1\n0 110 fork 2\n"
                             "0 110 team 0\n0 120 create 0 1 300\n0 130 acquire 0 1\n0 130 release 0 1\n"
                             "0 140 switch 0 0 0\n0 150 endteam 0\n0 150 join\n0 160 leave 1\n"
                             "0 600 leave 0\n1 110 enter 3\n1 120 leave 3\n";

static int measure(void)
{
    const char *const words[] = {"--sizes", check_folder};
    return check_run_command(omptape_command_info, "info", 2, words);
}

static uint64_t on_disk;

static int add_entry(const char *path, const struct stat *about, int type, struct FTW *walk)
{
    (void)path;
    (void)walk;
    on_disk += type == FTW_F ? (uint64_t)about->st_size : 0;
    return 0;
}

/* The bytes of the row with that name. */
static uint64_t bytes_of(const char *name)
{
    char line_end[80];
    char number[40];
    size_t length = 0;
    snprintf(line_end, sizeof(line_end), " %%  %s\n", name);
    const char *end = strstr(check_output, line_end);
    if (end == NULL)
        fail_msg("no row \"%s\" in: %s", name, check_output);
    while (end > check_output && end[-1] != '\n')
        end--;
    for (end += strspn(end, " "); (*end >= '0' && *end <= '9') || *end == ','; end++)
        if (*end != ',')
            number[length++] = *end;
    number[length] = '\0';
    return strtoull(number, NULL, 10);
}

static void expect_total_of_files(void)
{
    on_disk = 0;
    assert_int_equal(nftw(check_folder, add_entry, 8, FTW_PHYS), 0);
    assert_int_equal(bytes_of("total"), on_disk);
}

/* A number takes a byte for its size and those of them that are not zero; a record a byte for its type and,
 * but for Enter and Leave, one for its length. */
static void known_events_have_known_sizes(void **state)
{
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = events});
    check_expect_code(0, measure());
    assert_int_equal(bytes_of("Enter"), 2 + 3 + 3);
    assert_int_equal(bytes_of("Leave"), 2 + 3 + 3);
    assert_int_equal(bytes_of("ThreadFork"), 2 + 1 + 2);
    assert_int_equal(bytes_of("ThreadJoin"), 2 + 1);
    assert_int_equal(bytes_of("ThreadTeamBegin"), 2 + 1);
    assert_int_equal(bytes_of("ThreadTeamEnd"), 2 + 1);
    assert_int_equal(bytes_of("ThreadTaskCreate"), 2 + 1 + 2 + 3);
    assert_int_equal(bytes_of("ThreadTaskSwitch"), 2 + 1 + 1 + 1);
    assert_int_equal(bytes_of("ThreadAcquireLock"), 2 + 1 + 1 + 2);
    assert_int_equal(bytes_of("time stamps (one where the time changes)"), 8 * 9 + 2 * 9);
    assert_int_equal(bytes_of("attribute lists"), 2 + 2 + 1 + 1 + 2);
    /* Four locations: each has a chunk's header and two marks for its end. */
    assert_int_equal(bytes_of("rest (chunk headers, ends of chunks)"), 4 * 20);
    expect_total_of_files();
}

static void bytes_are_booked_on_the_construct(void **state)
{
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = events});
    check_expect_code(0, measure());
    /* Both Enter, Leave; fork, join, team; the creation and the lock are inside. */
    assert_int_equal(bytes_of("parallel"), 9 + 8 + 3 + 5 + 3 + 9 + 8 + 9 + 6 + 6 + 9 + 3 + 3 + 9 + 3);
    assert_int_equal(bytes_of("task"), 9 + 5 + 9 + 3 + 9 + 3);
    assert_int_equal(bytes_of("(function)"), 2 + 9 + 2);
    check_expect_text("outside of all regions\n");
}

static void lists_and_padding_compare(void **state)
{
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = events});
    check_expect_code(0, measure());
    uint64_t files = bytes_of("events");
    char text[80];
    snprintf(text, sizeof(text), "own encoding of these events: %" PRIu64 " bytes", files - 4 * 20);
    check_expect_text(text);
}

static void chunks_are_followed(void **state)
{
    enum { PAIRS = 100000, LINE = 32 };
    (void)state;
    char *script = malloc((size_t)PAIRS * 2 * LINE);
    assert_non_null(script);
    size_t length = 0;
    for (int i = 0; i < PAIRS; i++) {
        length += (size_t)snprintf(script + length, LINE, "0 %d enter 1\n", 100 + 2 * i);
        length += (size_t)snprintf(script + length, LINE, "0 %d leave 1\n", 101 + 2 * i);
    }
    make_archive(check_folder, &(struct make_plan){.events = script});
    free(script);
    check_expect_code(0, measure());
    assert_int_equal(bytes_of("Enter"), 3 * PAIRS);
    assert_int_equal(bytes_of("time stamps (one where the time changes)"), 9 * 2 * PAIRS);
    assert_true(bytes_of("rest (chunk headers, ends of chunks)") >= 3 * 18 + 2 + 3 * 20);
    expect_total_of_files();
}

static void empty_archive_is_measured(void **state)
{
    (void)state;
    make_archive(check_folder, &(struct make_plan){.events = ""});
    check_expect_code(0, measure());
    check_expect_text("No events.\n");
    expect_total_of_files();
}

static void strange_files_are_counted(void **state)
{
    (void)state;
    char path[320];
    make_archive(check_folder, &(struct make_plan){.events = events});
    snprintf(path, sizeof(path), "%s/traces/77.evt", check_folder);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "seven", 5), 5);
    close(file);
    check_expect_code(0, measure());
    assert_int_equal(bytes_of("other files"), 5);
    expect_total_of_files();
}

static void cut_event_files_are_named(void **state)
{
    (void)state;
    char path[320];
    struct stat about;
    make_archive(check_folder, &(struct make_plan){.events = events});
    snprintf(path, sizeof(path), "%s/traces/0.evt", check_folder);
    assert_int_equal(stat(path, &about), 0);
    /* The last byte comes after the end. */
    for (off_t size = about.st_size - 2; size >= 0; size -= size > 24 ? 7 : 1) {
        assert_int_equal(truncate(path, size), 0);
        check_expect_code(2, measure());
        check_expect_text("traces/0.evt is ");
        assert_int_equal(check_lines(), 1);
    }
}

static unsigned other_kind(void *data, uint32_t region)
{
    *(uint32_t *)data = region;
    return INFO_SIZES_OTHER;
}

/* Walks through these bytes as an event file of one chunk. */
static int walk(struct info_event_sizes *sizes, const void *bytes, size_t length, uint32_t *region)
{
    char error[160] = "";
    struct omptape_reader_progress progress = {.done = 0};
    int file = memfd_create("test", 0);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), (ssize_t)length);
    memset(sizes, 0, sizeof(*sizes));
    int status = info_walk_events(sizes, file, length, other_kind, region, &progress, error, sizeof(error));
    assert_int_equal(status == 0, error[0] == '\0');
    close(file);
    return status;
}

static const unsigned char big_endian[] = {
    3,  0x23, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, /* chunk header */
    5,  0,    0, 0, 0, 0, 0, 0, 9,                            /* time stamp */
    12, 2,    1, 5,                                           /* Enter */
    90, 255,  0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3,                /* unknown, with a long length */
    2,  1,
};

static void byte_order_and_long_lengths_are_known(void **state)
{
    (void)state;
    static struct info_event_sizes sizes;
    uint32_t region = 0;
    assert_int_equal(walk(&sizes, big_endian, sizeof(big_endian), &region), 0);
    assert_int_equal(region, 0x105);
    assert_int_equal(sizes.types[90].bytes, 13);
    assert_int_equal(sizes.rest, 20);
    assert_int_equal(sizes.needless, 0);
    assert_string_equal(info_record_name(90), "record of type 90");
}

/* A time stamp that says nothing new, numbers with leading zeros. */
static void padding_is_needless(void **state)
{
    (void)state;
    static const unsigned char padded[] = {
        3,  0x42, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, /* chunk header */
        5,  9,    0, 0, 0, 0, 0, 0, 0,                            /* time stamp */
        12, 4,    7, 0, 0, 0,                                     /* Enter: 3 zeros */
        5,  9,    0, 0, 0, 0, 0, 0, 0,                            /* the same time: 9 */
        6,  9,    1, 1, 2, 1, 0, 4, 2, 8, 0,                      /* attributes: 1 + 1 */
        57, 6,    1, 1, 0, 2, 1, 0,                               /* ThreadAcquireLock: 1 + 1 */
        2,  1,
    };
    static struct info_event_sizes sizes;
    uint32_t region = 0;
    assert_int_equal(walk(&sizes, padded, sizeof(padded), &region), 0);
    assert_int_equal(region, 7);
    assert_int_equal(sizes.needless, 3 + 9 + 2 + 2);
    assert_int_equal(sizes.kinds[INFO_SIZES_OTHER].bytes, sizeof(padded) - sizes.rest);
}

/* Whatever one byte holds, the file is refused or all of it is counted. */
static void any_byte_may_be_damaged(void **state)
{
    (void)state;
    static struct info_event_sizes sizes;
    unsigned char bytes[sizeof(big_endian)];
    uint32_t region = 0;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        for (unsigned value = 0; value < 256; value++) {
            memcpy(bytes, big_endian, sizeof(bytes));
            bytes[i] = (unsigned char)value;
            int status = walk(&sizes, bytes, sizeof(bytes), &region);
            assert_true(status == 0 || status == -EINVAL);
            uint64_t sum = sizes.rest + sizes.times.bytes + sizes.lists.bytes;
            for (unsigned type = 0; type < INFO_SIZES_TYPES; type++)
                sum += sizes.types[type].bytes;
            assert_true(status != 0 || sum == sizeof(bytes));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(known_events_have_known_sizes, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(bytes_are_booked_on_the_construct, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(lists_and_padding_compare, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(chunks_are_followed, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(empty_archive_is_measured, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(strange_files_are_counted, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(cut_event_files_are_named, check_make_folder, check_remove_folder),
        cmocka_unit_test(byte_order_and_long_lengths_are_known),
        cmocka_unit_test(padding_is_needless),
        cmocka_unit_test(any_byte_may_be_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
