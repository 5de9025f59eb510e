/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape top`: parses its command line, and prints updates one after the other if stdout is not
 * a terminal.
 */

#include "src/command/text/usage.h"
#include "src/command/top/state.h"
#include "src/core/clock.h"
#include "src/core/message.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char USAGE[] =
    "Usage: omptape top [options] [PID|DIR|JOB]\n"
    "\n"
    "Shows every second what traced programs do now, while they run: states of\n"
    "threads, efficiencies, constructs and functions that take most, findings so far.\n"
    "PID is a traced program, or one that started several (omptape, mpirun); DIR the\n"
    "folder of an archive or a job; JOB a batch job's number. Without it all traced\n"
    "programs of the user on this node are shown.\n"
    "\n"
    "  --interval SECONDS  between two pictures (default: 1)\n"
    "  --once              print one picture and end\n"
    "  --json              print each picture as a line of JSON\n"
    "\n"
    "Keys: q quit, f freeze, s sort by time, waiting or visits, t threads,\n"
    "n and p the next and the previous process, o orders processes by rank or work.\n"
    "\n"
    "Exit code: 0, also when the program has ended, 1 if nothing is being traced\n"
    "there or it belongs to another user, 2 if the command line is wrong.\n";

static const uint64_t second_ns = 1000000000;

static void print_picture(struct top *top)
{
    struct screen screen = screen_for(STDOUT_FILENO);
    screen.out = stdout;
    top_sort_processes(top);
    if (top->is_json)
        (void)top_write_json(top, stdout);
    else
        top_print(top, &screen, 0);
    if (!top->is_json && !top->is_once)
        fputc('\n', stdout);
    (void)fflush(stdout);
}

/* Sends requests and waits for the answers, for at most `max` ns. Each second is a wait of its own, so that
 * writers that have ended are not waited for. */
static void update_once(struct top *top, uint64_t max)
{
    const uint64_t until = omptape_clock_raw_ns() + max;
    top_ask(top);
    for (uint64_t now = omptape_clock_raw_ns(); now < until; now = omptape_clock_raw_ns()) {
        const uint64_t left = until - now < second_ns ? until - now : second_ns;
        if (top_wait(top, (int)(left / 1000000) + 1, -1))
            break;
    }
}

/* Writers on an overloaded node get more time for a single picture than for the first of a series. */
static int run_plainly(struct top *top)
{
    uint64_t max = top->is_once ? 10 * second_ns : second_ns;
    while (top_is_alive(top) && !ferror(stdout)) {
        const uint64_t until = omptape_clock_raw_ns() + top->interval_ns;
        update_once(top, max);
        max = top->interval_ns;
        print_picture(top);
        if (top->is_once)
            break;
        const uint64_t now = omptape_clock_raw_ns();
        if (now < until)
            (void)usleep((useconds_t)((until - now) / 1000));
    }
    return 0;
}

static bool read_interval(struct top *top, const char *text)
{
    const double min = 0.1;
    const double max = 3600;
    char *end;
    const double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds >= min && seconds <= max))
        return false;
    top->interval_ns = (uint64_t)(seconds * (double)second_ns);
    return true;
}

static int parse(struct top *top, int argc, char **argv)
{
    const char *interval = NULL;
    const struct usage_option options[] = {{.name = "interval", .text = &interval, .value = "SECONDS"},
                                           {.name = "once", .on = &top->is_once},
                                           {.name = "json", .on = &top->is_json}};
    const struct usage usage = {.command = "top",
                                .help = USAGE,
                                .operand = "process, folder or job",
                                .options = options,
                                .count = sizeof(options) / sizeof(options[0])};
    struct operands operands = {.list = NULL};
    int status = usage_parse_many(&usage, argc, argv, &operands, 0);
    if (status == 0 && operands.count > 1) {
        omptape_message("top: only one process, folder or job can be named");
        status = -EINVAL;
    }
    if (status == 0 && interval != NULL && !read_interval(top, interval)) {
        omptape_message("top: --interval: \"%.80s\" is not a number of seconds from 0.1 to 3600", interval);
        status = -EINVAL;
    }
    if (status == 0 && operands.count == 1)
        top->target = operands.list[0];
    free(operands.list);
    return status;
}

/* True unless all writers belong to other users: only a program's owner may send requests to it. */
static bool is_allowed(const struct top *top)
{
    for (uint32_t i = 0; i < top->count; i++)
        if (kill(top->processes[i].found.writer, 0) == 0 || errno != EPERM)
            return true;
    omptape_message("top: process %d belongs to another user", (int)top->processes[0].found.program);
    return false;
}

/* Returns true if keys can be read and the terminal knows escape sequences. */
static bool is_in_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term != NULL && term[0] != '\0' &&
           strcmp(term, "dumb") != 0;
}

int omptape_command_top(int argc, char **argv)
{
    struct top top = {.interval_ns = second_ns};
    int code = EXIT_FAILED;
    int parsed = parse(&top, argc, argv);
    if (parsed != 0)
        return parsed > 0 ? 0 : EXIT_USAGE;
    if (top_find(&top) == 0 && is_allowed(&top)) {
        const bool in_terminal = is_in_terminal() && !top.is_json && !top.is_once;
        code = in_terminal ? top_run_in_terminal(&top) : run_plainly(&top);
        if (!top_is_alive(&top) && !top.is_json) {
            if (in_terminal)
                print_picture(&top);
            printf("%s ended\n", top.count > 1 ? "all processes have" : "the program has");
        }
    }
    top_free(&top);
    return code;
}
