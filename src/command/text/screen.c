/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints text for a screen (screen.h). Called by the command's only thread.
 */
#include "src/command/text/screen.h"

#include "src/command/text/units.h"
#include "src/core/words.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

static const char gap[] = "..";

static unsigned clamp_width(unsigned width)
{
    return width > SCREEN_MIN_WIDTH ? width : SCREEN_MIN_WIDTH;
}

/* Returns the value of COLUMNS, or the default width if COLUMNS is not a number. */
static unsigned asked_width(void)
{
    enum { DECIMAL = 10 };
    const char *asked = getenv("COLUMNS");
    char *end = NULL;
    const unsigned long width =
        asked != NULL && asked[0] >= '0' && asked[0] <= '9' ? strtoul(asked, &end, DECIMAL) : 0;
    return width > 0 && *end == '\0' && width <= USHRT_MAX ? clamp_width((unsigned)width)
                                                           : SCREEN_DEFAULT_WIDTH;
}

struct screen screen_for(int descriptor)
{
    struct screen screen = {.width = 0};
    struct winsize size;
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (setlocale(LC_CTYPE, "") != NULL)
        screen.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        screen.width = clamp_width(size.ws_col);
    else
        screen.width = asked_width();
    if (!isatty(descriptor))
        return screen;
    screen.colours = (no_colour == NULL || no_colour[0] == '\0') && terminal != NULL && terminal[0] != '\0' &&
                     strcmp(terminal, "dumb") != 0;
    return screen;
}

const char *screen_sanitize(const struct screen *screen, const char *text, char *shown, size_t bytes)
{
    size_t used = 0;
    while (*text != '\0') {
        uint32_t code = 0;
        size_t length = omptape_utf8_visible(text, &code);
        bool good = length == 1 || (length > 1 && screen->utf8 && wcwidth((wchar_t)code) >= 0);
        size_t taken = good ? length : 1;
        if (used + taken >= bytes)
            break;
        memcpy(shown + used, good ? text : "?", taken);
        used += taken;
        if (!good && length == 0) /* an unprintable character and an invalid byte each become one "?" */
            length = omptape_utf8_next(text, &code);
        text += length > 0 ? length : 1;
    }
    shown[used] = '\0';
    return shown;
}

/* Returns the width of the next character in columns and advances *at past it. */
static unsigned character_columns(const char **at)
{
    uint32_t code = 0;
    size_t length = omptape_utf8_next(*at, &code);
    int width = length > 1 ? wcwidth((wchar_t)code) : 1;
    *at += length > 0 ? length : 1;
    return width > 0 ? (unsigned)width : 0;
}

unsigned screen_columns(const char *text)
{
    unsigned columns = 0;
    while (*text != '\0')
        columns += character_columns(&text);
    return columns;
}

/* Returns the offset "+0x1c" at the end of "for @sweep().omp_outlined+0x1c", or the end of the text. */
static const char *offset_number(const char *text)
{
    const char *at = strrchr(text, '+');
    const char *end = text + strlen(text);
    bool offset =
        at != NULL && strncmp(at, "+0x", 3) == 0 && at + 3 + strspn(at + 3, "0123456789abcdef") == end;
    return offset ? at : end;
}

/* Returns what is behind the place in a region's name, or NULL if nothing is: "..MakeCSR" of "for @x.h:6
 * ..MakeCSR". */
static const char *behind_place(const char *text)
{
    const char *place = strstr(text, " @");
    const char *end = place != NULL ? strchr(place + 1, ' ') : NULL;
    return end != NULL && end[-1] >= '0' && end[-1] <= '9' && end[1] != '(' ? end + 1 : NULL;
}

/* Returns true for the end of a function's name, without template arguments. */
static bool is_end_of_name(const char *text)
{
    return strncmp(text, gap, strlen(gap)) == 0;
}

/* Returns the kernel's label in a region's name: "Force [parallel_for]" of "for @x.h:6 Force [parallel_for]".
 * Returns NULL if there is none. */
static const char *kernel_label(const char *text)
{
    const char *label = behind_place(text);
    return label != NULL && !is_end_of_name(label) ? label : NULL;
}

