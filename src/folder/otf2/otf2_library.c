/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libotf2 asks before it writes memory out, and opening an archive that may be damaged (otf2_library.h).
 */
#include "src/folder/otf2/otf2_library.h"

#include "src/core/message.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static OTF2_FlushType always_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final)
{
    (void)user;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

const OTF2_FlushCallbacks omptape_flush_callbacks = {.otf2_pre_flush = always_flush};

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

/* Bytes of address space in use; 0: not known. */
static uint64_t address_space(void)
{
    unsigned long pages = 0;
    FILE *stream = fopen("/proc/self/statm", "re");
    if (stream != NULL) {
        if (fscanf(stream, "%lu", &pages) != 1)
            pages = 0;
        fclose(stream);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* libotf2 believes the anchor file's count of properties and then walks through gigabytes for half a minute:
 * a limit makes it fail at once. */
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
