/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of a report are an archive's properties, too (writers/report.c), whoever wrote or unified it.
 */
#include "src/command/run/properties.h"

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"
#include "src/job/report_file.h"

#include <ctype.h>
#include <omptape/properties.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct request {
    const char *anchor;
    int report;
};

static void write_line(int report, const char *key, const char *value)
{
    char line[4096];
    char escaped[2048];
    const int length = snprintf(line, sizeof(line), "%s=%s\n", key,
                                omptape_report_file_escape(value, escaped, sizeof(escaped)));
    for (char *letter = line; *letter != '=' && *letter != '\0'; letter++)
        *letter = (char)tolower((unsigned char)*letter);
    if (length > 0 && (size_t)length < sizeof(line))
        (void)dprintf(report, "%.*s", length, line);
}

/* A warning's second one has a number, which lines have not. */
static void write_property(struct omptape_reader *reader, const char *name, int report)
{
    const size_t prefix = strlen(OMPTAPE_PROPERTY_PREFIX);
    const char *value = omptape_reader_property(reader, name);
    if (strncmp(name, OMPTAPE_PROPERTY_PREFIX, prefix) != 0 || strpbrk(name, "=\n") != NULL || value == NULL)
        return;
    const bool warns = strncmp(name + prefix, OMPTAPE_KEY_WARNING ".", strlen(OMPTAPE_KEY_WARNING ".")) == 0;
    write_line(report, warns ? OMPTAPE_KEY_WARNING : name + prefix, value);
}

static int write_properties(void *data, FILE *out, char *error, size_t error_bytes,
                            struct omptape_reader_progress *progress)
{
    const struct request *request = data;
    struct omptape_reader *reader = NULL;
    const char *const *names = NULL;
    (void)out;
    (void)progress;
    if (omptape_reader_open(&reader, request->anchor, error, error_bytes) != 0)
        return OMPTAPE_EXIT_ERROR;
    write_line(request->report, "trace", request->anchor);
    const uint32_t count = omptape_reader_properties(reader, &names);
    for (uint32_t i = 0; i < count; i++)
        write_property(reader, names[i], request->report);
    omptape_reader_close(reader);
    return OMPTAPE_EXIT_OK;
}

void omptape_properties_report(const char *anchor, int report)
{
    struct request request = {.anchor = anchor, .report = report};
    (void)lseek(report, 0, SEEK_END);
    (void)omptape_reader_guard(NULL, anchor, write_properties, &request);
}
