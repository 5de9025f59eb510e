/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The protocol of clock_sync.h on links and files: "call" (token), "RANK.TOKEN" (answer), "members.TOKEN" and
 * "decision.TOKEN". Called by the writer's main thread.
 */
#include "src/job/clock_sync.h"

#include "src/core/array.h"
#include "src/core/hash.h"
#include "src/core/sort.h"
#include "src/folder/atomic_file.h"
#include "src/folder/beneath.h"
#include "src/folder/claim.h"
#include "src/folder/named_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = OMPTAPE_JOB_CLOCK_SYNC_WORD + 32, MAX_FILE_BYTES = 1 << 20 };

static const char call_link[] = "call";
static const char together[] = "together";
static const char alone[] = "alone";

struct answer {
    int32_t rank;
    char host[OMPTAPE_JOB_CLOCK_SYNC_KEY];
};

static void name_of(const struct omptape_job_clock_sync *clock_sync, const char *kind, char *name)
{
    snprintf(name, NAME_BYTES, "%.24s.%s", kind, clock_sync->word);
}

static void name_answer(const struct omptape_job_clock_sync *clock_sync, char *name)
{
    snprintf(name, NAME_BYTES, "%d.%s", (int)clock_sync->rank, clock_sync->word);
}

/* Creates a unique token from this process's identity and the time. */
static void make_word(struct omptape_job_clock_sync *clock_sync, uint64_t now)
{
    char own[OMPTAPE_CLAIM_BYTES];
    omptape_claim_own(own, sizeof(own));
    snprintf(clock_sync->word, sizeof(clock_sync->word), "%016llx%016llx",
             (unsigned long long)omptape_hash_key(own, strlen(own)), (unsigned long long)now);
}

/* Publishes the call. Replaces a stale link of a killed run. */
static int call_others(struct omptape_job_clock_sync *clock_sync, uint64_t now)
{
    static const char new[] = "call-new";
    make_word(clock_sync, now);
    (void)omptape_beneath_remove(clock_sync->folder, new);
    int error = omptape_beneath_make_link(clock_sync->folder, new, clock_sync->word);
    return error == 0 ? omptape_beneath_rename(clock_sync->folder, new, clock_sync->folder, call_link)
                      : error;
}

int omptape_job_clock_sync_begin(struct omptape_job_clock_sync *clock_sync, const char *path, int32_t rank,
                                 int32_t size, const char *host, uint64_t now)
{
    *clock_sync = (struct omptape_job_clock_sync){.folder = -1,
                                                  .rank = rank,
                                                  .size = size,
                                                  .begun = now,
                                                  .fresh_at = now + OMPTAPE_JOB_CLOCK_SYNC_FRESH};
    snprintf(clock_sync->host, sizeof(clock_sync->host), "%s", host);
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return folder;
    clock_sync->folder = omptape_beneath_make_folder(folder, OMPTAPE_JOB_CLOCK_SYNC_FOLDER, NULL);
    close(folder);
    if (clock_sync->folder < 0)
        return clock_sync->folder;
    int error = rank == 0 ? call_others(clock_sync, now) : 0;
    if (error != 0)
        omptape_job_clock_sync_end(clock_sync, path);
    return error;
}

/* Creates the decision's link; does nothing if another rank has already decided. */
static void decide(const struct omptape_job_clock_sync *clock_sync, const char *what)
{
    char name[NAME_BYTES];
    name_of(clock_sync, "decision", name);
    (void)omptape_beneath_make_link(clock_sync->folder, name, what);
}

static bool write_members(const struct omptape_job_clock_sync *clock_sync,
                          const struct omptape_clock_sync_found *found)
{
    char name[NAME_BYTES];
    char *text = NULL;
    size_t bytes = 0;
    name_of(clock_sync, "members", name);
    FILE *lines = open_memstream(&text, &bytes);
    if (lines == NULL)
        return false;
    fprintf(lines, "%d %u %s\n", (int)found->reference_pid, (unsigned)found->reference_scale,
            found->reference_host);
    for (uint32_t i = 0; i < found->member_count; i++)
        fprintf(lines, "%d\n", (int)found->members[i]);
    int error = fclose(lines) != 0 ? -ENOMEM : 0;
    int file = error == 0 ? omptape_beneath_create(clock_sync->folder, name) : -1;
    error = file >= 0 ? omptape_write_all(file, text, bytes) : -EIO;
    if (file >= 0 && close(file) != 0)
        error = -EIO;
    free(text);
    return error == 0;
}

/* Parses the member list: one rank per line. Returns false if it is malformed or does not contain this rank.
 */
