/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements output_folder.h.
 */
#include "src/folder/output_folder.h"
#include "src/core/message.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"
#include "src/folder/named_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void omptape_output_folder_name(char *name, size_t bytes, const char *program, time_t start, int pid)
{
    char stamp[32] = "";
    struct tm local;
    if (localtime_r(&start, &local) != NULL)
        (void)strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
    snprintf(name, bytes, "omptape-%.200s-%s-%d", program, stamp, pid);
}

int omptape_output_folder_absolute(char *path, const char *name)
{
    char here[OMPTAPE_PATH_BYTES] = "";
    if (name[0] != '/' && getcwd(here, sizeof(here)) == NULL)
        return errno == ERANGE ? -ENAMETOOLONG : -errno;
    if (name[0] != '/' && here[0] != '/')
        return -ENOENT;
    int n = snprintf(path, OMPTAPE_PATH_BYTES, "%s%s%s", here, name[0] != '/' ? "/" : "", name);
    if (n < 0 || n >= OMPTAPE_OUTPUT_FOLDER_BYTES)
        return -ENAMETOOLONG;
    omptape_named_folder_tidy(path);
    return 0;
}

void omptape_output_folder_number(char *path, size_t bytes, const char *base, int number)
{
    int n = snprintf(path, bytes, "%.*s", OMPTAPE_OUTPUT_FOLDER_BYTES, base);
    if (number > 1)
        snprintf(path + n, bytes - (size_t)n, "-%d", number);
}

static int make_way(char *path)
{
    struct stat status;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        /* An existing parent folder may be on a read-only file system: then mkdir does not return EEXIST. */
        int error = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -errno;
        if (error != 0 && stat(path, &status) != 0)
            return error;
        *slash = '/';
    }
    return 0;
}

/* Copies the path to `copy`, of OMPTAPE_PATH_BYTES, and creates its parent folders. */
static int copy_and_make_way(char *copy, const char *path)
{
    size_t length = strlen(path);
    if (length >= OMPTAPE_PATH_BYTES)
        return -ENAMETOOLONG;
    memcpy(copy, path, length + 1);
    return make_way(copy);
}

int omptape_output_folder_make(const char *path, bool *made)
{
    char copy[OMPTAPE_PATH_BYTES];
    struct stat status;
    *made = false;
    int result = copy_and_make_way(copy, path);
    if (result != 0)
        return result;
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return 0;
    result = -errno;
    if (stat(path, &status) != 0)
        return result == -EEXIST ? -errno : result;
    return S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

/* Opens the path's last component relative to its parent folder. */
static int open_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash[1] == '\0')
        return -EINVAL;
    *slash = '\0';
    int above = omptape_beneath_pass_named(path[0] != '\0' ? path : "/");
    if (above < 0)
        return above;
    int folder = omptape_beneath_make_folder(above, slash + 1, NULL);
    close(above);
    return folder;
}

int omptape_output_folder_open(const char *path, bool named)
{
    char copy[OMPTAPE_PATH_BYTES];
    bool made;
    int error = named ? omptape_output_folder_make(path, &made) : copy_and_make_way(copy, path);
    if (error != 0)
        return error;
    return named ? omptape_named_folder_open(path) : open_last(copy);
}

bool omptape_output_folder_is_refusal(int error)
{
    return error == -EPERM || error == -ELOOP || error == -ENOTDIR || error == -EINVAL;
}

static int explain_use(const char *who, char *why)
{
    char text[OMPTAPE_CLAIM_BYTES];
    omptape_claim_describe(who, text, sizeof(text));
    return omptape_fail(why, OMPTAPE_BENEATH_WHY_BYTES, -EEXIST, "%.400s is at work in it", text);
}

/* A command creates its claim before it looks for writers, and writers do the reverse. So at least one of two
 * concurrent processes sees the other. */
bool omptape_output_folder_is_a_runs(int folder, char *why)
{
    char who[OMPTAPE_CLAIM_BYTES];
    if (omptape_claim_read(folder, OMPTAPE_RUN_CLAIM, who, sizeof(who)) == OMPTAPE_CLAIM_NOBODY)
        return false;
    (void)explain_use(who, why);
    return true;
}

int omptape_output_folder_claim_opened(int folder, struct omptape_output_folder_rights rights, char *why)
{
    char who[OMPTAPE_CLAIM_BYTES];
    int error = omptape_claim_take(folder, OMPTAPE_WRITER_CLAIM, OMPTAPE_CLAIM_FOR_EVER, who, sizeof(who));
    why[0] = '\0';
    if (error == 0 && !rights.run && omptape_output_folder_is_a_runs(folder, why)) {
        omptape_output_folder_release(folder);
        error = -EEXIST;
    }
    if (error == 0 && rights.force)
        omptape_archive_files_remove(folder);
    if (error == 0 && omptape_archive_files_exist(folder)) {
        if (omptape_archive_files_find_refused(folder, why, OMPTAPE_BENEATH_WHY_BYTES) == 0)
            (void)omptape_archive_files_find_other_owner(folder, why, OMPTAPE_BENEATH_WHY_BYTES);
        omptape_output_folder_release(folder);
        error = -EEXIST;
    }
    if (error == -EBUSY)
        (void)omptape_archive_files_find_other_owner(folder, why, OMPTAPE_BENEATH_WHY_BYTES);
    if (error == 0)
        omptape_checkpoint_discard(folder); /* without an archive a checkpoint is useless */
    else
        close(folder);
    return error == -EBUSY ? -EEXIST : error;
}

