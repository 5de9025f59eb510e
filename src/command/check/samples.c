/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies the samples of omptape's archives: on threads, after the first event, while recording is on, in
 * calling contexts of functions and constructs, and as many as the archive says. Called by events.c.
 */
#include "src/command/check/state.h"
#include <omptape/properties.h>

#include <inttypes.h>

static const char TOPIC[] = "sample";

/* The sample's own context. Its ancestors are those of other contexts. */
static void check_context(struct omptape_check *check, const struct check_location *location,
                          const struct omptape_event *event)
{
    const struct omptape_definition *context =
        omptape_reader_find(check->reader, OMPTAPE_DEF_CALLING_CONTEXT, event->refs[0].id);
    const struct omptape_definition *region =
        context != NULL ? omptape_reader_find(check->reader, OMPTAPE_DEF_REGION, context->refs[0].id) : NULL;
    if (region != NULL && region->value[1] != OTF2_PARADIGM_SAMPLING &&
        region->value[1] != OTF2_PARADIGM_OPENMP)
        omptape_check_report_event(check, TOPIC, location, event,
                                   "expected a function or a construct, found %s",
                                   omptape_check_label(check, OMPTAPE_DEF_REGION, region->id).text);
}

void omptape_check_sample(struct omptape_check *check, struct check_location *location,
                          const struct omptape_event *event)
{
    check->seen.samples++;
    if (!check->promised)
        return;
    if (location->definition->value[0] != OTF2_LOCATION_TYPE_CPU_THREAD)
        omptape_check_report_event(check, TOPIC, location, event,
                                   "expected a thread, found a location of type %" PRIu64,
                                   location->definition->value[0]);
    if (location->events == 1)
        omptape_check_report_event(check, TOPIC, location, event,
                                   "expected other events of the thread before it, found none");
    if (location->measurement == CHECK_MEASUREMENT_OFF)
        omptape_check_report_event(check, TOPIC, location, event,
                                   "expected measurement to be on, found it off");
    check_context(check, location, event);
}

void omptape_check_samples_end(struct omptape_check *check)
{
    const uint64_t promised = omptape_reader_number_of(check->reader, -1, OMPTAPE_KEY_SAMPLES);
    if (check->promised && check->seen.samples != promised)
        omptape_check_report(check, TOPIC, "expected %" PRIu64 " samples (the property %s), found %" PRIu64,
                             promised, OMPTAPE_KEY_SAMPLES, check->seen.samples);
}
