/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the interfaces share (marks.h).
 */
#include "src/marks/marks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct marks_group *marks_group_create(const char *text)
{
    static atomic_uint groups;
    struct marks_group *group = malloc(sizeof(*group));
    char *copy = text != NULL && text[0] != '\0' ? strdup(text) : NULL;
    if (group == NULL) {
        free(copy);
        return NULL;
    }
    *group = (struct marks_group){.text = copy,
                                  .hash = copy != NULL ? omptape_user_hash(0, copy) : 0,
                                  .stack = MARKS_FIRST_STACK + atomic_fetch_add(&groups, 1) % MARKS_STACKS};
    return group;
}

struct omptape_user_name *marks_name_register(const struct marks_group *group, const char *text)
{
    struct omptape_user_name *name = malloc(sizeof(*name));
    char *copy = strdup(text != NULL ? text : "");
    if (name == NULL || copy == NULL) {
        free(name);
        free(copy);
        return NULL;
    }
    *name = marks_name(group, copy);
    return name;
}

uint64_t marks_range_begin(const struct omptape_user_name *name, const struct omptape_user_value *value)
{
    static atomic_uint_fast64_t ranges;
    const uint64_t id = atomic_fetch_add_explicit(&ranges, 1, memory_order_relaxed) + 1;
    omptape_user_put_point(OMPTAPE_USER_RANGE_BEGIN, id, name, value);
    return id;
}

/* Encodes a character as UTF-8. Returns its length in bytes. Invalid characters become a question mark. */
static size_t encode(uint32_t c, unsigned char bytes[4])
{
    static const uint32_t max = 0x10ffff;
    size_t more = 0;
    if (c > max || (c >= 0xd800 && c < 0xe000))
        c = '?';
    if (c < 0x80) {
        bytes[0] = (unsigned char)c;
        return 1;
    }
    more = 1 + (size_t)(c >= 0x800) + (size_t)(c >= 0x10000);
    bytes[0] = (unsigned char)(0xff00U >> (more + 1) | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        bytes[i] = (unsigned char)(0x80U | (c >> (6 * (more - i)) & 0x3fU));
    return more + 1;
}

const char *marks_narrow(const wchar_t *wide, char text[MARKS_TEXT_BYTES])
{
    size_t used = 0;
    unsigned char bytes[4];
    if (wide == NULL)
        return NULL;
    for (; *wide != L'\0'; wide++) {
        const size_t count = encode((uint32_t)*wide, bytes);
        if (used + count >= MARKS_TEXT_BYTES)
            break;
        memcpy(text + used, bytes, count);
        used += count;
    }
    text[used] = '\0';
    return text;
}

/* Another installation of omptape around this one may have named this library. */
static bool is_own(void *library)
{
    Dl_info info;
    void *own = dladdr((void *)(uintptr_t)marks_load_user_tool, &info) != 0
                    ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                    : NULL;
    if (own != NULL)
        dlclose(own);
    return own == library;
}

void *marks_load_user_tool(const char *variable)
{
    char next[64];
    snprintf(next, sizeof(next), "OMPTAPE_NEXT_%s", variable);
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *path = getenv(next);
    void *library = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
    if (path != NULL && library == NULL && !atomic_flag_test_and_set(&said))
        fprintf(stderr, "omptape: cannot load %s of %s: %s\n", path, variable, dlerror());
    return library != NULL && !is_own(library) ? library : NULL;
}

enum { MAX_HANDLES = 1 << 14 };
static struct {
    const void *_Atomic theirs;
    void *_Atomic own;
} handles[MAX_HANDLES];

/* Returns the index of the entry or of the free entry where it belongs; MAX_HANDLES if there is neither. */
static size_t find_handle(const void *theirs)
{
    const uint64_t first = omptape_user_hash_word(0, (uintptr_t)theirs) >> 32;
    for (size_t i = 0; i < MAX_HANDLES; i++) {
        const size_t place = (first + i) % MAX_HANDLES;
        const void *there = atomic_load_explicit(&handles[place].theirs, memory_order_acquire);
        if (there == theirs || there == NULL)
            return place;
    }
    return MAX_HANDLES;
}

void marks_handle_insert(const void *theirs, void *own)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (theirs == NULL)
        return;
    pthread_mutex_lock(&lock);
    const size_t place = find_handle(theirs);
    if (place < MAX_HANDLES) {
        handles[place].own = own; /* the address may be reused for another object */
        atomic_store_explicit(&handles[place].theirs, theirs, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

void *marks_handle_lookup(const void *theirs)
{
    const size_t place = theirs != NULL ? find_handle(theirs) : MAX_HANDLES;
    return place < MAX_HANDLES && handles[place].theirs != NULL ? handles[place].own : NULL;
}

marks_function marks_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    marks_function function;
    memcpy(&function, &found, sizeof(function));
    return function;
}
