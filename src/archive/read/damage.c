/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds damaged files of an archive (damage.h).
 *
 * All files except the anchor file are sequences of records (records.h). The anchor file consists of a head,
 * zero-terminated texts, and two numbers.
 */
#include "src/archive/read/damage.h"

#include "src/archive/read/records.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"

#include <byteswap.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Layout of the anchor file: the kind of files, three texts, a number, as many pairs of texts, a tail. */
enum { SUBSTRATE = 28, COMPRESSION = 29, FIRST_TEXT = 46, FIRST_TEXTS = 3, ANCHOR_TAIL_BYTES = 16 };
/* libotf2 writes an anchor file from one chunk. */
enum { LARGEST_ANCHOR = RECORDS_LARGEST_CHUNK };
enum { PATH_BYTES = 512 };

enum state { WHOLE, CUT, DAMAGED, EMPTY, MISSING };

/* A file, and its number of events or definitions. */
struct checked_file {
    struct records file;
    uint64_t records;
};

/* State and result of the search in all files. */
struct search {
    int folder;
    const char *name;
    bool own;
    unsigned files;
    unsigned bad;
    bool needed; /* true if the first damaged file is needed to read the others */
    char *text;
    size_t text_bytes;
    struct checked_file checked;
};

static enum state walk_records(struct checked_file *checked)
{
    struct record record;
    enum records_state state;
    while ((state = records_next(&checked->file, &record)) == RECORDS_GO_ON)
        checked->records += record.type >= RECORDS_FIRST;
    return state == RECORDS_END ? WHOLE : state == RECORDS_CUT ? CUT : DAMAGED;
}

static bool pass_text(struct records *file)
{
    int byte;
    while ((byte = records_byte(file, file->at)) > 0)
        file->at++;
    file->at++;
    return byte == 0;
}

static enum state walk_anchor(struct records *file)
{
    static const unsigned char magic[] = "OTF2";
    const unsigned char *head = records_peek(file, 0, FIRST_TEXT);
    uint32_t pairs;
    if (file->bytes >= 2 + sizeof(magic)) {
        const unsigned char *begin = records_peek(file, 0, 2 + sizeof(magic));
        if (begin == NULL || begin[0] != RECORDS_CHUNK_HEADER || memcmp(begin + 2, magic, sizeof(magic)) != 0)
            return DAMAGED;
        file->swapped = records_are_swapped(begin[1]);
    }
    if (head == NULL)
        return CUT;
    file->at = FIRST_TEXT;
    for (int i = 0; i < FIRST_TEXTS; i++)
        if (!pass_text(file))
            return CUT;
    const unsigned char *number = records_peek(file, file->at, sizeof(pairs));
    if (number == NULL)
        return CUT;
    memcpy(&pairs, number, sizeof(pairs));
    uint64_t texts = 2 * (uint64_t)(file->swapped ? bswap_32(pairs) : pairs);
    if (texts > LARGEST_ANCHOR)
        return DAMAGED;
    file->at += sizeof(pairs);
    for (; texts > 0; texts--)
        if (!pass_text(file))
            return CUT;
    return records_peek(file, file->at, ANCHOR_TAIL_BYTES) != NULL ? WHOLE : CUT;
}

static void describe(struct search *search, const char *path, enum state state)
{
    const struct checked_file *checked = &search->checked;
    char extent[160] = "";
    const char *what = state == EMPTY ? "is empty" : state == MISSING ? "is not there" : "is damaged";
    if (state == CUT) {
        what = "is cut short";
        snprintf(extent, sizeof(extent), ": %" PRIu64 " byte%s there", checked->file.bytes,
                 checked->file.bytes == 1 ? " is" : "s are");
        if (checked->file.events)
            snprintf(extent + strlen(extent), sizeof(extent) - strlen(extent),
                     ", with %" PRIu64 " whole events", checked->records);
    } else if (state == DAMAGED) {
        snprintf(extent, sizeof(extent), " at byte %" PRIu64 " of %" PRIu64, checked->file.at,
                 checked->file.bytes);
    }
    snprintf(search->text, search->text_bytes, "%s %s%s", path, what, extent);
}

static bool has_end(int file)
{
    unsigned char end[2] = {0, 0};
    off_t bytes = lseek(file, 0, SEEK_END);
    return bytes >= (off_t)sizeof(end) &&
           pread(file, end, sizeof(end), bytes - (off_t)sizeof(end)) == (ssize_t)sizeof(end) &&
           end[0] == RECORDS_END_OF_FILE && end[1] == RECORDS_END_OF_BUFFER;
}

