/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fuzz target of libFuzzer: a checkpoint that somebody made up, with a checksum that is right, is put back
 * (src/folder/checkpoint_restore.c). The folder has an archive's files of some bytes, and a file above it
 * that must stay as it is.
 */
#include "src/folder/checkpoint.h"
#include "tests/fuzz/targets/input.h"
#include "tests/unit/scratch.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENTRIES = 12, MAX_BYTES = 64 };
static const char outside[] = "not to be touched";

static void must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void put_file(int folder, const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), name);
    close(fd);
}

static void put(int fd, uint64_t *sum, const void *data, size_t bytes)
{
    *sum = omptape_checkpoint_sum(*sum, data, bytes);
    must(write(fd, data, bytes) == (ssize_t)bytes, "write");
}

static void make_name(struct input *input, char *name)
{
    static const char *const names[] = {"traces.otf2",  "traces.def",           "traces.marker",
                                        "traces/0.evt", "traces/0.def",         "traces/1.evt",
                                        "../outside",   "traces/../../outside", "traces",
                                        "traces/7.evt", "/etc/hostname",        ".omptape-checkpoint"};
    enum { NAMES = sizeof(names) / sizeof(names[0]) };
    uint8_t choice = take_byte(input);
    if (choice % 16 < NAMES) {
        snprintf(name, OMPTAPE_CHECKPOINT_NAME_BYTES, "%s", names[choice % 16]);
        return;
    }
    for (unsigned i = 0; i < OMPTAPE_CHECKPOINT_NAME_BYTES; i++)
        name[i] = (char)take_byte(input);
}

static void put_entry(struct input *input, int fd, uint64_t *sum)
{
    struct omptape_checkpoint_entry entry = {.prefix = take_number(input),
                                             .bytes = take_byte(input) % MAX_BYTES};
    char content[MAX_BYTES];
    make_name(input, entry.name);
    for (unsigned i = 0; i < entry.bytes; i++)
        content[i] = (char)take_byte(input);
    size_t bytes = entry.bytes;
    if (take_byte(input) % 16 == 1)
        entry.bytes = take_number(input);
    put(fd, sum, &entry, sizeof(entry));
    put(fd, sum, content, bytes);
}

static void make_checkpoint(struct input *input, int folder)
{
    struct omptape_checkpoint_head head = {.magic = OMPTAPE_CHECKPOINT_MAGIC,
                                           .version = OMPTAPE_CHECKPOINT_VERSION,
                                           .head_bytes = sizeof(head),
                                           .realtime = take_number(input)};
    uint64_t sum = OMPTAPE_CHECKPOINT_SUM;
    int fd = openat(folder, OMPTAPE_CHECKPOINT_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0, "checkpoint");
    if (take_byte(input) % 8 == 1)
        ((unsigned char *)&head)[take_number(input) % sizeof(head)] = take_byte(input);
    put(fd, &sum, &head, sizeof(head));
    for (unsigned i = 0; i < MAX_ENTRIES && input->left > 0; i++)
        put_entry(input, fd, &sum);
    struct omptape_checkpoint_entry last = {.prefix = sum};
    put(fd, &sum, &last, sizeof(last));
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct input input = {data, bytes};
    struct omptape_checkpoint_head head;
    char path[] = "/dev/shm/fuzz-checkpoint-XXXXXX";
    char reason[256] = "";
    char text[sizeof(outside)] = "";
    must(mkdtemp(path) != NULL, "mkdtemp");
    int above = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(above >= 0 && mkdirat(above, "archive", 0700) == 0, "mkdir");
    int folder = openat(above, "archive", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(folder >= 0 && mkdirat(folder, "traces", 0700) == 0, "mkdir");
    put_file(above, "outside", outside);
    put_file(folder, "traces/0.evt", "some events");
    put_file(folder, "traces/3.evt", "of a thread that it may not know");
    make_checkpoint(&input, folder);
    int result = omptape_checkpoint_restore(folder, &head, reason, sizeof(reason));
    must((result == 0) == (reason[0] == '\0'), "no reason, or one too many");
    must(result != 0 || faccessat(folder, "traces.otf2", F_OK, 0) == 0, "no anchor");
    int fd = openat(above, "outside", O_RDONLY | O_CLOEXEC);
    must(fd >= 0 && read(fd, text, sizeof(text)) == (ssize_t)strlen(outside) && strcmp(text, outside) == 0,
         "outside");
    close(fd);
    close(folder);
    close(above);
    return scratch_remove(path);
}
