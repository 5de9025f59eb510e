/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements short_names.h. Called by writers/regions/names.c and the analysis.
 */
#include "src/core/short_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16 };     /* limit for nested template arguments */
enum { MAX_ARGUMENTS = 24 }; /* longest template arguments that a function's name keeps, in bytes */

/* A part of a name. */
struct piece {
    const char *text;
    size_t length;
};

/* The output, and how much of it is written. */
struct short_text {
    char *text; /* of OMPTAPE_SHORT_NAME_BYTES */
    size_t used;
    bool cut;
};

static void put(struct short_text *out, const char *text, size_t length)
{
    size_t capacity = OMPTAPE_SHORT_NAME_BYTES - 1 - out->used;
    out->cut = out->cut || length > capacity;
    length = length < capacity ? length : capacity;
    memcpy(out->text + out->used, text, length);
    out->used += length;
    out->text[out->used] = '\0';
}

static bool starts(struct piece piece, size_t at, const char *word)
{
    size_t length = strlen(word);
    return piece.length - at >= length && memcmp(piece.text + at, word, length) == 0;
}

/* Returns the offset after an operator's name, which may contain brackets and spaces: "operator()", "operator
 * new[]", "operator<< " before template arguments. Returns `at` if there is no operator. */
static size_t skip_operator(struct piece piece, size_t at)
{
    static const char word[] = "operator";
    bool begins = at == 0 || strchr(": ", piece.text[at - 1]) != NULL;
    if (!begins || !starts(piece, at, word))
        return at;
    size_t end = at + strlen(word);
    if (starts(piece, end, "()"))
        return end + 2;
    if (starts(piece, end, " "))
        while (end < piece.length && piece.text[end] != '(')
            end++;
    /* After any other operator "<" begins template arguments: "operator+<char>". */
    const char *symbols = starts(piece, end, "<") ? "<>=" : ">=!+-*/%^&|~,[]";
    while (end < piece.length && strchr(symbols, piece.text[end]) != NULL)
        end++;
    return starts(piece, end, " <") ? end + 1 : end;
}

/* Returns the offset after the bracket that closes the one at `at`; `at` if there is none. */
static size_t skip_brackets(struct piece piece, size_t at)
{
    size_t depth = 0;
    for (size_t i = at; i < piece.length; i++) {
        depth += strchr("<({[", piece.text[i]) != NULL;
        if (strchr(">)}]", piece.text[i]) != NULL &&
            (piece.text[i] != '>' || i == 0 || piece.text[i - 1] != '-') && depth > 0)
            depth--;
        if (depth == 0)
            return i == at ? at : i + 1;
    }
    return piece.length;
}

/* Returns the next offset outside of brackets. */
static size_t next_place(struct piece piece, size_t at)
{
    size_t end = skip_operator(piece, at);
    end = end == at ? skip_brackets(piece, at) : end;
    return end == at ? at + 1 : end;
}

static size_t skip_qualifier(struct piece piece, size_t at)
{
    static const char qualifier[] = " const";
    return starts(piece, at, qualifier) ? at + strlen(qualifier) : at;
}

/* Returns the end of the component that begins at `at`: the next "::", or the end of the name. */
static size_t end_of_component(struct piece piece, size_t at)
{
    while (at < piece.length && !starts(piece, at, "::"))
        at = next_place(piece, at);
    return at < piece.length ? at : piece.length;
}

static bool is_template(struct piece component)
{
    for (size_t i = 0; i < component.length; i = next_place(component, i))
        if (component.text[i] == '<')
            return true;
    return false;
}

static bool is_lambda(struct piece piece)
{
    for (size_t i = 0; i < piece.length; i++)
        if (starts(piece, i, "{lambda(") || starts(piece, i, "$_"))
            return true;
    return false;
}

/* Writes "lambda 1" for gcc's "{lambda(int)#1}" and clang's "$_0". */
static bool put_lambda(struct short_text *out, struct piece component)
{
    char text[32];
    if (starts(component, 0, "$_") && component.length > 2 && isdigit((unsigned char)component.text[2])) {
        (void)snprintf(text, sizeof(text), "lambda %lu", strtoul(component.text + 2, NULL, 10) + 1);
    } else if (starts(component, 0, "{lambda(")) {
        size_t number = skip_brackets(component, 0);
        while (number > 0 && component.text[number - 1] != '#')
            number--;
        (void)snprintf(text, sizeof(text), "lambda %lu", strtoul(component.text + number, NULL, 10));
    } else {
        return false;
    }
    put(out, text, strlen(text));
    return true;
}

static void put_arguments(struct short_text *out, struct piece list, unsigned depth);

static void put_component(struct short_text *out, struct piece component, unsigned depth)
{
    if (put_lambda(out, component))
        return;
    for (size_t i = 0; i < component.length;) {
        size_t end = next_place(component, i);
        if (component.text[i] == '<' && end > i + 1) {
            put_arguments(out, (struct piece){component.text + i + 1, end - i - 2}, depth + 1);
        } else if (component.text[i] == '(' && i > 0) {
            put(out, "()", 2);
            end = skip_qualifier(component, end);
        } else {
            put(out, component.text + i, end - i);
        }
        i = end;
    }
}

/* Writes a type without its namespaces. A local type of a function keeps the function's name. */
static void put_type(struct short_text *out, struct piece type, unsigned depth)
{
    struct piece function = {NULL, 0};
    size_t at = 0;
    size_t end = end_of_component(type, at);
    while (end < type.length) {
        struct piece scope = {type.text + at, end - at};
        bool is_function =
            scope.length > 1 && scope.text[0] != '(' && memchr(scope.text, '(', scope.length) != NULL;
        function = is_function ? scope : (struct piece){NULL, 0};
        at = end + 2;
        end = end_of_component(type, at);
    }
    if (function.text != NULL) {
        put_component(out, function, depth);
        put(out, "::", 2);
    }
    put_component(out, (struct piece){type.text + at, type.length - at}, depth);
}

