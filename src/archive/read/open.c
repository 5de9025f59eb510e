/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an OTF2 archive and reads its global definitions (reader.h). read.c reads events and markers.
 */
#include "src/archive/read/internal.h"

#include "src/archive/otf2_files.h"
#include "src/archive/otf2_library.h"
#include "src/archive/read/damage.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"
#include "src/folder/named_folder.h"
#include "src/folder/output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char EXTENSION[] = ".otf2";

enum { QUOTED_BYTES = 400 };

/* Chooses omptape's own anchor if it is among several *.otf2 files. */
static bool choose_known_anchor(int folder, char **name)
{
    if (!omptape_beneath_is_there(folder, OMPTAPE_ARCHIVE_ANCHOR))
        return false;
    free(*name);
    *name = strdup(OMPTAPE_ARCHIVE_ANCHOR);
    return true;
}

/* Explains why the folder, in which a writer began, holds no anchor yet. */
static int explain_unfinished(int folder, char *error, size_t error_bytes)
{
    static const char begun[] = "the archive is not complete";
    char who[OMPTAPE_CLAIM_BYTES] = "";
    char owner[OMPTAPE_CLAIM_BYTES];
    enum omptape_claim_owner state = OMPTAPE_CLAIM_OTHER_HOST;
    /* Another user's claim may be forged: nothing is known of its process. */
    if (omptape_beneath_read_own_link(folder, OMPTAPE_WRITER_CLAIM, who, sizeof(who)))
        state = omptape_claim_owner_of(who);
    else if (!omptape_beneath_is_there(folder, OMPTAPE_WRITER_CLAIM) &&
             omptape_beneath_is_there(folder, OMPTAPE_CHECKPOINT_FILE))
        state = OMPTAPE_CLAIM_NOBODY;
    omptape_claim_describe(who, owner, sizeof(owner));
    if (state == OMPTAPE_CLAIM_ALIVE)
        return omptape_fail(error, error_bytes, -EINVAL,
                            "%s: %.200s is writing it (omptape top shows what the program does)", begun,
                            owner);
    if (state == OMPTAPE_CLAIM_NOBODY)
        return omptape_fail(error, error_bytes, -EINVAL,
                            "%s: its writer was killed; omptape unify completes it", begun);
    return omptape_fail(error, error_bytes, -EINVAL,
                        "%s: it is being written, or its writer was killed (then omptape unify completes it)",
                        begun);
}

/* Returns true for what a folder holds whose archive is being written, or was left unfinished. */
static bool is_of_unfinished(const char *name)
{
    return strcmp(name, OMPTAPE_WRITER_CLAIM) == 0 || strcmp(name, OMPTAPE_CHECKPOINT_FILE) == 0;
}

/* Finds the folder's only *.otf2 file; *name is malloc'ed. Returns 0, or negative errno with `error`. */
static int find_anchor(int folder, char **name, char *error, size_t error_bytes)
{
    int status = 0;
    unsigned found = 0;
    bool begun = false;
    *name = NULL;
    DIR *stream = omptape_beneath_list(folder, ".");
    if (stream == NULL) {
        status = -errno;
        return omptape_fail(error, error_bytes, status, "%s", strerror(-status));
    }
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        if (omptape_is_anchor_name(entry->d_name) && found++ == 0)
            *name = strdup(entry->d_name);
        begun = begun || is_of_unfinished(entry->d_name);
    }
    closedir(stream);
    if (found > 1 && choose_known_anchor(folder, name))
        return *name == NULL ? -ENOMEM : 0;
    if (found != 1) {
        free(*name);
        *name = NULL;
        if (found == 0 && begun)
            return explain_unfinished(folder, error, error_bytes);
        return omptape_fail(error, error_bytes, found == 0 ? -ENOENT : -EINVAL,
                            found == 0 ? "the folder holds no OTF2 archive (no *.otf2 file)"
                                       : "the folder holds several *.otf2 files: name one of them");
    }
    return *name == NULL ? -ENOMEM : 0;
}

/* Appends a hint at the newest archive in the folder, and how many there are. */
static void hint_at_newest(const char *folder, char *error, size_t error_bytes)
{
    char shown[QUOTED_BYTES];
    uint32_t count;
    char *newest = omptape_newest_archive(folder, &count);
    char *path = NULL;
    if (newest != NULL &&
        asprintf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", newest) >= 0) {
        omptape_path_quote(path, shown, sizeof(shown));
        if (count == 1)
            omptape_append(error, error_bytes, "; %s is one", shown);
        else
            omptape_append(error, error_bytes, "; of %" PRIu32 " below it %s is the newest", count, shown);
        free(path);
    }
    free(newest);
}

/* Opens the folder of a file that the user named; *name receives the file's name. */
static int open_folder_of(const char *path, char **name)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL   ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t)(slash - path));
    *name = strdup(slash != NULL ? slash + 1 : path);
    int descriptor = folder != NULL && *name != NULL ? omptape_beneath_open_named(folder) : -ENOMEM;
    free(folder);
    return descriptor;
}

