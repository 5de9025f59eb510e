/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up the program in PATH and inspects its file. Called by run.c before the program starts.
 */
#include "src/command/run/program.h"
#include "src/core/array.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/job/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MAX_INTERPRETERS = 4 }; /* as many nested script interpreters as the kernel follows */

static int check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
        return -EACCES;
    return 0;
}

/* Searches PATH as execvp does. One that is not executable is skipped, but -EACCES if there is no other. */
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

/* Returns the interpreter in a script's #! line, or NULL if there is none; the caller frees it. For `env` it
 * returns the program that env starts. */
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
    /* The kernel treats a carriage return as part of the interpreter's name. */
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

/* Returns true for glibc's loaders ("ld-linux-x86-64.so.2", "ld64.so.2"). Another loader might run the
 * program instead of listing its libraries. */
static bool is_loader(const char *interpreter)
{
    const char *name = omptape_base_name(interpreter);
    return omptape_starts_with(name, "ld-linux") || omptape_starts_with(name, "ld64.so") ||
           omptape_starts_with(name, "ld.so");
}

static void inspect_file(struct run_program *program)
{
    struct elf elf;
    char *path = omptape_text("%s", program->path);
    for (int depth = 0; path != NULL && depth <= MAX_INTERPRETERS; depth++) {
        if (elf_read(path, &elf) == 0) {
            /* A loader that is started itself runs another program, as an interpreter does. */
            if (elf.interpreter == NULL && !elf.foreign && is_loader(path)) {
                program->script = true;
                break;
            }
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
        if (elf_is_truncated(path)) {
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

int program_find(const char *name, struct run_program *program)
{
    *program = (struct run_program){0};
    int error = search_path(name, &program->path);
    if (error == 0)
        inspect_file(program);
    return error;
}

void program_free(struct run_program *program)
{
    free(program->path);
    free(program->binary);
    free(program->interpreter);
    free(program->bad_interpreter);
    *program = (struct run_program){0};
}

static void exec_loader(const struct run_program *program, int output)
{
    static const char *const disturbing[] = {"LD_DEBUG", "LD_AUDIT", "LD_WARN", "LD_VERBOSE", "LD_BIND_NOW"};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
        dup2(output, STDOUT_FILENO) < 0)
        _exit(127);
    for (size_t i = 0; i < sizeof(disturbing) / sizeof(disturbing[0]); i++)
        unsetenv(disturbing[i]);
    /* --list is not used, because it stops at the first missing library. */
    setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
    execl(program->interpreter, program->interpreter, program->binary, (char *)NULL);
    _exit(127);
}

static void add_library(struct libraries *libraries, const char *name, size_t name_length, const char *path,
                        size_t path_length)
{
    if (!OMPTAPE_RESERVE(libraries->items, libraries->count + 1, &libraries->capacity))
        return;
    struct run_library *library = &libraries->items[libraries->count];
    library->name = strndup(name, name_length);
    library->path = path != NULL ? strndup(path, path_length) : NULL;
    if (library->name != NULL)
        libraries->count++;
    else
        free(library->path);
}

/* Parses "\tNAME => PATH (0x...)", "\tNAME => not found" or "\tPATH (0x...)". A path may contain spaces. */
static void parse_line(struct libraries *libraries, const char *line)
{
    while (*line == '\t' || *line == ' ')
        line++;
    const char *end = line + strcspn(line, "\n");
    for (const char *p = end; p > line; p--) {
        if (omptape_starts_with(p, " (0x")) {
            end = p;
            break;
        }
    }
    const char *arrow = strstr(line, " => ");
    if (arrow == NULL || arrow >= end) {
        if (*line == '/')
            add_library(libraries, line, (size_t)(end - line), line, (size_t)(end - line));
        return;
    }
    const char *path = arrow + strlen(" => ");
    if (*path == '/')
        add_library(libraries, line, (size_t)(arrow - line), path, (size_t)(end - path));
    else
        add_library(libraries, line, (size_t)(arrow - line), NULL, 0);
}

static void parse_answer(struct libraries *libraries, int answer)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *stream = fdopen(answer, "r");
    if (stream == NULL) {
        close(answer);
        return;
    }
    (void)fseek(stream, 0, SEEK_SET);
    while (getline(&line, &capacity, stream) > 0)
        parse_line(libraries, line);
    free(line);
    fclose(stream);
}

int libraries_read(const struct run_program *program, struct libraries *libraries)
{
    int status;
    *libraries = (struct libraries){0};
    if (program->interpreter == NULL || program->foreign || !is_loader(program->interpreter))
        return -ENOEXEC;
    const int answer = memfd_create("omptape-libraries", MFD_CLOEXEC);
    if (answer < 0)
        return -errno;
    const pid_t child = fork();
    if (child == 0)
        exec_loader(program, answer);
    if (child < 0) {
        close(answer);
        return -EAGAIN;
    }
    if (omptape_process_await(child, &status) == -ETIMEDOUT) {
        (void)kill(child, SIGKILL);
        (void)omptape_process_await(child, &status);
    }
    parse_answer(libraries, answer);
    return libraries->count > 0 ? 0 : -ENOEXEC;
}

void libraries_free(struct libraries *libraries)
{
    for (size_t i = 0; i < libraries->count; i++) {
        free(libraries->items[i].name);
        free(libraries->items[i].path);
    }
    free(libraries->items);
    *libraries = (struct libraries){0};
}

const struct run_library *libraries_find(const struct libraries *libraries, const char *prefix)
{
    for (size_t i = 0; i < libraries->count; i++)
        if (omptape_starts_with(omptape_base_name(libraries->items[i].name), prefix))
            return &libraries->items[i];
    return NULL;
}

const struct run_library *libraries_find_runtime(const struct libraries *libraries, bool gnu)
{
    for (size_t i = 0; i < libraries->count; i++) {
        const char *path = libraries->items[i].path;
        /* LLVM's runtime also defines GOMP_parallel, so __kmpc_fork_call distinguishes the two. */
        if (path != NULL && elf_defines(path, "__kmpc_fork_call") != gnu &&
            (!gnu || elf_defines(path, "GOMP_parallel")))
            return &libraries->items[i];
    }
    return NULL;
}