static bool add_members(const struct omptape_job_clock_sync *clock_sync,
                        struct omptape_clock_sync_found *found, const char *text)
{
    bool with_us = false;
    found->member_count = 0;
    for (; *text != '\0' && found->member_count < OMPTAPE_CLOCK_SYNC_MAX_RANKS; text++) {
        char *end;
        const long rank = strtol(text, &end, 10);
        if (end == text || *end != '\n' || rank < 0 || rank >= clock_sync->size)
            return false;
        found->members[found->member_count++] = (int32_t)rank;
        with_us |= rank == clock_sync->rank;
        text = end;
    }
    return with_us && found->members[0] == 0 && found->member_count > 1;
}

static bool read_members(const struct omptape_job_clock_sync *clock_sync,
                         struct omptape_clock_sync_found *found)
{
    char name[NAME_BYTES];
    unsigned char *bytes = NULL;
    size_t count = 0;
    int place = 0;
    name_of(clock_sync, "members", name);
    int file = omptape_beneath_open_own_file(clock_sync->folder, name);
    if (file < 0)
        return false;
    int error = omptape_read_all(file, MAX_FILE_BYTES, &bytes, &count);
    close(file);
    char *text = error == 0 ? strndup((const char *)bytes, count) : NULL;
    free(bytes);
    bool known = text != NULL &&
                 sscanf(text, "%d %u %127[^\n]%n", &found->reference_pid, &found->reference_scale,
                        found->reference_host, &place) == 3 &&
                 text[place] == '\n' && add_members(clock_sync, found, text + place + 1);
    free(text);
    return known;
}

/* Returns the decision, or OMPTAPE_CLOCK_SYNC_ASKED if there is none yet. */
static enum omptape_clock_sync_state read_decision(const struct omptape_job_clock_sync *clock_sync,
                                                   struct omptape_clock_sync_found *found)
{
    char name[NAME_BYTES];
    char text[32];
    name_of(clock_sync, "decision", name);
    if (!omptape_beneath_read_own_link(clock_sync->folder, name, text, sizeof(text)))
        return OMPTAPE_CLOCK_SYNC_ASKED;
    if (strcmp(text, together) != 0)
        return OMPTAPE_CLOCK_SYNC_ALONE;
    return read_members(clock_sync, found) ? OMPTAPE_CLOCK_SYNC_AGREED : OMPTAPE_CLOCK_SYNC_ALONE;
}

static int compare_answers(const void *left, const void *right)
{
    const struct answer *a = left;
    const struct answer *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool read_answer(const struct omptape_job_clock_sync *clock_sync, int folder, const char *name,
                        struct answer *answer)
{
    char *end;
    const long rank = strtol(name, &end, 10);
    if (end == name || *end != '.' || strcmp(end + 1, clock_sync->word) != 0 || rank <= 0 ||
        rank >= clock_sync->size)
        return false;
    answer->rank = (int32_t)rank;
    return omptape_beneath_read_own_link(folder, name, answer->host, sizeof(answer->host));
}

/* Returns the answers sorted by host and rank; the caller frees the array. */
static struct answer *list_answers(const struct omptape_job_clock_sync *clock_sync, uint32_t *count)
{
    const struct dirent *entry;
    struct answer *answers = NULL;
    uint32_t capacity = 0;
    DIR *entries = omptape_beneath_list(clock_sync->folder, ".");
    *count = 0;
    while (entries != NULL && *count < (uint32_t)clock_sync->size && (entry = readdir(entries)) != NULL) {
        if (!OMPTAPE_RESERVE(answers, *count + 1, &capacity))
            break;
        *count += read_answer(clock_sync, dirfd(entries), entry->d_name, &answers[*count]);
    }
    omptape_close_list(entries);
    omptape_sort(answers, *count, sizeof(*answers), compare_answers);
    return answers;
}

static int compare_hosts(const void *left, const void *right)
{
    const struct answer *a = left;
    const struct answer *b = right;
    int order = strcmp(a->host, b->host);
    return order != 0 ? order : compare_answers(left, right);
}

/* Chooses rank 0 and the lowest rank of each other host. */
static void choose_members(const struct omptape_job_clock_sync *clock_sync,
                           struct omptape_clock_sync_found *found, struct answer *answers, uint32_t count)
{
    uint32_t kept = 0;
    omptape_sort(answers, count, sizeof(*answers), compare_hosts);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(answers[i].host, clock_sync->host) != 0 &&
            (kept == 0 || strcmp(answers[i].host, answers[kept - 1].host) != 0))
            answers[kept++] = answers[i];
    omptape_sort(answers, kept, sizeof(*answers), compare_answers);
    found->members[0] = 0;
    found->member_count = 1;
    for (uint32_t i = 0; i < kept && found->member_count < OMPTAPE_CLOCK_SYNC_MAX_RANKS; i++)
        found->members[found->member_count++] = answers[i].rank;
}

