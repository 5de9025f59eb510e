/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the local definitions of a location and other files next to its files (local.h).
 */
#include "src/archive/read/local.h"
#include "src/archive/read/damage.h"
#include "src/archive/read/internal.h"
#include "src/core/array.h"
#include "src/core/message.h"
#include "src/core/whole.h"
#include "src/folder/atomic_file.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maximum size of a process's sums, so that a damaged size cannot exhaust the memory. */
enum { MAX_BYTES = 1 << 30 };

struct traversal {
    struct omptape_local *local;
    OTF2_MappingType type;
};

static void put_pair(uint64_t from, uint64_t to, void *data)
{
    const struct traversal *traversal = data;
    struct omptape_local *local = traversal->local;
    if (to == UINT64_MAX || omptape_pairs_get(&local->ids, traversal->type, from) != NULL)
        return;
    if (omptape_pairs_put(&local->ids, traversal->type, from, (void *)(uintptr_t)(to + 1)) != 0)
        local->failed = true;
}

static OTF2_CallbackCode on_table(void *data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    struct omptape_local *local = data;
    struct traversal traversal = {.local = local, .type = type};
    if (type < 32)
        local->mapped |= UINT32_C(1) << type;
    OTF2_IdMap_Traverse(map, put_pair, &traversal);
    return local->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_offset(void *data, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    struct omptape_local *local = data;
    (void)deviation;
    if (!OMPTAPE_RESERVE(local->corrections, local->correction_count + 1, &local->correction_capacity)) {
        local->failed = true;
        return OTF2_CALLBACK_INTERRUPT;
    }
    if (local->correction_count == 0 || local->corrections[local->correction_count - 1].time < time)
        local->corrections[local->correction_count++] =
            (struct omptape_correction){.time = time, .offset = offset};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_ErrorCode read_definitions(struct omptape_reader *reader, uint64_t location,
                                       struct omptape_local *local)
{
    uint64_t count = 0;
    OTF2_Reader *otf2 = omptape_reader_take_otf2(reader, 1);
    if (otf2 == NULL)
        return OTF2_ERROR_INVALID;
    OTF2_Reader_SelectLocation(otf2, location);
    OTF2_ErrorCode code = OTF2_Reader_OpenDefFiles(otf2);
    OTF2_DefReader *definitions = code == OTF2_SUCCESS ? OTF2_Reader_GetDefReader(otf2, location) : NULL;
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (code == OTF2_SUCCESS && (definitions == NULL || callbacks == NULL))
        code = OTF2_ERROR_INVALID;
    if (code == OTF2_SUCCESS) {
        OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_table);
        OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_offset);
        code = OTF2_Reader_RegisterDefCallbacks(otf2, definitions, callbacks, local);
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllLocalDefinitions(otf2, definitions, &count);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    if (definitions != NULL)
        OTF2_Reader_CloseDefReader(otf2, definitions);
    OTF2_Reader_CloseDefFiles(otf2);
    return code;
}

static void free_local(struct omptape_local *local)
{
    omptape_pairs_free(&local->ids);
    free(local->corrections);
    free(local);
}

/* Called when the reader is closed. */
static void free_locals(struct omptape_reader *reader)
{
    struct omptape_local *local = reader->local_list;
    while (local != NULL) {
        struct omptape_local *next = local->next;
        free_local(local);
        local = next;
    }
    reader->local_list = NULL;
    omptape_pairs_free(&reader->locals);
}

static int read_file(struct omptape_reader *reader, uint64_t location, struct omptape_local *local,
                     char *error, size_t error_bytes)
{
    if (!omptape_reader_has_location_file(reader, location, ".def"))
        return 0;
    reader->otf2_error[0] = '\0';
    OTF2_ErrorCode code = read_definitions(reader, location, local);
    reader->no_memory = reader->no_memory || local->failed;
    char what[80];
    snprintf(what, sizeof(what), "cannot read the local definitions of location %" PRIu64, location);
    return code == OTF2_SUCCESS && !local->failed ? 0 : omptape_reader_fail(reader, what, error, error_bytes);
}

int omptape_reader_read_local(struct omptape_reader *reader, uint64_t location,
                              const struct omptape_local **local, char *error, size_t error_bytes)
{
    *local = omptape_pairs_get(&reader->locals, 0, location);
    if (*local != NULL)
        return 0;
    reader->free_locals = free_locals;
    struct omptape_local *new = calloc(1, sizeof(*new));
    int status = new != NULL ? read_file(reader, location, new, error, error_bytes) : -ENOMEM;
    if (status == 0)
        status = omptape_pairs_put(&reader->locals, 0, location, new);
    if (status == -ENOMEM)
        snprintf(error, error_bytes, "out of memory");
    if (status != 0) {
        if (new != NULL)
            free_local(new);
        return status;
    }
    new->next = reader->local_list;
    reader->local_list = new;
    *local = new;
    return 0;
}

void omptape_local_id(const struct omptape_local *local, OTF2_MappingType type, uint64_t *id)
{
    if (type >= 32 || (local->mapped & UINT32_C(1) << type) == 0)
        return;
    uint64_t found = (uintptr_t)omptape_pairs_get(&local->ids, type, *id);
    /* A sparse table omits unchanged ids. */
    if (found != 0)
        *id = found - 1;
}

/* The difference of two offsets may exceed 64 bits in a damaged archive. */
static double difference(int64_t first, int64_t last)
{
    return (double)((long double)last - (long double)first);
}

uint64_t omptape_local_time(const struct omptape_local *local, uint64_t time)
{
    const struct omptape_correction *list = local->corrections;
    uint32_t count = local->correction_count;
    uint32_t after = 0;
    if (count == 0)
        return time;
    while (after < count && list[after].time <= time)
        after++;
    if (after == 0)
        return time + (uint64_t)list[0].offset;
    if (after == count)
        return time + (uint64_t)list[count - 1].offset;
    const struct omptape_correction *one = &list[after - 1];
    const struct omptape_correction *other = &list[after];
    double part = (double)(time - one->time) / (double)(other->time - one->time);
    double offset = difference(one->offset, other->offset) * part;
    return time + (uint64_t)one->offset + (offset < 0 ? -omptape_whole(-offset) : omptape_whole(offset));
}

uint64_t omptape_local_ticks(const struct omptape_local *local, uint64_t ticks)
{
    const struct omptape_correction *first = local->corrections;
    const struct omptape_correction *last =
        local->correction_count > 1 ? &first[local->correction_count - 1] : NULL;
    if (last == NULL || last->offset == first->offset)
        return ticks;
    double rate = difference(first->offset, last->offset) / (double)(last->time - first->time);
    double more = (double)ticks * rate;
    double limit = (double)INT64_MAX / 2;
    return more <= limit && more >= -(double)ticks ? ticks + (uint64_t)(int64_t)more : ticks;
}

bool omptape_reader_has_location_file(const struct omptape_reader *reader, uint64_t location,
                                      const char *ending)
{
    char path[OMPTAPE_READER_FILE_BYTES];
    omptape_reader_name_file(reader, location, ending, path);
    return omptape_beneath_is_there(reader->folder, path);
}

int omptape_reader_read_location_file(const struct omptape_reader *reader, uint64_t location,
                                      const char *ending, unsigned char **bytes, size_t *count, char *error,
                                      size_t error_bytes)
{
    char path[OMPTAPE_READER_FILE_BYTES];
    omptape_reader_name_file(reader, location, ending, path);
    *bytes = NULL;
    if (reader->current_file != NULL)
        memcpy(reader->current_file, path, sizeof(path));
    int file = omptape_beneath_open_file(reader->folder, path);
    if (file < 0) {
        omptape_beneath_explain(reader->folder, path, file, error, error_bytes);
        return file;
    }
    int status = omptape_read_all(file, MAX_BYTES, bytes, count);
    close(file);
    if (status != 0)
        snprintf(error, error_bytes, "%s: %s", path, omptape_cause(status));
    return status;
}

/* Chunk header and end marks of a file without records. */
enum {
    EMPTY_FILE_BYTES = 20,
    CHUNK_HEADER = 3,
    END_OF_BUFFER = 1,
    END_OF_FILE = 2,
    LITTLE = 0x42,
    BIG = 0x23
};

void omptape_reader_name_file(const struct omptape_reader *reader, uint64_t location, const char *ending,
                              char path[OMPTAPE_READER_FILE_BYTES])
{
    snprintf(path, OMPTAPE_READER_FILE_BYTES, "%s/%" PRIu64 "%s", reader->name, location, ending);
}

/* Returns the reader's descriptor of the folder of event files, or negative errno. */
static int open_events(struct omptape_reader *reader)
{
    if (reader->events_folder < 0)
        reader->events_folder = omptape_beneath_open_folder(reader->folder, reader->name);
    return reader->events_folder;
}

/* Returns true if a file of EMPTY_FILE_BYTES has no records. Version 3.0 of libotf2 accesses freed memory for
 * an event file of that size, so every one counts as empty. Other definition files are left to libotf2. */
static bool is_empty(int file, const char *path)
{
    unsigned char bytes[EMPTY_FILE_BYTES];
    if (strcmp(strrchr(path, '.'), ".evt") == 0)
        return true;
    return pread(file, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes) && bytes[0] == CHUNK_HEADER &&
           (bytes[1] == LITTLE || bytes[1] == BIG) && bytes[EMPTY_FILE_BYTES - 2] == END_OF_FILE &&
           bytes[EMPTY_FILE_BYTES - 1] == END_OF_BUFFER;
}

static enum omptape_location_file judge_opened(const struct omptape_reader *reader, int file,
                                               const char *path)
{
    struct stat status;
    OTF2_Compression compression = OTF2_COMPRESSION_NONE;
    OTF2_Reader_GetCompression(reader->otf2, &compression);
    if (fstat(file, &status) == 0 && status.st_size == EMPTY_FILE_BYTES && is_empty(file, path))
        return OMPTAPE_LOCATION_FILE_EMPTY;
    /* libotf2 may loop endlessly on a truncated file. */
    return compression == OTF2_COMPRESSION_NONE && omptape_damage_is_cut_file(file, path)
               ? OMPTAPE_LOCATION_FILE_CUT
               : OMPTAPE_LOCATION_FILE_THERE;
}

enum omptape_location_file omptape_reader_judge_file(struct omptape_reader *reader, uint64_t location,
                                                     const char *ending)
{
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Reader_GetFileSubstrate(reader->otf2, &substrate);
    if (substrate != OTF2_SUBSTRATE_POSIX)
        return OMPTAPE_LOCATION_FILE_THERE;
    char path[OMPTAPE_READER_FILE_BYTES];
    omptape_reader_name_file(reader, location, ending, path);
    int folder = open_events(reader);
    int file = folder >= 0 ? omptape_beneath_open_file(folder, strrchr(path, '/') + 1) : folder;
    if (file < 0)
        return file == -ENOENT ? OMPTAPE_LOCATION_FILE_MISSING : OMPTAPE_LOCATION_FILE_THERE;
    enum omptape_location_file found = judge_opened(reader, file, path);
    close(file);
    return found;
}
