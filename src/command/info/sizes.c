/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape info --sizes`: finds all files of an archive and has the event files walked through, with the
 * region numbers of each translated as OTF2 would.
 */
#include "src/command/info/sizes_print.h"

#include "src/archive/read/regions.h"
#include "src/command/info/state.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CACHED_REGIONS = 1024 };

/* Region references of one location's files. */
struct info_references {
    struct info_sizes *sizes;
    const struct omptape_reader *reader;
    struct omptape_hash global; /* one more than the local reference -> the global one */
    struct {
        bool known;
        uint32_t region;
        unsigned kind;
    } cache[CACHED_REGIONS];
    bool no_memory;
};

/* The region's construct: "parallel", "create task", "omp_set_lock"; of other regions the role in
 * parentheses. */
static void construct_of(const struct omptape_definition *definition, char *text, size_t bytes)
{
    static const char routine[] = "omp_";
    const struct reader_region *region = definition->region;
    char whole[256];
    if (!region->is_directive && strncmp(region->label, routine, strlen(routine)) != 0) {
        snprintf(text, bytes, "(%s)", omptape_info_role(definition->value[0]));
        return;
    }
    snprintf(whole, sizeof(whole), "%.*s", region->construct_bytes, region->label);
    omptape_cut_text(whole, text, bytes);
}

/* The kind of that name, made at its first use. */
static unsigned kind_of_name(struct info_sizes *sizes, const char *name)
{
    for (unsigned i = 0; i < sizes->kind_count; i++)
        if (strcmp(sizes->kind_names[i], name) == 0)
            return i;
    if (sizes->kind_count == INFO_SIZES_KINDS)
        return INFO_SIZES_OTHER;
    snprintf(sizes->kind_names[sizes->kind_count], sizeof(sizes->kind_names[0]), "%s", name);
    return sizes->kind_count++;
}

static unsigned look_up_kind(struct info_references *references, uint32_t region)
{
    char text[sizeof(references->sizes->kind_names[0])];
    const struct omptape_hash_entry *global = omptape_hash_next(&references->global, region + 1ULL, NULL);
    const struct omptape_definition *definition =
        omptape_reader_find(references->reader, OMPTAPE_DEF_REGION, global == NULL ? region : global->number);
    if (definition == NULL)
        return INFO_SIZES_OTHER;
    construct_of(definition, text, sizeof(text));
    return kind_of_name(references->sizes, text);
}

static unsigned kind_of_region(void *data, uint32_t region)
{
    struct info_references *references = data;
    uint32_t place = region % CACHED_REGIONS;
    if (!references->cache[place].known || references->cache[place].region != region) {
        references->cache[place].known = true;
        references->cache[place].region = region;
        references->cache[place].kind = look_up_kind(references, region);
    }
    return references->cache[place].kind;
}

static void keep_mapping(uint64_t local, uint64_t global, void *data)
{
    struct info_references *references = data;
    struct omptape_hash_entry *known = omptape_hash_next(&references->global, local + 1, NULL);
    if (known != NULL)
        known->number = global;
    else if (omptape_hash_join(&references->global, local + 1, global) == -ENOMEM)
        references->no_memory = true;
}

static OTF2_CallbackCode on_mapping_table(void *data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    if (type == OTF2_MAPPING_REGION)
        OTF2_IdMap_Traverse(map, keep_mapping, data);
    return ((struct info_references *)data)->no_memory ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static int read_mapping(struct omptape_reader *reader, uint64_t location, struct info_references *references,
                        char *error, size_t error_bytes)
{
    uint64_t count = 0;
    char what[80];
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader->otf2, location);
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (local != NULL && callbacks != NULL) {
        OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_mapping_table);
        code = OTF2_Reader_RegisterDefCallbacks(reader->otf2, local, callbacks, references);
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllLocalDefinitions(reader->otf2, local, &count);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    if (local != NULL)
        OTF2_Reader_CloseDefReader(reader->otf2, local);
    if (code == OTF2_SUCCESS && !references->no_memory)
        return 0;
    snprintf(what, sizeof(what), "cannot read the local definitions of location %" PRIu64, location);
    return omptape_reader_fail(reader, what, error, error_bytes);
}

/* Walks through the location's event file, if it has one. */
static int walk_location(struct info_sizes *sizes, struct omptape_reader *reader, int folder,
                         uint64_t location, uint64_t chunk_bytes, struct omptape_reader_progress *progress,
                         char *error, size_t error_bytes)
{
    char name[40];
    char what[160] = "";
    struct stat about;
    struct info_references *references = calloc(1, sizeof(*references));
    snprintf(name, sizeof(name), "%" PRIu64 ".evt", location);
    int file = omptape_beneath_open_file(folder, name);
    int status = references == NULL ? -ENOMEM : 0;
    if (status != 0 || file < 0 || fstat(file, &about) != 0)
        goto out;
    references->sizes = sizes;
    references->reader = reader;
    sizes->files[INFO_FILE_EVENTS].number++;
    sizes->files[INFO_FILE_EVENTS].bytes += (uint64_t)about.st_size;
    snprintf(name, sizeof(name), "%" PRIu64 ".def", location);
    if (omptape_beneath_is_there(folder, name))
        status = read_mapping(reader, location, references, error, error_bytes);
    if (status == 0) {
        status = omptape_info_walk_events(&sizes->events, file, (uint64_t)about.st_size, chunk_bytes,
                                          kind_of_region, references, progress, what, sizeof(what));
    }
    if (what[0] != '\0')
        snprintf(error, error_bytes, "the event file of location %" PRIu64 " is %s", location, what);
out:
    if (file >= 0)
        close(file);
    if (references != NULL)
        omptape_hash_free(&references->global);
    free(references);
    return status;
}

static int walk_locations(struct info_sizes *sizes, struct omptape_reader *reader, int folder,
                          uint64_t chunk_bytes, struct omptape_reader_progress *progress, char *error,
                          size_t error_bytes)
{
    int status = 0;
    for (size_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *definition = reader->definitions[i];
        if (definition->kind == OMPTAPE_DEF_LOCATION && definition->id != OTF2_UNDEFINED_LOCATION)
            OTF2_Reader_SelectLocation(reader->otf2, definition->id);
    }
    if (OTF2_Reader_OpenDefFiles(reader->otf2) != OTF2_SUCCESS)
        return omptape_reader_fail(reader, "cannot open the local definitions", error, error_bytes);
    for (size_t i = 0; i < reader->definition_count && status == 0; i++) {
        const struct omptape_definition *definition = reader->definitions[i];
        if (definition->kind == OMPTAPE_DEF_LOCATION && definition->id != OTF2_UNDEFINED_LOCATION &&
            omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, definition->id) == definition) {
            status = walk_location(sizes, reader, folder, definition->id, chunk_bytes, progress, error,
                                   error_bytes);
        }
    }
    OTF2_Reader_CloseDefFiles(reader->otf2);
    return status;
}

static int chunk_size(const struct omptape_reader *reader, uint64_t *bytes, char *error, size_t error_bytes)
{
    uint64_t of_definitions = 0;
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    if (OTF2_Reader_GetFileSubstrate(reader->otf2, &substrate) != OTF2_SUCCESS ||
        OTF2_Reader_GetCompression(reader->otf2, &compression) != OTF2_SUCCESS ||
        substrate != OTF2_SUBSTRATE_POSIX || compression != OTF2_COMPRESSION_NONE) {
        snprintf(error, error_bytes, "--sizes needs an archive of plain, uncompressed files");
        return -ENOTSUP;
    }
    if (OTF2_Reader_GetChunkSize(reader->otf2, bytes, &of_definitions) != OTF2_SUCCESS ||
        *bytes < OTF2_CHUNK_SIZE_MIN || *bytes > OTF2_CHUNK_SIZE_MAX) {
        snprintf(error, error_bytes, "damaged archive: the anchor file tells an impossible size of chunks");
        return -EINVAL;
    }
    return 0;
}

int omptape_info_sizes(struct omptape_reader *reader, FILE *out, struct omptape_reader_progress *progress,
                       char *error, size_t error_bytes)
{
    uint64_t chunk_bytes = 0;
    int folder = -1;
    struct info_sizes *sizes = calloc(1, sizeof(*sizes));
    int status = sizes == NULL ? -ENOMEM : chunk_size(reader, &chunk_bytes, error, error_bytes);
    if (status != 0)
        goto out;
    kind_of_name(sizes, "outside of all regions");
    kind_of_name(sizes, "parallel");
    kind_of_name(sizes, "task");
    kind_of_name(sizes, "other regions");
    status = omptape_info_add_files(reader, sizes->files);
    folder = status == 0 ? omptape_beneath_open_folder(reader->folder, reader->name) : status;
    if (folder < 0) {
        status = folder;
        snprintf(error, error_bytes, "cannot read the folder of event files: %s", strerror(-status));
        goto out;
    }
    progress->total = sizes->files[INFO_FILE_EVENTS].bytes;
    sizes->files[INFO_FILE_EVENTS] =
        (struct info_amount){0}; /* they are counted as they are walked through */
    status = walk_locations(sizes, reader, folder, chunk_bytes, progress, error, error_bytes);
    if (status == 0)
        omptape_info_print_sizes(sizes, reader, out);
out:
    if (folder >= 0)
        close(folder);
    free(sizes);
    return status;
}
