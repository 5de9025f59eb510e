/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stress test of the buffers: threads that come and go all the time record into a pool that is nearly always
 * empty, and one consumer reads it all, and copies it now and then: none lost, none doubled, each thread's
 * order kept. Run by CTest as unit.buffer_stress_threads (also under the thread sanitizer) and
 * unit.buffer_stress_processes.
 *
 * stress_buffer threads|processes SECONDS SEED. "processes": the threads run in another process, which is
 * killed at a random moment, again and again; what it had committed must be there.
 */
#include "buffers/pool.h"
#include "tests/unit/buffers/stumble.h"
#include "tests/unit/session_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNKS = 4, PRODUCERS = 6, MAX_RECORDS = 3000, LAST = 1, MORE = 0 };
/* Payload: producer, its life, number in this life, then the same number in every word. */
enum { PRODUCER, LIFE, NUMBER, FIXED_WORDS };

/* What one producer did. Lies in memory that outlives its process. */
struct work {
    uint64_t seed;
    _Atomic uint64_t lives;     /* attached */
    _Atomic uint64_t committed; /* life << 32 | records committed in it */
};

/* What the consumer saw of one producer. */
struct sight {
    uint64_t lives;  /* that are complete */
    uint64_t sum;    /* of their numbers */
    uint64_t latest; /* as struct work's committed */
};

/* What the consumer saw of one stream. */
struct reading {
    uint64_t producer;
    uint64_t life;
    uint64_t next;
    uint64_t time;
    bool started;
    bool complete;
};

static struct session session;
static struct work *works;
static struct sight sights[PRODUCERS];
static struct reading readings[OMPTAPE_MAX_SLOTS];
static uint64_t total_records;
static uint64_t total_stalls;
static uint64_t total_copies;
static atomic_bool stop;
/* In every other session the consumer is slow, so that the pool runs dry; else it reads all as soon as it is
 * there. */
static bool drowsy;

static void fail(const char *what, const struct reading *reading)
{
    fprintf(stderr, "stress_buffer: %s (producer %llu, life %llu, record %llu)\n", what,
            (unsigned long long)reading->producer, (unsigned long long)reading->life,
            (unsigned long long)reading->next);
    abort();
}

static _Atomic uint64_t stumblers;

/* Yields in two of `often` cases, and sleeps in one. */
static void maybe_stumble(uint64_t often)
{
    static _Thread_local uint64_t random;
    if (random == 0)
        random = atomic_fetch_add(&stumblers, 1) + 1;
    uint64_t chance = session_random(&random) % often;
    if (chance < 2)
        sched_yield();
    else if (chance == 2)
        usleep((useconds_t)(session_random(&random) % 200));
}

void stumble(void)
{
    maybe_stumble(2048);
}

void stumble_badly(void)
{
    maybe_stumble(16);
}

static void put(struct omptape_slot *slot, struct work *work, uint64_t life, uint64_t number, uint32_t last,
                uint64_t *random)
{
    size_t payload = FIXED_WORDS + session_random(random) % (session_random(random) % 64 == 0 ? 250 : 8);
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + payload;
    struct omptape_record *record = omptape_producer_reserve(slot, words, OMPTAPE_FLUSH, 0, last);
    if (record == NULL)
        fail("a record was dropped",
             &(struct reading){.producer = (uint64_t)(work - works), .life = life, .next = number});
    record->p[PRODUCER] = (uint64_t)(work - works);
    record->p[LIFE] = life;
    stumble();
    for (size_t i = NUMBER; i < payload; i++)
        record->p[i] = number;
    omptape_producer_commit(slot, record);
    atomic_store_explicit(&work->committed, (life << 32) | (number + 1), memory_order_release);
}

static void *produce(void *argument)
{
    struct work *work = argument;
    uint64_t random = work->seed;
    for (uint64_t life = 1; !atomic_load(&stop); life++) {
        uint64_t records = session_random(&random) % (session_random(&random) % 4 == 0 ? MAX_RECORDS : 30);
        struct omptape_slot *slot = omptape_producer_attach(OMPTAPE_THREAD_BEGIN, 0);
        if (slot == NULL)
            fail("no slot", &(struct reading){.producer = (uint64_t)(work - works), .life = life});
        atomic_store(&work->lives, life);
        for (uint64_t number = 0; number < records; number++)
            put(slot, work, life, number, MORE, &random);
        put(slot, work, life, records, LAST, &random);
        omptape_producer_detach();
    }
    return NULL;
}

