/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies the marker file: marker definitions, what markers refer to, and their times. Called by check.c
 * and back by the archive reader.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static const char TOPIC[] = "marker";

bool omptape_check_marker(void *data, const struct omptape_marker *marker)
{
    struct omptape_check *check = data;
    const struct omptape_reader *reader = check->reader;
    check->seen.markers++;
    struct check_label subject;
    snprintf(subject.text, sizeof(subject.text), "marker %" PRIu64 " (in file order)", check->seen.markers);
    omptape_check_reference(check, &marker->definition, NULL, 0, 0, subject.text);
    omptape_check_reference(check, &marker->scope, NULL, 0, 0, subject.text);
    if (!marker->scope_known)
        omptape_check_report(check, TOPIC, "%s: expected a known scope, found another", subject.text);
    uint64_t last = reader->clock_offset + reader->clock_length;
    if (reader->clocks > 0 && (marker->time < reader->clock_offset || marker->time > last ||
                               marker->duration > last - marker->time)) {
        omptape_check_report(check, TOPIC,
                             "%s: expected a time in the trace's range [%" PRIu64 ", %" PRIu64
                             "], found %" PRIu64 " for %" PRIu64,
                             subject.text, reader->clock_offset, last, marker->time, marker->duration);
    }
    return !omptape_check_stopped(check);
}

void omptape_check_marker_definitions(struct omptape_check *check, size_t first)
{
    for (size_t i = first; i < check->reader->definition_count && !omptape_check_stopped(check); i++) {
        const struct omptape_definition *definition = check->reader->definitions[i];
        if (omptape_reader_find(check->reader, OMPTAPE_DEF_MARKER, definition->id) != definition) {
            omptape_check_report(check, TOPIC,
                                 "marker definition %" PRIu64
                                 ": expected one with this id, found a second (duplicate)",
                                 definition->id);
        }
    }
}
