/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libotf2's own event files (otf2_events.h). On the test's only thread.
 */
#include "tests/unit/archive/otf2_events.h"

#include "src/archive/otf2_library.h"

#include <stdbool.h>
#include <stdlib.h>

/* Definitions may have more than one. */
enum { DEFINITION_CHUNKS = 16 };

struct memory {
    unsigned limit;
    unsigned used;
    void *chunks[DEFINITION_CHUNKS];
};

static void *allocate_chunk(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
                            uint64_t bytes)
{
    (void)user;
    (void)location;
    struct memory *memory = *buffer;
    if (memory == NULL) {
        memory = calloc(1, sizeof(*memory));
        if (memory == NULL)
            return NULL;
        memory->limit = type == OTF2_FILETYPE_EVENTS ? 1 : DEFINITION_CHUNKS;
        *buffer = memory;
    }
    void *chunk = memory->used < memory->limit ? malloc(bytes) : NULL;
    if (chunk != NULL)
        memory->chunks[memory->used++] = chunk;
    return chunk;
}

static void free_chunks(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
    (void)user;
    (void)type;
    (void)location;
    struct memory *memory = *buffer;
    while (memory != NULL && memory->used > 0)
        free(memory->chunks[--memory->used]);
    if (final) {
        free(memory);
        *buffer = NULL;
    }
}

OTF2_Archive *otf2_events_open(const char *folder)
{
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate_chunk,
                                                .otf2_free_all = free_chunks};
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, OMPTAPE_OTF2_CHUNK_BYTES,
                          OMPTAPE_OTF2_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL)
        return NULL;
    if (OTF2_Archive_SetFlushCallbacks(archive, &omptape_flush_callbacks, NULL) == OTF2_SUCCESS &&
        OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL) == OTF2_SUCCESS &&
        OTF2_Archive_SetSerialCollectiveCallbacks(archive) == OTF2_SUCCESS &&
        OTF2_Archive_OpenEvtFiles(archive) == OTF2_SUCCESS)
        return archive;
    OTF2_Archive_Close(archive);
    return NULL;
}

uint64_t otf2_events_end(OTF2_Archive *archive, OTF2_EvtWriter *writer)
{
    uint64_t count = 0;
    OTF2_EvtWriter_GetNumberOfEvents(writer, &count);
    return OTF2_Archive_CloseEvtWriter(archive, writer) == OTF2_SUCCESS ? count : 0;
}

int otf2_events_close(OTF2_Archive *archive)
{
    OTF2_ErrorCode events = OTF2_Archive_CloseEvtFiles(archive);
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS && events == OTF2_SUCCESS ? 0 : -1;
}
