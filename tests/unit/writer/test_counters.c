/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of counters: names by doubles of the kernel's files, groups by a double of perf_event_open, and
 * values as the kernel would write them into samples. Run by CTest as unit.counters.
 */
#include "tests/unit/scratch.h"
#include "writers/observe/counters.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 512, MAX_VALUES = OMPTAPE_MAX_COUNTERS + 3, LEADER = 7, FAULTS = 8 };

/* What the double of the kernel says: it refuses hardware events, more than so many members, and reads that.
 */
static struct {
    int error;
    unsigned members_most;
    unsigned members;
    uint64_t running;
} kernel;

static char devices[SCRATCH_BYTES];

/* A group that was enabled for a while. */
static int make_group(void)
{
    const uint64_t values[MAX_VALUES] = {1, 1000, kernel.running, 1};
    const int fd = memfd_create("group", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, values, sizeof(values)), sizeof(values));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* In the place of libc's, for perf_event_open alone. */
long syscall(long number, ...)
{
    va_list arguments;
    va_start(arguments, number);
    const struct perf_event_attr *event = va_arg(arguments, const struct perf_event_attr *);
    (void)va_arg(arguments, pid_t);
    (void)va_arg(arguments, int);
    const int leader = va_arg(arguments, int);
    va_end(arguments);
    assert_int_equal(number, SYS_perf_event_open);
    kernel.members = leader < 0 ? 0 : kernel.members + 1;
    errno = event->type != PERF_TYPE_SOFTWARE && kernel.error != 0 ? kernel.error
            : kernel.members > kernel.members_most                 ? EINVAL
                                                                   : 0;
    return errno != 0 ? -1 : make_group();
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    (void)fd;
    va_start(arguments, request);
    if (request == PERF_EVENT_IOC_ID)
        *va_arg(arguments, uint64_t *) = LEADER;
    va_end(arguments);
    return 0;
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/%s", devices, folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof(path), "%s/%s/%s", devices, folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int open_scratch(void **state)
{
    (void)state;
    if (scratch_make(devices) != 0)
        return -1;
    put_file("cpu", "type", "4\n");
    put_file("cpu/format", "event", "config:0-7,32-35\n");
    put_file("cpu/format", "umask", "config:8-15\n");
    put_file("cpu/format", "edge", "config:18\n");
    put_file("cpu/format", "ldlat", "config1:0-15\n");
    put_file("cpu/format", "odd", "config9:0-15\n");
    put_file("cpu/format", "wide", "config:60-70\n");
    put_file("cpu/events", "mem-loads", "event=0x1cd,umask=0x1,ldlat=3\n");
    put_file("uncore", "type", "9\n");
    put_file("uncore/format", "event", "config:0-7\n");
    put_file("uncore/events", "mem-loads", "event=0x2\n");
    put_file("uncore/events", "clock", "event=0x3\n");
    return 0;
}

static int close_scratch(void **state)
{
    (void)state;
    return scratch_remove(devices);
}

static struct omptape_counter found(const char *name)
{
    struct omptape_counter counter;
    assert_int_equal(omptape_counter_lookup(devices, name, &counter), 0);
    assert_string_equal(counter.name, name);
    return counter;
}

static int missing(const char *name)
{
    struct omptape_counter counter;
    return omptape_counter_lookup(devices, name, &counter);
}

static void finds_names(void **state)
{
    (void)state;
    struct omptape_counter counter = found("cycles");
    assert_int_equal(counter.event.type, PERF_TYPE_HARDWARE);
    assert_int_equal(counter.event.exclude_kernel, 1);
    counter = found("page-faults:uk");
    assert_int_equal(counter.event.config, PERF_COUNT_SW_PAGE_FAULTS);
    assert_int_equal(counter.event.exclude_kernel + counter.event.exclude_user, 0);
    assert_int_equal(found("cycles:k").event.exclude_user, 1);
    assert_int_equal(found("cpu-migrations").source, OMPTAPE_COUNTER_MIGRATIONS);
    counter = found("L1-dcache-load-misses");
    assert_int_equal(counter.event.type, PERF_TYPE_HW_CACHE);
    assert_int_equal(counter.event.config, 0x10000);
    counter = found("r01C2");
    assert_int_equal(counter.event.type, PERF_TYPE_RAW);
    assert_int_equal(counter.event.config, 0x1c2);
    assert_int_equal(missing("r"), -ENOENT);
    assert_int_equal(missing("r12345678123456789"), -ENOENT);
    assert_int_equal(missing("L1-dcache-lost"), -ENOENT);
    assert_int_equal(missing(""), -EINVAL);
}

static void parses_terms(void **state)
{
    (void)state;
    struct omptape_counter counter = found("cpu/event=0x1cd,umask=1,edge/");
    assert_int_equal(counter.event.type, 4);
    assert_true(counter.event.config == (UINT64_C(1) << 32 | 0xcd | 1 << 8 | 1 << 18));
    counter = found("mem-loads");
    assert_int_equal(counter.event.type, 4);
    assert_int_equal(counter.event.config1, 3);
    assert_int_equal(found("clock").event.type, 9);
    assert_int_equal(found("cpu/mem-loads,ldlat=30/").event.config1, 30);
    assert_int_equal(found("cpu/config=0x3c/").event.config, 0x3c);
    assert_int_equal(missing("cpu/event=0x1ffff/"), -EINVAL);
    assert_int_equal(missing("cpu/event=/"), -EINVAL);
    assert_int_equal(missing("cpu/event=1x/"), -EINVAL);
    assert_int_equal(missing("cpu/odd/"), -EINVAL);
    assert_int_equal(missing("cpu/wide/"), -EINVAL);
    assert_int_equal(missing("cpu/event=1"), -EINVAL);
    assert_int_equal(missing("cpu/none/"), -ENOENT);
    assert_int_equal(missing("gpu/event=1/"), -ENOENT);
    assert_int_equal(missing("../cpu"), -EINVAL);
    assert_int_equal(missing("cpu/../x/"), -EINVAL);
}

static void splits_lists(void **state)
{
    (void)state;
    char text[OMPTAPE_COUNTER_NAME_BYTES];
    const char *rest = omptape_counter_split("cycles,cpu/a=1,b=2/,r1", text, sizeof(text));
    assert_string_equal(text, "cycles");
    rest = omptape_counter_split(rest, text, sizeof(text));
    assert_string_equal(text, "cpu/a=1,b=2/");
    assert_null(omptape_counter_split(rest, text, sizeof(text)));
    assert_string_equal(text, "r1");
}

static struct omptape_counters start(const char *list, int error, unsigned most, uint64_t running)
{
    static struct omptape_settings settings;
    struct omptape_counters counters;
    settings = (struct omptape_settings){.sample_ns = 10000000};
    (void)snprintf(settings.counters, sizeof(settings.counters), "%s", list);
    kernel.error = error;
    kernel.members_most = most;
    kernel.running = running;
    omptape_counters_start(&counters, &settings, devices);
    return counters;
}

static void says_what_is_missing(void **state)
{
    (void)state;
    char text[256];
    struct omptape_counters counters = start("", 0, 8, 1000);
    assert_int_equal(counters.count, 3);
    assert_false(omptape_counters_explain(&counters, text, sizeof(text)));
    counters = start("", ENOENT, 8, 1000);
    assert_int_equal(counters.count, 0);
    assert_string_equal(counters.why, "no hardware counters here");
    assert_false(omptape_counters_explain(&counters, text, sizeof(text)));
    counters = start("page-faults,cycles", EOPNOTSUPP, 8, 1000);
    assert_int_equal(counters.count, 2);
    assert_true(omptape_counters_explain(&counters, text, sizeof(text)));
    assert_string_equal(text, "--counters: cycles: the machine cannot count it");
    counters = start("cycles", EBUSY, 8, 1000);
    assert_int_equal(counters.count, 0);
    assert_non_null(strstr(counters.why, "another program"));
    counters = start("cycles,instructions,r1", 0, 2, 1000);
    assert_int_equal(counters.count, 3);
    assert_string_equal(counters.why, "r1: the processor does not count so many at once");
    counters = start("cycles,instructions", 0, 8, 0);
    assert_int_equal(counters.count, 0);
    assert_string_equal(counters.why, "the processor never counts them all at once");
    counters = start("cycles,nonsense", 0, 8, 1000);
    assert_int_equal(counters.count, 2);
    assert_string_equal(counters.why, "nonsense: no event has that name here");
    counters = start("off", 0, 8, 1000);
    assert_int_equal(counters.count, 0);
    assert_false(omptape_counters_explain(&counters, text, sizeof(text)));
    counters = start("r1,r2,r3,r4,r5,r6,r7,r8", 0, 8, 1000);
    assert_int_equal(counters.count, OMPTAPE_MAX_COUNTERS);
    assert_string_equal(counters.why, "r8: too many counters");
}

/* A sample of the leader or of page faults, with the number of the last processor if that is asked for. */
struct sample {
    uint64_t number;
    uint64_t enabled;
    uint64_t running;
    uint64_t values[2];
};

static size_t put_sample(unsigned char *record, const struct sample *sample)
{
    const uint64_t words[] = {
        0, 1, 2, sample->number, 2, sample->enabled, sample->running, sample->values[0], sample->values[1],
        99};
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(words)};
    memcpy(record, words, sizeof(words));
    memcpy(record, &header, sizeof(header));
    return sizeof(words);
}

