/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what the manual page (docs/man/omptape.1.in) says of options and event groups, from the tables of
 * --help. Called by main.c for the build, which asks for it with --man.
 */
#include "src/command/help.h"

#include "src/core/events.h"
#include "src/core/options.h"

#include <stdio.h>
#include <string.h>

/* troff takes a plain '-' for a hyphen that may be broken, and a '.' or ''' that begins a line for a command.
 */
static void print_troff(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '-')
            putchar('\\');
        if ((*p == '.' || *p == '\'') && (p == text || p[-1] == '\n'))
            fputs("\\&", stdout);
        if (*p == '\\')
            fputs("\\e", stdout);
        else
            putchar(*p);
    }
}

/* What --help has no room for. */
static const char *find_more(const char *option)
{
    static const char *const more[][2] = {
        {"output",
         "An archive that is there is never overwritten: DIR becomes DIR-2, and so on. Without this option\n"
         "it is omptape-PROGRAM-TIME-PID in the current folder, of a parallel job omptape-JOB."},
        {"force", "It is set aside while the program runs, and comes back if no new one does."},
        {"events", "All by default; EVENT GROUPS below."},
        {"filter", "All by default; FILTER RULES below."},
        {"limit-per-site",
         "Counted over all threads of a process; \"omptape info\" has the exact totals. No limit by\n"
         "default."},
        {"start",
         "\"paused\" records nothing until the program calls omp_control_tool(omp_control_tool_start,\n"
         "0, NULL). The default is \"running\"."},
        {"buffer-size", "The threads fill it and the writer empties it while the program runs. 1M to 1024G."},
        {"when-full",
         "\"wait\" (the default): a thread waits until there is room, and nothing is lost. \"drop\": events\n"
         "are dropped and counted. \"overwrite\": a flight recorder, in which the oldest events give way;\n"
         "the newest are written when the program ends, or by \"omptape snapshot\"."},
        {"device-buffer-size", "Into these a device writes its own records. 4K to 1G."},
        {"report", "On stderr, as by \"omptape report\"; also with --quiet."},
        {"cuda", "\"auto\" (the default): when the program uses CUDA. \"on\": at once, and with a word if "
                 "that fails.\n"
                 "\"off\": never."},
        {"clock-sync", "\"auto\" (the default): unless the launcher says that all ranks are on one host. "
                       "\"on\": wherever\n"
                       "hosts have several names. \"off\": never; wall clocks are believed."},
        {"sample", "Each time that a thread has had a processor for a part of a second: 1 to 1000 samples for "
                   "each second\n"
                   "of it. The default is 100. Not with --profile."},
        {"unify", "\"auto\" is the default, \"off\" leaves them apart for \"omptape unify\"."},
        {"distinct-times", "Records that happened at once are moved by a tick each. pipit and Traveler need "
                           "that; other readers\n"
                           "keep the order of equal times, and the archive is smaller."},
        {"log",
         "One line for each important step of command, library and writer, with process number and time\n"
         "(UTC). \"info\" has the steps, \"debug\" also what each of them looked at. Areas, with commas "
         "between\n"
         "them, are command, library, writer, symbols, archive, unify; all by default. Setuid programs log\n"
         "nothing."},
        {"log-file",
         "Lines are added to FILE. A relative path begins at the current folder of each process. Without\n"
         "it the log goes to stderr, and the writer keeps that open until the archive is complete."},
        {"checkpoint",
         "How often the writer saves what \"omptape unify\" completes an archive with after the writer\n"
         "was killed, too. \"off\": it may cost everything."},
    };
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
        if (strcmp(more[i][0], option) == 0)
            return more[i][1];
    return NULL;
}

static void print_option(const struct omptape_option *option)
{
    const char *more = find_more(option->name);
    printf(".TP\n");
    if (option->letter)
        printf("\\fB\\-%c\\fR, ", option->letter);
    printf("\\fB\\-\\-");
    print_troff(option->name);
    printf("\\fR");
    if (option->argument != NULL)
        printf("%s\\fI%s\\fR", option->alone == NULL ? " " : "", option->argument);
    printf(" (variable \\fB%s\\fR)\n", option->variable);
    print_troff(option->help);
    if (more != NULL) {
        printf(".\n");
        print_troff(more);
    }
    printf("\n");
}

static void print_options(void)
{
    printf(".SH OPTIONS\n"
           "The command line goes before the variable. A switch's variable is 1 or 0.\n");
    for (size_t i = 0; i < omptape_option_count; i++)
        print_option(&omptape_option_table[i]);
    printf(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a short help\n"
           ".TP\n\\fB\\-\\-version\\fR\nprint the version\n");
}

static void print_event_groups(void)
{
    printf(".SH EVENT GROUPS\n"
           "\\fB\\-\\-events\\fR takes groups separated by commas. A name records that group\n"
           "alone, with those beside it; a list that starts with \"\\-\" takes groups from everything.\n");
    for (size_t i = 0; i < omptape_event_group_count; i++) {
        printf(".TP\n\\fB%s\\fR\n", omptape_event_groups[i].name);
        print_troff(omptape_event_groups[i].help);
        printf("\n");
    }
}

void omptape_help_man(void)
{
    print_options();
    print_event_groups();
}
