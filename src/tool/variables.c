/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Says which of the user's variables are misspelt, where no omptape command does. Once for all processes of a
 * run: where the library is preloaded by the first of them, whose children inherit that it was said. Runs in
 * the library's constructor, before main, and on the initialising thread.
 */
#include "src/core/message.h"
#include "src/core/options.h"
#include "src/job/job.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool said;

/* A command has said it, or a process before this one; one rank speaks for all. */
static bool is_others_matter(void)
{
    static struct omptape_job job; /* the program's stack may be small */
    if (getenv(OMPTAPE_VARIABLES_SAID) != NULL || getenv("OMPTAPE_REPORT_FILE") != NULL ||
        getenv("OMPTAPE_RUN") != NULL)
        return true;
    omptape_job_read(&job);
    return job.rank > 0;
}

static bool is_quiet(void)
{
    struct omptape_options options;
    char ignored[64];
    (void)omptape_options_read(&options, ignored, sizeof(ignored));
    return options.quiet;
}

void omptape_variables_say(void)
{
    char line[256];
    size_t from = 0;
    if (said || omptape_variables_next_unknown(&from, line, sizeof(line)) == NULL)
        return;
    said = true;
    if (is_others_matter() || is_quiet())
        return;
    do
        omptape_message("%s", line);
    while (omptape_variables_next_unknown(&from, line, sizeof(line)) != NULL);
}

/* Only before main may the environment be changed; a library that is loaded later finds no such word. */
__attribute__((constructor)) static void look_at_start(void)
{
    if (!omptape_libc_may_act())
        return;
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded == NULL || strstr(preloaded, "libomptape") == NULL)
        return;
    omptape_variables_say();
    if (said)
        (void)setenv(OMPTAPE_VARIABLES_SAID, "1", 0);
}
