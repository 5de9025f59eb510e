/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes how the shared memory is divided, creates it, and maps it. Created once by each process of a
 * session; mapped further by threads that take chunks.
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
}

/* Returns the limit on file sizes. Shared memory is a file: beyond it the program would get SIGXFSZ. */
static uint64_t max_bytes(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
                                                                                   : limit.rlim_cur;
}

/* Returns how many chunks there are for the threads' current chunks. They take at most an eighth of a
 * limited address space: the writer, which maps all of them, has the same limit. */
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

enum { SEGMENT_CHUNKS = 64, SEGMENT_BYTES = SEGMENT_CHUNKS * OMPTAPE_CHUNK_BYTES };

/* Where the session's memory is mapped in this process. The first mapping holds the header and the first
 * `chunks` chunks. Each segment holds the next SEGMENT_CHUNKS chunks, and is mapped when a thread takes one
 * of them. `ends[0]` is the end of the first mapping, `ends[n]` the end of segment n; NULL while it is not
 * mapped. */
static struct {
    uint32_t chunks;
    char *_Atomic ends[OMPTAPE_EXTRA_CHUNKS / SEGMENT_CHUNKS + 1];
} mapped;
enum { MAX_SEGMENTS = sizeof(mapped.ends) / sizeof(mapped.ends[0]) - 1 };

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Maps a segment. The file's descriptor is closed, but mremap with an old size of 0 maps shared memory
 * once more. The segment begins with the last page of the mapping before. */
static bool map_segment(uint32_t segment)
{
    const size_t page = page_bytes();
    char *before = atomic_load(&mapped.ends[segment - 1]) - page;
    char *map = mremap(before, 0, page + SEGMENT_BYTES, MREMAP_MAYMOVE);
    char *none = NULL;
    if (map == MAP_FAILED)
        return false;
    if (!atomic_compare_exchange_strong(&mapped.ends[segment], &none, map + page + SEGMENT_BYTES))
        munmap(map, page + SEGMENT_BYTES);
    return true;
}

static uint32_t segment_of(uint32_t chunk)
{
    return chunk <= mapped.chunks ? 0 : (chunk - mapped.chunks - 1) / SEGMENT_CHUNKS + 1;
}

bool omptape_layout_map_chunk(uint32_t chunk)
{
    const int saved = errno; /* The program's errno is preserved. */
    const uint32_t last = segment_of(chunk);
    bool is_mapped = last <= MAX_SEGMENTS;
    for (uint32_t i = 1; i <= last && is_mapped; i++)
        is_mapped = atomic_load(&mapped.ends[i]) != NULL || map_segment(i);
    errno = saved;
    return is_mapped;
}

bool omptape_layout_is_mapped(uint32_t chunk)
{
    const uint32_t segment = segment_of(chunk);
    return chunk != OMPTAPE_NO_CHUNK && segment <= MAX_SEGMENTS && atomic_load(&mapped.ends[segment]) != NULL;
}

struct omptape_chunk *omptape_layout_chunk(struct omptape_shm *shm, uint32_t chunk)
{
    const uint32_t segment = segment_of(chunk);
    if (segment == 0)
        return omptape_shm_chunk(shm, chunk);
    const uint32_t chunks_to_end = mapped.chunks + segment * SEGMENT_CHUNKS - (chunk - 1);
    return (struct omptape_chunk *)(void *)(atomic_load(&mapped.ends[segment]) -
                                            (size_t)chunks_to_end * OMPTAPE_CHUNK_BYTES);
}

void omptape_layout_unmap(struct omptape_shm *shm)
{
    for (uint32_t i = 1; i <= MAX_SEGMENTS; i++) {
        char *end = atomic_exchange(&mapped.ends[i], NULL);
        if (end != NULL)
            munmap(end - SEGMENT_BYTES - page_bytes(), SEGMENT_BYTES + page_bytes());
    }
    munmap(shm, (size_t)(atomic_load(&mapped.ends[0]) - (char *)shm));
}

/* Maps the header and the first `chunks` chunks. Returns NULL and sets errno on failure. */
static struct omptape_shm *map_first(int fd, const struct omptape_layout *layout, uint32_t chunks)
{
    const size_t bytes = layout->chunks_offset + (uint64_t)chunks * OMPTAPE_CHUNK_BYTES;
    char *shm = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shm == MAP_FAILED)
        return NULL;
    /* Excluded from core dumps: the kernel would allocate and write every page. */
    (void)madvise(shm, bytes, MADV_DONTDUMP);
    mapped.chunks = chunks;
    for (uint32_t i = 1; i <= MAX_SEGMENTS; i++)
        atomic_store(&mapped.ends[i], NULL);
    atomic_store(&mapped.ends[0], shm + bytes);
    return (struct omptape_shm *)(void *)shm;
}

/* Maps the shared memory. The chunks beyond the limit would take half a gigabyte of addresses. A program that
 * limits these after its start (RLIMIT_AS) could then create no thread. So they are mapped when threads take
 * them, or all at once where the kernel maps no memory again (qemu-user). Returns NULL and sets errno on
 * failure. */
static struct omptape_shm *map_layout(int fd, const struct omptape_layout *layout)
{
    enum { CHUNKS_OF_PART = PART_ALIGNMENT / OMPTAPE_CHUNK_BYTES };
    const uint32_t whole_parts = (layout->chunk_limit + CHUNKS_OF_PART - 1) / CHUNKS_OF_PART * CHUNKS_OF_PART;
    struct omptape_shm *shm = map_first(fd, layout, whole_parts);
    if (shm != NULL && !omptape_layout_map_chunk(whole_parts + 1)) {
        omptape_layout_unmap(shm);
        shm = map_first(fd, layout, layout->chunk_count);
    }
    /* Recording is impossible without the populated pages. */
    if (shm == NULL || (omptape_pool_populate(shm, OMPTAPE_SLOTS_OFFSET) == 0 &&
                        omptape_pool_populate((char *)shm + OMPTAPE_LINKS_OFFSET,
                                              layout->chunks_offset - OMPTAPE_LINKS_OFFSET) == 0))
        return shm;
    omptape_layout_unmap(shm);
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
