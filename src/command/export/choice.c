/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses and applies the options that select a part of the archive (formats.h).
 */
#include "src/command/export/formats.h"

#include "src/command/text/units.h"
#include "src/core/message.h"

#include <errno.h>
#include <stdio.h>

static int read_min_duration(struct export_choice *choice, const char *text, char *error, size_t bytes)
{
    if (text == NULL || duration_read(text, &choice->min_duration))
        return 0;
    return omptape_fail(error, bytes, -EINVAL,
                        "--min-duration: %s is no time: a number of seconds, or with ms, us or ns behind it",
                        text);
}

static int read_threads(struct export_choice *choice, const char *list, char *error, size_t bytes)
{
    int status = list == NULL ? 0 : ranges_read_threads(&choice->threads, list);
    if (status == -ENOMEM)
        snprintf(error, bytes, "out of memory");
    else if (status != 0)
        snprintf(error, bytes,
                 "--threads: %s is no list of locations: 0-3,7, or 2:0-3 of process 2 alone, or names", list);
    return status;
}

int export_choice_read(struct export_choice *choice, const struct export_option_texts *texts, char *error,
                       size_t bytes)
{
    *choice = (struct export_choice){.to = UINT64_MAX, .threads_text = texts->threads};
    int status = moment_read(&choice->begin, "from", texts->from, error, bytes);
    if (status == 0)
        status = moment_read(&choice->end, "to", texts->to, error, bytes);
    if (status == 0)
        status = read_min_duration(choice, texts->min_duration, error, bytes);
    if (status == 0)
        status = read_threads(choice, texts->threads, error, bytes);
    if (status == 0 && moments_are_swapped(&choice->begin, &choice->end))
        status = omptape_fail(error, bytes, -EINVAL, "--from %s lies behind --to %s", texts->from, texts->to);
    return status;
}

int export_choice_find(struct export_choice *choice, const char *path, char *error, size_t bytes)
{
    int status = 0;
    if (choice->begin.visit != NULL)
        status = omptape_visit_find(&choice->first, path, choice->begin.visit, error, bytes);
    if (status == 0 && choice->end.visit != NULL)
        status = omptape_visit_find(&choice->last, path, choice->end.visit, error, bytes);
    return status;
}

int export_choice_apply(struct export_choice *choice, const struct omptape_reader *reader, char *error,
                        size_t bytes)
{
    choice->from = choice->begin.visit != NULL ? export_ns(reader, choice->first.begin) : choice->begin.ns;
    if (choice->end.is_given)
        choice->to = choice->end.visit != NULL ? export_ns(reader, choice->last.end) : choice->end.ns;
    uint64_t length = export_ns(reader, reader->clock_offset + reader->clock_length);
    if (choice->from > choice->to)
        snprintf(error, bytes, "--from lies behind --to");
    else if (reader->clock_resolution > 0 && choice->from > length)
        snprintf(error, bytes, "the trace is %s long: nothing is behind --from", units_time(length).text);
    else
        return 0;
    return -EINVAL;
}

void export_choice_free(struct export_choice *choice)
{
    ranges_free(&choice->threads);
}
