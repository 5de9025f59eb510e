/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules checkpoints, forks the child that makes each one (writers/child.c) and imports the child's
 * results. Called by the writer's main thread.
 */
#include "writers/checkpoint.h"

#include "src/core/array.h"
#include "src/core/clock.h"
#include "src/core/log.h"
#include "src/folder/beneath.h"
#include "writers/regions/contexts.h"
#include "writers/regions/sources.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first checkpoint comes early, because short programs may be killed, too. */
static const uint64_t first_ns = 500000000;

/* Estimated size of a checkpoint: each location's chunk, last events and definitions, plus a constant. */
enum { BYTES_A_LOCATION = 320 * 1024, BYTES_BESIDE = 16 * 1024 * 1024 };

void omptape_checkpoint_start(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer,
                              const char *path, int folder)
{
    *checkpoint = (struct omptape_checkpoint){
        .path = path, .folder = folder, .sources = -1, .frames = -1, .scratch_folder = -1};
    if (path != NULL)
        checkpoint->period = writer->settings->checkpoint_ns;
    checkpoint->next =
        omptape_clock_raw_ns() + (checkpoint->period < first_ns ? checkpoint->period : first_ns);
}

static bool has_capacity(int folder, uint64_t bytes)
{
    struct statvfs fs;
    return faccessat(folder, ".", W_OK | X_OK, 0) == 0 && fstatvfs(folder, &fs) == 0 &&
           (uint64_t)fs.f_bavail * fs.f_frsize > bytes;
}

static void remove_scratch(struct omptape_checkpoint *checkpoint)
{
    if (checkpoint->scratch_folder < 0)
        return;
    close(checkpoint->scratch_folder);
    omptape_checkpoint_remove_scratch(checkpoint->scratch_place, strrchr(checkpoint->scratch, '/') + 1);
    close(checkpoint->scratch_place);
    checkpoint->scratch_folder = -1;
}

/* Creates the scratch folder in `path` if enough bytes are free there. Also removes scratch folders of
 * killed writers from `path`. */
static bool make_scratch_in(struct omptape_checkpoint *checkpoint, const char *path, uint64_t bytes)
{
    char name[NAME_MAX + 1];
    int place = path[0] == '/' ? omptape_beneath_open_named(path) : -1;
    if (place < 0)
        return false;
    omptape_checkpoint_remove_dead(place);
    int folder = has_capacity(place, bytes) ? omptape_checkpoint_make_scratch(place, name, sizeof(name)) : -1;
    size_t size = sizeof(checkpoint->scratch);
    int n = folder >= 0 ? snprintf(checkpoint->scratch, size, "%s/%s", path, name) : 0;
    checkpoint->scratch_place = place;
    checkpoint->scratch_folder = folder;
    if (folder >= 0 && (size_t)n < size)
        return true;
    if (folder >= 0) {
        close(folder);
        omptape_checkpoint_remove_scratch(place, name);
        checkpoint->scratch_folder = -1;
    }
    close(place);
    return false;
}

/* Prefers a folder in memory, then a disk of this node, then the archive's own folder. */
static bool make_scratch(struct omptape_checkpoint *checkpoint, uint32_t locations)
{
    const char *places[OMPTAPE_CHECKPOINT_PLACES + 1];
    uint64_t bytes = (uint64_t)locations * BYTES_A_LOCATION + BYTES_BESIDE;
    omptape_checkpoint_list_places(places);
    places[OMPTAPE_CHECKPOINT_PLACES] = checkpoint->path;
    if (checkpoint->scratch_folder >= 0 && has_capacity(checkpoint->scratch_folder, bytes))
        return true;
    remove_scratch(checkpoint);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (make_scratch_in(checkpoint, places[i], bytes))
            return true;
    return false;
}

static bool note_files(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer)
{
    uint32_t count = writer->location_count;
    if (!OMPTAPE_RESERVE(checkpoint->states, count, &checkpoint->state_capacity))
        return false;
    for (uint32_t i = checkpoint->state_count; i < count; i++)
        checkpoint->states[i].kept = 0;
    for (uint32_t i = 0; i < count; i++)
        checkpoint->states[i].written = writer->locations[i]->events->written;
    checkpoint->state_count = count;
    return true;
}

static void begin_checkpoint(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                             uint64_t horizon)
{
    if (!note_files(checkpoint, writer) || !make_scratch(checkpoint, writer->location_count))
        return;
    checkpoint->sources = memfd_create("omptape-sources", MFD_CLOEXEC);
    checkpoint->frames = memfd_create("omptape-frames", MFD_CLOEXEC);
    pid_t child = fork();
    if (child == 0)
        omptape_checkpoint_child(checkpoint, writer, horizon);
    checkpoint->child = child > 0 ? child : 0;
}

static void close_sources(struct omptape_checkpoint *checkpoint)
{
    omptape_close(checkpoint->sources);
    omptape_close(checkpoint->frames);
    checkpoint->sources = -1;
    checkpoint->frames = -1;
}

/* Evaluates the exit status of the child and imports the source lines and frames that the child resolved. */
static void conclude_checkpoint(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                                int status)
{
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    checkpoint->child = 0;
    checkpoint->made = checkpoint->made || good;
    omptape_log(OMPTAPE_LOG_DEBUG, OMPTAPE_LOG_WRITER, "a checkpoint %s", good ? "was made" : "failed");
    for (uint32_t i = 0; good && i < checkpoint->state_count; i++)
        checkpoint->states[i].kept = checkpoint->states[i].written;
    if (checkpoint->sources >= 0)
        omptape_sources_import(writer->sources, checkpoint->sources);
    if (checkpoint->frames >= 0)
        omptape_contexts_import(writer->contexts, checkpoint->frames);
    close_sources(checkpoint);
}

void omptape_checkpoint_serve(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                              uint64_t horizon)
{
    int status;
    if (checkpoint->period == 0 || writer->archive.error[0] != '\0')
        return;
    uint64_t now = omptape_clock_raw_ns();
    if (checkpoint->child != 0 && waitpid(checkpoint->child, &status, WNOHANG) == checkpoint->child)
        conclude_checkpoint(checkpoint, writer, status);
    if (now < checkpoint->next || checkpoint->child != 0)
        return;
    checkpoint->next = now + checkpoint->period;
    begin_checkpoint(checkpoint, writer, horizon);
}

/* Kills the child and removes its unfinished checkpoint. */
static void end_child(struct omptape_checkpoint *checkpoint)
{
    kill(checkpoint->child, SIGKILL);
    while (waitpid(checkpoint->child, NULL, 0) < 0 && errno == EINTR)
        ;
    checkpoint->child = 0;
    (void)omptape_beneath_remove(checkpoint->folder, OMPTAPE_CHECKPOINT_FRESH);
}

void omptape_checkpoint_stop(struct omptape_checkpoint *checkpoint)
{
    if (checkpoint->child != 0)
        end_child(checkpoint);
    close_sources(checkpoint);
    remove_scratch(checkpoint);
    free(checkpoint->states);
    checkpoint->states = NULL;
}

void omptape_checkpoint_remove(const struct omptape_checkpoint *checkpoint)
{
    if (checkpoint->period != 0)
        omptape_checkpoint_discard(checkpoint->folder);
}
