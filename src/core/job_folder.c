/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The claim is a symbolic link to the job's identity: whoever makes it first has the folder for its job, and
 * everybody can read whose it is, in one step each, on NFS too. Called by the writer's main thread and by
 * the command.
 */
#include "src/core/job_folder.h"

#include "src/core/archive_files.h"
#include "src/core/claim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FOLDERS = 10000, WAIT_MS = 20, MOST_WAITS = 1500 };
/* Room for what is put behind a folder's name. */
enum { FOLDER_BYTES = OMPTAPE_PATH_BYTES - 512 };

static const char replacing[] = ".omptape-replacing";

enum owner { OWNER_NONE, OWNER_THIS_JOB, OWNER_ANOTHER };

static void path_in(char *path, const char *folder, const char *name)
{
    snprintf(path, OMPTAPE_PATH_BYTES, "%.*s/%s", FOLDER_BYTES, folder, name);
}

static enum owner owner_of(const char *folder, const char *identity)
{
    char path[OMPTAPE_PATH_BYTES];
    char text[sizeof(((struct omptape_shared_job *)0)->identity)];
    path_in(path, folder, OMPTAPE_JOB_CLAIM);
    ssize_t n = readlink(path, text, sizeof(text) - 1);
    if (n < 0)
        return OWNER_NONE;
    text[n] = '\0';
    return strcmp(text, identity) == 0 ? OWNER_THIS_JOB : OWNER_ANOTHER;
}

static bool is_in_use(const char *folder)
{
    char path[OMPTAPE_PATH_BYTES];
    char text[16];
    path_in(path, folder, OMPTAPE_WRITER_CLAIM);
    return omptape_archive_files_there(folder) || readlink(path, text, sizeof(text)) >= 0;
}

/* 0: the folder is this job's; -EEXIST: it is not free. */
static int claim(const char *folder, const char *identity)
{
    char path[OMPTAPE_PATH_BYTES];
    enum owner owner = owner_of(folder, identity);
    /* Another rank may claim it in between, and what is found there then is this job's. */
    if (owner == OWNER_NONE && is_in_use(folder)) {
        owner = owner_of(folder, identity);
        if (owner == OWNER_NONE)
            owner = OWNER_ANOTHER;
    }
    if (owner != OWNER_NONE)
        return owner == OWNER_THIS_JOB ? 0 : -EEXIST;
    path_in(path, folder, OMPTAPE_JOB_CLAIM);
    if (symlink(identity, path) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    return owner_of(folder, identity) == OWNER_THIS_JOB ? 0 : -EEXIST;
}

/* Puts this job's claim in the place of another's in one step. */
static int take_over(const char *folder, const char *identity)
{
    char path[OMPTAPE_PATH_BYTES];
    char new[OMPTAPE_PATH_BYTES];
    path_in(path, folder, OMPTAPE_JOB_CLAIM);
    path_in(new, folder, OMPTAPE_JOB_CLAIM "-new");
    unlink(new);
    if (symlink(identity, new) != 0)
        return -errno;
    return rename(new, path) == 0 ? 0 : -errno;
}

/* One rank removes the old archive, the others wait for it: nothing of this job may be there before. */
static int replace(const char *folder, const char *identity)
{
    static const struct timespec wait = {.tv_nsec = WAIT_MS * 1000000L};
    char lock[OMPTAPE_PATH_BYTES];
    int error = -EEXIST;
    path_in(lock, folder, replacing);
    for (int i = 0; i < MOST_WAITS && owner_of(folder, identity) != OWNER_THIS_JOB; i++) {
        error = omptape_claim_take_in(folder, replacing);
        if (error == 0)
            break;
        if (error != -EEXIST)
            return error;
        nanosleep(&wait, NULL);
    }
    if (owner_of(folder, identity) == OWNER_THIS_JOB) {
        if (error == 0)
            unlink(lock);
        return 0;
    }
    if (error != 0)
        return error;
    omptape_archive_files_remove(folder);
    omptape_archive_files_remove_parts(folder);
    error = take_over(folder, identity);
    unlink(lock);
    return error;
}

int omptape_job_folder_claim(const char *asked, const struct omptape_shared_job *job, bool force,
                             char *folder, size_t bytes)
{
    int error = -EEXIST;
    for (int i = 1; error == -EEXIST && i < MOST_FOLDERS; i++) {
        if (i == 1)
            snprintf(folder, bytes, "%.*s", FOLDER_BYTES, asked);
        else
            snprintf(folder, bytes, "%.*s-%d", FOLDER_BYTES, asked, i);
        error = omptape_archive_files_make_folder(folder);
        if (error != 0)
            return error;
        error = claim(folder, job->identity);
        if (error == -EEXIST && force)
            error = replace(folder, job->identity);
    }
    return error;
}

void omptape_job_folder_mark(const char *folder, const struct omptape_shared_job *job)
{
    char path[OMPTAPE_PATH_BYTES];
    path_in(path, folder, OMPTAPE_JOB_CLAIM);
    (void)!symlink(job->identity, path);
}

void omptape_job_folder_discard(const char *folder)
{
    char path[OMPTAPE_PATH_BYTES];
    char text[sizeof(((struct omptape_shared_job *)0)->identity)];
    path_in(path, folder, OMPTAPE_JOB_CLAIM);
    ssize_t n = readlink(path, text, sizeof(text) - 1);
    if (n <= 0)
        return;
    text[n] = '\0';
    unlink(path);
    if (rmdir(folder) != 0)
        (void)!symlink(text, path);
}
