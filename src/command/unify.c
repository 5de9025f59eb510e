/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape unify DIR`: merges the archives of several processes on request. Called by main.c.
 */
#include "src/unify/unify.h"

#include "src/command/text/notice.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

enum { EXIT_OK = 0, EXIT_LEFT_OUT = 1, EXIT_ERROR = 2, EXIT_BUSY = 3, MESSAGE_BYTES = 2048 };

static const char USAGE[] =
    "Usage: omptape unify [-q|--quiet] [--clock-offsets FILE] [--mend-clocks] DIR\n"
    "\n"
    "Makes one archive, DIR/traces.otf2, of those that several processes have left in\n"
    "DIR and in the folders below it. It moves their event files and writes new\n"
    "definitions. Usually omptape does this by itself when the last process ends; by\n"
    "hand it completes what was interrupted, or takes in what came later. It does no\n"
    "harm to do it twice.\n"
    "\n"
    "  --clock-offsets FILE  correct the hosts' clocks by what was measured: lines of\n"
    "                        a host or rank, the time of the measurement (seconds\n"
    "                        since 1970), and the ns to add to that clock\n"
    "  --mend-clocks         shift times so that no message arrives before it was\n"
    "                        sent\n"
    "  -q, --quiet           say nothing but errors\n"
    "\n"
    "Exit code: 0 all is in one archive, 1 something was left out, 2 nothing was\n"
    "done, 3 nor was it because another process is at work there.\n";

static void print_left_out(void *data, const char *line)
{
    bool *left_out = data;
    *left_out = true;
    omptape_message("%s", line);
}

static void print_note(void *data, const char *line)
{
    (void)data;
    omptape_message("%s", line);
}

int omptape_command_unify(int argc, char **argv)
{
    char message[MESSAGE_BYTES];
    bool left_out = false;
    bool quiet = false;
    const char *dir;
    struct omptape_unify_options options = {
        .waits = true, .say = print_left_out, .note = print_note, .data = &left_out};
    const struct usage_option words[] = {
        {.name = "clock-offsets", .text = &options.clock_offsets, .value = "FILE"},
        {.name = "mend-clocks", .on = &options.mend_clocks},
        {.name = "quiet", .letter = 'q', .on = &quiet}};
    const struct usage usage = {"unify",        USAGE, "folder", words, sizeof(words) / sizeof(words[0]),
                                .newest = false};
    int result = usage_parse(&usage, argc, argv, &dir);
    if (result != 0)
        return result > 0 ? EXIT_OK : EXIT_ERROR;
    notice_set_silent(quiet);
    options.silent = quiet;
    result = omptape_unify(dir, &options, message, sizeof(message));
    if (result != 0) {
        omptape_message("unify: %s", message);
        return result == -EBUSY ? EXIT_BUSY : EXIT_ERROR;
    }
    omptape_notice("%s", message);
    return left_out ? EXIT_LEFT_OUT : EXIT_OK;
}
