/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads the rules of --filter with their files, and applies them. Called by the command before the program
 * starts, and by the writer's translating thread. Not linked into the library, because it allocates.
 */
#include "src/core/filter.h"

#include "src/core/array.h"
#include "src/core/message.h"
#include "src/core/words.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int add_rule(struct omptape_filter *filter, const struct omptape_filter_rule *rule, char *error,
                    size_t error_bytes)
{
    if (!OMPTAPE_APPEND(filter->rules, filter->count, filter->capacity, *rule))
        return omptape_fail(error, error_bytes, -ENOMEM, "%s", strerror(ENOMEM));
    return 0;
}

static int load_lines(struct omptape_filter *filter, const char *path, FILE *file, char *error,
                      size_t error_bytes)
{
    struct omptape_filter_rule rule;
    char reason[256];
    char *line = NULL;
    size_t bytes = 0;
    int result = 0;
    for (unsigned number = 1; result == 0 && getline(&line, &bytes, file) >= 0; number++) {
        result = omptape_filter_line(line, &rule, reason, sizeof(reason));
        if (result > 0)
            result = add_rule(filter, &rule, reason, sizeof(reason));
        if (result != 0)
            (void)snprintf(error, error_bytes, "%.300s:%u: %s", path, number, reason);
    }
    if (result == 0 && ferror(file)) {
        result = -EIO;
        (void)snprintf(error, error_bytes, "cannot read %.300s: %s", path, strerror(errno));
    }
    free(line);
    return result;
}

/* Opens a regular file. A pipe or device may have no end, and the writer must be able to read it again. */
static FILE *open_file(const char *path)
{
    struct stat status;
    FILE *file = NULL;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        file = fdopen(descriptor, "r");
    else
        errno = ESPIPE;
    if (file == NULL)
        close(descriptor);
    return file;
}

static int load_file(struct omptape_filter *filter, const char *path, char *error, size_t error_bytes)
{
    FILE *file = open_file(path);
    if (file == NULL) {
        int reason = errno;
        return omptape_fail(error, error_bytes, -reason, "cannot read %.300s: %s", path,
                            reason != ESPIPE ? strerror(reason) : "it is no file");
    }
    int result = load_lines(filter, path, file, error, error_bytes);
    fclose(file);
    return result;
}

int omptape_filter_load(struct omptape_filter *filter, const char *text, char *error, size_t error_bytes)
{
    struct omptape_filter_rule rule;
    int result;
    *filter = (struct omptape_filter){0};
    while ((result = omptape_filter_next(&text, &rule, error, error_bytes)) > 0) {
        result = rule.key == OMPTAPE_FILTER_INCLUDE ? load_file(filter, rule.pattern, error, error_bytes)
                                                    : add_rule(filter, &rule, error, error_bytes);
        if (result != 0)
            break;
    }
    if (result != 0)
        filter->count = 0;
    return result;
}

void omptape_filter_free(struct omptape_filter *filter)
{
    free(filter->rules);
    *filter = (struct omptape_filter){0};
}

bool omptape_filter_needs_places(const struct omptape_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->rules[i].key != OMPTAPE_FILTER_CONSTRUCT)
            return true;
    return false;
}

void omptape_filter_write(const struct omptape_filter_rule *rule, char *text, size_t bytes)
{
    static const char *const keys[] = {[OMPTAPE_FILTER_CONSTRUCT] = "",
                                       [OMPTAPE_FILTER_FILE] = "file=",
                                       [OMPTAPE_FILTER_FUNCTION] = "function=",
                                       [OMPTAPE_FILTER_INCLUDE] = "@"};
    (void)snprintf(text, bytes, "%s%s%s", rule->keep ? "" : "-", keys[rule->key], rule->pattern);
}

static bool matches_file(const char *pattern, const char *path)
{
    return fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, omptape_base_name(path), 0) == 0;
}