static void takes_values(void **state)
{
    (void)state;
    unsigned char record[256];
    uint64_t sums[OMPTAPE_MAX_COUNTERS] = {0};
    bool timed = false;
    uint64_t rest;
    struct omptape_counters counters = start("page-faults,context-switches", 0, 8, 1000);
    struct omptape_counter_group group = {.leader = LEADER};
    assert_int_equal(omptape_counters_sampled(&counters), 1);
    omptape_counters_note_switch(&group, true, 0);
    size_t bytes = put_sample(record, &(struct sample){LEADER, 1000, 1000, {900, 10}});
    assert_true(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    assert_true(timed);
    assert_int_equal(sums[0], 900);
    assert_int_equal(sums[1], 10);
    assert_int_equal(sums[2], 1);
    assert_int_equal(bytes, 32);
    memcpy(&rest, record + 24, sizeof(rest));
    assert_int_equal(rest, 99);
    /* Of page faults, and counted for half of the time. */
    bytes = put_sample(record, &(struct sample){FAULTS, 3000, 2000, {1900, 20}});
    assert_true(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    assert_false(timed);
    assert_int_equal(sums[1], 10 + 20);
    assert_int_equal(counters.scaled, 1);
    /* The times are another event's, which is a little behind. */
    bytes = put_sample(record, &(struct sample){LEADER, 4000, 3005, {2900, 30}});
    assert_true(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    assert_int_equal(sums[1], 40);
    /* Cut, or of another group. */
    bytes = put_sample(record, &(struct sample){LEADER, 5000, 4000, {3900, 40}}) - 24;
    assert_false(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    assert_int_equal(sums[1], 40);
}

static void leaves_out_what_is_rarely_counted(void **state)
{
    (void)state;
    unsigned char record[256];
    uint64_t sums[OMPTAPE_MAX_COUNTERS] = {0};
    bool timed = false;
    struct omptape_counters counters = start("cycles", 0, 8, 1000);
    struct omptape_counter_group group = {.leader = LEADER};
    size_t bytes = put_sample(record, &(struct sample){LEADER, 1000, 100, {90, 5}});
    assert_false(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    assert_int_equal(sums[1], 0);
    assert_int_equal(bytes, 32);
    bytes = put_sample(record, &(struct sample){LEADER, 2000, 0, {90, 5}});
    assert_false(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    /* By then half of it was. */
    bytes = put_sample(record, &(struct sample){LEADER, 3000, 1500, {90, 50}});
    assert_true(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    assert_int_equal(sums[1], 100);
    assert_false(omptape_counters_is_starved(&group));
    for (uint64_t i = 0; i < 4; i++) {
        bytes = put_sample(record, &(struct sample){LEADER, 4000 + 1000 * i, 1500, {90, 50}});
        assert_false(omptape_counters_decode(&counters, &group, record, &bytes, &timed, sums));
    }
    assert_true(omptape_counters_is_starved(&group));
    char text[256];
    assert_true(omptape_counters_explain(&counters, text, sizeof(text)));
    assert_non_null(strstr(text, "6 of 7 readings"));
}

static void opens_all_or_nothing(void **state)
{
    (void)state;
    const struct perf_event_attr asked = {.sample_period = 10000000, .sample_type = PERF_SAMPLE_TID};
    struct omptape_counter_group group;
    struct omptape_counters counters = start("page-faults,cycles,cpu-migrations", 0, 8, 1000);
    struct perf_event_attr leader = asked;
    omptape_counters_configure(&counters, &leader);
    assert_true((leader.sample_type & PERF_SAMPLE_CPU) != 0);
    kernel.members = 0;
    assert_int_equal(omptape_counters_open(&counters, make_group(), 1, &asked, &group), 0);
    assert_true(group.fds[0] >= 0 && group.fds[1] >= 0 && group.fds[2] >= 0);
    assert_true(group.fds[3] < 0 && group.leader == LEADER);
    omptape_counters_close(&group);
    kernel.error = ENODEV;
    const int fd = make_group();
    assert_int_equal(omptape_counters_open(&counters, fd, 1, &asked, &group), -ENODEV);
    assert_true(group.fds[1] < 0);
    assert_int_equal(close(fd), 0);
    omptape_counters_note_switch(&group, false, 0);
    omptape_counters_note_switch(&group, true, 0);
    omptape_counters_note_switch(&group, false, 1);
    assert_int_equal(group.migrations, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_names, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(parses_terms, open_scratch, close_scratch),
        cmocka_unit_test(splits_lists),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(takes_values),
        cmocka_unit_test(leaves_out_what_is_rarely_counted),
        cmocka_unit_test(opens_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
