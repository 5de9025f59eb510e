/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the file of measured clock offsets and looks values up in it (offsets.h): before a unification
 * starts, and while the clocks are dated.
 */
#include "src/unify/offsets.h"

#include "src/core/array.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 3 };

/* 2262 is the last year that fits; an offset of more than a day is a mistake in the unit. */
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

static bool read_number(const char *text, double most, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number) && fabs(*number) <= most;
}

/* Whole ns even where a double has no room for them. */
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

static int add_offset(struct omptape_unify_offsets *offsets, char *const *words)
{
    double seconds;
    double value;
    if (!read_number(words[1], most_seconds, &seconds) || !read_number(words[2], most_ns, &value))
        return -EINVAL;
    struct omptape_unify_offset *list =
        omptape_array_reserve(offsets->list, offsets->count + 1, &offsets->capacity, sizeof(*list));
    if (list == NULL)
        return -ENOMEM;
    offsets->list = list;
    struct omptape_unify_offset one = {.who = strdup(words[0]),
                                       .rank = -1,
                                       .time = to_ns(words[1], seconds),
                                       .value = (int64_t)llround(value)};
    if (one.who == NULL)
        return -ENOMEM;
    if (strspn(one.who, "0123456789") == strlen(one.who))
        one.rank = strtol(one.who, NULL, 10);
    list[offsets->count++] = one;
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
    size_t room = 0;
    unsigned number = 0;
    int result = 0;
    *offsets = (struct omptape_unify_offsets){.list = NULL};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        result = -errno;
        snprintf(error, bytes, "%.300s: %s", path, strerror(-result));
        return result;
    }
    errno = 0;
    while (result == 0 && getline(&line, &room, file) >= 0) {
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
        qsort(offsets->list, offsets->count, sizeof(*offsets->list), compare_offsets);
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

static bool is_offset_of(const struct omptape_unify_offset *offset, const char *host, int64_t rank)
{
    return rank >= 0 ? offset->rank == rank : offset->rank < 0 && strcmp(offset->who, host) == 0;
}

static const struct omptape_unify_offset *find_offsets(const struct omptape_unify_offsets *offsets,
                                                       const char *host, int64_t rank, size_t *count)
{
    const struct omptape_unify_offset *first = NULL;
    *count = 0;
    for (size_t i = 0; i < offsets->count; i++) {
        if (!is_offset_of(&offsets->list[i], host, rank))
            continue;
        first = first != NULL ? first : &offsets->list[i];
        ++*count;
    }
    return first;
}

const struct omptape_unify_offset *omptape_unify_offsets_of(const struct omptape_unify_offsets *offsets,
                                                            const char *host, int64_t rank, size_t *count)
{
    const struct omptape_unify_offset *own = rank >= 0 ? find_offsets(offsets, "", rank, count) : NULL;
    return own != NULL ? own : find_offsets(offsets, host, -1, count);
}

int64_t omptape_unify_offset_at(const struct omptape_unify_offset *list, size_t count, int64_t time)
{
    if (count == 0)
        return 0;
    if (time <= list[0].time)
        return list[0].value;
    for (size_t i = 1; i < count; i++) {
        if (time > list[i].time)
            continue;
        long double part =
            (long double)(time - list[i - 1].time) / (long double)(list[i].time - list[i - 1].time);
        return list[i - 1].value + (int64_t)(part * (long double)(list[i].value - list[i - 1].value));
    }
    return list[count - 1].value;
}
