/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Creates the report file and parses it. Called before the program starts and after its writers have ended.
 */
#include "src/command/run/writer_reports.h"
#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"
#include "src/command/run/run.h"
#include "src/core/array.h"
#include "src/core/words.h"
#include "src/job/report_file.h"

#include <ctype.h>
#include <errno.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int writer_reports_create(char **path)
{
    int descriptor = memfd_create(OMPTAPE_REPORT_FILE, MFD_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    *path = omptape_text("/proc/%d/fd/%d", (int)getpid(), descriptor);
    return descriptor;
}

bool writer_report_is_snapshot(const struct writer_report *writer)
{
    return writer->end != NULL && strcmp(writer->end, "snapshot") == 0;
}

static void set_text(char **field, const char *value)
{
    free(*field);
    *field = omptape_text("%s", value);
}

static void set_value(struct writer_report *writer, const char *key, const char *value)
{
    const struct {
        const char *key;
        char **text;
        uint64_t *number;
    } fields[] = {
        {"trace", &writer->path, NULL},
        {"error", &writer->error, NULL},
        {"program", &writer->program, NULL},
        {"pid", &writer->pid, NULL},
        {"rank", &writer->rank, NULL},
        {"job_folder", &writer->job_folder, NULL},
        {"end", &writer->end, NULL},
        {"events", NULL, &writer->events},
        {"profile", NULL, &writer->profile},
        {"threads", NULL, &writer->threads},
        {"duration", NULL, &writer->duration},
        {"dropped", NULL, &writer->dropped},
        {"stalled", NULL, &writer->stalled},
        {"synthesised", NULL, &writer->synthesised},
        {"begin", NULL, &writer->begin},
        {"device_kernels", NULL, &writer->device_kernels},
        {"device_transfers", NULL, &writer->device_transfers},
        {"device_bytes", NULL, &writer->device_bytes},
    };
    uint64_t *time = thread_time_find(&writer->time, key);
    if (time != NULL)
        *time = strtoull(value, NULL, 10);
    if (strcmp(key, "warning") == 0)
        omptape_string_list_add(&writer->warnings, value);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(key, fields[i].key) != 0)
            continue;
        if (fields[i].text != NULL)
            set_text(fields[i].text, value);
        else
            *fields[i].number = strtoull(value, NULL, 10);
    }
}

static struct writer_report *add_writer_report(struct writer_reports *report)
{
    if (!OMPTAPE_RESERVE(report->writers, report->count + 1, &report->capacity))
        return NULL;
    report->writers[report->count] = (struct writer_report){0};
    return &report->writers[report->count++];
}

/* Returns true for lines that belong to no trace. Adds the folder of a "begun" line to `begun`. */
static bool is_message_claim(const char *line, struct omptape_string_list *begun)
{
    const char *folder = omptape_text_after(line, "begun=");
    if (folder != NULL)
        omptape_string_list_add(begun, folder);
    return folder != NULL || omptape_starts_with(line, OMPTAPE_MESSAGE_CLAIM_KEY);
}

/* Lists the folders in which a writer began but reported no archive. */
static void find_unfinished(struct writer_reports *report, const struct omptape_string_list *begun)
{
    for (size_t i = 0; i < begun->count; i++) {
        char *path = omptape_text("%s/traces.otf2", begun->items[i]);
        bool known = false;
        for (size_t k = 0; k < report->count && !known; k++)
            known = report->writers[k].path != NULL && strcmp(report->writers[k].path, path) == 0;
        if (!known)
            omptape_string_list_add(&report->unfinished, begun->items[i]);
        free(path);
    }
}

int writer_reports_read(int descriptor, struct writer_reports *report)
{
    struct omptape_string_list begun = {0};
    struct writer_report *writer = NULL;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    *report = (struct writer_reports){0};
    int copy = dup(descriptor);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "r");
    if (stream == NULL) {
        int error = -errno;
        if (copy >= 0)
            close(copy);
        return error;
    }
    (void)fseek(stream, 0, SEEK_SET);
    while ((length = getline(&line, &capacity, stream)) > 0) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        omptape_report_file_unescape(line);
        char *equals = strchr(line, '=');
        if (is_message_claim(line, &begun))
            continue;
        if (!*line)
            writer = NULL;
        if (equals == NULL || (writer == NULL && (writer = add_writer_report(report)) == NULL))
            continue;
        *equals = '\0';
        set_value(writer, line, equals + 1);
    }
    find_unfinished(report, &begun);
    omptape_string_list_free(&begun);
    free(line);
    fclose(stream);
    return 0;
}

void writer_reports_free(struct writer_reports *report)
{
    for (size_t i = 0; i < report->count; i++) {
        struct writer_report *writer = &report->writers[i];
        free(writer->path);
        free(writer->error);
        free(writer->program);
        free(writer->pid);
        free(writer->rank);
        free(writer->job_folder);
        free(writer->end);
        omptape_string_list_free(&writer->warnings);
    }
    free(report->writers);
    free(report->unified);
    omptape_string_list_free(&report->unfinished);
    *report = (struct writer_reports){0};
}

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

/* Writes one property as a report line. The numbers of further warnings ("WARNING.2") are dropped, because
 * report lines repeat the key. */
static void write_property(struct omptape_reader *reader, const char *name, int report)
{
    const size_t prefix = strlen(OMPTAPE_PROPERTY_PREFIX);
    const char *value = omptape_reader_property(reader, name);
    if (strncmp(name, OMPTAPE_PROPERTY_PREFIX, prefix) != 0 || strpbrk(name, "=\n") != NULL || value == NULL)
        return;
    const bool warns = omptape_starts_with(name + prefix, OMPTAPE_KEY_WARNING ".");
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

void writer_reports_add_archive(const char *anchor, int report)
{
    struct request request = {.anchor = anchor, .report = report};
    (void)lseek(report, 0, SEEK_END);
    (void)omptape_reader_guard(NULL, anchor, write_properties, &request);
}
