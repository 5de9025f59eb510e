/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The meeting's links and files: "call", RANK.WORD, "members.WORD" and "decision.WORD". Called by the
 * writer's main thread.
 */
#include "src/job/meeting.h"

#include "src/core/array.h"
#include "src/core/hash.h"
#include "src/folder/beneath.h"
#include "src/folder/claim.h"
#include "src/folder/fresh.h"
#include "src/folder/named_folder.h"
#include "src/folder/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = OMPTAPE_JOB_MEETING_WORD + 32, MOST_FILE_BYTES = 1 << 20 };

static const char call_link[] = "call";
static const char together[] = "together";
static const char alone[] = "alone";

/* A process that has answered. */
struct answer {
    int32_t rank;
    char host[OMPTAPE_JOB_MEETING_KEY];
};

static void name_of(const struct omptape_job_meeting *meeting, const char *kind, char *name)
{
    snprintf(name, NAME_BYTES, "%.24s.%s", kind, meeting->word);
}

static void name_answer(const struct omptape_job_meeting *meeting, char *name)
{
    snprintf(name, NAME_BYTES, "%d.%s", (int)meeting->rank, meeting->word);
}

/* A word that no other process has had: this one's claim, and the time. */
static void make_word(struct omptape_job_meeting *meeting, uint64_t now)
{
    char own[OMPTAPE_CLAIM_BYTES];
    omptape_claim_own(own, sizeof(own));
    snprintf(meeting->word, sizeof(meeting->word), "%016llx%016llx",
             (unsigned long long)omptape_hash_key(own, strlen(own)), (unsigned long long)now);
}

/* One of an earlier program, which was killed, may be there. */
static int call_others(struct omptape_job_meeting *meeting, uint64_t now)
{
    static const char new[] = "call-new";
    make_word(meeting, now);
    (void)omptape_beneath_remove(meeting->folder, new);
    int error = omptape_beneath_make_link(meeting->folder, new, meeting->word);
    return error == 0 ? omptape_beneath_rename(meeting->folder, new, meeting->folder, call_link) : error;
}

int omptape_job_meeting_begin(struct omptape_job_meeting *meeting, const char *path, int32_t rank,
                              int32_t size, const char *host, uint64_t now)
{
    *meeting = (struct omptape_job_meeting){
        .folder = -1, .rank = rank, .size = size, .begun = now, .fresh_at = now + OMPTAPE_JOB_MEETING_FRESH};
    snprintf(meeting->host, sizeof(meeting->host), "%s", host);
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return folder;
    meeting->folder = omptape_beneath_make_folder(folder, OMPTAPE_JOB_MEETING_FOLDER, NULL);
    close(folder);
    if (meeting->folder < 0)
        return meeting->folder;
    int error = rank == 0 ? call_others(meeting, now) : 0;
    if (error != 0)
        omptape_job_meeting_end(meeting, path);
    return error;
}

/* Makes the decision unless it is made. */
static void decide(const struct omptape_job_meeting *meeting, const char *what)
{
    char name[NAME_BYTES];
    name_of(meeting, "decision", name);
    (void)omptape_beneath_make_link(meeting->folder, name, what);
}

static bool write_members(const struct omptape_job_meeting *meeting,
                          const struct omptape_meeting_found *found)
{
    char name[NAME_BYTES];
    char *text = NULL;
    size_t bytes = 0;
    name_of(meeting, "members", name);
    FILE *lines = open_memstream(&text, &bytes);
    if (lines == NULL)
        return false;
    fprintf(lines, "%d %u %s\n", (int)found->reference_pid, (unsigned)found->reference_scale,
            found->reference_host);
    for (uint32_t i = 0; i < found->member_count; i++)
        fprintf(lines, "%d\n", (int)found->members[i]);
    int error = fclose(lines) != 0 ? -ENOMEM : 0;
    int file = error == 0 ? omptape_beneath_create(meeting->folder, name) : -1;
    error = file >= 0 ? omptape_write_all(file, text, bytes) : -EIO;
    if (file >= 0 && close(file) != 0)
        error = -EIO;
    free(text);
    return error == 0;
}

