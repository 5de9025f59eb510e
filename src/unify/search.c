/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks through the output folder for parts (search.h). Called by omptape_unify, one thread.
 */
#include "src/unify/search.h"

#include "src/unify/lock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char claim_name[] = ".omptape-writing";
/* A writer of another host whose claim is this old and whose archive is complete died in between. */
static const double claim_seconds = 60;

enum { WHO_BYTES = 512, WHY_BYTES = 1024 };

static bool exists(int folder, const char *name)
{
    struct stat status;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

void omptape_unify_leave(struct omptape_unify_found *found, const char *why)
{
    free(found->why);
    found->why = strdup(why);
    found->ignored = found->ignored || found->why == NULL;
}

/* Why the archive in this folder cannot be taken; false: it can. */
static bool is_unfit(int folder, struct omptape_unify_found *found, bool *busy)
{
    char who[WHO_BYTES];
    char why[WHY_BYTES] = "";
    enum omptape_unify_owner owner = omptape_unify_look(folder, claim_name, who, sizeof(who));
    bool anchor = exists(folder, "trace.otf2");
    *busy =
        owner == OMPTAPE_UNIFY_OWNER || (owner == OMPTAPE_UNIFY_ELSEWHERE &&
                                         !(anchor && omptape_unify_age(folder, claim_name) > claim_seconds));
    if (*busy)
        snprintf(why, sizeof(why), "it is still being written (by process %s); unify again when it has ended",
                 who);
    else if (!anchor)
        snprintf(
            why, sizeof(why),
            "its writer was killed before it wrote %s; without it the events cannot be read, so trace the "
            "program again",
            exists(folder, "trace.def") ? "the anchor file trace.otf2"
                                        : "the definitions (trace.def and trace.otf2)");
    if (why[0] != '\0')
        omptape_unify_leave(found, why);
    return why[0] != '\0';
}

/* Adds the folder if there is an archive, or the beginning of one. */
static int add(struct omptape_unify_search *search, int parent, const char *name)
{
    bool busy = false;
    int folder = openat(parent, name[0] != '\0' ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;
    if (!exists(folder, "trace.otf2") && !exists(folder, "trace") && !exists(folder, "trace.def") &&
        !exists(folder, claim_name)) {
        close(folder);
        return 0;
    }
    struct omptape_unify_found *list = realloc(search->list, (search->count + 1) * sizeof(*list));
    if (list != NULL)
        search->list = list;
    char *copy = strdup(name);
    if (list == NULL || copy == NULL) {
        free(copy);
        close(folder);
        return -ENOMEM;
    }
    struct omptape_unify_found *found = &list[search->count++];
    *found = (struct omptape_unify_found){.folder = copy};
    bool unfit = is_unfit(folder, found, &busy);
    close(folder);
    if (name[0] == '\0') {
        search->base_busy = busy;
        search->base_unfinished = unfit && !busy;
    }
    return 0;
}

static bool is_wanted(const struct omptape_unify_options *options, const char *name)
{
    if (name[0] == '.')
        return false;
    if (options->parts == NULL)
        return true;
    for (size_t i = 0; i < options->part_count; i++) {
        if (strcmp(options->parts[i], name) == 0)
            return true;
    }
    return false;
}

static unsigned long trailing_number(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && isdigit((unsigned char)name[length - 1]))
        length--;
    return strtoul(name + length, NULL, 10);
}

/* Ranks in their order, other processes by their pids, which is mostly the order in which they began. */
static int compare(const void *left, const void *right)
{
    const char *a = ((const struct omptape_unify_found *)left)->folder;
    const char *b = ((const struct omptape_unify_found *)right)->folder;
    if (a[0] == '\0' || b[0] == '\0')
        return (a[0] != '\0') - (b[0] != '\0');
    bool rank_a = strncmp(a, "rank-", 5) == 0;
    bool rank_b = strncmp(b, "rank-", 5) == 0;
    if (rank_a != rank_b)
        return rank_a ? -1 : 1;
    unsigned long number_a = trailing_number(a);
    unsigned long number_b = trailing_number(b);
    if (!rank_a && number_a != number_b)
        return number_a < number_b ? -1 : 1;
    return strverscmp(a, b);
}

int omptape_unify_search(struct omptape_unify_search *search, int folder,
                         const struct omptape_unify_options *options)
{
    *search = (struct omptape_unify_search){.list = NULL};
    int result = add(search, folder, "");
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again >= 0 ? fdopendir(again) : NULL;
    if (entries == NULL)
        return -errno;
    const struct dirent *entry;
    while (result == 0 && (entry = readdir(entries)) != NULL) {
        if (is_wanted(options, entry->d_name) && strcmp(entry->d_name, "trace") != 0)
            result = add(search, folder, entry->d_name);
    }
    closedir(entries);
    if (search->count > 1)
        qsort(search->list, search->count, sizeof(*search->list), compare);
    return result;
}

void omptape_unify_search_free(struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        free(search->list[i].folder);
        free(search->list[i].why);
    }
    free(search->list);
    *search = (struct omptape_unify_search){.list = NULL};
}
