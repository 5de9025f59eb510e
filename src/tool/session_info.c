/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Passes descriptions to the writer, as lines "key=value" in shared memory: those of the runtime (info.c),
 * then the library's own.
 */
#include "src/tool/session.h"
#include "src/tool/tool.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic size_t published_bytes; /* bytes of omptape_runtime_info for the writer */
static char own_text[4096];
static struct omptape_info_text own_info = {.text = own_text, .bytes = sizeof(own_text)};
static atomic_flag lock = ATOMIC_FLAG_INIT; /* of own_info and of the copy in shared memory */

void omptape_session_info_write(struct omptape_shm *shm)
{
    const size_t bytes = published_bytes;
    const size_t more = own_info.used <= sizeof(shm->info) - bytes ? own_info.used : 0;
    if (bytes + more == 0)
        return;
    memcpy(shm->info, omptape_runtime_info.text, bytes);
    memcpy(shm->info + bytes, own_info.text, more);
    atomic_store_explicit(&shm->info_bytes, (uint32_t)(bytes + more), memory_order_release);
}

/* Waits for another thread that has the lock, but not for long: a signal handler may have interrupted that
 * thread. Returns true if the lock was acquired. */
static bool lock_info(void)
{
    enum { MAX_YIELDS = 1000 };
    for (int i = 0; i < MAX_YIELDS; i++) {
        if (!atomic_flag_test_and_set(&lock))
            return true;
        (void)syscall(SYS_sched_yield);
    }
    return false;
}

/* Sets how much of the runtime's description is for the writer. */
static void publish(size_t bytes)
{
    struct omptape_shm *shm = omptape_session_shm();
    const bool locked = lock_info();
    atomic_store(&published_bytes, bytes);
    if (shm != NULL && bytes > 0)
        omptape_session_info_write(shm);
    if (locked)
        atomic_flag_clear(&lock);
}

void omptape_session_publish_info(void)
{
    publish(omptape_runtime_info.used);
}

void omptape_session_withdraw_info(void)
{
    publish(0);
}

void omptape_session_info_note_start(uint64_t ns)
{
    const bool locked = lock_info();
    omptape_info_add(&own_info, "start_ns=%" PRIu64, ns);
    omptape_session_info_write(omptape_session_shm());
    if (locked)
        atomic_flag_clear(&lock);
}

void omptape_session_info_warn(const char *phrase)
{
    static unsigned count;
    if (atomic_flag_test_and_set(&lock))
        return;
    omptape_info_add(&own_info, OMPTAPE_INFO_UNRECORDED "%u=%s", count++, phrase);
    omptape_session_info_write(omptape_session_shm());
    atomic_flag_clear(&lock);
}

void omptape_session_info_forget_lock(void)
{
    atomic_flag_clear(&lock);
}
