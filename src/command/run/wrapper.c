/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of wrappers (wrapper.h).
 */
#include "src/command/run/wrapper.h"

#include "src/core/string_list.h"
#include "src/core/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct omptape_wrapper cleared = {"env -i", "clears the environment"};
static const struct omptape_wrapper unset = {"env -u LD_PRELOAD", "takes LD_PRELOAD out of the environment"};

static const char own_environment[] = "gives its program an environment of its own";
static const char elsewhere[] = "starts its program on another host, without this environment";
static const char contained[] = "runs its program in a container, without this environment";

static const struct omptape_wrapper wrappers[] = {
    {"sudo", own_environment},    {"doas", own_environment},   {"su", own_environment},
    {"runuser", own_environment}, {"pkexec", own_environment}, {"systemd-run", own_environment},
    {"ssh", elsewhere},           {"rsh", elsewhere},          {"pdsh", elsewhere},
    {"clush", elsewhere},         {"docker", contained},       {"podman", contained},
    {"apptainer", contained},     {"singularity", contained},  {"ch-run", contained},
    {"enroot", contained},        {"shifter", contained},      {"sarus", contained},
};

static const char *const transparent[] = {"timeout", "nice",    "ionice", "nohup", "setsid", "stdbuf",
                                          "taskset", "numactl", "chrt",   "time",  "env",    "strace"};

static bool is_one_of(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

/* env's own options end at the first word that is neither one nor a variable. */
static const struct omptape_wrapper *find_in_env(char *const *words)
{
    for (; *words != NULL && ((*words)[0] == '-' || strchr(*words, '=') != NULL); words++) {
        const char *word = *words;
        if (strcmp(word, "-") == 0 || strcmp(word, "--ignore-environment") == 0 ||
            (word[0] == '-' && word[1] != '-' && word[strcspn(word, "iuCS")] == 'i'))
            return &cleared;
        if (strcmp(word, "-uLD_PRELOAD") == 0 || strcmp(word, "--unset=LD_PRELOAD") == 0 ||
            (strcmp(word, "-u") == 0 && words[1] != NULL && strcmp(words[1], "LD_PRELOAD") == 0))
            return &unset;
        if (strcmp(word, "-u") == 0 && words[1] != NULL)
            words++;
    }
    return NULL;
}

const struct omptape_wrapper *omptape_wrapper_find(char *const *argv)
{
    bool behind = false;

    for (; *argv != NULL; argv++) {
        const char *name = omptape_base_name(*argv);
        const struct omptape_wrapper *found = strcmp(name, "env") == 0 ? find_in_env(argv + 1) : NULL;
        for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]) && found == NULL; i++)
            if (strcmp(name, wrappers[i].name) == 0)
                found = &wrappers[i];
        if (found != NULL)
            return found;
        /* Behind such a program stand its own words, and somewhere the other one's name. */
        behind = behind || is_one_of(name, transparent, sizeof(transparent) / sizeof(transparent[0]));
        if (!behind)
            return NULL;
    }
    return NULL;
}

char *omptape_wrapper_advice(const struct omptape_wrapper *wrapper)
{
    if (wrapper == NULL)
        return omptape_text("%s", "");
    return omptape_text("; put omptape behind it: %s omptape PROGRAM", wrapper->name);
}
