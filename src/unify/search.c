/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements search.h.
 */
#include "src/unify/search.h"
#include "src/core/sort.h"
#include "src/core/words.h"

#include "src/core/array.h"
#include "src/core/store.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A writer on another host counts as dead after this time without an update. Network file systems may show
 * time stamps that are a minute old. */
static const double claim_seconds = 120;

enum { WHY_BYTES = 1024 };

void omptape_unify_skip(struct omptape_unify_found *found, const char *why)
{
    free(found->why);
    found->why = strdup(why);
    found->ignored = found->ignored || found->why == NULL;
}

/* Returns true if a live process, named in `who`, writes to the folder. `anchor`: the archive is complete. */
static bool is_busy(int folder, bool anchor, char *who, size_t bytes)
{
    enum omptape_claim_owner owner = omptape_claim_read(folder, OMPTAPE_WRITER_CLAIM, who, bytes);
    if (owner != OMPTAPE_CLAIM_OTHER_HOST)
        return owner == OMPTAPE_CLAIM_ALIVE;
    /* A writer on another host counts as alive if its claim or its checkpoint is recent enough. */
    return omptape_claim_age(folder, anchor ? OMPTAPE_WRITER_CLAIM : OMPTAPE_CHECKPOINT_FILE) < claim_seconds;
}

/* Removes checkpoint and claim of a complete archive. */
static void forget_writer(int folder)
{
    omptape_checkpoint_discard(folder);
    (void)omptape_beneath_remove(folder, OMPTAPE_WRITER_CLAIM);
}

bool omptape_unify_is_claimed(int folder, bool anchor)
{
    char who[OMPTAPE_CLAIM_BYTES];
    return is_busy(folder, anchor, who, sizeof(who));
}

/* Returns true if the files of a part can be moved, which needs write permission for its folders. */
static bool can_move(int folder)
{
    return faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0 &&
           (faccessat(folder, OMPTAPE_ARCHIVE_EVENTS, W_OK | X_OK, AT_EACCESS) == 0 || errno == ENOENT);
}

/* Completes a killed writer's archive from its checkpoint. `why` receives the reason if that fails. */
static void restore_archive(int folder, struct omptape_unify_found *found, char *why, size_t bytes)
{
    struct omptape_checkpoint_head head;
    char text[WHY_BYTES / 2];
    char until[OMPTAPE_CHECKPOINT_TIME_BYTES];
    int result = omptape_checkpoint_restore(folder, &head, text, sizeof(text));
    if (result == 0) {
        forget_writer(folder);
        omptape_checkpoint_time(head.realtime, until, sizeof(until));
        snprintf(text, sizeof(text), "its writer did not finish it; now it holds what was recorded until %s",
                 until);
        found->note = strdup(text);
    } else if (result == -ENOENT) {
        const char *lacks = omptape_beneath_is_there(folder, OMPTAPE_ARCHIVE_DEFINITIONS)
                                ? "the anchor file " OMPTAPE_ARCHIVE_ANCHOR
                                : "the definitions (" OMPTAPE_ARCHIVE_DEFINITIONS
                                  " and " OMPTAPE_ARCHIVE_ANCHOR ")";
        snprintf(why, bytes,
                 "its writer did not come to write %s, and it left no checkpoint to "
                 "complete the archive from; trace the program again",
                 lacks);
    } else {
        snprintf(why, bytes, "its writer did not finish it, and it cannot be completed: %.500s", text);
    }
}

static void refuse_found(struct omptape_unify_found *found, char *why, size_t bytes, int error)
{
    if (error == -EPERM)
        omptape_append(why, bytes, "; it is left to that user to unify it");
    found->refused = true;
    omptape_unify_skip(found, why);
}

/* Skips a part that is a link or belongs to another user. */
static void refuse_part(struct omptape_unify_found *found, int parent, int error)
{
    char why[WHY_BYTES];
    omptape_beneath_explain(parent, found->folder, error, why, sizeof(why));
    refuse_found(found, why, sizeof(why), error);
}

