/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Says why nothing will be traced when the library was preloaded into a program that runs on GNU's libgomp,
 * which has no OMPT. Runs once in the library's constructor; the command finds this out by itself and keeps
 * it quiet.
 */
#include "src/core/message.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int is_libgomp(struct dl_phdr_info *object, size_t size, void *found)
{
    (void)size;
    const char *slash = strrchr(object->dlpi_name, '/');
    if (slash != NULL && strncmp(slash, "/libgomp.so", strlen("/libgomp.so")) == 0)
        *(bool *)found = true;
    return 0;
}

__attribute__((constructor)) static void notice_libgomp(void)
{
    bool libgomp = false;
    if (getenv("OMPTAPE_REPORT") != NULL)
        return;
    dl_iterate_phdr(is_libgomp, &libgomp);
    /* LLVM's runtime under libgomp's name is fine. */
    if (libgomp && dlsym(RTLD_DEFAULT, "__kmpc_fork_call") == NULL)
        omptape_message("this program runs on GNU's libgomp, which cannot be traced; "
                        "`omptape PROGRAM` runs it on LLVM's runtime if that is installed");
}
