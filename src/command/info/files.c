/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds and classifies the files of an archive (sizes_walk.h).
 */
#include "src/command/info/sizes_walk.h"

#include "src/folder/beneath.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_file(struct info_amount *amount, int folder, const char *path)
{
    struct stat about;
    if (omptape_beneath_status(folder, path, &about) == 0 && S_ISREG(about.st_mode)) {
        amount->number++;
        amount->bytes += (uint64_t)about.st_size;
    }
}

/* Returns true for "NUMBER.ending" if NUMBER is the id of a location. */
static bool belongs_to_location(const struct omptape_reader *reader, const char *name, const char *ending)
{
    char *end = NULL;
    char again[40];
    uint64_t location = strtoull(name, &end, 10);
    snprintf(again, sizeof(again), "%" PRIu64 "%s", location, ending);
    return strcmp(again, name) == 0 && omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, location) != NULL;
}

static enum info_file_class class_of(const struct omptape_reader *reader, const char *name)
{
    if (belongs_to_location(reader, name, ".evt"))
        return INFO_FILE_EVENTS;
    return belongs_to_location(reader, name, ".def") ? INFO_FILE_LOCAL_DEFINITIONS : INFO_FILE_OTHER;
}

int info_add_files(const struct omptape_reader *reader, struct info_amount files[INFO_FILE_CLASSES])
{
    static const struct {
        const char *ending;
        enum info_file_class class;
    } siblings[] = {
        {".otf2", INFO_FILE_ANCHOR}, {".def", INFO_FILE_DEFINITIONS}, {".marker", INFO_FILE_MARKERS}};
    for (size_t i = 0; i < sizeof(siblings) / sizeof(siblings[0]); i++) {
        char *name = omptape_reader_file(reader, siblings[i].ending);
        if (name != NULL)
            add_file(&files[siblings[i].class], reader->folder, name);
        free(name);
    }
    DIR *folder = omptape_beneath_list(reader->folder, reader->name);
    if (folder == NULL)
        return -errno;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        add_file(&files[class_of(reader, entry->d_name)], dirfd(folder), entry->d_name);
    closedir(folder);
    return 0;
}

struct info_amount info_all_files(const struct info_amount files[INFO_FILE_CLASSES])
{
    struct info_amount whole = {0};
    for (unsigned i = 0; i < INFO_FILE_CLASSES; i++) {
        whole.number += files[i].number;
        whole.bytes += files[i].bytes;
    }
    return whole;
}
