/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts events in the wrong order, and converts src/unify/order/'s shifts to corrections (reading.h).
 */
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/unify/reading.h"

#include "src/core/guarded_child.h"
#include "src/core/message.h"
#include "src/unify/order/links.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Readers round times to ticks. */
enum { ROUNDING = 2 };

/* Arguments and results of the counting child, in shared memory. */
struct counting {
    const char *dir;
    struct omptape_unify_progress *progress;
    struct omptape_order_counts counts;
    uint64_t beats;
    bool done;
    int result;
    char error[OMPTAPE_UNIFY_ERROR_BYTES];
};

static void count_in_child(void *data)
{
    struct counting *counting = data;
    counting->result = omptape_order_count(counting->dir, &counting->counts, &counting->beats,
                                           counting->error, sizeof(counting->error));
    counting->done = true;
}

static uint64_t show_counting(void *data)
{
    const volatile struct counting *counting = data;
    omptape_unify_progress_update(counting->progress);
    return counting->beats;
}

int omptape_unify_count(const char *dir, struct omptape_order_counts *counts,
                        struct omptape_unify_progress *progress, char *error, size_t bytes)
{
    int status = 0;
    struct counting *counting = omptape_guarded_memory(sizeof(*counting));
    if (counting == NULL)
        return -ENOMEM;
    counting->dir = dir;
    counting->progress = progress;
    omptape_unify_progress_step(progress, "messages", 0);
    int result = omptape_guarded_child(count_in_child, show_counting, counting, &status);
    if (result == 0 && !counting->done)
        result = -EIO;
    snprintf(error, bytes, "%s", result == 0 ? counting->error : omptape_cause(result));
    result = result == 0 ? counting->result : result;
    *counts = counting->counts;
    munmap(counting, sizeof(*counting));
    return result;
}

static void describe_time(long double seconds, char *text, size_t bytes)
{
    if (seconds < 1e-3L)
        snprintf(text, bytes, "%.1Lf us", seconds * 1e6L);
    else if (seconds < 1)
        snprintf(text, bytes, "%.1Lf ms", seconds * 1e3L);
    else
        snprintf(text, bytes, "%.1Lf s", seconds);
}

void omptape_unify_describe_order(const char *dir, const struct omptape_order_counts *counts, bool corrected,
                                  char *line, size_t bytes)
{
    char most[64];
    char operations[128] = "";
    describe_time((long double)counts->max_early / (long double)counts->resolution, most, sizeof(most));
    line[0] = '\0';
    if (counts->operations > 0)
        snprintf(operations, sizeof(operations),
                 ", and %" PRIu64 " of %" PRIu64
                 " ends of collective operations come before their begin elsewhere",
                 counts->left_early, counts->operations);
    if (omptape_unify_is_early(counts))
        snprintf(line, bytes,
                 "the hosts' clocks disagree: %" PRIu64 " of %" PRIu64
                 " messages arrive before they are sent%s, by %s "
                 "at most%s%.300s",
                 counts->received_early, counts->messages, operations, most,
                 corrected ? "" : "; it can be mended by `omptape unify --mend-clocks ",
                 corrected ? "" : dir);
    if (line[0] != '\0' && !corrected && strlen(line) + 2 < bytes)
        strcat(line, "`");
}

/* Lists the times where a process's corrections change their slope. Returns NULL if out of memory. */
static uint64_t *list_bends(const struct omptape_unify_corrections *before,
                            const struct omptape_order_shifts *shifts, const struct omptape_unify_part *part,
                            uint32_t *count)
{
    uint64_t *times = omptape_calloc((size_t)before->count + shifts->count + 3, sizeof(*times));
    *count = 0;
    if (times == NULL)
        return NULL;
    times[(*count)++] = part->offset;
    for (uint32_t i = 0; i < before->count; i++)
        times[(*count)++] = before->list[i].ticks + (uint64_t)before->list[i].offset;
    for (uint32_t i = 0; i < shifts->count; i++)
        times[(*count)++] = shifts->points[i].time;
    omptape_sort(times, *count, sizeof(*times), omptape_compare_whole);
    /* Readers extrapolate after the last correction from the last two. These two points have no shift. */
    const uint64_t last = times[*count - 1];
    times[(*count)++] = last + part->resolution;
    times[(*count)++] = last + 2 * part->resolution;
    return times;
}

