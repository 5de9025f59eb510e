/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one place that knows how the shared memory is divided. Called once by each process of a session.
 */
#include "buffers/layout.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The kernel maps pages around a fault within blocks of 64 KiB. */
enum { FEWEST_CHUNKS = 4, PART_ALIGNMENT = 65536 };

static uint64_t align_up(uint64_t value)
{
    return (value + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
}

struct omptape_layout omptape_layout_of(uint32_t chunk_limit)
{
    struct omptape_layout layout = {.chunk_limit = chunk_limit,
                                    .chunk_count = chunk_limit + OMPTAPE_EXTRA_CHUNKS};
    layout.chunks_offset =
        align_up(OMPTAPE_LINKS_OFFSET + ((uint64_t)layout.chunk_count + 1) * sizeof(uint32_t));
    layout.bytes = layout.chunks_offset + (uint64_t)layout.chunk_count * OMPTAPE_CHUNK_BYTES;
    return layout;
}

static void write_layout(struct omptape_shm *shm, const struct omptape_layout *layout)
{
    shm->version = OMPTAPE_SHM_VERSION;
    shm->chunk_limit = layout->chunk_limit;
    shm->chunk_count = layout->chunk_count;
    shm->chunks_offset = layout->chunks_offset;
    shm->bytes = layout->bytes;
}

/* The shared memory is a file to the kernel: beyond the limit on file sizes it would send SIGXFSZ to the
 * program. */
static bool is_allowed(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

int omptape_layout_create(uint64_t buffer_bytes, struct omptape_shm **shm)
{
    uint64_t limit = buffer_bytes / OMPTAPE_CHUNK_BYTES;
    if (limit < FEWEST_CHUNKS)
        limit = FEWEST_CHUNKS;
    struct omptape_layout layout =
        omptape_layout_of((uint32_t)(limit < UINT32_MAX / 2 ? limit : UINT32_MAX / 2));

    if (!is_allowed(layout.bytes))
        return -EFBIG;
    int fd = memfd_create("omptape", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)layout.bytes) != 0)
        goto fail;
    *shm = mmap(NULL, layout.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*shm == MAP_FAILED)
        goto fail;
    write_layout(*shm, &layout);
    return fd;
fail:;
    int error = -errno;
    close(fd);
    return error;
}
