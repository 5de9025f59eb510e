/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks the rules of --filter with their files. Called once by main.c before a run.
 */
#include "src/command/run/rules.h"

#include "src/core/filter.h"

#include <errno.h>
#include <omptape/shm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int omptape_rules_prepare(const struct omptape_options *options, char *error, size_t error_bytes)
{
    struct omptape_filter filter;
    char reason[400];

    if (options->filter == NULL)
        return 0;
    int result = omptape_filter_load(&filter, options->filter, reason, sizeof(reason));
    omptape_filter_free(&filter);
    if (result != 0) {
        (void)snprintf(error, error_bytes, "--filter: %s", reason);
        return result;
    }
    char *absolute = strchr(options->filter, '@') != NULL ? omptape_filter_absolute(options->filter) : NULL;
    if (absolute != NULL && strlen(absolute) >= OMPTAPE_FILTER_BYTES) {
        (void)snprintf(error, error_bytes, "--filter: the list is too long");
        result = -EINVAL;
    } else if (absolute != NULL && setenv("OMPTAPE_FILTER", absolute, 1) != 0) {
        result = -errno;
        (void)snprintf(error, error_bytes, "--filter: %s", strerror(-result));
    }
    free(absolute);
    return result;
}
