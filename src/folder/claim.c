/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements claim.h. Called by the writer's main thread, by the command and by omptape_unify.
 *
 * Before a process takes over a dead owner's claim, it acquires the right to do so: a link named after that
 * one. Without it, two processes that find the same dead owner could remove each other's new claims.
 */
#include "src/folder/claim.h"

#include "src/core/process_stat.h"
#include "src/folder/beneath.h"
#include "src/folder/named_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 256 };

static const char according[] = " according to ";

/* Returns the identity of this process's pid namespace. */
static unsigned long long own_space(void)
{
    char text[64];
    unsigned long long space = 0;
    ssize_t n = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "pid:[%llu]", &space) == 1 ? space : 0;
}

/* True if the process is running. Another start time: the number was reused; a zombie counts as ended. */
static bool is_process_alive(long pid, unsigned long long start)
{
    struct omptape_process_stat now;
    if (pid <= 0 || pid > INT_MAX || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return false;
    if (omptape_process_stat_of((int32_t)pid, &now) != 0)
        return true;
    return !omptape_process_is_dead(&now) && (start == 0 || start == now.start);
}

void omptape_claim_own(char *text, size_t bytes)
{
    char host[256] = "";
    struct omptape_process_stat own;
    gethostname(host, sizeof(host) - 1);
    (void)omptape_process_stat_of((int32_t)getpid(), &own);
    snprintf(text, bytes, "%s:%d:%llu:%llu", host, (int)getpid(), (unsigned long long)own.start, own_space());
}

enum omptape_claim_owner omptape_claim_owner_of(const char *text)
{
    char host[256] = "";
    long pid = 0;
    unsigned long long start = 0;
    unsigned long long space = 0;
    gethostname(host, sizeof(host) - 1);
    size_t length = strlen(host);
    if (text[0] == '\0')
        return OMPTAPE_CLAIM_NOBODY;
    if (strncmp(text, host, length) != 0 || text[length] != ':')
        return OMPTAPE_CLAIM_OTHER_HOST;
    if (sscanf(text + length + 1, "%ld:%llu:%llu", &pid, &start, &space) < 1)
        return OMPTAPE_CLAIM_NOBODY;
    unsigned long long own = own_space();
    if (space != 0 && own != 0 && space != own)
        return OMPTAPE_CLAIM_OTHER_HOST;
    return is_process_alive(pid, start) ? OMPTAPE_CLAIM_ALIVE : OMPTAPE_CLAIM_NOBODY;
}

void omptape_claim_describe(const char *who, char *text, size_t bytes)
{
    char host[256];
    long pid;
    const char *owner = strstr(who, according); /* omptape_claim_read appends another user's name */
    if (sscanf(who, "%255[^:]:%ld", host, &pid) == 2)
        snprintf(text, bytes, "process %ld on %s%s", pid, host, owner != NULL ? owner : "");
    else
        snprintf(text, bytes, "an unknown process%s", owner != NULL ? owner : "");
}

enum omptape_claim_owner omptape_claim_read(int folder, const char *name, char *who, size_t bytes)
{
    char owner[OMPTAPE_OWNER_BYTES];
    struct stat status;
    int result = omptape_beneath_read_link(folder, name, who, bytes, &status);
    if (result != 0 && result != -EINVAL)
        return OMPTAPE_CLAIM_NOBODY;
    if (result != 0)
        snprintf(who, bytes, "unknown"); /* the entry is not a link */
    if (omptape_owner_is_trusted(folder, &status))
        return result != 0 ? OMPTAPE_CLAIM_OTHER_HOST : omptape_claim_owner_of(who);
    /* Another user's claim may be forged: it counts as taken and is never removed. */
    size_t used = strnlen(who, bytes / 2);
    omptape_owner_name(status.st_uid, owner, sizeof(owner));
    snprintf(who + used, bytes - used, "%s%s of %s", according, name, owner);
    return OMPTAPE_CLAIM_ALIVE;
}

/* Forms the auxiliary name "NAME-KIND-OF". */
static void name_related(char *related, const char *name, const char *kind, const char *of)
{
    int n = snprintf(related, NAME_BYTES, "%.40s-%s-%.190s", name, kind, of);
    /* The text of a link may contain any characters, and some file systems do not allow colons. */
    for (int i = 0; i < n && i < NAME_BYTES - 1; i++)
        if (strchr("/:\\*?\"<>|", related[i]) != NULL)
            related[i] = '_';
}

static double seconds_of(const struct stat *status)
{
    return (double)status->st_mtim.tv_sec + 1e-9 * (double)status->st_mtim.tv_nsec;
}

double omptape_claim_age(int folder, const char *name)
{
    char own[OMPTAPE_CLAIM_BYTES];
    char probe[NAME_BYTES];
    struct stat there;
    struct stat now;
    if (omptape_beneath_status(folder, name, &there) != 0)
        return -1;
    /* A new link's time is read, because the file server's clock may differ from this host's. */
    omptape_claim_own(own, sizeof(own));
    name_related(probe, name, "probe", own);
    (void)omptape_beneath_remove(folder, probe);
    if (omptape_beneath_make_link(folder, probe, "now") != 0)
        return 0;
    bool known = omptape_beneath_status(folder, probe, &now) == 0;
    (void)omptape_beneath_remove(folder, probe);
    double age = known ? seconds_of(&now) - seconds_of(&there) : 0;
    return age > 0 ? age : 0;
}

int omptape_claim_make(int folder, const char *name)
{
    char own[OMPTAPE_CLAIM_BYTES];
    omptape_claim_own(own, sizeof(own));
    return omptape_beneath_make_link(folder, name, own);
}

static bool is_stale(int folder, const char *name, double max_age_s, char *who, size_t bytes)
{
    enum omptape_claim_owner owner = omptape_claim_read(folder, name, who, bytes);
    return owner == OMPTAPE_CLAIM_NOBODY ||
           (owner == OMPTAPE_CLAIM_OTHER_HOST && max_age_s < OMPTAPE_CLAIM_FOR_EVER &&
            omptape_claim_age(folder, name) > max_age_s);
}

/* Acquires the exclusive right to take over the claim of `dead` by creating `link`. If its holder has died,
 * acquires the right to succeed the holder, and so on. Returns -EBUSY if `who`, a holder, is alive. */
static int inherit_claim(int folder, const char *name, double max_age_s, const char *dead, char *link,
                         char *who, size_t bytes)
{
    enum { MAX_HEIRS = 1000 };
    char last[OMPTAPE_CLAIM_BYTES];
    snprintf(last, sizeof(last), "%s", dead);
    for (int i = 0; i < MAX_HEIRS; i++) {
        name_related(link, name, "after", last);
        int result = omptape_claim_make(folder, link);
        if (result != -EEXIST)
            return result;
        if (!is_stale(folder, link, max_age_s, who, bytes))
            return -EBUSY;
        if (who[0] == '\0')
            continue; /* the link was removed meanwhile */
        snprintf(last, sizeof(last), "%s", who);
    }
    return -EBUSY;
}

/* Removes auxiliary links of killed processes. The holder of the claim may do so: no other process can have a
 * valid right to take it over. */
static void remove_leftovers(int folder, const char *name)
{
    DIR *entries = omptape_beneath_list(folder, ".");
    const struct dirent *entry;
    size_t length = strlen(name);
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '-')
            (void)omptape_beneath_remove(folder, entry->d_name);
    omptape_close_list(entries);
}

