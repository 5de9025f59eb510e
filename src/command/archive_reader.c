/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an OTF2 archive and reads its global definitions (archive_reader.h). Called by check and info on the
 * child process's only thread; archive_reader_read.c goes on with events and markers.
 */
#include "src/command/archive_reader_internal.h"

#include "src/core/archive_files.h"
#include "src/core/checkpoint.h"
#include "src/core/open_archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char EXTENSION[] = ".otf2";

static bool has_extension(const char *name)
{
    size_t length = strlen(name);
    size_t tail = sizeof(EXTENSION) - 1;
    return length > tail && strcmp(name + length - tail, EXTENSION) == 0;
}

/* The only *.otf2 file of the folder, in *name (malloc'ed). 0 or negative errno with a line in `error`. */
static int find_anchor(const char *directory, char **name, char *error, size_t error_bytes)
{
    int status = 0;
    unsigned found = 0;
    bool begun = false;
    *name = NULL;
    DIR *stream = opendir(directory);
    if (stream == NULL) {
        status = -errno;
        snprintf(error, error_bytes, "%s", strerror(-status));
        return status;
    }
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        if (has_extension(entry->d_name) && found++ == 0) {
            *name = strdup(entry->d_name);
        }
        begun = begun || strcmp(entry->d_name, OMPTAPE_WRITER_CLAIM) == 0 ||
                strcmp(entry->d_name, OMPTAPE_CHECKPOINT_FILE) == 0;
    }
    closedir(stream);
    if (found != 1) {
        free(*name);
        *name = NULL;
        snprintf(error, error_bytes,
                 found == 0 && begun
                     ? "the archive is not complete: it is being written, or its writer was killed "
                       "(then omptape unify completes it)"
                 : found == 0 ? "the folder holds no OTF2 archive (no *.otf2 file)"
                              : "the folder holds several *.otf2 files: name one of them");
        return -EINVAL;
    }
    return *name == NULL ? -ENOMEM : 0;
}

/* Fills archive->anchor and ->directory from what the user named. */
static int resolve(struct omptape_archive *archive, const char *path, char *error, size_t error_bytes)
{
    struct stat about;
    char *name = NULL;
    int status = 0;
    if (stat(path, &about) != 0) {
        status = -errno;
        snprintf(error, error_bytes, "%s", strerror(-status));
        return status;
    }
    if (S_ISDIR(about.st_mode)) {
        status = find_anchor(path, &name, error, error_bytes);
        if (status != 0) {
            return status;
        }
        if (asprintf(&archive->anchor, "%s/%s", path, name) < 0) {
            archive->anchor = NULL;
        }
        free(name);
    } else if (!has_extension(path)) {
        snprintf(error, error_bytes, "not an OTF2 archive: its first file would be called NAME%s", EXTENSION);
        return -EINVAL;
    } else {
        /* libotf2 takes the part before the last slash for the folder. */
        if (asprintf(&archive->anchor, "%s%s", strchr(path, '/') == NULL ? "./" : "", path) < 0) {
            archive->anchor = NULL;
        }
    }
    if (archive->anchor == NULL ||
        (archive->directory = strndup(archive->anchor, strlen(archive->anchor) - sizeof(EXTENSION) + 1)) ==
            NULL) {
        snprintf(error, error_bytes, "out of memory");
        return -ENOMEM;
    }
    return 0;
}

/* Says early, and in plain words, what libotf2 would wrap in several lines. */
static int try_anchor(const struct omptape_archive *archive, char *error, size_t error_bytes)
{
    struct stat about;
    int file = open(archive->anchor, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0) {
        int status = -errno;
        snprintf(error, error_bytes, "%s", strerror(-status));
        if (file >= 0) {
            close(file);
        }
        return status;
    }
    close(file);
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        snprintf(error, error_bytes, S_ISREG(about.st_mode) ? "the file is empty" : "not a regular file");
        return -EINVAL;
    }
    return 0;
}

/* libotf2 reports one problem several times on its way up: the first says most. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)file;
    (void)line;
    (void)function;
    struct omptape_archive *archive = data;
    if (archive->otf2_error[0] == '\0') {
        vsnprintf(archive->otf2_error, sizeof(archive->otf2_error), format, arguments);
        size_t length = strlen(archive->otf2_error);
        if (length == 0) {
            snprintf(archive->otf2_error, sizeof(archive->otf2_error), "%s", OTF2_Error_GetDescription(code));
        } else if (strchr(".!", archive->otf2_error[length - 1]) != NULL) {
            archive->otf2_error[length - 1] = '\0';
        }
    }
    return code;
}

int omptape_archive_fail(const struct omptape_archive *archive, const char *what, char *error,
                         size_t error_bytes)
{
    if (archive->no_memory) {
        snprintf(error, error_bytes, "out of memory");
        return -ENOMEM;
    }
    snprintf(error, error_bytes, "%s%s%s", what, archive->otf2_error[0] != '\0' ? ": " : "",
             archive->otf2_error);
    return -EINVAL;
}

static int read_definitions(struct omptape_archive *archive, char *error, size_t error_bytes)
{
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(archive->reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = omptape_archive_definition_callbacks();
    if (reader != NULL && callbacks != NULL) {
        code = OTF2_Reader_RegisterGlobalDefCallbacks(archive->reader, reader, callbacks, archive);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Reader_ReadAllGlobalDefinitions(archive->reader, reader, &archive->read_definitions);
    }
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (reader != NULL) {
        OTF2_Reader_CloseGlobalDefReader(archive->reader, reader);
    }
    if (code != OTF2_SUCCESS || archive->no_memory) {
        return omptape_archive_fail(archive, "cannot read the definitions", error, error_bytes);
    }
    return 0;
}

int omptape_archive_open(struct omptape_archive **opened, const char *path, char *error, size_t error_bytes)
{
    int status = -ENOMEM;
    *opened = NULL;
    struct omptape_archive *archive = calloc(1, sizeof(*archive));
    if (archive == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return status;
    }
    OTF2_Error_RegisterCallback(keep_error, archive);
    status = resolve(archive, path, error, error_bytes);
    if (status != 0) {
        goto out;
    }
    status = try_anchor(archive, error, error_bytes);
    if (status != 0) {
        goto out;
    }
    archive->reader = omptape_open_archive(archive->anchor);
    if (archive->reader == NULL ||
        OTF2_Reader_SetSerialCollectiveCallbacks(archive->reader) != OTF2_SUCCESS ||
        OTF2_Reader_GetNumberOfGlobalDefinitions(archive->reader, &archive->announced_definitions) !=
            OTF2_SUCCESS ||
        OTF2_Reader_GetNumberOfLocations(archive->reader, &archive->announced_locations) != OTF2_SUCCESS) {
        status = omptape_archive_fail(archive, "not a readable OTF2 archive", error, error_bytes);
        goto out;
    }
    status = read_definitions(archive, error, error_bytes);
out:
    if (status != 0) {
        omptape_archive_close(archive);
        return status;
    }
    *opened = archive;
    return 0;
}

void omptape_archive_close(struct omptape_archive *archive)
{
    if (archive == NULL) {
        return;
    }
    if (archive->reader != NULL) {
        OTF2_Reader_Close(archive->reader);
    }
    OTF2_Error_RegisterCallback(NULL, NULL);
    omptape_table_free(&archive->table);
    omptape_arena_free(&archive->arena);
    free(archive->definitions);
    free(archive->directory);
    free(archive->anchor);
    free(archive);
}
