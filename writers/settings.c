/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one copy of the session's settings (settings.h).
 */
#include "writers/settings.h"

#include "src/core/log.h"

#include <omptape/shm.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* The texts of the settings. */
static const struct {
    size_t offset;
    size_t bytes;
} texts[] = {
#define TEXT(member)                                                                                         \
    {                                                                                                        \
        offsetof(struct omptape_settings, member), sizeof(((struct omptape_settings *)0)->member)            \
    }
    TEXT(program), TEXT(arguments),    TEXT(output),   TEXT(report),   TEXT(filter),       TEXT(log_file),
    TEXT(job.id),  TEXT(job.launcher), TEXT(job.step), TEXT(job.node), TEXT(job.identity), TEXT(job.parent),
#undef TEXT
};

static bool are_texts_ended(const struct omptape_settings *settings)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (memchr((const char *)settings + texts[i].offset, '\0', texts[i].bytes) == NULL)
            return false;
    return settings->arguments_bytes < sizeof(settings->arguments);
}

static bool is_layout_possible(const struct omptape_settings *settings)
{
    return settings->chunk_limit > 0 && settings->chunk_limit < UINT32_MAX / 2 &&
           settings->chunk_count >= settings->chunk_limit &&
           settings->chunk_count - settings->chunk_limit <= OMPTAPE_EXTRA_CHUNKS;
}

static bool is_valid(const struct omptape_settings *settings)
{
    return settings->magic == OMPTAPE_SETTINGS_MAGIC && settings->version == OMPTAPE_SETTINGS_VERSION &&
           is_layout_possible(settings) && are_texts_ended(settings) && settings->pid > 0 &&
           settings->parent_pid >= 0 && settings->policy <= OMPTAPE_POLICY_OVERWRITE &&
           settings->clock_kind >= OMPTAPE_CLOCK_TSC && settings->clock_kind <= OMPTAPE_CLOCK_MONOTONIC_RAW &&
           settings->log_level < OMPTAPE_LOG_LEVELS && settings->job.rank >= 0 && settings->job.size >= 0;
}

int omptape_settings_take(struct omptape_settings *settings, int fd)
{
    size_t taken = 0;
    while (taken < sizeof(*settings)) {
        ssize_t n = pread(fd, (char *)settings + taken, sizeof(*settings) - taken, (off_t)taken);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EPROTO;
        taken += (size_t)n;
    }
    return is_valid(settings) ? 0 : -EPROTO;
}
