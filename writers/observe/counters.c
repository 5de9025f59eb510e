/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and reads groups of perf events, one group for each thread. Called by switches.c.
 */
#include "writers/observe/counters.h"

#include "src/core/clock.h"
#include "src/core/message.h"
#include "src/core/whole.h"
#include "writers/observe/ring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A reading is dropped if its events were counted for less than a quarter of the time. Otherwise the values
 * are scaled to the whole time. */
enum { INVERSE_MIN_SHARE = 4 };
/* If the two times differ by less than a hundredth, a measurement error, the values are not scaled. */
enum { EXACT_PART = 100 };
/* The report mentions dropped readings if they are more than a tenth of all readings. */
enum { DROPPED_PART = 10 };
/* The thread's group is closed after this number of consecutive dropped readings. */
enum { MAX_DROPPED = 4 };
/* Duration of the counting test at the start, ns. */
static const uint64_t test_ns = 2000000;

/* Layout of a PERF_FORMAT_GROUP reading with time enabled and time running. */
struct group_values {
    uint64_t count;
    uint64_t enabled;
    uint64_t running;
    uint64_t values[OMPTAPE_MAX_COUNTERS];
};
enum { VALUES_HEAD = offsetof(struct group_values, values) };

/* Offset of these values in a sample: they follow header, thread and time. */
enum { SAMPLE_HEAD = 24, NUMBER_BYTES = 8, PROCESSOR_BYTES = 8 };
/* One page fault in FAULTS_A_SAMPLE is sampled. That costs less than a hundredth of what the faults cost. */
enum { FAULTS_A_SAMPLE = 2048 };

static bool has_source(const struct omptape_counters *counters, enum omptape_counter_source source)
{
    for (uint32_t i = 1; i < counters->count; i++)
        if (counters->list[i].source == source)
            return true;
    return false;
}

static uint32_t count_opened(const struct omptape_counters *counters)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < counters->count; i++)
        count += counters->list[i].source == OMPTAPE_COUNTER_PERF;
    return count;
}

void omptape_counters_configure(const struct omptape_counters *counters, struct perf_event_attr *leader)
{
    if (counters->count == 0)
        return;
    leader->sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_ID;
    leader->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (has_source(counters, OMPTAPE_COUNTER_MIGRATIONS))
        leader->sample_type |= PERF_SAMPLE_CPU;
}

/* Opens one event. All events of a group must use the leader's clock. Returns a descriptor or negative errno.
 */
static int open_one(struct perf_event_attr event, int leader, uint32_t tid)
{
    event.size = sizeof(event);
    event.use_clockid = 1;
    event.clockid = CLOCK_MONOTONIC_RAW;
    event.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return omptape_ring_open(&event, tid, leader);
}

uint32_t omptape_counters_sampled(const struct omptape_counters *counters)
{
    for (uint32_t i = 1; i < counters->count; i++) {
        const struct perf_event_attr *event = &counters->list[i].event;
        if (event->type == PERF_TYPE_SOFTWARE &&
            (event->config == PERF_COUNT_SW_PAGE_FAULTS || event->config == PERF_COUNT_SW_PAGE_FAULTS_MIN))
            return i;
    }
    return 0;
}

/* Makes the event a sampling event with a fixed period. A sampling frequency is not used: the kernel's
 * estimate of the period is wrong for a long time. */
static void configure_samples(struct perf_event_attr *event, const struct perf_event_attr *leader)
{
    event->sample_period = FAULTS_A_SAMPLE;
    event->sample_type = leader->sample_type;
    event->sample_regs_user = leader->sample_regs_user;
    event->sample_stack_user = leader->sample_stack_user;
    event->sample_id_all = leader->sample_id_all;
}

static int open_member(const struct omptape_counters *counters, uint32_t number, int leader, uint32_t tid,
                       const struct perf_event_attr *asked)
{
    struct perf_event_attr event = counters->list[number].event;
    const bool sampled = number == omptape_counters_sampled(counters);
    if (sampled)
        configure_samples(&event, asked);
    const int fd = open_one(event, leader, tid);
    if (fd < 0 || !sampled || ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, leader) == 0)
        return fd;
    const int error = -errno;
    close(fd);
    return error;
}

int omptape_counters_open(const struct omptape_counters *counters, int leader, uint32_t tid,
                          const struct perf_event_attr *asked, struct omptape_counter_group *group)
{
    *group = (struct omptape_counter_group){.fds = {leader}};
    if (ioctl(leader, PERF_EVENT_IOC_ID, &group->leader) != 0)
        return -errno;
    for (uint32_t i = 1; i < OMPTAPE_MAX_COUNTERS; i++)
        group->fds[i] = -1;
    for (uint32_t i = 1; i < counters->count; i++) {
        if (counters->list[i].source != OMPTAPE_COUNTER_PERF)
            continue;
        const int fd = open_member(counters, i, leader, tid, asked);
        if (fd < 0) {
            group->fds[0] = -1;
            omptape_counters_close(group);
            return fd;
        }
        group->fds[i] = fd;
    }
    return 0;
}

