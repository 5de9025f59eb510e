/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of requests (calls.h): PARTS hash tables of fixed size, each with a lock. The handle's hash
 * selects table and list.
 */
#include "callbacks/mpi/calls.h"

#include "callbacks/mpi/handles.h"

#include <stddef.h>

enum { PARTS = 64, HEADS = 256, ROOM = 4096 };

struct entry {
    struct omptape_mpi_request request;
    /* Index + 1 of the next one in its list or in the list of free ones. */
    uint32_t next;
};

struct part {
    _Alignas(64) atomic_flag lock;
    uint32_t used;         /* Entries that were ever used. */
    uint32_t free;         /* Index + 1 of the first free entry. */
    uint32_t heads[HEADS]; /* Index + 1; the latest entry is first. */
    struct entry entries[ROOM];
};

static struct part *parts;

bool omptape_mpi_requests_alloc(void)
{
    if (parts == NULL)
        parts = omptape_mpi_memory(PARTS * sizeof(*parts));
    for (unsigned i = 0; parts != NULL && i < PARTS; i++)
        atomic_flag_clear(&parts[i].lock);
    return parts != NULL;
}

static uint64_t hash_of(intptr_t handle)
{
    return (uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15);
}

static struct part *part_of(intptr_t handle)
{
    return &parts[hash_of(handle) >> 58];
}

static uint32_t *head_of(struct part *part, intptr_t handle)
{
    return &part->heads[(hash_of(handle) >> 48) % HEADS];
}

void omptape_mpi_requests_add(const struct omptape_mpi_request *request)
{
    struct part *part = part_of(request->handle);
    if (!omptape_mpi_lock(&part->lock))
        return;
    uint32_t place = part->free;
    if (place != 0)
        part->free = part->entries[place - 1].next;
    else if (part->used < ROOM)
        place = ++part->used;
    if (place != 0) {
        uint32_t *head = head_of(part, request->handle);
        part->entries[place - 1] = (struct entry){.request = *request, .next = *head};
        *head = place;
    }
    omptape_mpi_unlock(&part->lock);
}

static struct entry *find(struct part *part, intptr_t handle)
{
    uint32_t place = *head_of(part, handle);
    while (place != 0 && part->entries[place - 1].request.handle != handle)
        place = part->entries[place - 1].next;
    return place != 0 ? &part->entries[place - 1] : NULL;
}

void omptape_mpi_requests_find(struct omptape_mpi_request *found, intptr_t handle)
{
    struct part *part = part_of(handle);
    const struct entry *entry = NULL;
    if (omptape_mpi_lock(&part->lock)) {
        entry = find(part, handle);
        if (entry != NULL)
            *found = entry->request;
        omptape_mpi_unlock(&part->lock);
    }
    if (entry == NULL)
        *found = (struct omptape_mpi_request){.handle = handle};
}

void omptape_mpi_requests_set(const struct omptape_mpi_request *before, uint64_t id, bool cancelled)
{
    struct part *part = part_of(before->handle);
    if (!omptape_mpi_lock(&part->lock))
        return;
    struct entry *entry = find(part, before->handle);
    if (entry != NULL && entry->request.id == before->id) {
        entry->request.id = id;
        entry->request.cancelled = cancelled;
        entry->request.unready = id != 0 ? entry->request.parts : 0;
    }
    omptape_mpi_unlock(&part->lock);
}

bool omptape_mpi_requests_ready(struct omptape_mpi_request *found, intptr_t handle, uint32_t parts)
{
    struct part *part = part_of(handle);
    bool last = false;
    if (!omptape_mpi_lock(&part->lock))
        return false;
    struct entry *entry = find(part, handle);
    if (entry != NULL && entry->request.unready > 0) {
        entry->request.unready -= parts < entry->request.unready ? parts : entry->request.unready;
        last = entry->request.unready == 0;
        *found = entry->request;
    }
    omptape_mpi_unlock(&part->lock);
    return last;
}

bool omptape_mpi_requests_remove(const struct omptape_mpi_request *request)
{
    struct part *part = part_of(request->handle);
    bool found = false;
    if (!omptape_mpi_lock(&part->lock))
        return false;
    uint32_t *link = head_of(part, request->handle);
    while (*link != 0 && !found) {
        struct entry *entry = &part->entries[*link - 1];
        uint32_t place = *link;
        if (entry->request.handle == request->handle && entry->request.id == request->id) {
            *link = entry->next;
            entry->next = part->free;
            part->free = place;
            found = true;
        } else {
            link = &entry->next;
        }
    }
    omptape_mpi_unlock(&part->lock);
    return found;
}
