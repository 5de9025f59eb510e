/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes one checkpoint: redirects the archive's output to a scratch folder, completes the archive there and
 * packs its files. Runs in a forked child of the writer and ends that child.
 */
#include "writers/checkpoint.h"

#include "src/archive/otf2_files.h"
#include "src/core/clock.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "writers/finish.h"
#include "writers/profile/profile.h"
#include "writers/regions/contexts.h"
#include "writers/regions/names.h"
#include "writers/regions/references.h"
#include "writers/regions/sources.h"
#include "writers/top_answers.h"
#include <errno.h>
#include <omptape/locations.h>
#include <omptape/properties.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { EXIT_DONE = 0, EXIT_NOT_DONE = 1 };

/* Returns the name of a location's file: events (".evt") or definitions (".def"). */
static const char *file_of(char *name, size_t bytes, uint32_t location, const char *ending)
{
    snprintf(name, bytes, "traces/%llu%s", (unsigned long long)omptape_location_id(location, 0), ending);
    return name;
}

static const char *event_file(char *name, size_t bytes, uint32_t location)
{
    return file_of(name, bytes, location, ".evt");
}

static bool sync_file(int fd)
{
    return fdatasync(fd) == 0 || errno == EINVAL;
}

/* Synchronises event files that may have bytes not on the disk yet. Returns false on failure. */
static bool keep_events(const struct omptape_checkpoint *checkpoint, int folder)
{
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES];
    bool good = true;
    for (uint32_t i = 0; i < checkpoint->state_count && good; i++) {
        if (checkpoint->states[i].written == checkpoint->states[i].kept)
            continue;
        int fd = omptape_beneath_open_own_file(folder, event_file(name, sizeof(name), i));
        good = fd >= 0 && sync_file(fd);
        omptape_close(fd);
    }
    int events = omptape_beneath_open_own_folder(folder, "traces");
    if (events >= 0) {
        (void)fsync(events);
        close(events);
    }
    return good;
}

/* Resolves the source lines of regions that are new since the last child, and passes them to the parent. */
static void resolve_sources(const struct omptape_checkpoint *checkpoint, struct omptape_writer *writer)
{
    struct omptape_source source;
    /* A profile resolves regions as soon as they appear. */
    if (checkpoint->sources < 0 || writer->profile != NULL)
        return;
    for (uint32_t i = writer->sources->known; i < writer->references->count; i++) {
        omptape_names_resolve(writer, &writer->references->list[i], &source);
        if (!omptape_sources_export(checkpoint->sources, &source))
            break;
    }
    omptape_sources_import(writer->sources, checkpoint->sources);
}

static struct omptape_ending make_ending(uint64_t horizon, uint64_t realtime)
{
    struct omptape_ending ending = {.text = OMPTAPE_END_RESTORED,
                                    .time = horizon,
                                    .status = OTF2_UNDEFINED_INT64,
                                    .program_over = true,
                                    .has_maps = true};
    char clock[OMPTAPE_CHECKPOINT_TIME_BYTES];
    omptape_checkpoint_time(realtime, clock, sizeof(clock));
    snprintf(ending.warning, sizeof(ending.warning), "its writer was killed: what came after %s is missing",
             clock);
    return ending;
}

static void add_file(struct omptape_checkpoint_pack *pack, int scratch, const char *name)
{
    if (omptape_beneath_is_there(scratch, name))
        omptape_checkpoint_add(pack, scratch, name, 0);
}

static bool pack_all(const struct omptape_checkpoint *checkpoint, uint32_t locations, int folder, int scratch,
                     uint64_t realtime)
{
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES];
    struct omptape_checkpoint_pack pack;
    if (omptape_checkpoint_begin(&pack, folder, realtime, checkpoint->scratch) != 0)
        return false;
    for (uint32_t i = 0; i < locations; i++)
        omptape_checkpoint_add(&pack, scratch, event_file(name, sizeof(name), i),
                               i < checkpoint->state_count ? checkpoint->states[i].written : 0);
    for (uint32_t i = 0; i < locations; i++)
        add_file(&pack, scratch, file_of(name, sizeof(name), i, ".def"));
    add_file(&pack, scratch, OMPTAPE_PROFILE_FILE);
    add_file(&pack, scratch, "traces.marker");
    add_file(&pack, scratch, "traces.def");
    add_file(&pack, scratch, "traces.otf2");
    return omptape_checkpoint_commit(&pack) == 0;
}

static bool make_checkpoint(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                            uint64_t horizon)
{
    uint64_t realtime = omptape_clock_realtime_ns();
    struct omptape_ending ending = make_ending(horizon, realtime);
    int folder = checkpoint->folder;
    int scratch = checkpoint->scratch_folder;
    omptape_archive_files_remove(scratch);
    omptape_disk_reserve_detach(&writer->archive.disk_reserve);
    int events = omptape_beneath_make_folder(scratch, "traces", NULL);
    if (events < 0 || omptape_otf2_files_redirect(writer->archive.files, scratch) != 0)
        return false;
    for (uint32_t i = 0; i < writer->location_count; i++)
        omptape_event_file_redirect(writer->locations[i]->events);
    omptape_top_answers_detach(writer);
    resolve_sources(checkpoint, writer);
    writer->contexts->symbols_only = true;
    omptape_contexts_resolve(writer, checkpoint->frames);
    writer->final = true;
    writer->final_horizon = horizon;
    omptape_finish(writer, &ending);
    bool good = writer->archive.error[0] == '\0' && keep_events(checkpoint, folder) &&
                pack_all(checkpoint, writer->location_count, folder, scratch, realtime);
    omptape_archive_files_remove(scratch);
    return good;
}

void omptape_checkpoint_child(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                              uint64_t horizon)
{
    prctl(PR_SET_NAME, "omptape-safety");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(make_checkpoint(checkpoint, writer, horizon) ? EXIT_DONE : EXIT_NOT_DONE);
}
