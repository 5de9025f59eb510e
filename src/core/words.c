/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements words.h. Similarity is the Damerau-Levenshtein distance, with swapped letters as one mistake.
 */
#include "src/core/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *omptape_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool omptape_is_one_of(const char *text, const char *const *list)
{
    while (*list != NULL && strcmp(text, *list) != 0)
        list++;
    return *list != NULL;
}

bool omptape_starts_with_one_of(const char *text, const char *const *list)
{
    while (*list != NULL && !omptape_starts_with(text, *list))
        list++;
    return *list != NULL;
}

bool omptape_has_line(const char *text, const char *line)
{
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        const char *rest = omptape_text_after(at, line);
        if (rest != NULL && (*rest == '\0' || *rest == '\n'))
            return true;
    }
    return false;
}

bool omptape_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    return length >= strlen(ending) && strcmp(text + length - strlen(ending), ending) == 0;
}

/* Returns true for headers of the C++ library, wherever the compiler is. A folder of the library's version
 * contains them. Paths of clang's begin with its own folder. */
static bool has_library_headers(const char *path)
{
    static const char folder[] = "/include/c++/";
    const char *version = strstr(path, folder);
    version = version != NULL ? version + strlen(folder) : "";
    return isdigit((unsigned char)version[0]) || omptape_starts_with(version, "v1/");
}

bool omptape_is_system_path(const char *path)
{
    static const char *const folders[] = {"/lib/",        "/lib64/", "/usr/lib", "/usr/include/",
                                          "/usr/bin/../", "[vdso]",  NULL};
    return omptape_starts_with_one_of(path, folders) || has_library_headers(path);
}

size_t omptape_utf8_next(const char *text, uint32_t *code)
{
    static const unsigned min[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    size_t bytes = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    *code = at[0];
    if (bytes == 1)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    *code = at[0] & (0x7fU >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (at[i] & 0x3fU);
    }
    const bool none = *code < min[bytes] || (*code >= 0xd800 && *code < 0xe000) || *code > 0x10ffff;
    return none ? 0 : bytes;
}

const char *omptape_utf8_replace(const char **text, size_t *bytes)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const char *at = *text;
    uint32_t code = 0;
    if ((unsigned char)*at < 0x80) {
        *bytes = 1;
        ++*text;
        return at;
    }
    size_t length = omptape_utf8_next(at, &code);
    *text += length > 0 ? length : 1;
    if (length > 0 && code != 0xfffe && code != 0xffff) {
        *bytes = length;
        return at;
    }
    *bytes = sizeof(replacement) - 1;
    return replacement;
}

