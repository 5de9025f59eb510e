/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and removes checkpoints' folders (checkpoint_scratch.h). Others may have made folders with such
 * names: only the caller's are touched, and in them only files of an archive.
 */
#include "src/folder/checkpoint_scratch.h"

#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        if (strncmp(entry->d_name, OMPTAPE_CHECKPOINT_SCRATCH, strlen(OMPTAPE_CHECKPOINT_SCRATCH)) != 0)
            continue;
        int folder = omptape_beneath_open_own_folder(place, entry->d_name);
        if (folder < 0)
            continue;
        if (omptape_claim_read(folder, OMPTAPE_WRITER_CLAIM, who, sizeof(who)) == OMPTAPE_CLAIM_NOBODY &&
            who[0] != '\0')
            remove_opened(place, entry->d_name, folder);
        close(folder);
    }
    if (entries != NULL)
        closedir(entries);
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
