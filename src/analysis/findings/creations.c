/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds communicators, windows, files, datatypes and processes that are made or opened again and again.
 * Making one takes a call of all processes, mostly. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/core/memory.h"
#include "src/core/sort.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processes that are started instead of others. Most of the time a program starts elsewhere, so a few count.
 */
enum { MIN_GENERATIONS = 3 };

enum made { MADE_COMMUNICATOR, MADE_WINDOW, MADE_FILE, MADE_TYPE, MADE_PROCESS, MADE_KINDS };

struct made_kind {
    const char *make;             /* what a call does */
    const char *all;              /* what all these calls do */
    const char *ends;             /* what the call does that ends it */
    const char *proposal;         /* NULL: as in the table of kinds */
    const char *const makers[18]; /* the functions that make it */
    const char *const enders[3];  /* the functions that end it */
};

static const struct made_kind made_kinds[MADE_KINDS] = {
    [MADE_COMMUNICATOR] = {"make communicators",
                           "making and freeing",
                           "frees",
                           NULL,
                           {"MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_idup",
                            "MPI_Comm_idup_with_info", "MPI_Comm_split", "MPI_Comm_split_type",
                            "MPI_Comm_create", "MPI_Comm_create_group", "MPI_Comm_create_from_group",
                            "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create",
                            "MPI_Dist_graph_create_adjacent", "MPI_Intercomm_create",
                            "MPI_Intercomm_create_from_groups", "MPI_Intercomm_merge", NULL},
                           {"MPI_Comm_free", "MPI_Comm_disconnect", NULL}},
    [MADE_WINDOW] = {"make windows",
                     "making and freeing",
                     "frees",
                     NULL,
                     {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared",
                      "MPI_Win_create_dynamic", NULL},
                     {"MPI_Win_free", NULL}},
    [MADE_FILE] = {"open files",
                   "opening and closing",
                   "closes",
                   "if it is the same file: open it once, and keep it open; otherwise fewer and larger files",
                   {"MPI_File_open", NULL},
                   {"MPI_File_close", NULL}},
    /* Recorded only with --events=+mpi-all. */
    [MADE_TYPE] = {"make datatypes",
                   "making and freeing",
                   "frees",
                   NULL,
                   {"MPI_Type_commit", NULL},
                   {"MPI_Type_free", NULL}},
    [MADE_PROCESS] = {"start processes",
                      "starting",
                      NULL,
                      "start them once, and send them more work: messages cost less",
                      {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple", NULL},
                      {NULL}}};

static bool is_call_of(const struct analysis_mpi *mpi, const char *const *functions)
{
    char function[64]; /* a place may follow the name */
    snprintf(function, sizeof(function), "%.*s", (int)strcspn(mpi->region->label, " "), mpi->region->label);
    const size_t length = strlen(function);
    if (length > 2 && strcmp(function + length - 2, "_c") == 0) /* with large counts */
        function[length - 2] = '\0';
    return omptape_is_one_of(function, functions);
}

/* Returns the time of the calls without waits for other processes. */
static uint64_t time_of(const struct analysis_mpi *mpi)
{
    return omptape_minus(mpi->region->visits.sum, omptape_plus(mpi->waited, mpi->unknown_wait));
}

static int by_end(const void *left, const void *right)
{
    const uint64_t one = (*(const struct analysis_process *const *)left)->end;
    const uint64_t other = (*(const struct analysis_process *const *)right)->end;
    return (one > other) - (one < other);
}

/* Returns how many processes began one after another, each when the one before had ended, at most. Another
 * process must have run from before the first one until after the last one began. */
static uint64_t count_generations(const struct omptape_analysis *result)
{
    const struct analysis_process **list = omptape_calloc((size_t)result->process_count + 1, sizeof(*list));
    const struct analysis_process *first = NULL;
    const struct analysis_process *last = NULL;
    uint64_t count = 0;
    bool has_parent = false;
    if (list == NULL)
        return 0;
    for (uint32_t i = 0; i < result->process_count; i++)
        list[i] = &result->processes[i];
    omptape_sort(list, result->process_count, sizeof(*list), by_end);
    for (uint32_t i = 0; i < result->process_count; i++) {
        if (last != NULL && list[i]->begin < last->end)
            continue;
        last = list[i];
        first = first != NULL ? first : last;
        count++;
    }
    for (uint32_t i = 0; i < result->process_count; i++)
        has_parent |= list[i]->begin < first->begin && list[i]->end > last->begin;
    free(list);
    return has_parent ? count : 0;
}

static bool is_often(const struct analysis_state *state, enum made kind, const struct analysis_mpi *mpi)
{
    const uint64_t least = kind == MADE_PROCESS
                               ? MIN_GENERATIONS
                               : omptape_times(ANALYSIS_MIN_INSTANCES, state->result->process_count);
    return mpi->region->visits.count >= least;
}

/* What all calls of a kind do. */
struct made_calls {
    const struct analysis_mpi *most; /* the place that takes most */
    uint64_t made;
    uint64_t ended;
    uint64_t calls;
    uint64_t time;
};

static struct made_calls gather(const struct analysis_state *state, enum made kind)
{
    struct made_calls calls = {0};
    for (uint32_t i = 0; i < state->mpi.count; i++) {
        const struct analysis_mpi *mpi = state->mpi.list[i].value;
        const bool makes = is_call_of(mpi, made_kinds[kind].makers);
        if (!makes && !is_call_of(mpi, made_kinds[kind].enders))
            continue;
        omptape_add(makes ? &calls.made : &calls.ended, mpi->region->visits.count);
        if (!is_often(state, kind, mpi))
            continue;
        omptape_add(&calls.calls, mpi->region->visits.count);
        omptape_add(&calls.time, time_of(mpi));
        if (makes && (calls.most == NULL || time_of(mpi) > time_of(calls.most)))
            calls.most = mpi;
    }
    return calls;
}

void omptape_findings_add_creations(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (unsigned kind = 0; kind < MADE_KINDS; kind++) {
        const struct made_calls calls = gather(state, (enum made)kind);
        if (calls.most == NULL)
            continue;
        const uint64_t count = calls.most->region->visits.count;
        const uint64_t generations = kind == MADE_PROCESS ? count_generations(state->result) : 0;
        if (kind == MADE_PROCESS && generations < MIN_GENERATIONS)
            continue;
        struct omptape_finding *finding =
            omptape_findings_at(findings, OMPTAPE_FINDING_REPEATED_CREATION, calls.most->region);
        const uint64_t left = omptape_findings_without(state, calls.time, 2 * (double)calls.calls);
        finding->remaining_wall = kind == MADE_PROCESS
                                      ? omptape_mean(left, generations)
                                      : omptape_analysis_part(left, state->result->process_count, count);
        finding->gain = omptape_minus(left, finding->remaining_wall);
        finding->cost = finding->cost_wall = finding->waited = calls.time;
        finding->tracing = omptape_minus(calls.time, left);
        finding->count = count;
        omptape_findings_set_worst(finding, &calls.most->region->visits);
    }
}

static uint64_t size_of(const struct analysis_state *state, uint64_t comm)
{
    enum { COMM_GROUP = 1 };
    const struct omptape_definition *known = omptape_reader_find(state->reader, OMPTAPE_DEF_COMM, comm);
    const struct omptape_definition *group =
        known != NULL && known->ref_count > COMM_GROUP
            ? omptape_reader_find(state->reader, OMPTAPE_DEF_GROUP, known->refs[COMM_GROUP].id)
            : NULL;
    return group != NULL && group->member_count > 0 ? group->member_count : 1;
}

/* Counts the names of the files that MPI opened. *once receives how many calls open each of them once: one of
 * each process of its communicator. */
static uint64_t count_names(const struct analysis_state *state, uint64_t *once)
{
    enum { HANDLE_FILE = 1, HANDLE_COMM = 3 };
    struct omptape_pairs names = {.list = NULL};
    *once = 0;
    OMPTAPE_EACH_DEFINITION(handle, state->reader, OMPTAPE_DEF_IO_HANDLE) {
        if (handle->ref_count <= HANDLE_COMM || handle->refs[HANDLE_COMM].kind != OMPTAPE_DEF_COMM ||
            omptape_pairs_get(&names, 0, handle->refs[HANDLE_FILE].id) != NULL)
            continue;
        (void)omptape_pairs_put(&names, 0, handle->refs[HANDLE_FILE].id, &names);
        omptape_add(once, size_of(state, handle->refs[HANDLE_COMM].id));
    }
    const uint64_t count = names.count;
    omptape_pairs_free(&names);
    return count;
}

/* Describes how many files were opened, and proposes what follows. */
static const char *describe_files(struct analysis_state *state, struct omptape_finding *finding,
                                  uint64_t opened)
{
    uint64_t once;
    const uint64_t names = count_names(state, &once);
    if (names == 0)
        return "";
    if (omptape_times(2, once) > opened)
        finding->proposal = "fewer and larger files";
    else
        finding->proposal =
            names == 1 ? "open it once, and keep it open" : "open each one once, and keep it open";
    return omptape_sentence(state, ", with %s name%s", omptape_count_text(state, names),
                            names == 1 ? "" : "s");
}

void omptape_describe_creations(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_mpi *mpi = omptape_analysis_of_region(&state->mpi, finding->region);
    unsigned kind = 0;
    while (mpi != NULL && kind + 1 < MADE_KINDS && !is_call_of(mpi, made_kinds[kind].makers))
        kind++;
    const struct made_kind *made = &made_kinds[kind];
    const struct made_calls calls = gather(state, (enum made)kind);
    const bool never_ends = made->ends != NULL && calls.ended == 0 && omptape_findings_is_whole(state);
    const char *never = never_ends ? omptape_sentence(state, ", and none %s one", made->ends) : "";
    if (made->proposal != NULL)
        finding->proposal = made->proposal;
    const char *which = kind == MADE_FILE      ? describe_files(state, finding, calls.made)
                        : kind == MADE_PROCESS ? " when others have ended"
                                               : "";
    finding->text = omptape_sentence(
        state, "%s calls %s here%s%s: %s each; %s them takes %s in all without waits for others",
        omptape_count_text(state, finding->count), made->make, which, never,
        omptape_time_text(state, mpi != NULL ? (double)time_of(mpi) / (double)finding->count : 0), made->all,
        omptape_time_text(state, (double)finding->waited));
}
