/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder names and claims. Called by the writer's main thread.
 */
#include "writers/output.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SIBLINGS = 10000 };

/* Room for what is put behind a folder's name. */
enum { FOLDER_BYTES = OMPTAPE_PATH_BYTES - 512 };

static int make_folders(const char *path)
{
    char part[OMPTAPE_PATH_BYTES];
    size_t length = strlen(path);
    if (length >= sizeof(part))
        return -ENAMETOOLONG;
    memcpy(part, path, length + 1);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(part, 0777) != 0 && errno != EEXIST ? -errno : 0;
}

static bool holds_archive(const char *folder)
{
    char path[OMPTAPE_PATH_BYTES];
    struct stat st;
    snprintf(path, sizeof(path), "%.*s/trace.otf2", FOLDER_BYTES, folder);
    if (stat(path, &st) == 0)
        return true;
    snprintf(path, sizeof(path), "%.*s/trace", FOLDER_BYTES, folder);
    return stat(path, &st) == 0;
}

static void remove_files(const char *folder, const char *ending)
{
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strstr(ending, dot) != NULL)
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    closedir(entries);
}

/* Removes the archive's own files and nothing else. */
static void remove_archive(const char *folder)
{
    static const char *const names[] = {"trace.otf2", "trace.def", "trace.marker"};
    char path[OMPTAPE_PATH_BYTES];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%.*s/%s", FOLDER_BYTES, folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%.*s/trace", FOLDER_BYTES, folder);
    remove_files(path, ".evt.def.snap");
    rmdir(path);
}

/* A claim is a symbolic link that names its owner: made in one step on every file system, and no file in
 * between. One whose owner is gone from this host was left by a writer that was killed. */
static int make_claim(const char *path)
{
    char own[320];
    char host[256] = "";
    char other[320] = "";
    gethostname(host, sizeof(host) - 1);
    snprintf(own, sizeof(own), "%s:%d", host, (int)getpid());
    if (symlink(own, path) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    ssize_t n = readlink(path, other, sizeof(other) - 1);
    const char *colon = n > 0 ? strrchr(other, ':') : NULL;
    bool here = colon != NULL && strncmp(other, host, strlen(host)) == 0 && other[strlen(host)] == ':';
    if (!here || kill((pid_t)strtol(colon + 1, NULL, 10), 0) == 0 || errno != ESRCH)
        return -EEXIST;
    unlink(path);
    return symlink(own, path) == 0 ? 0 : -errno;
}

/* 0: the folder is ours; -EEXIST: it holds an archive, or another process is writing one there. */
static int claim(struct omptape_output *output, bool force)
{
    int error = make_folders(output->folder);
    if (error != 0)
        return error;
    snprintf(output->claim, sizeof(output->claim), "%.*s/.omptape-writing", FOLDER_BYTES, output->folder);
    error = make_claim(output->claim);
    if (error != 0)
        return error;
    if (!holds_archive(output->folder))
        return 0;
    if (force) {
        remove_archive(output->folder);
        if (!holds_archive(output->folder))
            return 0;
    }
    unlink(output->claim);
    return -EEXIST;
}

static const char *program_name(const struct omptape_shm *shm)
{
    const char *slash = strrchr(shm->options.program, '/');
    const char *name = slash != NULL ? slash + 1 : shm->options.program;
    return name[0] != '\0' ? name : "program";
}

static void default_name(char *name, size_t bytes, const struct omptape_shm *shm)
{
    char stamp[32];
    struct tm local;
    time_t seconds = (time_t)(shm->start_realtime / 1000000000U);
    localtime_r(&seconds, &local);
    strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
    snprintf(name, bytes, "omptape-%.200s-%s-%d", program_name(shm), stamp, (int)shm->pid);
}

static int make_absolute(char *path, size_t bytes, const char *name)
{
    char here[FOLDER_BYTES];
    if (name[0] == '/') {
        snprintf(path, bytes, "%.*s", OMPTAPE_PATH_BYTES - 1, name);
        return 0;
    }
    if (getcwd(here, sizeof(here)) == NULL)
        return -errno;
    int n = snprintf(path, bytes, "%s/%s", here, name);
    return n < 0 || (size_t)n >= bytes ? -ENAMETOOLONG : 0;
}

int omptape_output_choose(struct omptape_output *output, const struct omptape_shm *shm)
{
    char name[OMPTAPE_PATH_BYTES];
    char base[OMPTAPE_PATH_BYTES];
    bool asked = shm->options.output[0] != '\0';

    if (asked)
        snprintf(name, sizeof(name), "%s", shm->options.output);
    else
        default_name(name, sizeof(name), shm);
    int error = make_absolute(base, sizeof(base), name);
    snprintf(output->folder, sizeof(output->folder), "%s", error == 0 ? base : name);
    if (error != 0)
        return error;
    if (strlen(base) >= FOLDER_BYTES)
        return -ENAMETOOLONG;
    /* Relatives of one run share a folder: the first has it, those that come later or were forked a place
     * inside. Others step aside. */
    bool forked = shm->parent_pid != 0;
    bool relative = forked || shm->options.sibling != 0;
    error = asked && forked ? -EEXIST : claim(output, shm->options.force != 0 && !relative);
    if (error == -EEXIST && asked && relative) {
        snprintf(base, sizeof(base), "%.*s/%.200s-%d", FOLDER_BYTES, output->folder, program_name(shm),
                 (int)shm->pid);
        snprintf(output->folder, sizeof(output->folder), "%s", base);
        error = claim(output, false);
    }
    for (int i = 2; error == -EEXIST && i < MOST_SIBLINGS; i++) {
        snprintf(output->folder, sizeof(output->folder), "%.*s-%d", FOLDER_BYTES, base, i);
        error = claim(output, false);
    }
    return error;
}

int omptape_output_inside(struct omptape_output *inside, const struct omptape_output *output,
                          const char *name, unsigned number)
{
    int error = -EEXIST;
    for (unsigned i = 0; error == -EEXIST && i < MOST_SIBLINGS; i++) {
        snprintf(inside->folder, sizeof(inside->folder), "%.*s/%.64s-%u", FOLDER_BYTES, output->folder, name,
                 number + i);
        error = claim(inside, false);
    }
    return error;
}

void omptape_output_release(const struct omptape_output *output)
{
    unlink(output->claim);
}
