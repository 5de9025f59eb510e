/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the program's rights from /proc/PID/status and adopts them. Makes the system calls directly, because
 * libc's functions would change all threads.
 */
#include "writers/credentials.h"

#include "src/core/clock.h"
#include "src/core/text_file.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Levels of nested folders in an archive: traces/, and those of a snapshot. */
enum { MAX_LEVELS = 3, MAX_GROUPS = 1024, STATUS_BYTES = 32768 };

static const uint64_t pause_ns = 200000000;

/* The rights that the program has or can still acquire. */
struct program_credentials {
    uid_t uid; /* File system user id. */
    gid_t gid;
    bool is_own_user; /* True if the real, effective or saved user id is this process's effective user id. */
    uint64_t capabilities;
    gid_t groups[MAX_GROUPS];
    size_t group_count;
};

static bool get_capabilities(struct __user_cap_data_struct *data)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    return syscall(SYS_capget, &header, data) == 0;
}

void omptape_credentials_init(struct omptape_credentials *credentials)
{
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    *credentials = (struct omptape_credentials){
        .is_privileged = get_capabilities(data) && (data[0].effective | data[1].effective) != 0};
}

/* Returns the text after a name such as "\nUid:" in the status, or NULL if there is no such line. */
static const char *find_line(const char *status, const char *name)
{
    const char *line = strstr(status, name);
    return line != NULL ? line + strlen(name) : NULL;
}

/* Parses four ids: real, effective, saved, file system. */
static bool parse_numbers(const char *line, unsigned *numbers)
{
    return line != NULL &&
           sscanf(line, "%u %u %u %u", &numbers[0], &numbers[1], &numbers[2], &numbers[3]) == 4;
}

static bool parse_status(const char *status, struct program_credentials *program)
{
    unsigned uids[4];
    unsigned gids[4];
    const char *groups = find_line(status, "\nGroups:");
    const char *capabilities = find_line(status, "\nCapPrm:");
    if (!parse_numbers(find_line(status, "\nUid:"), uids) ||
        !parse_numbers(find_line(status, "\nGid:"), gids) || groups == NULL || capabilities == NULL)
        return false;
    program->uid = uids[3];
    program->gid = gids[3];
    program->is_own_user = uids[0] == geteuid() || uids[1] == geteuid() || uids[2] == geteuid();
    program->capabilities = strtoull(capabilities, NULL, 16);
    program->group_count = 0;
    char *end;
    for (const char *at = groups; *at != '\n' && program->group_count < MAX_GROUPS; at = end) {
        program->groups[program->group_count] = (gid_t)strtoul(at, &end, 10);
        if (end == at)
            break;
        program->group_count++;
        end += strspn(end, " \t");
    }
    return true;
}

static bool read_credentials(int process, struct program_credentials *program)
{
    char status[STATUS_BYTES];
    if (process < 0 || omptape_read_piece(process, "status", status, sizeof(status)) < 0)
        return false;
    return parse_status(status, program);
}

/* Returns true if this process created the file and no other user can have put it there. */
static bool is_own(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && info.st_uid == geteuid() &&
           (S_ISDIR(info.st_mode) ? (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 : info.st_nlink == 1);
}

/* Gives the folder to the program's user, after its contents: until then no other user may create files in
 * it. The command's claim stays the command's, which would not believe and remove another user's. */
static void chown_folder(int folder, const struct program_credentials *program, int levels)
{
    const struct dirent *entry;
    DIR *entries = is_own(folder) ? omptape_beneath_list(folder, ".") : NULL;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, OMPTAPE_RUN_CLAIM) == 0)
            continue;
        int inside = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int file = inside < 0 ? openat(folder, entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (inside >= 0 && levels > 0)
            chown_folder(inside, program, levels - 1);
        if (file >= 0 && is_own(file))
            (void)!fchownat(file, "", program->uid, program->gid, AT_EMPTY_PATH);
        omptape_close(inside);
        omptape_close(file);
    }
    closedir(entries);
    (void)!fchown(folder, program->uid, program->gid);
}

static int adopt_user(const struct program_credentials *program)
{
    if (syscall(SYS_setgroups, program->group_count, program->groups) != 0)
        return -errno;
    syscall(SYS_setfsgid, program->gid);
    syscall(SYS_setfsuid, program->uid);
    /* Both calls return the previous value, whatever value is requested. */
    return syscall(SYS_setfsgid, -1) == (long)program->gid && syscall(SYS_setfsuid, -1) == (long)program->uid
               ? 0
               : -EPERM;
}

static int adopt_capabilities(struct __user_cap_data_struct *own, uint64_t kept)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    own[0].effective &= (uint32_t)kept;
    own[1].effective &= (uint32_t)(kept >> 32);
    return syscall(SYS_capset, &header, own) == 0 ? 0 : -errno;
}

int omptape_credentials_follow(struct omptape_credentials *credentials, int process, int folder, bool now)
{
    static struct program_credentials program;
    struct __user_cap_data_struct own[_LINUX_CAPABILITY_U32S_3];
    const uint64_t time = omptape_clock_raw_ns();
    if (!credentials->is_privileged || (!now && time - credentials->checked_ns < pause_ns))
        return 0;
    credentials->checked_ns = time;
    if (!read_credentials(process, &program) || !get_capabilities(own))
        return 0;
    const uint64_t effective = own[0].effective | (uint64_t)own[1].effective << 32;
    if (program.is_own_user && (effective & ~program.capabilities) == 0)
        return 0;
    int error = 0;
    if (!program.is_own_user) {
        if (folder >= 0)
            chown_folder(folder, &program, MAX_LEVELS);
        error = adopt_user(&program);
        credentials->is_privileged = false;
        /* Dropping the user has cleared some capabilities already. */
        if (!get_capabilities(own))
            return -EPERM;
    }
    return error != 0 ? error : adopt_capabilities(own, program.capabilities);
}
