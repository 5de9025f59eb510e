/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libotf2 asks before it writes memory out (flush.h). Called back on the thread that writes an archive,
 * of the writer or of unification.
 */
#include "src/core/flush.h"

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