/* The numbers in each line behind the first. False: it is not what rank 0 wrote. */
static bool take_members(const struct omptape_job_meeting *meeting, struct omptape_meeting_found *found,
                         const char *text)
{
    bool with_us = false;
    found->member_count = 0;
    for (; *text != '\0' && found->member_count < OMPTAPE_MEETING_MOST; text++) {
        char *end;
        const long rank = strtol(text, &end, 10);
        if (end == text || *end != '\n' || rank < 0 || rank >= meeting->size)
            return false;
        found->members[found->member_count++] = (int32_t)rank;
        with_us |= rank == meeting->rank;
        text = end;
    }
    return with_us && found->members[0] == 0 && found->member_count > 1;
}

static bool read_members(const struct omptape_job_meeting *meeting, struct omptape_meeting_found *found)
{
    char name[NAME_BYTES];
    unsigned char *bytes = NULL;
    size_t count = 0;
    int place = 0;
    name_of(meeting, "members", name);
    int file = omptape_beneath_open_own_file(meeting->folder, name);
    if (file < 0)
        return false;
    int error = omptape_read_all(file, MOST_FILE_BYTES, &bytes, &count);
    close(file);
    char *text = error == 0 ? strndup((const char *)bytes, count) : NULL;
    free(bytes);
    bool known = text != NULL &&
                 sscanf(text, "%d %u %127[^\n]%n", &found->reference_pid, &found->reference_scale,
                        found->reference_host, &place) == 3 &&
                 text[place] == '\n' && take_members(meeting, found, text + place + 1);
    free(text);
    return known;
}

/* What was decided, if it was. */
static enum omptape_meeting_state read_decision(const struct omptape_job_meeting *meeting,
                                                struct omptape_meeting_found *found)
{
    char name[NAME_BYTES];
    char text[32];
    name_of(meeting, "decision", name);
    if (!omptape_beneath_read_own_link(meeting->folder, name, text, sizeof(text)))
        return OMPTAPE_MEETING_ASKED;
    if (strcmp(text, together) != 0)
        return OMPTAPE_MEETING_ALONE;
    return read_members(meeting, found) ? OMPTAPE_MEETING_AGREED : OMPTAPE_MEETING_ALONE;
}

static int compare_answers(const void *left, const void *right)
{
    const struct answer *a = left;
    const struct answer *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool take_answer(const struct omptape_job_meeting *meeting, int folder, const char *name,
                        struct answer *answer)
{
    char *end;
    const long rank = strtol(name, &end, 10);
    if (end == name || *end != '.' || strcmp(end + 1, meeting->word) != 0 || rank <= 0 ||
        rank >= meeting->size)
        return false;
    answer->rank = (int32_t)rank;
    return omptape_beneath_read_own_link(folder, name, answer->host, sizeof(answer->host));
}

/* All who have answered, sorted; the caller frees them. */
static struct answer *list_answers(const struct omptape_job_meeting *meeting, uint32_t *count)
{
    const struct dirent *entry;
    struct answer *answers = NULL;
    uint32_t capacity = 0;
    DIR *entries = omptape_beneath_list(meeting->folder, ".");
    *count = 0;
    while (entries != NULL && *count < (uint32_t)meeting->size && (entry = readdir(entries)) != NULL) {
        struct answer *more = omptape_array_reserve(answers, *count + 1, &capacity, sizeof(*answers));
        if (more == NULL)
            break;
        answers = more;
        *count += take_answer(meeting, dirfd(entries), entry->d_name, &answers[*count]);
    }
    if (entries != NULL)
        closedir(entries);
    if (*count > 0)
        qsort(answers, *count, sizeof(*answers), compare_answers);
    return answers;
}

static int compare_hosts(const void *left, const void *right)
{
    const struct answer *a = left;
    const struct answer *b = right;
    int order = strcmp(a->host, b->host);
    return order != 0 ? order : compare_answers(left, right);
}

/* Rank 0, and the first rank of each host but its own. */
static void choose_members(const struct omptape_job_meeting *meeting, struct omptape_meeting_found *found,
                           struct answer *answers, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 0)
        qsort(answers, count, sizeof(*answers), compare_hosts);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(answers[i].host, meeting->host) != 0 &&
            (kept == 0 || strcmp(answers[i].host, answers[kept - 1].host) != 0))
            answers[kept++] = answers[i];
    if (kept > 0)
        qsort(answers, kept, sizeof(*answers), compare_answers);
    found->members[0] = 0;
    found->member_count = 1;
    for (uint32_t i = 0; i < kept && found->member_count < OMPTAPE_MEETING_MOST; i++)
        found->members[found->member_count++] = answers[i].rank;
}

