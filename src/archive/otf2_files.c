/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces the file functions and gethostid that libotf2 calls (otf2_files.h). A function that the program
 * exports takes precedence over libc's in all its libraries.
 */
#include "src/archive/otf2_files.h"

#include "src/archive/brief_files.h"
#include "src/folder/beneath.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "/.omptape-beneath"
enum { MAX_ARCHIVES = 8, NAME_BYTES = 64 };

/* libotf2 finds these among the program's dynamic symbols. Sanitizers call them before they are
 * initialised. */
#define UNCHECKED __attribute__((no_sanitize("address", "undefined")))
#define FOR_LIBRARIES __attribute__((visibility("default"), used)) UNCHECKED

struct open_archive {
    bool used;
    enum omptape_otf2_use use;
    int folder;
    int events; /* descriptor of the folder of event files; -1 before it is opened */
    char refusal[OMPTAPE_BENEATH_WHY_BYTES];
};

static struct open_archive archives[MAX_ARCHIVES];

void omptape_otf2_files_path(int handle, char *path)
{
    snprintf(path, OMPTAPE_OTF2_PATH_BYTES, PREFIX "/%d", handle);
}

int omptape_otf2_files_register(int folder, enum omptape_otf2_use use, char *path)
{
    int handle = 0;
    while (handle < MAX_ARCHIVES && archives[handle].used)
        handle++;
    if (handle == MAX_ARCHIVES)
        return -EMFILE;
    int own = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return -errno;
    archives[handle] = (struct open_archive){.used = true, .use = use, .folder = own, .events = -1};
    omptape_otf2_files_path(handle, path);
    return handle;
}

static void drop_folders(struct open_archive *archive)
{
    omptape_close(archive->events);
    close(archive->folder);
    archive->events = -1;
}

int omptape_otf2_files_redirect(int handle, int folder)
{
    int own = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return -errno;
    drop_folders(&archives[handle]);
    archives[handle].folder = own;
    return 0;
}

const char *omptape_otf2_files_refusal(int handle)
{
    return handle >= 0 ? archives[handle].refusal : "";
}

void omptape_otf2_files_unregister(int handle)
{
    if (handle < 0)
        return;
    drop_folders(&archives[handle]);
    archives[handle].used = false;
}

void omptape_otf2_files_strip_paths(char *text)
{
    for (char *at = strstr(text, PREFIX "/"); at != NULL; at = strstr(at, PREFIX "/")) {
        const char *rest = at + sizeof(PREFIX);
        rest += strspn(rest, "0123456789");
        rest += *rest == '/';
        memmove(at, rest, strlen(rest) + 1);
    }
}

static UNCHECKED bool is_private(const char *path)
{
    static const char prefix[] = PREFIX;
    size_t i = 0;
    while (prefix[i] != '\0' && path[i] == prefix[i])
        i++;
    return prefix[i] == '\0' && (path[i] == '/' || path[i] == '\0');
}

/* Returns the archive of a private path, and the rest of the path. An unknown one yields no files. */
static struct open_archive *find_archive(const char *path, const char **rest)
{
    static struct open_archive none = {.folder = -1, .events = -1};
    const char *number = path + sizeof(PREFIX) - 1;
    char *end = NULL;
    unsigned long handle = number[0] == '/' ? strtoul(number + 1, &end, 10) : MAX_ARCHIVES;
    *rest = end != NULL ? end + strspn(end, "/") : "";
    return handle < MAX_ARCHIVES && archives[handle].used ? &archives[handle] : &none;
}

/* Records the first refusal and sets errno. A missing file is not recorded. */
static void note_refusal(struct open_archive *archive, const char *name, int error)
{
    if (archive->folder >= 0 && archive->refusal[0] == '\0' && error != -ENOENT)
        omptape_beneath_explain(archive->folder, name, error, archive->refusal, sizeof(archive->refusal));
    errno = -error;
}

/* Returns the file's folder, and its name in *last. The folder of event files is opened once and kept. */
static int folder_of(struct open_archive *archive, const char *name, const char **last)
{
    char events[NAME_BYTES * 4];
    const char *slash = strrchr(name, '/');
    *last = slash != NULL ? slash + 1 : name;
    if (slash == NULL)
        return archive->folder;
    if (archive->events < 0) {
        snprintf(events, sizeof(events), "%.*s", (int)(slash - name), name);
        archive->events = archive->use == OMPTAPE_OTF2_READ
                              ? omptape_beneath_open_folder(archive->folder, events)
                              : omptape_beneath_open_own_folder(archive->folder, events);
    }
    return archive->events;
}

/* Creates a file. Returns a descriptor, or negative errno; sets errno, too. */
static int create_descriptor(struct open_archive *archive, const char *name)
{
    const char *last;
    int result = folder_of(archive, name, &last);
    if (result >= 0)
        result = archive->use == OMPTAPE_OTF2_WRITE ? omptape_beneath_create(result, last) : -EACCES;
    if (result < 0)
        note_refusal(archive, name, result);
    return result;
}

static FILE *create_file(struct open_archive *archive, const char *name)
{
    int fd = create_descriptor(archive, name);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && stream == NULL)
        close(fd);
    return stream;
}

