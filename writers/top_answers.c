/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Answers requests of `omptape top` (writers/top_answers.h).
 */
#include "writers/top_answers.h"

#include "src/analysis/reduce/message.h"
#include "src/archive/read/memory.h"
#include "src/core/clock.h"
#include "src/core/log.h"
#include "src/core/whole.h"
#include "src/folder/atomic_file.h"
#include "writers/definitions/regions.h"
#include "writers/merge.h"
#include "writers/observe/observe.h"
#include "writers/processors.h"
#include "writers/profile/definitions.h"
#include "writers/profile/profile.h"
#include "writers/recorder.h"
#include "writers/regions/contexts.h"
#include "writers/state/sched.h"
#include "writers/translate/mutex.h"
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/translate.h"
#include "writers/translate/translators.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sums end after this time without a request. */
static const uint64_t idle_ns = 5000000000;
/* The first sums cover this time. */
static const uint64_t first_sums_ns = 300000000;
/* A child that has not delivered its answer after this time is killed. */
static const uint64_t answer_ns = 3000000000;

/* First id of definitions that exist only in the message: regions of functions, and calling contexts. The
 * writer's ids are lower. */
static const uint64_t first_own = UINT64_C(1) << 32;

/* Repeats the enter events of open regions, and which locks are held, for the observer. Stops at a worker's
 * frame whose team has ended, because the worker will report its leave later. */
static void repeat_open(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    uint32_t region = 0;
    struct omptape_archive *archive = &writer->archive;
    if (location == writer->locations[0] && writer->program_open)
        omptape_archive_enter(archive, location->events, time, OMPTAPE_PROGRAM_REGION);
    omptape_mutex_repeat_routines(writer, location, time);
    for (uint32_t i = 0; i <= location->stack.frame_count; i++) {
        const struct omptape_frame *frame = i > 0 ? &location->stack.frames[i - 1] : NULL;
        if (frame != NULL && frame->team != NULL && frame->team->end != 0)
            return;
        const uint32_t end = i < location->stack.frame_count ? location->stack.frames[i].base
                                                             : omptape_location_depth(location);
        if (frame != NULL && frame->implicit && frame->written && frame->team != NULL) {
            if (frame->team->primary == location)
                omptape_archive_fork(archive, location->events, time, frame->team->requested);
            omptape_archive_team_begin(archive, location->events, time, frame->team->comm);
        }
        for (; region < end; region++) {
            const struct omptape_open_region *open = &location->stack.regions[region + 1];
            if (open->class == OMPTAPE_CLASS_HOLD)
                omptape_mutex_repeat_hold(writer, location, open, time);
            if (open->written)
                omptape_archive_enter(archive, location->events, time, open->region);
        }
    }
}

/* Starts the sums at the first request. All records before `horizon` were translated. */
static void begin_sums(struct omptape_top_answers *answers, struct omptape_writer *writer, uint64_t horizon)
{
    answers->sums_begin = horizon > writer->begin ? horizon : writer->begin;
    if (writer->sums != NULL) {
        answers->sums_begin = writer->begin;
        return;
    }
    omptape_observe_refresh(writer);
    omptape_observe_mark_others(writer);
    /* What waits for the next record of a thread would come to the sums as an earlier event. */
    if (!answers->is_recorder)
        omptape_translate_advance(writer, horizon);
    if (answers->is_recorder || omptape_profile_attach_sums(writer, answers->sums_begin) != 0)
        return;
    writer->archive.observer.apart = true;
    omptape_mutex_list_held(writer);
    for (uint32_t i = 0; i < writer->location_count; i++) {
        struct omptape_location *location = writer->locations[i];
        omptape_event_file_hide_space(location->events);
        if (omptape_location_is_of_openmp(location) && !location->closed)
            repeat_open(writer, location, omptape_location_time(location, answers->sums_begin));
    }
    writer->archive.observer.apart = false;
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "omptape top asks: the analysis begins");
}

void omptape_top_answers_detach(struct omptape_writer *writer)
{
    if (writer->sums == writer->profile)
        return;
    writer->archive.observer = (struct archive_observer){.data = NULL};
    for (uint32_t i = 0; i < writer->location_count; i++) {
        omptape_event_file_restore_space(writer->locations[i]->events);
        writer->locations[i]->events->lane = NULL;
    }
    omptape_profile_free(writer);
}

