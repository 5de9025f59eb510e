/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements link_text.h.
 */
#include "src/folder/link_text.h"

#include "src/folder/atomic_file.h"
#include "src/folder/named_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HEAD "omptape, where links are impossible: "
enum { HEAD_BYTES = sizeof(HEAD) - 1, FILE_BYTES = HEAD_BYTES + PATH_MAX };
enum { WAIT_MS = 10, MAX_WAITS = 100, YOUNG_S = 10 };

bool omptape_link_text_is_needed(int error)
{
    return error == EPERM || error == EOPNOTSUPP || error == ENOSYS;
}

int omptape_link_text_make(int folder, const char *name, const char *text)
{
    char whole[FILE_BYTES];
    const int bytes = snprintf(whole, sizeof(whole), HEAD "%s\n", text);
    if (bytes >= (int)sizeof(whole))
        return -ENAMETOOLONG;
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0644);
    if (file < 0)
        return -errno;
    int result = omptape_write_all(file, whole, (size_t)bytes);
    if (close(file) != 0 && result == 0)
        result = -errno;
    if (result != 0)
        (void)unlinkat(folder, name, 0);
    return result;
}

/* Returns the length of the text after the head; -EAGAIN if it is incomplete; -EINVAL for other files. */
static ssize_t read_whole(int folder, const char *name, char *whole, struct stat *status)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    ssize_t n = -EINVAL;
    if (fstat(file, status) == 0 && S_ISREG(status->st_mode) && status->st_nlink == 1)
        n = pread(file, whole, FILE_BYTES, 0);
    if (n == -1)
        n = -errno;
    close(file);
    if (n < 0)
        return n;
    if (memcmp(whole, HEAD, n < HEAD_BYTES ? (size_t)n : HEAD_BYTES) != 0)
        return -EINVAL;
    return n > HEAD_BYTES && whole[n - 1] == '\n' ? n - HEAD_BYTES - 1 : -EAGAIN;
}

/* Returns true if this user has written the file a short time ago (YOUNG_S). Files of other users and of
 * killed processes are not waited for. */
static bool is_being_written(int folder, const struct stat *status)
{
    return omptape_owner_is_trusted(folder, status) && time(NULL) - status->st_mtim.tv_sec < YOUNG_S;
}

int omptape_link_text_read(int folder, const char *name, char *text, size_t bytes, struct stat *status)
{
    static const struct timespec wait = {.tv_nsec = WAIT_MS * 1000000L};
    char whole[FILE_BYTES];
    ssize_t length = read_whole(folder, name, whole, status);
    for (int i = 0; length == -EAGAIN && i < MAX_WAITS && is_being_written(folder, status); i++) {
        nanosleep(&wait, NULL);
        length = read_whole(folder, name, whole, status);
    }
    if (length < 0)
        return length == -EAGAIN ? -EINVAL : (int)length;
    (void)snprintf(text, bytes, "%.*s", (int)length, whole + HEAD_BYTES);
    return 0;
}
