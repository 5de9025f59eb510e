/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pairs of words (word_pairs.h) in lock-free stacks of free pairs, one stack for each group of threads.
 */
#include "callbacks/second/word_pairs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

enum { STACKS = 32, RETIRED = 64, SLAB_PAIRS = 4096, MAX_SLABS = 1 << 13 };

/* The stack from which a group of threads takes pairs and to which it releases them. */
struct stack {
    _Atomic uint64_t top;   /* A count of changes, and the index of the first free pair. */
    _Atomic uint32_t other; /* The stack that had a pair when this one was empty. */
    _Atomic uint32_t turn;
    _Atomic uint32_t retired[RETIRED]; /* Released pairs that must not be reused yet. */
} __attribute__((aligned(64)));

static struct stack stacks[STACKS];
static _Atomic(struct omptape_word_pair *) slabs[MAX_SLABS];
static _Atomic uint32_t slab_count;
static struct omptape_word_pair fallback_pair; /* The pair for all words if out of memory. */

static struct omptape_word_pair *find_pair(uint32_t index)
{
    return atomic_load_explicit(&slabs[(index - 1) / SLAB_PAIRS], memory_order_acquire) +
           (index - 1) % SLAB_PAIRS;
}

static struct stack *own_stack(void)
{
    const uint64_t thread = (uint64_t)(uintptr_t)pthread_self() >> 6;
    return &stacks[(thread * UINT64_C(0x9e3779b97f4a7c15)) >> 59];
}

/* Pushes a chain of pairs onto a stack. */
static void push(struct stack *stack, uint32_t first, struct omptape_word_pair *last)
{
    uint64_t top = atomic_load_explicit(&stack->top, memory_order_relaxed);
    uint64_t pushed;
    do {
        atomic_store_explicit(&last->next, (uint32_t)top, memory_order_relaxed);
        pushed = ((top >> 32) + 1) << 32 | first;
    } while (!atomic_compare_exchange_weak_explicit(&stack->top, &top, pushed, memory_order_release,
                                                    memory_order_relaxed));
}

static struct omptape_word_pair *pop(struct stack *stack)
{
    uint64_t top = atomic_load_explicit(&stack->top, memory_order_acquire);
    while ((uint32_t)top != 0) {
        struct omptape_word_pair *pair = find_pair((uint32_t)top);
        const uint64_t popped =
            ((top >> 32) + 1) << 32 | atomic_load_explicit(&pair->next, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&stack->top, &top, popped, memory_order_acquire,
                                                  memory_order_acquire))
            return pair;
    }
    return NULL;
}

/* Takes a pair from another stack. Tasks are often created by one thread and completed by others, whose
 * stacks then have all free pairs. */
static struct omptape_word_pair *steal_pair(struct stack *own)
{
    const uint32_t first = atomic_load_explicit(&own->other, memory_order_relaxed);
    for (uint32_t i = 0; i < STACKS; i++) {
        const uint32_t other = (first + i) % STACKS;
        struct omptape_word_pair *pair = pop(&stacks[other]);
        if (pair == NULL)
            continue;
        atomic_store_explicit(&own->other, other, memory_order_relaxed);
        return pair;
    }
    return NULL;
}

/* Allocates a slab of pairs. Returns the first pair and pushes the others onto the stack. Returns
 * `fallback_pair` if out of memory. */