/* Decides, on rank 0, if all ranks have answered or the time is up. */
static void read_answers(const struct omptape_job_clock_sync *clock_sync,
                         struct omptape_clock_sync_found *found, uint64_t now)
{
    uint32_t count = 0;
    struct answer *answers = list_answers(clock_sync, &count);
    const bool complete = count + 1 == (uint32_t)clock_sync->size;
    if (complete || now - clock_sync->begun >= OMPTAPE_JOB_CLOCK_SYNC_CALL) {
        choose_members(clock_sync, found, answers, count);
        const bool in_time = now - clock_sync->begun < OMPTAPE_JOB_CLOCK_SYNC_LATEST;
        const bool several = found->member_count > 1 && in_time && write_members(clock_sync, found);
        decide(clock_sync, several ? together : alone);
    }
    free(answers);
}

static void answer_call(struct omptape_job_clock_sync *clock_sync)
{
    char word[OMPTAPE_JOB_CLOCK_SYNC_WORD];
    char name[NAME_BYTES];
    if (!omptape_beneath_read_own_link(clock_sync->folder, call_link, word, sizeof(word)) ||
        strcmp(word, clock_sync->word) == 0 || strspn(word, "0123456789abcdef") != strlen(word))
        return;
    snprintf(clock_sync->word, sizeof(clock_sync->word), "%s", word);
    name_answer(clock_sync, name);
    int error = omptape_beneath_make_link(clock_sync->folder, name, clock_sync->host);
    if (error != 0 && error != -EEXIST)
        clock_sync->word[0] = '\0';
}

enum omptape_clock_sync_state omptape_job_clock_sync_look(struct omptape_job_clock_sync *clock_sync,
                                                          struct omptape_clock_sync_found *found,
                                                          uint64_t now)
{
    const uint64_t since = now - clock_sync->begun;
    if (clock_sync->folder < 0)
        return OMPTAPE_CLOCK_SYNC_ALONE;
    if (now >= clock_sync->fresh_at) {
        omptape_named_folder_invalidate_cache(clock_sync->folder);
        clock_sync->fresh_at = now + since;
    }
    if (clock_sync->rank == 0) {
        read_answers(clock_sync, found, now);
    } else {
        answer_call(clock_sync);
        if (clock_sync->word[0] == '\0')
            return since >= OMPTAPE_JOB_CLOCK_SYNC_CALL ? OMPTAPE_CLOCK_SYNC_ALONE : OMPTAPE_CLOCK_SYNC_ASKED;
        if (since >= OMPTAPE_JOB_CLOCK_SYNC_DECISION)
            decide(clock_sync, alone);
    }
    enum omptape_clock_sync_state state = read_decision(clock_sync, found);
    /* Another user's file may block the decision's name: no rank can decide then. */
    if (state == OMPTAPE_CLOCK_SYNC_ASKED && since >= 2 * OMPTAPE_JOB_CLOCK_SYNC_DECISION)
        state = OMPTAPE_CLOCK_SYNC_ALONE;
    return state;
}

void omptape_job_clock_sync_end(struct omptape_job_clock_sync *clock_sync, const char *path)
{
    static const char *const of_reference[] = {"members", "decision"};
    char name[NAME_BYTES];
    char text[OMPTAPE_JOB_CLOCK_SYNC_WORD];
    if (clock_sync->folder < 0)
        return;
    name_answer(clock_sync, name);
    if (clock_sync->word[0] != '\0')
        (void)omptape_beneath_remove(clock_sync->folder, name);
    for (int i = 0; i < 2 && clock_sync->rank == 0; i++) {
        name_of(clock_sync, of_reference[i], name);
        (void)omptape_beneath_remove(clock_sync->folder, name);
    }
    if (clock_sync->rank == 0 &&
        omptape_beneath_read_own_link(clock_sync->folder, call_link, text, sizeof(text)) &&
        strcmp(text, clock_sync->word) == 0)
        (void)omptape_beneath_remove(clock_sync->folder, call_link);
    close(clock_sync->folder);
    clock_sync->folder = -1;
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return;
    (void)omptape_beneath_remove_folder(folder, OMPTAPE_JOB_CLOCK_SYNC_FOLDER);
    close(folder);
}
