/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When checkpoints are made, and what the writer has to know and to do for it. child.c is the child.
 */
#include "writers/checkpoint/checkpoint.h"

#include "src/core/array.h"
#include "src/core/clock.h"
#include "src/core/message.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint_scratch.h"
#include "writers/regions/sources.h"
#include <omptape/locations.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Short programs may be killed, too. */
static const uint64_t first_ns = 500000000;

/* What a checkpoint may need beside libotf2's own buffers: for each location its chunk, its last events and
 * its definitions. */
enum { BYTES_A_LOCATION = 320 * 1024, BYTES_BESIDE = 16 * 1024 * 1024 };

void omptape_checkpoint_start(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer,
                              const char *path, int folder, omptape_finisher *finish)
{
    *checkpoint = (struct omptape_checkpoint){
        .path = path, .folder = folder, .finish = finish, .sources = -1, .scratch_folder = -1};
    if (path != NULL)
        checkpoint->period = writer->shm->options.checkpoint_ns;
    checkpoint->next =
        omptape_clock_raw_ns() + (checkpoint->period < first_ns ? checkpoint->period : first_ns);
}

static uint64_t bytes_needed(const struct omptape_checkpoint *checkpoint, uint32_t locations)
{
    uint64_t bytes = (uint64_t)locations * BYTES_A_LOCATION + BYTES_BESIDE;
    for (uint32_t i = 0; i < checkpoint->file_count; i++)
        bytes += checkpoint->files[i].final - checkpoint->files[i].written;
    return bytes;
}

static bool has_room(int folder, uint64_t bytes)
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

/* In one place, if there is room. What killed writers left there goes. */
static bool make_scratch_in(struct omptape_checkpoint *checkpoint, const char *path, uint64_t bytes)
{
    char name[NAME_MAX + 1];
    int place = path[0] == '/' ? omptape_beneath_open_named(path) : -1;
    if (place < 0)
        return false;
    omptape_checkpoint_remove_dead(place);
    int folder = has_room(place, bytes) ? omptape_checkpoint_make_scratch(place, name, sizeof(name)) : -1;
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

/* Memory, if there is any; else a disk of this node; else the archive's own. */
static bool make_scratch(struct omptape_checkpoint *checkpoint, uint32_t locations)
{
    const char *temporary = getenv("TMPDIR");
    uint64_t bytes = bytes_needed(checkpoint, locations);
    const char *const places[] = {"/dev/shm", temporary != NULL ? temporary : "", "/tmp", checkpoint->path};
    if (checkpoint->scratch_folder >= 0 && has_room(checkpoint->scratch_folder, bytes))
        return true;
    remove_scratch(checkpoint);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (make_scratch_in(checkpoint, places[i], bytes))
            return true;
    return false;
}

static bool note_file(struct omptape_checkpoint *checkpoint, struct omptape_open_file file)
{
    struct omptape_open_file *files = omptape_array_reserve(checkpoint->files, checkpoint->file_count + 1,
                                                            &checkpoint->file_capacity, sizeof(*files));
    if (files == NULL)
        return false;
    checkpoint->files = files;
    files[checkpoint->file_count++] = file;
    return true;
}

/* Notes the file if it is an event file. False: it is open for writing and none, so that it is not known what
 * the child would write to. */
static bool look_at_file(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer, int fd)
{
    char link[64];
    char path[OMPTAPE_PATH_BYTES];
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY)
        return true;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *name = strrchr(path, '/');
    char *rest = NULL;
    if (name == NULL || !isdigit((unsigned char)name[1]))
        return false;
    uint64_t location = strtoull(name + 1, &rest, 10);
    struct omptape_open_file file = {.fd = fd, .location = omptape_location_index(location)};
    off_t written = lseek(fd, 0, SEEK_CUR);
    file.written = (uint64_t)written;
    file.final = omptape_archive_flushed(&writer->archive, location);
    return strcmp(rest, ".evt") == 0 && written >= 0 && file.location < writer->location_count &&
           file.final >= file.written && note_file(checkpoint, file);
}

static bool find_open_files(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer)
{
    const struct dirent *entry;
    DIR *entries = opendir("/proc/self/fd");
    bool known = entries != NULL;
    checkpoint->file_count = 0;
    while (known && (entry = readdir(entries)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) > STDERR_FILENO)
            known = look_at_file(checkpoint, writer, atoi(entry->d_name));
    if (entries != NULL)
        closedir(entries);
    return known;
}

static bool note_closed(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer)
{
    uint32_t count = writer->location_count;
    if (count > checkpoint->state_count) {
        struct omptape_file_state *states = realloc(checkpoint->states, count * sizeof(*states));
        if (states == NULL)
            return false;
        memset(states + checkpoint->state_count, 0, (count - checkpoint->state_count) * sizeof(*states));
        checkpoint->states = states;
        checkpoint->state_count = count;
    }
    for (uint32_t i = 0; i < count; i++)
        checkpoint->states[i].closed = writer->locations[i]->events->otf2 == NULL;
    return true;
}

/* What libotf2 gave to stdio goes to the files: a child may not write it once more. Stdio forgets what it
 * cannot write, so an error is one of the archive. */
static bool flush_files(struct omptape_writer *writer)
{
    char why[64];
    if (fflush(NULL) == 0)
        return true;
    snprintf(why, sizeof(why), "writing the event files: %s", omptape_cause(errno));
    omptape_archive_check(&writer->archive, OTF2_ERROR_FILE_INTERACTION, why);
    return false;
}

static void begin_checkpoint(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                             uint64_t horizon)
{
    if (!flush_files(writer) || !note_closed(checkpoint, writer) || !find_open_files(checkpoint, writer) ||
        !make_scratch(checkpoint, writer->location_count))
        return;
    checkpoint->sources = memfd_create("omptape-sources", MFD_CLOEXEC);
    pid_t child = fork();
    if (child == 0)
        omptape_checkpoint_child(checkpoint, writer, horizon);
    checkpoint->child = child > 0 ? child : 0;
}

/* The child has ended: what it achieved. */
static void conclude_checkpoint(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                                int status)
{
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    checkpoint->child = 0;
    checkpoint->made = checkpoint->made || good;
    for (uint32_t i = 0; good && i < checkpoint->state_count; i++)
        checkpoint->states[i].safe = checkpoint->states[i].closed;
    for (uint32_t i = 0; good && i < checkpoint->file_count; i++)
        checkpoint->states[checkpoint->files[i].location].kept = checkpoint->files[i].final;
    if (checkpoint->sources < 0)
        return;
    omptape_sources_import(writer->sources, checkpoint->sources);
    close(checkpoint->sources);
    checkpoint->sources = -1;
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

/* One that was being packed is of no use. */
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
    if (checkpoint->sources >= 0)
        close(checkpoint->sources);
    remove_scratch(checkpoint);
    free(checkpoint->files);
    free(checkpoint->states);
    checkpoint->files = NULL;
    checkpoint->states = NULL;
}

void omptape_checkpoint_remove(const struct omptape_checkpoint *checkpoint)
{
    if (checkpoint->period != 0)
        omptape_checkpoint_discard(checkpoint->folder);
}
