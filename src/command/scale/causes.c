/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds why more threads are not faster (scale.h). Compares the thread time of the first size with the
 * largest size that has a processor for each thread. Without losses, thread time would stay the same.
 */
#include "src/command/scale/scale.h"

#include "src/command/text/units.h"
#include "src/core/words.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Share of the other threads' waiting if a single thread did all work. Above it a part counts as serial. */
static const double MIN_SERIAL_WAITING = 0.8;
/* Share of the thread time. A smaller increase is not explained. */
static const double MIN_INCREASE = 0.15;
/* Share of the increase. Causes that explain less are not reported. */
static const double MIN_SHARE_OF_INCREASE = 0.25;
/* Share of the thread time. Causes that explain less are not reported. */
static const double MIN_SHARE_OF_TIME = 0.1;
/* Growth of computing time that exceeds the variation by clock frequency and caches. */
static const double MIN_COMPUTING_GROWTH = 1.15;
/* Share of the thread time. If threads lacked a processor for longer, others may have slowed down computing,
 * too. */
static const double MAX_MISSING_TIME = 0.1;
/* Share of the largest size's wall time. Shorter serial parts are not described. */
static const double MIN_SERIAL_SHARE = 0.1;

static const struct {
    const char *key;
    const char *text; /* completes the sentence "N % of the thread time is lost ..." */
} losses[REPORT_LOSSES] = {
    [REPORT_LOSS_COMPUTING] = {"computing", "computing"},
    [REPORT_LOSS_COMMUNICATION] = {"communication", "in MPI"},
    [REPORT_LOSS_SERIAL] = {"serial", "while one thread works and the others wait"},
    [REPORT_LOSS_LOCK] = {"lock", "by waiting for locks"},
    [REPORT_LOSS_IMBALANCE] = {"imbalance", "by waiting for the slowest thread"},
    [REPORT_LOSS_MANAGEMENT] = {"management", "to the management of tasks, regions and barriers"},
    [REPORT_LOSS_BLOCKED] = {"blocked", "to sleep at work"},
    [REPORT_LOSS_PROCESSOR] = {"processor", "for want of a processor"},
};

const char *scale_loss_key(enum report_loss loss)
{
    return losses[loss].key;
}

const char *scale_part_name(const struct scale_part *part)
{
    return part->kind == REPORT_ROW_WHOLE ? "the whole" : part->name;
}

/* Returns the largest size that contains the part and has a processor for each thread; 0 if only the
 * first. */
static uint32_t find_compared_size(const struct scale *scale, const struct scale_part *part)
{
    for (uint32_t i = scale->size_count; i-- > 1;)
        if (part->rows[i] != NULL && !scale->sizes[i].is_oversubscribed &&
            scale->sizes[i].threads > scale->sizes[0].threads)
            return i;
    return 0;
}

static void add_cause(struct scale_part *part, enum report_loss loss, const double *first, const double *last)
{
    part->causes[part->cause_count++] =
        (struct scale_cause){loss, first[loss], last[loss], last[loss] / report_losses_sum(last)};
}

/* Returns true if one thread does most of the part's work in the largest size. */
static bool is_mostly_serial(const struct scale *scale, const struct scale_part *part)
{
    const uint32_t last = scale->size_count - 1;
    if (part->rows[last] == NULL)
        return false;
    const double *now = part->rows[last]->losses;
    const double threads = scale->sizes[last].threads;
    return now[REPORT_LOSS_SERIAL] > MIN_SERIAL_WAITING * (threads - 1) / threads * report_losses_sum(now);
}

void scale_find_causes(const struct scale *scale, struct scale_part *part)
{
    const uint32_t compared_size = part->rows[0] != NULL ? find_compared_size(scale, part) : 0;
    double grown[REPORT_LOSSES];
    part->compared_size = compared_size;
    part->is_serial = part->kind == REPORT_ROW_REGION && is_mostly_serial(scale, part);
    if (compared_size == 0)
        return;
    const double *first = part->rows[0]->losses;
    const double *last = part->rows[compared_size]->losses;
    const double all = report_losses_sum(last);
    const double times =
        scale->is_weak ? (double)scale->sizes[compared_size].threads / scale->sizes[0].threads : 1;
    for (int loss = 0; loss < REPORT_LOSSES; loss++)
        grown[loss] = last[loss] - times * first[loss];
    const double excess = report_losses_sum(grown);
    if (last[REPORT_LOSS_COMPUTING] > 0)
        part->computation = times * first[REPORT_LOSS_COMPUTING] / last[REPORT_LOSS_COMPUTING];
    if (excess < MIN_INCREASE * all)
        return;
    if (part->computation > 1 / MIN_COMPUTING_GROWTH || last[REPORT_LOSS_PROCESSOR] > MAX_MISSING_TIME * all)
        grown[REPORT_LOSS_COMPUTING] = 0;
    while (part->cause_count < SCALE_MAX_CAUSES) {
        int max = 0;
        for (int loss = 1; loss < REPORT_LOSSES; loss++)
            max = grown[loss] > grown[max] ? loss : max;
        if (grown[max] < MIN_SHARE_OF_INCREASE * excess || grown[max] < MIN_SHARE_OF_TIME * all)
            break;
        add_cause(part, (enum report_loss)max, first, last);
        grown[max] = 0;
    }
}

