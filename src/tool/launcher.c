/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that start ranks (mpirun, srun): what they start finds MPI's names first, wherever the launcher
 * itself was started: by a script, by timeout, by make. Runs in the library's constructor, before main.
 */
#include "src/core/options.h"
#include "src/job/job.h"
#include "src/tool/libc.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char own_name[] = "libomptape.so";
static const char names_library[] = "libomptape-mpi.so";

/* Each program would complain of it. Where only the loader knows the folder, it is where its fellow is. */
static bool is_missing(char *path, size_t length)
{
    const char after = path[length];
    path[length] = '\0';
    bool missing = strchr(path, '/') != NULL && strchr(path, '$') == NULL && access(path, R_OK) != 0;
    path[length] = after;
    return missing;
}

/* LD_PRELOAD with the library of MPI's names in front, spelt as the one that stands beside it: "$LIB" and its
 * like mean something else for each program. NULL: this library is not in it, or both are; owned by the
 * caller. */
static char *add_names(const char *preloaded)
{
    const char *own = strstr(preloaded, own_name);
    if (own == NULL || strstr(preloaded, names_library) != NULL)
        return NULL;
    const char *folder = own;
    while (folder > preloaded && strchr(" :", folder[-1]) == NULL)
        folder--;
    size_t bytes = (size_t)(own - folder) + sizeof(names_library) + 1 + strlen(preloaded);
    char *value = malloc(bytes);
    if (value != NULL)
        snprintf(value, bytes, "%.*s%s:%s", (int)(own - folder), folder, names_library, preloaded);
    if (value != NULL && is_missing(value, (size_t)(own - folder) + strlen(names_library))) {
        free(value);
        return NULL;
    }
    return value;
}

static bool wants_mpi(void)
{
    struct omptape_options options;
    char ignored[64];
    (void)omptape_options_read(&options, ignored, sizeof(ignored));
    return options.mpi != OMPTAPE_MPI_OFF;
}

__attribute__((constructor)) static void prepare_ranks(int argc, char **argv)
{
    /* That first: a libc that is not glibc hands no arguments to constructors. */
    if (!omptape_libc_may_act() || argc < 1 || argv[0] == NULL || !omptape_launcher_is(argv[0]))
        return;
    const char *preloaded = getenv("LD_PRELOAD");
    char *value = preloaded != NULL && wants_mpi() ? add_names(preloaded) : NULL;
    if (value != NULL)
        (void)setenv("LD_PRELOAD", value, 1);
    free(value);
}
