/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The set of strings behind the symbol resolver: a hash table with open addressing. Called by the resolver's
 * other files, on the writer's translating thread.
 */
#include "writers/symbols/modules/strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };

static uint64_t hash(const char *text, size_t length)
{
    uint64_t value = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return value;
}

/* The slot that holds the text, or the free one where it belongs. */
static char **find_slot(char **slots, size_t capacity, const char *text, size_t length)
{
    size_t i = (size_t)hash(text, length) & (capacity - 1);
    while (slots[i] != NULL && (strncmp(slots[i], text, length) != 0 || slots[i][length] != '\0'))
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static int grow(struct omptape_string_set *strings)
{
    size_t capacity = strings->capacity ? strings->capacity * 2 : FIRST_CAPACITY;
    char **slots = calloc(capacity, sizeof(*slots));
    if (slots == NULL)
        return -1;
    for (size_t i = 0; i < strings->capacity; i++) {
        char *text = strings->slots[i];
        if (text != NULL)
            *find_slot(slots, capacity, text, strlen(text)) = text;
    }
    free(strings->slots);
    strings->slots = slots;
    strings->capacity = capacity;
    return 0;
}

void omptape_string_set_free(struct omptape_string_set *strings)
{
    for (size_t i = 0; i < strings->capacity; i++)
        free(strings->slots[i]);
    free(strings->slots);
    *strings = (struct omptape_string_set){0};
}

const char *omptape_string_set_add(struct omptape_string_set *strings, const char *text, size_t length)
{
    if (strings->count * 2 >= strings->capacity && grow(strings) != 0)
        return NULL;
    char **slot = find_slot(strings->slots, strings->capacity, text, length);
    if (*slot == NULL) {
        *slot = strndup(text, length);
        if (*slot == NULL)
            return NULL;
        strings->count++;
    }
    return *slot;
}
