/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that the user named for an answer (choice.h).
 */
#include "src/command/report/choice.h"

#include "src/command/report/state.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { QUOTED_BYTES = 400 };

int report_file_open(struct report_file *file, const char *command)
{
    char folder[PATH_MAX];
    char shown[QUOTED_BYTES];
    file->folder = -1;
    file->is_output = file->name != NULL && strcmp(file->name, "-") == 0;
    if (file->name == NULL || file->is_output)
        return 0;
    file->base = omptape_base_name(file->name);
    size_t length = (size_t)(file->base - file->name);
    const char *path = length > 0 ? folder : ".";
    int status = 0;
    if (length >= sizeof(folder))
        status = -ENAMETOOLONG;
    else if (file->base[0] == '\0' || strcmp(file->base, ".") == 0 || strcmp(file->base, "..") == 0)
        status = -EISDIR;
    memcpy(folder, file->name, status == 0 ? length : 0);
    folder[status == 0 ? length : 0] = '\0';
    if (status == 0)
        file->folder = omptape_beneath_open_named(path);
    if (file->folder < 0 && status == 0)
        status = file->folder;
    if (status != 0)
        omptape_message("%s: cannot write %s: %s", command,
                        omptape_path_quote(file->name, shown, sizeof(shown)), omptape_cause(status));
    return status;
}

void report_file_close(struct report_file *file)
{
    if (file->folder >= 0)
        close(file->folder);
    file->folder = -1;
}

static int explain(const struct report_file *file, int status, char *error, size_t error_bytes)
{
    char shown[QUOTED_BYTES];
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    if (status == -EEXIST)
        (void)snprintf(why, sizeof(why), "it is there, and no file of yours");
    else
        (void)snprintf(why, sizeof(why), "%s", omptape_cause(status));
    snprintf(error, error_bytes, "cannot write %s: %s", omptape_path_quote(file->name, shown, sizeof(shown)),
             why);
    return status;
}

int report_file_write(const struct report_file *file, FILE *out, report_file_writer *write, const void *data,
                      char *error, size_t error_bytes)
{
    int status = 0;
    if (file->is_output) {
        status = write(out, data);
        return status == 0 ? 0 : explain(file, status, error, error_bytes);
    }
    int descriptor = omptape_beneath_create(file->folder, file->base);
    if (descriptor < 0)
        return explain(file, descriptor, error, error_bytes);
    FILE *stream = fdopen(descriptor, "w");
    if (stream == NULL) {
        status = -errno;
        close(descriptor);
    } else {
        status = write(stream, data);
        if (fflush(stream) != 0 && status == 0)
            status = -errno;
        if (fclose(stream) != 0 && status == 0)
            status = -errno;
    }
    if (status == 0)
        return 0;
    (void)omptape_beneath_remove(file->folder, file->base);
    return explain(file, status, error, error_bytes);
}
