/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims the output folder before a run and cleans it up after the run. Called by run.c.
 */
#include "src/command/run/run.h"

#include "src/command/text/notice.h"
#include "src/core/message.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/named_folder.h"
#include "src/folder/output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <omptape/shm.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Claims the folder for this run. Returns -EEXIST if another run has claimed it (`why` names the owner) and
 * -ENOENT if it was just removed. Returns 0 on other errors, such as a full disk: the run continues without a
 * claim. */
static int claim_for_run(const char *path, char *why)
{
    const int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return folder;
    const int result = omptape_output_folder_claim_run(folder, why);
    close(folder);
    return result == -EEXIST || result == -ENOENT ? result : 0;
}

static void release_folder(const char *path)
{
    const int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return;
    omptape_output_folder_release_run(folder);
    close(folder);
}

static void release_run(struct run_output *output)
{
    if (output->claimed)
        release_folder(output->folder);
    output->claimed = false;
}

/* Claims a folder that this process has just created. Returns false if another run claimed it first. */
static bool claim_made(const char *path)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    if (claim_for_run(path, why) != 0)
        return false;
    const bool taken = omptape_replace_needed(path);
    if (taken)
        release_folder(path);
    return !taken;
}

/* Creates and claims the first folder from *number on that does not exist. mkdir is atomic, so two concurrent
 * runs never choose the same one. */
static int make_numbered(struct run_output *output, int *number)
{
    char folder[OMPTAPE_PATH_BYTES];
    for (; *number < OMPTAPE_MAX_OUTPUT_FOLDER; ++*number) {
        omptape_output_folder_number(folder, sizeof(folder), output->folder, *number);
        const bool made = mkdir(folder, 0777) == 0;
        if (!made && errno != EEXIST)
            return -errno;
        if (made && claim_made(folder)) {
            free(output->folder);
            *output =
                (struct run_output){.folder = omptape_text("%s", folder), .created = true, .claimed = true};
            return 0;
        }
    }
    return -EEXIST;
}

/* Chooses the next free folder and prints a line: the first's `state` ("holds an archive") and (`why`). */
static int use_other_folder(const char *shown, const char *state, const char *why, struct run_output *output)
{
    int number = 2;
    int result = make_numbered(output, &number);
    if (result != 0)
        return result;
    char *name = omptape_text("%s-%d", shown, number);
    omptape_notice("%s %s; writing to %s (%s)", omptape_quoted(shown).text, state, omptape_quoted(name).text,
                   why);
    free(name);
    return 0;
}

/* Handles a folder that holds an archive: sets that aside with `force`, else chooses the next folder. */
static int replace_or_use_other_folder(const char *shown, bool force, struct run_output *output)
{
    char *obstacle = force ? NULL : omptape_replace_find_other_owner(output->folder);
    int result =
        force ? omptape_replace_move_away(output->folder, &output->replaced_path, &obstacle) : -ENOTEMPTY;
    if (result == -ENOTEMPTY) {
        release_run(output);
        result = use_other_folder(shown, "holds an archive",
                                  obstacle != NULL ? obstacle : "--force replaces it", output);
    }
    free(obstacle);
    return result;
}

static bool has_folders(const char *path)
{
    struct stat status;
    const struct dirent *entry;
    bool found = false;
    DIR *entries = opendir(path);
    while (entries != NULL && !found && (entry = readdir(entries)) != NULL)
        found = entry->d_name[0] != '.' && fstatat(dirfd(entries), entry->d_name, &status, 0) == 0 &&
                S_ISDIR(status.st_mode);
    omptape_close_list(entries);
    return found;
}

/* Creates the named folder if needed and checks that it is writable. Returns 0 or negative errno. */
static int make_named(struct run_output *output)
{
    int result = omptape_output_folder_make(output->folder, &output->created);
    if (result == 0 && access(output->folder, W_OK | X_OK) != 0)
        result = -errno;
    const int opened = result == 0 ? omptape_named_folder_open(output->folder) : -1;
    if (result == 0 && opened < 0)
        result = opened;
    omptape_close(opened);
    return result;
}

/* Creates and claims the user's folder. Returns -EEXIST with the owner in `why` if another run claimed it. */
static int claim_named(struct run_output *output, char *why)
{
    enum { MAX_ATTEMPTS = 100 };
    int result = -ENOENT;
    why[0] = '\0';
    /* A run that has traced nothing may remove the folder between the two steps. */
    for (int i = 0; result == -ENOENT && i < MAX_ATTEMPTS; i++) {
        result = make_named(output);
        if (result != 0)
            return result;
        result = claim_for_run(output->folder, why);
    }
    output->claimed = result == 0;
    return result;
}

/* Claims the output folder. `shown` is the folder's name as the user wrote it, without redundant parts. */
static int claim_folder(const char *shown, bool named, bool force, struct run_output *output)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    int first = 1;
    int result = named ? claim_named(output, why) : make_numbered(output, &first);
    if (result == -EEXIST && named && why[0] != '\0')
        return use_other_folder(shown, "is in use", why, output);
    if ((result == 0 || !force) && omptape_replace_needed(output->folder))
        result = replace_or_use_other_folder(shown, force, output);
    return result;
}

int run_output_claim(const char *asked, bool named, bool force, struct run_output *output)
{
    char folder[OMPTAPE_PATH_BYTES];
    char *shown = omptape_text("%s", asked);
    omptape_named_folder_tidy(shown);
    int result = omptape_output_folder_absolute(folder, shown);
    *output = (struct run_output){.folder = NULL};
    if (result != 0 && result != -ENAMETOOLONG) {
        notice_failure("the current folder is gone (-o names another one by its full path)");
        free(shown);
        return -ENOENT;
    }
    if (result == 0) {
        output->folder = omptape_text("%s", folder);
        result =
            claim_folder(strcmp(omptape_base_name(shown), ".") == 0 ? folder : shown, named, force, output);
    }
    output->had_no_subfolders = output->folder != NULL && !has_folders(output->folder);
    if (result != 0)
        notice_failure("cannot write to %s: %s (-o names another folder)", omptape_quoted(asked).text,
                       omptape_cause(result));
    free(shown);
    return result;
}

/* Checks the minimum that a writer needs: disk space, and a file size limit that is large enough. */
static int write_probe(int file)
{
    enum { WRITTEN_BYTES = 64 * 1024, MIN_BYTES = 2 * 1024 * 1024 };
    static const char zeros[WRITTEN_BYTES];
    if (file < 0)
        return errno;
    for (size_t done = 0; done < sizeof(zeros);) {
        ssize_t n = write(file, zeros, sizeof(zeros) - done);
        if (n < 0)
            return errno;
        done += (size_t)n;
    }
    return ftruncate(file, MIN_BYTES) != 0 || fsync(file) != 0 ? errno : 0;
}

bool run_output_try(const char *folder)
{
    char *name = omptape_text("%s/.omptape-strict-XXXXXX", folder);
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    int file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        (void)unlink(name);
    int error = write_probe(file);
    omptape_close(file);
    (void)signal(SIGXFSZ, before);
    if (error != 0)
        notice_failure("cannot write to %s: %s (-o names another folder)", omptape_quoted(folder).text,
                       omptape_cause(error));
    free(name);
    return error == 0;
}

void run_output_end(struct run_output *output)
{
    if (output->replaced_path != NULL)
        omptape_replace_finish(output->folder, output->replaced_path);
    release_run(output);
    if (output->created)
        (void)rmdir(output->folder);
    free(output->folder);
    free(output->replaced_path);
    *output = (struct run_output){0};
}
