/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses lists of numbers (ranges.h).
 */
#include "src/command/text/ranges.h"

#include "src/core/array.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool number_read(const char **text, uint64_t *number)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static bool read_small(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    bool good = number_read(text, &value) && value <= UINT32_MAX;
    *number = (uint32_t)value;
    return good;
}

/* Parses "3" or "0-7". */
static bool read_numbers(const char **text, struct ranges_item *range)
{
    *range = (struct ranges_item){.any_process = true};
    if (!read_small(text, &range->first))
        return false;
    range->last = range->first;
    if (**text == '-') {
        ++*text;
        if (!read_small(text, &range->last))
            return false;
    }
    return range->first <= range->last && (**text == ',' || **text == '\0');
}

/* Parses "3", "0-7", "1:0-7" or a thread's name. A name does not begin with a digit. */
static bool read_thread(const char **text, struct ranges_item *range)
{
    const char *at = *text;
    uint32_t process = 0;
    if (!isdigit((unsigned char)*at)) {
        size_t length = strcspn(at, ",");
        *range = (struct ranges_item){.name = at, .length = length};
        *text += length;
        return length > 0 && *at != '-';
    }
    if (!read_small(&at, &process) || *at != ':')
        return read_numbers(text, range);
    *text = at + 1;
    bool good = read_numbers(text, range);
    range->any_process = false;
    range->process = process;
    return good;
}

static int read_list(struct ranges *ranges, const char *list,
                     bool (*read)(const char **text, struct ranges_item *range))
{
    const char *text = list;
    do {
        struct ranges_item range;
        if (!read(&text, &range))
            return -EINVAL;
        if (!OMPTAPE_APPEND(ranges->list, ranges->count, ranges->capacity, range))
            return -ENOMEM;
    } while (*text++ == ',');
    return 0;
}

int ranges_read(struct ranges *ranges, const char *list)
{
    return read_list(ranges, list, read_numbers);
}

int ranges_read_threads(struct ranges *ranges, const char *list)
{
    return strcmp(list, "all") == 0 ? 0 : read_list(ranges, list, read_thread);
}

bool ranges_have_thread(const struct ranges *ranges, uint32_t process, uint32_t number, const char *name)
{
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct ranges_item *range = &ranges->list[i];
        if (range->name != NULL ? name != NULL && strlen(name) == range->length &&
                                      strncmp(name, range->name, range->length) == 0
                                : (range->any_process || range->process == process) &&
                                      range->first <= number && number <= range->last)
            return true;
    }
    return ranges->count == 0;
}

bool ranges_have(const struct ranges *ranges, uint32_t number)
{
    return ranges_have_thread(ranges, 0, number, NULL);
}

void ranges_free(struct ranges *ranges)
{
    free(ranges->list);
    *ranges = (struct ranges){.list = NULL};
}
