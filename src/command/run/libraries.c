/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Has the loader list what it would load, as ldd does, and reads its answer: nobody else knows RUNPATH,
 * ld.so.cache, LD_PRELOAD and hardware folders as well.
 */
#include "src/command/run/libraries.h"

#include "src/command/run/elf.h"
#include "src/core/array.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/job/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Only glibc's loaders ("ld-linux-x86-64.so.2", "ld64.so.2"): another one, asked in this way, might run the
 * program. */
static bool is_loader(const char *interpreter)
{
    const char *name = omptape_base_name(interpreter);
    return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld64.so", 7) == 0 ||
           strncmp(name, "ld.so", 5) == 0;
}

static void become_loader(const struct omptape_program *program, int output)
{
    static const char *const disturbing[] = {"LD_DEBUG", "LD_AUDIT", "LD_WARN", "LD_VERBOSE", "LD_BIND_NOW"};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
        dup2(output, STDOUT_FILENO) < 0)
        _exit(127);
    for (size_t i = 0; i < sizeof(disturbing) / sizeof(disturbing[0]); i++)
        unsetenv(disturbing[i]);
    /* Not --list: that stops at the first library that is missing. */
    setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
    execl(program->interpreter, program->interpreter, program->binary, (char *)NULL);
    _exit(127);
}

static void add_library(struct omptape_libraries *libraries, const char *name, size_t name_length,
                        const char *path, size_t path_length)
{
    struct omptape_library *grown =
        omptape_array_reserve(libraries->items, libraries->count + 1, &libraries->capacity, sizeof(*grown));
    if (grown == NULL)
        return;
    libraries->items = grown;
    struct omptape_library *library = &libraries->items[libraries->count];
    library->name = strndup(name, name_length);
    library->path = path != NULL ? strndup(path, path_length) : NULL;
    if (library->name != NULL)
        libraries->count++;
    else
        free(library->path);
}

/* "\tNAME => PATH (0x...)", "\tNAME => not found", "\tPATH (0x...)". A path may hold spaces. */
static void parse_line(struct omptape_libraries *libraries, const char *line)
{
    while (*line == '\t' || *line == ' ')
        line++;
    const char *end = line + strcspn(line, "\n");
    for (const char *p = end; p > line; p--) {
        if (strncmp(p, " (0x", 4) == 0) {
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

static void parse_answer(struct omptape_libraries *libraries, int answer)
{
    char *line = NULL;
    size_t room = 0;

    FILE *stream = fdopen(answer, "r");
    if (stream == NULL) {
        close(answer);
        return;
    }
    rewind(stream);
    while (getline(&line, &room, stream) > 0)
        parse_line(libraries, line);
    free(line);
    fclose(stream);
}

int omptape_libraries_read(const struct omptape_program *program, struct omptape_libraries *libraries)
{
    int status;

    *libraries = (struct omptape_libraries){0};
    if (program->interpreter == NULL || program->foreign || !is_loader(program->interpreter))
        return -ENOEXEC;
    const int answer = memfd_create("omptape-libraries", MFD_CLOEXEC);
    if (answer < 0)
        return -errno;
    const pid_t child = fork();
    if (child == 0)
        become_loader(program, answer);
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

void omptape_libraries_free(struct omptape_libraries *libraries)
{
    for (size_t i = 0; i < libraries->count; i++) {
        free(libraries->items[i].name);
        free(libraries->items[i].path);
    }
    free(libraries->items);
    *libraries = (struct omptape_libraries){0};
}

const struct omptape_library *omptape_libraries_find(const struct omptape_libraries *libraries,
                                                     const char *prefix)
{
    for (size_t i = 0; i < libraries->count; i++)
        if (strncmp(omptape_base_name(libraries->items[i].name), prefix, strlen(prefix)) == 0)
            return &libraries->items[i];
    return NULL;
}

const struct omptape_library *omptape_libraries_find_runtime(const struct omptape_libraries *libraries,
                                                             bool gnu)
{
    for (size_t i = 0; i < libraries->count; i++) {
        const char *path = libraries->items[i].path;
        /* LLVM's runtime has GNU's functions, too. */
        if (path != NULL && omptape_elf_defines(path, "__kmpc_fork_call") != gnu &&
            (!gnu || omptape_elf_defines(path, "GOMP_parallel")))
            return &libraries->items[i];
    }
    return NULL;
}
