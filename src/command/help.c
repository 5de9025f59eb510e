/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints help, version, event groups and the rules of --filter. Called by main.c when one of them is asked
 * for.
 */
#include "src/command/help.h"

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

/* Does the line of the option before say "--NAME VALUE" or "--NAME[=VALUE]" of this one? Then it needs none
 * of its own. */
static bool is_named(const char *name, const char *help)
{
    const char *at = strstr(help, name);
    return at != NULL && at - help >= 2 && at[-1] == '-' && at[-2] == '-' &&
           (at[strlen(name)] == ' ' || at[strlen(name)] == '[');
}

void omptape_help_print(void)
{
    printf("usage: omptape [options] [--] PROGRAM [arguments]   run a program and trace it\n"
           "       omptape report|compare|info|check|export|snapshot|unify --help\n");
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        if (i > 0 && is_named(option->name, omptape_option_table[i - 1].help))
            continue;
        char letter[] = {'-', option->letter, ',', ' ', '\0'};
        print_option(option->letter ? letter : "    ", option->name, option->argument, option->help);
    }
    print_option("-h, ", "help, --version", NULL, "Each option is also a variable: OMPTAPE_BUFFER_SIZE.");
}

void omptape_help_version(void)
{
    printf("omptape " OMPTAPE_VERSION "\n");
}

void omptape_help_events(void)
{
    printf("--events=LIST takes groups separated by commas. \"task,work\" records these only,\n"
           "\"-flush,-dispatch\" everything but these.\n\n");
    for (size_t i = 0; i < omptape_event_group_count; i++)
        printf("  %-*s%s\n", GROUP_COLUMN, omptape_event_groups[i].name, omptape_event_groups[i].help);
}

void omptape_help_filter(void)
{
    int column = LINE_WIDTH;

    printf("--filter=RULES takes rules separated by commas. Each is [-|+]PATTERN for constructs,\n"
           "or [-|+]file=PATTERN or [-|+]function=PATTERN for the place in the source. \"-\" leaves\n"
           "out what matches, \"+\" or nothing keeps it; the last rule that matches decides. If the\n"
           "first rule keeps, nothing else is shown but parallel and teams regions. @FILE reads\n"
           "rules from a file, one a line. Patterns may hold *, ? and [...], and \"\\,\" for a comma.\n\n"
           "  --filter=-critical,-file=*.h     all but critical sections and what stands in headers\n"
           "  --filter='*barrier'              barriers only\n"
           "  --filter='function=solve*'       what the functions solve... contain\n\n"
           "What belongs to a construct alone goes with it. If a parallel or teams region is left\n"
           "out, so is all that its threads do in it. Constructs:\n");
    for (unsigned kind = 0; kind < OMPTAPE_REGION_CHOICES; kind++) {
        const char *name = omptape_constructs[kind].name;
        const char *comma = kind + 1 < OMPTAPE_REGION_CHOICES ? "," : "";
        if (kind == OMPTAPE_REGION_TASK_UNTIED) /* named as the tied one */
            continue;
        if (column + (int)strlen(name) + 2 > LINE_WIDTH)
            column = printf("\n  %s%s", name, comma) - 1;
        else
            column += printf(" %s%s", name, comma);
    }
    printf("\n");
}
