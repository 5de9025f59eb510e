/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds directives in the text of a source file (directives.h).
 */
#include "writers/symbols/directives.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 21, MAX_WORD = 32 };

/* Position of the reader in the text. */
struct reading {
    const char *at;
    const char *end;  /* End of the current line. */
    const char *last; /* End of the text. */
    unsigned line;
    bool fortran;
};

/* Returns the text with a terminating NUL, or NULL if it cannot be read. Reads only regular files, because
 * others may block or be endless. */
static char *read_text(const char *path, time_t built, size_t *bytes)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 ||
        status.st_size > MAX_BYTES || status.st_mtime > built)
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *text = fd < 0 ? NULL : malloc(MAX_BYTES + 1);
    ssize_t got = 0;
    *bytes = 0;
    while (text != NULL && *bytes < MAX_BYTES && (got = read(fd, text + *bytes, MAX_BYTES - *bytes)) > 0)
        *bytes += (size_t)got;
    if (fd >= 0)
        close(fd);
    if (text != NULL)
        text[*bytes] = '\0';
    return text;
}

static bool next_line(struct reading *reading)
{
    if (reading->end == reading->last)
        return false;
    reading->at = reading->end + 1;
    const char *end = memchr(reading->at, '\n', (size_t)(reading->last - reading->at));
    reading->end = end != NULL ? end : reading->last;
    reading->line++;
    return reading->at < reading->last;
}

static void skip_blanks(struct reading *reading)
{
    while (reading->at < reading->end && isspace((unsigned char)*reading->at))
        reading->at++;
}

/* Skips the word if it is next; ignores case in Fortran. Returns false if it is not. */
static bool skip(struct reading *reading, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(reading->end - reading->at) < length ||
        (reading->fortran ? strncasecmp(reading->at, word, length) : strncmp(reading->at, word, length)) != 0)
        return false;
    reading->at += length;
    return true;
}

static bool begins_directive(struct reading *reading)
{
    skip_blanks(reading);
    if (reading->fortran)
        return skip(reading, "!$omp") || skip(reading, "c$omp") || skip(reading, "*$omp");
    if (!skip(reading, "#"))
        return false;
    skip_blanks(reading);
    if (!skip(reading, "pragma"))
        return false;
    skip_blanks(reading);
    return skip(reading, "omp");
}

/* Returns the end of the line's contents, without comments and blanks. *more receives whether the
 * directive continues in the next line. */
static const char *end_of_line(const struct reading *reading, bool *more)
{
    const char *end = reading->end;
    const char *comment = reading->fortran ? memchr(reading->at, '!', (size_t)(end - reading->at)) : NULL;
    end = comment != NULL ? comment : end;
    while (end > reading->at && isspace((unsigned char)end[-1]))
        end--;
    *more = end > reading->at && end[-1] == (reading->fortran ? '&' : '\\');
    return *more ? end - 1 : end;
}

/* Reads the next word of the directive, in lower case. The word is "" for any other character, which is
 * skipped. Returns false at the end of the directive. */
static bool next_word(struct reading *reading, char word[MAX_WORD])
{
    bool more;
    size_t length = 0;
    skip_blanks(reading);
    while (reading->at == end_of_line(reading, &more)) {
        if (!more || !next_line(reading))
            return false;
        skip_blanks(reading);
        if (reading->fortran && begins_directive(reading))
            (void)skip(reading, "&");
        skip_blanks(reading);
    }
    const char *end = end_of_line(reading, &more);
    while (reading->at < end && (isalnum((unsigned char)*reading->at) || *reading->at == '_')) {
        if (length + 1 < MAX_WORD)
            word[length++] = (char)tolower((unsigned char)*reading->at);
        reading->at++;
    }
    word[length] = '\0';
    if (length == 0)
        reading->at++;
    return true;
}

static const char *find_in_list(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words;
}

/* Reads a directive. *ends: it is the end of a Fortran construct. Returns false for other words. */
static bool read_directive(struct reading *reading, const char *const *words,
                           struct omptape_directive *directive, bool *ends)
{
    char word[MAX_WORD];
    *directive = (struct omptape_directive){.line = reading->line};
    if (!next_word(reading, word) || (strcmp(word, "parallel") == 0 && !next_word(reading, word)))
        return false;
    *ends = reading->fortran && strcmp(word, "end") == 0;
    if (*ends && !next_word(reading, word))
        return false;
    directive->word = find_in_list(word, words);
    while (directive->word != NULL && next_word(reading, word)) {
        directive->nowait =
            directive->nowait || strcmp(word, "nowait") == 0 || strcmp(word, "copyprivate") == 0;
        directive->dynamic = directive->dynamic || strcmp(word, "ordered") == 0 ||
                             strcmp(word, "dynamic") == 0 || strcmp(word, "guided") == 0 ||
                             strcmp(word, "runtime") == 0 || strcmp(word, "auto") == 0;
    }
    directive->last = reading->line;
    return directive->word != NULL;
}

/* In Fortran the end of a construct has the nowait clause. */
static void end_directive(struct omptape_directive *list, size_t count, const struct omptape_directive *end)
{
    while (count > 0 && (count > OMPTAPE_MAX_DIRECTIVES || list[count - 1].word != end->word))
        count--;
    if (count > 0)
        list[count - 1].nowait = list[count - 1].nowait || end->nowait;
}

/* Returns true if the line is not empty and no line of the preprocessor. */
static bool is_text(struct reading *reading)
{
    skip_blanks(reading);
    return reading->at < reading->end && *reading->at != '#';
}

size_t omptape_directives_list(const char *path, time_t built, bool fortran, const char *const *words,
                               struct omptape_directive *list)
{
    size_t bytes;
    size_t count = 0;
    bool ends = false;
    bool text_between = false;
    struct omptape_directive directive;
    char *text = read_text(path, built, &bytes);
    if (text == NULL || memmem(text, bytes, "_Pragma", strlen("_Pragma")) != NULL) {
        free(text);
        return 0;
    }
    struct reading reading = {.end = text - 1, .last = text + bytes, .fortran = fortran};
    while (next_line(&reading) && count <= OMPTAPE_MAX_DIRECTIVES) {
        text_between = is_text(&reading) || text_between;
        if (!begins_directive(&reading) || !read_directive(&reading, words, &directive, &ends))
            continue;
        if (ends) {
            end_directive(list, count, &directive);
            continue;
        }
        if (count > 0 && count <= OMPTAPE_MAX_DIRECTIVES && text_between)
            list[count - 1].next = directive.line;
        if (count < OMPTAPE_MAX_DIRECTIVES)
            list[count] = directive;
        text_between = false;
        count++;
    }
    free(text);
    return count <= OMPTAPE_MAX_DIRECTIVES ? count : 0;
}
