/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records the program's annotations: its own through include/omptape/omptape.h, and other interfaces' through
 * include/omptape/user.h. Called by the traced program on any thread, also in signal handlers.
 */
#include "buffers/names.h"
#include "buffers/producer.h"
#include "callbacks/callbacks.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <errno.h>
#include <omptape/user.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void omptape_user_begin(const char *name);
EXPORTED void omptape_user_step(const char *name, uint64_t number);
EXPORTED void omptape_user_end(void);
EXPORTED void omptape_user_mark(const char *name);
EXPORTED void omptape_user_put_value(const char *name, double value);

enum { TEXT_WORDS = 64, MAX_NUMBERS = 2 };

/* Contents of a record except its time. */
struct word {
    enum omptape_kind kind;
    unsigned flags;
    unsigned stack;
    unsigned level;
    size_t count; /* number of valid numbers */
    uint64_t numbers[MAX_NUMBERS];
};

/* Starts the session if the program makes an annotation before it uses OpenMP or MPI. Other threads wait
 * meanwhile. Returns the thread's slot, or NULL if nothing is recorded. */
static struct omptape_slot *begin_session(enum omptape_kind kind)
{
    if (atomic_load(&omptape_producer_shm) == NULL && omptape_libc_is_complete())
        (void)omptape_session_start_by_call();
    return omptape_producer_get(kind);
}

static inline struct omptape_slot *slot_of_caller(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    return __builtin_expect(slot != NULL, 1) ? slot : begin_session(kind);
}

/* Writes group and text as payload. Returns the number of words. */
static size_t write_text(uint64_t *payload, const struct omptape_user_name *name)
{
    char whole[TEXT_WORDS * sizeof(uint64_t)];
    size_t group = name->group != NULL ? strnlen(name->group, sizeof(whole) / 2) : 0;
    if (group == 0)
        return omptape_producer_text(payload, TEXT_WORDS, name->text, strlen(name->text));
    memcpy(whole, name->group, group);
    whole[group++] = OMPTAPE_USER_BEHIND_GROUP;
    const size_t text = strnlen(name->text, sizeof(whole) - group);
    memcpy(whole + group, name->text, text);
    return omptape_producer_text(payload, TEXT_WORDS, whole, group + text);
}

/* Returns false in a signal handler that interrupts a record: it must not change the numbers of names. */
static bool hold_names(const struct omptape_slot *slot, struct omptape_names *names)
{
    return names != NULL && atomic_load_explicit(&slot->busy, memory_order_relaxed) <= OMPTAPE_SLOT_SLOW &&
           omptape_names_hold(names);
}

static void put_slowly(struct omptape_slot *slot, const struct word *word,
                       const struct omptape_user_name *name)
{
    uint64_t payload[MAX_NUMBERS + TEXT_WORDS];
    size_t words = word->count;
    unsigned flags = word->flags;
    unsigned number = 0;
    struct omptape_names *names = omptape_names_of(slot);
    const bool numbers = name != NULL && hold_names(slot, names);
    memcpy(payload, word->numbers, sizeof(word->numbers));
    if (numbers) {
        const int known = omptape_names_find(names, name->hash);
        number = known >= 0 ? (unsigned)known : omptape_names_reserve(names, name->hash);
        flags |= known >= 0 ? 0 : OMPTAPE_USER_TEXT | OMPTAPE_USER_KEEP;
    } else if (name != NULL) {
        flags |= OMPTAPE_USER_TEXT;
    }
    if ((flags & OMPTAPE_USER_TEXT) != 0)
        words += write_text(payload + words, name);
    const bool put = omptape_producer_put_words(
        slot, word->kind, flags, omptape_user_pack(number, word->stack, word->level), payload, words);
    if (!numbers)
        return;
    atomic_signal_fence(memory_order_seq_cst);
    if (put && (flags & OMPTAPE_USER_KEEP) != 0)
        names->hashes[number] = name->hash;
    omptape_names_release(names);
}

/* Fast path for a name that the thread recorded before. `word->count` is a constant in every caller. False:
 * not recorded. The caller has the slow path in a function of its own, and saves no registers for it. */
static inline __attribute__((always_inline)) bool put_fast(struct omptape_slot *slot, const struct word *word,
                                                           uint64_t hash)
{
    const size_t words = OMPTAPE_RECORD_HEADER_WORDS + word->count;
    uint64_t *place = slot->names != NULL ? omptape_producer_fast_reserve(slot, words) : NULL;
    if (__builtin_expect(place == NULL, 0))
        return false;
    const int number = omptape_names_find(slot->names, hash);
    if (__builtin_expect(number < 0, 0)) {
        omptape_producer_release(slot, 0);
        return false;
    }
    place[1] = omptape_record_header(word->kind, words, word->flags,
                                     omptape_user_pack((unsigned)number, word->stack, word->level));
    if (word->count > 0)
        place[OMPTAPE_RECORD_HEADER_WORDS] = word->numbers[0];
    omptape_producer_fast_commit(slot, place, words);
    return true;
}