static void check_data(struct reading *reading, const struct omptape_record *record)
{
    uint64_t producer = record->p[PRODUCER];
    if (producer >= PRODUCERS || record->words < OMPTAPE_RECORD_HEADER_WORDS + FIXED_WORDS)
        fail("a record that nobody wrote", reading);
    if (!reading->started) {
        reading->producer = producer;
        reading->life = record->p[LIFE];
        reading->started = true;
    }
    if (reading->complete || reading->producer != producer || reading->life != record->p[LIFE])
        fail("another thread's record", reading);
    for (int i = NUMBER; i < record->words - OMPTAPE_RECORD_HEADER_WORDS; i++)
        if (record->p[i] != reading->next)
            fail("a record is lost, doubled or torn", reading);
    reading->next++;
    reading->complete = record->b == LAST;
    /* An earlier life may be read after a later one, in another slot. */
    uint64_t seen = (reading->life << 32) | reading->next;
    if (seen > sights[producer].latest)
        sights[producer].latest = seen;
    total_records++;
}

static void check_record(struct reading *reading, const struct omptape_record *record)
{
    if (record->time < reading->time)
        fail("time goes back", reading);
    reading->time = record->time;
    switch (record->kind) {
    case OMPTAPE_THREAD_BEGIN:
        if (reading->started)
            fail("a thread begins twice", reading);
        break;
    case OMPTAPE_STALL:
        total_stalls++;
        break;
    case OMPTAPE_FLUSH:
        check_data(reading, record);
        break;
    default:
        fail("a record of a kind that nobody wrote", reading);
    }
}

static bool finish(struct omptape_stream *stream, struct reading *reading)
{
    if (!omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0}))
        return false;
    if (!reading->complete)
        fail("the end of a stream is missing", reading);
    sights[reading->producer].lives++;
    sights[reading->producer].sum += reading->life;
    *reading = (struct reading){.started = false};
    return true;
}

/* Reads some of each stream; false: there was nothing. */
static bool consume(uint64_t *random)
{
    bool progress = false;
    atomic_fetch_add(&session.shm->heartbeat, 1);
    omptape_consumer_refresh(&session.consumer);
    for (uint32_t i = 0; i < session.consumer.stream_count; i++) {
        struct omptape_stream *stream = &session.consumer.streams[i];
        const struct omptape_record *record = NULL;
        if (!stream->active)
            continue;
        for (uint64_t left = 1 + session_random(random) % 1000; left > 0; left--) {
            record = session_next(&session, stream);
            if (record == NULL)
                break;
            check_record(&readings[i], record);
            progress = true;
        }
        progress = (record == NULL && finish(stream, &readings[i])) || progress;
    }
    if (drowsy && session_random(random) % 2 == 0)
        usleep((useconds_t)(session_random(random) % 2000));
    return progress;
}

/* A snapshot, while the threads go on: of each stream that was begun, it must hold all that was committed
 * before, in order. Changes nothing. */
static void check_copy(void)
{
    struct omptape_consumer copy;
    uint64_t committed[PRODUCERS];
    for (unsigned i = 0; i < PRODUCERS; i++)
        committed[i] = atomic_load_explicit(&works[i].committed, memory_order_acquire);
    if (omptape_consumer_copy(&session.consumer, &copy) != 0)
        abort();
    for (uint32_t i = 0; i < copy.stream_count; i++) {
        struct omptape_stream *stream = &copy.streams[i];
        struct reading reading = readings[i];
        const struct omptape_record *record;
        if (!stream->active || !reading.started)
            continue;
        while ((record = omptape_consumer_peek(&copy, stream)) != NULL) {
            omptape_consumer_advance(stream, record);
            if (record->kind == OMPTAPE_FLUSH && record->p[NUMBER] != reading.next++)
                fail("a record is lost, doubled or torn in a copy", &reading);
        }
        if (committed[reading.producer] >> 32 == reading.life &&
            reading.next < (uint32_t)committed[reading.producer])
            fail("a committed record is not in a copy", &reading);
    }
    omptape_consumer_close(&copy);
    total_copies++;
}

/* For a random time, at most so many ns. */
static void consume_until(uint64_t *random, uint64_t most)
{
    uint64_t end = omptape_clock_raw_ns() + session_random(random) % most;
    while (omptape_clock_raw_ns() < end) {
        consume(random);
        if (session_random(random) % 8 == 0)
            check_copy();
    }
}

static void start(uint64_t seed, pthread_t *threads)
{
    for (unsigned i = 0; i < PRODUCERS; i++) {
        works[i].seed = seed * 1000 + i + 1;
        if (pthread_create(&threads[i], NULL, produce, &works[i]) != 0)
            abort();
    }
}

static void *join_all(void *threads)
{
    for (unsigned i = 0; i < PRODUCERS; i++)
        pthread_join(((pthread_t *)threads)[i], NULL);
    return NULL;
}

