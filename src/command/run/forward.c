/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds -x options for Open MPI. Called by run.c once.
 */
#include "src/command/run/forward.h"

#include "src/job/launcher.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char list_variable[] = "OMPI_MCA_mca_base_env_list";

bool omptape_forward_names_mpi4py(const char *path)
{
    enum { MOST_TEXT = 1 << 18 };
    static const char name[] = "mpi4py";
    char *text = malloc(MOST_TEXT);
    int file = text != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat status;
    ssize_t bytes = 0;

    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        bytes = read(file, text, MOST_TEXT);
    if (file >= 0)
        close(file);
    bool found = bytes > 0 && memchr(text, '\0', (size_t)bytes) == NULL &&
                 memmem(text, (size_t)bytes, name, strlen(name)) != NULL;
    free(text);
    return found;
}

/* mpirun refuses -x beside a list of variables. */
static bool has_list(char *const *argv)
{
    if (getenv(list_variable) != NULL)
        return true;
    for (size_t i = 1; argv[i] != NULL; i++)
        if (strcmp(argv[i], "mca_base_env_list") == 0)
            return true;
    return false;
}

/* The report cannot be reached from other nodes. */
static bool is_needed(const char *variable)
{
    static const char *const names[] = {
        "LD_PRELOAD=", "OMP_TOOL_LIBRARIES=", "CUDA_INJECTION64_PATH=", "ASAN_OPTIONS="};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return strncmp(variable, "OMPTAPE_", strlen("OMPTAPE_")) == 0 &&
           strncmp(variable, "OMPTAPE_REPORT_FILE=", strlen("OMPTAPE_REPORT_FILE=")) != 0;
}

static void add_options(struct omptape_string_list *copy)
{
    for (char **variable = environ; *variable != NULL; variable++) {
        if (!is_needed(*variable))
            continue;
        char *name = omptape_text("%.*s", (int)strcspn(*variable, "="), *variable);
        omptape_string_list_add(copy, "-x");
        omptape_string_list_add(copy, name);
        free(name);
    }
}

char *const *omptape_forward(char *const *argv, const struct omptape_libraries *libraries,
                             struct omptape_string_list *copy)
{
    bool is_openmpi = omptape_libraries_find(libraries, "libopen-") != NULL ||
                      omptape_libraries_find(libraries, "libprrte.") != NULL;

    if (!is_openmpi || !omptape_launcher_is(argv[0]) || has_list(argv))
        return argv;
    for (size_t i = 0; argv[i] != NULL; i++) {
        omptape_string_list_add(copy, argv[i]);
        /* The options count for the one program behind them. */
        if (i == 0 || strcmp(argv[i], ":") == 0)
            add_options(copy);
    }
    /* One more, of which only the room is used: the list's end. */
    omptape_string_list_add(copy, "");
    copy->count--;
    free(copy->items[copy->count]);
    copy->items[copy->count] = NULL;
    return copy->items;
}
