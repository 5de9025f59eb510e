/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The omptape command. Reads its options and hands over to a traced run or a subcommand.
 */
#include "src/command/arguments.h"
#include "src/command/check/check.h"
#include "src/command/command.h"
#include "src/command/help.h"
#include "src/command/info/info.h"
#include "src/command/program/restart.h"
#include "src/command/run/run.h"
#include "src/command/text/notice.h"
#include "src/core/message.h"
#include "src/core/own_stack.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

/* If a standard descriptor is closed, nothing else must get its number. The program finds it closed again. */
static void occupy_standard_descriptors(void)
{
    int descriptor;

    do {
        descriptor = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        close(descriptor);
}

static int finish_output(void)
{
    return fflush(stdout) == 0 ? 0 : 1;
}

static int run_command(int argc, char **argv)
{
    struct omptape_arguments arguments;
    struct omptape_options options;
    char error[512];

    occupy_standard_descriptors();
    if (omptape_restart_is_asked(argc, argv))
        return omptape_restart(argv);
    if (omptape_arguments_parse(argc, argv, &arguments, error, sizeof(error)) != 0) {
        omptape_message("%s", error);
        return EXIT_USAGE;
    }
    switch (arguments.action) {
    case OMPTAPE_ACTION_HELP:
        omptape_help_print();
        return finish_output();
    case OMPTAPE_ACTION_VERSION:
        omptape_help_version();
        return finish_output();
    case OMPTAPE_ACTION_EVENTS:
        omptape_help_events();
        return finish_output();
    case OMPTAPE_ACTION_FILTER:
        omptape_help_filter();
        return finish_output();
    case OMPTAPE_ACTION_MAN:
        omptape_help_man();
        return finish_output();
    case OMPTAPE_ACTION_INFO:
        return omptape_command_info(argc - arguments.program, argv + arguments.program);
    case OMPTAPE_ACTION_CHECK:
        return omptape_command_check(argc - arguments.program, argv + arguments.program);
    case OMPTAPE_ACTION_SNAPSHOT:
        return omptape_command_snapshot(argc - arguments.program, argv + arguments.program);
    case OMPTAPE_ACTION_UNIFY:
        return omptape_command_unify(argc - arguments.program, argv + arguments.program);
    case OMPTAPE_ACTION_RUN:
        break;
    }
    if (omptape_options_read(&options, error, sizeof(error)) != 0 ||
        omptape_arguments_check_filter(&options, error, sizeof(error)) != 0) {
        omptape_message("%s", error);
        return EXIT_USAGE;
    }
    omptape_notice_silence(options.quiet);
    return omptape_run(&options, arguments.output_given, argv + arguments.program);
}

int main(int argc, char **argv)
{
    return omptape_own_stack_run(run_command, argc, argv);
}