static void add_value(struct word *word, const struct omptape_user_value *value)
{
    if (value == NULL)
        return;
    word->flags |= OMPTAPE_USER_VALUE | (unsigned)value->type << 8;
    word->numbers[word->count++] = value->is.number;
}

static __attribute__((noinline)) int enter_slowly(unsigned stack, const struct omptape_user_name *name,
                                                  const struct omptape_user_value *value)
{
    struct omptape_slot *slot = slot_of_caller(OMPTAPE_USER_BEGIN);
    struct omptape_names *names = slot != NULL ? omptape_names_of(slot) : NULL;
    if (names == NULL)
        return OMPTAPE_USER_NO_LEVEL;
    struct word word = {.kind = OMPTAPE_USER_BEGIN,
                        .flags = OMPTAPE_USER_STACKED,
                        .stack = stack,
                        .level = names->levels[stack]++};
    add_value(&word, value);
    put_slowly(slot, &word, name);
    return (int)word.level;
}

int omptape_user_enter(unsigned stack, const struct omptape_user_name *name,
                       const struct omptape_user_value *value)
{
    struct omptape_slot *slot = omptape_producer_slot;
    stack %= OMPTAPE_USER_STACKS;
    if (__builtin_expect(slot != NULL && slot->names != NULL && value == NULL, 1)) {
        const struct word word = {.kind = OMPTAPE_USER_BEGIN,
                                  .flags = OMPTAPE_USER_STACKED,
                                  .stack = stack,
                                  .level = slot->names->levels[stack]++};
        if (__builtin_expect(put_fast(slot, &word, name->hash), 1))
            return (int)word.level;
        slot->names->levels[stack]--;
    }
    return enter_slowly(stack, name, value);
}

int omptape_user_leave(unsigned stack)
{
    struct omptape_slot *slot = omptape_producer_slot;
    struct omptape_names *names = slot != NULL ? slot->names : NULL;
    stack %= OMPTAPE_USER_STACKS;
    if (names == NULL || names->levels[stack] == 0)
        return OMPTAPE_USER_NO_LEVEL;
    const unsigned level = --names->levels[stack];
    omptape_put(slot, OMPTAPE_USER_END, OMPTAPE_USER_STACKED, omptape_user_pack(0, stack, level));
    return (int)level;
}

void omptape_user_put_point(enum omptape_user_point what, uint64_t id, const struct omptape_user_name *name,
                            const struct omptape_user_value *value)
{
    struct omptape_slot *slot = slot_of_caller(OMPTAPE_USER_MARK);
    struct word word = {.kind = OMPTAPE_USER_MARK};
    if (slot == NULL)
        return;
    if (what == OMPTAPE_USER_RANGE_END) {
        omptape_put1(slot, OMPTAPE_USER_MARK, OMPTAPE_USER_ENDS, 0, id);
        return;
    }
    if (what == OMPTAPE_USER_RANGE_BEGIN) {
        word.flags = OMPTAPE_USER_BEGINS;
        word.numbers[word.count++] = id;
    }
    add_value(&word, value);
    put_slowly(slot, &word, name);
}

int omptape_user_enter_function(unsigned stack, const void *address)
{
    struct omptape_slot *slot = slot_of_caller(OMPTAPE_USER_BEGIN);
    struct omptape_names *names = slot != NULL ? omptape_names_of(slot) : NULL;
    if (names == NULL)
        return OMPTAPE_USER_NO_LEVEL;
    const unsigned level = names->levels[stack]++;
    omptape_put1(slot, OMPTAPE_USER_BEGIN, OMPTAPE_USER_STACKED | OMPTAPE_USER_CODE,
                 omptape_user_pack(0, stack, level), omptape_address(address));
    return (int)level;
}

void omptape_user_exclude(const void *address)
{
    omptape_put1(slot_of_caller(OMPTAPE_USER_MARK), OMPTAPE_USER_MARK,
                 OMPTAPE_USER_EXCLUDED | OMPTAPE_USER_CODE, 0, omptape_address(address));
}

void omptape_user_name_thread(uint32_t tid, const char *text)
{
    uint64_t payload[1 + TEXT_WORDS] = {tid};
    if (text == NULL)
        return;
    const size_t words = omptape_producer_text(payload + 1, TEXT_WORDS, text, strlen(text));
    omptape_producer_put_words(slot_of_caller(OMPTAPE_USER_MARK), OMPTAPE_USER_MARK, OMPTAPE_USER_THREAD, 0,
                               payload, 1 + words);
}

