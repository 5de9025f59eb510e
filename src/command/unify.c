/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape unify DIR`: makes one archive of those of several processes, by hand. Called by main.c.
 */
#include "src/unify/unify.h"

#include "src/command/command.h"
#include "src/command/text/notice.h"
#include "src/core/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_OK = 0, EXIT_LEFT_OUT = 1, EXIT_ERROR = 2, EXIT_BUSY = 3, MESSAGE_BYTES = 2048 };

static const char USAGE[] =
    "Usage: omptape unify [-q|--quiet] [--clock-offsets FILE] DIR\n"
    "\n"
    "Makes one archive, DIR/traces.otf2, of those that several processes have left in\n"
    "DIR and in the folders below it. It moves their event files and writes new\n"
    "definitions. Usually omptape does this by itself when the last process ends; by\n"
    "hand it completes what was interrupted, or takes in what came later. It does no\n"
    "harm to do it twice.\n"
    "\n"
    "  --clock-offsets FILE  correct the hosts' clocks by what was measured: lines of a\n"
    "                        host or rank, the time of the measurement (seconds since\n"
    "                        1970), and the ns to add to that clock\n"
    "  -q, --quiet           say nothing but errors\n"
    "\n"
    "Exit code: 0 all is in one archive, 1 something was left out, 2 nothing was done,\n"
    "3 nor was it because another process is at work there.\n";

struct unify_request {
    const char *dir;
    struct omptape_unify_options options;
};

static void say_left_out(void *data, const char *line)
{
    bool *left_out = data;
    *left_out = true;
    omptape_message("%s", line);
}

static void say_note(void *data, const char *line)
{
    (void)data;
    omptape_message("%s", line);
}

static int fail_usage(const char *what, const char *word)
{
    omptape_message("unify: %s%s%s (omptape unify --help shows how)", what, word != NULL ? ": " : "",
                    word != NULL ? word : "");
    return -EINVAL;
}

/* 0; 1: the help was printed; or -EINVAL after a line. */
static int parse_words(int argc, char **argv, struct unify_request *request)
{
    static const char offsets[] = "--clock-offsets";
    bool options = true;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        size_t length = sizeof(offsets) - 1;
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            fputs(USAGE, stdout);
            return 1;
        } else if (options && (strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0)) {
            omptape_notice_silence(true);
        } else if (options && strncmp(word, offsets, length) == 0 && word[length] == '=') {
            request->options.clock_offsets = word + length + 1;
        } else if (options && strcmp(word, offsets) == 0) {
            if (++i == argc)
                return fail_usage("which file of clock offsets?", NULL);
            request->options.clock_offsets = argv[i];
        } else if (options && word[0] == '-' && word[1] != '\0') {
            return fail_usage("unknown option", word);
        } else if (request->dir != NULL) {
            return fail_usage("one folder at a time, not also", word);
        } else {
            request->dir = word;
        }
    }
    return request->dir != NULL ? 0 : fail_usage("which folder?", NULL);
}

int omptape_command_unify(int argc, char **argv)
{
    char message[MESSAGE_BYTES];
    bool left_out = false;
    struct unify_request request = {
        .options = {.waits = true, .say = say_left_out, .note = say_note, .data = &left_out}};
    int result = parse_words(argc, argv, &request);
    if (result != 0)
        return result > 0 ? EXIT_OK : EXIT_ERROR;
    request.options.silent = omptape_notice_is_silent();
    result = omptape_unify(request.dir, &request.options, message, sizeof(message));
    if (result != 0) {
        omptape_message("unify: %s", message);
        return result == -EBUSY ? EXIT_BUSY : EXIT_ERROR;
    }
    omptape_notice("%s", message);
    return left_out ? EXIT_LEFT_OUT : EXIT_OK;
}
