/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of device buffers. Buffers are taken on program threads (AMD's runtime requests them on the
 * application thread, inside other callbacks) and returned on the runtime's helper threads.
 *
 * A buffer is free if it has no references. The search for a free one is circular and begins only when
 * several are free. So a returned buffer is reused as late as possible, because some runtimes deliver a range
 * twice, or after they returned the buffer.
 */
#include "device/buffers.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* The limit on the bytes of all buffers. For large buffers the limit on their count applies. */
#define MAX_BYTES (UINT64_C(256) << 20)
enum { MIN_BUFFERS = 16 };
/* How many free buffers are not reused yet: RESTING, or an eighth of all if that is more. */
enum { RESTING = 4, RESTING_SHIFT = 3 };
/* How many delivered ranges of a buffer are remembered. */
enum { KEPT_BEGINS = 12 };

struct device_buffer {
    /* One of the runtime, and one for each completion that is being read. */
    _Atomic uint32_t references;
    _Atomic uint32_t ready; /* It has memory, which is never freed. */
    _Atomic uint32_t lent;  /* The runtime has it. */
    _Atomic int32_t device;
    _Atomic uint32_t delivered; /* Ranges delivered since it was taken. */
    _Atomic uint64_t delivered_begins[KEPT_BEGINS];
};

struct device_arena {
    size_t buffer_bytes;
    uint32_t count;
    char *memory;
    _Atomic uint32_t used; /* Buffers [0, used) were taken at least once. */
    _Atomic int32_t free;  /* Free ones among these. May be too small for a moment. */
    _Atomic uint32_t next; /* Where the search continues. */
    struct device_buffer buffers[];
};

static struct device_arena *_Atomic current_arena;

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static size_t head_bytes(uint32_t count, size_t page)
{
    return round_up(sizeof(struct device_arena) + count * sizeof(struct device_buffer), page);
}

/* Reserves address space. Memory is allocated when a buffer is first taken. */
static struct device_arena *reserve_arena(size_t buffer_bytes, uint32_t count, size_t page)
{
    size_t head = head_bytes(count, page);
    size_t bytes = head + buffer_bytes * count;
    struct device_arena *arena =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        return NULL;
    if (mprotect(arena, head, PROT_READ | PROT_WRITE) != 0) {
        munmap(arena, bytes);
        return NULL;
    }
    arena->buffer_bytes = buffer_bytes;
    arena->count = count;
    arena->memory = (char *)arena + head;
    return arena;
}

int omptape_device_buffers_prepare(size_t bytes)
{
    if (atomic_load_explicit(&current_arena, memory_order_acquire) != NULL)
        return 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t buffer_bytes = round_up(bytes, page);
    uint64_t count = MAX_BYTES / buffer_bytes;
    struct device_arena *none = NULL;
    struct device_arena *arena = NULL;
    if (count < MIN_BUFFERS)
        count = MIN_BUFFERS;
    /* Address space may be limited (ulimit -v): fewer buffers are better than none. */
    for (; count > 0 && arena == NULL; count /= 2)
        arena = reserve_arena(buffer_bytes, (uint32_t)count, page);
    if (arena == NULL)
        return -ENOMEM;
    /* Several threads may initialise devices at once. */
    if (!atomic_compare_exchange_strong(&current_arena, &none, arena))
        munmap(arena, head_bytes(arena->count, page) + arena->buffer_bytes * arena->count);
    return 0;
}

