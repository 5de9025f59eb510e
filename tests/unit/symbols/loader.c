/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads the libraries that it is given one after the other, runs the constructs of each, reports, and closes
 * it before the next one; reports once more when all are gone. Fixture of test_symbols.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        int (*run)(int) = (int (*)(int))(uintptr_t)dlsym(library, "constructs");
        if (run == NULL || run(3) < 0)
            return 1;
        runtime_report();
        dlclose(library);
    }
    runtime_report();
    return 0;
}