/* On rank 0: is it time to decide? */
static void look_at_answers(const struct omptape_job_meeting *meeting, struct omptape_meeting_found *found,
                            uint64_t now)
{
    uint32_t count = 0;
    struct answer *answers = list_answers(meeting, &count);
    const bool complete = count + 1 == (uint32_t)meeting->size;
    if (complete || now - meeting->begun >= OMPTAPE_JOB_MEETING_CALL) {
        choose_members(meeting, found, answers, count);
        const bool in_time = now - meeting->begun < OMPTAPE_JOB_MEETING_LATEST;
        const bool several = found->member_count > 1 && in_time && write_members(meeting, found);
        decide(meeting, several ? together : alone);
    }
    free(answers);
}

static void answer_call(struct omptape_job_meeting *meeting)
{
    char word[OMPTAPE_JOB_MEETING_WORD];
    char name[NAME_BYTES];
    if (!omptape_beneath_read_own_link(meeting->folder, call_link, word, sizeof(word)) ||
        strcmp(word, meeting->word) == 0 || strspn(word, "0123456789abcdef") != strlen(word))
        return;
    snprintf(meeting->word, sizeof(meeting->word), "%s", word);
    name_answer(meeting, name);
    int error = omptape_beneath_make_link(meeting->folder, name, meeting->host);
    if (error != 0 && error != -EEXIST)
        meeting->word[0] = '\0';
}

enum omptape_meeting_state omptape_job_meeting_look(struct omptape_job_meeting *meeting,
                                                    struct omptape_meeting_found *found, uint64_t now)
{
    const uint64_t since = now - meeting->begun;
    if (meeting->folder < 0)
        return OMPTAPE_MEETING_ALONE;
    if (now >= meeting->fresh_at) {
        omptape_fresh_look(meeting->folder);
        meeting->fresh_at = now + since;
    }
    if (meeting->rank == 0) {
        look_at_answers(meeting, found, now);
    } else {
        answer_call(meeting);
        if (meeting->word[0] == '\0')
            return since >= OMPTAPE_JOB_MEETING_CALL ? OMPTAPE_MEETING_ALONE : OMPTAPE_MEETING_ASKED;
        if (since >= OMPTAPE_JOB_MEETING_PATIENCE)
            decide(meeting, alone);
    }
    enum omptape_meeting_state state = read_decision(meeting, found);
    /* Others' files may be in its place; nobody can be told of a decision then. */
    if (state == OMPTAPE_MEETING_ASKED && since >= 2 * OMPTAPE_JOB_MEETING_PATIENCE)
        state = OMPTAPE_MEETING_ALONE;
    return state;
}

void omptape_job_meeting_end(struct omptape_job_meeting *meeting, const char *path)
{
    static const char *const of_reference[] = {"members", "decision"};
    char name[NAME_BYTES];
    char text[OMPTAPE_JOB_MEETING_WORD];
    if (meeting->folder < 0)
        return;
    name_answer(meeting, name);
    if (meeting->word[0] != '\0')
        (void)omptape_beneath_remove(meeting->folder, name);
    for (int i = 0; i < 2 && meeting->rank == 0; i++) {
        name_of(meeting, of_reference[i], name);
        (void)omptape_beneath_remove(meeting->folder, name);
    }
    if (meeting->rank == 0 && omptape_beneath_read_own_link(meeting->folder, call_link, text, sizeof(text)) &&
        strcmp(text, meeting->word) == 0)
        (void)omptape_beneath_remove(meeting->folder, call_link);
    close(meeting->folder);
    meeting->folder = -1;
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return;
    (void)omptape_beneath_remove_folder(folder, OMPTAPE_JOB_MEETING_FOLDER);
    close(folder);
}
