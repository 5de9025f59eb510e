/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses single rules of --filter. Called by the command and the writer, and once by the library, on the
 * thread that starts the runtime. Allocates nothing and uses only snprintf of stdio.
 */
#include "src/core/filter.h"

#include "src/core/message.h"
#include "src/core/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    enum omptape_filter_key key;
} keys[] = {{"construct", OMPTAPE_FILTER_CONSTRUCT},
            {"file", OMPTAPE_FILTER_FILE},
            {"function", OMPTAPE_FILTER_FUNCTION}};

static int refuse_rule(char *error, size_t error_bytes, const char *format, const char *text)
{
    return omptape_fail(error, error_bytes, -EINVAL, format, text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Strips blanks at both ends of the text; returns its length. */
static size_t trim_blanks(const char **text, size_t length)
{
    while (length > 0 && is_blank((*text)[0])) {
        (*text)++;
        length--;
    }
    while (length > 0 && is_blank((*text)[length - 1]))
        length--;
    return length;
}

/* Removes the backslashes of a path. Patterns keep them, because fnmatch interprets them. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == '\\' && from[1])
            from++;
        *to++ = *from;
    }
    *to = '\0';
}

static bool names_a_construct(const char *pattern)
{
    for (enum omptape_region_kind kind = 0; kind < OMPTAPE_REGION_CHOICES; kind++)
        if (omptape_construct_matches(kind, pattern))
            return true;
    return false;
}

static int parse_key(const char **text, size_t *length, struct omptape_filter_rule *rule, char *error,
                     size_t error_bytes)
{
    const char *equals = memchr(*text, '=', *length);
    rule->key = OMPTAPE_FILTER_CONSTRUCT;
    if (equals == NULL)
        return 0;
    size_t word = (size_t)(equals - *text);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strlen(keys[i].word) != word || memcmp(keys[i].word, *text, word) != 0)
            continue;
        rule->key = keys[i].key;
        *text += word + 1;
        *length -= word + 1;
        return 0;
    }
    return omptape_fail(error, error_bytes, -EINVAL,
                        "\"%.*s\" is none of construct, file, function (--filter=help)",
                        word < 80 ? (int)word : 80, *text);
}

static int refuse_construct(const char *pattern, char *error, size_t error_bytes)
{
    struct omptape_nearest nearest = omptape_nearest_start(pattern, strlen(pattern));
    for (enum omptape_region_kind kind = 0; kind < OMPTAPE_REGION_KIND_COUNT; kind++)
        omptape_nearest_try(&nearest, omptape_constructs[kind].name);
    return omptape_fail(error, error_bytes, -EINVAL,
                        "no construct is called \"%.80s\"%s (--filter=help lists them)", pattern,
                        omptape_nearest_hint(&nearest, "").text);
}

static int parse_rule(const char *text, size_t length, struct omptape_filter_rule *rule, char *error,
                      size_t error_bytes)
{
    bool include = length > 0 && *text == '@';
    bool sign = length > 0 && (*text == '-' || *text == '+');
    rule->keep = !sign || *text == '+';
    rule->matched = false;
    text += sign || include;
    length -= sign || include;
    length = trim_blanks(&text, length);
    int result = include ? 0 : parse_key(&text, &length, rule, error, error_bytes);
    if (result != 0)
        return result;
    if (include)
        rule->key = OMPTAPE_FILTER_INCLUDE;
    if (length == 0)
        return refuse_rule(error, error_bytes, "%s",
                           include ? "no file is named after \"@\"" : "a rule is empty");
    if (length >= sizeof(rule->pattern))
        return refuse_rule(error, error_bytes, "the pattern that begins with \"%.40s\" is too long", text);
    memcpy(rule->pattern, text, length);
    rule->pattern[length] = '\0';
    if (include)
        unescape(rule->pattern);
    if (rule->key == OMPTAPE_FILTER_CONSTRUCT && !names_a_construct(rule->pattern))
        return refuse_construct(rule->pattern, error, error_bytes);
    return 1;
}

int omptape_filter_next(const char **list, struct omptape_filter_rule *rule, char *error, size_t error_bytes)
{
    const char *text = *list;
    size_t length = 0;
    if (*text == '\0')
        return 0;
    while (text[length] && text[length] != ',')
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    if (text[length] == ',' && text[length + 1] == '\0')
        return refuse_rule(error, error_bytes, "%s", "a rule is empty");
    *list = text + length + (text[length] == ',');
    length = trim_blanks(&text, length);
    return parse_rule(text, length, rule, error, error_bytes);
}

int omptape_filter_line(const char *line, struct omptape_filter_rule *rule, char *error, size_t error_bytes)
{
    size_t length = trim_blanks(&line, strlen(line));
    if (length == 0 || *line == '#')
        return 0;
    if (*line == '@')
        return refuse_rule(error, error_bytes, "%s", "a file of rules cannot name another");
    return parse_rule(line, length, rule, error, error_bytes);
}

int omptape_filter_check(const char *text, char *error, size_t error_bytes)
{
    struct omptape_filter_rule rule;
    int result;
    while ((result = omptape_filter_next(&text, &rule, error, error_bytes)) > 0) {
    }
    return result;
}