/* Takes over the claim of `dead`. Returns -EAGAIN if another process did so meanwhile. */
static int replace_claim(int folder, const char *name, double max_age_s, const char *dead, char *who,
                         size_t bytes)
{
    char link[NAME_BYTES];
    char fresh[NAME_BYTES];
    char now[OMPTAPE_CLAIM_BYTES];
    char own[OMPTAPE_CLAIM_BYTES];
    int result = inherit_claim(folder, name, max_age_s, dead, link, who, bytes);
    if (result != 0)
        return result;
    (void)omptape_claim_read(folder, name, now, sizeof(now));
    if (strcmp(now, dead) != 0) {
        (void)omptape_beneath_remove(folder, link);
        return -EAGAIN;
    }
    omptape_claim_own(own, sizeof(own));
    name_related(fresh, name, "new", own);
    (void)omptape_beneath_remove(folder, fresh);
    result = omptape_claim_make(folder, fresh);
    if (result == 0)
        result = omptape_beneath_rename(folder, fresh, folder, name);
    if (result != 0) {
        (void)omptape_beneath_remove(folder, fresh);
        (void)omptape_beneath_remove(folder, link);
    }
    return result;
}

int omptape_claim_take(int folder, const char *name, double max_age_s, char *who, size_t bytes)
{
    enum { TRIES = 10 };
    char dead[OMPTAPE_CLAIM_BYTES];
    int result = -EEXIST;
    who[0] = '\0';
    for (int i = 0; i < TRIES; i++) {
        result = omptape_claim_make(folder, name);
        if (result == -EEXIST && !is_stale(folder, name, max_age_s, who, bytes))
            return -EBUSY;
        snprintf(dead, sizeof(dead), "%s", who);
        if (result == -EEXIST && dead[0] != '\0')
            result = replace_claim(folder, name, max_age_s, dead, who, bytes);
        if (result != -EEXIST && result != -EAGAIN)
            break;
    }
    if (result == 0)
        remove_leftovers(folder, name);
    return result == -EEXIST || result == -EAGAIN ? -EBUSY : result;
}

void omptape_claim_touch(int folder, const char *name)
{
    (void)utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW);
}

int omptape_claim_check(int folder, const char *name)
{
    char own[OMPTAPE_CLAIM_BYTES];
    char who[OMPTAPE_CLAIM_BYTES];
    omptape_claim_own(own, sizeof(own));
    (void)omptape_claim_read(folder, name, who, sizeof(who));
    return strcmp(own, who) == 0 ? 0 : -EBUSY;
}

void omptape_claim_release(int folder, const char *name)
{
    if (omptape_claim_check(folder, name) == 0)
        (void)omptape_beneath_remove(folder, name);
}
