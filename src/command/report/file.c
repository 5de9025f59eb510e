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

const struct report_file report_no_file = {.made = {.folder = -1, .file = -1}};

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
static int check_names(const struct report_file_option *files, size_t count, const char *command)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = files[i].file->name;
        for (size_t k = 0; name != NULL && k < i; k++) {
            const char *other = files[k].file->name;
            if (other == NULL || strcmp(name, other) != 0 || strcmp(name, "-") == 0)
                continue;
            omptape_message("%s: --%s and --%s are both to be %s", command, files[k].option, files[i].option,
                            omptape_quoted(name).text);
            return -EINVAL;
        }
    }
    return 0;
}

/* Refuses several files on the standard output. */
static int check_outputs(const struct report_file_option *files, size_t count, const char *command)
{
    enum { NAMES_BYTES = 200 };
    char names[NAMES_BYTES] = "";
    int outputs = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "%s--%s",
                       i == 0          ? ""
                       : i + 1 < count ? ", "
                                       : " and ",
                       files[i].option);
        outputs += files[i].file->is_output;
    }
    if (outputs > 1)
        omptape_message("%s: only one of %s can be \"-\"", command, names);
    return outputs > 1 ? -EINVAL : 0;
}

int report_files_open(const struct report_file_option *files, size_t count, const char *command)
{
    int status = check_names(files, count, command);
    for (size_t i = 0; i < count && status == 0; i++)
        status = open_file(files[i].file, command);
    return status == 0 ? check_outputs(files, count, command) : status;
}

void report_file_announce(const struct report_file *file)
{
    if (file->name != NULL && !file->is_output)
        notice_wrote(&file->made);
}

void report_file_close(struct report_file *file)
{
    omptape_atomic_file_close(&file->made);
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
    int status = file->is_output ? write(out, data) : report_file_write_into(file->made.file, write, data);
    if (status != 0)
        snprintf(error, error_bytes, "cannot write %s: %s", omptape_quoted(file->name).text,
                 omptape_cause(status));
    else if (!file->is_output)
        status = omptape_atomic_file_commit(&file->made, error, error_bytes);
    return status;
}