static void end_sums(struct omptape_top_answers *answers, struct omptape_writer *writer)
{
    if (answers->sums_begin == 0)
        return;
    omptape_top_answers_detach(writer);
    answers->sums_begin = 0;
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "omptape top no longer asks: the analysis ends");
}

static uint64_t flags_of(const struct omptape_top_answers *answers, const struct omptape_writer *writer)
{
    return (writer->profile != NULL ? OMPTAPE_MESSAGE_PROFILE : 0U) |
           (answers->is_recorder ? OMPTAPE_MESSAGE_WINDOW : 0U) |
           (writer->paused_by_program ? OMPTAPE_MESSAGE_PAUSED : 0U) |
           (writer->archive.error[0] != '\0' ? OMPTAPE_MESSAGE_INCOMPLETE : 0U);
}

/* Adds the thread time so far, by the buckets of the summary. */
static void add_ticks(const struct omptape_writer *writer, uint64_t *ticks)
{
    for (uint32_t i = 0; i < writer->location_count; i++)
        for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT && writer->locations[i]->other == NULL; bucket++)
            ticks[bucket] += writer->locations[i]->stack.bucket_ticks[bucket];
}

static void gather_facts(const struct omptape_top_answers *answers, const struct omptape_writer *writer,
                         struct omptape_message_facts *facts)
{
    const struct omptape_settings *settings = writer->settings;
    struct timespec spent = {.tv_sec = 0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    *facts = (struct omptape_message_facts){
        .flags = flags_of(answers, writer),
        .pid = (uint64_t)settings->pid,
        .rank = settings->job.launcher[0] != '\0' ? (uint64_t)settings->job.rank + 1 : 0,
        .size = (uint64_t)settings->job.size,
        .resolution = omptape_timeline_resolution(&writer->timeline),
        .begin = writer->begin,
        .sums_begin = answers->sums_begin,
        .now = writer->last_time,
        .processors = omptape_processors_count(writer),
        .threads = writer->thread_count,
        .alive = answers->alive,
        .records = writer->record_count + writer->forgotten,
        .dropped = writer->dropped,
        .stalled = writer->stalled,
        .writer_ns = writer->processor_ns};
    memcpy(facts->books, answers->ticks_before, sizeof(facts->books));
    add_ticks(writer, facts->books);
    (void)snprintf(facts->program, sizeof(facts->program), "%s", settings->program);
    (void)snprintf(facts->host, sizeof(facts->host), "%s", settings->job.node);
    (void)snprintf(facts->job, sizeof(facts->job), "%s", settings->job.launcher);
    (void)snprintf(facts->folder, sizeof(facts->folder), "%s", answers->folder);
}

/* Describes what an other thread did since its marked reading. */
static struct omptape_message_thread describe_other(const struct omptape_writer *writer,
                                                    const struct omptape_location *location)
{
    const double ticks = (double)omptape_timeline_resolution(&writer->timeline) / 1e9;
    const struct omptape_sched_reading *marked = &location->sched->marked;
    const struct omptape_sched_reading last = omptape_sched_last(location);
    const uint64_t *sums = last.sums;
    const uint64_t span = omptape_minus(last.time, marked->time > 0 ? marked->time : location->begin);
    const uint64_t running =
        omptape_minus(sums[OMPTAPE_MEMBER_RUNNING], marked->sums[OMPTAPE_MEMBER_RUNNING]);
    const uint64_t queued = omptape_minus(sums[OMPTAPE_MEMBER_WAITING], marked->sums[OMPTAPE_MEMBER_WAITING]);
    struct omptape_message_thread thread = {
        .tid = location->tid, .begin = location->begin, .computing = omptape_whole((double)running * ticks)};
    thread.computing = thread.computing < span ? thread.computing : span;
    thread.runnable = omptape_whole((double)queued * ticks);
    thread.runnable = thread.runnable < span - thread.computing ? thread.runnable : span - thread.computing;
    thread.blocked = span - thread.computing - thread.runnable;
    (void)snprintf(thread.name, sizeof(thread.name), "%s", location->other);
    return thread;
}

/* Begins the message with the facts, and the threads that OpenMP does not know. */
static void put_facts(struct omptape_bytes *bytes, const struct omptape_writer *writer,
                      const struct omptape_message_facts *facts)
{
    const uint32_t all = omptape_observe_other_count(writer);
    struct omptape_message_thread *list = calloc(all + (size_t)1, sizeof(*list));
    uint32_t count = 0;
    for (uint32_t i = 0; i < all && list != NULL; i++) {
        const struct omptape_location *other = omptape_observe_other(writer, i);
        if (other != NULL)
            list[count++] = describe_other(writer, other);
    }
    omptape_message_begin(bytes, facts, list, count);
    free(list);
}

static struct omptape_reference to(enum omptape_definition_kind kind, uint64_t id)
{
    return omptape_reader_refer(kind, id);
}

/* Returns the message's id of a region that a calling context refers to: a construct or a function. */
static uint64_t region_id(const struct omptape_region_texts *regions, uint64_t region)
{
    for (uint32_t i = 0; i < regions->count && region <= regions->distinct; i++)
        if (!regions->list[i].merged && regions->list[i].final_ref == region)
            return i;
    return first_own + region;
}

static void define_functions(struct omptape_bytes *bytes, const struct omptape_region_texts *regions,
                             const struct omptape_context_texts *texts)
{
    for (uint32_t i = 0; i < texts->functions.count; i++) {
        const uint64_t *words = texts->functions.list[i].data;
        const struct omptape_definition head = {.kind = OMPTAPE_DEF_REGION,
                                                .id = first_own + regions->distinct + 1 + i,
                                                .value = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING}};
        const struct omptape_reference refs[] = {
            to(OMPTAPE_DEF_STRING, words[0]), to(OMPTAPE_DEF_STRING, words[0]),
            to(OMPTAPE_DEF_STRING, words[2]), to(OMPTAPE_DEF_STRING, words[1])};
        omptape_message_define(bytes, &head, refs, 4);
    }
}

