/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets an old archive aside and settles its fate. Called by the command's one thread before and after the
 * program. The writers cannot do it: of several in one run, each would take another's archive for the old
 * one.
 */
#include "src/command/run/replace.h"

#include "src/core/string_list.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {
    "trace.otf2",          "trace.def",      "trace.marker", "trace", OMPTAPE_CHECKPOINT_FILE,
    OMPTAPE_UNIFY_DECIDED, OMPTAPE_JOB_CLAIM};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

bool omptape_replace_needed(const char *path)
{
    int folder = omptape_beneath_open_named(path);
    bool needed = false;

    for (size_t i = 0; folder >= 0 && !needed && i < NAMES; i++)
        needed = omptape_beneath_is_there(folder, names[i]);
    if (folder >= 0)
        (void)close(folder);
    return needed;
}

char *omptape_replace_whose(const char *path)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    int folder = omptape_beneath_open_named(path);
    bool refused = folder >= 0 && omptape_archive_files_find_refused(folder, why, sizeof(why)) != 0;

    if (folder >= 0)
        (void)close(folder);
    return refused ? omptape_text("%s", why) : NULL;
}

static int move(int from, int to, const char *name)
{
    int error = omptape_beneath_rename(from, name, to, name);
    return error == -ENOENT ? 0 : error;
}

/* Also the parts of a job (src/folder/archive_files.h). */
static int move_parts(int from, int to)
{
    int error = 0;
    const struct dirent *entry;
    DIR *entries = omptape_beneath_list(from, ".");

    while (entries != NULL && error == 0 && (entry = readdir(entries)) != NULL)
        if (omptape_archive_files_is_part(entry->d_name))
            error = move(from, to, entry->d_name);
    if (entries != NULL)
        closedir(entries);
    return error;
}

static bool is_event_file(const char *name)
{
    static const char *const endings[] = {".evt", ".def", ".snap", ".marker"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* Goes through the folder of event files: deletes them, or with `remove` false only looks. Returns how many
 * other entries there are. */
static unsigned visit_events(int folder, bool remove)
{
    const struct dirent *entry;
    unsigned others = 0;
    DIR *entries = omptape_beneath_list(folder, "trace");

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!is_event_file(entry->d_name))
            others++;
        else if (remove)
            (void)omptape_beneath_remove(dirfd(entries), entry->d_name);
    }
    if (entries != NULL)
        closedir(entries);
    if (remove)
        (void)omptape_beneath_remove_folder(folder, "trace");
    return others;
}

static int move_all(int from, int to)
{
    int error = move_parts(from, to);

    for (size_t i = 0; i < NAMES; i++) {
        int result = move(from, to, names[i]);
        error = error != 0 ? error : result;
    }
    return error;
}

/* Why what is there cannot be set aside, or NULL. The caller frees it. */
static char *find_obstacle(int folder)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    int result = omptape_beneath_check_own(folder, "trace", S_IFDIR);

    if (result != 0 && result != -ENOENT) {
        omptape_beneath_explain(folder, "trace", result, why, sizeof(why));
        return omptape_text("%s", why);
    }
    return visit_events(folder, false) > 0 ? omptape_text("its folder \"trace\" holds other files too")
                                           : NULL;
}

int omptape_replace_set_aside(const char *path, char **aside, char **obstacle)
{
    char name[64];
    int folder = omptape_beneath_open_named(path);
    if (folder < 0)
        return folder;
    *obstacle = find_obstacle(folder);
    int hidden = *obstacle != NULL
                     ? -ENOTEMPTY
                     : omptape_beneath_make_private(folder, ".omptape-replaced-", name, sizeof(name));
    int error = hidden < 0 ? hidden : move_all(folder, hidden);
    if (error == 0) {
        *aside = omptape_text("%s", name);
    } else if (hidden >= 0) {
        (void)move_all(hidden, folder);
        (void)omptape_beneath_remove_folder(folder, name);
    }
    if (hidden >= 0)
        (void)close(hidden);
    (void)close(folder);
    return error;
}

static void settle(int folder, int hidden)
{
    bool needed = omptape_beneath_is_there(folder, OMPTAPE_WRITER_CLAIM);
    for (size_t i = 0; !needed && i < NAMES; i++)
        needed = omptape_beneath_is_there(folder, names[i]);
    if (!needed) {
        (void)move_all(hidden, folder);
        return;
    }
    (void)visit_events(hidden, true);
    omptape_archive_files_remove(hidden);
    omptape_archive_files_remove_parts(hidden);
    for (size_t i = 0; i < NAMES; i++)
        (void)omptape_beneath_remove(hidden, names[i]);
}

void omptape_replace_settle(const char *path, const char *aside)
{
    int folder = omptape_beneath_open_named(path);
    if (folder < 0)
        return;
    int hidden = omptape_beneath_open_own_folder(folder, aside);
    if (hidden >= 0) {
        settle(folder, hidden);
        (void)close(hidden);
        (void)omptape_beneath_remove_folder(folder, aside);
    }
    (void)close(folder);
}
