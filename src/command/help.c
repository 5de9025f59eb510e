/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints help, version, event groups and the rules of --filter. Called by main.c.
 */
#include "src/command/help.h"
#include "src/command/text/usage.h"
#include "src/core/constructs.h"
#include "src/core/events.h"
#include "src/core/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_COLUMN = 26, GROUP_COLUMN = 12, LINE_WIDTH = 79 };

static void print_option(const char *letter, const char *name, const char *argument, const char *help)
{
    const bool apart = argument != NULL && argument[0] != '[';
    int width = printf("  %s--%s%s%s", letter, name, apart ? " " : "", argument != NULL ? argument : "");
    printf("%*s%s\n", width < OPTION_COLUMN ? OPTION_COLUMN - width : 2, "", help);
}

/* Returns true if the previous option's help line already mentions this option as "--NAME VALUE" or
 * "--NAME[=VALUE]". The option then gets no line of its own. */
static bool is_named(const char *name, const char *help)
{
    const char *at = strstr(help, name);
    return at != NULL && at - help >= 2 && at[-1] == '-' && at[-2] == '-' &&
           (at[strlen(name)] == ' ' || at[strlen(name)] == '[');
}

void help_print(void)
{
    printf("usage: omptape [options] [--] PROGRAM [arguments]   run a program and trace it\n"
           " omptape report|compare|scale|whatif|info|check|export|snapshot|unify|top --help\n");
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        if (i > 0 && is_named(option->name, omptape_option_table[i - 1].help))
            continue;
        char letter[] = {'-', option->letter, ',', ' ', '\0'};
        print_option(option->letter ? letter : "    ", option->name, option->argument, option->help);
    }
    print_option("-h, ", "help, --version", NULL, "Each option is also a variable: OMPTAPE_BUFFER_SIZE.");
}

void help_version(void)
{
    printf("omptape " OMPTAPE_VERSION "\n");
}

void help_events(void)
{
    printf("--events=LIST takes groups separated by commas. \"task,work\" records these only,\n"
           "\"-flush,-dispatch\" everything but these.\n\n");
    for (size_t i = 0; i < omptape_event_group_count; i++)
        printf("  %-*s%s\n", GROUP_COLUMN, omptape_event_groups[i].name, omptape_event_groups[i].help);
}

void help_filter(void)
{
    int column = LINE_WIDTH;
    printf("--filter=RULES takes rules separated by commas. Each is [-|+]PATTERN for\n"
           "constructs, or [-|+]file=PATTERN or [-|+]function=PATTERN for the place in the\n"
           "source. \"-\" leaves out what matches, \"+\" or nothing keeps it; the last rule that\n"
           "matches decides. If the first rule keeps, nothing else is shown but parallel and\n"
           "teams regions. @FILE reads rules from a file, one a line. Patterns may hold *, ?\n"
           "and [...], and \"\\,\" for a comma.\n\n"
           "  --filter=-critical,-file=*.h     all but critical sections, and headers\n"
           "  --filter='*barrier'              barriers only\n"
           "  --filter='function=solve*'       what the functions solve... contain\n\n"
           "What belongs to a construct alone goes with it. If a parallel or teams region is\n"
           "left out, so is all that its threads do in it. Constructs:\n");
    for (unsigned kind = 0; kind < OMPTAPE_REGION_CHOICES; kind++) {
        const char *name = omptape_constructs[kind].name;
        const char *comma = kind + 1 < OMPTAPE_REGION_CHOICES ? "," : "";
        if (kind == OMPTAPE_REGION_TASK_UNTIED) /* has the tied task's name */
            continue;
        if (column + (int)strlen(name) + 2 > LINE_WIDTH)
            column = printf("\n  %s%s", name, comma) - 1;
        else
            column += printf(" %s%s", name, comma);
    }
    printf("\n");
}

static void print_kind(const struct omptape_option *option)
{
    static const char *const kinds[][2] = {{"DIR", "dir"}, {"PATH", "path"}};
    if (option->argument == NULL || option->alone != NULL)
        return;
    if (option->words != NULL) {
        printf("words");
        for (size_t i = 0; option->words[i] != NULL; i++)
            printf(" %s", option->words[i]);
        return;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(option->argument, kinds[i][0]) == 0) {
            fputs(kinds[i][1], stdout);
            return;
        }
    }
    fputs("text", stdout);
}

static void complete_option(const struct omptape_option *option, const char *dashes, const char *name)
{
    printf("%s%s\t", dashes, name);
    print_kind(option);
    printf("\t%s\n", option->help);
}

void help_completions(void)
{
    for (size_t i = 0; i < subcommand_count; i++)
        printf("%s\t\t\n", subcommand_names[i]);
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        complete_option(option, "--", option->name);
        if (option->letter != 0)
            complete_option(option, "-", (const char[]){option->letter, '\0'});
    }
    printf("--help\t\tprint what there is\n--version\t\tprint the version\n");
}

/* Escapes text for troff, for which a plain '-' is a hyphen and a line that begins with '.' or ''' a
 * request. */
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

/* Returns details of an option that do not fit into --help, or NULL. */
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
        {"sample",
         "Each time that a thread has had a processor for a part of a second: 1 to 1000 samples for "
         "each second\n"
         "of it. The default is 100. Not with --profile. \"signal\" or \"signal,HZ\": by a signal handler in "
         "the\n"
         "program, where the kernel refuses perf_event_open. It takes SIGURG."},
        {"counters",
         "Events of each thread, at most 7, by the names of \"perf list\" (cycles, page-faults,\n"
         "cpu/event=0xc0/, r01c2) or of libpfm4 where it is installed. The default is cycles,instructions\n"
         "where the processor counts them. \"off\": none. Not without samples."},
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

static void describe_option(const struct omptape_option *option)
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
        describe_option(&omptape_option_table[i]);
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

void help_man(void)
{
    print_options();
    print_event_groups();
}
