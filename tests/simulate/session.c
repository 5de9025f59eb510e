/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer is started when all records are there, and the program has ended by then. So it reads each
 * stream to its end, in the order of the made-up times, which lie before its own.
 */
#include "tests/simulate/session.h"

#include "buffers/layout.h"
#include "buffers/pool.h"
#include "src/core/clock.h"
#include "tests/simulate/kernel.h"

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

/* Of all sessions the same moment. */
static struct omptape_clock_anchor beginning;

static void begin_once(void)
{
    if (beginning.raw_ns != 0)
        return;
    omptape_clock_use(OMPTAPE_CLOCK_MONOTONIC_RAW);
    omptape_clock_anchor(&beginning);
    const uint64_t ago = beginning.raw_ns > longest_run_ns ? longest_run_ns : beginning.raw_ns - 1;
    beginning.raw_ns -= ago;
    beginning.realtime_ns -= ago;
}

static void describe(struct session *session, const char *output)
{
    struct omptape_settings *settings = &session->settings;
    session->begin = beginning.raw_ns;
    *settings = (struct omptape_settings){.magic = OMPTAPE_SETTINGS_MAGIC,
                                          .version = OMPTAPE_SETTINGS_VERSION,
                                          .pid = (int32_t)getpid(),
                                          .clock_kind = OMPTAPE_CLOCK_MONOTONIC_RAW,
                                          .start_ticks = session->begin,
                                          .start_realtime = beginning.realtime_ns,
                                          .start_raw = session->begin,
                                          .clock_second = 1000000000,
                                          .job = {.size = 1, .local_rank = -1, .local_size = -1},
                                          .no_sched = 1,
                                          .force = 1};
    const ssize_t n = readlink("/proc/self/exe", settings->program, sizeof(settings->program) - 1);
    settings->program[n > 0 ? n : 0] = '\0';
    snprintf(settings->output, sizeof(settings->output), "%s", output);
}

void session_open(struct session *session, const char *output)
{
    *session = (struct session){.fd = -1};
    begin_once();
    describe(session, output);
}

void session_close(struct session *session)
{
    for (uint32_t i = 0; i < session->stream_count; i++)
        free(session->streams[i]->words);
    free(session->streams);
}

void session_put_words(struct session_stream *stream, uint64_t time, enum omptape_kind kind, unsigned a,
                       uint32_t b, unsigned count, const uint64_t *payload)
{
    const size_t words = OMPTAPE_RECORD_HEADER_WORDS + count;
    if (stream->used + words > stream->capacity) {
        stream->capacity = 2 * stream->capacity + OMPTAPE_RECORD_MAX_WORDS;
        stream->words = realloc(stream->words, stream->capacity * sizeof(uint64_t));
        must(stream->words != NULL, "records");
    }
    uint64_t *record = stream->words + stream->used;
    record[0] = stream->session->begin + time;
    record[1] = omptape_record_header(kind, words, a, b);
    if (count > 0)
        memcpy(record + OMPTAPE_RECORD_HEADER_WORDS, payload, count * sizeof(uint64_t));
    stream->used += words;
    stream->session->records++;
    if (time > stream->session->end)
        stream->session->end = time;
}

void session_begin_thread(struct session *session, struct session_stream *stream, uint64_t time,
                          unsigned type)
{
    must(session->stream_count < OMPTAPE_MAX_SLOTS, "slots");
    *stream = (struct session_stream){.session = session, .index = session->stream_count};
    session->streams =
        realloc(session->streams, (session->stream_count + 1) * sizeof(struct session_stream *));
    must(session->streams != NULL, "streams");
    session->streams[session->stream_count++] = stream;
    session_put(stream, time, OMPTAPE_THREAD_BEGIN, type, FIRST_TID + stream->index);
}

void session_end_thread(struct session_stream *stream, uint64_t time)
{
    session_put(stream, time, OMPTAPE_THREAD_END, 0, 0);
}

uint64_t session_id(struct session_stream *stream)
{
    return omptape_id(stream->index, ++stream->sequence);
}

/* How many words of these go into one chunk: whole records. */
static size_t words_of_chunk(const uint64_t *words, size_t left)
{
    enum { ROOM = (OMPTAPE_CHUNK_BYTES - OMPTAPE_CHUNK_HEADER_BYTES) / sizeof(uint64_t) };
    size_t used = 0;
    while (used < left && used + (words[used + 1] >> 8 & 0xff) <= ROOM)
        used += words[used + 1] >> 8 & 0xff;
    return used;
}

