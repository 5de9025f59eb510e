/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Begins a program anew on LLVM's runtime, which is preloaded before libgomp. Runs in the program's own
 * process, so that launchers and parents see nothing of it.
 */
#include "src/command/program/restart.h"

#include "src/command/program/libraries.h"
#include "src/command/program/program.h"
#include "src/command/text/notice.h"
#include "src/core/message.h"
#include "src/core/options.h"
#include "src/core/string_list.h"
#include "src/job/job.h"
#include "src/job/process.h"
#include "src/job/report_file.h"
#include <omptape/restart.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { FIRST_ARGUMENT = 3 };

bool omptape_restart_is_asked(int argc, char *const *argv)
{
    return argc > FIRST_ARGUMENT && strcmp(argv[1], OMPTAPE_RESTART_OPTION) == 0;
}

static const char for_all[] = OMPTAPE_RESTART_KEY "*\n";

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

bool omptape_restart_speaks(const char *file)
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
    char *line = omptape_text("%s%s\n", OMPTAPE_RESTART_KEY, file);
    bool found = add_line(descriptor, line);
    free(line);
    return !found;
}

void omptape_restart_silence(int report)
{
    (void)!write(report, for_all, strlen(for_all));
}

static void settle_runtime(const char *file, const char *name)
{
    struct omptape_program program;
    struct omptape_libraries libraries = {0};
    struct omptape_gomp_plan plan = {0};
    struct omptape_options options;
    char error[512];
    const char *before = getenv("LD_PRELOAD");

    (void)setenv(OMPTAPE_RESTART_SETTLED, "", 1);
    (void)omptape_options_read(&options, error, sizeof(error));
    omptape_notice_silence(options.quiet || !omptape_restart_speaks(file));
    if (omptape_program_find(file, &program) == 0 && omptape_libraries_read(&program, NULL, &libraries) == 0)
        omptape_gomp_prepare_restart(name, &program, &libraries, &options, &plan);
    if (plan.preload != NULL && before != NULL) {
        char *value = omptape_text("%s:%s", before, plan.preload);
        char *undo = omptape_text("LD_PRELOAD=:%s", plan.preload);
        (void)setenv("LD_PRELOAD", value, 1);
        (void)setenv(OMPTAPE_RESTART_SETTLED, undo, 1);
        free(undo);
        free(value);
    }
    omptape_gomp_end(&plan);
    omptape_libraries_free(&libraries);
    omptape_program_free(&program);
}

int omptape_restart(char *const *argv)
{
    const char *file = argv[FIRST_ARGUMENT - 1];

    settle_runtime(file, argv[FIRST_ARGUMENT]);
    (void)execv(file, argv + FIRST_ARGUMENT);
    omptape_message("cannot go on with %s: %s", file, strerror(errno));
    return 126;
}

void omptape_restart_announce(const struct omptape_gomp_plan *plan, bool forced, bool forbidden)
{
    char own[PATH_MAX];

    (void)unsetenv(OMPTAPE_RESTART_SETTLED);
    (void)unsetenv(OMPTAPE_RESTART_VARIABLE);
    if (forbidden || !omptape_process_own_path(own, sizeof(own)))
        return;
    (void)setenv(OMPTAPE_RESTART_VARIABLE, own, 1);
    if (plan->hopeless)
        (void)setenv(OMPTAPE_RESTART_SETTLED, "", 1);
    if (plan->folder == NULL || forced)
        return;
    size_t first = strlen(plan->folder);
    char *undo = omptape_text("LD_LIBRARY_PATH=%s%s", plan->folder, plan->library_path[first] ? ":" : "");
    (void)setenv(OMPTAPE_RESTART_SETTLED, undo, 1);
    free(undo);
}