static void define_context(struct omptape_bytes *bytes, const struct omptape_region_texts *regions,
                           const struct omptape_context_texts *texts, uint64_t id, uint32_t number)
{
    /* Columns: parent + 1, region, source code location. */
    const uint64_t *row = texts->contexts.list[number].data;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CALLING_CONTEXT, .id = id};
    const struct omptape_reference refs[] = {
        to(OMPTAPE_DEF_REGION, region_id(regions, row[1])), to(OMPTAPE_DEF_SOURCE_CODE_LOCATION, row[2]),
        to(OMPTAPE_DEF_CALLING_CONTEXT,
           row[0] != 0 ? first_own + row[0] - 1 : OTF2_UNDEFINED_CALLING_CONTEXT)};
    omptape_message_define(bytes, &head, refs, 3);
}

/* Defines functions, source locations and calling contexts of samples, and the contexts of events. */
static void define_contexts(struct omptape_bytes *bytes, const struct omptape_writer *writer,
                            const struct omptape_profile_defs *defs,
                            const struct omptape_context_texts *texts)
{
    const struct omptape_region_texts *regions = &defs->texts;
    define_functions(bytes, regions, texts);
    for (uint32_t i = 0; i < texts->places.count; i++) {
        const uint64_t *words = texts->places.list[i].data;
        const struct omptape_reference file = to(OMPTAPE_DEF_STRING, words[0]);
        const struct omptape_definition head = {
            .kind = OMPTAPE_DEF_SOURCE_CODE_LOCATION, .id = i, .value = {words[1]}};
        omptape_message_define(bytes, &head, &file, 1);
    }
    for (uint32_t i = 0; i < texts->contexts.count; i++)
        define_context(bytes, regions, texts, first_own + i, i);
    for (uint32_t i = 0; i < defs->reader->definition_count; i++) {
        const struct omptape_definition *met = defs->reader->definitions[i];
        if (met->kind == OMPTAPE_DEF_CALLING_CONTEXT && met->id < writer->contexts->tree.count &&
            texts->final[met->id] < texts->contexts.count)
            define_context(bytes, regions, texts, met->id, texts->final[met->id]);
    }
    const struct omptape_definition generator = {.kind = OMPTAPE_DEF_INTERRUPT_GENERATOR,
                                                 .id = OMPTAPE_INTERRUPT_GENERATOR,
                                                 .value = {0, 0, writer->settings->sample_ns}};
    const struct omptape_reference none = to(OMPTAPE_DEF_STRING, OTF2_UNDEFINED_STRING);
    omptape_message_define(bytes, &generator, &none, 1);
}

