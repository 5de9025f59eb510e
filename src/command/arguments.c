/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line by the table of options and sets the options' variables. Called once by main.c,
 * before everything else. Filter files are read and checked before the program starts.
 */
#include "src/command/arguments.h"

#include "src/command/text/usage.h"
#include "src/core/filter.h"
#include "src/core/message.h"
#include "src/core/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum command_action action;
} actions[] = {{"help", ACTION_HELP},
               {"version", ACTION_VERSION},
               {"man", ACTION_MAN},
               {"completions", ACTION_COMPLETIONS}};
enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

struct parser {
    int argc;
    char *const *argv;
    int next;                                  /* index of the next word */
    const struct omptape_option *value_option; /* last option whose value was a separate word, `taken` */
    const char *taken;
    struct arguments *arguments;
    char *error;
    size_t error_bytes;
};

static int fail_with(struct parser *parser, const char *format, const char *text)
{
    return omptape_fail(parser->error, parser->error_bytes, -EINVAL, format, text);
}

static const struct omptape_option *find_name(const char *name, size_t length)
{
    for (size_t i = 0; i < omptape_option_count; i++) {
        const struct omptape_option *option = &omptape_option_table[i];
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static const struct omptape_option *find_letter(char letter)
{
    for (size_t i = 0; i < omptape_option_count; i++)
        if (omptape_option_table[i].letter == letter)
            return &omptape_option_table[i];
    return NULL;
}

/* Handles the value of an option: `attached`, or the next word. */
static int take_value(struct parser *parser, const struct omptape_option *option, const char *attached)
{
    const char *value = attached;
    if (value == NULL)
        value = option->argument == NULL ? "1" : option->alone;
    if (value == NULL && parser->next < parser->argc) {
        value = parser->argv[parser->next++];
        parser->value_option = option;
        parser->taken = value;
    }
    if (value == NULL || !*value)
        return omptape_fail(parser->error, parser->error_bytes, -EINVAL, "--%s needs its %s", option->name,
                            option->argument != NULL && option->alone == NULL ? option->argument : "value");
    if (strcmp(option->name, "events") == 0 && strcmp(value, "help") == 0) {
        parser->arguments->action = ACTION_EVENTS;
        return 0;
    }
    if (strcmp(option->name, "filter") == 0 && strcmp(value, "help") == 0) {
        parser->arguments->action = ACTION_FILTER;
        return 0;
    }
    int result = omptape_option_check(option, value, parser->error, parser->error_bytes);
    if (result != 0)
        return result;
    if (strcmp(option->name, "output") == 0)
        parser->arguments->output_given = true;
    if (setenv(option->variable, value, 1) != 0)
        return fail_with(parser, "cannot set %s", option->variable);
    return 0;
}

static int refuse_name(struct parser *parser, const char *word, size_t length)
{
    struct omptape_nearest nearest = omptape_nearest_start(word + 2, length);
    for (size_t i = 0; i < ACTIONS; i++)
        omptape_nearest_try(&nearest, actions[i].name);
    for (size_t i = 0; i < omptape_option_count; i++)
        omptape_nearest_try(&nearest, omptape_option_table[i].name);
    return omptape_fail(parser->error, parser->error_bytes, -EINVAL,
                        "no option is named %.80s%s (omptape --help lists them)", word,
                        omptape_nearest_hint(&nearest, "--").text);
}

static int parse_long(struct parser *parser, const char *word)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    for (size_t i = 0; i < ACTIONS; i++) {
        if (strlen(actions[i].name) != length || memcmp(actions[i].name, name, length) != 0)
            continue;
        if (value != NULL)
            return fail_with(parser, "--%s takes no value", actions[i].name);
        parser->arguments->action = actions[i].action;
        return 0;
    }
    const struct omptape_option *option = find_name(name, length);
    if (option == NULL)
        return refuse_name(parser, word, length);
    return take_value(parser, option, value);
}

/* Parses a word of single-letter options. Switches can be combined; after a letter that takes a value, the
 * rest of the word is the value. */
static int parse_letters(struct parser *parser, const char *word)
{
    for (const char *p = word + 1; *p; p++) {
        const struct omptape_option *option = find_letter(*p);
        char shown[3] = {'-', *p, '\0'};
        if (*p == 'h') {
            parser->arguments->action = ACTION_HELP;
            return 0;
        }
        if (option == NULL)
            return fail_with(parser, "no option is named %s (omptape --help lists them)", shown);
        if (option->argument != NULL)
            return take_value(parser, option, p[1] ? p + 1 : NULL);
        int result = take_value(parser, option, NULL);
        if (result != 0)
            return result;
    }
    return 0;
}

static enum command_action find_subcommand(const char *word)
{
    for (size_t i = 0; i < subcommand_count; i++)
        if (strcmp(word, subcommand_names[i]) == 0)
            return (enum command_action)(ACTION_INFO + i);
    return ACTION_RUN;
}

static int refuse_nothing(struct parser *parser)
{
    if (parser->taken == NULL)
        return fail_with(parser, "no program is named (%s shows how)", "omptape --help");
    return omptape_fail(parser->error, parser->error_bytes, -EINVAL,
                        "no program is named: --%s took %s (%s shows how)", parser->value_option->name,
                        omptape_quoted(parser->taken).text, "omptape --help");
}

int arguments_parse(int argc, char *const *argv, struct arguments *arguments, char *error, size_t error_bytes)
{
    struct parser parser = {.argc = argc,
                            .argv = argv,
                            .next = 1,
                            .arguments = arguments,
                            .error = error,
                            .error_bytes = error_bytes};
    bool ended = false;
    *arguments = (struct arguments){0};
    while (!ended && parser.next < argc && argv[parser.next][0] == '-') {
        const char *word = argv[parser.next++];
        int result = 0;
        parser.taken = NULL;
        if (strcmp(word, "--") == 0)
            ended = true;
        else if (strcmp(word, "-") == 0)
            return fail_with(&parser, "\"%s\" is neither an option nor a program", word);
        else if (word[1] == '-')
            result = parse_long(&parser, word);
        else
            result = parse_letters(&parser, word);
        if (result != 0 || arguments->action != ACTION_RUN)
            return result;
    }
    if (parser.next >= argc)
        return refuse_nothing(&parser);
    arguments->program = parser.next;
    if (!ended)
        arguments->action = find_subcommand(argv[parser.next]);
    return 0;
}

int arguments_check_filter(const struct omptape_options *options, char *error, size_t error_bytes)
{
    struct omptape_filter filter;
    char reason[400];
    if (options->filter == NULL)
        return 0;
    int result = omptape_filter_load(&filter, options->filter, reason, sizeof(reason));
    omptape_filter_free(&filter);
    if (result != 0)
        return omptape_fail(error, error_bytes, result, "--filter: %s", reason);
    char *absolute = strchr(options->filter, '@') != NULL ? omptape_filter_absolute(options->filter) : NULL;
    if (absolute != NULL && strlen(absolute) >= OMPTAPE_FILTER_BYTES) {
        result = omptape_fail(error, error_bytes, -EINVAL, "--filter: the list is too long");
    } else if (absolute != NULL && setenv("OMPTAPE_FILTER", absolute, 1) != 0) {
        result = -errno;
        (void)snprintf(error, error_bytes, "--filter: %s", strerror(-result));
    }
    free(absolute);
    return result;
}

int arguments_check_tool(const struct omptape_options *options, char *error, size_t error_bytes)
{
    const char *file = options->with_tool;
    if (file == NULL || strcmp(file, "none") == 0)
        return 0;
    char *absolute = realpath(file, NULL);
    int result = 0;
    /* A name without a slash may be an installed library. */
    if (absolute != NULL ? setenv("OMPTAPE_WITH_TOOL", absolute, 1) != 0 : strchr(file, '/') != NULL)
        result = -errno;
    if (result != 0)
        (void)snprintf(error, error_bytes, "--with-tool: %.200s: %s", file, strerror(-result));
    free(absolute);
    return result;
}