/* Returns what distinguishes the regions of one line: the template arguments, "double>" of
 * "for @solver.c:112 sweep<double>", the kernel's label, or "MakeCSR" of "..MakeCSR". Returns NULL if there
 * is none of them. */
static const char *template_arguments(const char *text)
{
    const char *place = strstr(text, " @");
    const char *arguments = place != NULL ? strchr(place, '<') : NULL;
    const char *lambda = NULL;
    if (arguments == NULL || is_end_of_name(arguments + 1)) {
        const char *label = behind_place(text);
        return label != NULL && is_end_of_name(label) ? label + strlen(gap) : label;
    }
    for (const char *at = strstr(arguments, "lambda"); at != NULL; at = strstr(at + 1, "lambda"))
        lambda = at;
    for (const char *at = arguments; at != NULL && lambda != NULL && at < lambda; at = strchr(at + 1, '<'))
        arguments = at; /* those with the last lambda */
    return arguments + 1;
}

/* Returns the line number ":112" at the end of "for @solver.c:112", or the end of the text. */
static const char *line_number(const char *text)
{
    const char *at = text + strlen(text);
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return *at != '\0' && at > text && at[-1] == ':' ? at - 1 : text + strlen(text);
}

/* Returns the longest suffix of the text that takes at most `width` columns. */
static const char *find_tail(const char *text, unsigned width)
{
    unsigned columns = screen_columns(text);
    while (columns > width)
        columns -= character_columns(&text);
    return text;
}

/* Returns the end of the longest prefix of the text that takes at most `width` columns. */
static const char *find_head(const char *text, unsigned width)
{
    for (;;) {
        const char *next = text;
        unsigned columns = *text != '\0' ? character_columns(&next) : width + 1;
        if (columns > width)
            return text;
        width -= columns;
        text = next;
    }
}

/* Shortens the text by its middle; a line number or offset at the end remains. */
static void shorten_middle(const char *text, unsigned width, char *cut)
{
    const unsigned marks = (unsigned)strlen(gap);
    if (screen_columns(text) <= width) {
        (void)snprintf(cut, SCREEN_TEXT_BYTES, "%s", text);
        return;
    }
    if (width <= marks) {
        (void)snprintf(cut, SCREEN_TEXT_BYTES, "%.*s", (int)width, gap);
        return;
    }
    const unsigned available = width - marks;
    const unsigned number = screen_columns(line_number(text));
    const unsigned offset = screen_columns(offset_number(text));
    unsigned tail = number > available / 2 ? number : available / 2;
    tail = offset > 0 ? offset : tail;
    tail = tail < available ? tail : available;
    const char *head_end = find_head(text, available - tail);
    (void)snprintf(cut, SCREEN_TEXT_BYTES, "%.*s%s%s", (int)(head_end - text), text, gap,
                   find_tail(text, tail));
}

/* Writes the construct of an instance, one column per byte, and the first of its template arguments. */
static void shorten_to_arguments(const char *text, const char *arguments, unsigned available, char *cut)
{
    const unsigned max = available / 2;
    const unsigned construct = (unsigned)strcspn(text, "@");
    const unsigned head = construct < max ? construct : max;
    const char *end = find_head(arguments, available - head);
    (void)snprintf(cut, SCREEN_TEXT_BYTES, "%.*s%s%.*s", (int)head, text, gap, (int)(end - arguments),
                   arguments);
}

/* Shortens "for @solver.c:112 ..Row<double>::set". Keeps the place and the end of the name if both fit.
 * Otherwise keeps the construct and the template arguments if these fit or name a lambda, else the place
 * alone. A function without a line number keeps its arguments instead of the place, a kernel its label. */