static struct omptape_word_pair *add_slab(struct stack *own)
{
    const uint32_t slab = atomic_fetch_add(&slab_count, 1);
    struct omptape_word_pair *pairs = slab < MAX_SLABS
                                          ? mmap(NULL, SLAB_PAIRS * sizeof(*pairs), PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                          : MAP_FAILED;
    if (pairs == MAP_FAILED)
        return &fallback_pair;
    const uint32_t first = slab * SLAB_PAIRS + 1;
    for (uint32_t i = 0; i < SLAB_PAIRS; i++) {
        pairs[i].index = first + i;
        atomic_init(&pairs[i].next, first + i + 1);
    }
    atomic_store_explicit(&slabs[slab], pairs, memory_order_release);
    push(own, first + 1, &pairs[SLAB_PAIRS - 1]);
    return &pairs[0];
}

static struct omptape_word_pair *acquire_pair(void)
{
    struct stack *own = own_stack();
    struct omptape_word_pair *pair = pop(own);
    if (pair == NULL)
        pair = steal_pair(own);
    if (pair == NULL)
        pair = add_slab(own);
    pair->ours = pair->theirs = (ompt_data_t)ompt_data_none;
    atomic_store_explicit(&pair->in_use, pair != &fallback_pair, memory_order_relaxed);
    return pair;
}

static void release_pair(struct omptape_word_pair *pair)
{
    if (atomic_exchange_explicit(&pair->in_use, 0, memory_order_relaxed) == 0)
        return;
    struct stack *own = own_stack();
    const uint32_t turn = atomic_fetch_add_explicit(&own->turn, 1, memory_order_relaxed) % RETIRED;
    const uint32_t oldest = atomic_exchange_explicit(&own->retired[turn], pair->index, memory_order_acq_rel);
    if (oldest != 0)
        push(own, oldest, find_pair(oldest));
}

struct omptape_word_pair *omptape_word_pair_begin(ompt_data_t *word)
{
    if (word == NULL)
        return NULL;
    struct omptape_word_pair *pair = acquire_pair();
    __atomic_store_n(&word->ptr, pair, __ATOMIC_RELEASE);
    return pair;
}

struct omptape_word_pair *omptape_word_pair_of(ompt_data_t *word)
{
    if (word == NULL)
        return NULL;
    void *known = __atomic_load_n(&word->ptr, __ATOMIC_ACQUIRE);
    if (known != NULL)
        return known;
    /* The members of a team may request the word of their region at the same time. */
    struct omptape_word_pair *pair = acquire_pair();
    if (__atomic_compare_exchange_n(&word->ptr, &known, (void *)pair, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return pair;
    release_pair(pair);
    return known;
}

void omptape_word_pair_end(const ompt_data_t *word)
{
    if (word != NULL && word->ptr != NULL)
        release_pair(word->ptr);
}

uint64_t omptape_word_pairs_in_use(void)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < atomic_load(&slab_count) && i < MAX_SLABS; i++) {
        const struct omptape_word_pair *pairs = atomic_load(&slabs[i]);
        for (uint32_t j = 0; pairs != NULL && j < SLAB_PAIRS; j++)
            count += atomic_load(&pairs[j].in_use);
    }
    return count;
}

/* A hash table of words by identity, with open addressing. Removed entries are reused, but end no search. */
enum { ENTRIES = 1024 };
static const uint64_t free_entry = 0;
static const uint64_t removed_entry = UINT64_MAX;

static struct {
    _Atomic uint64_t id;
    ompt_data_t word;
} entries[ENTRIES];
static ompt_data_t shared_word;

static size_t first_entry(uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
}

ompt_data_t *omptape_word_add(uint64_t id)
{
    for (size_t i = 0; i < ENTRIES; i++) {
        const size_t at = (first_entry(id) + i) % ENTRIES;
        uint64_t found = atomic_load_explicit(&entries[at].id, memory_order_relaxed);
        if (found != free_entry && found != removed_entry)
            continue;
        if (!atomic_compare_exchange_strong(&entries[at].id, &found, id))
            continue;
        entries[at].word = (ompt_data_t)ompt_data_none;
        return &entries[at].word;
    }
    return &shared_word;
}

static size_t find_entry(uint64_t id)
{
    for (size_t i = 0; i < ENTRIES && id != free_entry; i++) {
        const size_t at = (first_entry(id) + i) % ENTRIES;
        const uint64_t found = atomic_load_explicit(&entries[at].id, memory_order_relaxed);
        if (found == id)
            return at;
        if (found == free_entry)
            break;
    }
    return ENTRIES;
}

ompt_data_t *omptape_word_find(uint64_t id)
{
    const size_t at = find_entry(id);
    return at < ENTRIES ? &entries[at].word : NULL;
}

/* The values of removed words, in sets: a new one takes the place of the oldest of its set. */
enum { SETS = 8192, SET_ENTRIES = 8 };
struct removed_word {
    _Atomic uint64_t id;
    _Atomic uint64_t value;
};
static struct {
    _Atomic uint32_t turn;
    struct removed_word words[SET_ENTRIES];
} removed_sets[SETS];
static _Atomic bool keeps_removed;

void omptape_word_keep_removed(void)
{
    atomic_store(&keeps_removed, true);
}

static size_t set_of(uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 51);
}

static void keep_removed(uint64_t id, uint64_t value)
{
    const size_t set = set_of(id);
    const uint32_t turn = atomic_fetch_add_explicit(&removed_sets[set].turn, 1, memory_order_relaxed);
    struct removed_word *word = &removed_sets[set].words[turn % SET_ENTRIES];
    atomic_store(&word->id, free_entry);
    atomic_store(&word->value, value);
    atomic_store(&word->id, id);
}

static uint64_t find_removed(uint64_t id)
{
    struct removed_word *words = removed_sets[set_of(id)].words;
    for (size_t i = 0; i < SET_ENTRIES; i++) {
        if (atomic_load(&words[i].id) != id)
            continue;
        const uint64_t value = atomic_load(&words[i].value);
        if (atomic_load(&words[i].id) == id)
            return value;
    }
    return 0;
}

void omptape_word_remove(uint64_t id)
{
    const size_t at = find_entry(id);
    if (at == ENTRIES)
        return;
    if (atomic_load_explicit(&keeps_removed, memory_order_relaxed))
        keep_removed(id, entries[at].word.value);
    atomic_store(&entries[at].id, removed_entry);
}

uint64_t omptape_word_value(uint64_t id)
{
    const size_t at = find_entry(id);
    if (at == ENTRIES)
        return find_removed(id);
    const uint64_t value = entries[at].word.value;
    /* It may have been removed, and its entry reused, in between. */
    return atomic_load(&entries[at].id) == id ? value : find_removed(id);
}

uint64_t omptape_word_theirs(uint64_t word)
{
    const uint32_t count = atomic_load(&slab_count);
    for (uint32_t i = 0; i < count && i < MAX_SLABS; i++) {
        const struct omptape_word_pair *pairs = atomic_load(&slabs[i]);
        const uint64_t offset = word - (uint64_t)(uintptr_t)pairs;
        if (pairs != NULL && offset < SLAB_PAIRS * sizeof(*pairs) && offset % sizeof(*pairs) == 0)
            return pairs[offset / sizeof(*pairs)].theirs.value;
    }
    return word;
}
