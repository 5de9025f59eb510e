/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements beneath.h. Each path is split into its parent folder, which is opened without following links,
 * and its last component.
 */
#include "src/folder/beneath.h"

#include "src/folder/link_text.h"
#include "src/folder/named_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>

/* A parent folder and a name in it. */
struct place {
    int folder;
    const char *name;
    bool opened; /* the folder was opened and must be closed */
};

/* As in linux/openat2.h, which the oldest supported systems lack. */
struct openat2_how {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};
enum { NO_MAGIC_LINKS = 0x02, NO_LINKS = 0x04, BENEATH = 0x08, NUMBER_OF_OPENAT2 = 437 };
enum { STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static bool is_step(const char *name)
{
    return name[0] != '\0' && strcmp(name, "..") != 0;
}

/* Opens a folder component by component, for kernels before 5.6 and where openat2 is forbidden. */
static int walk_steps(int folder, char *path)
{
    char *rest = NULL;
    int at = -1;
    for (char *name = strtok_r(path, "/", &rest); name != NULL; name = strtok_r(NULL, "/", &rest)) {
        int next = is_step(name) ? openat(at < 0 ? folder : at, name, STEP) : -1;
        int error = is_step(name) ? errno : EINVAL;
        omptape_close(at);
        if (next < 0)
            return -error;
        at = next;
    }
    return at >= 0 ? at : -EINVAL;
}

static int open_above(int folder, const char *path, size_t length)
{
    char above[PATH_MAX];
    const struct openat2_how how = {.flags = STEP, .resolve = NO_MAGIC_LINKS | NO_LINKS | BENEATH};
    if (length >= sizeof(above))
        return -ENAMETOOLONG;
    memcpy(above, path, length);
    above[length] = '\0';
    long descriptor = syscall(NUMBER_OF_OPENAT2, folder, above, &how, sizeof(how));
    if (descriptor >= 0)
        return (int)descriptor;
    return errno == ENOSYS || errno == EPERM || errno == EAGAIN ? walk_steps(folder, above) : -errno;
}

static int find_place(int folder, const char *path, struct place *place)
{
    const char *slash = strrchr(path, '/');
    *place = (struct place){.folder = folder, .name = slash != NULL ? slash + 1 : path};
    if (!is_step(place->name) || path[0] == '/')
        return -EINVAL;
    if (slash == NULL)
        return 0;
    place->folder = open_above(folder, path, (size_t)(slash - path));
    place->opened = place->folder >= 0;
    return place->opened ? 0 : place->folder;
}

/* Closes the parent folder. Preserves errno. */
static void leave_place(const struct place *place)
{
    int error = errno;
    if (place->opened)
        close(place->folder);
    errno = error;
}

static int open_last(const struct place *place, int flags)
{
    int descriptor =
        openat(place->folder, place->name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    return descriptor >= 0 ? descriptor : -errno;
}

/* Returns true if the parent folder belongs to the caller or root, or is the folder that the user named. */
static bool is_own_place(const struct place *place)
{
    struct stat status;
    return !place->opened ||
           (fstat(place->folder, &status) == 0 && omptape_owner_is_trusted(place->folder, &status));
}

/* Returns 0 if the file has this type, and with `own` belongs to the caller or root. A file for writing must
 * not have a second hard link, through which another file would be changed. */
static int judge_file(const struct place *place, int descriptor, int flags, mode_t type, bool own)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return -errno;
    if ((status.st_mode & S_IFMT) != type)
        return -EINVAL;
    if (own && (!omptape_owner_is_trusted(place->folder, &status) || !is_own_place(place)))
        return -EPERM;
    return type == S_IFREG && (flags & O_ACCMODE) != O_RDONLY && status.st_nlink != 1 ? -EMLINK : 0;
}

/* Opens a file of this type; with `own` it must belong to the caller or root. */
static int open_checked(int folder, const char *path, int flags, mode_t type, bool own)
{
    struct place place;
    int result = find_place(folder, path, &place);
    if (result == 0)
        result = open_last(&place, flags);
    if (result >= 0) {
        int refused = judge_file(&place, result, flags, type, own);
        if (refused != 0) {
            close(result);
            result = refused;
        }
    }
    leave_place(&place);
    /* ENXIO: a pipe or socket without a peer, or a device without a driver. */
    return result == -ENXIO ? -EINVAL : result;
}

int omptape_beneath_open_named(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return descriptor >= 0 ? descriptor : -errno;
}

int omptape_beneath_pass_named(const char *path)
{
    int descriptor = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return descriptor >= 0 ? descriptor : -errno;
}

int omptape_beneath_open_folder(int folder, const char *path)
{
    return open_checked(folder, path, O_RDONLY | O_DIRECTORY, S_IFDIR, false);
}

int omptape_beneath_open_own_folder(int folder, const char *path)
{
    return open_checked(folder, path, O_RDONLY | O_DIRECTORY, S_IFDIR, true);
}

int omptape_beneath_make_folder(int folder, const char *path, bool *made)
{
    struct place place;
    int result = find_place(folder, path, &place);
    bool new = result == 0 && mkdirat(place.folder, place.name, 0777) == 0;
    if (result == 0 && !new && errno != EEXIST)
        result = -errno;
    leave_place(&place);
    if (made != NULL)
        *made = new;
    return result == 0 ? omptape_beneath_open_own_folder(folder, path) : result;
}

int omptape_beneath_make_private(int folder, const char *prefix, char *name, size_t bytes)
{
    enum { TRIES = 100, RANDOM_BYTES = 6 };
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    int result = -EEXIST;
    for (int i = 0; result == -EEXIST && i < TRIES; i++) {
        unsigned char random[RANDOM_BYTES];
        char text[RANDOM_BYTES + 1] = "";
        if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
            return -EAGAIN;
        for (size_t k = 0; k < sizeof(random); k++)
            text[k] = letters[random[k] % (sizeof(letters) - 1)];
        snprintf(name, bytes, "%s%s", prefix, text);
        result = mkdirat(folder, name, 0700) == 0 ? 0 : -errno;
    }
    if (result != 0)
        return result;
    int made = omptape_beneath_open_own_folder(folder, name);
    if (made < 0)
        (void)unlinkat(folder, name, AT_REMOVEDIR);
    return made;
}

int omptape_beneath_open_file(int folder, const char *path)
{
    return open_checked(folder, path, O_RDONLY, S_IFREG, false);
}

int omptape_beneath_open_own_file(int folder, const char *path)
{
    return open_checked(folder, path, O_RDONLY, S_IFREG, true);
}

int omptape_beneath_open_for_writing(int folder, const char *path)
{
    return open_checked(folder, path, O_WRONLY, S_IFREG, true);
}

int omptape_beneath_create(int folder, const char *path)
{
    enum { TRIES = 10 };
    struct place place;
    struct stat status;
    int result = find_place(folder, path, &place);
    for (int i = 0; result == 0 && i < TRIES; i++) {
        result = open_last(&place, O_RDWR | O_CREAT | O_EXCL);
        if (result != -EEXIST || fstatat(place.folder, place.name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode) || !omptape_owner_is_trusted(place.folder, &status) ||
            unlinkat(place.folder, place.name, 0) != 0)
            break;
        result = 0;
    }
    leave_place(&place);
    return result;
}

DIR *omptape_beneath_list(int folder, const char *path)
{
    int descriptor = omptape_beneath_open_folder(folder, path);
    if (descriptor < 0)
        errno = -descriptor;
    DIR *entries = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (entries == NULL && descriptor >= 0)
        close(descriptor);
    return entries;
}

int omptape_beneath_status(int folder, const char *path, struct stat *status)
{
    struct place place;
    int result = find_place(folder, path, &place);
    if (result == 0 && fstatat(place.folder, place.name, status, AT_SYMLINK_NOFOLLOW) != 0)
        result = -errno;
    leave_place(&place);
    return result;
}

bool omptape_beneath_is_there(int folder, const char *path)
{
    struct stat status;
    return omptape_beneath_status(folder, path, &status) == 0;
}

int omptape_beneath_check_own(int folder, const char *path, mode_t type)
{
    struct stat status;
    int result = omptape_beneath_status(folder, path, &status);
    if (result != 0)
        return result;
    if ((status.st_mode & S_IFMT) != type)
        return S_ISLNK(status.st_mode) ? -ELOOP : -EINVAL;
    return omptape_owner_is_trusted(folder, &status) ? 0 : -EPERM;
}

int omptape_beneath_make_link(int folder, const char *path, const char *text)
{
    struct place place;
    int result = find_place(folder, path, &place);
    if (result == 0 && symlinkat(text, place.folder, place.name) != 0)
        result = omptape_link_text_is_needed(errno) ? omptape_link_text_make(place.folder, place.name, text)
                                                    : -errno;
    leave_place(&place);
    return result;
}

int omptape_beneath_read_link(int folder, const char *path, char *text, size_t bytes, struct stat *status)
{
    struct place place;
    struct stat found;
    text[0] = '\0';
    status = status != NULL ? status : &found;
    status->st_mode = 0;
    int result = find_place(folder, path, &place);
    /* A descriptor guarantees that text and owner belong to the same link. */
    int link = result == 0 ? openat(place.folder, place.name, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (result == 0 && (link < 0 || fstat(link, status) != 0))
        result = -errno;
    if (result == 0 && S_ISREG(status->st_mode)) {
        result = omptape_link_text_read(place.folder, place.name, text, bytes, status);
        if (result == -EACCES || result == -EPERM)
            result = -EINVAL;
    } else if (result == 0) {
        ssize_t length = readlinkat(link, "", text, bytes - 1);
        /* readlinkat with an empty name fails with ENOENT if the descriptor is not a link. */
        result = length >= 0 ? 0 : errno == ENOENT ? -EINVAL : -errno;
        text[length > 0 ? length : 0] = '\0';
    }
    leave_place(&place);
    omptape_close(link);
    return result;
}

bool omptape_beneath_read_own_link(int folder, const char *path, char *text, size_t bytes)
{
    struct stat status;
    return omptape_beneath_read_link(folder, path, text, bytes, &status) == 0 &&
           omptape_owner_is_trusted(folder, &status);
}

void omptape_beneath_settle_link(int folder, const char *path)
{
    char text[PATH_MAX];
    char new[PATH_MAX];
    struct stat status;
    struct place place;
    if (omptape_beneath_read_link(folder, path, text, sizeof(text), &status) != 0 ||
        !S_ISLNK(status.st_mode) || !omptape_owner_is_trusted(folder, &status) ||
        find_place(folder, path, &place) != 0)
        return;
    const int n = snprintf(new, sizeof(new), "%s-file-%d", place.name, (int)getpid());
    if (n > 0 && (size_t)n < sizeof(new) && omptape_link_text_make(place.folder, new, text) == 0 &&
        renameat(place.folder, new, place.folder, place.name) != 0)
        (void)unlinkat(place.folder, new, 0);
    leave_place(&place);
}

bool omptape_beneath_leads_to_folder(int folder, const char *link, const char *inside, struct stat *target)
{
    char path[PATH_MAX];
    struct stat status;
    int n = snprintf(path, sizeof(path), "%s/%s", link, inside);
    return n > 0 && (size_t)n < sizeof(path) && fstatat(folder, link, target, 0) == 0 &&
           S_ISDIR(target->st_mode) && fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

int omptape_beneath_rename(int folder, const char *from, int to_folder, const char *to)
{
    struct place old;
    struct place new = {.opened = false};
    int result = find_place(folder, from, &old);
    if (result == 0)
        result = find_place(to_folder, to, &new);
    if (result == 0 && renameat(old.folder, old.name, new.folder, new.name) != 0)
        result = -errno;
    leave_place(&old);
    leave_place(&new);
    return result;
}

static int remove_last(int folder, const char *path, int flags)
{
    struct place place;
    int result = find_place(folder, path, &place);
    if (result == 0 && unlinkat(place.folder, place.name, flags) != 0)
        result = -errno;
    leave_place(&place);
    return result;
}

int omptape_beneath_remove(int folder, const char *path)
{
    return remove_last(folder, path, 0);
}

int omptape_beneath_remove_folder(int folder, const char *path)
{
    return remove_last(folder, path, AT_REMOVEDIR);
}

/* Truncates the path after the first component that is not a folder, or with -EPERM is another user's. */
static void find_culprit(int folder, int error, char *path, struct stat *status)
{
    for (char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (omptape_beneath_status(folder, path, status) != 0 || !S_ISDIR(status->st_mode) ||
            (error == -EPERM && !omptape_owner_is_trusted(folder, status)))
            return;
        *slash = '/';
    }
    if (omptape_beneath_status(folder, path, status) != 0)
        *status = (struct stat){.st_mode = 0};
}

/* Describes what is wrong with the entry. Returns false if no cause is visible. */
static bool describe_culprit(int folder, const char *name, const struct stat *status, int error, char *text,
                             size_t bytes)
{
    char owner[OMPTAPE_OWNER_BYTES];
    const char *format = NULL;
    const bool is_folder = S_ISDIR(status->st_mode);
    omptape_owner_name(status->st_uid, owner, sizeof(owner));
    if (S_ISLNK(status->st_mode))
        format = "%.300s is a link of %s, and no link is followed here";
    else if (!S_ISREG(status->st_mode) && !is_folder)
        format = "%.300s is no regular file; it belongs to %s";
    else if (!omptape_owner_is_trusted(folder, status))
        format = "%.300s belongs to %s";
    else if (error == -EEXIST)
        format = "%.300s of %s is in the way";
    else if (error == -EMLINK)
        format = "%.300s of %s has a second name somewhere (a hard link), and is not written to";
    else if (error == -EINVAL || error == -EISDIR || error == -ENOTDIR)
        format = is_folder ? "%.300s is no regular file; it belongs to %s"
                           : "%.300s is no folder; it belongs to %s";
    if (format != NULL)
        snprintf(text, bytes, format, name, owner);
    return format != NULL;
}

void omptape_beneath_explain(int folder, const char *path, int error, char *text, size_t bytes)
{
    static const int refusals[] = {-ELOOP, -ENOTDIR, -EINVAL, -EPERM, -EEXIST, -EISDIR, -EMLINK};
    char culprit[PATH_MAX];
    struct stat status = {.st_mode = 0};
    snprintf(culprit, sizeof(culprit), "%s", path);
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (error == refusals[i])
            find_culprit(folder, error, culprit, &status);
    if (status.st_mode == 0 || !describe_culprit(folder, culprit, &status, error, text, bytes))
        snprintf(text, bytes, "%.300s: %s", path, strerror(-error));
}
