/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes, decides and removes plans (plan.h); the caller holds the lock. plan_complete.c completes them.
 */
#include "src/unify/plan.h"
#include "src/core/words.h"

#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAGING_PREFIX ".omptape-unify-staging-"

void omptape_unify_staging_name(char *name, size_t bytes, long pid)
{
    snprintf(name, bytes, STAGING_PREFIX "%ld", pid);
}

/* Writes a name as one word. Spaces, control characters and '%' are escaped as %XX. */
static void put_name(FILE *file, const char *name)
{
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        if (c <= ' ' || c == '%' || c == 127)
            fprintf(file, "%%%02X", c);
        else
            fputc(c, file);
    }
}

static void put_part(FILE *file, int folder, const char *part)
{
    struct stat status = {.st_size = -1};
    int inside = omptape_beneath_open_own_folder(folder, part);
    if (inside >= 0) {
        (void)omptape_beneath_status(inside, OMPTAPE_ARCHIVE_ANCHOR, &status);
        close(inside);
    }
    struct omptape_plan_identity own = omptape_plan_identity_of(&status);
    fprintf(file, "part %lld %lld %ld ", own.bytes, own.seconds, own.nanoseconds);
    put_name(file, part);
    fputc('\n', file);
}

/* Writes "move TO FROM FOLDER" for a location's event file. The output folder's own are not moved. */
static void put_move(FILE *file, const struct omptape_unify_model *model, uint32_t row)
{
    const struct omptape_unify_location *location = &model->locations[row];
    const struct omptape_unify_part *part = &model->parts[location->part];
    if (!location->has_events || part->folder[0] == '\0')
        return;
    fprintf(file, "move %llu %llu ", (unsigned long long)omptape_unify_location_id(model, row),
            (unsigned long long)location->old);
    put_name(file, part->folder);
    fputs("/" OMPTAPE_ARCHIVE_EVENTS "\n", file);
}

int omptape_unify_plan_write(const struct omptape_unify_model *model, int folder, int staging)
{
    int descriptor = omptape_beneath_create(staging, "plan");
    if (descriptor < 0)
        return descriptor;
    FILE *file = fdopen(descriptor, "w");
    if (file == NULL) {
        close(descriptor);
        return -ENOMEM;
    }
    fprintf(file, OMPTAPE_PLAN_FIRST_LINE "\nlocations %u\n", (unsigned)model->location_count);
    for (uint32_t i = 0; i < model->location_count; i++)
        put_move(file, model, i);
    for (uint32_t i = 0; i < model->part_count; i++)
        if (model->parts[i].folder[0] != '\0')
            put_part(file, folder, model->parts[i].folder);
    fprintf(file, OMPTAPE_PLAN_LAST_LINE "\n");
    int result = fflush(file) == 0 && fsync(fileno(file)) == 0 ? 0 : -EIO;
    return fclose(file) == 0 ? result : -EIO;
}

int omptape_unify_plan_decide(int folder, int staging, const char *name,
                              struct omptape_unify_progress *progress)
{
    /* All staged files are synced before the rename, so that a decided plan survives a power failure. */
    omptape_unify_progress_step(progress, "threads on the disk", progress->total);
    int events = omptape_beneath_open_own_folder(staging, OMPTAPE_ARCHIVE_EVENTS);
    int result = events < 0 ? events : omptape_unify_sync_all(events, progress);
    omptape_close(events);
    if (result == 0)
        result = omptape_unify_sync_all(staging, progress);
    if (result == 0)
        result = omptape_beneath_rename(folder, name, folder, OMPTAPE_UNIFY_DECIDED);
    return result == 0 ? omptape_unify_sync(folder) : result;
}

bool omptape_unify_plan_pending(int folder)
{
    struct stat status;
    return omptape_beneath_status(folder, OMPTAPE_UNIFY_DECIDED, &status) == 0 &&
           (!S_ISDIR(status.st_mode) || omptape_beneath_is_there(folder, OMPTAPE_UNIFY_DECIDED "/plan"));
}

void omptape_unify_plan_tidy(int folder)
{
    DIR *entries = omptape_beneath_list(folder, ".");
    const struct dirent *entry;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL)
        if (omptape_starts_with(entry->d_name, STAGING_PREFIX))
            omptape_unify_remove_tree(folder, entry->d_name);
    closedir(entries);
}
