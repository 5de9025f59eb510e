/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses and claims the output folder of each process, if several share the folder of a run or job.
 */
#include "writers/output.h"

#include "src/core/log.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/output_folder.h"
#include "src/job/folder.h"
#include "src/job/job.h"
#include "src/job/report_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Rights to a folder that omptape, not the user, has chosen. */
static const struct omptape_output_folder_rights chosen = {.named = false};

/* Claims output->folder. Returns 0, -EEXIST if the folder is in use, or another negative errno. `refusal`
 * receives the reason of the first folder that was refused, which is the folder that the user asked for. */
static int claim_folder(struct omptape_output *output, struct omptape_output_folder_rights rights)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    int folder = omptape_output_folder_claim(output->folder, rights, why);
    if (why[0] != '\0' && output->refusal[0] == '\0')
        snprintf(output->refusal, sizeof(output->refusal), "%.400s was left alone: %s", output->folder, why);
    output->descriptor = folder >= 0 ? folder : -1;
    return folder >= 0 ? 0 : folder;
}

static const char *program_name(const struct omptape_settings *settings)
{
    const char *name = omptape_base_name(settings->program);
    /* Users do not look for archives in hidden folders. */
    name += strspn(name, ".");
    return name[0] != '\0' ? name : "program";
}

/* Claims the folder of a rank's process archive. The first program of the rank gets a predictable name,
 * further programs get names with program and pid. */
static int choose_part(struct omptape_output *output, const struct omptape_settings *settings)
{
    int rank = (int)settings->job.rank;
    snprintf(output->folder, sizeof(output->folder), "%.*s/" OMPTAPE_PART_PREFIX "%d",
             OMPTAPE_OUTPUT_FOLDER_BYTES, output->marks.folder, rank);
    int error = claim_folder(output, chosen);
    for (int i = 1; error == -EEXIST && i < OMPTAPE_MAX_OUTPUT_FOLDER; i++) {
        int n = snprintf(output->folder, sizeof(output->folder), "%.*s/" OMPTAPE_PART_PREFIX "%d-%.200s-%d",
                         OMPTAPE_OUTPUT_FOLDER_BYTES, output->marks.folder, rank, program_name(settings),
                         (int)settings->pid);
        if (i > 1)
            snprintf(output->folder + n, sizeof(output->folder) - (size_t)n, "-%d", i);
        error = claim_folder(output, chosen);
    }
    return error;
}

/* Enters the folder that all ranks share: created by the command for this run, or claimed for the job. */
static int choose_in_job(struct omptape_output *output, const struct omptape_settings *settings,
                         const char *base)
{
    char folder[OMPTAPE_PATH_BYTES];
    char why[OMPTAPE_BENEATH_WHY_BYTES] = "";
    int error = 0;
    if (settings->sibling != 0) {
        snprintf(folder, sizeof(folder), "%s", base);
        int descriptor = omptape_output_folder_open(folder, true);
        error = descriptor < 0 ? descriptor : 0;
        if (descriptor >= 0) {
            omptape_job_folder_mark(descriptor, &settings->job);
            close(descriptor);
        }
    } else {
        error = omptape_job_folder_claim(base, settings->output[0] != '\0', &settings->job,
                                         settings->force != 0, folder, sizeof(folder), why);
    }
    if (why[0] != '\0')
        snprintf(output->refusal, sizeof(output->refusal), "%.400s was left alone: %s", base, why);
    if (error != 0) {
        snprintf(output->folder, sizeof(output->folder), "%s", folder);
        return error;
    }
    omptape_job_marks_enter(&output->marks, folder, settings->job.rank, false, why);
    if (why[0] != '\0' && output->refusal[0] == '\0')
        snprintf(output->refusal, sizeof(output->refusal),
                 "%s; the ranks' archives stay apart until omptape unify", why);
    error = choose_part(output, settings);
    if (error != 0)
        omptape_job_marks_abandon(&output->marks);
    return error;
}