void omptape_counters_close(struct omptape_counter_group *group)
{
    for (uint32_t i = 0; i < OMPTAPE_MAX_COUNTERS; i++) {
        if (group->fds[i] >= 0)
            close(group->fds[i]);
        group->fds[i] = -1;
    }
}

void omptape_counters_note_switch(struct omptape_counter_group *group, bool off, uint32_t processor)
{
    group->switches += off;
    group->migrations += !off && group->processor != 0 && group->processor != processor + 1;
    group->processor = processor + 1;
}

/* Adds what was counted since the last reading to `sums`, scaled to the whole time. The two times are the
 * sampling event's. The events of a group start a few microseconds apart, so a small error remains. */
static bool add_values(struct omptape_counters *counters, struct omptape_counter_group *group,
                       const struct group_values *read, uint64_t sums[OMPTAPE_MAX_COUNTERS])
{
    const uint64_t enabled = read->enabled - group->enabled;
    const uint64_t running = read->running - group->running;
    if (read->enabled <= group->enabled || read->running < group->running)
        return false;
    const bool partial = running < enabled - enabled / EXACT_PART;
    counters->readings++;
    if (running < enabled / INVERSE_MIN_SHARE || running == 0) {
        counters->dropped++;
        group->dropped++;
        return false;
    }
    counters->scaled += partial;
    const double scale = (double)enabled / (double)running;
    const uint64_t noted[] = {
        [OMPTAPE_COUNTER_SWITCHES] = group->switches, [OMPTAPE_COUNTER_MIGRATIONS] = group->migrations};
    for (uint32_t i = 0, opened = 0; i < counters->count; i++) {
        const bool is_opened = counters->list[i].source == OMPTAPE_COUNTER_PERF;
        const uint64_t now = is_opened ? read->values[opened++] : noted[counters->list[i].source];
        const uint64_t delta = now > group->counts[i] ? now - group->counts[i] : 0;
        sums[i] += is_opened && partial ? omptape_whole((double)delta * scale) : delta;
        group->counts[i] = now;
    }
    group->enabled = read->enabled;
    group->running = read->running;
    group->dropped = 0;
    return true;
}

bool omptape_counters_decode(struct omptape_counters *counters, struct omptape_counter_group *group,
                             unsigned char *record, size_t *bytes, bool *timed,
                             uint64_t sums[OMPTAPE_MAX_COUNTERS])
{
    struct group_values read = {.count = 0};
    uint64_t number;
    struct perf_event_header header;
    const uint32_t opened = count_opened(counters);
    const size_t values = VALUES_HEAD + opened * sizeof(uint64_t);
    size_t skipped = has_source(counters, OMPTAPE_COUNTER_MIGRATIONS) ? PROCESSOR_BYTES : 0;
    *timed = true;
    skipped += NUMBER_BYTES;
    if (*bytes < SAMPLE_HEAD + skipped + values)
        return false;
    memcpy(&number, record + SAMPLE_HEAD, sizeof(number));
    *timed = number == group->leader;
    memcpy(&read, record + SAMPLE_HEAD + skipped, values);
    skipped += values;
    memcpy(&header, record, sizeof(header));
    header.size = (uint16_t)(*bytes - skipped);
    memcpy(record, &header, sizeof(header));
    memmove(record + SAMPLE_HEAD, record + SAMPLE_HEAD + skipped, *bytes - SAMPLE_HEAD - skipped);
    *bytes -= skipped;
    return read.count == opened && add_values(counters, group, &read, sums);
}

bool omptape_counters_read(struct omptape_counters *counters, struct omptape_counter_group *group,
                           uint64_t sums[OMPTAPE_MAX_COUNTERS])
{
    struct group_values now = {.count = 0};
    const uint32_t opened = count_opened(counters);
    const ssize_t n = read(group->fds[0], &now, sizeof(now));
    return n == (ssize_t)(VALUES_HEAD + opened * sizeof(uint64_t)) && now.count == opened &&
           add_values(counters, group, &now, sums);
}

bool omptape_counters_is_starved(const struct omptape_counter_group *group)
{
    return group->dropped >= MAX_DROPPED;
}

/* Returns a phrase that explains why the kernel refuses an event. */
static const char *cause_of(int error)
{
    switch (error) {
    case -ENOENT:
    case -EOPNOTSUPP:
    case -ENODEV:
        return "the machine cannot count it";
    case -EACCES:
    case -EPERM:
        return "the kernel refuses it (kernel.perf_event_paranoid, seccomp)";
    case -EBUSY:
        return "another program has the counter for itself";
    case -EINVAL:
        return "the processor does not count so many at once";
    default:
        return omptape_cause(-error);
    }
}

static bool is_hardware(const struct omptape_counter *counter)
{
    return counter->event.type != PERF_TYPE_SOFTWARE;
}

