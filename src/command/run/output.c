/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims the output folder. Called by the command's one thread before and after the program.
 */
#include "src/command/run/output.h"

#include "src/command/run/replace.h"
#include "src/core/message.h"
#include "src/core/notice.h"
#include "src/core/string_list.h"

#include <dirent.h>
#include <errno.h>
#include <omptape/shm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FOLDERS = 100000 };

/* NULL: there is no current folder any more. */
static char *make_absolute(const char *path)
{
    if (path[0] == '/')
        return omptape_text("%s", path);
    char *current = getcwd(NULL, 0);
    char *absolute = current != NULL && current[0] == '/' ? omptape_text("%s/%s", current, path) : NULL;
    free(current);
    return absolute;
}

static void strip_slashes(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
}

/* mkdir -p. Returns 1 if the last folder is new, 0 if it was there, or negative errno. */
static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int result = mkdir(path, 0777);
        *slash = '/';
        /* A folder on the way may be on a read-only file system and yet be there. */
        if (result != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            return -errno;
    }
    if (mkdir(path, 0777) == 0)
        return 1;
    struct stat status;
    int error = errno;
    if (stat(path, &status) != 0)
        return error == EEXIST ? -errno : -error;
    return S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

/* A new folder, so that two runs at the same time never choose the same one. */
static int claim_numbered(const char *asked, const char *hint, struct omptape_run_output *output)
{
    for (int number = 2; number < MOST_FOLDERS; number++) {
        char *folder = omptape_text("%s-%d", output->folder, number);
        if (mkdir(folder, 0777) == 0) {
            omptape_notice("%s holds an archive; writing to %s-%d%s", asked, asked, number, hint);
            free(output->folder);
            *output = (struct omptape_run_output){.folder = folder, .created = true};
            return 0;
        }
        int error = errno;
        free(folder);
        if (error != EEXIST)
            return -error;
    }
    return -EEXIST;
}

static int claim_shown(const char *asked, const char *hint, struct omptape_run_output *output)
{
    char *shown = omptape_text("%s", asked);
    strip_slashes(shown);
    int result = claim_numbered(shown, hint, output);
    free(shown);
    return result;
}

static bool holds_folders(const char *path)
{
    struct stat status;
    const struct dirent *entry;
    bool found = false;
    DIR *entries = opendir(path);

    while (entries != NULL && !found && (entry = readdir(entries)) != NULL)
        found = entry->d_name[0] != '.' && fstatat(dirfd(entries), entry->d_name, &status, 0) == 0 &&
                S_ISDIR(status.st_mode);
    if (entries != NULL)
        closedir(entries);
    return found;
}

int omptape_run_output_claim(const char *asked, bool force, struct omptape_run_output *output)
{
    *output = (struct omptape_run_output){.folder = make_absolute(asked)};
    if (output->folder == NULL) {
        omptape_message("the current folder is gone; the program runs untraced (-o names another one by its "
                        "full path)");
        return -ENOENT;
    }
    strip_slashes(output->folder);

    int result = make_folders(output->folder);
    if (result >= 0) {
        output->created = result == 1;
        result = access(output->folder, W_OK | X_OK) == 0 ? 0 : -errno;
    }
    if (omptape_replace_needed(output->folder)) {
        char *obstacle = force ? NULL : omptape_replace_whose(output->folder);
        if (force && result == 0)
            result = omptape_replace_set_aside(output->folder, &output->aside, &obstacle);
        if (!force || result == -ENOTEMPTY) {
            char *hint = omptape_text(" (%s)", obstacle != NULL ? obstacle : "--force replaces it");
            result = claim_shown(asked, hint, output);
            free(hint);
        }
        free(obstacle);
    }
    output->alone = !holds_folders(output->folder);
    if (result == 0 && strlen(output->folder) >= OMPTAPE_PATH_BYTES)
        result = -ENAMETOOLONG;
    if (result != 0)
        omptape_message("cannot write to %s: %s; the program runs untraced", asked, strerror(-result));
    return result;
}

void omptape_run_output_end(struct omptape_run_output *output)
{
    if (output->aside != NULL)
        omptape_replace_settle(output->folder, output->aside);
    if (output->created)
        (void)rmdir(output->folder);
    free(output->folder);
    free(output->aside);
    *output = (struct omptape_run_output){0};
}
