/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports misspelt OMPTAPE_ variables if the program was not started by the omptape command. Only the first
 * process of a run reports; its children inherit a variable that suppresses the report. Runs in the library's
 * constructor, before main, and on the initialising thread.
 */
#include "src/core/message.h"
#include "src/core/options.h"
#include "src/job/job.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool reported;

/* Returns true if the command, a parent process or another rank reports. */
static bool is_others_matter(void)
{
    static struct omptape_job job; /* the program's stack may be small */
    if (getenv(OMPTAPE_VARIABLES_REPORTED) != NULL || getenv("OMPTAPE_REPORT_FILE") != NULL ||
        getenv("OMPTAPE_RUN") != NULL)
        return true;
    omptape_job_read(&job);
    return job.rank > 0;
}

static bool is_quiet(void)
{
    struct omptape_options options;
    (void)omptape_options_read(&options, NULL, 0);
    return options.quiet;
}

void omptape_variables_say(void)
{
    char line[256];
    size_t from = 0;
    if (reported || omptape_variables_next_unknown(&from, line, sizeof(line)) == NULL)
        return;
    reported = true;
    if (is_others_matter() || is_quiet())
        return;
    do
        omptape_message("%s", line);
    while (omptape_variables_next_unknown(&from, line, sizeof(line)) != NULL);
}

/* The environment may only be changed before main. */
__attribute__((constructor)) static void look_at_start(void)
{
    if (!omptape_libc_may_act())
        return;
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded == NULL || strstr(preloaded, "libomptape") == NULL)
        return;
    const int saved = errno;
    omptape_variables_say();
    if (reported)
        (void)setenv(OMPTAPE_VARIABLES_REPORTED, "1", 0);
    errno = saved;
}