static void append(struct scale_part *part, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct scale_part *part, const char *format, ...)
{
    const size_t used = strlen(part->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(part->text + used, sizeof(part->text) - used, format, arguments);
    va_end(arguments);
}

/* Writes "2 threads" or "4 x 2 threads". */
static struct units_text name_size(const struct scale *scale, uint32_t number)
{
    const struct scale_size *size = &scale->sizes[number];
    struct units_text name = units_things(size->threads, "thread");
    if (scale->has_many_processes)
        (void)snprintf(name.text, sizeof(name.text), "%u x %u threads", size->processes,
                       size->threads / size->processes);
    return name;
}

/* Describes from which size on the part does not become faster, or its speed-up. */
static void describe_best(const struct scale *scale, struct scale_part *part)
{
    const uint32_t last = scale->size_count - 1;
    const struct units_text with = name_size(scale, last);
    if (part->stops_scaling) {
        append(part, "stops paying at %s: %s, and %s with %s", name_size(scale, part->best).text,
               units_seconds(part->rows[part->best]->value).text, units_seconds(part->rows[last]->value).text,
               with.text);
        if (scale->sizes[last].is_oversubscribed && scale->sizes[last].processors > 0)
            append(part, " on %.0f processors", scale->sizes[last].processors);
        if (part->gain <= 0)
            append(part, ", which is no more than noise");
    } else if (last > 0 && part->rows[0] != NULL && part->rows[last] != NULL && part->rows[last]->value > 0 &&
               !scale->is_weak) {
        append(part, "%s are %.2f times as fast as %s", with.text,
               part->rows[0]->value / part->rows[last]->value, name_size(scale, 0).text);
    }
}

/* Describes a region whose team is smaller than the number of available threads. */
static void describe_team(const struct scale *scale, struct scale_part *part)
{
    const uint32_t last = scale->size_count - 1;
    const struct report_row *row = part->rows[last];
    if (part->kind == REPORT_ROW_REGION && row != NULL && row->team >= 1 &&
        row->team < scale->sizes[last].threads)
        append(part, ". With %s, it has only %.0f", name_size(scale, last).text, row->team);
}

/* Proposes a number of threads for this region and predicts the program's time with it. */
static void describe_gain(const struct scale *scale, struct scale_part *part)
{
    const struct scale_size *last = &scale->sizes[scale->size_count - 1];
    const struct scale_size *best = &scale->sizes[part->best];
    if (part->gain <= 0 || part->kind != REPORT_ROW_REGION || best->processes != last->processes ||
        !part->rows[scale->size_count - 1]->dominates_parallel)
        return;
    switch (part->rows[part->best]->construct) {
    case OMPTAPE_REGION_PARALLEL:
    case OMPTAPE_REGION_LOOP:
    case OMPTAPE_REGION_SECTIONS:
    case OMPTAPE_REGION_WORKSHARE:
        append(part, ". With num_threads(%u) there the program would take about %s in place of %s",
               best->threads / best->processes, units_seconds(last->wall->value - part->gain).text,
               units_seconds(last->wall->value).text);
        break;
    default:
        break;
    }
}

static void describe_cause(const struct scale *scale, struct scale_part *part,
                           const struct scale_cause *cause)
{
    const double percent = 100;
    const struct units_text last = name_size(scale, part->compared_size);
    if (cause->loss == REPORT_LOSS_COMPUTING)
        append(part,
               ". Computing takes %.2f times the thread time with %s: memory bandwidth, caches, data that "
               "threads share, or work that is done more than once",
               part->computation > 0 ? 1 / part->computation : 0, last.text);
    else
        append(part, ". With %s, %s of thread time (%.0f %%) is lost %s; with %s %s", last.text,
               units_seconds(cause->last).text, percent * cause->share, losses[cause->loss].text,
               name_size(scale, 0).text, units_seconds(cause->first).text);
}

/* Describes a normal form: "0.20 s + 3.00 s P^0.67 log2(P)". */
static void describe_normal_form(struct scale_part *part)
{
    const struct scale_term *term = &part->fit.terms[1];
    append(part, " it takes %.3g s + %.3g s", part->fit.terms[0].seconds, term->seconds);
    if (term->exponent != 0)
        append(part, " P^%.3g", term->exponent);
    if (term->logarithms > 0)
        append(part, term->logarithms > 1 ? " log2(P)^2" : " log2(P)");
    append(part, " with P threads");
}

/* Describes what is certain about the curve: the fastest number of threads, the serial share or the form. */
static void describe_curve(const struct scale *scale, struct scale_part *part)
{
    const double max_times = 2;
    const struct scale_fit *fit = &part->fit;
    const double percent = 100;
    const double one = scale_fit_time(fit, 1);
    const double constant = fit->terms[0].seconds;
    const double fastest =
        fit->model == SCALE_MODEL_USL ? fmax(1, sqrt(fit->terms[1].seconds / fit->terms[2].seconds)) : 0;
    const double little = 0.05;
    const double changes =
        fabs(scale_fit_time(fit, fit->max_threads) / scale_fit_time(fit, scale->sizes[0].threads) - 1);
    const bool is_serial_known = fit->model == SCALE_MODEL_AMDAHL && constant > 2 * fit->constant_error &&
                                 constant >= little / 10 * one;
    const bool is_fastest_known =
        fastest > 0 && fastest <= max_times * (double)scale->sizes[scale->size_count - 1].threads;
    if (is_fastest_known)
        append(part, " it is fastest with %.0f threads", fastest);
    else if (is_serial_known)
        append(part, " %.0f %% is serial: at most %.1f times as fast as with 1 thread",
               percent * constant / one, one / constant);
    else if (fit->model == SCALE_MODEL_NORMAL_FORM && changes > little)
        describe_normal_form(part);
}

static void describe_prediction(struct scale_part *part)
{
    if (part->prediction.threads == 0)
        return;
    append(part, " %u threads would take %s +- %s", part->prediction.threads,
           units_seconds(part->prediction.time).text, units_seconds(part->prediction.half_interval).text);
    if (part->prediction.enough > 0 && !part->stops_scaling)
        append(part, ". From %u thread%s on, twice as many win less than 10 %%", part->prediction.enough,
               part->prediction.enough == 1 ? "" : "s");
}

static void describe_fit(const struct scale *scale, struct scale_part *part)
{
    const size_t before = strlen(part->text);
    append(part, ". By its curve (%s, error %.0f %%)", scale_model_name(part->fit.model),
           100 * part->fit.error);
    const size_t begun = strlen(part->text);
    describe_curve(scale, part);
    if (strlen(part->text) > begun && part->prediction.threads > 0)
        append(part, ";");
    describe_prediction(part);
    if (strlen(part->text) == begun)
        part->text[before] = '\0';
}

/* Describes a part that one thread executes: its share of the time. */
static void describe_serial(const struct scale *scale, struct scale_part *part)
{
    const uint32_t last = scale->size_count - 1;
    const double percent = 100;
    if (part->rows[0] != NULL && part->rows[last] != NULL &&
        part->rows[last]->value >= MIN_SERIAL_SHARE * scale->sizes[last].wall->value)
        append(part, "one thread executes it: %.0f %% of the time with %s, %.0f %% (%s) with %s",
               percent * part->rows[0]->value / scale->sizes[0].wall->value, name_size(scale, 0).text,
               percent * part->rows[last]->value / scale->sizes[last].wall->value,
               units_seconds(part->rows[last]->value).text, name_size(scale, last).text);
}

/* Parts below SCALE_MIN_SHARE get no text. */
void scale_describe(const struct scale *scale, struct scale_part *part)
{
    part->text[0] = '\0';
    if (part->share < SCALE_MIN_SHARE)
        return;
    if (part->is_serial) {
        describe_serial(scale, part);
        return;
    }
    describe_best(scale, part);
    describe_team(scale, part);
    describe_gain(scale, part);
    for (unsigned i = 0; i < part->cause_count; i++)
        describe_cause(scale, part, &part->causes[i]);
    describe_fit(scale, part);
    if (omptape_starts_with(part->text, ". "))
        memmove(part->text, part->text + 2, strlen(part->text + 2) + 1);
}
