/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Assigns numbers to names (names.h). Called on program threads.
 */
#include "buffers/names.h"

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

unsigned omptape_names_reserve(struct omptape_names *names, uint64_t hash)
{
    const unsigned set = (unsigned)(hash >> 32) % OMPTAPE_NAMES_SETS;
    const unsigned way = names->oldest[set]++ % OMPTAPE_NAMES_WAYS;
    const unsigned number = set * OMPTAPE_NAMES_WAYS + way;
    names->hashes[number] = 0;
    return number;
}