int omptape_output_choose(struct omptape_output *output, const struct omptape_settings *settings)
{
    char name[OMPTAPE_PATH_BYTES];
    char base[OMPTAPE_PATH_BYTES];
    bool asked = settings->output[0] != '\0';
    bool in_job = omptape_job_is_parallel(&settings->job);
    output->descriptor = -1;
    output->refusal[0] = '\0';
    if (asked)
        snprintf(name, sizeof(name), "%s", settings->output);
    else if (in_job)
        omptape_job_folder_name(&settings->job, name, sizeof(name));
    else
        omptape_output_folder_name(name, sizeof(name), program_name(settings),
                                   (time_t)(settings->start_realtime / 1000000000U), (int)settings->pid);
    int error = omptape_output_folder_absolute(base, name);
    snprintf(output->folder, sizeof(output->folder), "%s", error == 0 ? base : name);
    if (error != 0)
        return error;
    if (in_job)
        return choose_in_job(output, settings, base);
    /* Processes of one run share the folder that the user named. The first process gets it; later or
     * forked processes get folders inside it. Processes of other runs get numbered folders. */
    bool forked = settings->parent_pid != 0;
    bool relative = forked || settings->sibling != 0;
    const struct omptape_output_folder_rights rights = {
        .named = asked, .force = settings->force != 0 && !relative, .run = settings->sibling != 0};
    error = asked && forked ? -EEXIST : claim_folder(output, rights);
    if (error == -EEXIST && asked && relative) {
        snprintf(base, sizeof(base), "%.*s/%.200s-%d", OMPTAPE_OUTPUT_FOLDER_BYTES, output->folder,
                 program_name(settings), (int)settings->pid);
        snprintf(output->folder, sizeof(output->folder), "%s", base);
        error = claim_folder(output, chosen);
    }
    for (int i = 2; error == -EEXIST && i < OMPTAPE_MAX_OUTPUT_FOLDER; i++) {
        omptape_output_folder_number(output->folder, sizeof(output->folder), base, i);
        error = claim_folder(output, chosen);
    }
    return error;
}

int omptape_output_inside(struct omptape_output *inside, const struct omptape_output *output,
                          const char *name, unsigned number)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    int error = -EEXIST;
    inside->refusal[0] = '\0';
    for (unsigned i = 0; error == -EEXIST && i < OMPTAPE_MAX_OUTPUT_FOLDER; i++) {
        snprintf(inside->folder, sizeof(inside->folder), "%.*s/%.64s-%u", OMPTAPE_OUTPUT_FOLDER_BYTES,
                 output->folder, name, number + i);
        inside->descriptor =
            omptape_beneath_make_folder(output->descriptor, strrchr(inside->folder, '/') + 1, NULL);
        error = inside->descriptor < 0 ? inside->descriptor
                                       : omptape_output_folder_claim_opened(inside->descriptor, chosen, why);
        if (omptape_output_folder_is_refusal(error))
            error = -EEXIST;
    }
    return error;
}

void omptape_output_release(const struct omptape_output *output)
{
    omptape_output_folder_release(output->descriptor);
}

void omptape_output_close(struct omptape_output *output)
{
    omptape_close(output->descriptor);
    output->descriptor = -1;
}

void omptape_output_leave(struct omptape_output *output, const struct omptape_settings *settings,
                          bool is_report_read, struct omptape_job_lines *lines)
{
    struct omptape_job_marks *marks = &output->marks;
    /* The command that started the launcher unifies the job. This rank's own command may end before that. */
    if (is_report_read &&
        !omptape_job_marks_waits(marks->folder, marks->rank, omptape_report_file_owner(settings->report))) {
        omptape_job_marks_abandon(marks);
        return;
    }
    enum omptape_job_left left =
        omptape_job_marks_leave(marks, settings->unify != 0 ? omptape_job_unify : NULL, lines);
    /* Only the last rank reports the unification. */
    if (marks->folder[0] != '\0')
        omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_UNIFY, "rank %d leaves the job's folder \"%s\"%s",
                    marks->rank, marks->folder,
                    left == OMPTAPE_JOB_UNIFIED ? " as the last one, and has it unified" : "");
    if (left == OMPTAPE_JOB_UNIFIED)
        omptape_job_unify_ask(lines, marks->folder);
    else if (left == OMPTAPE_JOB_GOES_ON)
        lines->text[0] = '\0';
}
