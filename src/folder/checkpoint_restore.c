/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Completes an archive from its checkpoint (checkpoint.h). Called by unification, on its only thread. The
 * file may be damaged or forged, so all of it is checked before any file is changed.
 */
#include "src/core/words.h"
#include "src/folder/checkpoint.h"

#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/folder/archive_files.h"
#include "src/folder/atomic_file.h"
#include "src/folder/beneath.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH_NAME ".omptape-restored"

enum { COPY_BYTES = 1024 * 1024 };

struct restoration {
    int folder;
    int fd;
    char *buffer;
    uint64_t *locations; /* locations with an event file in the checkpoint; sorted after the check */
    size_t location_count;
    size_t location_capacity;
    bool anchor;
    char *reason;
    size_t reason_bytes;
};

static int fail_with(const struct restoration *restoration, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail_with(const struct restoration *restoration, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(restoration->reason, restoration->reason_bytes, format, arguments);
    va_end(arguments);
    return error;
}

/* Stores the reason why a file cannot be used, and returns the error. */
static int refuse_file(const struct restoration *restoration, const char *name, int error)
{
    omptape_beneath_explain(restoration->folder, name, error, restoration->reason, restoration->reason_bytes);
    return error;
}

static int fail_damaged(const struct restoration *restoration, const char *what)
{
    return fail_with(restoration, -EINVAL, "its checkpoint " OMPTAPE_CHECKPOINT_FILE " is damaged (%s)",
                     what);
}

/* Reads `bytes` bytes. Returns 0, or -EINVAL if the file is too short. */
static int get_bytes(const struct restoration *restoration, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        ssize_t n = read(restoration->fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_with(restoration, -errno, "its checkpoint cannot be read: %s", strerror(errno));
        if (n == 0)
            return fail_damaged(restoration, "cut short");
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static int get_head(const struct restoration *restoration, struct omptape_checkpoint_head *head)
{
    int result = get_bytes(restoration, head, sizeof(*head));
    if (result != 0)
        return result;
    if (memcmp(head->magic, OMPTAPE_CHECKPOINT_MAGIC, sizeof(OMPTAPE_CHECKPOINT_MAGIC)) != 0)
        return fail_damaged(restoration, "no checkpoint");
    if (head->version != OMPTAPE_CHECKPOINT_VERSION || head->head_bytes != sizeof(*head))
        return fail_with(restoration, -EINVAL,
                         "its checkpoint is of another version of omptape, which can complete it");
    if (head->host[sizeof(head->host) - 1] != '\0' || head->scratch[sizeof(head->scratch) - 1] != '\0')
        return fail_damaged(restoration, "endless names");
    return 0;
}

/* Parses "N.evt", "N.def" or a profile's "N.sums" into the location N. */
static bool is_of_location(const char *name, uint64_t *location)
{
    char *rest;
    if (!isdigit((unsigned char)name[0]))
        return false;
    *location = strtoull(name, &rest, 10);
    return strcmp(rest, ".evt") == 0 || strcmp(rest, ".def") == 0 || strcmp(rest, ".sums") == 0;
}

static bool is_known_name(const char *name, uint64_t *location)
{
    static const char events[] = OMPTAPE_ARCHIVE_EVENTS "/";
    return strcmp(name, OMPTAPE_ARCHIVE_DEFINITIONS) == 0 || strcmp(name, OMPTAPE_ARCHIVE_MARKERS) == 0 ||
           strcmp(name, OMPTAPE_ARCHIVE_ANCHOR) == 0 ||
           (omptape_starts_with(name, events) && is_of_location(name + strlen(events), location));
}

static bool is_events(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && strcmp(dot, ".evt") == 0;
}

static int note_location(struct restoration *restoration, uint64_t location)
{
    if (restoration->location_count == restoration->location_capacity) {
        size_t capacity = restoration->location_capacity != 0 ? restoration->location_capacity * 2 : 64;
        uint64_t *list = realloc(restoration->locations, capacity * sizeof(*list));
        if (list == NULL)
            return fail_with(restoration, -ENOMEM, "there is no memory to complete it");
        restoration->locations = list;
        restoration->location_capacity = capacity;
    }
    restoration->locations[restoration->location_count++] = location;
    return 0;
}

/* Checks that the entry names a file of an archive, and that the file has the prefix that is kept. */
static int check_entry(struct restoration *restoration, const struct omptape_checkpoint_entry *entry)
{
    struct stat status;
    uint64_t location = 0;
    if (entry->name[sizeof(entry->name) - 1] != '\0' || restoration->anchor ||
        !is_known_name(entry->name, &location))
        return fail_damaged(restoration, "a strange name");
    restoration->anchor = strcmp(entry->name, OMPTAPE_ARCHIVE_ANCHOR) == 0;
    if (!is_events(entry->name))
        return entry->prefix == 0 ? 0 : fail_damaged(restoration, "a strange size");
    int refused = omptape_beneath_check_own(restoration->folder, entry->name, S_IFREG);
    bool there = refused == 0 && omptape_beneath_status(restoration->folder, entry->name, &status) == 0;
    if (refused != 0 && refused != -ENOENT)
        return refuse_file(restoration, entry->name, refused);
    if (entry->prefix > 0 && (!there || (uint64_t)status.st_size < entry->prefix))
        return fail_with(restoration, -EIO, "%s is shorter than when its checkpoint was made", entry->name);
    return note_location(restoration, location);
}

/* Reads the entry's bytes; adds them to the checksum, or writes them to `to`. */
static int pass_bytes(const struct restoration *restoration, uint64_t bytes, int to, uint64_t *sum)
{
    while (bytes > 0) {
        size_t part = bytes < COPY_BYTES ? (size_t)bytes : COPY_BYTES;
        int result = get_bytes(restoration, restoration->buffer, part);
        if (result != 0)
            return result;
        if (sum != NULL)
            *sum = omptape_checkpoint_sum(*sum, restoration->buffer, part);
        result = to >= 0 ? omptape_write_all(to, restoration->buffer, part) : 0;
        if (result != 0)
            return result;
        bytes -= part;
    }
    return 0;
}

/* Checks the whole checkpoint without changing a file. */
static int check_pack(struct restoration *restoration, struct omptape_checkpoint_head *head)
{
    struct omptape_checkpoint_entry entry;
    int result = get_head(restoration, head);
    uint64_t sum = omptape_checkpoint_sum(OMPTAPE_CHECKPOINT_SUM, head, sizeof(*head));
    while (result == 0) {
        result = get_bytes(restoration, &entry, sizeof(entry));
        if (result == 0 && entry.name[0] == '\0')
            break;
        sum = omptape_checkpoint_sum(sum, &entry, sizeof(entry));
        if (result == 0)
            result = check_entry(restoration, &entry);
        if (result == 0)
            result = pass_bytes(restoration, entry.bytes, -1, &sum);
    }
    const struct omptape_checkpoint_entry last = {.prefix = sum};
    if (result == 0 && (memcmp(&entry, &last, sizeof(last)) != 0 || !restoration->anchor))
        result = fail_damaged(restoration, "its checksum is wrong");
    if (result == 0 && restoration->location_count > 1)
        omptape_sort(restoration->locations, restoration->location_count, sizeof(uint64_t),
                     omptape_compare_whole);
    return result;
}

/* Restores one file: truncates an event file to its prefix and appends the bytes; rewrites other files. */
static int put_back(const struct restoration *restoration, const struct omptape_checkpoint_entry *entry)
{
    bool events = is_events(entry->name);
    int fd = events ? omptape_beneath_open_for_writing(restoration->folder, entry->name) : -ENOENT;
    if (fd == -ENOENT)
        fd = omptape_beneath_create(restoration->folder, events ? entry->name : FRESH_NAME);
    int result = fd < 0 ? fd : 0;
    if (result == 0 && (ftruncate(fd, (off_t)entry->prefix) != 0 || lseek(fd, 0, SEEK_END) < 0))
        result = -errno;
    if (result == 0)
        result = pass_bytes(restoration, entry->bytes, fd, NULL);
    if (result == 0 && fsync(fd) != 0)
        result = -errno;
    if (fd >= 0 && close(fd) != 0 && result == 0)
        result = -errno;
    if (result == 0 && !events)
        result = omptape_beneath_rename(restoration->folder, FRESH_NAME, restoration->folder, entry->name);
    if (result != 0 && restoration->reason[0] == '\0')
        fail_with(restoration, result, "%s cannot be written: %s", entry->name, strerror(-result));
    return result;
}

/* Removes event files of threads that began after the checkpoint. */
static void remove_others(const struct restoration *restoration)
{
    uint64_t location;
    DIR *entries = omptape_beneath_list(restoration->folder, OMPTAPE_ARCHIVE_EVENTS);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (is_of_location(entry->d_name, &location) &&
            (restoration->locations == NULL ||
             bsearch(&location, restoration->locations, restoration->location_count, sizeof(uint64_t),
                     omptape_compare_whole) == NULL))
            (void)omptape_beneath_remove(dirfd(entries), entry->d_name);
    omptape_close_list(entries);
}

static void sync_folder(int folder, const char *name)
{
    int fd = omptape_beneath_open_folder(folder, name);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static int put_all_back(const struct restoration *restoration)
{
    struct omptape_checkpoint_entry entry;
    int result = 0;
    int events = omptape_beneath_make_folder(restoration->folder, OMPTAPE_ARCHIVE_EVENTS, NULL);
    if (events < 0)
        return refuse_file(restoration, OMPTAPE_ARCHIVE_EVENTS, events);
    close(events);
    if (lseek(restoration->fd, sizeof(struct omptape_checkpoint_head), SEEK_SET) < 0)
        return fail_with(restoration, -errno, "its checkpoint cannot be read: %s", strerror(errno));
    remove_others(restoration);
    for (;;) {
        result = get_bytes(restoration, &entry, sizeof(entry));
        if (result != 0 || entry.name[0] == '\0')
            return result;
        if (strcmp(entry.name, OMPTAPE_ARCHIVE_ANCHOR) == 0) {
            sync_folder(restoration->folder, OMPTAPE_ARCHIVE_EVENTS);
            sync_folder(restoration->folder, ".");
        }
        result = put_back(restoration, &entry);
        if (result != 0)
            return result;
    }
}

/* Removes the killed writer's scratch folder on this host. */
static void remove_scratch(const struct omptape_checkpoint_head *head)
{
    char place[sizeof(head->scratch)];
    char host[sizeof(head->host)] = "";
    const char *name = strrchr(head->scratch, '/');
    gethostname(host, sizeof(host) - 1);
    if (name == NULL || !omptape_starts_with(name + 1, OMPTAPE_CHECKPOINT_SCRATCH) ||
        strcmp(host, head->host) != 0)
        return;
    snprintf(place, sizeof(place), "%.*s", (int)(name - head->scratch), head->scratch);
    int folder = omptape_beneath_open_named(place);
    if (folder < 0)
        return;
    omptape_checkpoint_remove_scratch(folder, name + 1);
    close(folder);
}

int omptape_checkpoint_restore(int folder, struct omptape_checkpoint_head *head, char *reason, size_t bytes)
{
    struct restoration restoration = {.folder = folder, .reason = reason, .reason_bytes = bytes};
    reason[0] = '\0';
    restoration.fd = omptape_beneath_open_own_file(folder, OMPTAPE_CHECKPOINT_FILE);
    if (restoration.fd < 0)
        return restoration.fd == -ENOENT ? -ENOENT
                                         : refuse_file(&restoration, OMPTAPE_CHECKPOINT_FILE, restoration.fd);
    restoration.buffer = malloc(COPY_BYTES);
    int result = restoration.buffer != NULL
                     ? check_pack(&restoration, head)
                     : fail_with(&restoration, -ENOMEM, "there is no memory to complete it");
    if (result == 0)
        result = put_all_back(&restoration);
    close(restoration.fd);
    if (result == 0) {
        sync_folder(folder, ".");
        omptape_checkpoint_discard(folder);
        remove_scratch(head);
    } else {
        (void)omptape_beneath_remove(folder, FRESH_NAME);
    }
    free(restoration.locations);
    free(restoration.buffer);
    return result;
}