/* Combines the process's corrections with its shifts. */
static int make_corrections(struct omptape_unify_corrections *made,
                            const struct omptape_unify_corrections *before,
                            const struct omptape_order_shifts *shifts, const struct omptape_unify_part *part)
{
    uint32_t count;
    const double deviation = before->count > 0 ? before->list[0].deviation : 0;
    uint64_t *times = list_bends(before, shifts, part, &count);
    made->list = times != NULL ? omptape_calloc(count, sizeof(*made->list)) : NULL;
    if (made->list == NULL) {
        free(times);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t ticks = omptape_unify_uncorrected(before, times[i]);
        const uint64_t time = times[i] + omptape_order_shift_at(shifts, times[i]);
        const struct omptape_unify_correction *last = made->count > 0 ? &made->list[made->count - 1] : NULL;
        if (last != NULL && (ticks < last->ticks || time <= last->ticks + (uint64_t)last->offset))
            continue;
        /* Of two corrections for one tick the later time is kept, because the event must not come earlier. */
        made->count -= last != NULL && ticks == last->ticks;
        made->list[made->count++] = (struct omptape_unify_correction){
            .ticks = ticks, .offset = (int64_t)(time - ticks), .deviation = deviation};
    }
    free(times);
    return 0;
}

static const struct omptape_order_shifts *shifts_of(const struct omptape_order_correction *correction,
                                                    const struct omptape_unify_model *model, uint64_t group)
{
    const struct omptape_unify_map *groups = &model->parts[0].maps[OMPTAPE_UNIFY_LOCATION_GROUP];
    for (uint32_t i = 0; i < correction->count; i++)
        if (omptape_unify_map_get(groups, correction->processes[i].group) == group)
            return &correction->processes[i];
    return NULL;
}

static int copy_corrections(struct omptape_unify_corrections *made,
                            const struct omptape_unify_corrections *before)
{
    made->list = omptape_calloc((size_t)before->count + 1, sizeof(*made->list));
    if (made->list == NULL)
        return -ENOMEM;
    if (before->count > 0)
        memcpy(made->list, before->list, before->count * sizeof(*made->list));
    made->count = before->count;
    return 0;
}

static int set_corrections(struct omptape_unify_model *model,
                           const struct omptape_order_correction *correction)
{
    const struct omptape_unify_part *part = &model->parts[0];
    const uint64_t last = part->offset + part->length;
    struct omptape_unify_conversion *conversion = &model->conversion;
    model->corrected = omptape_calloc(model->process_count + 1U, sizeof(*model->corrected));
    int result = model->corrected != NULL ? 0 : -ENOMEM;
    conversion->resolution = part->resolution;
    conversion->realtime = part->realtime;
    conversion->first = part->offset;
    conversion->last = last;
    for (uint32_t i = 0; i < model->process_count && result == 0; i++) {
        const struct omptape_unify_process *process = &model->processes[i];
        const struct omptape_order_shifts *shifts = shifts_of(correction, model, process->group);
        result = shifts != NULL ? make_corrections(&model->corrected[i], &process->before, shifts, part)
                                : copy_corrections(&model->corrected[i], &process->before);
        if (shifts != NULL && last + omptape_order_shift_at(shifts, last) + ROUNDING > conversion->last)
            conversion->last = last + omptape_order_shift_at(shifts, last) + ROUNDING;
    }
    return result;
}

int omptape_unify_correct_order(struct omptape_unify_model *model,
                                const struct omptape_unify_order_correction *correction,
                                volatile uint64_t *beats)
{
    struct omptape_order_correction found;
    char error[OMPTAPE_UNIFY_ERROR_BYTES] = "";
    int result =
        omptape_order_correct(&found, correction->dir, &correction->counts, beats, error, sizeof(error));
    if (result != 0)
        omptape_unify_fail(model, "%s", error);
    else
        (void)set_corrections(model, &found);
    omptape_order_correction_free(&found);
    return omptape_unify_failed(model) ? -1 : 0;
}
