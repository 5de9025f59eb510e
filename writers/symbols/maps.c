/* SPDX-License-Identifier: BSD-3-Clause
 *
 * List of executable mappings: parses the text of /proc/PID/maps and lets newer mappings replace older ones.
 */
#include "writers/symbols/maps.h"
#include "src/core/words.h"

#include "src/core/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct text_cursor {
    const char *at, *end;
};

static bool read_hex(struct text_cursor *cursor, uint64_t *value)
{
    const char *first = cursor->at;
    *value = 0;
    for (; cursor->at < cursor->end && cursor->at - first < 16; cursor->at++) {
        char c = *cursor->at;
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else
            break;
        *value = *value << 4 | digit;
    }
    return cursor->at > first;
}

static uint64_t read_decimal(const struct text_cursor *cursor)
{
    uint64_t value = 0;
    for (const char *at = cursor->at; at < cursor->end && *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

static bool skip_char(struct text_cursor *cursor, char c)
{
    if (cursor->at == cursor->end || *cursor->at != c)
        return false;
    cursor->at++;
    return true;
}

static void skip_word_and_spaces(struct text_cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at != ' ')
        cursor->at++;
    while (cursor->at < cursor->end && *cursor->at == ' ')
        cursor->at++;
}

static bool take_suffix(const char *text, size_t *length, const char *suffix)
{
    size_t n = strlen(suffix);
    if (*length < n || memcmp(text + *length - n, suffix, n) != 0)
        return false;
    *length -= n;
    return true;
}

/* The kernel writes a newline in a path as "\012". */
static size_t unescape_path(char *text, size_t length)
{
    size_t out = 0;
    for (size_t in = 0; in < length; out++) {
        if (length - in >= 4 && memcmp(text + in, "\\012", 4) == 0) {
            text[out] = '\n';
            in += 4;
        } else {
            text[out] = text[in++];
        }
    }
    return out;
}

/* A loader maps its files privately. Code that is generated is often in shared mappings of files that were
 * deleted at once, or never had a name. */
static int read_path(struct text_cursor *cursor, bool private, struct omptape_rows *strings,
                     struct omptape_mapping *mapping)
{
    size_t length = (size_t)(cursor->end - cursor->at);
    if (length == 0 || memchr(cursor->at, '\0', length) != NULL)
        return 0;
    char *path = strndup(cursor->at, length);
    if (path == NULL)
        return -ENOMEM;
    bool gone = take_suffix(path, &length, " (deleted)");
    length = unescape_path(path, length);
    mapping->file = !gone && path[0] == '/';
    mapping->gone = gone && private && path[0] == '/' && !omptape_starts_with(path, "/memfd:");
    mapping->path = omptape_rows_keep(strings, path, length);
    free(path);
    return mapping->path != NULL ? 0 : -ENOMEM;
}

/* Parses one line, "start-end perms offset device inode  path". Returns 1 for an executable mapping, 0 for
 * others, or -ENOMEM. */
static int read_line(struct text_cursor *cursor, struct omptape_rows *strings,
                     struct omptape_mapping *mapping)
{
    *mapping = (struct omptape_mapping){0};
    if (!read_hex(cursor, &mapping->start) || !skip_char(cursor, '-') || !read_hex(cursor, &mapping->end) ||
        !skip_char(cursor, ' ') || cursor->end - cursor->at < 5)
        return 0;
    bool executable = cursor->at[2] == 'x';
    bool private = cursor->at[3] == 'p';
    cursor->at += 4;
    if (!skip_char(cursor, ' ') || !read_hex(cursor, &mapping->offset) || !executable ||
        mapping->start >= mapping->end)
        return 0;
    for (int word = 0; word < 2; word++) /* Skips the rest of the offset, and the device. */
        skip_word_and_spaces(cursor);
    mapping->inode = read_decimal(cursor);
    skip_word_and_spaces(cursor);
    int error = read_path(cursor, private, strings, mapping);
    return error ? error : 1;
}

/* Returns the index of the first mapping that ends after the address. */
static uint32_t first_after(const struct omptape_maps *maps, uint64_t address)
{
    return (uint32_t)omptape_first_above(maps->list, maps->count, sizeof(*maps->list),
                                         offsetof(struct omptape_mapping, end), address);
}

static bool are_same(const struct omptape_mapping *a, const struct omptape_mapping *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset &&
           omptape_mapping_is_of(a, b->path, b->inode) && a->file == b->file;
}

/* Returns true if both map one file at one place where they overlap: the kernel splits and joins mappings. */
static bool have_same_code(const struct omptape_mapping *a, const struct omptape_mapping *b)
{
    return omptape_mapping_is_of(a, b->path, b->inode) &&
           (a->path == NULL || a->start - a->offset == b->start - b->offset);
}

/* Returns the number of the code that replaces [from, to): its old number if it was there, or a new one. */
static uint32_t code_of(struct omptape_maps *maps, const struct omptape_mapping *mapping, uint32_t from,
                        uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (have_same_code(&maps->list[i], mapping))
            return maps->list[i].code_id;
    for (size_t i = 0; i < maps->former_count; i++)
        if (have_same_code(&maps->former[i], mapping))
            return maps->former[i].code_id;
    return ++maps->last_code;
}

/* Stores a mapping that another one is about to replace. */
static int store_replaced(struct omptape_maps *maps, const struct omptape_mapping *mapping)
{
    for (size_t i = 0; i < maps->former_count; i++)
        if (maps->former[i].code_id == mapping->code_id)
            return 0;
    return OMPTAPE_APPEND(maps->former, maps->former_count, maps->former_capacity, *mapping) ? 0 : -ENOMEM;
}

/* Inserts the mapping in place of overlapping ones, and keeps the rest of those. */
static int insert_mapping(struct omptape_maps *maps, struct omptape_mapping *mapping)
{
    int error = 0;
    uint32_t from = first_after(maps, mapping->start);
    if (from < maps->count && are_same(&maps->list[from], mapping))
        return 0;
    uint32_t to = from;
    while (to < maps->count && maps->list[to].start < mapping->end)
        to++;
    mapping->code_id = code_of(maps, mapping, from, to);
    for (uint32_t i = from; i < to && !error; i++)
        error = have_same_code(&maps->list[i], mapping) ? 0 : store_replaced(maps, &maps->list[i]);
    if (error)
        return error;
    struct omptape_mapping pieces[3];
    uint32_t count = 0;
    if (to > from && maps->list[from].start < mapping->start) {
        pieces[count] = maps->list[from];
        pieces[count++].end = mapping->start;
    }
    pieces[count++] = *mapping;
    if (to > from && maps->list[to - 1].end > mapping->end) {
        struct omptape_mapping rest = maps->list[to - 1];
        rest.offset += mapping->end - rest.start;
        rest.start = mapping->end;
        pieces[count++] = rest;
    }
    if (!OMPTAPE_RESERVE(maps->list, maps->count + count, &maps->capacity))
        return -ENOMEM;
    memmove(maps->list + from + count, maps->list + to, (maps->count - to) * sizeof(*maps->list));
    memcpy(maps->list + from, pieces, count * sizeof(*pieces));
    maps->count = maps->count - (to - from) + count;
    return 0;
}

void omptape_maps_free(struct omptape_maps *maps)
{
    free(maps->list);
    free(maps->former);
    *maps = (struct omptape_maps){0};
}

int omptape_maps_add(struct omptape_maps *maps, struct omptape_rows *strings, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        struct text_cursor line = {text, newline != NULL ? newline : end};
        struct omptape_mapping mapping;
        int found = read_line(&line, strings, &mapping);
        if (found < 0)
            return found;
        int error = found ? insert_mapping(maps, &mapping) : 0;
        if (error)
            return error;
        text = newline != NULL ? newline + 1 : end;
    }
    return 0;
}

