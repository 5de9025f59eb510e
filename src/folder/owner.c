/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares owners and names them (owner.h). Called through beneath.c, and by claims and refusals.
 */
#include "src/folder/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

/* Who is the owner of a new file in the folder? The descriptor is that of the file we made, whatever becomes
 * of its name meanwhile. */
static bool find_own_user(int folder, struct stat *status)
{
    char name[64];
    int file = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    bool named = file < 0;
    if (named) {
        snprintf(name, sizeof(name), ".omptape-whose-%d", (int)getpid());
        (void)unlinkat(folder, name, 0);
        file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (file < 0)
        return false;
    bool known = fstat(file, status) == 0;
    close(file);
    if (named)
        (void)unlinkat(folder, name, 0);
    return known;
}

bool omptape_owner_is_trusted(int folder, const struct stat *status)
{
    /* Of the file system that was asked last. */
    static struct stat own;
    static bool known;
    if (status->st_uid == geteuid() || status->st_uid == 0)
        return true;
    if (!known || own.st_dev != status->st_dev)
        known = find_own_user(folder, &own);
    return known && own.st_dev == status->st_dev && own.st_uid == status->st_uid;
}

void omptape_owner_name(uid_t user, char *text, size_t bytes)
{
    char buffer[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwuid_r(user, &entry, buffer, sizeof(buffer), &found) == 0 && found != NULL)
        snprintf(text, bytes, "%.64s (user %lu)", found->pw_name, (unsigned long)user);
    else
        snprintf(text, bytes, "user %lu", (unsigned long)user);
}
