/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the interfaces of libomptape-marks.so share: groups, names that are registered, ranges. Each interface
 * is a file with the entry points that its programs look up; libomptape.so records what they say
 * (include/omptape/user.h). Called by the traced program on any of its threads.
 */
#pragma once

#include <omptape/user.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define EXPORTED __attribute__((visibility("default")))

/* What an interface calls a domain. Regions of different groups may overlap. */
struct marks_group {
    const char *text; /* NULL: the names are shown without a group */
    uint64_t hash;
    unsigned stack;
};

/* A group of this name, which is copied, for good. NULL: out of memory. */
struct marks_group *marks_group_create(const char *text);

/* A name with its text, for good. NULL: out of memory. */
struct omptape_user_name *marks_name_register(const struct marks_group *group, const char *text);

static inline struct omptape_user_name marks_name(const struct marks_group *group, const char *text)
{
    return omptape_user_name(group->text, group->hash, text != NULL ? text : "(no name)");
}

/* A region of the group begins. */
static inline int marks_enter(const struct marks_group *group, const char *text)
{
    const struct omptape_user_name name = marks_name(group, text);
    return omptape_user_enter(group->stack, &name, NULL);
}

/* Something happens. */
static inline void marks_point(const struct marks_group *group, const char *text)
{
    const struct omptape_user_name name = marks_name(group, text);
    omptape_user_put_point(OMPTAPE_USER_POINT, 0, &name, NULL);
}

/* A range begins, which any thread may end. Returns its identity, never 0. */
uint64_t marks_range_begin(const struct omptape_user_name *name, const struct omptape_user_value *value);
static inline void marks_range_end(uint64_t id)
{
    omptape_user_put_point(OMPTAPE_USER_RANGE_END, id, NULL, NULL);
}

/* Wide characters as UTF-8, cut to what fits. Returns `text`. */
enum { MARKS_TEXT_BYTES = 512 };
const char *marks_narrow(const wchar_t *wide, char text[MARKS_TEXT_BYTES]);

/* A tool of the user's, which gets each call of an interface, too: the library that the variable names.
 * NULL: there is none, or it cannot be loaded, which a line says once. */
void *marks_chained(const char *variable);

/* What stands for something that a chained tool has made: the program has the tool's own, and passes it. A
 * lookup may come at any time. NULL: it is not known, or too many are. */
void marks_remember(const void *theirs, void *own);
void *marks_recall(const void *theirs);

/* The function of this name that stands behind the caller's in the order of libraries, or NULL. */
typedef void (*marks_function)(void);
marks_function marks_next(const char *name);
