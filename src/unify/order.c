/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In which order the parts come into the archive: ranks that were started together stay together. Called by
 * the child process of omptape_unify before it reads the parts.
 */
#include "src/unify/order.h"

#include "src/folder/otf2_files.h"
#include <omptape/properties.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAUNCH_BYTES = 512 };

struct entry {
    struct omptape_unify_part part;
    uint32_t index;
    uint32_t place; /* as they were found */
    char *launch;   /* NULL: it is no rank's */
    uint64_t start; /* of its launch, ns since 1970 */
};

static void property(OTF2_Reader *reader, const char *name, char *text, size_t bytes)
{
    char *value = NULL;
    text[0] = '\0';
    if (OTF2_Reader_GetProperty(reader, name, &value) == OTF2_SUCCESS && value != NULL)
        snprintf(text, bytes, "%s", value);
    free(value);
}

static uint64_t number(OTF2_Reader *reader, const char *name)
{
    char text[32];
    property(reader, name, text, sizeof(text));
    return strtoull(text, NULL, 10);
}

static int look(struct entry *entry, int folder)
{
    char rank[32];
    char job[LAUNCH_BYTES / 2];
    char step[LAUNCH_BYTES / 2];
    char launch[LAUNCH_BYTES];
    int files = -1;
    int part = omptape_unify_open_part(folder, entry->part.folder);
    OTF2_Reader *reader = part >= 0 ? omptape_unify_open_reader(part, &files) : NULL;
    if (part >= 0)
        close(part);
    if (reader == NULL) {
        omptape_otf2_files_leave(files);
        return 0; /* what is wrong with it shows when it is read */
    }
    property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_RANK, rank, sizeof(rank));
    property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_JOB, job, sizeof(job));
    property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_STEP, step, sizeof(step));
    entry->start = number(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_CLOCK_END_REALTIME) -
                   number(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_DURATION);
    OTF2_Reader_Close(reader);
    omptape_otf2_files_leave(files);
    snprintf(launch, sizeof(launch), "%s\n%s", job, step);
    entry->launch = rank[0] != '\0' ? strdup(launch) : NULL;
    return rank[0] != '\0' && entry->launch == NULL ? -ENOMEM : 0;
}

/* The folder itself, ranks, then all others. */
static int class_of(const struct entry *entry)
{
    return entry->part.folder[0] == '\0' ? 0 : entry->launch != NULL ? 1 : 2;
}

static int compare_launches(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->launch != NULL && b->launch != NULL)
        return strcmp(a->launch, b->launch);
    return (a->launch == NULL) - (b->launch == NULL);
}

static int compare(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (class_of(a) != class_of(b))
        return class_of(a) - class_of(b);
    if (class_of(a) == 1 && a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (class_of(a) == 1 && compare_launches(a, b) != 0)
        return compare_launches(a, b);
    return a->place < b->place ? -1 : 1;
}

/* All of a launch begin when its first does. */
static void date_launches(struct entry *entries, uint32_t count)
{
    qsort(entries, count, sizeof(*entries), compare_launches);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint64_t start = entries[first].start;
        for (end = first; end < count && compare_launches(&entries[first], &entries[end]) == 0; end++)
            start = entries[end].start < start ? entries[end].start : start;
        for (uint32_t i = first; i < end; i++)
            entries[i].start = start;
    }
}

int omptape_unify_order(struct omptape_unify_model *model, int folder, uint32_t *indexes, uint32_t *looked_at)
{
    struct entry *entries = calloc(model->part_count + 1U, sizeof(*entries));
    int result = entries != NULL ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < model->part_count && result == 0; i++) {
        entries[i] = (struct entry){.part = model->parts[i], .index = indexes[i], .place = i};
        *looked_at = indexes[i];
        if (entries[i].part.folder[0] != '\0')
            result = look(&entries[i], folder);
    }
    *looked_at = UINT32_MAX;
    if (result == 0) {
        date_launches(entries, model->part_count);
        qsort(entries, model->part_count, sizeof(*entries), compare);
    }
    for (uint32_t i = 0; i < model->part_count && result == 0; i++) {
        model->parts[i] = entries[i].part;
        indexes[i] = entries[i].index;
    }
    for (uint32_t i = 0; i < model->part_count && entries != NULL; i++)
        free(entries[i].launch);
    free(entries);
    return result;
}
