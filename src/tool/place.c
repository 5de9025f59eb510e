/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the program is: a name from the current folder is of use only while that is the user's. Called when
 * the library is loaded, and by the thread that starts a session.
 */
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <stdbool.h>
#include <unistd.h>

static bool began_elsewhere;

static bool is_in_root(void)
{
    char path[2]; /* room for "/" alone */
    return getcwd(path, sizeof(path)) != NULL && path[0] == '/';
}

__attribute__((constructor)) static void note_place(void)
{
    if (omptape_libc_may_act())
        began_elsewhere = !is_in_root();
}

const char *omptape_place_refusal(const char *output)
{
    static char path[OMPTAPE_PATH_BYTES];
    if (output != NULL && output[0] == '/')
        return NULL;
    if (getcwd(path, sizeof(path)) == NULL || path[0] != '/')
        return "the current folder is gone";
    if (began_elsewhere && path[1] == '\0')
        return "the program has moved to the folder /";
    return NULL;
}
