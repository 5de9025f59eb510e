/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who speaks of a program that several commands of one run start (once.h). Called by run.c.
 */
#include "src/command/run/once.h"

#include "src/core/string_list.h"
#include "src/job/job.h"
#include "src/job/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char for_all[] = OMPTAPE_ONCE_KEY "*\n";

/* Is the line in the file, or one for all? If not, it is added. */
static bool add_line(int descriptor, const char *wanted)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    FILE *stream = fdopen(descriptor, "r+");
    if (stream == NULL) {
        close(descriptor);
        return false;
    }
    while (!found && getline(&line, &room, stream) > 0)
        found = strcmp(line, wanted) == 0 || strcmp(line, for_all) == 0;
    free(line);
    if (!found)
        (void)!write(fileno(stream), wanted, strlen(wanted));
    fclose(stream); /* and with it goes the lock */
    return found;
}

bool omptape_once_speaks(const char *file)
{
    struct omptape_job job;
    const char *report = getenv("OMPTAPE_REPORT_FILE");

    int descriptor = report != NULL && omptape_report_file_is_there(report)
                         ? open(report, O_RDWR | O_APPEND | O_CLOEXEC)
                         : -1;
    if (descriptor < 0) {
        omptape_job_read(&job);
        return job.rank <= 0;
    }
    while (flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    char *line = omptape_text("%s%s\n", OMPTAPE_ONCE_KEY, file);
    bool found = add_line(descriptor, line);
    free(line);
    return !found;
}

void omptape_once_silence(int report)
{
    (void)!write(report, for_all, strlen(for_all));
}