/* Keeps the reason if it is the first one. */
static void refuse(struct omptape_counters *counters, const char *name, const char *cause)
{
    if (counters->why[0] == '\0')
        (void)snprintf(counters->why, sizeof(counters->why), "%s%s%s", name, name[0] != '\0' ? ": " : "",
                       cause);
}

/* Opens the group on the writer itself and removes the events that the kernel refuses. Returns the leader's
 * descriptor or negative errno. */
static int open_test(struct omptape_counters *counters, struct omptape_counter_group *group)
{
    const struct omptape_counters all = *counters;
    *group = (struct omptape_counter_group){.enabled = 0};
    memset(group->fds, -1, sizeof(group->fds));
    const int leader = open_one(all.list[0].event, -1, 0);
    group->fds[0] = leader >= 0 ? leader : -1;
    counters->count = leader >= 0 ? 1 : 0;
    if (leader < 0)
        refuse(counters, "", cause_of(leader));
    for (uint32_t i = 1; i < all.count && leader >= 0; i++) {
        const bool is_opened = all.list[i].source == OMPTAPE_COUNTER_PERF;
        const int fd = is_opened ? open_one(all.list[i].event, leader, 0) : -1;
        const bool is_missing = fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV;
        if (is_opened && fd < 0 && is_missing && is_hardware(&all.list[i]) && !counters->asked)
            refuse(counters, "", "no hardware counters here");
        else if (is_opened && fd < 0)
            refuse(counters, all.list[i].name, cause_of(fd));
        if (is_opened && fd < 0)
            continue;
        group->fds[counters->count] = fd;
        counters->list[counters->count++] = all.list[i];
    }
    return leader;
}

/* Tests whether the kernel counts the group at all. Some processors accept a group and never count it. */
static void test_group(struct omptape_counters *counters)
{
    struct omptape_counter_group group;
    struct group_values now = {.count = 0};
    const int leader = open_test(counters, &group);
    const uint64_t begin = omptape_clock_raw_ns();
    while (counters->count > 1 && omptape_clock_raw_ns() - begin < test_ns)
        continue;
    if (counters->count > 1 && (read(leader, &now, sizeof(now)) < (ssize_t)VALUES_HEAD || now.running == 0)) {
        refuse(counters, "", "the processor never counts them all at once");
        counters->count = 1;
    }
    omptape_counters_close(&group);
    /* The processor time alone is not worth a group. */
    if (counters->count == 1)
        counters->count = 0;
}

static void parse_list(struct omptape_counters *counters, const char *list, const char *devices)
{
    char text[OMPTAPE_COUNTER_NAME_BYTES + 1];
    while (list != NULL) {
        struct omptape_counter *counter = &counters->list[counters->count];
        list = omptape_counter_split(list, text, sizeof(text));
        if (counters->count == OMPTAPE_MAX_COUNTERS) {
            refuse(counters, text, "too many counters");
            continue;
        }
        const int error = omptape_counter_lookup(devices, text, counter);
        if (error != 0)
            refuse(counters, text, error == -ENOENT ? "no event has that name here" : "not understood");
        const bool is_first = counter->source == OMPTAPE_COUNTER_PERF && !is_hardware(counter) &&
                              counter->event.config == PERF_COUNT_SW_TASK_CLOCK;
        counters->count += error == 0 && !is_first;
    }
}

void omptape_counters_start(struct omptape_counters *counters, const struct omptape_settings *settings,
                            const char *devices)
{
    static const char by_default[] = "cycles,instructions";
    *counters = (struct omptape_counters){.asked = settings->counters[0] != '\0'};
    if (strcmp(settings->counters, "off") == 0 || settings->sample_ns == 0 || settings->no_sched != 0 ||
        settings->sample_by_signal != 0 || settings->profile != 0 || settings->distinct_times != 0) {
        counters->asked = counters->asked && strcmp(settings->counters, "off") != 0;
        if (counters->asked)
            refuse(counters, "",
                   "counters come with the kernel's samples (not with --sample=off, --sample=signal, "
                   "--sched=off, "
                   "--profile or --distinct-times)");
        return;
    }
    (void)omptape_counter_lookup(devices, "task-clock", &counters->list[0]);
    counters->count = 1;
    parse_list(counters, counters->asked ? settings->counters : by_default, devices);
    test_group(counters);
}

bool omptape_counters_explain(const struct omptape_counters *counters, char *text, size_t bytes)
{
    if (counters->asked && counters->why[0] != '\0') {
        (void)snprintf(text, bytes, "--counters: %s", counters->why);
        return true;
    }
    if (counters->dropped <= counters->readings / DROPPED_PART)
        return false;
    (void)snprintf(text, bytes,
                   "--counters: the processor counted for less than a quarter of the time in %llu of %llu "
                   "readings: these are left out (does another program count as well?)",
                   (unsigned long long)counters->dropped, (unsigned long long)counters->readings);
    return true;
}
