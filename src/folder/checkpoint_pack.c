/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packs a checkpoint (checkpoint.h). Called by the writer's checkpoint process, on its only thread.
 */
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/atomic_file.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Size of a write: few large writes are faster. */
enum { COPY_BYTES = 1024 * 1024 };

uint64_t omptape_checkpoint_sum(uint64_t sum, const void *data, size_t bytes)
{
    static const uint64_t prime = UINT64_C(0x100000001b3);
    const unsigned char *at = data;
    for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        sum = (sum ^ word) * prime;
        sum ^= sum >> 29;
    }
    for (; bytes > 0; bytes--)
        sum = (sum ^ *at++) * prime;
    return sum;
}

static void put_bytes(struct omptape_checkpoint_pack *pack, const void *data, size_t bytes)
{
    pack->sum = omptape_checkpoint_sum(pack->sum, data, bytes);
    if (pack->error == 0)
        pack->error = omptape_write_all(pack->fd, data, bytes);
}

int omptape_checkpoint_begin(struct omptape_checkpoint_pack *pack, int folder, uint64_t realtime,
                             const char *scratch)
{
    struct omptape_checkpoint_head head = {.magic = OMPTAPE_CHECKPOINT_MAGIC,
                                           .version = OMPTAPE_CHECKPOINT_VERSION,
                                           .head_bytes = sizeof(head),
                                           .realtime = realtime};
    *pack = (struct omptape_checkpoint_pack){.folder = folder, .sum = OMPTAPE_CHECKPOINT_SUM};
    gethostname(head.host, sizeof(head.host) - 1);
    snprintf(head.scratch, sizeof(head.scratch), "%s", scratch);
    /* An entry of this name can only be an interrupted checkpoint. */
    (void)omptape_beneath_remove(folder, OMPTAPE_CHECKPOINT_FRESH);
    pack->fd = omptape_beneath_create(folder, OMPTAPE_CHECKPOINT_FRESH);
    if (pack->fd < 0)
        return pack->fd;
    put_bytes(pack, &head, sizeof(head));
    return pack->error;
}

/* Copies exactly `bytes` bytes of the file; sets -EIO if the file is shorter. */
static void put_file(struct omptape_checkpoint_pack *pack, int fd, uint64_t bytes)
{
    char *buffer = malloc(COPY_BYTES);
    if (buffer == NULL)
        pack->error = -ENOMEM;
    while (bytes > 0 && pack->error == 0) {
        ssize_t n = read(fd, buffer, bytes < COPY_BYTES ? (size_t)bytes : COPY_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            pack->error = n < 0 ? -errno : -EIO;
        else
            put_bytes(pack, buffer, (size_t)n);
        bytes -= n > 0 ? (uint64_t)n : 0;
    }
    free(buffer);
}

void omptape_checkpoint_add(struct omptape_checkpoint_pack *pack, int from, const char *name, uint64_t prefix)
{
    struct omptape_checkpoint_entry entry = {.prefix = prefix};
    struct stat status;
    int fd = omptape_beneath_open_own_file(from, name);
    if (pack->error == 0 && fd < 0 && fd != -ENOENT)
        pack->error = fd;
    if (pack->error == 0 && fd >= 0 && fstat(fd, &status) != 0)
        pack->error = -errno;
    if (pack->error == 0) {
        snprintf(entry.name, sizeof(entry.name), "%s", name);
        entry.bytes = fd >= 0 ? (uint64_t)status.st_size : 0;
        put_bytes(pack, &entry, sizeof(entry));
        put_file(pack, fd, entry.bytes);
    }
    omptape_close(fd);
}

int omptape_checkpoint_commit(struct omptape_checkpoint_pack *pack)
{
    struct omptape_checkpoint_entry last = {.prefix = pack->sum};
    put_bytes(pack, &last, sizeof(last));
    if (pack->error == 0 && fsync(pack->fd) != 0)
        pack->error = -errno;
    if (close(pack->fd) != 0 && pack->error == 0)
        pack->error = -errno;
    if (pack->error == 0)
        pack->error = omptape_beneath_rename(pack->folder, OMPTAPE_CHECKPOINT_FRESH, pack->folder,
                                             OMPTAPE_CHECKPOINT_FILE);
    if (pack->error != 0)
        (void)omptape_beneath_remove(pack->folder, OMPTAPE_CHECKPOINT_FRESH);
    else if (fsync(pack->folder) != 0 && errno != EINVAL)
        pack->error = -errno;
    return pack->error;
}

void omptape_checkpoint_discard(int folder)
{
    (void)omptape_beneath_remove(folder, OMPTAPE_CHECKPOINT_FILE);
    (void)omptape_beneath_remove(folder, OMPTAPE_CHECKPOINT_FRESH);
}

void omptape_checkpoint_time(uint64_t realtime, char *text, size_t bytes)
{
    time_t seconds = (time_t)(realtime / 1000000000U);
    struct tm local;
    text[0] = '\0';
    if (localtime_r(&seconds, &local) != NULL)
        strftime(text, bytes, "%Y-%m-%d %H:%M:%S", &local);
}

int omptape_checkpoint_make_scratch(int place, char *name, size_t bytes)
{
    char prefix[64];
    snprintf(prefix, sizeof(prefix), OMPTAPE_CHECKPOINT_SCRATCH "%d-", (int)getpid());
    int folder = omptape_beneath_make_private(place, prefix, name, bytes);
    if (folder >= 0)
        (void)omptape_claim_make(folder, OMPTAPE_WRITER_CLAIM);
    return folder;
}

static void remove_opened(int place, const char *name, int folder)
{
    omptape_archive_files_remove(folder);
    (void)omptape_beneath_remove(folder, OMPTAPE_WRITER_CLAIM);
    (void)omptape_beneath_remove_folder(place, name);
}

void omptape_checkpoint_remove_scratch(int place, const char *name)
{
    int folder = omptape_beneath_open_own_folder(place, name);
    if (folder < 0)
        return;
    remove_opened(place, name, folder);
    close(folder);
}

void omptape_checkpoint_remove_dead(int place)
{
    char who[OMPTAPE_CLAIM_BYTES];
    const struct dirent *entry;
    DIR *entries = omptape_beneath_list(place, ".");
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (!omptape_starts_with(entry->d_name, OMPTAPE_CHECKPOINT_SCRATCH))
            continue;
        int folder = omptape_beneath_open_own_folder(place, entry->d_name);
        if (folder < 0)
            continue;
        if (omptape_claim_read(folder, OMPTAPE_WRITER_CLAIM, who, sizeof(who)) == OMPTAPE_CLAIM_NOBODY &&
            who[0] != '\0')
            remove_opened(place, entry->d_name, folder);
        close(folder);
    }
    omptape_close_list(entries);
}

void omptape_checkpoint_list_places(const char *places[OMPTAPE_CHECKPOINT_PLACES])
{
    const char *temporary = getenv("TMPDIR");
    places[0] = "/dev/shm";
    places[1] = temporary != NULL && temporary[0] == '/' ? temporary : "";
    places[2] = "/tmp";
}

void omptape_checkpoint_remove_all_dead(void)
{
    const char *places[OMPTAPE_CHECKPOINT_PLACES];
    omptape_checkpoint_list_places(places);
    for (size_t i = 0; i < OMPTAPE_CHECKPOINT_PLACES; i++) {
        const int place = places[i][0] != '\0' ? omptape_beneath_open_named(places[i]) : -1;
        if (place < 0)
            continue;
        omptape_checkpoint_remove_dead(place);
        close(place);
    }
}