static void put_arguments(struct short_text *out, struct piece list, unsigned depth)
{
    bool lambdas = is_lambda(list);
    const char *before = "<";
    for (size_t at = 0; at < list.length && depth < MAX_DEPTH;) {
        size_t end = at;
        while (end < list.length && list.text[end] != ',')
            end = next_place(list, end);
        struct piece argument = {list.text + at, (end < list.length ? end : list.length) - at};
        if (!lambdas || is_lambda(argument)) {
            put(out, before, strlen(before));
            put_type(out, argument, depth);
            before = ", ";
        }
        for (at = end + 1; at < list.length && list.text[at] == ' ';)
            at++;
    }
    put(out, before[0] == '<' ? "<>" : ">", before[0] == '<' ? 2 : 1);
}

/* Returns the function's name without return type and parameters. *rest: offset behind these; 0: none. */
static struct piece name_of(struct piece whole, size_t *rest)
{
    size_t begin = 0;
    *rest = 0;
    for (size_t i = 0; i < whole.length;) {
        size_t end = next_place(whole, i);
        if (whole.text[i] == '(' && end > i + 1) {
            end = skip_qualifier(whole, end);
            if (!starts(whole, end, "::")) {
                *rest = end;
                return (struct piece){whole.text + begin, i - begin};
            }
        } else if (whole.text[i] == ' ') {
            begin = end;
        }
        i = end;
    }
    return (struct piece){whole.text + begin, whole.length - begin};
}

/* Writes the name from the first component with template arguments on, or only the last component. */
static bool put_name(struct short_text *out, struct piece name)
{
    bool instance = false;
    for (size_t at = 0; at < name.length;) {
        size_t end = end_of_component(name, at);
        struct piece component = {name.text + at, end - at};
        if (instance)
            put(out, "::", 2);
        instance = instance || is_template(component);
        if (instance || end == name.length)
            put_component(out, component, 0);
        at = end + 2;
    }
    return instance;
}

static void end_text(struct short_text *out)
{
    static const char mark[] = "...";
    if (out->cut)
        memcpy(out->text + out->used - strlen(mark), mark, strlen(mark));
}

/* Replaces the end of a cut name by "...::" and the name's last component, unless that is too long. */
static void keep_last(struct short_text *out, struct piece name)
{
    char text[OMPTAPE_SHORT_NAME_BYTES];
    struct short_text last = {.text = text};
    size_t at = 0;
    for (size_t end = end_of_component(name, 0); end < name.length; end = end_of_component(name, at))
        at = end + 2;
    put(&last, "...::", strlen("...::"));
    put_component(&last, (struct piece){name.text + at, name.length - at}, 0);
    if (at == 0 || at >= name.length || last.used > OMPTAPE_SHORT_NAME_BYTES / 2)
        return;
    memcpy(out->text + out->used - last.used, text, last.used);
    out->cut = false;
}

bool omptape_short_name_of_instance(const char *function, char text[OMPTAPE_SHORT_NAME_BYTES])
{
    struct short_text out = {.text = text};
    size_t rest;
    text[0] = '\0';
    const struct piece name = name_of((struct piece){function, strlen(function)}, &rest);
    const bool instance = put_name(&out, name);
    if (out.cut)
        keep_last(&out, name);
    end_text(&out);
    return instance;
}

void omptape_short_name_of_symbol(const char *symbol, char text[OMPTAPE_SHORT_NAME_BYTES])
{
    struct short_text out = {.text = text};
    struct piece whole = {symbol, strlen(symbol)};
    size_t rest;
    struct piece name = name_of(whole, &rest);
    text[0] = '\0';
    if (rest == 0) {
        put(&out, symbol, whole.length);
    } else {
        (void)put_name(&out, name);
        put(&out, "()", 2);
        put(&out, symbol + rest, whole.length - rest);
    }
    end_text(&out);
}

/* Writes the component, with its template arguments if they have at most `max` bytes. */
static void put_function_component(struct short_text *out, struct piece component, size_t max)
{
    static const char tag[] = "[abi:";
    for (size_t i = 0; i < component.length;) {
        const size_t end = next_place(component, i);
        if (component.text[i] == '<' && end - i > max)
            put(out, "<..>", strlen("<..>"));
        else if (!starts(component, i, tag))
            put(out, component.text + i, end - i - (end > i + 1 && component.text[end - 1] == ' '));
        i = end;
    }
}

const char *omptape_short_name_of_function(const char *function, char text[OMPTAPE_SHORT_NAME_BYTES])
{
    static const char nameless[] = "(anonymous namespace)";
    static const char library[] = "std::";
    struct short_text out = {.text = text};
    struct piece whole = {function, strlen(function)};
    size_t rest;
    struct piece name = name_of(whole, &rest);
    text[0] = '\0';
    if (rest == 0)
        name = whole;
    const size_t max = starts(name, 0, library) ? 0 : MAX_ARGUMENTS;
    for (size_t at = 0; at < name.length;) {
        const size_t end = end_of_component(name, at);
        struct piece component = {name.text + at, end - at};
        const char *before = out.used > 0 ? "::" : "";
        if (!starts(component, 0, nameless)) {
            put(&out, before, strlen(before));
            if (!put_lambda(&out, component))
                put_function_component(&out, component, max);
        }
        at = end + 2;
    }
    end_text(&out);
    return text;
}
