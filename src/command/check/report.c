/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints violations, one line each: archive, topic, location, event, time, expected and found.
 */
#include "src/command/check/state.h"

#include <inttypes.h>
#include <stdarg.h>

enum { MESSAGE_BYTES = 1024, NAME_BYTES = 128 };

bool check_stopped(const struct check *check)
{
    return omptape_out_of_memory || check->violations >= check->limit;
}

struct check_label check_label(const struct check *check, enum omptape_definition_kind kind, uint64_t id)
{
    struct check_label label;
    char name[NAME_BYTES];
    omptape_cut_text(omptape_reader_name(check->reader, kind, id), name, sizeof(name));
    if (name[0] != '\0') {
        snprintf(label.text, sizeof(label.text), "%s %" PRIu64 " \"%s\"", omptape_definition_kind_name(kind),
                 id, name);
    } else {
        snprintf(label.text, sizeof(label.text), "%s %" PRIu64, omptape_definition_kind_name(kind), id);
    }
    return label;
}

/* Prints a timestamp, and the seconds since the start of the trace if the clock is known. */
static void print_time(const struct check *check, uint64_t time, FILE *out)
{
    const struct omptape_reader *reader = check->reader;
    fprintf(out, "time %" PRIu64, time);
    if (reader->clock_resolution != 0) {
        double ticks = time >= reader->clock_offset ? (double)(time - reader->clock_offset)
                                                    : -(double)(reader->clock_offset - time);
        fprintf(out, " (%.9f s)", ticks / (double)reader->clock_resolution);
    }
}

static void report(struct check *check, const char *topic, const struct check_place *place,
                   const char *format, va_list arguments)
{
    char message[MESSAGE_BYTES];
    if (check_stopped(check))
        return;
    check->violations++;
    if (check->quiet)
        return;
    fprintf(check->out, "%s: [%s] ", omptape_reader_path(check->reader), topic);
    if (place->location != NULL)
        fprintf(check->out, "%s, ",
                check_label(check, OMPTAPE_DEF_LOCATION, place->location->definition->id).text);
    if (place->number > 0) {
        fprintf(check->out, "event %" PRIu64 ", ", place->number);
        print_time(check, place->time, check->out);
        fprintf(check->out, ": %s%s", place->name != NULL ? place->name : "",
                place->name != NULL ? ": " : "");
    } else if (place->location != NULL) {
        fputs("end of its events: ", check->out);
    }
    vsnprintf(message, sizeof(message), format, arguments);
    fprintf(check->out, "%s\n", message);
}

void check_report_at(struct check *check, const char *topic, const struct check_place *place,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(check, topic, place, format, arguments);
    va_end(arguments);
}

void check_report(struct check *check, const char *topic, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(check, topic, &check->at, format, arguments);
    va_end(arguments);
}
