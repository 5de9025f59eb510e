/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the public header, include/omptape/omptape.h, looks up in the library. Called by the traced program on
 * any of its threads.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <stdatomic.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char *omptape_version(void);
EXPORTED int omptape_is_recording(void);
EXPORTED void omptape_user_begin(const char *name);
EXPORTED void omptape_user_step(const char *name, uint64_t number);
EXPORTED void omptape_user_end(void);
EXPORTED void omptape_user_mark(const char *name);

const char *omptape_version(void)
{
    return OMPTAPE_VERSION;
}

int omptape_is_recording(void)
{
    struct omptape_shm *shm = atomic_load(&omptape_producer_shm);
    return shm != NULL && atomic_load(&shm->program_state) == OMPTAPE_PROGRAM_RUNNING &&
           atomic_load(&shm->writer_state) < OMPTAPE_WRITER_FINISHED;
}

/* The caller's slot. What the program names may come before its first call of OpenMP or MPI: it begins the
 * session then. NULL: nothing is recorded. */
static struct omptape_slot *slot_of_caller(enum omptape_kind kind)
{
    static atomic_bool asked;
    if (omptape_producer_slot == NULL && atomic_load(&omptape_producer_shm) == NULL &&
        omptape_libc_is_complete() && !atomic_exchange(&asked, true))
        (void)omptape_session_start_by_call();
    return omptape_producer_get(kind);
}

static void put_named(enum omptape_kind kind, unsigned a, const void *site, const uint64_t *number,
                      const char *name)
{
    enum { FIRST = 2, TEXT_WORDS = 64 };
    uint64_t payload[FIRST + TEXT_WORDS] = {omptape_address(site), number != NULL ? *number : 0};
    const size_t first = kind == OMPTAPE_USER_BEGIN ? FIRST : 1;
    if (name == NULL)
        return;
    const size_t words = omptape_producer_text(payload + first, TEXT_WORDS, name, strlen(name));
    omptape_producer_put_words(slot_of_caller(kind), kind, a, 0, payload, first + words);
}

void omptape_user_begin(const char *name)
{
    put_named(OMPTAPE_USER_BEGIN, 0, __builtin_return_address(0), NULL, name);
}

void omptape_user_step(const char *name, uint64_t number)
{
    put_named(OMPTAPE_USER_BEGIN, 1, __builtin_return_address(0), &number, name);
}

void omptape_user_end(void)
{
    omptape_producer_put_words(slot_of_caller(OMPTAPE_USER_END), OMPTAPE_USER_END, 0, 0, NULL, 0);
}

void omptape_user_mark(const char *name)
{
    put_named(OMPTAPE_USER_MARK, 0, __builtin_return_address(0), NULL, name);
}