static enum state walk_file(struct checked_file *checked, int file, const char *path)
{
    struct stat status;
    memset(checked, 0, offsetof(struct checked_file, file.window));
    checked->records = 0;
    checked->file.file = file;
    checked->file.events = omptape_ends_with(path, ".evt");
    if (fstat(file, &status) == 0)
        checked->file.bytes = (uint64_t)status.st_size;
    if (checked->file.bytes == 0)
        return EMPTY;
    if (omptape_ends_with(path, ".otf2"))
        return walk_anchor(&checked->file);
    enum state state = walk_records(checked);
    return state == CUT && has_end(file) ? DAMAGED : state;
}

static void check_file(struct search *search, const char *path, bool needed)
{
    int file = search->own ? omptape_beneath_open_own_file(search->folder, path)
                           : omptape_beneath_open_file(search->folder, path);
    if (file < 0 && (!needed || omptape_beneath_is_there(search->folder, path)))
        return;
    enum state state = file >= 0 ? walk_file(&search->checked, file, path) : MISSING;
    omptape_close(file);
    search->files++;
    if (state != WHOLE && search->bad++ == 0) {
        search->needed = needed;
        describe(search, path, state);
    }
}

/* Returns false for other substrates or compression, whose layout is not known here. */
static bool is_plain(struct search *search, const char *anchor)
{
    unsigned char kind[2] = {1, 1};
    int file = omptape_beneath_open_file(search->folder, anchor);
    bool there = file >= 0 && pread(file, kind, sizeof(kind), SUBSTRATE) == (ssize_t)sizeof(kind);
    omptape_close(file);
    return !there || (kind[0] == 1 && kind[1] == 1);
}

static int compare_names(const struct dirent **left, const struct dirent **right)
{
    return strverscmp((*left)->d_name, (*right)->d_name);
}

static int is_location_file(const struct dirent *entry)
{
    const size_t digits = strspn(entry->d_name, "0123456789");
    const char *ending = entry->d_name + digits;
    return digits > 0 && (strcmp(ending, ".evt") == 0 || strcmp(ending, ".def") == 0);
}

static void check_location_files(struct search *search)
{
    char path[PATH_BYTES];
    struct dirent **entries = NULL;
    int events = omptape_beneath_open_folder(search->folder, search->name);
    int count = events >= 0 ? scandirat(events, ".", &entries, is_location_file, compare_names) : 0;
    for (int i = 0; i < count; i++) {
        int n = snprintf(path, sizeof(path), "%s/%s", search->name, entries[i]->d_name);
        if (n > 0 && (size_t)n < sizeof(path))
            check_file(search, path, false);
        free(entries[i]);
    }
    free(entries);
    omptape_close(events);
}

static void add_rest(const struct search *search)
{
    size_t used = strlen(search->text);
    unsigned whole = search->files - search->bad;
    char *end = search->text + used;
    size_t left = search->text_bytes - used;
    if (whole == 0)
        return;
    if (search->bad > 1)
        snprintf(end, left, ", and %u more file%s damaged; %u %s whole", search->bad - 1,
                 search->bad == 2 ? " is" : "s are", whole, whole == 1 ? "is" : "are");
    else
        snprintf(end, left, "; the other %u file%s whole%s", whole, whole == 1 ? " is" : "s are",
                 search->needed ? ", but cannot be read without it" : "");
}

bool omptape_damage_find(int folder, const char *name, bool own, char *text, size_t bytes)
{
    static const char *const endings[] = {".otf2", ".def", ".marker"};
    char path[PATH_BYTES];
    struct search *search = calloc(1, sizeof(*search));
    if (search == NULL)
        return false;
    search->folder = folder;
    search->name = name;
    search->own = own;
    search->text = text;
    search->text_bytes = bytes;
    snprintf(path, sizeof(path), "%.400s.otf2", name);
    bool plain = is_plain(search, path);
    for (size_t i = 0; plain && i < sizeof(endings) / sizeof(endings[0]); i++) {
        snprintf(path, sizeof(path), "%.400s%s", name, endings[i]);
        check_file(search, path, i < 2);
    }
    if (plain)
        check_location_files(search);
    bool found = search->bad > 0;
    if (found)
        add_rest(search);
    free(search);
    return found;
}

bool omptape_damage_is_cut_file(int file, const char *path)
{
    bool cut = !has_end(file);
    struct checked_file *checked = cut ? calloc(1, sizeof(*checked)) : NULL;
    if (checked != NULL)
        cut = walk_file(checked, file, path) != WHOLE;
    free(checked);
    return cut;
}

bool omptape_damage_is_cut(int folder, const char *path)
{
    int file = omptape_beneath_open_file(folder, path);
    bool cut = file >= 0 && omptape_damage_is_cut_file(file, path);
    omptape_close(file);
    return cut;
}
