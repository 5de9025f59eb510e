/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks made of symbolic links (lock.h): made in one step on every file system. Called by omptape_unify, one
 * thread.
 */
#include "src/unify/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEIR_PREFIX ".omptape-unifying-after-"
#define PROBE_PREFIX ".omptape-probe-"

enum { WHO_BYTES = 512 };

static const char lock_name[] = ".omptape-unifying";
static const double patience_seconds = 600;

/* When the process began, as the kernel counts: a number that the next process of this pid does not have. 0:
 * it is not known. */
static unsigned long long start_of(long pid)
{
    char path[64];
    char text[1024] = "";
    unsigned long long start = 0;
    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fgets(text, sizeof(text), file) == NULL)
        text[0] = '\0';
    fclose(file);
    const char *fields = strrchr(text, ')');
    if (fields == NULL ||
        sscanf(fields, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &start) != 1)
        return 0;
    return start;
}

static bool is_alive(long pid, unsigned long long start)
{
    if (pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return false;
    unsigned long long now = start != 0 ? start_of(pid) : 0;
    return now == 0 || now == start;
}

enum omptape_unify_owner omptape_unify_look(int folder, const char *name, char *who, size_t bytes)
{
    char host[256] = "";
    long pid = 0;
    unsigned long long start = 0;
    ssize_t n = readlinkat(folder, name, who, bytes - 1);
    who[n > 0 ? n : 0] = '\0';
    if (n <= 0)
        return OMPTAPE_UNIFY_NOBODY;
    gethostname(host, sizeof(host) - 1);
    size_t length = strlen(host);
    if (strncmp(who, host, length) != 0 || who[length] != ':')
        return OMPTAPE_UNIFY_ELSEWHERE;
    if (sscanf(who + length + 1, "%ld:%llu", &pid, &start) < 1)
        return OMPTAPE_UNIFY_NOBODY;
    return is_alive(pid, start) ? OMPTAPE_UNIFY_OWNER : OMPTAPE_UNIFY_NOBODY;
}

static double seconds_of(const struct stat *status)
{
    return (double)status->st_mtim.tv_sec + 1e-9 * (double)status->st_mtim.tv_nsec;
}

double omptape_unify_age(int folder, const char *name)
{
    char probe[WHO_BYTES];
    struct stat there;
    struct stat now;
    if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    /* The file server's clock, not ours. */
    snprintf(probe, sizeof(probe), PROBE_PREFIX "%d", (int)getpid());
    unlinkat(folder, probe, 0);
    if (symlinkat("now", folder, probe) != 0)
        return 0;
    bool known = fstatat(folder, probe, &now, AT_SYMLINK_NOFOLLOW) == 0;
    unlinkat(folder, probe, 0);
    double age = known ? seconds_of(&now) - seconds_of(&there) : 0;
    return age > 0 ? age : 0;
}

static void own_name(char *text, size_t bytes)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    snprintf(text, bytes, "%.200s:%d:%llu", host, (int)getpid(), start_of(getpid()));
}

static bool is_stale(int folder, const char *name, char *who, size_t bytes)
{
    enum omptape_unify_owner owner = omptape_unify_look(folder, name, who, bytes);
    return owner == OMPTAPE_UNIFY_NOBODY ||
           (owner == OMPTAPE_UNIFY_ELSEWHERE && omptape_unify_age(folder, name) > patience_seconds);
}

/* Gets the right to take the lock over from `dead`, which nobody else has then: the link that is named after
 * it. If one who had that right died, the right to succeed that one, and so on. -EBUSY: `who` lives. */
static int inherit(int folder, const char *dead, const char *own, char *link, char *who, size_t bytes)
{
    enum { MOST_HEIRS = 1000 };
    char last[WHO_BYTES];
    snprintf(last, sizeof(last), "%s", dead);
    for (int i = 0; i < MOST_HEIRS; i++) {
        snprintf(link, WHO_BYTES, HEIR_PREFIX "%.400s", last);
        if (symlinkat(own, folder, link) == 0)
            return 0;
        if (errno != EEXIST)
            return -errno;
        if (!is_stale(folder, link, who, bytes))
            return -EBUSY;
        if (who[0] == '\0')
            continue; /* it has just been removed */
        snprintf(last, sizeof(last), "%s", who);
    }
    return -EBUSY;
}

/* What killed processes left. With the lock in hand nobody can have a right to it. */
static void tidy(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again >= 0 ? fdopendir(again) : NULL;
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, HEIR_PREFIX, strlen(HEIR_PREFIX)) == 0 ||
            strncmp(entry->d_name, PROBE_PREFIX, strlen(PROBE_PREFIX)) == 0)
            unlinkat(folder, entry->d_name, 0);
    }
    if (entries != NULL)
        closedir(entries);
}

/* Takes over the lock of `dead`. Another may have done so in between: then it is no longer the dead one's. */
static int take_over(int folder, const char *own, const char *dead, char *who, size_t bytes)
{
    char link[WHO_BYTES];
    char now[WHO_BYTES];
    char fresh[WHO_BYTES];
    int result = inherit(folder, dead, own, link, who, bytes);
    if (result != 0)
        return result;
    (void)omptape_unify_look(folder, lock_name, now, sizeof(now));
    if (strcmp(now, dead) != 0) {
        unlinkat(folder, link, 0);
        return -EAGAIN;
    }
    snprintf(fresh, sizeof(fresh), PROBE_PREFIX "%d", (int)getpid());
    unlinkat(folder, fresh, 0);
    if (symlinkat(own, folder, fresh) == 0 && renameat(folder, fresh, folder, lock_name) == 0)
        return 0;
    return -errno;
}

int omptape_unify_lock(int folder, char *who, size_t bytes)
{
    enum { TRIES = 10 };
    char own[WHO_BYTES];
    char dead[WHO_BYTES];
    int result = -EBUSY;
    own_name(own, sizeof(own));
    for (int i = 0; i < TRIES; i++) {
        result = symlinkat(own, folder, lock_name) == 0 ? 0 : -errno;
        if (result == -EEXIST && !is_stale(folder, lock_name, who, bytes))
            return -EBUSY;
        snprintf(dead, sizeof(dead), "%s", who);
        if (result == -EEXIST && dead[0] != '\0')
            result = take_over(folder, own, dead, who, bytes);
        if (result != -EEXIST && result != -EAGAIN)
            break;
    }
    if (result == 0)
        tidy(folder);
    return result == -EEXIST || result == -EAGAIN ? -EBUSY : result;
}

void omptape_unify_touch(int folder)
{
    (void)utimensat(folder, lock_name, NULL, AT_SYMLINK_NOFOLLOW);
}

void omptape_unify_unlock(int folder)
{
    unlinkat(folder, lock_name, 0);
}
