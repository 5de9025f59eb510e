/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of launchers (launcher.h).
 */
#include "src/job/launcher.h"

#include "src/core/words.h"

#include <stddef.h>
#include <string.h>

bool omptape_launcher_is(const char *name)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun",
                                            "srun",   "jsrun",   "aprun",   "flux"};
    const char *base = omptape_base_name(name);

    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        size_t length = strlen(launchers[i]);
        if (strncmp(base, launchers[i], length) == 0 && (base[length] == '\0' || base[length] == '.'))
            return true;
    }
    return false;
}
