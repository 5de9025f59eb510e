/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks made of symbolic links (lock.h): made in one step on every file system. Called by omptape_unify, one
 * thread.
 */
#include "src/unify/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WHO_BYTES = 512, PATIENCE_SECONDS = 600, BREAKER_SECONDS = 60 };

static const char lock_name[] = ".omptape-unifying";
static const char breaker_name[] = ".omptape-unifying-break";

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
    snprintf(probe, sizeof(probe), ".omptape-probe-%d", (int)getpid());
    unlinkat(folder, probe, 0);
    if (symlinkat("now", folder, probe) != 0)
        return 0;
    bool known = fstatat(folder, probe, &now, AT_SYMLINK_NOFOLLOW) == 0;
    unlinkat(folder, probe, 0);
    double age = known ? seconds_of(&now) - seconds_of(&there) : 0;
    return age > 0 ? age : 0;
}

static int make(int folder)
{
    char text[WHO_BYTES];
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    snprintf(text, sizeof(text), "%s:%d:%llu", host, (int)getpid(), start_of(getpid()));
    return symlinkat(text, folder, lock_name) == 0 ? 0 : -errno;
}

static bool is_stale(int folder, char *who, size_t bytes)
{
    enum omptape_unify_owner owner = omptape_unify_look(folder, lock_name, who, bytes);
    return owner == OMPTAPE_UNIFY_NOBODY ||
           (owner == OMPTAPE_UNIFY_ELSEWHERE && omptape_unify_age(folder, lock_name) > PATIENCE_SECONDS);
}

/* Of several that find the same stale lock, one removes it, and looks once more before it does: another may
 * have been faster and have the lock by now. */
static void break_stale(int folder, char *who, size_t bytes)
{
    if (omptape_unify_age(folder, breaker_name) > BREAKER_SECONDS)
        unlinkat(folder, breaker_name, AT_REMOVEDIR);
    if (mkdirat(folder, breaker_name, 0777) != 0)
        return;
    if (is_stale(folder, who, bytes))
        unlinkat(folder, lock_name, 0);
    unlinkat(folder, breaker_name, AT_REMOVEDIR);
}

int omptape_unify_lock(int folder, char *who, size_t bytes)
{
    enum { TRIES = 3 };
    int result = make(folder);
    for (int i = 0; result == -EEXIST && i < TRIES; i++) {
        if (!is_stale(folder, who, bytes))
            return -EBUSY;
        break_stale(folder, who, bytes);
        result = make(folder);
    }
    return result == -EEXIST ? -EBUSY : result;
}

void omptape_unify_touch(int folder)
{
    (void)utimensat(folder, lock_name, NULL, AT_SYMLINK_NOFOLLOW);
}

void omptape_unify_unlock(int folder)
{
    unlinkat(folder, lock_name, 0);
}