/* Adds the strings that only calling contexts use. Returns false on failure. */
static bool define_strings(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                           const struct omptape_context_texts *texts)
{
    bool good = true;
    for (uint32_t i = 0; i < texts->functions.count && good; i++) {
        const uint64_t *words = texts->functions.list[i].data;
        for (unsigned j = 0; j < 3 && good; j++)
            good = words[j] == OTF2_UNDEFINED_STRING ||
                   omptape_profile_defs_string(defs, writer, (OTF2_StringRef)words[j]);
    }
    for (uint32_t i = 0; i < texts->places.count && good; i++) {
        const uint64_t *words = texts->places.list[i].data;
        good = omptape_profile_defs_string(defs, writer, (OTF2_StringRef)words[0]);
    }
    return good;
}

/* Writes all definitions that the sums refer to, and then the sums. */
static void put_sums(struct omptape_bytes *bytes, struct omptape_writer *writer)
{
    struct omptape_context_texts texts = {.final = NULL};
    const struct analysis_state *pass = omptape_profile_end(writer);
    struct omptape_profile_defs *defs = omptape_profile_get_defs(writer->sums);
    if (pass == NULL) {
        omptape_message_end(bytes, NULL);
        return;
    }
    bool good = omptape_definitions_describe_contexts(writer, &defs->texts, &texts) &&
                define_strings(defs, writer, &texts);
    omptape_message_define_all(bytes, defs->reader);
    if (good && texts.final != NULL)
        define_contexts(bytes, writer, defs, &texts);
    omptape_message_end(bytes, pass);
}

/* Closes all open regions at `horizon`, for the observer only. */
static void close_open_regions(struct omptape_writer *writer, uint64_t horizon)
{
    writer->archive.observer.apart = true;
    if (horizon > writer->last_time)
        writer->last_time = horizon;
    omptape_parallel_synthesise_workers(writer, writer->last_time);
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (writer->locations[i]->device == NULL)
            omptape_close_contents(writer, writer->locations[i], writer->last_time);
}

/* Translates the flight recorder's copy. Records before the last answer's end are translated without sums. */
static void translate_window(struct omptape_top_answers *answers, struct omptape_writer *writer,
                             uint64_t horizon)
{
    writer->final = true;
    writer->final_horizon = answers->window;
    omptape_merge_pass(writer);
    if (omptape_profile_attach_sums(writer, 0) != 0)
        return;
    writer->archive.observer.beside = false;
    add_ticks(writer, answers->ticks_before);
    omptape_recorder_begin_window(writer);
    answers->sums_begin = writer->window_begin;
    writer->final_horizon = horizon;
    omptape_merge_pass(writer);
}

static void answer(struct omptape_top_answers *answers, struct omptape_writer *writer,
                   const struct omptape_request *request, uint64_t horizon)
{
    struct omptape_bytes bytes = {.list = NULL};
    struct omptape_message_facts facts;
    prctl(PR_SET_NAME, "omptape-top");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int fd = omptape_requests_open(request);
    if (fd < 0)
        _exit(0);
    writer->contexts->symbols_only = true;
    omptape_contexts_resolve(writer, answers->frames);
    if (answers->is_recorder)
        translate_window(answers, writer, horizon);
    if (writer->sums != NULL)
        close_open_regions(writer, horizon);
    gather_facts(answers, writer, &facts);
    put_facts(&bytes, writer, &facts);
    if (writer->sums != NULL)
        put_sums(&bytes, writer);
    else
        omptape_message_end(&bytes, NULL);
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    if (!bytes.failed)
        (void)omptape_write_all(fd, bytes.list, bytes.count);
    _exit(0);
}