/* Sets reader->anchor, ->folder and ->name from the user's path. */
static int resolve(struct omptape_reader *reader, const char *path, char *error, size_t error_bytes)
{
    char shown[QUOTED_BYTES];
    char *name = NULL;
    struct stat about;
    int status = stat(path, &about) != 0 ? -errno : 0;
    if (status == 0 && omptape_is_program(path))
        return omptape_fail(error, error_bytes, -EINVAL,
                            "a program, not an OTF2 archive (omptape %s traces it)",
                            omptape_path_quote(path, shown, sizeof(shown)));
    if (status == 0 && !S_ISDIR(about.st_mode) && !omptape_is_anchor_name(path))
        return omptape_fail(error, error_bytes, -EINVAL,
                            "not an OTF2 archive: its first file would be called NAME%s", EXTENSION);
    if (status == 0) {
        reader->folder =
            S_ISDIR(about.st_mode) ? omptape_beneath_open_named(path) : open_folder_of(path, &name);
        status = reader->folder < 0 ? reader->folder : 0;
    }
    if (status != 0) {
        snprintf(error, error_bytes, "%s", strerror(-status));
        goto out;
    }
    if (name == NULL) {
        status = find_anchor(reader->folder, &name, error, error_bytes);
        if (status == -ENOENT)
            hint_at_newest(path, error, error_bytes);
        if (status != 0 || name == NULL)
            goto out;
        if (asprintf(&reader->anchor, "%s/%s", path, name) < 0)
            reader->anchor = NULL;
    } else {
        reader->anchor = strdup(path);
    }
    reader->name = strndup(name, strlen(name) - sizeof(EXTENSION) + 1);
    if (reader->anchor == NULL || reader->name == NULL)
        status = omptape_fail(error, error_bytes, -ENOMEM, "out of memory");
out:
    free(name);
    return status;
}

char *omptape_reader_file(const struct omptape_reader *reader, const char *ending)
{
    char *file = NULL;
    return asprintf(&file, "%s%s", reader->name, ending) >= 0 ? file : NULL;
}

/* Checks the owners of folder and definitions: names come from these; the former may replace them. */
bool omptape_reader_has_other_owner(const struct omptape_reader *reader, uid_t *owner)
{
    struct stat about = {.st_uid = (uid_t)-1};
    char *name = omptape_reader_file(reader, ".def");
    bool strangers = fstat(reader->folder, &about) != 0 || !omptape_owner_is_trusted(reader->folder, &about);
    if (!strangers)
        strangers = name == NULL || omptape_beneath_status(reader->folder, name, &about) != 0 ||
                    !omptape_owner_is_trusted(reader->folder, &about);
    free(name);
    *owner = about.st_uid;
    return strangers;
}

/* Reports missing and unreadable files before libotf2 does in several lines. */
static int try_files(const struct omptape_reader *reader, char *error, size_t error_bytes)
{
    struct stat about = {.st_size = 0};
    char *name = omptape_reader_file(reader, EXTENSION);
    int file = name != NULL ? omptape_beneath_open_file(reader->folder, name) : -ENOMEM;
    int events = omptape_beneath_open_folder(reader->folder, reader->name);
    int status = 0;
    if (file < 0) {
        status = file;
        omptape_beneath_explain(reader->folder, name != NULL ? name : reader->name, file, error, error_bytes);
    } else if (events < 0 && events != -ENOENT && events != -EACCES) {
        status = events;
        omptape_beneath_explain(reader->folder, reader->name, events, error, error_bytes);
    } else if (fstat(file, &about) == 0 && about.st_size == 0) {
        status = -EINVAL;
        snprintf(error, error_bytes, "the file is empty");
    }
    free(name);
    omptape_close(file);
    omptape_close(events);
    return status;
}

