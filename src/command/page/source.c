/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads source lines (page.h).
 */
#include "src/command/page/page.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 8 << 20, MAX_LINE = 240 };
enum {
    STEP = O_PATH | O_NOFOLLOW | O_CLOEXEC,
    READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
};

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

/* Returns true if the archive's owner has the right to the file: S_IXOTH to pass a folder, S_IROTH to read.
 * Always true if `archive_owner` is NULL. */
static bool is_allowed(const struct stat *about, mode_t right, const uid_t *archive_owner)
{
    return archive_owner == NULL || (about->st_mode & right) != 0 ||
           (about->st_uid == *archive_owner && (about->st_mode & (right << 6)) != 0);
}

/* Opens the file component by component. Fails at links and at what the archive's owner could not open. */
static int open_steps(char *path, const uid_t *archive_owner, struct stat *about)
{
    char *rest = NULL;
    char *name = strtok_r(path, "/", &rest);
    int at = open("/", STEP | O_DIRECTORY);
    while (at >= 0 && name != NULL) {
        char *after = strtok_r(NULL, "/", &rest);
        int next = -1;
        bool good = fstat(at, about) == 0 && is_allowed(about, S_IXOTH, archive_owner) &&
                    fstatat(at, name, about, AT_SYMLINK_NOFOLLOW) == 0 &&
                    (after != NULL || S_ISREG(about->st_mode));
        /* Pipes and devices are not opened, because opening them may have effects. */
        if (good)
            next = openat(at, name, after != NULL ? STEP | O_DIRECTORY : READ);
        close(at);
        at = next;
        name = after;
    }
    return at;
}

/* Opens a source file. The path after resolving links must have a source file's name, too. */
static FILE *open_source(const char *path, const uid_t *archive_owner, struct timespec *changed)
{
    struct stat about;
    char *real = is_source_name(path) ? realpath(path, NULL) : NULL;
    int descriptor = real != NULL && is_source_name(real) ? open_steps(real, archive_owner, &about) : -1;
    FILE *file = NULL;
    free(real);
    if (descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
        is_allowed(&about, S_IROTH, archive_owner) && about.st_size <= MAX_BYTES) {
        file = fdopen(descriptor, "r");
        *changed = about.st_mtim;
    }
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

/* Writes one line, truncated to MAX_LINE bytes. Returns false if it contains a zero byte. */
static bool write_line(FILE *out, const char *line, size_t length)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    if (memchr(line, '\0', length) != NULL)
        return false;
    fprintf(out, "%.*s%s\n", length < MAX_LINE ? (int)length : MAX_LINE, line,
            length > MAX_LINE ? " ..." : "");
    return true;
}

bool page_read_source(const char *path, uint32_t line, const uid_t *archive_owner, struct page_source *source)
{
    struct timespec changed = {0};
    FILE *file = line == 0 ? NULL : open_source(path, archive_owner, &changed);
    char *text = NULL;
    size_t capacity = 0;
    size_t bytes = 0;
    char *read = NULL;
    *source = (struct page_source){.first = line > PAGE_SOURCE_AROUND ? line - PAGE_SOURCE_AROUND : 1,
                                   .changed = changed};
    if (file == NULL)
        return false;
    FILE *out = open_memstream(&text, &bytes);
    ssize_t length = out == NULL ? -1 : getline(&read, &capacity, file);
    for (uint64_t at = 1; length >= 0 && at <= (uint64_t)line + PAGE_SOURCE_AROUND; at++) {
        if (at >= source->first && !write_line(out, read, (size_t)length))
            break;
        source->count += at >= source->first;
        length = getline(&read, &capacity, file);
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