static void begin_answer(struct omptape_top_answers *answers, struct omptape_writer *writer,
                         const struct omptape_request *request, uint64_t horizon)
{
    struct omptape_consumer copy;
    if (answers->is_recorder && omptape_consumer_copy(&writer->consumer, &copy) != 0)
        return;
    /* Checkpoints resolve the frames if they are enabled. */
    answers->frames = !answers->is_recorder && writer->settings->checkpoint_ns == 0
                          ? memfd_create("omptape-frames", MFD_CLOEXEC)
                          : -1;
    /* The child would do again for each answer what is not done here. */
    if (!answers->is_recorder && writer->sums != NULL) {
        omptape_translate_advance(writer, horizon);
        omptape_profile_advance(writer, horizon);
    }
    omptape_observe_refresh(writer);
    answers->child_ns = omptape_clock_raw_ns();
    answers->alive = atomic_load(&writer->shm->live_threads);
    answers->child = fork();
    if (answers->child == 0) {
        if (answers->is_recorder) {
            writer->consumer = copy;
            writer->shm = copy.shm;
        }
        answer(answers, writer, request, horizon);
    }
    answers->child = answers->child > 0 ? answers->child : 0;
    if (!answers->is_recorder)
        return;
    omptape_consumer_close(&copy);
    omptape_observe_mark_others(writer); /* The next window begins here. */
}

static void close_frames(struct omptape_top_answers *answers, struct omptape_writer *writer, bool good)
{
    if (answers->frames >= 0 && good)
        omptape_contexts_import(writer->contexts, answers->frames);
    if (answers->frames >= 0)
        close(answers->frames);
    answers->frames = -1;
}

/* Reaps the child that answers, and kills it if nobody has read its answer in time. */
static void reap_child(struct omptape_top_answers *answers, struct omptape_writer *writer, uint64_t now)
{
    int status = 0;
    if (answers->child == 0)
        return;
    if (now - answers->child_ns > answer_ns)
        (void)kill(answers->child, SIGKILL);
    const pid_t ended = waitpid(answers->child, &status, WNOHANG);
    if (ended == 0)
        return;
    answers->child = 0;
    close_frames(answers, writer, ended > 0 && WIFEXITED(status));
}

/* Takes the next request, if there is one and no answer is pending. */
static void accept_request(struct omptape_top_answers *answers, struct omptape_writer *writer,
                           uint64_t horizon)
{
    if (answers->answer_ns != 0 || answers->child != 0 || !omptape_requests_take_top(&answers->request))
        return;
    answers->request_ns = omptape_clock_raw_ns();
    answers->answer_ns = answers->request_ns;
    if (answers->sums_begin != 0)
        return;
    answers->answer_ns += writer->sums == NULL ? first_sums_ns : 0;
    answers->window = horizon;
    begin_sums(answers, writer, horizon);
}

void omptape_top_answers_serve(struct omptape_top_answers *answers, struct omptape_writer *writer,
                               uint64_t horizon)
{
    if (answers->sums_begin != 0)
        reap_child(answers, writer, omptape_clock_raw_ns());
    accept_request(answers, writer, horizon);
    if (answers->answer_ns != 0 && omptape_clock_raw_ns() >= answers->answer_ns) {
        begin_answer(answers, writer, &answers->request, horizon);
        answers->answer_ns = 0;
        answers->window = horizon;
    }
    if (answers->sums_begin != 0 && answers->child == 0 &&
        omptape_clock_raw_ns() - answers->request_ns > idle_ns)
        end_sums(answers, writer);
}

void omptape_top_answers_unused(struct omptape_writer *writer)
{
    const struct omptape_top_answers nothing = {.folder = "", .alive = omptape_observe_thread_count(writer)};
    struct omptape_message_facts facts;
    struct omptape_request request;
    while (omptape_requests_take_top(&request)) {
        struct omptape_bytes bytes = {.list = NULL};
        omptape_observe_refresh(writer);
        gather_facts(&nothing, writer, &facts);
        facts.flags |= OMPTAPE_MESSAGE_UNUSED;
        facts.sums_begin = writer->begin;
        facts.now = omptape_timeline_now(&writer->timeline);
        put_facts(&bytes, writer, &facts);
        omptape_message_end(&bytes, NULL);
        const int fd = omptape_requests_open(&request);
        /* The message fits into a pipe, so the write does not block. */
        if (fd >= 0 && !bytes.failed)
            (void)omptape_write_all(fd, bytes.list, bytes.count);
        if (fd >= 0)
            close(fd);
        omptape_bytes_free(&bytes);
    }
}

void omptape_top_answers_stop(struct omptape_top_answers *answers, struct omptape_writer *writer)
{
    if (answers->child != 0) {
        (void)kill(answers->child, SIGKILL);
        (void)waitpid(answers->child, NULL, 0);
        answers->child = 0;
        close_frames(answers, writer, false);
    }
    end_sums(answers, writer);
}
