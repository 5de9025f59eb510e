/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What can be told of a location's files before libotf2 reads them (internal.h). An archive has two of them
 * for each thread, so that each is opened once here, by a descriptor of their folder.
 */
#include "src/archive/read/internal.h"

#include "src/archive/read/damage.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A chunk's header and the two marks at the end of a file. */
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

int omptape_reader_events_folder(struct omptape_reader *reader)
{
    if (reader->events_folder < 0)
        reader->events_folder = omptape_beneath_open_folder(reader->folder, reader->name);
    return reader->events_folder;
}

/* Is it only a header and marks? libotf2 3.0 touches freed memory when a global reader meets events of that
 * size, whatever they say; of definitions it judges those that say something else. */
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
    /* libotf2 may go round and round in a file that has lost its end. */
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
    int folder = omptape_reader_events_folder(reader);
    int file = folder >= 0 ? omptape_beneath_open_file(folder, strrchr(path, '/') + 1) : folder;
    if (file < 0)
        return file == -ENOENT ? OMPTAPE_LOCATION_FILE_MISSING : OMPTAPE_LOCATION_FILE_THERE;
    enum omptape_location_file found = judge_opened(reader, file, path);
    close(file);
    return found;
}
