/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the interfaces share (marks.h).
 */
#include "src/marks/marks.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct marks_group *marks_group_create(const char *text)
{
    /* Those before are for interfaces that have no groups. */
    enum { FIRST_STACK = 16 };
    static atomic_uint groups;
    struct marks_group *group = malloc(sizeof(*group));
    char *copy = text != NULL && text[0] != '\0' ? strdup(text) : NULL;
    if (group == NULL) {
        free(copy);
        return NULL;
    }
    *group = (struct marks_group){.text = copy,
                                  .hash = copy != NULL ? omptape_user_hash(0, copy) : 0,
                                  .stack = FIRST_STACK + atomic_fetch_add(&groups, 1) %
                                                             (OMPTAPE_USER_STACKS - FIRST_STACK)};
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

/* The bytes of a character; those that are none become a question mark. */
static size_t encode(uint32_t c, unsigned char bytes[4])
{
    static const uint32_t most = 0x10ffff;
    size_t more = 0;
    if (c > most || (c >= 0xd800 && c < 0xe000))
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

marks_function marks_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    marks_function function;
    memcpy(&function, &found, sizeof(function));
    return function;
}
