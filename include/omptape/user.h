/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libomptape.so offers to those who pass on what the program names: libomptape-marks.so, which has the
 * entry points of other interfaces. The public header is include/omptape/omptape.h.
 *
 * Any thread may call these at any time, also in a signal handler. Texts are copied.
 */
#ifndef OMPTAPE_USER_H
#define OMPTAPE_USER_H

#include <stdint.h>
#include <string.h>

/* A name in its group, shown as "group:text". The hash stands for both; it is made by omptape_user_name. */
struct omptape_user_name {
    const char *group; /* NULL: none */
    const char *text;
    uint64_t hash; /* never 0 */
};

static inline uint64_t omptape_user_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Goes on from `hash` with a text. */
static inline uint64_t omptape_user_hash(uint64_t hash, const char *text)
{
    size_t left = strlen(text);
    uint64_t word;
    hash = omptape_user_hash_word(hash, left);
    for (; left >= sizeof(word); text += sizeof(word), left -= sizeof(word)) {
        memcpy(&word, text, sizeof(word));
        hash = omptape_user_hash_word(hash, word);
    }
    uint32_t first = 0;
    uint32_t last = 0;
    if (left >= sizeof(first)) {
        memcpy(&first, text, sizeof(first));
        memcpy(&last, text + left - sizeof(last), sizeof(last));
    } else if (left > 0) {
        first = (uint32_t)(unsigned char)text[0] << 8 | (unsigned char)text[left / 2];
        last = (unsigned char)text[left - 1];
    }
    return omptape_user_hash_word(hash, (uint64_t)first << 32 | last);
}

/* `group_hash`: what omptape_user_hash(0, group) gives, 0: there is no group. */
static inline struct omptape_user_name omptape_user_name(const char *group, uint64_t group_hash,
                                                         const char *text)
{
    return (struct omptape_user_name){
        .group = group, .text = text, .hash = omptape_user_hash(group_hash, text) | 1};
}

/* Regions of one stack end in the order in which they began; those of different stacks may overlap. */
enum { OMPTAPE_USER_STACKS = 64 };

enum omptape_user_type { OMPTAPE_USER_UINT64, OMPTAPE_USER_INT64, OMPTAPE_USER_DOUBLE };

/* A number that the program passes with a name. */
struct omptape_user_value {
    enum omptape_user_type type;
    union {
        uint64_t number;
        int64_t integer;
        double real;
    } is;
};

/* What has no length on the thread. The two ends of a range may be on different threads. */
enum omptape_user_point { OMPTAPE_USER_POINT, OMPTAPE_USER_RANGE_BEGIN, OMPTAPE_USER_RANGE_END };

/* There was nothing to end, or nothing is recorded. */
enum { OMPTAPE_USER_NO_LEVEL = -1 };

#pragma GCC visibility push(default)

/* A region begins. `value` may be NULL. Returns how many regions of the stack are open around it. */
int omptape_user_enter(unsigned stack, const struct omptape_user_name *name,
                       const struct omptape_user_value *value);

/* The innermost region of the stack ends. Returns what its begin did. */
int omptape_user_leave(unsigned stack);

/* `id` tells ranges of the process apart; it is ignored for a point. `value` may be NULL. The end of a range
 * needs no name. */
void omptape_user_put_point(enum omptape_user_point what, uint64_t id, const struct omptape_user_name *name,
                            const struct omptape_user_value *value);

/* omp_control_tool without its runtime: pauses the recording, or goes on with it. */
void omptape_user_record(int on);

#pragma GCC visibility pop

#endif
