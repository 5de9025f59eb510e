/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signal handlers that record in the middle of another record, forced: before each atomic operation of the
 * buffers the thread may be "interrupted" and record more (stumble.h), which may in turn be interrupted. Each
 * record must be there once and whole, or be counted as dropped. To the buffers a handler is a function
 * called on the same stack, below the kernel's frame; most are just that here, since the kernel takes ten
 * times as long to deliver a signal. Run by CTest:
 *
 *     stress_interrupts ROUNDS SEED
 */
#include "buffers/signal_queue.h"
#include "tests/unit/session_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 3, RECORDS_A_ROUND = 4000, MAX_RECORDS = 1 << 20 };

static struct session session;
static uint64_t random_state;
static unsigned depth;
static bool armed;
static uint32_t made;
static unsigned char seen[MAX_RECORDS];

static void put_one(struct omptape_slot *slot)
{
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + session_random(&random_state) % 5;
    if (session_random(&random_state) % 64 == 0)
        words = OMPTAPE_RECORD_HEADER_WORDS + session_random(&random_state) % 250;
    uint32_t number = made++;
    if (words <= 5 && session_random(&random_state) % 2 == 0) {
        omptape_producer_put(slot, 4, OMPTAPE_FLUSH, 2, number, ~(uint64_t)number, number, 0);
        return;
    }
    session_put(slot, words, number);
}

static void on_signal(int number)
{
    (void)number;
    depth++;
    for (uint64_t n = session_random(&random_state) % 3; n > 0; n--)
        put_one(omptape_producer_slot);
    /* Sometimes more than there is room for. */
    if (depth == 1 && session_random(&random_state) % 10000 == 0)
        for (unsigned i = 0; i < 20000; i++)
            put_one(omptape_producer_slot);
    depth--;
}

/* As the kernel would, which lays more than a kilobyte on the stack. */
static __attribute__((noinline)) void call_handler(void)
{
    volatile char frame[1024];
    frame[0] = 0;
    on_signal(SIGUSR1);
    frame[sizeof(frame) - 1] = 0;
}

static void interrupt(void)
{
    if (!armed || depth >= MAX_DEPTH || session_random(&random_state) % 8 != 0 ||
        made >= MAX_RECORDS - 100000)
        return;
    if (session_random(&random_state) % 16 == 0)
        raise(SIGUSR1);
    else
        call_handler();
}

void stumble(void)
{
    interrupt();
}

void stumble_badly(void)
{
    interrupt();
}

static void fail(const char *what, uint64_t number)
{
    fprintf(stderr, "%s: record %llu\n", what, (unsigned long long)number);
    exit(1);
}

static bool is_whole(const struct omptape_record *record)
{
    if (record->a == 2)
        return record->words == 4 && record->p[0] == ~(uint64_t)record->b && record->p[1] == record->b;
    return session_is(record, record->words, record->b);
}

static uint64_t read_all(struct omptape_stream *stream)
{
    const struct omptape_record *record;
    uint64_t dropped = 0;
    while ((record = session_next(&session, stream)) != NULL) {
        if (record->kind == OMPTAPE_DROPPED)
            dropped += record->p[0];
        if (record->kind != OMPTAPE_FLUSH)
            continue;
        if (!is_whole(record))
            fail("torn", record->b);
        if (record->b >= made || seen[record->b]++ != 0)
            fail("there twice", record->b);
    }
    return dropped;
}

static uint64_t one_round(void)
{
    uint64_t dropped = 0;
    memset(seen, 0, sizeof(seen));
    made = 0;
    struct omptape_slot *slot = session_new_thread();
    omptape_producer_slot = slot;
    struct omptape_stream *stream = session_stream(&session, slot->index);
    for (unsigned i = 0; i < RECORDS_A_ROUND; i++) {
        armed = true;
        put_one(slot);
        armed = false;
        if (atomic_load(&slot->busy) > OMPTAPE_SLOT_SLOW || omptape_signal_queue_first(slot) != NULL)
            fail("the slot is still held", made);
        if (i % 16 == 0)
            dropped += read_all(stream);
    }
    omptape_producer_detach();
    dropped += read_all(stream);
    uint64_t total = 0;
    if (!omptape_consumer_finish(&session.consumer, stream, &total))
        fail("the stream does not end", made);
    if (dropped > total)
        fail("more in gaps than dropped", dropped);
    for (uint32_t i = 0; i < made; i++)
        total += seen[i];
    if (total != made)
        fail("lost without a word", total);
    return dropped;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    uint64_t dropped = 0;
    random_state = strtoull(argv[2], NULL, 10) * 2 + 1;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, NULL);
    session_open_shared(&session, 64);
    session.shm->policy = OMPTAPE_POLICY_DROP;
    for (long i = atol(argv[1]); i > 0; i--)
        dropped += one_round();
    session_close(&session);
    printf("%s: %llu dropped\n", argv[0], (unsigned long long)dropped);
    return 0;
}