const struct omptape_mapping *omptape_maps_find(const struct omptape_maps *maps, uint64_t address)
{
    size_t i = first_after(maps, address);
    return i < maps->count && maps->list[i].start <= address ? &maps->list[i] : NULL;
}

static bool covers_address(const struct omptape_mapping *mapping, uint64_t address)
{
    return mapping->start <= address && address < mapping->end;
}

/* Returns the mapping that was first at the address, if it was replaced, or NULL. */
static const struct omptape_mapping *find_first(const struct omptape_maps *maps, uint64_t address)
{
    for (size_t i = 0; i < maps->former_count; i++)
        if (covers_address(&maps->former[i], address))
            return &maps->former[i];
    return NULL;
}

uint32_t omptape_maps_code(const struct omptape_maps *maps, uint64_t address)
{
    const struct omptape_mapping *first = find_first(maps, address);
    const struct omptape_mapping *now = first != NULL ? omptape_maps_find(maps, address) : NULL;
    return now != NULL && now->code_id != first->code_id ? now->code_id : 0;
}

const struct omptape_mapping *omptape_maps_find_code(const struct omptape_maps *maps, uint64_t address,
                                                     uint32_t code)
{
    for (size_t i = 0; code != 0 && i < maps->former_count; i++)
        if (maps->former[i].code_id == code && covers_address(&maps->former[i], address))
            return &maps->former[i];
    const struct omptape_mapping *now = omptape_maps_find(maps, address);
    if (now != NULL && code != 0 && now->code_id == code)
        return now;
    const struct omptape_mapping *first = find_first(maps, address);
    return first != NULL ? first : now;
}
