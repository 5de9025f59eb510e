/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rate is taken for a random walk, so between two anchors the most likely line is a cubic, and a constant
 * drift, a swing and a sudden change are all followed. All is told relative to each anchor itself: no large
 * number enters. Called by the fit of a device's clock.
 */
#include "writers/devices/clock/filter.h"

#include <math.h>
#include <stdlib.h>

enum {
    NONE = -1,
    LOOK_AHEAD = 5, /* anchors that are asked whether a stray one was right */
    TUNE_ANCHORS = 128,
    TUNE_LEAST = 8,
    TUNE_CALMER = 32, /* fewer anchors do not make the noise less than the readings tell */
};

static const double GATE = 6;             /* standard deviations that are no surprise */
static const double RATE_OF_ERA = 100e-6; /* what a clock's rate may change by when it is set */
static const double SET_TICKS = 200e-6;   /* seconds; a smaller leap may be drift */
static const double SET_RATE = 500e-6;    /* relative; no drift is greater */

double omptape_device_wander(double ticks_per_second)
{
    return 5e-6 * 5e-6 / ticks_per_second;
}

static double variance_of(const struct omptape_device_anchors *anchors,
                          const struct omptape_device_noise *noise,
                          const struct omptape_device_anchor *anchor)
{
    return noise->loud * omptape_device_variance(anchors, anchor) + noise->granule * noise->granule / 12;
}

/* What is expected at `to`, `step` ticks of the line after `from`, of which `belief` is known. */
static struct omptape_device_belief predict_belief(const struct omptape_device_belief *belief, double wander,
                                                   const struct omptape_device_anchor *from,
                                                   const struct omptape_device_anchor *to, double step)
{
    double ahead = omptape_device_ahead(from, to);
    struct omptape_device_belief next = {.rate = belief->rate, .bias = belief->bias};
    next.off = belief->off + step - ahead + belief->rate * step;
    next.p00 =
        belief->p00 + 2 * step * belief->p01 + step * step * belief->p11 + wander * step * step * step / 3;
    next.p01 = belief->p01 + step * belief->p11 + wander * step * step / 2;
    next.p11 = belief->p11 + wander * step;
    return next;
}

static double step_between(const struct omptape_device_noise *noise, const struct omptape_device_anchor *from,
                           const struct omptape_device_anchor *to)
{
    return omptape_device_units(from, to) * noise->slope;
}

/* Takes the anchor's own word (that `off` is 0) into what was predicted. */
static struct omptape_device_belief update_belief(const struct omptape_device_belief *predicted, double noise,
                                                  double bias)
{
    double sum = predicted->p00 + noise;
    double gain = predicted->p00 / sum;
    double rate_gain = predicted->p01 / sum;
    return (struct omptape_device_belief){
        .off = predicted->off - gain * predicted->off,
        .rate = predicted->rate - rate_gain * predicted->off,
        .p00 = gain * noise,
        .p01 = (1 - gain) * predicted->p01,
        .p11 = predicted->p11 - rate_gain * predicted->p01,
        .bias = predicted->bias + gain * (bias - predicted->bias),
    };
}

struct pass {
    struct omptape_device_anchors *anchors;
    const struct omptape_device_noise *noise;
    long last; /* the accepted anchor before, or NONE */
};

static bool is_expected(const struct pass *pass, const struct omptape_device_belief *belief,
                        const struct omptape_device_anchor *from, const struct omptape_device_anchor *to)
{
    double step = step_between(pass->noise, from, to);
    /* So far ahead that the walk of the rate would explain it in the end. */
    double most = 2 * omptape_device_ahead(from, to) + SET_TICKS * pass->anchors->ticks_per_second;
    if (step <= 0 || step > most)
        return false;
    struct omptape_device_belief next = predict_belief(belief, pass->noise->wander, from, to, step);
    double sum = next.p00 + variance_of(pass->anchors, pass->noise, to);
    return fabs(next.off) <= GATE * sqrt(sum) + belief->bias + to->bias;
}

/* A belief that starts at an anchor, knowing of the rate what the anchor before knew. */
static struct omptape_device_belief start_at(const struct pass *pass,
                                             const struct omptape_device_anchor *anchor)
{
    struct omptape_device_belief start = {.p00 = variance_of(pass->anchors, pass->noise, anchor),
                                          .p11 = pass->noise->doubt * pass->noise->doubt,
                                          .bias = anchor->bias};
    if (pass->last == NONE)
        return start;
    const struct omptape_device_belief *before = &pass->anchors->at[pass->last].forward;
    start.rate = before->rate;
    start.p11 = before->p11 + RATE_OF_ERA * RATE_OF_ERA;
    return start;
}

