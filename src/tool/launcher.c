/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloads libomptape-mpi.so into the ranks that a launcher (mpirun, srun) starts, also if a script, timeout
 * or make has started the launcher. Runs in the library's constructor, before main.
 */
#include "src/core/options.h"
#include "src/job/job.h"
#include "src/tool/libc.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char own_name[] = "libomptape.so";
static const char names_library[] = "libomptape-mpi.so";

/* Returns true if the file does not exist: the loader would print a warning in each program. A name with a
 * loader token such as $LIB cannot be checked and counts as existing. */
static bool is_missing(char *path, size_t length)
{
    const char after = path[length];
    path[length] = '\0';
    bool missing = strchr(path, '/') != NULL && strchr(path, '$') == NULL && access(path, R_OK) != 0;
    path[length] = after;
    return missing;
}

/* Returns LD_PRELOAD with libomptape-mpi.so in front of this library, with the same folder as written there:
 * "$LIB" and other tokens differ between programs. Returns NULL if this library is not listed, or both are.
 * The caller frees the text. */
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
    (void)omptape_options_read(&options, NULL, 0);
    return options.mpi != OMPTAPE_MPI_OFF;
}

__attribute__((constructor)) static void prepare_ranks(int argc, char **argv)
{
    /* This check comes first: other libcs than glibc pass no arguments to constructors. */
    if (!omptape_libc_may_act() || argc < 1 || argv[0] == NULL || !omptape_launcher_is(argv[0]))
        return;
    const int saved = errno;
    const char *preloaded = getenv("LD_PRELOAD");
    char *value = preloaded != NULL && wants_mpi() ? add_names(preloaded) : NULL;
    if (value != NULL)
        (void)setenv("LD_PRELOAD", value, 1);
    free(value);
    errno = saved;
}
