/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The omptape command: parses its options and calls a traced run or a subcommand.
 */
#include "src/command/arguments.h"
#include "src/command/help.h"
#include "src/command/run/run.h"
#include "src/command/text/notice.h"
#include "src/command/text/usage.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/core/own_stack.h"
#include "src/core/words.h"
#include "src/job/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_OUTPUT = 2, EXIT_USAGE = 2 };

/* Opens /dev/null on closed standard descriptors, so that no other file gets their numbers. With O_CLOEXEC
 * the program finds them closed again. */
static void occupy_standard_descriptors(void)
{
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        close(descriptor);
}

#ifdef OMPTAPE_WITHOUT_EXPORT
int omptape_command_export(int argc, char **argv)
{
    (void)argc, (void)argv;
    omptape_message("export: this omptape was built without it (OMPTAPE_WITH_EXPORT of its CMake build)");
    return EXIT_USAGE;
}
#endif

enum { ACTIONS = ACTION_COMPLETIONS + 1 };
static void (*const texts[ACTIONS])(void) = {
    [ACTION_HELP] = help_print,    [ACTION_VERSION] = help_version, [ACTION_EVENTS] = help_events,
    [ACTION_FILTER] = help_filter, [ACTION_MAN] = help_man,         [ACTION_COMPLETIONS] = help_completions};
static int (*const subcommands[ACTIONS])(int, char **) = {
    [ACTION_INFO] = omptape_command_info,       [ACTION_REPORT] = omptape_command_report,
    [ACTION_COMPARE] = omptape_command_compare, [ACTION_SCALE] = omptape_command_scale,
    [ACTION_WHATIF] = omptape_command_whatif,   [ACTION_CHECK] = omptape_command_check,
    [ACTION_EXPORT] = omptape_command_export,   [ACTION_SNAPSHOT] = omptape_command_snapshot,
    [ACTION_UNIFY] = omptape_command_unify,     [ACTION_TOP] = omptape_command_top};

/* Prints unknown OMPTAPE_ variables, once for all processes that this command starts and for all ranks. */
static void print_unknown_variables(const struct omptape_options *options)
{
    struct omptape_job job;
    char line[256];
    size_t from = 0;
    omptape_job_read(&job);
    if (options->sibling || job.rank > 0 || getenv(OMPTAPE_VARIABLES_REPORTED) != NULL)
        return;
    while (omptape_variables_next_unknown(&from, line, sizeof(line)) != NULL)
        omptape_notice("%s", line);
    (void)setenv(OMPTAPE_VARIABLES_REPORTED, "1", 1);
}

/* Returns an error if stdout could not be written completely. A failed subcommand has printed its error. */
static int finish_output(int code)
{
    const int error = fflush(stdout) != 0 ? errno : ferror(stdout) != 0 ? EIO : 0;
    if (error == 0 || code != 0)
        return code;
    omptape_message("cannot write the output: %s", omptape_cause(error));
    return EXIT_OUTPUT;
}

/* Starts the log, for subcommands and runs. Invalid values of other variables are errors only for a run. */
static int start_log(struct omptape_options *options, char *error, size_t bytes)
{
    if (omptape_options_read(options, error, bytes) != 0 && omptape_starts_with(error, "OMPTAPE_LOG"))
        return -EINVAL;
    const int result = omptape_log_start(&options->log, true);
    if (result != 0)
        (void)snprintf(error, bytes, "cannot write the log to %.300s: %s", options->log.file,
                       omptape_cause(result));
    return result;
}

static int run_command(int argc, char **argv)
{
    struct arguments arguments;
    struct omptape_options options;
    char error[512];
    occupy_standard_descriptors();
    if (arguments_parse(argc, argv, &arguments, error, sizeof(error)) != 0) {
        omptape_message("%s", error);
        return EXIT_USAGE;
    }
    if (start_log(&options, error, sizeof(error)) != 0) {
        omptape_message("%s", error);
        return EXIT_USAGE;
    }
    if (texts[arguments.action] != NULL) {
        texts[arguments.action]();
        return finish_output(0);
    }
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_COMMAND, "omptape " OMPTAPE_VERSION ": %s",
                argv[arguments.program]);
    if (subcommands[arguments.action] != NULL)
        return finish_output(
            subcommands[arguments.action](argc - arguments.program, argv + arguments.program));
    if (omptape_options_read(&options, error, sizeof(error)) != 0 ||
        arguments_check_filter(&options, error, sizeof(error)) != 0 ||
        arguments_check_tool(&options, error, sizeof(error)) != 0) {
        omptape_message("%s", error);
        return EXIT_USAGE;
    }
    notice_set_silent(options.quiet);
    print_unknown_variables(&options);
    return omptape_run(&options, arguments.output_given, argv + arguments.program);
}

int main(int argc, char **argv)
{
    return omptape_own_stack_run(run_command, argc, argv);
}