/* Of the anchors after the i-th, how many does this belief, held at `from`, expect? */
static int count_expected(const struct pass *pass, const struct omptape_device_belief *belief, size_t from,
                          size_t i)
{
    const struct omptape_device_anchor *at = pass->anchors->at;
    int count = 0;
    for (size_t k = i + 1; k <= i + LOOK_AHEAD && k < pass->anchors->count; k++)
        count += is_expected(pass, belief, &at[from], &at[k]);
    return count;
}

/* True if the anchors after the i-th, which was not expected, go on from it rather than from the one before.
 */
static bool is_confirmed(const struct pass *pass, size_t i)
{
    const struct omptape_device_anchor *at = pass->anchors->at;
    const struct omptape_device_belief *old = &at[pass->last].forward;
    struct omptape_device_belief loose = start_at(pass, &at[i]);
    struct omptape_device_belief new = loose;
    new.p11 = old->p11; /* else from a stray, too, the others may be reached */
    int for_old = count_expected(pass, old, (size_t)pass->last, i);
    if (for_old > 0)
        return count_expected(pass, &new, i, i) > for_old;
    return count_expected(pass, &loose, i, i) > 0;
}

static void begin_era(const struct pass *pass, struct omptape_device_anchor *anchor, int era)
{
    anchor->era = era;
    anchor->forward = start_at(pass, anchor);
    anchor->step = anchor->extra = 0;
}

static void go_on(const struct pass *pass, struct omptape_device_anchor *anchor, double step, double extra)
{
    const struct omptape_device_anchor *from = &pass->anchors->at[pass->last];
    struct omptape_device_belief next =
        predict_belief(&from->forward, pass->noise->wander, from, anchor, step);
    next.p00 += extra * extra;
    next.p11 += extra / step * (extra / step);
    anchor->era = from->era;
    anchor->step = step;
    anchor->extra = extra;
    anchor->pred_off = next.off;
    anchor->pred_rate = next.rate;
    anchor->pre00 = next.p00;
    anchor->pre01 = next.p01;
    anchor->pre11 = next.p11;
    anchor->forward = update_belief(&next, variance_of(pass->anchors, pass->noise, anchor), anchor->bias);
}

static void judge_anchor(struct pass *pass, size_t i)
{
    struct omptape_device_anchor *anchor = &pass->anchors->at[i];
    anchor->era = NONE;
    if (pass->last == NONE) {
        begin_era(pass, anchor, 0);
        pass->last = (long)i;
        return;
    }
    const struct omptape_device_anchor *from = &pass->anchors->at[pass->last];
    double step = step_between(pass->noise, from, anchor);
    if (is_expected(pass, &from->forward, from, anchor)) {
        go_on(pass, anchor, step, 0);
    } else {
        if (!is_confirmed(pass, i))
            return;
        double leap =
            from->forward.off + step * (1 + from->forward.rate) - omptape_device_ahead(from, anchor);
        double most = SET_TICKS * pass->anchors->ticks_per_second + SET_RATE * fabs(step);
        if (step <= 0 || fabs(leap) > most)
            begin_era(pass, anchor, from->era + 1);
        else
            go_on(pass, anchor, step, fabs(leap));
    }
    pass->last = (long)i;
}

/* What is known at `from` once all is known at `to`, the accepted anchor after it (Rauch, Tung and Striebel).
 */
static struct omptape_device_belief look_back(const struct omptape_device_anchor *from,
                                              const struct omptape_device_anchor *to)
{
    const struct omptape_device_belief *f = &from->forward;
    const struct omptape_device_belief *s = &to->smooth;
    double det = to->pre00 * to->pre11 - to->pre01 * to->pre01;
    if (!(det > 0))
        return *f;
    /* C = P F' inverse(P of the prediction) */
    double a00 = f->p00 + to->step * f->p01;
    double a10 = f->p01 + to->step * f->p11;
    double c00 = (a00 * to->pre11 - f->p01 * to->pre01) / det;
    double c01 = (f->p01 * to->pre00 - a00 * to->pre01) / det;
    double c10 = (a10 * to->pre11 - f->p11 * to->pre01) / det;
    double c11 = (f->p11 * to->pre00 - a10 * to->pre01) / det;
    double off = s->off - to->pred_off;
    double rate = s->rate - to->pred_rate;
    double d00 = s->p00 - to->pre00;
    double d01 = s->p01 - to->pre01;
    double d11 = s->p11 - to->pre11;
    struct omptape_device_belief belief = {.off = f->off + c00 * off + c01 * rate,
                                           .rate = f->rate + c10 * off + c11 * rate};
    belief.p00 = f->p00 + c00 * c00 * d00 + 2 * c00 * c01 * d01 + c01 * c01 * d11;
    belief.p01 = f->p01 + c00 * c10 * d00 + (c00 * c11 + c01 * c10) * d01 + c01 * c11 * d11;
    belief.p11 = f->p11 + c10 * c10 * d00 + 2 * c10 * c11 * d01 + c11 * c11 * d11;
    /* Rounding must not make anything certain. */
    belief.p00 = fmin(f->p00, fmax(belief.p00, 1e-4 * f->p00));
    belief.p11 = fmin(f->p11, fmax(belief.p11, 1e-6 * f->p11));
    belief.bias = f->bias + fmin(1, fmax(0, c00)) * (s->bias - f->bias);
    return belief;
}

