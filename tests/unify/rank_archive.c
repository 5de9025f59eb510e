/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Archives of ranks that never ran (rank_archive.h).
 */
#include "tests/unify/rank_archive.h"

#include "src/archive/otf2_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void rank_must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
        exit(1);
    }
}

void rank_succeed(OTF2_ErrorCode code)
{
    rank_must(code == OTF2_SUCCESS, OTF2_Error_GetDescription(code));
}

OTF2_Archive *rank_archive_open(const char *dir, unsigned rank, const char *name,
                                char folder[RANK_PATH_BYTES])
{
    snprintf(folder, RANK_PATH_BYTES, "%s/rank-%u", dir, rank);
    rank_must(mkdir(folder, 0777) == 0, folder);
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, OMPTAPE_OTF2_CHUNK_BYTES,
                          OMPTAPE_OTF2_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    rank_must(archive != NULL, "cannot open an archive");
    rank_succeed(OTF2_Archive_SetFlushCallbacks(archive, &omptape_flush_callbacks, NULL));
    rank_succeed(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    return archive;
}

void rank_archive_set(OTF2_Archive *archive, const char *key, const char *format, unsigned long long number)
{
    char name[64];
    char value[64];
    snprintf(name, sizeof(name), "OMPTAPE::%s", key);
    snprintf(value, sizeof(value), format, number);
    rank_succeed(OTF2_Archive_SetProperty(archive, name, value, true));
}
