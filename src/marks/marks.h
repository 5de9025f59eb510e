/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the interfaces of libomptape-marks.so share: groups, registered names, ranges. Each
 * interface is a file with the entry points that programs look up. libomptape.so records the calls
 * (include/omptape/user.h). Called by the traced program on any of its threads.
 */
#pragma once

#include <omptape/user.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define EXPORTED __attribute__((visibility("default")))

/* A group of names, which interfaces call a domain. Regions of different groups may overlap. */
struct marks_group {
    const char *text; /* NULL if the names are shown without a group */
    uint64_t hash;
    unsigned stack;
};

/* Stacks of groups. Lower stacks are reserved for interfaces without groups. */
enum { MARKS_FIRST_STACK = 16, MARKS_STACKS = OMPTAPE_USER_STACKS - MARKS_FIRST_STACK };

/* Creates a group with a copy of the name; it is never freed. Returns NULL if out of memory. */
struct marks_group *marks_group_create(const char *text);

/* Registers a name with a copy of its text; it is never freed. Returns NULL if out of memory. */
struct omptape_user_name *marks_name_register(const struct marks_group *group, const char *text);

static inline struct omptape_user_name marks_name(const struct marks_group *group, const char *text)
{
    return omptape_user_name(group->text, group->hash, text != NULL ? text : "(no name)");
}

/* Records the begin of a region of the group. */
static inline int marks_enter(const struct marks_group *group, const char *text)
{
    const struct omptape_user_name name = marks_name(group, text);
    return omptape_user_enter(group->stack, &name, NULL);
}

/* Records a point in time. */
static inline void marks_point(const struct marks_group *group, const char *text)
{
    const struct omptape_user_name name = marks_name(group, text);
    omptape_user_put_point(OMPTAPE_USER_POINT, 0, &name, NULL);
}

/* Records the begin of a range, which any thread may end. Returns the range's identity, which is never 0. */
uint64_t marks_range_begin(const struct omptape_user_name *name, const struct omptape_user_value *value);
static inline void marks_range_end(uint64_t id)
{
    omptape_user_put_point(OMPTAPE_USER_RANGE_END, id, NULL, NULL);
}

/* Converts wide characters to UTF-8 and truncates them to MARKS_TEXT_BYTES. Returns `text`, NULL for NULL. */
enum { MARKS_TEXT_BYTES = 512 };
const char *marks_narrow(const wchar_t *wide, char text[MARKS_TEXT_BYTES]);

/* Loads the user's tool of an interface, which also receives each call. The variable OMPTAPE_NEXT_`variable`
 * names its library. Returns NULL if there is none or it is this library. Also returns NULL if it cannot be
 * loaded; a line is then printed once. */
void *marks_load_user_tool(const char *variable);

/* Map handles of the user's tool, which the program holds and passes, to our own objects. marks_handle_lookup
 * may run concurrently with marks_handle_insert. It returns NULL if it is unknown or there was no space. */
void marks_handle_insert(const void *theirs, void *own);
void *marks_handle_lookup(const void *theirs);

/* Returns the next function of this name after the caller's library in the search order, or NULL. */
typedef void (*marks_function)(void);
marks_function marks_next(const char *name);
