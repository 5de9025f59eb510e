/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fuzz target of libFuzzer: texts that the user, the environment or another process's files give: rules of
 * --filter, lines of files of rules, claims, and measured clock offsets. The first byte says which.
 */
#include "src/core/filter.h"
#include "src/folder/claim.h"
#include "src/unify/clocks/clocks.h"
#include "tests/fuzz/targets/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ERROR_BYTES = 256 };

static void must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void load_rules(const char *text)
{
    struct omptape_filter filter = {.rules = NULL};
    char error[ERROR_BYTES] = "";
    int checked = omptape_filter_check(text, error, sizeof(error));
    must((checked == 0) == (error[0] == '\0'), "no phrase, or one too many");
    if (strchr(text, '@') != NULL) /* files are read */
        return;
    int loaded = omptape_filter_load(&filter, text, error, sizeof(error));
    must(loaded == checked || loaded == -ENOMEM, "what is right must load");
    (void)omptape_filter_decide(&filter, OMPTAPE_REGION_PARALLEL, true, "/home/file.c", "function(int)");
    (void)omptape_filter_decide(&filter, OMPTAPE_REGION_CRITICAL_SBLOCK, false, NULL, NULL);
    omptape_filter_free(&filter);
}

static void read_offsets(const char *text)
{
    struct omptape_unify_offsets offsets = {.list = NULL};
    char error[ERROR_BYTES] = "";
    char path[64];
    size_t count;
    int fd = memfd_create("offsets", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "memfd");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (omptape_unify_offsets_read(&offsets, path, error, sizeof(error)) == 0)
        (void)omptape_unify_offsets_of(&offsets, "host", 3, &count);
    omptape_unify_offsets_free(&offsets);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct omptape_filter_rule rule;
    char error[ERROR_BYTES] = "";
    char *text = malloc(bytes + 1);
    if (text == NULL || bytes == 0) {
        free(text);
        return 0;
    }
    memcpy(text, data + 1, bytes - 1);
    text[bytes - 1] = '\0';
    switch (data[0] % 4) {
    case 0:
        load_rules(text);
        break;
    case 1:
        (void)omptape_filter_line(text, &rule, error, sizeof(error));
        break;
    case 2:
        (void)omptape_claim_owner_of(text);
        break;
    default:
        read_offsets(text);
    }
    free(text);
    return 0;
}
