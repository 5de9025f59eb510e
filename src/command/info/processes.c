/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The section of `omptape info` on the processes of a unified archive: place, start, duration, end.
 */
#include "src/command/info/state.h"

#include "src/command/text/units.h"
#include "src/core/words.h"
#include <inttypes.h>
#include <omptape/properties.h>
#include <string.h>

enum { MAX_ROWS = 40, FIRST_ROWS = 32, LAST_ROWS = 4, CELL_BYTES = 64 };

static const char *text_of(struct info *info, uint64_t process, const char *key)
{
    const char *text = omptape_reader_property_of(info->reader, (int64_t)process, key);
    return text == NULL ? "" : text;
}

/* Formats the time from the first process's start to this one's, by the wall clocks; "?": unknown. */
static struct units_text start_of(struct info *info, uint64_t process)
{
    uint64_t own = omptape_reader_number_of(info->reader, (int64_t)process, OMPTAPE_KEY_CLOCK_REALTIME);
    uint64_t first = info->reader->clock_realtime;
    if (own == 0 || info->reader->clocks == 0 || first == OTF2_UNDEFINED_TIMESTAMP)
        return (struct units_text){"?"};
    return units_time(own > first ? own - first : 0);
}

/* Writes "rank 3: app (pid 4711)" or "app (pid 4711)". */
static void title_of(struct info *info, uint64_t process, char *text, size_t bytes)
{
    const char *name = text_of(info, process, OMPTAPE_KEY_NAME);
    const char *program = omptape_base_name(text_of(info, process, OMPTAPE_KEY_PROGRAM));
    const char *pid = text_of(info, process, OMPTAPE_KEY_PID);
    bool same = program[0] == '\0' || strcmp(name, program) == 0;
    char whole[INFO_TEXT_BYTES];
    if (pid[0] == '\0')
        snprintf(whole, sizeof(whole), "%s", name);
    else
        snprintf(whole, sizeof(whole), "%s%s%s (pid %s)", name, same ? "" : ": ", same ? "" : program, pid);
    omptape_cut_text(whole, text, bytes);
}

static void print_row(struct info *info, uint64_t process)
{
    char name[CELL_BYTES];
    char host[CELL_BYTES];
    char end[CELL_BYTES];
    title_of(info, process, name, sizeof(name));
    omptape_cut_text(text_of(info, process, OMPTAPE_KEY_HOST), host, sizeof(host));
    omptape_cut_text(text_of(info, process, OMPTAPE_KEY_END), end, sizeof(end));
    fprintf(info->out, "  %6" PRIu64 "  %9s  %9s  %7s  %13s  %s on %s%s%s\n", process,
            start_of(info, process).text,
            units_time(omptape_reader_number_of(info->reader, (int64_t)process, OMPTAPE_KEY_DURATION)).text,
            info_number(omptape_reader_number_of(info->reader, (int64_t)process, OMPTAPE_KEY_THREADS)),
            info_number(omptape_reader_number_of(info->reader, (int64_t)process, OMPTAPE_KEY_EVENTS)), name,
            host, strcmp(end, "finalize") == 0 ? "" : ": ", strcmp(end, "finalize") == 0 ? "" : end);
}

void info_print_processes(struct info *info)
{
    uint64_t count = info_property_number(info, OMPTAPE_KEY_PROCESSES);
    if (count == 0)
        return;
    info_title(info, "Processes (%" PRIu64 ")", count);
    fprintf(info->out, "  %6s  %9s  %9s  %7s  %13s  name\n", "number", "began at", "ran for", "threads",
            "events");
    for (uint64_t i = 0; i < count; i++) {
        if (count > MAX_ROWS && i == FIRST_ROWS) {
            fprintf(info->out, "     ... %" PRIu64 " more\n", count - FIRST_ROWS - LAST_ROWS);
            i = count - LAST_ROWS;
        }
        print_row(info, i);
    }
}
