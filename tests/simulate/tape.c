/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer is started when all records are there, and the program has ended by then. So it reads each
 * stream to its end, in the order of the made-up times, which lie before its own.
 */
#include "tests/simulate/tape.h"

#include "buffers/layout.h"
#include "buffers/pool.h"
#include "src/core/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before now, as far as the machine has run for so long. */
static const uint64_t longest_run_ns = UINT64_C(1800) * 1000000000;
enum { SHM_FD = 3, PID_FD = 4, MAPS_FD = 5, SETTINGS_FD = 6, FIRST_SAFE_FD = 10, FIRST_TID = 1000000 };

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(2);
}

static void describe(struct tape *tape, const char *output)
{
    struct omptape_settings *settings = &tape->settings;
    const uint64_t now = omptape_clock_raw_ns();
    tape->begin = now > longest_run_ns ? now - longest_run_ns : 1;
    *settings = (struct omptape_settings){.magic = OMPTAPE_SETTINGS_MAGIC,
                                          .version = OMPTAPE_SETTINGS_VERSION,
                                          .chunk_limit = tape->shm->chunk_limit,
                                          .chunk_count = tape->shm->chunk_count,
                                          .pid = (int32_t)getpid(),
                                          .clock_kind = OMPTAPE_CLOCK_MONOTONIC_RAW,
                                          .start_ticks = tape->begin,
                                          .start_realtime = omptape_clock_realtime_ns(),
                                          .start_raw = tape->begin,
                                          .clock_second = 1000000000,
                                          .job = {.size = 1, .local_rank = -1, .local_size = -1},
                                          .no_sched = 1,
                                          .force = 1};
    const ssize_t n = readlink("/proc/self/exe", settings->program, sizeof(settings->program) - 1);
    settings->program[n > 0 ? n : 0] = '\0';
    snprintf(settings->output, sizeof(settings->output), "%s", output);
}

void tape_open(struct tape *tape, const char *output, uint64_t bytes)
{
    *tape = (struct tape){.fd = -1};
    omptape_clock_use(OMPTAPE_CLOCK_MONOTONIC_RAW);
    tape->fd = omptape_layout_create(bytes, &tape->shm);
    must(tape->fd >= 0, "the session's memory");
    describe(tape, output);
}

void tape_inform(struct tape *tape, const char *lines)
{
    const size_t bytes = strlen(lines);
    must(bytes < sizeof(tape->shm->info), "what the runtime says");
    memcpy(tape->shm->info, lines, bytes);
    atomic_store(&tape->shm->info_bytes, (uint32_t)bytes);
}

void tape_close(struct tape *tape)
{
    munmap(tape->shm, tape->shm->bytes);
    close(tape->fd);
}

static void use_new_chunk(struct tape_stream *stream)
{
    struct omptape_shm *shm = stream->tape->shm;
    const uint32_t number = omptape_pool_take(shm);
    must(number != OMPTAPE_NO_CHUNK, "there is no room for so many records");
    struct omptape_chunk *chunk = omptape_shm_chunk(shm, number);
    chunk->slot = stream->index;
    chunk->number = number;
    if (stream->chunk == NULL)
        atomic_store(&stream->slot->first_chunk, number);
    else
        atomic_store(&stream->chunk->next, number);
    stream->chunk = chunk;
    stream->used = 0;
}

void tape_put_words(struct tape_stream *stream, uint64_t time, enum omptape_kind kind, unsigned a, uint32_t b,
                    unsigned count, const uint64_t *payload)
{
    const uint32_t words = OMPTAPE_RECORD_HEADER_WORDS + count;
    const uint32_t bytes = words * (uint32_t)sizeof(uint64_t);
    if (stream->used + bytes > OMPTAPE_CHUNK_BYTES - OMPTAPE_CHUNK_HEADER_BYTES)
        use_new_chunk(stream);
    uint64_t *place = (uint64_t *)(void *)(stream->chunk->records + stream->used);
    place[0] = stream->tape->begin + time;
    place[1] = omptape_record_header(kind, words, a, b);
    if (count > 0)
        memcpy(place + OMPTAPE_RECORD_HEADER_WORDS, payload, count * sizeof(uint64_t));
    stream->used += bytes;
    atomic_store_explicit(&stream->chunk->committed, stream->used, memory_order_release);
    stream->tape->records++;
    if (time > stream->tape->end)
        stream->tape->end = time;
}

