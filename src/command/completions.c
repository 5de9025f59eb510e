/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists what may follow "omptape " on a command line, for the shells' completions (packaging/completions),
 * which ask with --completions. Called by main.c. A subcommand lists its own options (text/usage.c), in the
 * same form: a line each of name, kind of value and help, with a tab between. Kinds: empty (no value), "dir",
 * "path", "text", and "words" with the words themselves behind it.
 */
#include "src/command/help.h"

#include "src/command/text/usage.h"
#include "src/core/options.h"

#include <stdio.h>
#include <string.h>

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

static void print_option(const struct omptape_option *option, const char *dashes, const char *name)
{
    printf("%s%s\t", dashes, name);
    print_kind(option);
    printf("\t%s\n", option->help);
}

void omptape_help_completions(void)
{
    for (size_t i = 0; i < omptape_subcommand_count; i++)
        printf("%s\t\t\n", omptape_subcommand_names[i]);
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        print_option(option, "--", option->name);
        if (option->letter != 0)
            print_option(option, "-", (const char[]){option->letter, '\0'});
    }
    printf("--help\t\tprint what there is\n--version\t\tprint the version\n");
}
