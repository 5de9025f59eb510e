/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads source lines (source.h).
 */
#include "src/command/page/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 8 << 20, MOST_LINE = 240 };

static bool is_source_name(const char *path)
{
    static const char *const endings[] = {"c",   "cc",  "cpp", "cxx", "c++", "cu",  "cuh", "h",   "hh",
                                          "hpp", "hxx", "inc", "inl", "ipp", "tpp", "txx", "f",   "for",
                                          "ftn", "f77", "f90", "f95", "f03", "f08", "f18", "fpp", "i90"};
    const char *name = strrchr(path, '/');
    const char *ending = strrchr(path, '.');
    if (name == NULL || path[0] != '/' || ending == NULL || ending < name)
        return false;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcasecmp(ending + 1, endings[i]) == 0)
            return true;
    return false;
}

/* Nothing else is even opened: to open a pipe or a device may do something. */
static FILE *open_source(const char *path)
{
    struct stat about;
    if (!is_source_name(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return NULL;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    FILE *file = NULL;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES)
        file = fdopen(descriptor, "r");
    if (file == NULL)
        close(descriptor);
    return file;
}

/* One line without what is too long of it. False: it is no text. */
static bool write_line(FILE *out, const char *line, size_t length)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    if (memchr(line, '\0', length) != NULL)
        return false;
    fprintf(out, "%.*s%s\n", length < MOST_LINE ? (int)length : MOST_LINE, line,
            length > MOST_LINE ? " ..." : "");
    return true;
}

bool omptape_page_source(const char *path, uint32_t line, struct page_source *source)
{
    FILE *file = line == 0 ? NULL : open_source(path);
    char *text = NULL;
    size_t room = 0;
    size_t bytes = 0;
    char *read = NULL;
    *source = (struct page_source){.first = line > PAGE_SOURCE_AROUND ? line - PAGE_SOURCE_AROUND : 1};
    if (file == NULL)
        return false;
    FILE *out = open_memstream(&text, &bytes);
    ssize_t length = out == NULL ? -1 : getline(&read, &room, file);
    for (uint64_t at = 1; length >= 0 && at <= (uint64_t)line + PAGE_SOURCE_AROUND; at++) {
        if (at >= source->first && !write_line(out, read, (size_t)length))
            break;
        source->count += at >= source->first;
        length = getline(&read, &room, file);
    }
    free(read);
    fclose(file);
    bool good = out != NULL && fclose(out) == 0 && source->first + source->count > line;
    if (good)
        source->text = text;
    else
        free(text);
    return good;
}
