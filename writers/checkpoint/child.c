/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes one checkpoint: turns libotf2 away from the archive's files to a folder of its own, completes the
 * archive there, packs what is there. Runs in a forked child of the writer, which it ends.
 */
#include "writers/checkpoint/state.h"

#include "src/core/clock.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/otf2_files.h"
#include "writers/regions/names.h"
#include "writers/regions/references.h"
#include "writers/regions/sources.h"
#include <omptape/locations.h>
#include <omptape/properties.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_DONE = 0, EXIT_NOT_DONE = 1, COPY_BYTES = 1024 * 1024 };

/* The file of a location's events (".evt") or definitions (".def"). */
static const char *file_of(char *name, size_t bytes, uint32_t location, const char *ending)
{
    snprintf(name, bytes, "traces/%llu%s", (unsigned long long)omptape_location_id(location, 0), ending);
    return name;
}

static const char *event_file(char *name, size_t bytes, uint32_t location)
{
    return file_of(name, bytes, location, ".evt");
}

/* What libotf2 writes from now on goes elsewhere. */
static bool turn_away(const struct omptape_open_file *file, int scratch)
{
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES];
    int fd = omptape_beneath_create(scratch, event_file(name, sizeof(name), file->location));
    bool turned = fd >= 0 && dup2(fd, file->fd) == file->fd;
    if (fd >= 0)
        close(fd);
    return turned;
}

static bool copy_range(int from, uint64_t from_offset, int to, uint64_t to_offset, uint64_t bytes)
{
    char *buffer = malloc(COPY_BYTES);
    bool good = buffer != NULL;
    while (bytes > 0 && good) {
        ssize_t n = pread(from, buffer, bytes < COPY_BYTES ? (size_t)bytes : COPY_BYTES, (off_t)from_offset);
        good = n > 0 && pwrite(to, buffer, (size_t)n, (off_t)to_offset) == n;
        from_offset += (uint64_t)n;
        to_offset += (uint64_t)n;
        bytes -= good ? (uint64_t)n : bytes;
    }
    free(buffer);
    return good;
}

static bool sync_file(int fd)
{
    return fdatasync(fd) == 0 || errno == EINVAL;
}

/* Full chunks that libotf2 holds back go into the archive's event file: the parent will write the same bytes
 * to the same place. So each comes to the disk once more at most, not with every checkpoint. */
static bool keep_chunks(const struct omptape_checkpoint *checkpoint, const struct omptape_open_file *file,
                        int folder, int scratch)
{
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES];
    uint64_t kept = checkpoint->states[file->location].kept;
    uint64_t begin = kept > file->written ? kept : file->written;
    if (file->final == kept)
        return true;
    event_file(name, sizeof(name), file->location);
    int from = omptape_beneath_open_own_file(scratch, name);
    int to = omptape_beneath_open_for_writing(folder, name);
    bool good = from >= 0 && to >= 0 &&
                copy_range(from, begin - file->written, to, begin, file->final - begin) && sync_file(to);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return good;
}

/* The files of locations that are over. */
static bool keep_closed(const struct omptape_checkpoint *checkpoint, int folder)
{
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES];
    bool good = true;
    for (uint32_t i = 0; i < checkpoint->state_count && good; i++) {
        if (!checkpoint->states[i].closed || checkpoint->states[i].safe)
            continue;
        int fd = omptape_beneath_open_own_file(folder, event_file(name, sizeof(name), i));
        good = fd >= 0 ? sync_file(fd) : fd == -ENOENT;
        if (fd >= 0)
            close(fd);
    }
    return good;
}

static bool keep_events(const struct omptape_checkpoint *checkpoint, int folder, int scratch)
{
    bool good = keep_closed(checkpoint, folder);
    for (uint32_t i = 0; i < checkpoint->file_count && good; i++)
        good = keep_chunks(checkpoint, &checkpoint->files[i], folder, scratch);
    int events = omptape_beneath_open_own_folder(folder, "traces");
    if (events >= 0) {
        (void)fsync(events);
        close(events);
    }
    return good;
}

/* Looks up where the regions are that are new since the last child did, and leaves that to the parent. */
static void look_up_sources(const struct omptape_checkpoint *checkpoint, struct omptape_writer *writer)
{
    struct omptape_source source;
    if (checkpoint->sources < 0)
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
                                    .maps_there = true};
    char clock[OMPTAPE_CHECKPOINT_TIME_BYTES];
    omptape_checkpoint_time(realtime, clock, sizeof(clock));
    snprintf(ending.warning, sizeof(ending.warning), "its writer was killed: what came after %s is missing",
             clock);
    return ending;
}

static void add_if_there(struct omptape_checkpoint_pack *pack, int scratch, const char *name)
{
    if (omptape_beneath_is_there(scratch, name))
        omptape_checkpoint_add(pack, scratch, name, 0, 0);
}

/* What of a location's event file stays, and how much of what is in the scratch folder is in that already. */
struct file_part {
    uint64_t prefix;
    uint64_t skip;
};

/* Of each location; the caller frees it. */
static struct file_part *find_parts(const struct omptape_checkpoint *checkpoint, uint32_t locations,
                                    int folder)
{
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES];
    struct stat status;
    struct file_part *parts = calloc(locations, sizeof(*parts));
    for (uint32_t i = 0; i < checkpoint->file_count && parts != NULL; i++) {
        const struct omptape_open_file *file = &checkpoint->files[i];
        parts[file->location] =
            (struct file_part){.prefix = file->final, .skip = file->final - file->written};
    }
    for (uint32_t i = 0; i < checkpoint->state_count && parts != NULL; i++)
        if (checkpoint->states[i].closed &&
            omptape_beneath_status(folder, event_file(name, sizeof(name), i), &status) == 0)
            parts[i].prefix = (uint64_t)status.st_size;
    return parts;
}

static bool pack_all(const struct omptape_checkpoint *checkpoint, uint32_t locations, int folder, int scratch,
                     uint64_t realtime)
{
    char name[OMPTAPE_CHECKPOINT_NAME_BYTES];
    struct omptape_checkpoint_pack pack;
    struct file_part *parts = find_parts(checkpoint, locations, folder);
    if (parts == NULL || omptape_checkpoint_begin(&pack, folder, realtime, checkpoint->scratch) != 0) {
        free(parts);
        return false;
    }
    for (uint32_t i = 0; i < locations; i++)
        omptape_checkpoint_add(&pack, scratch, event_file(name, sizeof(name), i), parts[i].prefix,
                               parts[i].skip);
    free(parts);
    for (uint32_t i = 0; i < locations; i++)
        add_if_there(&pack, scratch, file_of(name, sizeof(name), i, ".def"));
    add_if_there(&pack, scratch, "traces.marker");
    add_if_there(&pack, scratch, "traces.def");
    add_if_there(&pack, scratch, "traces.otf2");
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
    omptape_room_leave(&writer->archive.room);
    int events = omptape_beneath_make_folder(scratch, "traces", NULL);
    bool good = events >= 0 && omptape_otf2_files_turn(writer->archive.files, scratch) == 0;
    for (uint32_t i = 0; i < checkpoint->file_count && good; i++)
        good = turn_away(&checkpoint->files[i], scratch);
    if (!good)
        return false;
    look_up_sources(checkpoint, writer);
    writer->final = true;
    writer->final_horizon = horizon;
    checkpoint->finish(writer, &ending);
    good = writer->archive.error[0] == '\0' && keep_events(checkpoint, folder, scratch) &&
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