void omptape_user_record(int on)
{
    const uint64_t command = on != 0 ? OMPTAPE_CONTROL_START : OMPTAPE_CONTROL_PAUSE;
    if (slot_of_caller(OMPTAPE_CONTROL_TOOL) != NULL)
        (void)omptape_on_control_tool(command, 0, NULL, __builtin_return_address(0));
}

static __attribute__((noinline)) void put_own_slowly(const struct word word, const char *text, uint64_t group)
{
    struct omptape_slot *slot = text != NULL ? slot_of_caller(word.kind) : NULL;
    const struct omptape_user_name name = omptape_user_name(NULL, group, text != NULL ? text : "");
    if (slot != NULL)
        put_slowly(slot, &word, &name);
}

/* `group`: 0, or a hash that distinguishes this kind of names from others. */
static inline __attribute__((always_inline)) void put_own(const struct word *word, const char *text,
                                                          uint64_t group)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (__builtin_expect(slot == NULL || text == NULL, 0) ||
        __builtin_expect(!put_fast(slot, word, omptape_user_name(NULL, group, text).hash), 0))
        put_own_slowly(*word, text, group);
}

void omptape_user_begin(const char *name)
{
    put_own(&(struct word){.kind = OMPTAPE_USER_BEGIN}, name, 0);
}

void omptape_user_step(const char *name, uint64_t number)
{
    put_own(
        &(struct word){
            .kind = OMPTAPE_USER_BEGIN, .flags = OMPTAPE_USER_IS_STEP, .count = 1, .numbers = {number}},
        name, 0);
}

void omptape_user_end(void)
{
    omptape_put(slot_of_caller(OMPTAPE_USER_END), OMPTAPE_USER_END, 0, 0);
}

void omptape_user_mark(const char *name)
{
    put_own(&(struct word){.kind = OMPTAPE_USER_MARK}, name, 0);
}

void omptape_user_put_value(const char *name, double value)
{
    static const uint64_t metrics = 1;
    const struct omptape_user_value number = {.is.real = value};
    put_own(&(struct word){.kind = OMPTAPE_USER_MARK,
                           .flags = OMPTAPE_USER_METRIC | OMPTAPE_USER_VALUE | OMPTAPE_USER_DOUBLE << 8,
                           .count = 1,
                           .numbers = {number.is.number}},
            name, metrics);
}

/* Copies the text argument of omp_control_tool. The program may have meant the command for another tool, so
 * the pointer may be invalid and must not cause a crash. */
static bool copy_argument(const void *argument, char *text, size_t bytes)
{
    enum { PAGE = 4096 };
    size_t used = 0;
    while (used + 1 < bytes) {
        const uintptr_t from = (uintptr_t)argument + used;
        const size_t in_page = PAGE - from % PAGE;
        const size_t left = bytes - 1 - used;
        const struct iovec own = {text + used, in_page < left ? in_page : left};
        const struct iovec other = {(void *)from, own.iov_len};
        const long got = syscall(SYS_process_vm_readv, getpid(), &own, 1UL, &other, 1UL, 0UL);
        if (got != (long)own.iov_len)
            break;
        used += own.iov_len;
        if (memchr(own.iov_base, '\0', own.iov_len) != NULL)
            break;
    }
    text[used] = '\0';
    return text[0] != '\0';
}

static bool name_by_control(uint64_t command, uint64_t modifier, const void *argument)
{
    char text[TEXT_WORDS * sizeof(uint64_t)];
    const int saved = errno;
    const bool has_text = command != OMPTAPE_USER_COMMAND_END && copy_argument(argument, text, sizeof(text));
    errno = saved;
    if (command == OMPTAPE_USER_COMMAND_END)
        omptape_user_end();
    else if (!has_text)
        return false;
    else if (command == OMPTAPE_USER_COMMAND_BEGIN)
        omptape_user_begin(text);
    else if (command == OMPTAPE_USER_COMMAND_MARK)
        omptape_user_mark(text);
    else if (command == OMPTAPE_USER_COMMAND_STEP)
        omptape_user_step(text, modifier);
    else
        return false;
    return true;
}

int omptape_user_control(int command, int modifier, void *argument)
{
    enum { NO_TOOL = -2 };
    if (slot_of_caller(OMPTAPE_CONTROL_TOOL) == NULL)
        return NO_TOOL;
    return omptape_on_control_tool((uint64_t)command, (uint64_t)modifier, argument,
                                   __builtin_return_address(0));
}

__attribute__((constructor)) static void offer_commands(void)
{
    omptape_entry_points.name_by_control = name_by_control;
}
