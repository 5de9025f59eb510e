/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Monitors the free disk space and ends the trace when it is exhausted.
 */
#include "src/archive/write/disk_reserve.h"

#include "src/archive/otf2_library.h"
#include "src/core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Estimated size of the definitions: base, and for each location. */
enum { BASE_BYTES = 128 * 1024, LOCATION_BYTES = 4 * 1024 };
/* Maximum size of the reserve. Other programs may use the remaining space at any time. */
enum { MAX_KEPT = 16 * 1024 * 1024 };
/* Margin for what other programs write between two checks: these bytes, or a share of a small disk. */
enum { MARGIN_BYTES = 8 * 1024 * 1024, MARGIN_SHARE = 16 };

void omptape_disk_reserve_start(struct omptape_disk_reserve *reserve)
{
    static const char name[] = ".omptape-room";
    *reserve = (struct omptape_disk_reserve){
        .fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (reserve->fd >= 0)
        unlink(name);
    else
        reserve->fd = 0;
    omptape_disk_reserve_check(reserve);
}

void omptape_disk_reserve_detach(struct omptape_disk_reserve *reserve)
{
    if (reserve->fd > 0)
        close(reserve->fd);
    *reserve = (struct omptape_disk_reserve){.fd = 0};
}

void omptape_disk_reserve_end(struct omptape_disk_reserve *reserve)
{
    if (reserve->fd > 0) {
        (void)!ftruncate(reserve->fd, 0);
        close(reserve->fd);
    }
    reserve->fd = 0;
    reserve->kept = 0;
}

/* Returns the bytes that completing the archive needs now: all that is in memory and not written yet. */
static uint64_t space_for_unwritten(const struct omptape_disk_reserve *reserve)
{
    return reserve->files * (uint64_t)OMPTAPE_OTF2_CHUNK_BYTES +
           reserve->locations * (uint64_t)LOCATION_BYTES + BASE_BYTES;
}

/* Returns the bytes that completing the archive would need after one more chunk. */
static uint64_t space_needed(const struct omptape_disk_reserve *reserve)
{
    return space_for_unwritten(reserve) + OMPTAPE_OTF2_CHUNK_BYTES;
}

static void call_full(struct omptape_disk_reserve *reserve, int error)
{
    reserve->full = true;
    reserve->tight = true;
    reserve->error = error;
}

/* Enlarges the reserve if supported. Returns true if the disk or the user's quota is full. */
static bool is_refused(struct omptape_disk_reserve *reserve)
{
    uint64_t bytes = space_needed(reserve) < MAX_KEPT ? space_needed(reserve) : MAX_KEPT;
    if (reserve->kept >= bytes)
        return false;
    if (fallocate(reserve->fd, 0, 0, (off_t)bytes) == 0) {
        reserve->kept = bytes;
        return false;
    }
    if (errno == ENOSPC || errno == EDQUOT)
        return true;
    omptape_disk_reserve_end(reserve); /* the file system does not support it, for example NFS */
    return false;
}

/* Returns the free space including the reserve, and the margin. UINT64_MAX if unknown. */
static uint64_t free_bytes(const struct omptape_disk_reserve *reserve, uint64_t *margin)
{
    struct statvfs fs;
    if (fstatvfs(reserve->fd, &fs) != 0 || fs.f_blocks == 0)
        return UINT64_MAX;
    uint64_t share = (uint64_t)fs.f_blocks * fs.f_frsize / MARGIN_SHARE;
    *margin = share < MARGIN_BYTES ? share : MARGIN_BYTES;
    return (uint64_t)fs.f_bavail * fs.f_frsize + reserve->kept;
}

void omptape_disk_reserve_check(struct omptape_disk_reserve *reserve)
{
    uint64_t margin = 0;
    if (reserve->fd <= 0 || reserve->full)
        return;
    uint64_t free = free_bytes(reserve, &margin);
    uint64_t need =
        space_needed(reserve) + margin + (reserve->in_checkpoint ? space_for_unwritten(reserve) : 0);
    reserve->tight = free != UINT64_MAX && free / 2 < need;
    if (free != UINT64_MAX && free < need)
        call_full(reserve, ENOSPC);
    else if (is_refused(reserve))
        call_full(reserve, errno);
}

void omptape_disk_reserve_set_checkpoint(struct omptape_disk_reserve *reserve, bool in_checkpoint)
{
    reserve->in_checkpoint = in_checkpoint;
}

void omptape_disk_reserve_add_file(struct omptape_disk_reserve *reserve)
{
    reserve->files++;
    reserve->locations++;
    omptape_disk_reserve_check(reserve);
}

void omptape_disk_reserve_remove_file(struct omptape_disk_reserve *reserve)
{
    reserve->files--;
}

/* Releases the reserve in steps, because another program may still be filling the disk. */
bool omptape_disk_reserve_spend(struct omptape_disk_reserve *reserve, int error)
{
    if (reserve->fd <= 0 || reserve->kept == 0 || (error != -ENOSPC && error != -EDQUOT))
        return false;
    call_full(reserve, -error);
    reserve->kept -= reserve->kept < OMPTAPE_OTF2_CHUNK_BYTES ? reserve->kept : OMPTAPE_OTF2_CHUNK_BYTES;
    return ftruncate(reserve->fd, (off_t)reserve->kept) == 0;
}

bool omptape_disk_reserve_describe(const struct omptape_disk_reserve *reserve, char *text, unsigned bytes)
{
    if (reserve->unwritten == 0)
        return false;
    (void)snprintf(text, bytes, "%s: the trace ends early, %llu events of the program are not in it",
                   omptape_cause(reserve->error), (unsigned long long)reserve->unwritten);
    return true;
}
