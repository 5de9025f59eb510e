/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes how the shared memory is divided, and creates it. Called once by each process of a session.
 */
#include "buffers/layout.h"

#include "buffers/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The kernel maps pages around a fault within blocks of 64 KiB. */
enum { MIN_CHUNKS = 4, PART_ALIGNMENT = 65536 };
/* The least size of a pool, as for --buffer-size, if a file size limit reduces it. With less the threads
 * would wait for the writer all the time. */
enum { MIN_REDUCED_CHUNKS = (1 << 20) / OMPTAPE_CHUNK_BYTES };

/* Otherwise threads that wait for a chunk would wait for ever while others keep theirs. */
_Static_assert(OMPTAPE_EXTRA_CHUNKS >= OMPTAPE_MAX_SLOTS, "each thread that has a slot may keep a chunk");

static uint64_t align_up(uint64_t value)
{
    return (value + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
}

struct omptape_layout omptape_layout_of(uint32_t chunk_limit, uint32_t extra_chunks)
{
    struct omptape_layout layout = {.chunk_limit = chunk_limit, .chunk_count = chunk_limit + extra_chunks};
    layout.chunks_offset =
        align_up(OMPTAPE_LINKS_OFFSET + ((uint64_t)layout.chunk_count + 1) * sizeof(uint32_t));
    layout.bytes = layout.chunks_offset + (uint64_t)layout.chunk_count * OMPTAPE_CHUNK_BYTES;
    return layout;
}

static void write_layout(struct omptape_shm *shm, const struct omptape_layout *layout)
{
    shm->chunk_limit = layout->chunk_limit;
    shm->chunk_count = layout->chunk_count;
    shm->chunks_offset = layout->chunks_offset;
    shm->bytes = layout->bytes;
}

/* Returns the limit on file sizes. Shared memory is a file: beyond it the program would get SIGXFSZ. */
static uint64_t max_bytes(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
                                                                                   : limit.rlim_cur;
}

/* Returns how many chunks are mapped for the threads' current chunks. They take at most an eighth of a
 * limited address space: the program needs the rest, also for the stacks of its threads. */
static uint32_t count_extra_chunks(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur / 8 / OMPTAPE_CHUNK_BYTES >= OMPTAPE_EXTRA_CHUNKS)
        return OMPTAPE_EXTRA_CHUNKS;
    return (uint32_t)(limit.rlim_cur / 8 / OMPTAPE_CHUNK_BYTES);
}

/* Returns the layout for a pool of `chunk_limit` chunks, or of fewer if it exceeds `bytes`. At least a
 * quarter of the chunks is then for the threads' current chunks. */
static struct omptape_layout layout_within(uint32_t chunk_limit, uint64_t bytes)
{
    struct omptape_layout layout = omptape_layout_of(chunk_limit, count_extra_chunks());
    if (layout.bytes <= bytes)
        return layout;
    uint64_t fixed = layout.chunks_offset;
    uint64_t capacity = bytes > fixed ? (bytes - fixed) / OMPTAPE_CHUNK_BYTES : 0;
    uint64_t extra = capacity / 4;
    if (extra > OMPTAPE_EXTRA_CHUNKS)
        extra = OMPTAPE_EXTRA_CHUNKS;
    uint64_t limit = chunk_limit < capacity - extra ? chunk_limit : capacity - extra;
    return omptape_layout_of((uint32_t)limit, (uint32_t)(capacity - limit));
}

/* Maps the shared memory. The chunks beyond the limit are not accessible until threads take them
 * (omptape_pool_alloc_chunk). Otherwise a program that locks its memory (mlockall) would allocate half a
 * gigabyte for them. Returns NULL and sets errno on failure. */
static struct omptape_shm *map_layout(int fd, const struct omptape_layout *layout)
{
    const uint64_t accessible = layout->chunks_offset + (uint64_t)layout->chunk_limit * OMPTAPE_CHUNK_BYTES;
    char *shm = mmap(NULL, layout->bytes, PROT_NONE, MAP_SHARED, fd, 0);
    if (shm == MAP_FAILED)
        return NULL;
    /* Excluded from core dumps: the kernel would allocate and write every page. */
    (void)madvise(shm, layout->bytes, MADV_DONTDUMP);
    /* Recording is impossible without the populated pages. */
    if (mprotect(shm, accessible, PROT_READ | PROT_WRITE) == 0 &&
        omptape_pool_populate(shm, OMPTAPE_SLOTS_OFFSET) == 0 &&
        omptape_pool_populate(shm + OMPTAPE_LINKS_OFFSET, layout->chunks_offset - OMPTAPE_LINKS_OFFSET) == 0)
        return (struct omptape_shm *)(void *)shm;
    munmap(shm, layout->bytes);
    errno = ENOMEM;
    return NULL;
}

int omptape_layout_create(uint64_t buffer_bytes, struct omptape_shm **shm)
{
    uint64_t limit = buffer_bytes / OMPTAPE_CHUNK_BYTES;
    if (limit < MIN_CHUNKS)
        limit = MIN_CHUNKS;
    struct omptape_layout layout =
        layout_within((uint32_t)(limit < UINT32_MAX / 2 ? limit : UINT32_MAX / 2), max_bytes());
    if (layout.chunk_limit < limit && layout.chunk_limit < MIN_REDUCED_CHUNKS)
        return -EFBIG;
    int fd = memfd_create("omptape", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    *shm = ftruncate(fd, (off_t)layout.bytes) == 0 ? map_layout(fd, &layout) : NULL;
    if (*shm != NULL) {
        write_layout(*shm, &layout);
        return fd;
    }
    const int error = -errno;
    close(fd);
    return error;
}

void omptape_layout_seal(int fd)
{
    (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}