int omptape_output_folder_claim(const char *path, struct omptape_output_folder_rights rights, char *why)
{
    enum { MAX_ATTEMPTS = 100 };
    int folder = -1;
    int error = -ENOENT;
    why[0] = '\0';
    /* A unification may remove the folder of a process archive of the same rank at the same time. */
    for (int i = 0; error == -ENOENT && i < MAX_ATTEMPTS; i++) {
        folder = omptape_output_folder_open(path, rights.named);
        error = folder < 0 ? folder : omptape_output_folder_claim_opened(folder, rights, why);
    }
    if (error == 0)
        return folder;
    return !rights.named && omptape_output_folder_is_refusal(error) ? -EEXIST : error;
}

void omptape_output_folder_release(int folder)
{
    (void)omptape_beneath_remove(folder, OMPTAPE_WRITER_CLAIM);
    omptape_output_folder_release_run(folder);
}

int omptape_output_folder_claim_run(int folder, char *why)
{
    char who[OMPTAPE_CLAIM_BYTES];
    int error = omptape_claim_take(folder, OMPTAPE_RUN_CLAIM, OMPTAPE_CLAIM_FOR_EVER, who, sizeof(who));
    why[0] = '\0';
    if (error == 0 &&
        omptape_claim_read(folder, OMPTAPE_WRITER_CLAIM, who, sizeof(who)) == OMPTAPE_CLAIM_ALIVE) {
        omptape_claim_release(folder, OMPTAPE_RUN_CLAIM);
        error = -EBUSY;
    }
    return error == -EBUSY ? explain_use(who, why) : error;
}

void omptape_output_folder_release_run(int folder)
{
    char who[OMPTAPE_CLAIM_BYTES];
    if (omptape_claim_read(folder, OMPTAPE_RUN_CLAIM, who, sizeof(who)) == OMPTAPE_CLAIM_NOBODY &&
        who[0] != '\0')
        (void)omptape_beneath_remove(folder, OMPTAPE_RUN_CLAIM);
    else
        omptape_claim_release(folder, OMPTAPE_RUN_CLAIM);
}

/* Reads the status of the anchor file of archive `name` in the folder. Returns false if there is none. */
static bool stat_anchor(const char *folder, const char *name, struct stat *about)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s/" OMPTAPE_ARCHIVE_ANCHOR, folder, name) < 0)
        return false;
    bool found = stat(path, about) == 0 && S_ISREG(about->st_mode);
    free(path);
    return found;
}

bool omptape_is_anchor_name(const char *path)
{
    static const char extension[] = ".otf2";
    size_t length = strlen(path);
    size_t tail = sizeof(extension) - 1;
    return length > tail && strcmp(path + length - tail, extension) == 0;
}

bool omptape_is_program(const char *path)
{
    struct stat about;
    return !omptape_is_anchor_name(path) && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
           access(path, X_OK) == 0;
}

bool omptape_is_archive(const char *path)
{
    struct stat about;
    if (omptape_is_anchor_name(path))
        return stat(path, &about) == 0 && S_ISREG(about.st_mode);
    return stat_anchor(path, ".", &about);
}

static bool is_later(struct timespec time, const char *name, struct timespec best, const char *best_name)
{
    if (time.tv_sec != best.tv_sec)
        return time.tv_sec > best.tv_sec;
    if (time.tv_nsec != best.tv_nsec)
        return time.tv_nsec > best.tv_nsec;
    return strverscmp(name, best_name) > 0;
}

static bool is_trusted(uid_t owner, uid_t owner_here)
{
    return owner == geteuid() || owner == 0 || owner == owner_here;
}

char *omptape_newest_archive(const char *folder, uint32_t *count)
{
    char *newest = NULL;
    struct timespec latest = {0};
    struct stat here;
    *count = 0;
    DIR *entries = stat(folder, &here) == 0 ? opendir(folder) : NULL;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct stat about;
        bool is_current = strcmp(entry->d_name, ".") == 0;
        if ((entry->d_name[0] == '.' && !is_current) || !stat_anchor(folder, entry->d_name, &about) ||
            !is_trusted(about.st_uid, here.st_uid))
            continue;
        ++*count;
        if (newest != NULL && !is_later(about.st_mtim, entry->d_name, latest, newest))
            continue;
        char *name = strdup(entry->d_name);
        if (name == NULL)
            break;
        free(newest);
        newest = name;
        latest = about.st_mtim;
    }
    omptape_close_list(entries);
    return newest;
}