/* Keeps libotf2's first message of a problem, which is the most specific one. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)file;
    (void)line;
    (void)function;
    struct omptape_reader *reader = data;
    if (reader->otf2_error[0] == '\0') {
        vsnprintf(reader->otf2_error, sizeof(reader->otf2_error), format, arguments);
        omptape_otf2_files_strip_paths(reader->otf2_error);
        const char *refusal = omptape_otf2_files_refusal(reader->files);
        if (refusal[0] != '\0')
            snprintf(reader->otf2_error, sizeof(reader->otf2_error), "%s", refusal);
        size_t length = strlen(reader->otf2_error);
        if (length == 0)
            snprintf(reader->otf2_error, sizeof(reader->otf2_error), "%s", OTF2_Error_GetDescription(code));
        else if (strchr(".!", reader->otf2_error[length - 1]) != NULL)
            reader->otf2_error[length - 1] = '\0';
    }
    return code;
}

int omptape_reader_fail(const struct omptape_reader *reader, const char *what, char *error,
                        size_t error_bytes)
{
    if (reader->no_memory)
        return omptape_fail(error, error_bytes, -ENOMEM, "out of memory");
    return omptape_fail(error, error_bytes, -EINVAL, "%s%s%s", what,
                        reader->otf2_error[0] != '\0' ? ": " : "", reader->otf2_error);
}

static int read_definitions(struct omptape_reader *reader, char *error, size_t error_bytes)
{
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader->otf2);
    OTF2_GlobalDefReaderCallbacks *callbacks = omptape_reader_definition_callbacks();
    if (definitions != NULL && callbacks != NULL)
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader->otf2, definitions, callbacks, reader);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader->otf2, definitions, &reader->read_definitions);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (definitions != NULL)
        OTF2_Reader_CloseGlobalDefReader(reader->otf2, definitions);
    omptape_reader_index_begin(reader);
    for (uint32_t i = 0; i < reader->definition_count && !reader->no_memory; i++)
        reader->no_memory = !omptape_reader_index(reader, reader->definitions[i]);
    if (code != OTF2_SUCCESS || reader->no_memory)
        return omptape_reader_fail(reader, "the definitions (.def) are damaged", error, error_bytes);
    return 0;
}

static void free_resolved(struct omptape_reader *reader)
{
    omptape_close(reader->folder);
    free(reader->name);
    free(reader->anchor);
}

bool omptape_reader_find_damage(const char *path, char *text, size_t bytes)
{
    char ignored[256];
    struct omptape_reader reader = {.folder = -1};
    bool found = resolve(&reader, path, ignored, sizeof(ignored)) == 0 &&
                 omptape_damage_find(reader.folder, reader.name, false, text, bytes);
    free_resolved(&reader);
    return found;
}

void omptape_reader_anchor_status(const char *path, struct stat *status)
{
    char ignored[256];
    struct omptape_reader reader = {.folder = -1};
    char *name = NULL;
    *status = (struct stat){.st_ino = 0};
    if (resolve(&reader, path, ignored, sizeof(ignored)) == 0)
        name = omptape_reader_file(&reader, EXTENSION);
    if (name != NULL)
        (void)omptape_beneath_status(reader.folder, name, status);
    free(name);
    free_resolved(&reader);
}

void omptape_reader_set_error_callback(struct omptape_reader *reader)
{
    OTF2_Error_RegisterCallback(keep_error, reader);
}

OTF2_Reader *omptape_reader_open_otf2(const struct omptape_reader *reader)
{
    OTF2_Reader *otf2 = omptape_open_archive(reader->otf2_anchor);
    if (otf2 != NULL && OTF2_Reader_SetSerialCollectiveCallbacks(otf2) != OTF2_SUCCESS) {
        OTF2_Reader_Close(otf2);
        return NULL;
    }
    return otf2;
}

static OTF2_Reader *open_first(struct omptape_reader *reader)
{
    char path[OMPTAPE_OTF2_PATH_BYTES];
    reader->files = omptape_otf2_files_register(reader->folder, OMPTAPE_OTF2_READ, path);
    if (reader->files < 0 || asprintf(&reader->otf2_anchor, "%s/%s%s", path, reader->name, EXTENSION) < 0) {
        reader->otf2_anchor = NULL;
        return NULL;
    }
    return omptape_reader_open_otf2(reader);
}

int omptape_reader_open(struct omptape_reader **opened, const char *path, char *error, size_t error_bytes)
{
    int status = -ENOMEM;
    *opened = NULL;
    struct omptape_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL)
        return omptape_fail(error, error_bytes, status, "out of memory");
    reader->folder = -1;
    reader->events_folder = -1;
    reader->files = -1;
    omptape_reader_set_error_callback(reader);
    status = resolve(reader, path, error, error_bytes);
    if (status != 0)
        goto out;
    status = try_files(reader, error, error_bytes);
    if (status != 0)
        goto out;
    reader->otf2 = reader->recent = open_first(reader);
    if (reader->otf2 == NULL ||
        OTF2_Reader_GetNumberOfGlobalDefinitions(reader->otf2, &reader->announced_definitions) !=
            OTF2_SUCCESS ||
        OTF2_Reader_GetNumberOfLocations(reader->otf2, &reader->announced_locations) != OTF2_SUCCESS) {
        status = omptape_reader_fail(reader, "not a readable OTF2 archive", error, error_bytes);
        goto out;
    }
    status = read_definitions(reader, error, error_bytes);
out:
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_ARCHIVE, "reads %s: %s (%llu definitions, %llu locations)",
                path, status == 0 ? "opened" : error, (unsigned long long)reader->announced_definitions,
                (unsigned long long)reader->announced_locations);
    if (status != 0) {
        omptape_reader_close(reader);
        return status;
    }
    *opened = reader;
    return 0;
}

void omptape_reader_close(struct omptape_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->recent != reader->otf2)
        OTF2_Reader_Close(reader->recent);
    if (reader->otf2 != NULL)
        OTF2_Reader_Close(reader->otf2);
    OTF2_Error_RegisterCallback(NULL, NULL);
    omptape_reader_index_free(reader);
    if (reader->free_locals != NULL)
        reader->free_locals(reader);
    omptape_pairs_free(&reader->table);
    omptape_arena_free(&reader->arena);
    free(reader->definitions);
    omptape_otf2_files_unregister(reader->files);
    omptape_close(reader->events_folder);
    omptape_close(reader->folder);
    free(reader->otf2_anchor);
    free(reader->name);
    free(reader->anchor);
    free(reader);
}
