/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flush and collective callbacks for libotf2, and safe opening of a damaged archive (otf2_library.h).
 */
#include "src/archive/otf2_library.h"

#include "src/core/message.h"
#include "src/core/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* libotf2's callbacks have parameters that are not needed here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

static OTF2_FlushType always_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final)
{
    return OTF2_FLUSH;
}

const OTF2_FlushCallbacks omptape_flush_callbacks = {.otf2_pre_flush = always_flush};

/* Collective callbacks of the second of two processes, which never communicates with the first one. Received
 * values are zeros, because OTF2_SUCCESS is zero. */
static OTF2_CallbackCode get_size(void *data, OTF2_CollectiveContext *context, uint32_t *size)
{
    *size = 2;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode get_rank(void *data, OTF2_CollectiveContext *context, uint32_t *rank)
{
    *rank = 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode pass_barrier(void *data, OTF2_CollectiveContext *context)
{
    return OTF2_CALLBACK_SUCCESS;
}

static size_t type_bytes(OTF2_Type type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        return 2;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_FLOAT:
        return 4;
    default:
        return 8;
    }
}

static OTF2_CallbackCode receive_zeros(void *data, OTF2_CollectiveContext *context, void *values,
                                       uint32_t count, OTF2_Type type, uint32_t root)
{
    if (root != 1)
        memset(values, 0, count * type_bytes(type));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gather_values(void *data, OTF2_CollectiveContext *context, const void *values,
                                       void *all, uint32_t count, OTF2_Type type, uint32_t root)
{
    return root != 1 ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode gather_lists(void *data, OTF2_CollectiveContext *context, const void *values,
                                      uint32_t own, void *all, const uint32_t *counts, OTF2_Type type,
                                      uint32_t root)
{
    return gather_values(data, context, values, all, own, type, root);
}

static OTF2_CallbackCode scatter_zeros(void *data, OTF2_CollectiveContext *context, const void *all,
                                       void *values, uint32_t count, OTF2_Type type, uint32_t root)
{
    return receive_zeros(data, context, values, count, type, root);
}

static OTF2_CallbackCode scatter_lists(void *data, OTF2_CollectiveContext *context, const void *all,
                                       const uint32_t *counts, void *values, uint32_t count, OTF2_Type type,
                                       uint32_t root)
{
    return receive_zeros(data, context, values, count, type, root);
}

#pragma GCC diagnostic pop

OTF2_ErrorCode omptape_otf2_join_archive(OTF2_Archive *archive)
{
    static const OTF2_CollectiveCallbacks callbacks = {.otf2_get_size = get_size,
                                                       .otf2_get_rank = get_rank,
                                                       .otf2_barrier = pass_barrier,
                                                       .otf2_bcast = receive_zeros,
                                                       .otf2_gather = gather_values,
                                                       .otf2_gatherv = gather_lists,
                                                       .otf2_scatter = scatter_zeros,
                                                       .otf2_scatterv = scatter_lists};
    static char context; /* libotf2 requires a non-NULL context */
    return OTF2_Archive_SetCollectiveCallbacks(archive, &callbacks, NULL, (OTF2_CollectiveContext *)&context,
                                               NULL);
}

/* A word takes up to nine bytes. HEAD_BYTES are for the data before the record. */
uint64_t omptape_otf2_definition_chunk(uint64_t words)
{
    enum { HEAD_BYTES = 1024, MAX_WORD_BYTES = 9 };
    uint64_t bytes = OMPTAPE_OTF2_CHUNK_BYTES;
    while (bytes < OTF2_CHUNK_SIZE_MAX && (bytes - HEAD_BYTES) / MAX_WORD_BYTES < words)
        bytes *= 2;
    return bytes;
}

const char *omptape_otf2_cause(OTF2_ErrorCode code)
{
    static const struct {
        OTF2_ErrorCode code;
        int error;
    } limits[] = {{OTF2_ERROR_EFBIG, EFBIG},   {OTF2_ERROR_ENOSPC, ENOSPC}, {OTF2_ERROR_EDQUOT, EDQUOT},
                  {OTF2_ERROR_EMFILE, EMFILE}, {OTF2_ERROR_ENFILE, ENFILE}, {OTF2_ERROR_ENOMEM, ENOMEM},
                  {OTF2_ERROR_EROFS, EROFS}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (limits[i].code == code)
            return omptape_cause(limits[i].error);
    return OTF2_Error_GetDescription(code);
}

/* Returns the used address space in bytes; 0 if unknown. */
static uint64_t address_space(void)
{
    char text[64];
    (void)omptape_read_text(AT_FDCWD, "/proc/self/statm", text, sizeof(text));
    return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* libotf2 trusts the number of properties in the anchor file, and may process gigabytes for half a minute. A
 * limit of the address space makes it fail at once. */
OTF2_Reader *omptape_open_archive(const char *anchor)
{
    enum { ROOM = 1 << 30 };
    struct rlimit before;
    uint64_t used = address_space();
    bool limited = used > 0 && getrlimit(RLIMIT_AS, &before) == 0 && before.rlim_cur > used + ROOM;
    if (limited) {
        struct rlimit narrow = {.rlim_cur = used + ROOM, .rlim_max = before.rlim_max};
        limited = setrlimit(RLIMIT_AS, &narrow) == 0;
    }
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    if (limited)
        setrlimit(RLIMIT_AS, &before);
    return reader;
}
