/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses a subcommand's command line (usage.h). Each subcommand calls it once.
 */
#include "src/command/text/usage.h"

#include "src/core/message.h"
#include "src/core/options.h"
#include "src/core/words.h"
#include "src/folder/output_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const subcommand_names[] = {"info",  "report", "compare",  "scale", "whatif",
                                        "check", "export", "snapshot", "unify", "top"};
const size_t subcommand_count = sizeof(subcommand_names) / sizeof(subcommand_names[0]);

struct words {
    const struct usage *usage;
    int argc;
    char **argv;
    int next;
};

static int refuse_option(const struct usage *usage, const char *word)
{
    size_t dashes = strspn(word, "-");
    struct omptape_nearest nearest = omptape_nearest_start(word + dashes, strcspn(word + dashes, "="));
    omptape_nearest_try(&nearest, "help");
    for (size_t i = 0; i < usage->count; i++)
        omptape_nearest_try(&nearest, usage->options[i].name);
    omptape_message("%s: no option is named %s%s (omptape %s --help shows how)", usage->command, word,
                    omptape_nearest_hint(&nearest, "--").text, usage->command);
    return -EINVAL;
}

static const struct usage_option *find_option(const struct usage *usage, const char *word)
{
    for (size_t i = 0; i < usage->count; i++) {
        const struct usage_option *option = &usage->options[i];
        size_t length = strlen(option->name);
        if (word[1] == '-' ? strncmp(word + 2, option->name, length) == 0 &&
                                 (word[2 + length] == '\0' || word[2 + length] == '=')
                           : option->letter != 0 && word[1] == option->letter && word[2] == '\0')
            return option;
    }
    return NULL;
}

/* Prints the error with the correct command line. */
static int refuse_missing_value(const struct words *words, const struct usage_option *option)
{
    const char *command = words->usage->command;
    if (option->makes_file)
        omptape_message("%s: --%s needs its %s: omptape %s --%s %s.%s %s", command, option->name,
                        option->value, command, option->name, command, option->name, "ARCHIVE");
    else
        omptape_message("%s: --%s needs its %s (omptape %s --help shows how)", command, option->name,
                        option->value, command);
    return -EINVAL;
}

/* Reports that the output file was omitted or follows the archive. */
static int refuse_archive(const struct words *words, const struct usage_option *option, const char *value)
{
    const struct omptape_quoted shown = omptape_quoted(value);
    const char *command = words->usage->command;
    omptape_message("%s: %s is an archive; --%s needs the file that it makes first: omptape %s --%s %s.%s %s",
                    command, shown.text, option->name, command, option->name, command, option->name,
                    shown.text);
    return -EINVAL;
}

static int take_option(struct words *words, const char *word)
{
    const struct usage_option *option = find_option(words->usage, word);
    char reason[128];
    if (option == NULL)
        return refuse_option(words->usage, word);
    const char *value = word[1] == '-' ? strchr(word, '=') : NULL;
    value = value != NULL ? value + 1 : NULL;
    if (option->text != NULL || option->list != NULL) {
        if (value == NULL && words->next < words->argc)
            value = words->argv[words->next++];
        if (value == NULL || *value == '\0')
            return refuse_missing_value(words, option);
        if (option->makes_file && omptape_is_archive(value))
            return refuse_archive(words, option, value);
        if (option->list != NULL)
            omptape_string_list_add(option->list, value);
        else
            *option->text = value;
        return 0;
    }
    if (omptape_parse_switch(value != NULL ? value : "1", option->on, reason, sizeof(reason)) != 0) {
        omptape_message("%s: --%s: %s", words->usage->command, option->name, reason);
        return -EINVAL;
    }
    return 0;
}

/* Prints all options for shell completion (src/command/help.c). */
static void list_options(const struct usage *usage)
{
    for (size_t i = 0; i < usage->count; i++) {
        const struct usage_option *option = &usage->options[i];
        printf("--%s\t%s\t\n", option->name,
               option->value == NULL                ? ""
               : strcmp(option->value, "FILE") == 0 ? "path"
               : strcmp(option->value, "DIR") == 0  ? "dir"
                                                    : "text");
    }
    printf("--help\t\tprint what there is\n");
}

static bool is_quiet(const struct usage *usage)
{
    for (size_t i = 0; i < usage->count; i++)
        if (strcmp(usage->options[i].name, "quiet") == 0)
            return *usage->options[i].on;
    return false;
}

/* Uses the newest archive of the current folder as operand and prints its name. The name is never freed. */
static int take_newest(const struct usage *usage, const char **operand)
{
    uint32_t count;
    char *newest = omptape_newest_archive(".", &count);
    if (newest == NULL) {
        omptape_message(
            "%s: no archive is in this folder: name one (omptape %s ARCHIVE), or make one (omptape "
            "./program)",
            usage->command, usage->command);
        return -EINVAL;
    }
    if (!is_quiet(usage))
        omptape_message("%s: the newest archive here is %s", usage->command, omptape_quoted(newest).text);
    *operand = newest;
    return 0;
}

/* Reports a missing operand, or one operand too many (`more`). */
static int refuse_count(const struct usage *usage, const struct operands *operands, const char *more)
{
    if (more != NULL)
        omptape_message("%s: one %s at a time: %s and %s", usage->command, usage->operand, operands->list[0],
                        more);
    else
        omptape_message("%s: which %s%s? (omptape %s --help shows how)", usage->command,
                        operands->count == 0 ? "" : "other ", usage->operand, usage->command);
    return -EINVAL;
}

/* Parses options and operands. `operands` has space for `max` entries. */
static int parse(const struct usage *usage, int argc, char **argv, struct operands *operands, int min,
                 int max)
{
    struct words words = {usage, argc, argv, 1};
    int result = 0;
    operands->split = -1;
    while (result == 0 && words.next < argc) {
        const char *word = argv[words.next++];
        const bool options = operands->split < 0;
        if (options && strcmp(word, "--") == 0) {
            operands->split = operands->count;
        } else if (options && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            fputs(usage->help, stdout);
            return 1;
        } else if (options && strcmp(word, "--completions") == 0) {
            list_options(usage);
            return 1;
        } else if (options && word[0] == '-' && word[1] != '\0') {
            result = take_option(&words, word);
        } else if (operands->count == max) {
            result = refuse_count(usage, operands, word);
        } else {
            operands->list[operands->count++] = word;
        }
    }
    if (result == 0 && operands->count == 0 && usage->newest) {
        operands->count = 1;
        return take_newest(usage, operands->list);
    }
    return result == 0 && operands->count < min ? refuse_count(usage, operands, NULL) : result;
}

int usage_parse(const struct usage *usage, int argc, char **argv, const char **operand)
{
    struct operands operands = {.list = operand};
    *operand = NULL;
    return parse(usage, argc, argv, &operands, 1, 1);
}

int usage_parse_many(const struct usage *usage, int argc, char **argv, struct operands *operands, int min)
{
    *operands = (struct operands){.list = calloc((size_t)argc, sizeof(operands->list[0]))};
    if (operands->list == NULL) {
        omptape_message("%s: out of memory", usage->command);
        return -ENOMEM;
    }
    return parse(usage, argc, argv, operands, min, argc);
}
