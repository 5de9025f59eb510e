/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and writes the output files of reports (file.h).
 */
#include "src/command/report/file.h"

#include "src/command/text/notice.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const options[REPORT_OUTPUTS] = {"json", "csv", "html", "svg", "junit"};

void report_outputs_init(struct report_file files[REPORT_OUTPUTS])
{
    for (int i = 0; i < REPORT_OUTPUTS; i++)
        files[i] = (struct report_file){.made = {.folder = -1, .file = -1}};
}

static int open_file(struct report_file *file, const char *command)
{
    char error[OMPTAPE_ATOMIC_FILE_ERROR_BYTES];
    file->is_output = file->name != NULL && strcmp(file->name, "-") == 0;
    if (file->name == NULL || file->is_output)
        return 0;
    int status = omptape_atomic_file_open(&file->made, file->name, error, sizeof(error));
    if (status != 0)
        omptape_message("%s: %s", command, error);
    return status;
}

/* Refuses two options with the same file name: the second file would replace the first. */
static int check_names(const struct report_file *files, const char *command)
{
    for (int i = 0; i < REPORT_OUTPUTS; i++)
        for (int k = 0; k < i && files[i].name != NULL; k++)
            if (files[k].name != NULL && strcmp(files[i].name, files[k].name) == 0 &&
                strcmp(files[i].name, "-") != 0) {
                omptape_message("%s: --%s and --%s are both to be %s", command, options[k], options[i],
                                omptape_quoted(files[i].name).text);
                return -EINVAL;
            }
    return 0;
}

/* Refuses several files on the standard output. */
static int check_outputs(const struct report_file *files, const char *command)
{
    int first = REPORT_OUTPUTS;
    for (int i = 0; i < REPORT_OUTPUTS; i++) {
        if (files[i].is_output && first < i) {
            omptape_message("%s: only one of --%s and --%s can be \"-\"", command, options[first],
                            options[i]);
            return -EINVAL;
        }
        first = files[i].is_output ? i : first;
    }
    return 0;
}

int report_outputs_open(struct report_file files[REPORT_OUTPUTS], const char *command)
{
    int status = check_names(files, command);
    for (int i = 0; i < REPORT_OUTPUTS && status == 0; i++)
        status = open_file(&files[i], command);
    return status == 0 ? check_outputs(files, command) : status;
}

bool report_outputs_replace_text(const struct report_file files[REPORT_OUTPUTS])
{
    bool replaced = files[REPORT_JUNIT].is_output;
    for (int i = 0; i < REPORT_JUNIT; i++)
        replaced = replaced || files[i].name != NULL;
    return replaced;
}

/* What writes numbers, and its data. */
struct numbers {
    value_tree_writer *write;
    const void *data;
};

static int write_json(FILE *out, const void *data)
{
    const struct numbers *numbers = data;
    return value_tree_write_json(out, numbers->write, numbers->data);
}

static int write_csv(FILE *out, const void *data)
{
    const struct numbers *numbers = data;
    return value_tree_write_csv(out, numbers->write, numbers->data);
}

int report_outputs_write_numbers(struct report_file files[REPORT_OUTPUTS], FILE *out,
                                 value_tree_writer *write, const void *data, char *error, size_t error_bytes)
{
    const struct numbers numbers = {write, data};
    const int status = report_file_write(&files[REPORT_JSON], out, write_json, &numbers, error, error_bytes);
    return status != 0 ? status
                       : report_file_write(&files[REPORT_CSV], out, write_csv, &numbers, error, error_bytes);
}

int report_outputs_commit(struct report_file files[REPORT_OUTPUTS], const char *command)
{
    int status = 0;
    for (int i = 0; i < REPORT_JUNIT && status == 0; i++)
        status = report_file_commit(&files[i], command);
    return status;
}

void report_outputs_close(struct report_file files[REPORT_OUTPUTS])
{
    for (int i = 0; i < REPORT_OUTPUTS; i++)
        omptape_atomic_file_close(&files[i].made);
}

int report_file_commit(struct report_file *file, const char *command)
{
    char error[OMPTAPE_ATOMIC_FILE_ERROR_BYTES];
    if (file->name == NULL || file->is_output)
        return 0;
    int status = omptape_atomic_file_commit(&file->made, error, sizeof(error));
    if (status == 0)
        notice_wrote(&file->made);
    else
        omptape_message("%s: %s", command, error);
    return status;
}

static int write_stream(FILE *stream, report_file_writer *write, const void *data)
{
    errno = 0;
    int status = write(stream, data);
    if (fflush(stream) != 0 && status == 0)
        status = -errno;
    /* A failed write is reported at the end only; errno still holds its reason. */
    return status == -EIO && errno != 0 ? -errno : status;
}

int report_file_write_into(int file, report_file_writer *write, const void *data)
{
    int descriptor = dup(file);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (stream == NULL) {
        int status = -errno;
        omptape_close(descriptor);
        return status;
    }
    int status = write_stream(stream, write, data);
    if (fclose(stream) != 0 && status == 0)
        status = -errno;
    return status;
}

int report_file_write(struct report_file *file, FILE *out, report_file_writer *write, const void *data,
                      char *error, size_t error_bytes)
{
    if (file->name == NULL)
        return 0;
    int status = file->is_output ? write(out, data) : report_file_write_into(file->made.file, write, data);
    if (status != 0)
        snprintf(error, error_bytes, "cannot write %s: %s", omptape_quoted(file->name).text,
                 omptape_cause(status));
    return status;
}
