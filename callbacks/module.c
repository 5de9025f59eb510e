/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Code that was loaded while the program ran. Called by the callbacks for parallel regions, on the
 * encountering thread, when a region begins in other code than the thread's last one: a library can be
 * unloaded again before the writer looks.
 */
#include "callbacks/module.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_MODULES = 128, PAGE = 4096, TEXT_WORDS = 128 };

struct range {
    uintptr_t begin;
    uintptr_t end;
};

/* Ranges of code that the writer has been told of. Entries below `known_count` do not change. */
static struct range known[MOST_MODULES];
static atomic_uint known_count;
static atomic_flag adding = ATOMIC_FLAG_INIT;

struct search {
    uintptr_t address;
    struct range range;
    uint64_t offset; /* of the range in its file */
    const char *path;
};

static int look_at_object(struct dl_phdr_info *object, size_t size, void *data)
{
    struct search *search = data;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = (object->dlpi_addr + segment->p_vaddr) / PAGE * PAGE;
        uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (segment->p_type != PT_LOAD || search->address < begin || search->address >= end)
            continue;
        search->range = (struct range){begin, (end + PAGE - 1) / PAGE * PAGE};
        search->offset = segment->p_offset / PAGE * PAGE;
        search->path = object->dlpi_name;
        return 1;
    }
    return 0;
}

static bool is_known(uintptr_t address, struct range *range)
{
    unsigned count = atomic_load_explicit(&known_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++) {
        if (address >= known[i].begin && address < known[i].end) {
            *range = known[i];
            return true;
        }
    }
    return false;
}

/* Two threads at once: one of them leaves it to the next region. */
static void remember(struct range range)
{
    if (atomic_flag_test_and_set(&adding))
        return;
    unsigned count = atomic_load_explicit(&known_count, memory_order_relaxed);
    if (count < MOST_MODULES) {
        known[count] = range;
        atomic_store_explicit(&known_count, count + 1, memory_order_release);
    }
    atomic_flag_clear(&adding);
}

static void put_module(struct omptape_slot *slot, const struct search *search)
{
    enum { FIXED = 3 };
    uint64_t text[TEXT_WORDS];
    size_t text_words = omptape_producer_text(text, TEXT_WORDS, search->path, SIZE_MAX);
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + FIXED + text_words;
    struct omptape_record *record = omptape_producer_reserve(slot, words, OMPTAPE_MODULE, 0, 0);
    if (record == NULL)
        return;
    record->p[0] = search->range.begin;
    record->p[1] = search->range.end;
    record->p[2] = search->offset;
    memcpy(record->p + FIXED, text, text_words * sizeof(text[0]));
    omptape_producer_commit(slot, record);
}

void omptape_module_note(struct omptape_slot *slot, uintptr_t address)
{
    struct search search = {.address = address};
    if (!is_known(address, &search.range)) {
        /* The main program has no name here, and the writer knows it already. */
        if (dl_iterate_phdr(look_at_object, &search) != 0 && search.path[0] == '/')
            put_module(slot, &search);
        if (search.range.end == 0)
            search.range = (struct range){address / PAGE * PAGE, address / PAGE * PAGE + PAGE};
        remember(search.range);
    }
    slot->code_begin = search.range.begin;
    slot->code_bytes = search.range.end - search.range.begin;
}
