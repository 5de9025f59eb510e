/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens an archive that may be damaged (open_archive.h). Called by unification and by the command's info and
 * check, in their children.
 */
#include "src/core/open_archive.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

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
