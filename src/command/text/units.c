/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers as people read them. Used by the command's summary.
 */
#include "src/command/text/units.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *omptape_units_count(uint64_t count, char text[OMPTAPE_UNIT_BYTES])
{
    char digits[24];
    char *p = text;
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return text;
}

const char *omptape_units_things(uint64_t count, const char *thing, char text[OMPTAPE_UNIT_BYTES])
{
    (void)omptape_units_count(count, text);
    size_t length = strlen(text);
    (void)snprintf(text + length, OMPTAPE_UNIT_BYTES - length, " %s%s", thing, count == 1 ? "" : "s");
    return text;
}

const char *omptape_units_bytes(uint64_t bytes, char text[OMPTAPE_UNIT_BYTES])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(text, OMPTAPE_UNIT_BYTES, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

const char *omptape_units_time(uint64_t nanoseconds, char text[OMPTAPE_UNIT_BYTES])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)nanoseconds;
    size_t unit = 0;

    /* What is rounded up to 10, 100 or 1000 has no digit more than these. */
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1000;
        unit++;
    }
    int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    (void)snprintf(text, OMPTAPE_UNIT_BYTES, "%.*f %s", digits, value, units[unit]);
    return text;
}

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

void omptape_json_quote(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        size_t bytes = 0;
        const char *one = omptape_utf8_replace(&text, &bytes);
        if (*one == '"' || *one == '\\')
            fprintf(out, "\\%c", *one);
        else if (bytes == 1 && ((unsigned char)*one < ' ' || *one == 0x7f))
            fprintf(out, "\\u%04x", (unsigned)*one);
        else
            fwrite(one, 1, bytes, out);
    }
    fputc('"', out);
}

void omptape_xml_quote(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t bytes;
        const char *character = omptape_utf8_replace(&text, &bytes);
        const unsigned char first = (unsigned char)character[0];
        if (bytes == 1 && (first < ' ' || strchr("<>&\"'", first) != NULL))
            fprintf(out, "&#%u;", first < ' ' ? ' ' : first);
        else
            fwrite(character, 1, bytes, out);
    }
}