static void shorten_instance(const char *text, const char *arguments, unsigned width, char *cut)
{
    enum { MIN_TAIL = 8 };
    char place[SCREEN_TEXT_BYTES];
    const char *at = strchr(text, '@');
    const int bytes = (int)(at - text) + (int)strcspn(at, " ");
    const unsigned available = width - (unsigned)strlen(gap);
    (void)snprintf(place, sizeof(place), "%.*s", bytes, text);
    const unsigned taken = screen_columns(place) + 1;
    const bool by_arguments =
        text[bytes] == '\0' || strstr(arguments, "lambda") != NULL || arguments == kernel_label(text);
    const unsigned tail = by_arguments ? screen_columns(arguments) : MIN_TAIL;
    if (text[bytes] != '\0' && width > taken + strlen(gap) && available >= taken + tail)
        (void)snprintf(cut, SCREEN_TEXT_BYTES, "%.*s %s%s", bytes, text, gap,
                       find_tail(text, available - taken));
    else if (by_arguments || strlen(arguments) + strcspn(text, "@") <= available)
        shorten_to_arguments(text, arguments, available, cut);
    else
        shorten_middle(place, width, cut);
}

const char *screen_shorten(const char *text, unsigned width, char *cut)
{
    const char *arguments = template_arguments(text);
    if (arguments == NULL || width <= strlen(gap) || screen_columns(text) <= width)
        shorten_middle(text, width, cut);
    else
        shorten_instance(text, arguments, width, cut);
    return cut;
}

/* Returns true for a unit, such as "s" in "2.1 s", which must stay on its number's line. */
static bool is_unit(const char *word, size_t bytes)
{
    static const char *const units[] = {"s", "ms", "us", "ns", "%", "bytes", "KiB", "MiB", "GiB", "TiB"};
    while (bytes > 0 && strchr(",.;:)", word[bytes - 1]) != NULL)
        bytes--;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i]) == bytes && memcmp(units[i], word, bytes) == 0)
            return true;
    return false;
}

/* Returns the end of the word that begins here; a number's word includes its unit. */
static const char *word_end(const char *word)
{
    const char *end = word + strcspn(word, " ");
    if (*end == ' ' && end > word && end[-1] >= '0' && end[-1] <= '9') {
        size_t next = strcspn(end + 1, " ");
        if (is_unit(end + 1, next))
            end += 1 + next;
    }
    return end;
}

unsigned screen_wrap(const struct screen *screen, unsigned column, unsigned indent, const char *text)
{
    char shown[SCREEN_TEXT_BYTES];
    char word[SCREEN_TEXT_BYTES];
    char cut[SCREEN_TEXT_BYTES];
    bool first = true;
    indent = indent + SCREEN_MIN_WIDTH / 2 <= screen->width ? indent : 0;
    const char *at = screen_sanitize(screen, text, shown, sizeof(shown));
    for (at += strspn(at, " "); *at != '\0'; at += strspn(at, " ")) {
        const char *end = word_end(at);
        (void)snprintf(word, sizeof(word), "%.*s", (int)(end - at), at);
        unsigned columns = screen_columns(word);
        if ((column > indent || !first) && column + !first + columns > screen->width) {
            fprintf(screen->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', screen->out);
            column++;
        }
        if (column + columns > screen->width)
            columns = screen->width - column;
        fputs(screen_shorten(word, columns, cut), screen->out);
        column += columns;
        at = end;
        first = false;
    }
    return column;
}

void screen_paragraph(const struct screen *screen, unsigned indent, const char *format, ...)
{
    char text[2 * SCREEN_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (screen->is_html) {
        fputs("<p>", screen->out);
        xml_quote(screen->out, text);
        fputs("</p>\n", screen->out);
        return;
    }
    (void)screen_wrap(screen, 0, indent, text);
    fputc('\n', screen->out);
}

void screen_styled(const struct screen *screen, enum screen_style style, const char *text)
{
    static const char *const codes[] = {[SCREEN_PLAIN] = "",
                                        [SCREEN_TITLE] = "\033[1m",
                                        [SCREEN_GAIN] = "\033[1;31m",
                                        [SCREEN_WAITING] = "\033[33m",
                                        [SCREEN_FAINT] = "\033[2m"};
    const char *code = screen->colours ? codes[style] : "";
    fprintf(screen->out, "%s%s%s", code, text, code[0] != '\0' ? "\033[0m" : "");
}
