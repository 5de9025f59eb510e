/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks after the room on the disk, and ends a trace for which there is no more. Called before each chunk
 * that is written, and between passes.
 */
#include "src/archive/write/room.h"

#include "src/archive/otf2_library.h"
#include "src/core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What the definitions may need, and of them each location. */
enum { BASE_BYTES = 128 * 1024, LOCATION_BYTES = 4 * 1024 };
/* Room that is kept in any case, since others may take the rest at any moment. */
enum { MOST_KEPT = 16 * 1024 * 1024 };
/* What others may write between two looks: this, or a share of a small disk. */
enum { MARGIN_BYTES = 8 * 1024 * 1024, MARGIN_SHARE = 16 };

void omptape_room_start(struct omptape_room *room)
{
    static const char name[] = ".omptape-room";
    *room = (struct omptape_room){.fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (room->fd >= 0)
        unlink(name);
    else
        room->fd = 0;
    omptape_room_look(room);
}

void omptape_room_leave(struct omptape_room *room)
{
    if (room->fd > 0)
        close(room->fd);
    *room = (struct omptape_room){.fd = 0};
}

void omptape_room_end(struct omptape_room *room)
{
    if (room->fd > 0) {
        (void)!ftruncate(room->fd, 0);
        close(room->fd);
    }
    room->fd = 0;
    room->kept = 0;
}

/* What is in memory and belongs into the archive. */
static uint64_t room_begun(const struct omptape_room *room)
{
    return room->files * (uint64_t)OMPTAPE_OTF2_CHUNK_BYTES + room->locations * (uint64_t)LOCATION_BYTES +
           BASE_BYTES;
}

/* For the archive to be completed after the chunk that comes next. */
static uint64_t room_needed(const struct omptape_room *room)
{
    return room_begun(room) + OMPTAPE_OTF2_CHUNK_BYTES;
}

static void call_full(struct omptape_room *room, int error)
{
    room->full = true;
    room->tight = true;
    room->error = error;
}

/* Keeps room where the file system can. True: the disk, or the user's share of it, is full. */
static bool is_refused(struct omptape_room *room)
{
    uint64_t bytes = room_needed(room) < MOST_KEPT ? room_needed(room) : MOST_KEPT;
    if (room->kept >= bytes)
        return false;
    if (fallocate(room->fd, 0, 0, (off_t)bytes) == 0) {
        room->kept = bytes;
        return false;
    }
    if (errno == ENOSPC || errno == EDQUOT)
        return true;
    omptape_room_end(room); /* it cannot, as NFS */
    return false;
}

/* All but what is kept. UINT64_MAX: nobody knows. */
static uint64_t free_bytes(const struct omptape_room *room, uint64_t *margin)
{
    struct statvfs fs;
    if (fstatvfs(room->fd, &fs) != 0 || fs.f_blocks == 0)
        return UINT64_MAX;
    uint64_t share = (uint64_t)fs.f_blocks * fs.f_frsize / MARGIN_SHARE;
    *margin = share < MARGIN_BYTES ? share : MARGIN_BYTES;
    return (uint64_t)fs.f_bavail * fs.f_frsize + room->kept;
}

void omptape_room_look(struct omptape_room *room)
{
    uint64_t margin = 0;
    if (room->fd <= 0 || room->full)
        return;
    uint64_t free = free_bytes(room, &margin);
    uint64_t need = room_needed(room) + margin + (room->lent ? room_begun(room) : 0);
    room->tight = free != UINT64_MAX && free / 2 < need;
    if (free != UINT64_MAX && free < need)
        call_full(room, ENOSPC);
    else if (is_refused(room))
        call_full(room, errno);
}

void omptape_room_lend(struct omptape_room *room, bool lent)
{
    room->lent = lent;
}

void omptape_room_add_file(struct omptape_room *room)
{
    room->files++;
    room->locations++;
    omptape_room_look(room);
}

void omptape_room_remove_file(struct omptape_room *room)
{
    room->files--;
}

/* Not all at once: whoever filled the disk may still be at it. */
bool omptape_room_give(struct omptape_room *room, int error)
{
    if (room->fd <= 0 || room->kept == 0 || (error != -ENOSPC && error != -EDQUOT))
        return false;
    call_full(room, -error);
    room->kept -= room->kept < OMPTAPE_OTF2_CHUNK_BYTES ? room->kept : OMPTAPE_OTF2_CHUNK_BYTES;
    return ftruncate(room->fd, (off_t)room->kept) == 0;
}

bool omptape_room_describe(const struct omptape_room *room, char *text, unsigned bytes)
{
    if (room->unwritten == 0)
        return false;
    (void)snprintf(text, bytes, "%s: the trace ends early, %llu events of the program are not in it",
                   omptape_cause(room->error), (unsigned long long)room->unwritten);
    return true;
}