void tape_begin_thread(struct tape *tape, struct tape_stream *stream, uint64_t time, unsigned type)
{
    const int32_t index = omptape_pool_take_slot(tape->shm);
    must(index >= 0, "there are no slots for so many threads");
    *stream = (struct tape_stream){.tape = tape,
                                   .slot = omptape_shm_slot(tape->shm, (uint32_t)index),
                                   .index = (uint32_t)index,
                                   .tid = FIRST_TID + (uint32_t)index};
    atomic_fetch_add(&tape->shm->live_threads, 1);
    use_new_chunk(stream);
    tape_put(stream, time, OMPTAPE_THREAD_BEGIN, type, stream->tid);
    atomic_fetch_add(&stream->slot->generation, 1);
    atomic_store(&stream->slot->state, OMPTAPE_SLOT_LIVE);
}

void tape_end_thread(struct tape_stream *stream, uint64_t time)
{
    tape_put(stream, time, OMPTAPE_THREAD_END, 0, 0);
    atomic_store(&stream->slot->state, OMPTAPE_SLOT_ENDED);
    atomic_fetch_sub(&stream->tape->shm->live_threads, 1);
}

uint64_t tape_id(struct tape_stream *stream)
{
    return omptape_id(stream->index, ++stream->sequence);
}

/* Makes `from` the descriptor `to` of what is executed next. */
static void hand_down(int from, int to)
{
    if (from < 0 || dup2(from, to) != to)
        _exit(126);
}

static int safe(int fd)
{
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_SAFE_FD);
    must(copy >= 0, "a descriptor");
    return copy;
}

static int settings_file(const struct tape *tape)
{
    const int fd = memfd_create("simulated-settings", MFD_CLOEXEC);
    must(fd >= 0 && pwrite(fd, &tape->settings, sizeof(tape->settings), 0) == sizeof(tape->settings),
         "the settings");
    return fd;
}

/* The writer knows of the program's end from the session: it gets no pidfd. */
static void become_writer(const char *writer, int shm, int maps, int settings)
{
    hand_down(shm, SHM_FD);
    close(PID_FD);
    hand_down(maps, MAPS_FD);
    hand_down(settings, SETTINGS_FD);
    execl(writer, writer, (char *)NULL);
    _exit(127);
}

void tape_write(struct tape *tape, const char *writer)
{
    struct omptape_shm *shm = tape->shm;
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const int settings = settings_file(tape);
    const int handed[] = {safe(tape->fd), safe(maps), safe(settings)};
    int status = -1;
    atomic_store(&shm->end_ticks, tape->begin + tape->end);
    atomic_store(&shm->exit_status, 1);
    atomic_store(&shm->end, OMPTAPE_END_FINALIZE);
    atomic_store(&shm->program_state, OMPTAPE_PROGRAM_DONE);
    must(omptape_clock_raw_ns() > tape->begin + tape->end, "the run is longer than the machine has run");
    const pid_t child = fork();
    if (child == 0)
        become_writer(writer, handed[0], handed[1], handed[2]);
    must(child > 0 && waitpid(child, &status, 0) == child, writer);
    for (size_t i = 0; i < sizeof(handed) / sizeof(handed[0]); i++)
        close(handed[i]);
    close(maps);
    close(settings);
    if (atomic_load(&shm->writer_state) != OMPTAPE_WRITER_FINISHED) {
        fprintf(stderr, "the writer failed: %s\n", shm->message);
        exit(2);
    }
}