static bool is_trifle(const struct omptape_device_belief *old, const struct omptape_device_belief *new)
{
    return fabs(old->off - new->off) <= 1e-3 * sqrt(new->p00) &&
           fabs(old->rate - new->rate) <= 1e-3 * sqrt(new->p11) &&
           fabs(old->p00 - new->p00) <= 1e-3 * new->p00;
}

/* Smooths backwards from the end, until below `from` nothing changes any more. */
static size_t smooth_anchors(struct omptape_device_anchors *anchors, size_t from)
{
    struct omptape_device_anchor *after = NULL;
    size_t lowest = from;
    for (size_t i = anchors->count; i-- > 0;) {
        struct omptape_device_anchor *anchor = &anchors->at[i];
        if (anchor->era < 0)
            continue;
        struct omptape_device_belief old = anchor->smooth;
        bool linked = after != NULL && after->era == anchor->era;
        anchor->smooth = linked ? look_back(anchor, after) : anchor->forward;
        if (i < from && is_trifle(&old, &anchor->smooth)) {
            anchor->smooth = old; /* so that many trifles do not add up unseen */
            break;
        }
        lowest = i < lowest ? i : lowest;
        after = anchor;
    }
    return lowest;
}

size_t omptape_device_filter(struct omptape_device_anchors *anchors, const struct omptape_device_noise *noise,
                             size_t from)
{
    /* The judgement of these looked at anchors that were not there yet. */
    from = from > LOOK_AHEAD ? from - LOOK_AHEAD : 0;
    struct pass pass = {.anchors = anchors, .noise = noise, .last = (long)from - 1};
    while (pass.last >= 0 && anchors->at[pass.last].era < 0)
        pass.last--;
    for (size_t i = from; i < anchors->count; i++)
        judge_anchor(&pass, i);
    return smooth_anchors(anchors, from);
}

/* Twice the logarithm of the likelihood of the accepted anchors from `first` on. */
static double likelihood_of(const struct omptape_device_anchors *anchors,
                            const struct omptape_device_noise *noise, size_t first)
{
    const struct omptape_device_anchor *from = &anchors->at[first];
    struct omptape_device_belief belief = from->forward;
    double sum = 0;
    for (size_t i = first + 1; i < anchors->count; i++) {
        const struct omptape_device_anchor *to = &anchors->at[i];
        if (to->era != from->era)
            continue;
        struct omptape_device_belief next = predict_belief(&belief, noise->wander, from, to, to->step);
        next.p00 += to->extra * to->extra;
        double own = variance_of(anchors, noise, to);
        double surprise = next.off * next.off / (next.p00 + own);
        sum -= log(next.p00 + own) + fmin(surprise, 36);
        belief = update_belief(&next, own, 0);
        from = to;
    }
    return sum;
}

/* The first of the newest accepted anchors of the last era; their number in `count`. */
static size_t find_newest(const struct omptape_device_anchors *anchors, size_t *count)
{
    size_t first = anchors->count;
    *count = 0;
    for (size_t i = anchors->count; i-- > 0 && *count < TUNE_ANCHORS;) {
        int era = anchors->at[i].era;
        if (era < 0)
            continue;
        if (*count > 0 && era != anchors->at[first].era)
            break;
        first = i;
        (*count)++;
    }
    return first;
}

bool omptape_device_tune(const struct omptape_device_anchors *anchors, struct omptape_device_noise *noise)
{
    enum { CALMEST = -2, LOUDEST = 5, WILDEST = 5 };
    size_t count;
    size_t first = find_newest(anchors, &count);
    if (count < TUNE_LEAST)
        return false;
    struct omptape_device_noise best = *noise;
    double least = omptape_device_wander(anchors->ticks_per_second);
    double most = -INFINITY;
    for (int loud = count < TUNE_CALMER ? 0 : CALMEST; loud <= LOUDEST; loud++) {
        for (int wild = 0; wild <= WILDEST; wild++) {
            struct omptape_device_noise tried = *noise;
            tried.loud = pow(4, loud);
            tried.wander = least * pow(4, wild);
            /* What is unusual must be a good deal likelier. */
            double found = likelihood_of(anchors, &tried, first) - 4 * wild - 4 * abs(loud);
            if (found <= most)
                continue;
            most = found;
            best = tried;
        }
    }
    bool changed = best.loud != noise->loud || best.wander != noise->wander;
    *noise = best;
    return changed;
}
