/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Assigns numbers to names (names.h). Called on program threads.
 */
#include "buffers/names.h"

#include "buffers/signal_queue.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

struct omptape_names *omptape_names_create(struct omptape_slot *slot)
{
    void *memory =
        mmap(NULL, sizeof(struct omptape_names), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    slot->names = memory != MAP_FAILED ? memory : NULL;
    return slot->names;
}

void omptape_names_clear(struct omptape_slot *slot)
{
    if (slot->names != NULL)
        memset(slot->names, 0, sizeof(*slot->names));
}

/* Not inlined: a caller's frame is so large that the next holder would seem to be a handler below it. */
__attribute__((noinline)) bool omptape_names_hold(struct omptape_names *names)
{
    if (names->holder != 0 && !omptape_signal_queue_is_abandoned(names->holder))
        return false;
    names->holder = (uintptr_t)__builtin_frame_address(0);
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

void omptape_names_release(struct omptape_names *names)
{
    atomic_signal_fence(memory_order_seq_cst);
    names->holder = 0;
}

unsigned omptape_names_reserve(struct omptape_names *names, uint64_t hash)
{
    const unsigned set = (unsigned)(hash >> 32) % OMPTAPE_NAMES_SETS;
    const unsigned way = names->oldest[set]++ % OMPTAPE_NAMES_WAYS;
    const unsigned number = set * OMPTAPE_NAMES_WAYS + way;
    names->hashes[number] = 0;
    return number;
}
