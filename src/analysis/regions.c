/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Derives properties from the kinds of regions. Called by the analysis for each region that has events.
 */
#include "src/analysis/regions.h"

#include "src/analysis/state.h"

#include <string.h>

const char *const omptape_mpi_ends[OMPTAPE_MPI_ENDS] = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init",
                                                        "MPI_Finalize", "MPI_Session_finalize"};

unsigned omptape_mpi_end_of(const struct analysis_region *region)
{
    const size_t length = strcspn(region->label, " "); /* a place may follow the name */
    unsigned i = region->kind == OMPTAPE_REGION_MPI ? 0 : OMPTAPE_MPI_ENDS;
    while (i < OMPTAPE_MPI_ENDS && (strlen(omptape_mpi_ends[i]) != length ||
                                    strncmp(region->label, omptape_mpi_ends[i], length) != 0))
        i++;
    return i;
}

static enum analysis_family family_of(enum omptape_region_kind kind)
{
    switch (kind) {
    case OMPTAPE_REGION_PARALLEL:
    case OMPTAPE_REGION_TEAMS:
        return ANALYSIS_FAMILY_TEAM;
    case OMPTAPE_REGION_TASK:
    case OMPTAPE_REGION_TASK_UNTIED:
    case OMPTAPE_REGION_TARGET_TASK:
        return ANALYSIS_FAMILY_TASK;
    case OMPTAPE_REGION_USER:
        return ANALYSIS_FAMILY_PHASE;
    case OMPTAPE_REGION_TASK_CREATE:
        return ANALYSIS_FAMILY_CREATE;
    case OMPTAPE_REGION_TASKWAIT:
    case OMPTAPE_REGION_TASKGROUP:
        return ANALYSIS_FAMILY_TASKWAIT;
    case OMPTAPE_REGION_LOOP:
    case OMPTAPE_REGION_LOOP_CHUNK:
    case OMPTAPE_REGION_DISTRIBUTE:
    case OMPTAPE_REGION_DISTRIBUTE_CHUNK:
    case OMPTAPE_REGION_SECTIONS:
        return ANALYSIS_FAMILY_LOOP;
    case OMPTAPE_REGION_TARGET_TO_DEVICE:
    case OMPTAPE_REGION_TARGET_FROM_DEVICE:
        return ANALYSIS_FAMILY_MOVE;
    default:
        return omptape_region_is_barrier(kind) ? ANALYSIS_FAMILY_BARRIER : ANALYSIS_FAMILY_OTHER;
    }
}

/* Returns true for constructs that a thread executes by itself, possibly many times. */
static bool is_timed(enum omptape_region_kind kind)
{
    switch (kind) {
    case OMPTAPE_REGION_LOOP:
    case OMPTAPE_REGION_LOOP_CHUNK:
    case OMPTAPE_REGION_DISTRIBUTE:
    case OMPTAPE_REGION_DISTRIBUTE_CHUNK:
    case OMPTAPE_REGION_SECTION:
    case OMPTAPE_REGION_SINGLE_SBLOCK:
    case OMPTAPE_REGION_MASKED:
    case OMPTAPE_REGION_WORKSHARE:
    case OMPTAPE_REGION_SCOPE:
        return true;
    default:
        return false;
    }
}

struct analysis_time_class omptape_region_time_class(enum omptape_bucket bucket)
{
    static const struct {
        uint8_t activity;
        uint8_t further_sum;
    } of[OMPTAPE_BUCKET_COUNT] = {
        [OMPTAPE_BUCKET_COMPUTING] = {ANALYSIS_ACTIVITY_COMPUTING, ANALYSIS_FURTHER_SUM_WORK},
        [OMPTAPE_BUCKET_TASK_MANAGEMENT] = {ANALYSIS_ACTIVITY_COMPUTING, ANALYSIS_FURTHER_SUM_WORK},
        [OMPTAPE_BUCKET_SERIAL] = {ANALYSIS_ACTIVITY_COMPUTING, ANALYSIS_FURTHER_SUM_PROCESS},
        [OMPTAPE_BUCKET_LOCK] = {ANALYSIS_ACTIVITY_LOCK, ANALYSIS_FURTHER_SUM_NONE},
        [OMPTAPE_BUCKET_TRANSFER] = {ANALYSIS_ACTIVITY_TARGET, ANALYSIS_FURTHER_SUM_NONE},
        [OMPTAPE_BUCKET_TARGET] = {ANALYSIS_ACTIVITY_TARGET, ANALYSIS_FURTHER_SUM_NONE},
        [OMPTAPE_BUCKET_MPI] = {ANALYSIS_ACTIVITY_MPI, ANALYSIS_FURTHER_SUM_PROCESS},
    };
    const bool is_idle = bucket == OMPTAPE_BUCKET_BARRIER || bucket == OMPTAPE_BUCKET_TASK_WAIT;
    return (struct analysis_time_class){.bucket = (uint8_t)bucket,
                                        .activity = of[bucket].activity,
                                        .further_sum = of[bucket].further_sum,
                                        .flags = (uint8_t)(omptape_buckets[bucket].work ? ANALYSIS_FLAG_WORK
                                                           : is_idle                    ? ANALYSIS_FLAG_IDLE
                                                                                        : 0)};
}

struct analysis_region_facts omptape_region_facts(enum omptape_region_kind kind)
{
    const struct omptape_bucket_rule none = {.rule = OMPTAPE_BUCKET_AROUND};
    const struct omptape_bucket_rule serial = {.rule = OMPTAPE_BUCKET_OWN, .bucket = OMPTAPE_BUCKET_SERIAL};
    const struct omptape_bucket_rule rule = kind == OMPTAPE_REGION_PROGRAM     ? serial
                                            : kind < OMPTAPE_REGION_KIND_COUNT ? omptape_bucket_rules[kind]
                                                                               : none;
    return (struct analysis_region_facts){.family = (uint8_t)family_of(kind),
                                          .rule = (uint8_t)rule.rule,
                                          .is_blamed = omptape_region_is_blamed(kind),
                                          .is_timed = is_timed(kind),
                                          .is_place = omptape_region_is_blamed(kind) &&
                                                      rule.rule == OMPTAPE_BUCKET_OWN,
                                          .time_class = omptape_region_time_class(rule.bucket)};
}