/* Skips a part if one of its files is a link or belongs to another user. */
static bool is_refused(int folder, struct omptape_unify_found *found)
{
    char why[WHY_BYTES];
    int error = omptape_archive_files_find_refused(folder, why, sizeof(why));
    if (error != 0)
        refuse_found(found, why, sizeof(why), error);
    return error != 0;
}

/* Skips the folder's archive if it cannot be taken: true. Sets *busy if it is still being written. */
static bool is_unfit(int folder, struct omptape_unify_found *found, bool *busy)
{
    char who[OMPTAPE_CLAIM_BYTES];
    char writer[OMPTAPE_CLAIM_BYTES];
    char why[WHY_BYTES] = "";
    bool anchor = omptape_beneath_is_there(folder, OMPTAPE_ARCHIVE_ANCHOR);
    if (is_refused(folder, found))
        return true;
    *busy = is_busy(folder, anchor, who, sizeof(who));
    omptape_claim_describe(who, writer, sizeof(writer));
    if (*busy)
        snprintf(why, sizeof(why), "it is still being written (by %s); unify again when it has ended",
                 writer);
    else if (found->folder[0] != '\0' && !can_move(folder))
        snprintf(why, sizeof(why), "its files cannot be moved: %s", strerror(errno));
    else if (anchor)
        forget_writer(folder);
    else
        restore_archive(folder, found, why, sizeof(why));
    if (why[0] != '\0')
        omptape_unify_skip(found, why);
    return why[0] != '\0';
}

/* Returns true if the folder holds an archive, complete or not. */
static bool holds_archive(int folder)
{
    return omptape_archive_files_begun(folder) || omptape_beneath_is_there(folder, OMPTAPE_WRITER_CLAIM) ||
           omptape_beneath_is_there(folder, OMPTAPE_CHECKPOINT_FILE);
}

static struct omptape_unify_found *add_found(struct omptape_unify_search *search, const char *name,
                                             const struct stat *status)
{
    char *copy = strdup(name);
    if (!OMPTAPE_RESERVE(search->list, search->count + 1, &search->capacity) || copy == NULL) {
        free(copy);
        return NULL;
    }
    search->list[search->count] =
        (struct omptape_unify_found){.folder = copy, .device = status->st_dev, .inode = status->st_ino};
    return &search->list[search->count++];
}

/* Adds a folder that is a link. It is skipped with a message, unless it is a second name of another part. */
static int add_link(struct omptape_unify_search *search, int parent, const char *name)
{
    struct stat target;
    if (!omptape_beneath_leads_to_folder(parent, name, OMPTAPE_ARCHIVE_ANCHOR, &target))
        return 0;
    struct omptape_unify_found *found = add_found(search, name, &target);
    if (found == NULL)
        return -ENOMEM;
    found->is_link = true;
    refuse_part(found, parent, -ELOOP);
    return 0;
}

/* Adds the subfolder `name` of `parent` if it holds an archive, complete or not. "" is `parent` itself. */
static int add_folder(struct omptape_unify_search *search, int parent, const char *name)
{
    const bool base = name[0] == '\0';
    bool busy = false;
    struct stat status;
    int folder = omptape_beneath_open_folder(parent, base ? "." : name);
    if (folder == -ELOOP || folder == -ENOTDIR)
        return add_link(search, parent, name);
    if (folder < 0)
        return 0;
    if (!holds_archive(folder) || fstat(folder, &status) != 0) {
        close(folder);
        return 0;
    }
    struct omptape_unify_found *found = add_found(search, name, &status);
    bool unfit = false;
    if (found != NULL && !base && omptape_beneath_check_own(parent, name, S_IFDIR) != 0) {
        refuse_part(found, parent, -EPERM);
        unfit = true;
    } else if (found != NULL) {
        unfit = is_unfit(folder, found, &busy);
    }
    close(folder);
    if (found != NULL && base) {
        search->has_base = true;
        search->base_busy = busy;
        search->base_refused = found->refused;
        search->base_unfinished = unfit && !busy && !found->refused;
    }
    return found != NULL ? 0 : -ENOMEM;
}