static void check_all_lives(void)
{
    for (uint64_t i = 0; i < PRODUCERS; i++) {
        uint64_t lives = atomic_load(&works[i].lives);
        if (sights[i].lives != lives || sights[i].sum != lives * (lives + 1) / 2)
            fail("a thread's life is lost or doubled", &(struct reading){.producer = i, .life = lives});
    }
}

static void forget_all(void)
{
    memset(sights, 0, sizeof(sights));
    memset(readings, 0, sizeof(readings));
    memset(works, 0, PRODUCERS * sizeof(*works));
}

/* All have ended: each chunk and each slot that was ever used must be back, once. */
static void check_lists(void)
{
    static bool seen[1 << 16];
    struct reading nowhere = {.producer = 0};
    uint32_t chunks = atomic_load(&session.shm->fresh_chunks);
    uint32_t slots = atomic_load(&session.shm->fresh_slots);
    memset(seen, 0, sizeof(seen));
    atomic_store(&session.shm->fresh_chunks, session.shm->chunk_count);
    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t chunk = omptape_pool_alloc_chunk(session.shm);
        if (chunk == OMPTAPE_NO_CHUNK || chunk > chunks || seen[chunk])
            fail("a chunk is lost or doubled", &nowhere);
        seen[chunk] = true;
    }
    memset(seen, 0, sizeof(seen));
    for (uint32_t i = 0; i < slots; i++) {
        int32_t slot = omptape_pool_alloc_slot(session.shm);
        if (slot < 0 || (uint32_t)slot >= slots || seen[slot])
            fail("a slot is lost or doubled", &nowhere);
        seen[slot] = true;
    }
}

/* New sessions again and again: in each the pool is small at first, and grows by what ended threads leave. */
static void stress_threads(uint64_t seed, uint64_t *random)
{
    pthread_t threads[PRODUCERS];
    pthread_t joiner;
    forget_all();
    atomic_store(&stop, false);
    session_open_shared(&session, CHUNKS);
    start(seed, threads);
    consume_until(random, 100000000);
    atomic_store(&stop, true);
    if (pthread_create(&joiner, NULL, join_all, threads) != 0)
        abort();
    /* They still need their chunks. */
    while (pthread_tryjoin_np(joiner, NULL) != 0)
        consume(random);
    while (consume(random)) {
    }
    check_all_lives();
    check_lists();
    session_close(&session);
}

static void record_until_killed(uint64_t seed)
{
    pthread_t threads[PRODUCERS];
    start(seed, threads);
    join_all(threads);
}

static void check_committed(void)
{
    for (uint64_t i = 0; i < PRODUCERS; i++) {
        const struct sight *sight = &sights[i];
        uint64_t committed = atomic_load(&works[i].committed);
        struct reading place = {.producer = i, .life = sight->latest >> 32};
        if (sight->latest < committed)
            fail("a committed record is lost", &place);
        if (sight->lives + 1 < committed >> 32 || sight->sum != sight->lives * (sight->lives + 1) / 2)
            fail("a thread's life is lost or doubled", &place);
    }
}

static void stress_process(uint64_t seed, uint64_t *random)
{
    forget_all();
    session_open(&session, CHUNKS);
    pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (omptape_producer_prepare() != 0)
            abort();
        omptape_producer_open(session.shm);
        record_until_killed(seed);
        _exit(0);
    }
    consume_until(random, 40000000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    while (consume(random)) {
    }
    check_committed();
    session_close(&session);
}

/* A run in which nobody had to wait. On a busy machine it takes longer until somebody does. */
static bool has_tested_little(void)
{
    return total_records <= 1000 || total_stalls == 0 || total_copies == 0;
}

int main(int count, char **words)
{
    if (count != 4)
        return 2;
    bool threads = strcmp(words[1], "threads") == 0;
    uint64_t end = omptape_clock_raw_ns() + (uint64_t)(atof(words[2]) * 1e9);
    uint64_t seed = (uint64_t)atoll(words[3]);
    uint64_t random = seed;
    uint64_t rounds = 0;
    works = mmap(NULL, PRODUCERS * sizeof(*works), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (works == MAP_FAILED || seed == 0)
        return 2;
    atomic_store(&stumblers, seed << 32);
    for (; omptape_clock_raw_ns() < end || has_tested_little(); rounds++) {
        drowsy = rounds % 2 == 0;
        if (threads)
            stress_threads(seed + rounds, &random);
        else
            stress_process(seed + rounds, &random);
    }
    printf("%llu sessions, %llu records, %llu waits, %llu copies\n", (unsigned long long)rounds,
           (unsigned long long)total_records, (unsigned long long)total_stalls,
           (unsigned long long)total_copies);
    return 0;
}