size_t omptape_utf8_visible(const char *text, uint32_t *code)
{
    size_t bytes = omptape_utf8_next(text, code);
    const uint32_t c = *code;
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    const bool direction = c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                           (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
    return control || direction ? 0 : bytes;
}

void omptape_utf8_make_plain(char *text)
{
    uint32_t code;
    for (size_t bytes; *text != '\0'; text += bytes) {
        bytes = omptape_utf8_visible(text, &code);
        if (bytes > 0)
            continue;
        *text = (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : '?';
        bytes = 1;
    }
}

static bool is_plain(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < 0x80 && strchr(plain, *p) == NULL)
            return false;
    return path[0] != '\0';
}

static bool is_visible(const char *path)
{
    uint32_t code;
    for (size_t bytes = 1; *path; path += bytes)
        if ((bytes = omptape_utf8_visible(path, &code)) == 0)
            return false;
    return true;
}

/* Writes one character of the path for use inside quotes; returns its length in the path. Shells without
 * $'...' read it as '...', so the text must not contain a quote: the rest would be executed. */
static size_t quote_one(const char *path, bool escapes, char *shown, size_t bytes)
{
    uint32_t code;
    size_t length = omptape_utf8_visible(path, &code);
    if (length == 0) {
        (void)snprintf(shown, bytes,
                       *path == '\n'   ? "\\n"
                       : *path == '\t' ? "\\t"
                                       : "\\%03o",
                       (unsigned)(unsigned char)*path);
        return 1;
    }
    if (*path == '\'')
        (void)snprintf(shown, bytes, "%s", escapes ? "\\047" : "'\\''");
    else if (*path == '\\' && escapes)
        (void)snprintf(shown, bytes, "\\\\");
    else
        (void)snprintf(shown, bytes, "%.*s", (int)length, path);
    return length;
}

const char *omptape_path_quote(const char *path, char *text, size_t bytes)
{
    const bool escapes = !is_visible(path);
    char shown[8];
    if (!escapes && is_plain(path)) {
        (void)snprintf(text, bytes, "%s", path);
        return text;
    }
    size_t used = (size_t)snprintf(text, bytes, escapes ? "$'" : "'");
    while (*path && used < bytes) {
        path += quote_one(path, escapes, shown, sizeof(shown));
        if (used + strlen(shown) + sizeof("'") > bytes)
            break;
        used += (size_t)snprintf(text + used, bytes - used, "%s", shown);
    }
    if (used < bytes)
        (void)snprintf(text + used, bytes - used, "'");
    return text;
}

enum { MAX_LETTERS = 40, MIN_BEGINNING = 3, SHORT_WORD = 4, LONG_WORD = 8 };

struct omptape_nearest omptape_nearest_start(const char *word, size_t length)
{
    unsigned max = length <= SHORT_WORD ? 1 : length <= LONG_WORD ? 2 : 3;
    return (struct omptape_nearest){.word = word, .length = length, .distance = max + 1};
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned distance_between(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][MAX_LETTERS + 1]; /* distances for the last three letters of `a` */
    for (unsigned k = 0; k <= b_length; k++)
        rows[0][k] = k;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *last = rows[(i + 2) % 3];
        const unsigned *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b_length; k++) {
            row[k] = least_of(last[k - 1] + !is_same(a[i - 1], b[k - 1]), least_of(last[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && is_same(a[i - 1], b[k - 2]) && is_same(a[i - 2], b[k - 1]))
                row[k] = least_of(row[k], before[k - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* Returns true if the word is a prefix of the name, which counts as one mistake. */
static bool is_beginning(const struct omptape_nearest *nearest, const char *name, size_t length)
{
    if (nearest->length < MIN_BEGINNING || nearest->length >= length)
        return false;
    for (size_t i = 0; i < nearest->length; i++)
        if (!is_same(nearest->word[i], name[i]))
            return false;
    return true;
}

void omptape_nearest_try(struct omptape_nearest *nearest, const char *name)
{
    size_t length = strlen(name);
    if (nearest->length == 0 || nearest->length > MAX_LETTERS || length > MAX_LETTERS)
        return;
    unsigned distance = is_beginning(nearest, name, length)
                            ? 1
                            : distance_between(nearest->word, nearest->length, name, length);
    if (distance >= nearest->distance)
        return;
    nearest->distance = distance;
    nearest->name = name;
}

struct omptape_hint omptape_nearest_hint(const struct omptape_nearest *nearest, const char *before)
{
    struct omptape_hint hint = {""};
    if (nearest->name != NULL)
        (void)snprintf(hint.text, sizeof(hint.text), ": did you mean %s%s?", before, nearest->name);
    return hint;
}

struct omptape_quoted omptape_quoted(const char *path)
{
    struct omptape_quoted quoted;
    (void)omptape_path_quote(path, quoted.text, sizeof(quoted.text));
    return quoted;
}

static void append_arguments(char *text, size_t bytes, const char *format, va_list arguments)
{
    const size_t used = strlen(text);
    (void)vsnprintf(text + used, bytes - used, format, arguments);
}

const char *omptape_count(uint64_t count, char text[OMPTAPE_COUNT_BYTES])
{
    char digits[24];
    char *at = text;
    const int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = '\0';
    return text;
}

void omptape_append(char *text, size_t bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_arguments(text, bytes, format, arguments);
    va_end(arguments);
}

void omptape_append_item(char *text, size_t bytes, const char *separator, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (text[0] != '\0')
        omptape_append(text, bytes, "%s", separator);
    append_arguments(text, bytes, format, arguments);
    va_end(arguments);
}

void omptape_range_append(char *text, size_t bytes, uint64_t first, uint64_t end)
{
    const size_t used = strlen(text);
    const char *comma = used > 0 ? ", " : "";
    const int n = end - first == 1
                      ? snprintf(text + used, bytes - used, "%s%" PRIu64, comma, first)
                      : snprintf(text + used, bytes - used, "%s%" PRIu64 "-%" PRIu64, comma, first, end - 1);
    if (n < 0 || (size_t)n >= bytes - used)
        text[used] = '\0';
}
