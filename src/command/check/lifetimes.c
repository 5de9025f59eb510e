/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies the lives of threads that a program creates: ThreadCreate, ThreadBegin, ThreadWait and ThreadEnd
 * with one number belong together. A thread without a location is created and awaited, but neither begins nor
 * ends. One whose creation was not recorded has no number until its end. The location of a thread of OpenMP
 * may end before it is known who waits for the thread. Called by events.c and check.c.
 */
#include "src/command/check/state.h"

#include "src/core/store.h"

#include <inttypes.h>

static const char TOPIC[] = "lifetime";

enum { CREATE, BEGIN, WAIT, END, EVENTS };

static const char *const names[EVENTS] = {"ThreadCreate", "ThreadBegin", "ThreadWait", "ThreadEnd"};

/* The events of one thread; number 0: not seen. */
struct check_life {
    struct check_place seen[EVENTS];
    bool is_of_openmp;
    uint64_t sequence;
};

void check_lifetime(struct check *check, struct check_location *location, const struct omptape_event *event)
{
    const unsigned which = (unsigned)event->kind - OMPTAPE_EVENT_THREAD_CREATE;
    if (which == END && !location->thread_begun && !check->gaps)
        check_report(check, TOPIC, "expected a ThreadBegin before, found none");
    location->thread_begun = which == BEGIN || (location->thread_begun && which != END);
    if ((which == BEGIN || which == END) && event->value[0] == OTF2_UNDEFINED_UINT64)
        return; /* its creation is unknown, or nobody waits for it */
    struct check_life *life =
        omptape_pairs_obtain(&check->lives, &check->arena, event->refs[0].id, event->value[0], sizeof(*life));
    if (life == NULL)
        return;
    life->sequence = event->value[0];
    if (life->seen[which].number > 0) {
        check_report(check, TOPIC, "expected the number %" PRIu64 " once, found it again", life->sequence);
        return;
    }
    life->seen[which] = check->at;
    life->is_of_openmp = life->is_of_openmp || (which == BEGIN && !location->is_other);
}

/* Reports an event whose cause is later, or missing although it is needed. */
static void check_cause(struct check *check, const struct check_life *life, unsigned cause, unsigned effect,
                        bool is_needed)
{
    if (life->seen[effect].number == 0)
        return;
    if (life->seen[cause].number == 0 && is_needed && !check->gaps)
        check_report_at(check, TOPIC, &life->seen[effect],
                        "expected a %s with the number %" PRIu64 ", found none", names[cause],
                        life->sequence);
    else if (life->seen[cause].number > 0 && life->seen[cause].time > life->seen[effect].time)
        check_report_at(check, TOPIC, &life->seen[effect],
                        "expected the %s %" PRIu64 " not later, found it at %" PRIu64, names[cause],
                        life->sequence, life->seen[cause].time);
}

void check_lifetimes_end(struct check *check)
{
    for (uint32_t i = 0; i < check->lives.count && !check_stopped(check); i++) {
        const struct check_life *life = check->lives.list[i].value;
        const bool has_ended = life->seen[END].number > 0;
        check_cause(check, life, CREATE, BEGIN, true);
        check_cause(check, life, CREATE, WAIT, false);
        check_cause(check, life, BEGIN, END, false);
        check_cause(check, life, END, WAIT,
                    life->seen[BEGIN].number > 0 && !life->is_of_openmp && !check->ended_early);
        if (has_ended && life->seen[WAIT].number == 0 && !life->is_of_openmp && !check->gaps &&
            !check->ended_early)
            check_report_at(check, TOPIC, &life->seen[END],
                            "expected a ThreadWait with the number %" PRIu64 ", found none", life->sequence);
    }
}
