/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets an old archive aside and settles its fate. Called by the command before and after the program. The
 * writers cannot do it: of several in one run, each would take another's archive for the old one.
 */
#include "src/folder/replace.h"
#include "src/folder/named_folder.h"

#include "src/core/string_list.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static bool holds_archive(int folder)
{
    return omptape_archive_files_there(folder) || omptape_beneath_is_there(folder, OMPTAPE_CHECKPOINT_FILE);
}

bool omptape_replace_needed(const char *path)
{
    int folder = omptape_named_folder_open(path);
    bool needed = folder >= 0 && holds_archive(folder);

    if (folder >= 0)
        (void)close(folder);
    return needed;
}

char *omptape_replace_whose(const char *path)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    int folder = omptape_named_folder_open(path);
    bool refused = folder >= 0 && (omptape_archive_files_find_refused(folder, why, sizeof(why)) != 0 ||
                                   omptape_archive_files_find_another_users(folder, why, sizeof(why)));

    if (folder >= 0)
        (void)close(folder);
    return refused ? omptape_text("%s", why) : NULL;
}

/* Why what is there cannot be set aside, or NULL. The caller frees it. */
static char *find_obstacle(int folder)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    const int error = omptape_archive_files_check_events(folder);
    if (error == 0)
        return NULL;
    if (error == -ENOTEMPTY)
        return omptape_text("its folder \"" OMPTAPE_ARCHIVE_EVENTS "\" holds other files too");
    omptape_beneath_explain(folder, OMPTAPE_ARCHIVE_EVENTS, error, why, sizeof(why));
    return omptape_text("%s", why);
}

int omptape_replace_set_aside(const char *path, char **aside, char **obstacle)
{
    char name[64];
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return folder;
    *obstacle = find_obstacle(folder);
    int hidden = *obstacle != NULL
                     ? -ENOTEMPTY
                     : omptape_beneath_make_private(folder, ".omptape-replaced-", name, sizeof(name));
    int error = hidden < 0 ? hidden : omptape_archive_files_move(folder, hidden);
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    /* The folder of another user cannot be moved. */
    const bool anothers = (error == -EACCES || error == -EPERM) && hidden >= 0 &&
                          omptape_archive_files_find_another_users(folder, why, sizeof(why));
    if (error == 0) {
        *aside = omptape_text("%s", name);
    } else if (hidden >= 0) {
        (void)omptape_archive_files_move(hidden, folder);
        (void)omptape_beneath_remove_folder(folder, name);
    }
    if (anothers) {
        *obstacle = omptape_text("%s", why);
        error = -ENOTEMPTY;
    }
    if (hidden >= 0)
        (void)close(hidden);
    (void)close(folder);
    return error;
}

void omptape_replace_settle(const char *path, const char *aside)
{
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return;
    int hidden = omptape_beneath_open_own_folder(folder, aside);
    if (hidden >= 0) {
        if (holds_archive(folder) || omptape_beneath_is_there(folder, OMPTAPE_WRITER_CLAIM))
            omptape_archive_files_remove_all(hidden);
        else
            (void)omptape_archive_files_move(hidden, folder);
        (void)close(hidden);
        (void)omptape_beneath_remove_folder(folder, aside);
    }
    (void)close(folder);
}