/* Returns true if the name may be a part. `wanted`: NULL for all names. */
static bool is_wanted(const struct omptape_rows *wanted, const char *name)
{
    if (name[0] == '.' || omptape_starts_with(name, OMPTAPE_CHECKPOINT_SCRATCH))
        return false;
    return wanted == NULL || omptape_rows_find(wanted, name, strlen(name)) != UINT32_MAX;
}

static unsigned long trailing_number(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && isdigit((unsigned char)name[length - 1]))
        length--;
    return strtoul(name + length, NULL, 10);
}

/* Orders ranks by number before other processes, which are ordered by pid, mostly their order of start. */
static int compare_found(const void *left, const void *right)
{
    const char *a = ((const struct omptape_unify_found *)left)->folder;
    const char *b = ((const struct omptape_unify_found *)right)->folder;
    if (a[0] == '\0' || b[0] == '\0')
        return (a[0] != '\0') - (b[0] != '\0');
    bool rank_a = omptape_archive_files_is_part(a);
    bool rank_b = omptape_archive_files_is_part(b);
    if (rank_a != rank_b)
        return rank_a ? -1 : 1;
    unsigned long number_a = trailing_number(a);
    unsigned long number_b = trailing_number(b);
    if (!rank_a && number_a != number_b)
        return number_a < number_b ? -1 : 1;
    return strverscmp(a, b);
}

/* Ignores all but one name of the same folder; a link is ignored rather than the folder. */
static int drop_doubles(struct omptape_unify_search *search)
{
    struct omptape_pairs counted = {.list = NULL};
    int result = 0;
    for (uint32_t i = 0; i < search->count && result == 0; i++) {
        struct omptape_unify_found *other = &search->list[i];
        struct omptape_unify_found *one = omptape_pairs_get(&counted, other->device, other->inode);
        bool instead = one == NULL || (one->is_link && !other->is_link);
        if (one != NULL)
            *(instead ? &one->ignored : &other->ignored) = true;
        if (instead)
            result = omptape_pairs_put(&counted, other->device, other->inode, other);
    }
    omptape_pairs_free(&counted);
    return result;
}

static int add_folders(struct omptape_unify_search *search, int folder, const struct omptape_rows *wanted)
{
    int result = add_folder(search, folder, "");
    DIR *entries = omptape_beneath_list(folder, ".");
    if (entries == NULL)
        return -errno;
    const struct dirent *entry;
    while (result == 0 && (entry = readdir(entries)) != NULL)
        if (is_wanted(wanted, entry->d_name) && strcmp(entry->d_name, OMPTAPE_ARCHIVE_EVENTS) != 0)
            result = add_folder(search, folder, entry->d_name);
    closedir(entries);
    return result;
}

int omptape_unify_search(struct omptape_unify_search *search, int folder, const char *const *parts,
                         size_t part_count)
{
    struct omptape_rows wanted = {.list = NULL};
    *search = (struct omptape_unify_search){.list = NULL};
    for (size_t i = 0; parts != NULL && i < part_count; i++)
        omptape_rows_text(&wanted, parts[i]);
    int result = wanted.failed ? -ENOMEM : add_folders(search, folder, parts != NULL ? &wanted : NULL);
    omptape_rows_free(&wanted);
    omptape_sort(search->list, search->count, sizeof(*search->list), compare_found);
    int dropped = drop_doubles(search);
    return result != 0 ? result : dropped;
}

void omptape_unify_search_free(struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        free(search->list[i].folder);
        free(search->list[i].why);
        free(search->list[i].note);
    }
    free(search->list);
    *search = (struct omptape_unify_search){.list = NULL};
}
