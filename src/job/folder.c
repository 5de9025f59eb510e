/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The claim is a symbolic link whose target is the job's identity. Creating and reading a link are atomic,
 * also on NFS, so the first process that creates it wins the folder for its job. Called by the writer's main
 * thread and by the command.
 */
#include "src/job/folder.h"

#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/claim.h"
#include "src/folder/named_folder.h"
#include "src/folder/output_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 20, MAX_WAITS = 1500 };

static const char replacing[] = ".omptape-replacing";

enum owner { OWNER_NONE, OWNER_THIS_JOB, OWNER_ANOTHER };

/* Returns who has claimed the folder. A link of an untrusted user counts as another job's claim. */
static enum owner owner_of(int folder, const char *identity)
{
    char text[sizeof(((struct omptape_job *)0)->identity)];
    struct stat status;
    int error = omptape_beneath_read_link(folder, OMPTAPE_JOB_CLAIM, text, sizeof(text), &status);
    if (error != 0 && error != -EINVAL)
        return OWNER_NONE;
    const bool own = error == 0 && omptape_owner_is_trusted(folder, &status) && strcmp(text, identity) == 0;
    return own ? OWNER_THIS_JOB : OWNER_ANOTHER;
}

static bool is_in_use(int folder, char *why)
{
    return omptape_output_folder_is_a_runs(folder, why) || omptape_archive_files_exist(folder) ||
           omptape_beneath_is_there(folder, OMPTAPE_WRITER_CLAIM);
}

/* Returns 0 if the folder is claimed for this job now, -EEXIST if it is not free, or another negative errno.
 */
static int claim_for_job(int folder, const char *identity, char *why)
{
    enum owner owner = owner_of(folder, identity);
    /* Another rank of this job may have claimed the folder between the two checks: the files are its own. */
    if (owner == OWNER_NONE && is_in_use(folder, why)) {
        owner = owner_of(folder, identity);
        if (owner == OWNER_NONE)
            owner = OWNER_ANOTHER;
    }
    if (owner != OWNER_NONE)
        return owner == OWNER_THIS_JOB ? 0 : -EEXIST;
    int error = omptape_beneath_make_link(folder, OMPTAPE_JOB_CLAIM, identity);
    if (error != -EEXIST)
        return error;
    return owner_of(folder, identity) == OWNER_THIS_JOB ? 0 : -EEXIST;
}

/* Atomically replaces another job's claim by this job's. */
static int replace_claim(int folder, const char *identity)
{
    static const char new[] = OMPTAPE_JOB_CLAIM "-new";
    (void)omptape_beneath_remove(folder, new);
    int error = omptape_beneath_make_link(folder, new, identity);
    return error == 0 ? omptape_beneath_rename(folder, new, folder, OMPTAPE_JOB_CLAIM) : error;
}

static bool is_another_users(int folder, const char *name)
{
    struct stat status;
    return omptape_beneath_status(folder, name, &status) == 0 && !omptape_owner_is_trusted(folder, &status);
}

/* Acquires the lock for replacing the archive; waits at most half a minute for its owner. Returns 0, or
 * negative errno: -EBUSY if another rank has replaced the archive meanwhile; -EEXIST if the lock stays taken,
 * with the owner in `why`. */
static int claim_replacing(int folder, const char *identity, char *why)
{
    static const struct timespec wait = {.tv_nsec = WAIT_MS * 1000000L};
    char who[OMPTAPE_CLAIM_BYTES] = "";
    char owner[OMPTAPE_CLAIM_BYTES];
    int error = -EBUSY;
    for (int i = 0; i < MAX_WAITS && error == -EBUSY; i++) {
        if (owner_of(folder, identity) == OWNER_THIS_JOB)
            return -EBUSY;
        error = omptape_claim_take(folder, replacing, OMPTAPE_CLAIM_FOR_EVER, who, sizeof(who));
        if (error == -EBUSY && is_another_users(folder, replacing))
            break;
        if (error == -EBUSY)
            nanosleep(&wait, NULL);
    }
    if (error != -EBUSY)
        return error;
    omptape_claim_describe(who, owner, sizeof(owner));
    (void)snprintf(why, OMPTAPE_BENEATH_WHY_BYTES, "its archive is being replaced by %.400s", owner);
    return -EEXIST;
}

/* Removes the old archive on one rank while the other ranks wait, so that no part of this job is removed. */
static int replace_archive(int folder, const char *identity, char *why)
{
    int error = claim_replacing(folder, identity, why);
    const bool taken = error == 0;
    const bool own = owner_of(folder, identity) == OWNER_THIS_JOB;
    if (taken && !own) {
        omptape_archive_files_remove(folder);
        omptape_archive_files_remove_parts(folder);
        error = replace_claim(folder, identity);
        /* Another user's subfolder cannot be removed. */
        if (error != 0 && omptape_archive_files_find_other_owner(folder, why, OMPTAPE_BENEATH_WHY_BYTES))
            error = -EEXIST;
    }
    if (taken)
        (void)omptape_beneath_remove(folder, replacing);
    return own ? 0 : error;
}

int omptape_job_folder_claim(const char *asked, bool named, const struct omptape_job *job, bool force,
                             char *folder, size_t bytes, char *why)
{
    char first[OMPTAPE_BENEATH_WHY_BYTES] = "";
    int error = -EEXIST;
    why[0] = '\0';
    for (int i = 1; error == -EEXIST && i < OMPTAPE_MAX_OUTPUT_FOLDER; i++) {
        omptape_output_folder_number(folder, bytes, asked, i);
        int descriptor = omptape_output_folder_open(folder, named && i == 1);
        if ((!named || i > 1) && omptape_output_folder_is_refusal(descriptor))
            continue;
        if (descriptor < 0)
            return descriptor;
        error = claim_for_job(descriptor, job->identity, first);
        if (error == -EEXIST && force && !omptape_output_folder_is_a_runs(descriptor, first))
            error = replace_archive(descriptor, job->identity, first);
        if (error == -EEXIST && first[0] == '\0')
            (void)omptape_archive_files_find_other_owner(descriptor, first, sizeof(first));
        if (i == 1 && error == -EEXIST)
            (void)snprintf(why, OMPTAPE_BENEATH_WHY_BYTES, "%s", first);
        close(descriptor);
    }
    return error;
}

void omptape_job_folder_mark(int folder, const struct omptape_job *job)
{
    (void)omptape_beneath_make_link(folder, OMPTAPE_JOB_CLAIM, job->identity);
}

void omptape_job_folder_make_claim_permanent(int folder)
{
    omptape_beneath_settle_link(folder, OMPTAPE_JOB_CLAIM);
}

void omptape_job_folder_discard(const char *path)
{
    char text[sizeof(((struct omptape_job *)0)->identity)];
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return;
    if (omptape_beneath_read_link(folder, OMPTAPE_JOB_CLAIM, text, sizeof(text), NULL) == 0) {
        (void)omptape_beneath_remove(folder, OMPTAPE_JOB_CLAIM);
        if (rmdir(path) != 0)
            (void)omptape_beneath_make_link(folder, OMPTAPE_JOB_CLAIM, text);
    }
    close(folder);
}
