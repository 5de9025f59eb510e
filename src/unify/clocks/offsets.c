/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the file of measured clock offsets and looks up values in it (clocks.h).
 */
#include "src/unify/clocks/clocks.h"

#include "src/core/array.h"
#include "src/core/message.h"
#include "src/core/sort.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 3 };

/* Times must fit into 64 bits of ns (year 2262). An offset of more than a day is a mistake in the unit. */
static const double most_seconds = 9.2e9;
static const double most_ns = 86400e9;

static int split_words(char *line, char **words)
{
    int count = 0;
    char *rest = NULL;
    line[strcspn(line, "#\n")] = '\0';
    for (char *word = strtok_r(line, " \t\r", &rest); word != NULL; word = strtok_r(NULL, " \t\r", &rest)) {
        if (count < WORDS)
            words[count] = word;
        count++;
    }
    return count;
}

static bool read_number(const char *text, double max, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number) && fabs(*number) <= max;
}

/* Converts decimal text to whole ns without a double's loss of precision. */
static int64_t to_ns(const char *text, double seconds)
{
    const char *point = strchr(text, '.');
    if (seconds < 0 || strpbrk(text, "eExX") != NULL)
        return (int64_t)(seconds * 1e9);
    int64_t ns = strtoll(text, NULL, 10) * 1000000000;
    int64_t unit = 100000000;
    for (const char *digit = point != NULL ? point + 1 : ""; isdigit((unsigned char)*digit); digit++) {
        ns += (*digit - '0') * unit;
        unit /= 10;
    }
    return ns;
}

static int64_t rank_in(const char *who)
{
    return strspn(who, "0123456789") == strlen(who) ? strtol(who, NULL, 10) : -1;
}

/* Formats a rank in one way, so that all lines of "3" and "03" are adjacent. */
static char *text_of_rank(int64_t rank)
{
    char *text = NULL;
    return asprintf(&text, "%" PRId64, rank) >= 0 ? text : NULL;
}

static int add_offset(struct omptape_unify_offsets *offsets, char *const *words)
{
    double seconds;
    double value;
    if (!read_number(words[1], most_seconds, &seconds) || !read_number(words[2], most_ns, &value))
        return -EINVAL;
    if (!OMPTAPE_RESERVE(offsets->list, offsets->count + 1, &offsets->capacity))
        return -ENOMEM;
    int64_t rank = rank_in(words[0]);
    struct omptape_unify_offset one = {.time = to_ns(words[1], seconds), .value = (int64_t)llround(value)};
    one.who = rank >= 0 ? text_of_rank(rank) : strdup(words[0]);
    if (one.who == NULL)
        return -ENOMEM;
    offsets->list[offsets->count++] = one;
    return 0;
}

static int compare_offsets(const void *left, const void *right)
{
    const struct omptape_unify_offset *a = left;
    const struct omptape_unify_offset *b = right;
    int order = strcmp(a->who, b->who);
    return order != 0 ? order : (a->time > b->time) - (a->time < b->time);
}

int omptape_unify_offsets_read(struct omptape_unify_offsets *offsets, const char *path, char *error,
                               size_t bytes)
{
    char *line = NULL;
    size_t capacity = 0;
    unsigned number = 0;
    int result = 0;
    *offsets = (struct omptape_unify_offsets){.list = NULL};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        result = -errno;
        return omptape_fail(error, bytes, result, "%.300s: %s", path, strerror(-result));
    }
    errno = 0;
    while (result == 0 && getline(&line, &capacity, file) >= 0) {
        char *words[WORDS];
        number++;
        int count = split_words(line, words);
        if (count != 0)
            result = count == WORDS ? add_offset(offsets, words) : -EINVAL;
    }
    int cause = errno;
    if (result == 0 && ferror(file) != 0)
        result = -EIO;
    if (result == -EIO)
        snprintf(error, bytes, "%.300s cannot be read: %s", path, strerror(cause));
    else if (result == -EINVAL)
        snprintf(error, bytes,
                 "%.300s, line %u: expected a host or rank, seconds since 1970, and ns to add to its clock",
                 path, number);
    else if (result != 0)
        snprintf(error, bytes, "out of memory");
    else if (offsets->count > 0)
        omptape_sort(offsets->list, offsets->count, sizeof(*offsets->list), compare_offsets);
    free(line);
    fclose(file);
    return result;
}

void omptape_unify_offsets_free(struct omptape_unify_offsets *offsets)
{
    for (size_t i = 0; i < offsets->count; i++)
        free(offsets->list[i].who);
    free(offsets->list);
    *offsets = (struct omptape_unify_offsets){.list = NULL};
}

/* Returns the first line for `who`, or with `behind` the first line after those for `who`. */
static size_t place_of(const struct omptape_unify_offsets *offsets, const char *who, bool behind)
{
    size_t low = 0;
    size_t high = offsets->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(offsets->list[middle].who, who);
        if (order < 0 || (behind && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct omptape_unify_offset *find_offsets(const struct omptape_unify_offsets *offsets,
                                                       const char *who, size_t *count)
{
    size_t first = place_of(offsets, who, false);
    *count = place_of(offsets, who, true) - first;
    return *count > 0 ? &offsets->list[first] : NULL;
}

const struct omptape_unify_offset *omptape_unify_offsets_of(const struct omptape_unify_offsets *offsets,
                                                            const char *host, int64_t rank, size_t *count)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, rank);
    const struct omptape_unify_offset *own = rank >= 0 ? find_offsets(offsets, text, count) : NULL;
    if (own != NULL || rank_in(host) < 0)
        return own != NULL ? own : find_offsets(offsets, host, count);
    *count = 0; /* such a host name cannot be distinguished from a rank */
    return NULL;
}

int64_t omptape_unify_offset_at(const struct omptape_unify_offset *list, size_t count, int64_t time)
{
    if (count == 0)
        return 0;
    if (time <= list[0].time)
        return list[0].value;
    if (time > list[count - 1].time)
        return list[count - 1].value;
    /* Searches the two neighbours of `time`. */
    size_t before = 0;
    size_t behind = count - 1;
    while (behind - before > 1) {
        size_t middle = before + (behind - before) / 2;
        if (list[middle].time < time)
            before = middle;
        else
            behind = middle;
    }
    long double part =
        (long double)(time - list[before].time) / (long double)(list[behind].time - list[before].time);
    return list[before].value + (int64_t)(part * (long double)(list[behind].value - list[before].value));
}