/* Returns the offset of the parameters of "solve(int, (anonymous namespace)::grid&)": the parenthesis that
 * matches the last one. Returns the text's length if there are no parameters. */
static size_t bare_length(const char *function)
{
    const char *last = strrchr(function, ')');
    size_t at = last != NULL ? (size_t)(last - function) + 1 : 0;
    unsigned depth = 0;
    while (at-- > 0) {
        depth += function[at] == ')';
        if (function[at] == '(' && --depth == 0 && at > 0)
            return at;
    }
    return strlen(function);
}

static bool matches_function(const char *pattern, const char *function)
{
    if (fnmatch(pattern, function, 0) == 0)
        return true;
    char *bare = strndup(function, bare_length(function));
    bool matches = bare != NULL && fnmatch(pattern, bare, 0) == 0;
    free(bare);
    return matches;
}

static bool rule_matches(const struct omptape_filter_rule *rule, enum omptape_region_kind construct,
                         bool placed, const char *file, const char *function)
{
    switch (rule->key) {
    case OMPTAPE_FILTER_CONSTRUCT:
        return omptape_construct_matches(construct, rule->pattern);
    case OMPTAPE_FILTER_FILE:
        return placed && matches_file(rule->pattern, file != NULL ? file : "");
    case OMPTAPE_FILTER_FUNCTION:
        return placed && matches_function(rule->pattern, function != NULL ? function : "");
    default:
        return false;
    }
}

/* Returns true for regions that must be shown because other regions lie inside them. */
static bool holds_the_rest(enum omptape_region_kind construct)
{
    return construct == OMPTAPE_REGION_PARALLEL || construct == OMPTAPE_REGION_TEAMS;
}

enum omptape_filter_verdict omptape_filter_decide(struct omptape_filter *filter,
                                                  enum omptape_region_kind construct, bool placed,
                                                  const char *file, const char *function)
{
    enum omptape_filter_verdict verdict = OMPTAPE_FILTER_KEEPS;
    if (filter->count > 0 && filter->rules[0].keep && !holds_the_rest(construct))
        verdict = OMPTAPE_FILTER_EXCLUDES;
    if (!placed && omptape_filter_needs_places(filter) && !holds_the_rest(construct))
        verdict = OMPTAPE_FILTER_INHERITS;
    for (size_t i = 0; i < filter->count; i++) {
        struct omptape_filter_rule *rule = &filter->rules[i];
        if (!rule_matches(rule, construct, placed, file, function))
            continue;
        rule->matched = true;
        verdict = rule->keep ? OMPTAPE_FILTER_KEEPS : OMPTAPE_FILTER_EXCLUDES;
    }
    return verdict;
}

static void write_path(FILE *stream, const char *path)
{
    fputc('@', stream);
    for (; *path; path++) {
        if (*path == ',' || *path == '\\')
            fputc('\\', stream);
        fputc(*path, stream);
    }
}

char *omptape_filter_absolute(const char *text)
{
    struct omptape_filter_rule rule;
    char ignored[128];
    char *whole = NULL;
    size_t bytes = 0;
    bool complete = true;
    FILE *stream = open_memstream(&whole, &bytes);
    if (stream == NULL)
        return NULL;
    for (const char *word = text, *next = text;
         omptape_filter_next(&next, &rule, ignored, sizeof(ignored)) > 0; word = next) {
        char *path = rule.key == OMPTAPE_FILTER_INCLUDE ? realpath(rule.pattern, NULL) : NULL;
        complete = complete && (path != NULL || rule.key != OMPTAPE_FILTER_INCLUDE);
        size_t length = (size_t)(next - word);
        if (word != text)
            fputc(',', stream);
        if (path != NULL)
            write_path(stream, path);
        else
            fwrite(word, 1, length - (*next != '\0' && length > 0), stream);
        free(path);
    }
    if (fclose(stream) == 0 && complete)
        return whole;
    free(whole);
    return NULL;
}
