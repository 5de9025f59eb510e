/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints help, version, event groups and the manual page. Called by main.c when one of them is asked for.
 */
#include "src/command/help.h"

#include "src/core/constructs.h"
#include "src/core/events.h"
#include "src/core/options.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_COLUMN = 26, GROUP_COLUMN = 12, LINE_WIDTH = 79 };

static void print_option(const char *letter, const char *name, const char *argument, const char *help)
{
    int width =
        printf("  %s--%s%s%s", letter, name, argument != NULL ? " " : "", argument != NULL ? argument : "");
    printf("%*s%s\n", width < OPTION_COLUMN ? OPTION_COLUMN - width : 2, "", help);
}

void omptape_help_print(void)
{
    printf("usage: omptape [options] [--] PROGRAM [arguments]   run a program and trace it\n"
           "       omptape info | check ARCHIVE       describe or verify an archive\n"
           "       omptape snapshot PID | unify DIR   save a flight recorder; join archives\n\n"
           "Records an OpenMP program: ./omptape-PROGRAM-TIME-PID/trace.otf2, for Vampir.\n\n");
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        char letter[] = {'-', option->letter, ',', ' ', '\0'};
        print_option(option->letter ? letter : "    ", option->name, option->argument, option->help);
    }
    print_option("-h, ", "help", NULL, "print this; --version prints the version");
    printf("\nEach is also a variable (OMPTAPE_BUFFER_SIZE). The exit code is the program's.\n");
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
    for (unsigned kind = 0; kind < OMPTAPE_REGION_KIND_COUNT; kind++) {
        const char *name = omptape_constructs[kind].name;
        const char *comma = kind + 1 < OMPTAPE_REGION_KIND_COUNT ? "," : "";
        if (kind == OMPTAPE_REGION_TASK_UNTIED) /* named as the tied one */
            continue;
        if (column + (int)strlen(name) + 2 > LINE_WIDTH)
            column = printf("\n  %s%s", name, comma) - 1;
        else
            column += printf(" %s%s", name, comma);
    }
    printf("\n");
}

/* troff takes a plain '-' for a hyphen that may be broken. */
static void print_troff(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '-' || *p == '\\')
            putchar('\\');
        putchar(*p);
    }
}

static void print_man_option(const struct omptape_option *option)
{
    printf(".TP\n");
    if (option->letter)
        printf("\\fB\\-%c\\fR, ", option->letter);
    printf("\\fB\\-\\-");
    print_troff(option->name);
    printf("\\fR");
    if (option->argument != NULL)
        printf(" \\fI%s\\fR", option->argument);
    printf(" (variable \\fB%s\\fR)\n", option->variable);
    print_troff(option->help);
    printf("\n");
}

void omptape_help_man(void)
{
    printf(
        ".TH OMPTAPE 1 \"\" \"omptape " OMPTAPE_VERSION "\" \"User Commands\"\n"
        ".SH NAME\nomptape \\- trace OpenMP programs into OTF2 archives\n"
        ".SH SYNOPSIS\n"
        ".B omptape\n[\\fIoptions\\fR] [\\fB\\-\\-\\fR] \\fIPROGRAM\\fR [\\fIarguments\\fR]\n.br\n"
        ".B omptape info\n[\\fB\\-\\-sizes\\fR] \\fIARCHIVE\\fR\n.br\n"
        ".B omptape check\n\\fIARCHIVE\\fR\n.br\n"
        ".B omptape snapshot\n\\fIPID\\fR\n.br\n"
        ".B omptape unify\n[\\fB\\-\\-clock\\-offsets\\fR \\fIFILE\\fR] \\fIDIR\\fR\n"
        ".SH DESCRIPTION\n"
        "Runs an unchanged OpenMP program and records what its threads do, as the OpenMP runtime reports it\n"
        "(OMPT). The archive opens in Vampir and every other reader of OTF2. It lies in\n"
        "\\fIomptape\\-PROGRAM\\-TIME\\-PID/trace.otf2\\fR unless \\fB\\-\\-output\\fR says otherwise, and "
        "is\n"
        "complete however the program ends.\n.PP\n"
        "A program built with gcc uses GNU's libgomp, which cannot be traced; omptape runs it on LLVM's\n"
        "compatible runtime if one is installed, and says so.\n.PP\n"
        "\\fBinfo\\fR describes an archive, \\fBinfo \\-\\-sizes\\fR says where its bytes go, \\fBcheck\\fR\n"
        "verifies its invariants and names the first that is violated. \\fBsnapshot\\fR saves what the\n"
        "flight recorder of a running program (\\fB\\-\\-when\\-full=overwrite\\fR) holds, and prints the\n"
        "archive's path. \\fBunify\\fR makes one archive of those of several processes that \\fIDIR\\fR "
        "holds;\nomptape does so by itself when the last of them ends. A program of such a name is run with "
        "\\fB\\-\\-\\fR before it.\n"
        ".SH OPTIONS\nThe command line goes before the variable. A switch's variable is 1 or 0.\n");
    for (size_t i = 0; i < omptape_option_count; i++)
        print_man_option(&omptape_option_table[i]);
    printf(
        ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a short help.\n"
        ".TP\n\\fB\\-\\-version\\fR\nPrint the version.\n"
        ".SH EVENT GROUPS\n\\fB\\-\\-events\\fR takes groups separated by commas. A name records that group\n"
        "alone, with those beside it; a list that starts with \"\\-\" takes groups from everything.\n");
    for (size_t i = 0; i < omptape_event_group_count; i++) {
        printf(".TP\n\\fB%s\\fR\n", omptape_event_groups[i].name);
        print_troff(omptape_event_groups[i].help);
        printf("\n");
    }
    printf(".SH FILTER RULES\n\\fB\\-\\-filter\\fR takes rules separated by commas, each "
           "[\\-|+]\\fIPATTERN\\fR for constructs,\n[\\-|+]file=\\fIPATTERN\\fR or "
           "[\\-|+]function=\\fIPATTERN\\fR; \\fB\\-\\-filter=help\\fR lists the\nconstructs. "
           "\"\\-\" leaves out, \"+\" or nothing keeps; the last rule that matches decides. If the first "
           "rule\nkeeps, nothing else is shown but parallel and teams regions. @\\fIFILE\\fR reads rules "
           "from a file, one a line.\n");
    printf(".SH EXIT STATUS\n"
           "The program's; 128 + n if signal n ended it; 127 if it was not found, 126 if it could not be "
           "run, 2 if\n"
           "the command line was wrong.\n"
           ".SH WITHOUT THE COMMAND\n"
           "\\fBLD_PRELOAD\\fR or \\fBOMP_TOOL_LIBRARIES\\fR naming \\fIlibomptape.so\\fR traces as well; "
           "all but\n"
           "\\fBOMPTAPE_GOMP\\fR, \\fBOMPTAPE_LIBOMP\\fR and \\fBOMPTAPE_UNIFY\\fR have their effect.\n"
           ".SH SEE ALSO\n\\fBotf2\\-print\\fR(1)\n");
}