static struct device_buffer *acquire_fresh_buffer(struct device_arena *arena)
{
    uint32_t used = atomic_load(&arena->used);
    do {
        if (used >= arena->count)
            return NULL;
    } while (!atomic_compare_exchange_weak(&arena->used, &used, used + 1));
    struct device_buffer *buffer = &arena->buffers[used];
    char *memory = arena->memory + (size_t)used * arena->buffer_bytes;
    if (mprotect(memory, arena->buffer_bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    atomic_store(&buffer->references, 1);
    atomic_store(&buffer->ready, 1);
    return buffer;
}

static struct device_buffer *acquire_free_buffer(struct device_arena *arena)
{
    uint32_t used = atomic_load(&arena->used);
    for (uint32_t i = 0; i < used && atomic_load(&arena->free) > 0; i++) {
        struct device_buffer *buffer = &arena->buffers[atomic_fetch_add(&arena->next, 1) % used];
        uint32_t none = 0;
        if (atomic_load(&buffer->ready) != 0 &&
            atomic_compare_exchange_strong(&buffer->references, &none, 1)) {
            atomic_fetch_sub(&arena->free, 1);
            return buffer;
        }
    }
    return NULL;
}

void *omptape_device_buffers_acquire(int device, size_t *bytes)
{
    struct device_arena *arena = atomic_load_explicit(&current_arena, memory_order_acquire);
    struct device_buffer *buffer = NULL;
    *bytes = 0;
    if (arena == NULL)
        return NULL;
    int saved = errno;
    int32_t resting = (int32_t)(atomic_load(&arena->used) >> RESTING_SHIFT);
    if (atomic_load(&arena->free) > (resting > RESTING ? resting : RESTING))
        buffer = acquire_free_buffer(arena);
    if (buffer == NULL)
        buffer = acquire_fresh_buffer(arena);
    if (buffer == NULL)
        buffer = acquire_free_buffer(arena);
    errno = saved;
    if (buffer == NULL)
        return NULL;
    atomic_store(&buffer->device, device);
    atomic_store(&buffer->delivered, 0);
    atomic_store(&buffer->lent, 1);
    *bytes = arena->buffer_bytes;
    return arena->memory + (size_t)(buffer - arena->buffers) * arena->buffer_bytes;
}

static bool was_delivered(struct device_buffer *buffer, uint64_t begin)
{
    uint32_t count = atomic_load(&buffer->delivered);
    for (uint32_t i = 0; i < count && i < KEPT_BEGINS; i++)
        if (atomic_load(&buffer->delivered_begins[i]) == begin)
            return true;
    return false;
}

static void add_delivery(struct device_buffer *buffer, uint64_t begin)
{
    uint32_t i = atomic_fetch_add(&buffer->delivered, 1);
    if (i < KEPT_BEGINS)
        atomic_store(&buffer->delivered_begins[i], begin);
}

bool omptape_device_buffers_enter(ompt_buffer_t *pointer, size_t bytes, ompt_buffer_cursor_t begin,
                                  struct omptape_device_range *range)
{
    struct device_arena *arena = atomic_load_explicit(&current_arena, memory_order_acquire);
    if (arena == NULL || (uintptr_t)pointer < (uintptr_t)arena->memory)
        return false;
    size_t index = ((uintptr_t)pointer - (uintptr_t)arena->memory) / arena->buffer_bytes;
    if (index >= arena->count || atomic_load(&arena->buffers[index].ready) == 0)
        return false;
    struct device_buffer *buffer = &arena->buffers[index];
    bool was_free = atomic_fetch_add(&buffer->references, 1) == 0;
    if (was_free)
        atomic_fetch_sub(&arena->free, 1);
    *range = (struct omptape_device_range){.buffer = pointer,
                                           .bytes = bytes < arena->buffer_bytes ? bytes : arena->buffer_bytes,
                                           .begin = begin,
                                           .base = arena->memory + index * arena->buffer_bytes,
                                           .size = arena->buffer_bytes,
                                           .device = atomic_load(&buffer->device),
                                           .index = (uint32_t)index};
    if (bytes == 0)
        return true;
    /* While the runtime has the buffer, it may refill it and deliver other records from the same place. */
    range->repeated = was_free && was_delivered(buffer, begin);
    if (!range->repeated)
        add_delivery(buffer, begin);
    return true;
}

static void drop_references(struct device_arena *arena, struct device_buffer *buffer, uint32_t count)
{
    if (count > 0 && atomic_fetch_sub(&buffer->references, count) == count)
        atomic_fetch_add(&arena->free, 1);
}

void omptape_device_buffers_leave(const struct omptape_device_range *range, bool owned)
{
    struct device_arena *arena = atomic_load_explicit(&current_arena, memory_order_acquire);
    struct device_buffer *buffer = &arena->buffers[range->index];
    /* A buffer that is returned twice counts once. */
    drop_references(arena, buffer, owned && atomic_exchange(&buffer->lent, 0) != 0 ? 2 : 1);
}

uint32_t omptape_device_buffers_outstanding(int device)
{
    struct device_arena *arena = atomic_load_explicit(&current_arena, memory_order_acquire);
    uint32_t used = arena != NULL ? atomic_load(&arena->used) : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < used; i++)
        count +=
            atomic_load(&arena->buffers[i].lent) != 0 && atomic_load(&arena->buffers[i].device) == device;
    return count;
}

void omptape_device_buffers_reclaim(int device)
{
    struct device_arena *arena = atomic_load_explicit(&current_arena, memory_order_acquire);
    uint32_t used = arena != NULL ? atomic_load(&arena->used) : 0;
    for (uint32_t i = 0; i < used; i++) {
        struct device_buffer *buffer = &arena->buffers[i];
        if (atomic_load(&buffer->device) == device && atomic_exchange(&buffer->lent, 0) != 0)
            drop_references(arena, buffer, 1);
    }
}

void omptape_device_buffers_forget(void)
{
    atomic_store(&current_arena, NULL);
}
