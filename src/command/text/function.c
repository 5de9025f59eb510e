/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions' names as people call them (function.h). Called by the command's one thread.
 */
#include "src/command/text/function.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char operator_word[] = "operator";
static const char nameless[] = "(anonymous namespace)";

/* The signs of an operator are no brackets: "operator()", "operator<<", "operator->". */
static size_t operator_bytes(const char *at, bool begins)
{
    size_t word = sizeof(operator_word) - 1;
    if (!begins || strncmp(at, operator_word, word) != 0)
        return 0;
    if (strncmp(at + word, "()", 2) == 0)
        return word + 2;
    size_t signs = strspn(at + word, "+-*/%^&|~!=<>,[]");
    return signs > 0 ? word + signs : 0;
}

static bool is_of_name(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What is to be kept as it is, brackets and all. */
static size_t kept_bytes(const char *name, const char *at)
{
    if (strncmp(at, nameless, sizeof(nameless) - 1) == 0)
        return sizeof(nameless) - 1;
    return operator_bytes(at, at == name || !is_of_name(at[-1]));
}

const char *omptape_function_short(const char *name, char *shown, size_t bytes)
{
    size_t used = 0;
    unsigned depth = 0;
    const char *at = name;
    while (*at != '\0' && used + 1 < bytes) {
        size_t kept = kept_bytes(name, at);
        kept = kept < bytes - 1 - used ? kept : bytes - 1 - used;
        if (kept > 0 && depth == 0)
            memcpy(shown + used, at, kept);
        used += depth == 0 ? kept : 0;
        at += kept;
        if (kept > 0) {
            at += strncmp(at, " <", 2) == 0; /* "operator<< <char>" */
            continue;
        }
        if (*at == '(' && depth == 0)
            break;
        depth -= *at == '>' && depth > 0;
        if (*at == ' ' && depth == 0)
            used = 0; /* that was the type */
        else if (depth == 0)
            shown[used++] = *at;
        depth += *at == '<';
        at++;
    }
    shown[used] = '\0';
    if (used == 0 || depth > 0)
        (void)snprintf(shown, bytes, "%s", name);
    return shown;
}