/* The stream as its thread would have left it. */
static void lay_out(struct omptape_shm *shm, const struct session_stream *stream)
{
    struct omptape_chunk *last = NULL;
    const int32_t index = omptape_pool_alloc_slot(shm);
    must(index == (int32_t)stream->index, "a slot");
    struct omptape_shared_slot *slot = omptape_shm_slot(shm, (uint32_t)index);
    for (size_t at = 0, count; at < stream->used; at += count) {
        const uint32_t number = omptape_pool_alloc_chunk(shm);
        must(number != OMPTAPE_NO_CHUNK, "a chunk");
        struct omptape_chunk *chunk = omptape_layout_chunk(shm, number);
        count = words_of_chunk(stream->words + at, stream->used - at);
        memcpy(chunk->records, stream->words + at, count * sizeof(uint64_t));
        chunk->slot = stream->index;
        chunk->number = number;
        atomic_store(&chunk->committed, (uint32_t)(count * sizeof(uint64_t)));
        atomic_store(last == NULL ? &slot->first_chunk : &last->next, number);
        last = chunk;
    }
    atomic_store(&slot->generation, 1);
    atomic_store(&slot->state, OMPTAPE_SLOT_ENDED);
}

/* The session's memory, with all records; the program has ended. */
static void make_memory(struct session *session, const char *lines)
{
    uint64_t bytes = OMPTAPE_CHUNK_BYTES;
    for (uint32_t i = 0; i < session->stream_count; i++)
        bytes += 2 * OMPTAPE_CHUNK_BYTES + session->streams[i]->used * sizeof(uint64_t) * 65 / 64;
    session->fd = omptape_layout_create(bytes, &session->shm);
    must(session->fd >= 0, "the session's memory");
    struct omptape_shm *shm = session->shm;
    session->settings.chunk_limit = shm->chunk_limit;
    session->settings.chunk_count = shm->chunk_count;
    for (uint32_t i = 0; i < session->stream_count; i++)
        lay_out(shm, session->streams[i]);
    must(strlen(lines) < sizeof(shm->info), "what the runtime says");
    memcpy(shm->info, lines, strlen(lines));
    atomic_store(&shm->info_bytes, (uint32_t)strlen(lines));
    atomic_store(&shm->end_ticks, session->begin + session->end);
    atomic_store(&shm->exit_status, 1);
    atomic_store(&shm->end, OMPTAPE_END_FINALIZE);
    atomic_store(&shm->program_state, OMPTAPE_PROGRAM_DONE);
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

static int settings_file(const struct session *session)
{
    const int fd = memfd_create("simulated-settings", MFD_CLOEXEC);
    must(fd >= 0 && pwrite(fd, &session->settings, sizeof(session->settings), 0) == sizeof(session->settings),
         "the settings");
    return fd;
}

/* The writer knows of the program's end from the session: it gets no pidfd. */
static void become_writer(const char *writer, const char *kernel, int shm, int maps, int settings)
{
    hand_down(shm, SHM_FD);
    close(PID_FD);
    hand_down(maps, MAPS_FD);
    hand_down(settings, SETTINGS_FD);
    if (setenv(KERNEL_PROPERTIES, kernel, 1) != 0)
        _exit(126);
    execl(writer, writer, (char *)NULL);
    _exit(127);
}

void session_start(struct session *session, const char *writer, const char *lines, const char *kernel)
{
    make_memory(session, lines);
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const int settings = settings_file(session);
    const int handed[] = {safe(session->fd), safe(maps), safe(settings)};
    must(omptape_clock_raw_ns() > session->begin + session->end,
         "the run is longer than the machine has run");
    session->writer = fork();
    must(session->writer >= 0, "fork");
    if (session->writer == 0)
        become_writer(writer, kernel, handed[0], handed[1], handed[2]);
    for (size_t i = 0; i < sizeof(handed) / sizeof(handed[0]); i++)
        close(handed[i]);
    close(maps);
    close(settings);
}

void session_finish(struct session *session)
{
    int status = -1;
    must(waitpid(session->writer, &status, 0) == session->writer, "the writer");
    if (atomic_load(&session->shm->writer_state) != OMPTAPE_WRITER_FINISHED) {
        fprintf(stderr, "the writer failed: %s\n", session->shm->message);
        exit(2);
    }
    omptape_layout_unmap(session->shm);
    close(session->fd);
}