static FILE *open_file(const char *path, const char *mode)
{
    const char *name;
    const char *last;
    struct open_archive *archive = find_archive(path, &name);
    if (mode[0] == 'w')
        return create_file(archive, name);
    int folder = folder_of(archive, name, &last);
    FILE *stream = NULL;
    if (folder < 0)
        errno = -folder;
    else
        stream = omptape_brief_file_open(folder, last, archive->use == OMPTAPE_OTF2_READ_OWN);
    if (stream == NULL)
        note_refusal(archive, name, -errno);
    return stream;
}

int omptape_otf2_files_create(int handle, const char *name)
{
    return create_descriptor(&archives[handle], name);
}

static int make_events_folder(const char *path)
{
    const char *name;
    bool made = false;
    struct open_archive *archive = find_archive(path, &name);
    /* The archive's folder itself always exists. */
    int result = name[0] == '\0' || archive->events >= 0 ? -EEXIST : 0;
    if (result == 0) {
        result = omptape_beneath_make_folder(archive->folder, name, &made);
        if (result >= 0 && made)
            archive->events = result;
        else
            omptape_close(result);
        if (result >= 0)
            result = made ? 0 : -EEXIST;
        if (result != 0)
            note_refusal(archive, name, result);
    }
    errno = -result;
    return result == 0 ? 0 : -1;
}

static int get_status(const char *path, struct stat *status)
{
    const char *name;
    const char *last;
    struct open_archive *archive = find_archive(path, &name);
    int result = folder_of(archive, name, &last);
    if (result >= 0)
        result = omptape_beneath_status(result, last, status);
    if (result < 0)
        errno = -result;
    return result < 0 ? -1 : 0;
}

static UNCHECKED void *next_function(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL)
        errno = ENOSYS;
    return function;
}

FOR_LIBRARIES FILE *fopen(const char *restrict path, const char *restrict mode)
{
    static FILE *(*libc_fopen)(const char *, const char *);
    if (is_private(path))
        return open_file(path, mode);
    if (libc_fopen == NULL)
        *(void **)&libc_fopen = next_function("fopen");
    return libc_fopen != NULL ? libc_fopen(path, mode) : NULL;
}

FOR_LIBRARIES size_t fread(void *restrict buffer, size_t size, size_t count, FILE *restrict stream)
{
    static size_t (*libc_fread)(void *, size_t, size_t, FILE *);
    size_t done = 0;
    size_t bytes = 0;
    if (size > 0 && !__builtin_mul_overflow(size, count, &bytes) &&
        omptape_brief_file_read(stream, buffer, bytes, &done))
        return done / size;
    if (libc_fread == NULL)
        *(void **)&libc_fread = next_function("fread");
    return libc_fread != NULL ? libc_fread(buffer, size, count, stream) : 0;
}

FOR_LIBRARIES int fseek(FILE *stream, long offset, int whence)
{
    static int (*libc_fseek)(FILE *, long, int);
    int result = -1;
    if (omptape_brief_file_seek(stream, offset, whence, &result))
        return result;
    if (libc_fseek == NULL)
        *(void **)&libc_fseek = next_function("fseek");
    return libc_fseek != NULL ? libc_fseek(stream, offset, whence) : -1;
}

FOR_LIBRARIES int ferror(FILE *stream)
{
    static int (*libc_ferror)(FILE *);
    bool failed = false;
    if (omptape_brief_file_failed(stream, &failed))
        return failed;
    if (libc_ferror == NULL)
        *(void **)&libc_ferror = next_function("ferror");
    return libc_ferror != NULL ? libc_ferror(stream) : 1;
}

FOR_LIBRARIES int fclose(FILE *stream)
{
    static int (*libc_fclose)(FILE *);
    if (omptape_brief_file_close(stream))
        return 0;
    if (libc_fclose == NULL)
        *(void **)&libc_fclose = next_function("fclose");
    return libc_fclose != NULL ? libc_fclose(stream) : EOF;
}

FOR_LIBRARIES int mkdir(const char *path, mode_t mode)
{
    return is_private(path) ? make_events_folder(path) : mkdirat(AT_FDCWD, path, mode);
}

#if __GLIBC_PREREQ(2, 33)
FOR_LIBRARIES int stat(const char *restrict path, struct stat *restrict status)
{
    return is_private(path) ? get_status(path, status) : fstatat(AT_FDCWD, path, status, 0);
}
#else
/* The symbol of stat() in glibc before 2.33. */
FOR_LIBRARIES int __xstat(int version, const char *path, struct stat *status);
int __xstat(int version, const char *path, struct stat *status)
{
    (void)version;
    return is_private(path) ? get_status(path, status) : fstatat(AT_FDCWD, path, status, 0);
}
#endif

/* libotf2 derives an archive's id from it. The function of libc resolves the host's name, which takes five
 * seconds and more per archive if no name server answers. */
FOR_LIBRARIES long gethostid(void)
{
    char host[256] = "";
    uint32_t hash = 2166136261U;
    if (gethostname(host, sizeof(host) - 1) != 0)
        host[0] = '\0';
    for (const char *c = host; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    return (long)hash;
}
