/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sections of `omptape info` on the whole recording: program, time, place, end, clock, what is missing.
 */
#include "src/command/info/state.h"

#include "src/command/info/sizes_walk.h"
#include "src/command/text/thread_time.h"
#include "src/command/text/units.h"
#include "src/core/whole.h"
#include "src/core/words.h"
#include <inttypes.h>
#include <math.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void print_start(struct info *info)
{
    uint64_t realtime = info->reader->clock_realtime;
    struct tm calendar;
    char date[64];
    time_t seconds = (time_t)(realtime / 1000000000);
    if (info->reader->clocks > 0 && realtime != OTF2_UNDEFINED_TIMESTAMP &&
        localtime_r(&seconds, &calendar) != NULL &&
        strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S %z", &calendar) > 0)
        info_field(info, "Recorded", "%s", date);
}

/* Prints the nodes of the system tree on which processes ran. */
static void print_hosts(struct info *info)
{
    const struct omptape_reader *reader = info->reader;
    char text[INFO_TEXT_BYTES] = "";
    struct omptape_pairs seen = {0};
    OMPTAPE_EACH_DEFINITION(group, reader, OMPTAPE_DEF_LOCATION_GROUP) {
        const struct omptape_definition *node =
            group->value[0] == OTF2_LOCATION_GROUP_TYPE_PROCESS
                ? omptape_reader_find(reader, OMPTAPE_DEF_SYSTEM_TREE_NODE, group->refs[1].id)
                : NULL;
        if (node != NULL && omptape_pairs_get(&seen, 0, node->id) == NULL) {
            omptape_append_item(text, sizeof(text), ", ", "%s",
                                omptape_reader_name(reader, OMPTAPE_DEF_SYSTEM_TREE_NODE, node->id));
            (void)omptape_pairs_put(&seen, 0, node->id, &seen);
        }
    }
    omptape_pairs_free(&seen);
    info_optional(info, "Host", text);
}

static void print_end(struct info *info)
{
    const char *end = info_property(info, OMPTAPE_KEY_END);
    int number = 0;
    if (end != NULL && strcmp(end, "finalize") == 0)
        info_field(info, "End", "normal (the runtime finalized the tool)");
    else if (end != NULL && sscanf(end, "signal %d", &number) == 1)
        info_field(info, "End", "killed by signal %d (%s)", number, strsignal(number));
    else
        info_optional(info, "End", end);
}

static void print_creator(struct info *info)
{
    const char *version = info_property(info, OMPTAPE_KEY_VERSION);
    char *creator = NULL;
    uint8_t major = 0;
    uint8_t minor = 0;
    uint8_t fix = 0;
    char format[48] = "";
    if (OTF2_Reader_GetVersion(info->reader->otf2, &major, &minor, &fix) == OTF2_SUCCESS)
        snprintf(format, sizeof(format), " (OTF2 %u.%u.%u)", major, minor, fix);
    if (version != NULL)
        info_field(info, "Written by", "omptape %s%s", version, format);
    else if (OTF2_Reader_GetCreator(info->reader->otf2, &creator) == OTF2_SUCCESS && creator != NULL &&
             creator[0] != '\0')
        info_field(info, "Written by", "%s%s", creator, format);
    free(creator);
}

static void print_clock(struct info *info)
{
    uint64_t jumps = info_property_number(info, OMPTAPE_KEY_CLOCK_JUMPS);
    const struct omptape_reader *reader = info->reader;
    const char *source = info_property(info, OMPTAPE_KEY_CLOCK);
    info_field(info, "Clock", "%s%s%s ticks a second", source == NULL ? "" : source,
               source == NULL ? "" : ", ", info_number(reader->clock_resolution));
    bool distinct = info_property(info, OMPTAPE_KEY_DISTINCT_TIMES) != NULL;
    info_field(info, "Time stamps", "from %" PRIu64 " to %" PRIu64 "%s", reader->clock_offset,
               reader->clock_offset + reader->clock_length, distinct ? ", distinct" : "");
    if (jumps > 0) {
        info_field(info, "Clock jumps",
                   "it went back %s time%s (was the machine suspended?); the time stamps go on from "
                   "where it was",
                   info_number(jumps), jumps == 1 ? "" : "s");
    }
}

/* Prints the tracing cost. Unified archives have no such property, because the processes differ. */
static void print_cost(struct info *info)
{
    uint64_t record = info_property_number(info, OMPTAPE_KEY_RECORD_COST);
    uint64_t writer = info_property_number(info, OMPTAPE_KEY_WRITER_TIME);
    uint64_t switches = info_property_number(info, OMPTAPE_KEY_SWITCH_TIME);
    if (record > 0)
        info_field(info, "Cost",
                   "%.1f ns a record on its thread; %s of processor time of the writer and its children",
                   (double)record / 1000, units_time(writer).text);
    if (switches > 0)
        info_field(info, "", "%s of processor time of the kernel to record context switches",
                   units_time(switches).text);
}

/* Prints "page-faults: read 1,204 times, 3 of these estimates, 0 left out", and why counters are missing. */
static void print_counters(struct info *info)
{
    const char *names = info_property(info, OMPTAPE_KEY_COUNTERS);
    const char *cause = info_property(info, OMPTAPE_KEY_COUNTERS_REFUSED);
    if (names == NULL) {
        if (cause != NULL)
            info_field(info, "Counters", "none: %s", cause);
        return;
    }
    info_field(info, "Counters", "%s: read %s times, %s of these estimates, %s left out", names,
               info_number(omptape_reader_number_of(info->reader, -1, OMPTAPE_KEY_COUNTERS_READINGS)),
               info_number(omptape_reader_number_of(info->reader, -1, OMPTAPE_KEY_COUNTERS_SCALED)),
               info_number(omptape_reader_number_of(info->reader, -1, OMPTAPE_KEY_COUNTERS_DROPPED)));
    if (cause != NULL)
        info_field(info, "  missing", "%s", cause);
}

/* Prints "1.5 processors for all in GROUP, whose threads were stopped in 33 of 41 periods, for 2.18 s". */
static void print_quota(struct info *info)
{
    const double processors = (double)info_property_number(info, OMPTAPE_KEY_QUOTA) / 1000;
    const char *group = info_property(info, OMPTAPE_KEY_QUOTA_GROUP);
    if (processors <= 0 || group == NULL)
        return;
    if (info_property(info, OMPTAPE_KEY_QUOTA_PERIODS) == NULL) {
        info_field(info, "Quota", "%.3g processors for all in %s", processors, group);
        return;
    }
    info_field(info, "Quota",
               "%.3g processors for all in %s, whose threads were stopped in %s of %s periods, for %s in all",
               processors, group, info_number(info_property_number(info, OMPTAPE_KEY_QUOTA_THROTTLED)),
               info_number(info_property_number(info, OMPTAPE_KEY_QUOTA_PERIODS)),
               units_time(info_property_number(info, OMPTAPE_KEY_QUOTA_THROTTLED_TIME)).text);
}

/* Prints why no thread was sampled. */
static void print_no_samples(struct info *info)
{
    const char *cause = info_property(info, OMPTAPE_KEY_SAMPLES_REFUSED);
    const bool refused = cause != NULL && info_property(info, OMPTAPE_KEY_SAMPLED_BY) == NULL;
    info_field(info, "Samples", "none: %s%s", cause != NULL ? cause : "no thread lived long enough",
               refused ? "; --sample=signal may take some" : "");
}

/* Prints "1,204, one for 10.0 ms of a thread's processor time", and the counts of sampled and unsampled
 * threads, truncated and lost samples. */
static void print_samples(struct info *info)
{
    const uint64_t threads = info_property_number(info, OMPTAPE_KEY_SAMPLED_THREADS);
    const uint64_t others = info_property_number(info, OMPTAPE_KEY_UNSAMPLED_THREADS);
    const char *cause = info_property(info, OMPTAPE_KEY_SAMPLES_REFUSED);
    if (info_property(info, OMPTAPE_KEY_SAMPLES) == NULL)
        return;
    if (threads == 0) {
        print_no_samples(info);
        return;
    }
    info_field(info, "Samples", "%s, one for %s of a thread's processor time%s",
               info_number(info_property_number(info, OMPTAPE_KEY_SAMPLES)),
               units_time(info_property_number(info, OMPTAPE_KEY_SAMPLE_PERIOD)).text,
               info_property(info, OMPTAPE_KEY_SAMPLED_BY) != NULL ? ", by a signal to each thread" : "");
    if (cause == NULL)
        cause = others > 0 ? "they ended too soon" : "";
    info_field(info, "  of threads", "%s; %s were not sampled%s%s", info_number(threads), info_number(others),
               cause[0] != '\0' ? ": " : "", cause);
    info_field(info, "  stack cut", "%s", info_number(info_property_number(info, OMPTAPE_KEY_SAMPLES_CUT)));
    info_field(info, "  lost", "%s samples or context switches",
               info_number(info_property_number(info, OMPTAPE_KEY_SAMPLES_LOST)));
}

/* Prints the processors and their use by others. Unified archives lack such properties, as processes
 * differ. */
static void print_surroundings(struct info *info)
{
    char text[UNITS_TEXT_BYTES + 64] = "";
    const char *allowed = info_property(info, OMPTAPE_KEY_ALLOWED);
    const double all = (double)info_property_number(info, OMPTAPE_KEY_PROCESSORS_TIME);
    const double busy = (double)info_property_number(info, OMPTAPE_KEY_PROCESSORS_BUSY);
    const double stolen = (double)info_property_number(info, OMPTAPE_KEY_PROCESSORS_STOLEN);
    const uint64_t others = info_property_number(info, OMPTAPE_KEY_OTHER_THREADS);
    const uint64_t memory = info_property_number(info, OMPTAPE_KEY_PEAK_MEMORY);
    if (all > 0)
        snprintf(text, sizeof(text),
                 ", busy with anything %.1f %% of the time, taken by the hypervisor %.1f %%",
                 fmin(100 * busy / all, 100), fmin(100 * stolen / all, 100));
    if (allowed != NULL)
        info_field(info, "Processors", "%s allowed%s", allowed, text);
    print_quota(info);
    if (memory > 0)
        info_field(info, "Memory", "%s at most", units_bytes(memory).text);
    if (others > 0)
        info_field(info, "Other threads",
                   "%s without a location that were seen; all used %s of processor time", info_number(others),
                   units_time(info_property_number(info, OMPTAPE_KEY_OTHER_TIME)).text);
}

void info_print_recording(struct info *info)
{
    struct info_amount files[INFO_FILE_CLASSES] = {{0}};
    info_add_files(info->reader, files);
    struct info_amount size = info_all_files(files);
    info_field(info, "Archive", "%s", omptape_reader_path(info->reader));
    info_optional(info, "Program", info_property(info, OMPTAPE_KEY_PROGRAM));
    info_optional(info, "Command line", info->profile.command_line);
    info_optional(info, "Process", info_property(info, OMPTAPE_KEY_PID));
    print_hosts(info);
    print_start(info);
    uint64_t summed = omptape_reader_number_of(info->reader, -1, OMPTAPE_KEY_PROFILE);
    uint64_t length = summed > 0 ? info->reader->clock_length : 0;
    info_field(info, "Duration", "%s",
               info_time(info, info->profile.events > 0
                                   ? omptape_minus(info->profile.last_time, info->profile.first_time)
                                   : length));
    print_end(info);
    print_creator(info);
    info_field(info, "Size", "%s in %s file%s", units_bytes(size.bytes).text, info_number(size.number),
               size.number == 1 ? "" : "s");
    if (info->profile.events > 0) {
        info_field(info, "Events", "%s (%.1f bytes an event)", info_number(info->profile.events),
                   (double)size.bytes / (double)info->profile.events);
    } else if (summed > 0) {
        info_field(info, "Events", "none: this is a profile, the sums of %s (`omptape report` shows them)",
                   info_number(summed));
    } else {
        info_field(info, "Events", "none");
    }
    print_cost(info);
    print_samples(info);
    print_counters(info);
    print_surroundings(info);
    print_clock(info);
}

void info_print_times(struct info *info)
{
    char work[THREAD_TIME_BYTES];
    struct thread_time time = {.lived = info_property_number(info, OMPTAPE_KEY_TIME_LIVED)};
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        time.parts[bucket] = info_property_number(info, omptape_buckets[bucket].key);
    if (time.lived == 0)
        return;
    (void)thread_time_at_work(&time, info_property_number(info, OMPTAPE_KEY_DURATION), work, sizeof(work));
    info_title(info, "Thread time (%s in all%s%s)", units_time(time.lived).text, work[0] != '\0' ? "; " : "",
               work);
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (time.parts[bucket] > 0)
            fprintf(info->out, "  %11s  %5.1f %%  %s\n", units_time(time.parts[bucket]).text,
                    thread_time_share(&time, bucket), omptape_buckets[bucket].name);
}

static void print_warnings(struct info *info)
{
    char key[32] = OMPTAPE_KEY_WARNING;
    const char *text = info_property(info, key);
    for (unsigned number = 1; text != NULL; number++) {
        info_field(info, number == 1 ? "Warning" : "", "%s", text);
        snprintf(key, sizeof(key), OMPTAPE_KEY_WARNING "::%u", number);
        text = info_property(info, key);
    }
}

/* Prints nothing if the archive has no such properties. */
void info_print_completeness(struct info *info)
{
    if (info_property(info, OMPTAPE_KEY_RECORDS) == NULL)
        return;
    uint64_t dropped = info_property_number(info, OMPTAPE_KEY_DROPPED);
    uint64_t waited = info_property_number(info, OMPTAPE_KEY_STALLED);
    uint64_t made = info_property_number(info, OMPTAPE_KEY_SYNTHESISED);
    info_title(info, "Completeness");
    info_field(info, "Records", "%s read from the program, %s dropped",
               info_number(info_property_number(info, OMPTAPE_KEY_RECORDS)),
               dropped == 0 ? "none" : info_number(dropped));
    uint64_t forgotten = info_property_number(info, OMPTAPE_KEY_FORGOTTEN);
    if (forgotten > 0) {
        info_field(info, "Overwritten", "%s older events: this is the end of a longer recording",
                   info_number(forgotten));
    }
    info_field(info, "Stalled", waited == 0 ? "never" : "%s of thread time, waiting for buffers",
               units_time(waited).text);
    const char *end = info_property(info, OMPTAPE_KEY_END);
    const bool ended = end != NULL && strcmp(end, "finalize") != 0;
    info_field(info, "Ends added",
               made == 0 ? "none"
               : ended   ? "%s, of what was open when it was ended: omptape report says whether it hung"
                         : "%s, of what was open at the end, or whose end was lost",
               info_number(made));
    print_warnings(info);
}
