/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of libomptape.so for libraries that pass annotations on: libomptape-marks.so, which has the entry
 * points of other interfaces. The public header is include/omptape/omptape.h.
 *
 * Any thread may call these functions at any time, also in a signal handler. Texts are copied.
 */
#ifndef OMPTAPE_USER_H
#define OMPTAPE_USER_H

#include <stdint.h>

/* A name in its group, shown as "group:text". Each group becomes a group of regions in the archive. The hash
 * identifies both; omptape_user_name() computes it. */
struct omptape_user_name {
    const char *group; /* NULL if there is no group. */
    const char *text;
    uint64_t hash; /* Never 0. */
};

/* A word by which the bytes of a text may be read. */
typedef uint64_t __attribute__((may_alias)) omptape_user_word;

/* Returns a word with the highest bit set in the first byte of `word` that is 0, perhaps also behind it. */
static inline uint64_t omptape_user_find_end(uint64_t word)
{
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

static inline uint64_t omptape_user_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Continues `hash` with a text, eight bytes at a time. It reads only aligned words: bytes behind the text in
 * its last word are on the same page. The same text at another address may have another hash, and is then
 * recorded once more. */
static inline uint64_t omptape_user_hash(uint64_t hash, const char *text)
{
    __asm__("" : "+r"(text)); /* Otherwise compilers warn about bytes behind a text that they know. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const unsigned before = (unsigned)((uintptr_t)text % sizeof(uint64_t));
    const omptape_user_word *next = (const omptape_user_word *)(const void *)(text - before);
    const uint64_t not_of_it = (UINT64_C(1) << before * 8) - 1;
    uint64_t word = *next & ~not_of_it;
    uint64_t end = omptape_user_find_end(*next | not_of_it);
    while (end == 0) {
        hash = omptape_user_hash_word(hash, word);
        word = *++next;
        end = omptape_user_find_end(word);
    }
    return omptape_user_hash_word(hash, word & ((end & (~end + 1)) - 1));
#else
    for (; *text != '\0'; text++)
        hash = omptape_user_hash_word(hash, (unsigned char)*text);
    return omptape_user_hash_word(hash, 0);
#endif
}

/* Returns a name. `group_hash` is omptape_user_hash(0, group), or 0 without a group. */
static inline struct omptape_user_name omptape_user_name(const char *group, uint64_t group_hash,
                                                         const char *text)
{
    return (struct omptape_user_name){
        .group = group, .text = text, .hash = omptape_user_hash(group_hash, text) | 1};
}

/* Regions of one stack are nested; regions of different stacks may overlap. The names of regions of the
 * stack KERNELS label the OpenMP regions in them. */
enum { OMPTAPE_USER_STACKS = 64, OMPTAPE_USER_KERNELS = 15 };

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

/* Events without a duration on the thread. The two ends of a range may be on different threads. */
enum omptape_user_point { OMPTAPE_USER_POINT, OMPTAPE_USER_RANGE_BEGIN, OMPTAPE_USER_RANGE_END };

/* Returned if there is no region to end, or if nothing is recorded. */
enum { OMPTAPE_USER_NO_LEVEL = -1 };

#pragma GCC visibility push(default)

/* Begins a region. `value` may be NULL. Returns how many regions of the stack are open around it. */
int omptape_user_enter(unsigned stack, const struct omptape_user_name *name,
                       const struct omptape_user_value *value);

/* Ends the innermost region of the stack. Returns the value that its begin returned. */
int omptape_user_leave(unsigned stack);

/* Records a point or an end of a range. `id` identifies a range in the process; it is ignored for a point.
 * `value` may be NULL. The end of a range needs no name. */
void omptape_user_put_point(enum omptape_user_point what, uint64_t id, const struct omptape_user_name *name,
                            const struct omptape_user_value *value);

/* Like omptape_user_enter, for a function of the program, which its address identifies. */
int omptape_user_enter_function(unsigned stack, const void *address);

/* Notes that calls of this function are no longer recorded, because there are too many. */
void omptape_user_exclude(const void *address);

/* Names the thread with this kernel thread id; 0 is the calling thread. */
void omptape_user_name_thread(uint32_t tid, const char *text);

/* Pauses or resumes the recording. */
void omptape_user_record(int on);

/* Handles omp_control_tool if the runtime does not pass it on. */
int omptape_user_control(int command, int modifier, void *argument);

#pragma GCC visibility pop

#endif
