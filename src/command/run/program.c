/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the program in PATH and looks into it. Called once, and for each restart.
 */
#include "src/command/run/program.h"

#include "src/command/run/elf.h"
#include "src/core/string_list.h"
#include "src/core/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST_INTERPRETERS = 4 }; /* a script's interpreter may be a script: the kernel follows as many */

static int check_executable(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
        return -EACCES;
    return 0;
}

/* An entry that may not be run is passed over, but remembered should nothing better follow: as execvp does.
 */
static int search_path(const char *name, char **found)
{
    struct omptape_string_list folders = {0};
    const char *path = getenv("PATH");
    int result = -ENOENT;

    *found = NULL;
    if (!*name)
        return -ENOENT;
    if (strchr(name, '/') != NULL) {
        *found = omptape_text("%s", name);
        return check_executable(name);
    }
    omptape_string_list_split(&folders, path != NULL ? path : "/bin:/usr/bin", ':');
    for (size_t i = 0; i < folders.count && result != 0; i++) {
        const char *folder = folders.items[i];
        char *candidate = omptape_text("%s/%s", *folder ? folder : ".", name);
        int error = check_executable(candidate);
        if (error == 0 || (error == -EACCES && *found == NULL)) {
            free(*found);
            *found = candidate;
            result = error;
        } else {
            free(candidate);
        }
    }
    omptape_string_list_free(&folders);
    return result;
}

static bool is_env(const char *path)
{
    return strcmp(omptape_base_name(path), "env") == 0;
}

/* The interpreter that a script's first line names, NULL if it has none. `env` stands for the program it will
 * start. */
static char *read_interpreter(const char *path)
{
    char line[4096];
    char *rest;
    char *found = NULL;

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    ssize_t length = read(fd, line, sizeof(line) - 1);
    close(fd);
    if (length < 2 || line[0] != '#' || line[1] != '!')
        return NULL;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    /* The kernel takes a carriage return for a part of the name. */
    char *interpreter = strtok_r(line + 2, " \t", &rest);
    char *argument = strtok_r(NULL, " \t\r", &rest);
    if (interpreter == NULL)
        return NULL;
    if (is_env(interpreter)) {
        while (argument != NULL && (argument[0] == '-' || strchr(argument, '=') != NULL))
            argument = strtok_r(NULL, " \t\r", &rest);
        if (argument != NULL && search_path(argument, &found) == 0)
            return found;
        free(found);
    }
    return omptape_text("%s", interpreter);
}

static bool is_privileged(const char *path)
{
    struct stat status;
    char capabilities[64];

    if (stat(path, &status) != 0)
        return false;
    if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
        return true;
    if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status.st_gid != getgid())
        return true;
    return getuid() != 0 && getxattr(path, "security.capability", capabilities, sizeof(capabilities)) > 0;
}

static void inspect_file(struct omptape_program *program)
{
    struct omptape_elf elf;
    char *path = omptape_text("%s", program->path);

    for (int depth = 0; path != NULL && depth <= MOST_INTERPRETERS; depth++) {
        if (omptape_elf_read(path, &elf) == 0) {
            program->binary = path;
            program->interpreter = elf.interpreter;
            program->foreign = elf.foreign;
            program->machine = elf.machine;
            program->damage = elf.damage;
            program->cut = elf.cut;
            program->privileged = is_privileged(path);
            if (elf.interpreter != NULL && access(elf.interpreter, F_OK) != 0)
                program->bad_interpreter = omptape_text("%s", elf.interpreter);
            return;
        }
        if (omptape_elf_is_begun(path)) {
            program->damage = "is damaged: its ELF header is cut short";
            program->foreign = true;
            program->machine = "?";
            break;
        }
        program->script = true;
        char *next = read_interpreter(path);
        free(path);
        path = next;
        if (path != NULL && check_executable(path) != 0) {
            program->bad_interpreter = path;
            return;
        }
    }
    free(path);
}

int omptape_program_find(const char *name, struct omptape_program *program)
{
    *program = (struct omptape_program){0};
    int error = search_path(name, &program->path);
    if (error == 0)
        inspect_file(program);
    return error;
}

void omptape_program_free(struct omptape_program *program)
{
    free(program->path);
    free(program->binary);
    free(program->interpreter);
    free(program->bad_interpreter);
    *program = (struct omptape_program){0};
}
