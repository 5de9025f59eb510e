/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by the unit tests before and after each test that needs a folder.
 */
#include "tests/unit/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

int scratch_make(char path[SCRATCH_BYTES])
{
    const char *base = getenv("TMPDIR");
    snprintf(path, SCRATCH_BYTES, "%s/omptape-test-XXXXXX", base == NULL ? "/tmp" : base);
    return mkdtemp(path) == NULL ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *walk)
{
    (void)about;
    (void)type;
    (void)walk;
    return remove(path);
}

int scratch_remove(const char *path)
{
    return nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
