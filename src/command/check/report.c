/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints violations, one line each: archive, topic, location, event, time, expected and found. Called by all
 * files of this folder.
 */
#include "src/command/check/state.h"

#include <inttypes.h>
#include <stdarg.h>

enum { MESSAGE_BYTES = 1024, NAME_BYTES = 128 };

bool omptape_check_stopped(const struct omptape_check *check)
{
    return omptape_out_of_memory || check->violations >= check->limit;
}

struct check_label omptape_check_label(const struct omptape_check *check, enum omptape_definition_kind kind,
                                       uint64_t id)
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
static void print_time(const struct omptape_check *check, uint64_t time, FILE *out)
{
    const struct omptape_reader *reader = check->reader;
    fprintf(out, "time %" PRIu64, time);
    if (reader->clock_resolution != 0) {
        double ticks = time >= reader->clock_offset ? (double)(time - reader->clock_offset)
                                                    : -(double)(reader->clock_offset - time);
        fprintf(out, " (%.9f s)", ticks / (double)reader->clock_resolution);
    }
}

/* Counts the violation. Returns true if the caller should print it, after printing the line's prefix. */
static bool begin_violation(struct omptape_check *check, const char *topic)
{
    if (omptape_check_stopped(check))
        return false;
    check->violations++;
    if (!check->quiet)
        fprintf(check->out, "%s: [%s] ", omptape_reader_path(check->reader), topic);
    return !check->quiet;
}

static void end_violation(const struct omptape_check *check, const char *format, va_list arguments)
{
    char message[MESSAGE_BYTES];
    vsnprintf(message, sizeof(message), format, arguments);
    fprintf(check->out, "%s\n", message);
}

/* Prints a violation at an event. `name` is the event's name, or NULL. */
static void report_at(struct omptape_check *check, const char *topic, const struct check_location *location,
                      uint64_t number, uint64_t time, const char *name, const char *format, va_list arguments)
{
    if (!begin_violation(check, topic))
        return;
    fprintf(check->out, "%s, event %" PRIu64 ", ",
            omptape_check_label(check, OMPTAPE_DEF_LOCATION, location->definition->id).text, number);
    print_time(check, time, check->out);
    fprintf(check->out, ": %s%s", name != NULL ? name : "", name != NULL ? ": " : "");
    end_violation(check, format, arguments);
}

void omptape_check_report(struct omptape_check *check, const char *topic, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (begin_violation(check, topic))
        end_violation(check, format, arguments);
    va_end(arguments);
}

void omptape_check_report_at(struct omptape_check *check, const char *topic,
                             const struct check_location *location, uint64_t number, uint64_t time,
                             const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_at(check, topic, location, number, time, NULL, format, arguments);
    va_end(arguments);
}

void omptape_check_report_event(struct omptape_check *check, const char *topic,
                                const struct check_location *location, const struct omptape_event *event,
                                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_at(check, topic, location, location->events, event->time, event->name, format, arguments);
    va_end(arguments);
}

void omptape_check_report_deferred_event(struct omptape_check *check, const char *topic,
                                         const struct check_deferred_event *item, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_at(check, topic, item->location, item->number, item->time, item->name, format, arguments);
    va_end(arguments);
}

void omptape_check_report_end(struct omptape_check *check, const char *topic,
                              const struct check_location *location, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (begin_violation(check, topic)) {
        fprintf(check->out, "%s, end of its events: ",
                omptape_check_label(check, OMPTAPE_DEF_LOCATION, location->definition->id).text);
        end_violation(check, format, arguments);
    }
    va_end(arguments);
}
