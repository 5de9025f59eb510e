/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder names and claims. Called by the writer's main thread.
 */
#include "writers/output.h"

#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"
#include "src/folder/report_file.h"
#include "src/job/folder.h"
#include "src/job/job.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SIBLINGS = 10000 };

/* Room for what is put behind a folder's name. */
enum { FOLDER_BYTES = OMPTAPE_PATH_BYTES - 512 };

/* The first folder is what the user asked for. */
static void note_refusal(struct omptape_output *output)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    if (output->refusal[0] == '\0' &&
        omptape_archive_files_find_refused(output->descriptor, why, sizeof(why)) != 0)
        snprintf(output->refusal, sizeof(output->refusal), "%.400s was left alone: %s", output->folder, why);
}

/* Claims the folder that is open. 0: it is ours; -EEXIST: it holds an archive, or another process is writing
 * one there. Closed unless it is ours. */
static int claim_opened(struct omptape_output *output, bool force)
{
    char who[OMPTAPE_CLAIM_BYTES];
    int error = omptape_claim_take(output->descriptor, OMPTAPE_WRITER_CLAIM, OMPTAPE_CLAIM_FOR_EVER, who,
                                   sizeof(who));
    if (error == 0 && force)
        omptape_archive_files_remove(output->descriptor);
    if (error == 0 && omptape_archive_files_there(output->descriptor)) {
        note_refusal(output);
        omptape_output_release(output);
        error = -EEXIST;
    }
    if (error == 0)
        omptape_checkpoint_discard(output->descriptor); /* without an archive it is nobody's */
    else
        omptape_output_close(output);
    return error == -EBUSY ? -EEXIST : error;
}

/* The same for output->folder. One that the user did not name is not free, either, if it is not ours to use.
 * A unification may be about to remove the folder of a part of the same rank. */
static int claim(struct omptape_output *output, bool named, bool force)
{
    enum { MOST_ATTEMPTS = 100 };
    int error = -ENOENT;
    for (int i = 0; error == -ENOENT && i < MOST_ATTEMPTS; i++) {
        output->descriptor = omptape_archive_files_open_folder(output->folder, named);
        error = output->descriptor < 0 ? output->descriptor : claim_opened(output, force);
    }
    return !named && omptape_archive_files_is_refusal(error) ? -EEXIST : error;
}

static const char *program_name(const struct omptape_shm *shm)
{
    const char *slash = strrchr(shm->options.program, '/');
    const char *name = slash != NULL ? slash + 1 : shm->options.program;
    /* Nobody looks for archives in hidden folders. */
    name += strspn(name, ".");
    return name[0] != '\0' ? name : "program";
}

static void default_name(char *name, size_t bytes, const struct omptape_shm *shm)
{
    char stamp[32];
    struct tm local;
    time_t seconds = (time_t)(shm->start_realtime / 1000000000U);
    localtime_r(&seconds, &local);
    strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
    snprintf(name, bytes, "omptape-%.200s-%s-%d", program_name(shm), stamp, (int)shm->pid);
}

static int make_absolute(char *path, size_t bytes, const char *name)
{
    char here[FOLDER_BYTES];
    if (name[0] == '/') {
        snprintf(path, bytes, "%.*s", OMPTAPE_PATH_BYTES - 1, name);
        return 0;
    }
    if (getcwd(here, sizeof(here)) == NULL)
        return -errno;
    int n = snprintf(path, bytes, "%s/%s", here, name);
    return n < 0 || (size_t)n >= bytes ? -ENAMETOOLONG : 0;
}

/* Where a rank puts its part: the first of its programs at a place that can be told from outside, others
 * beside it. */
static int choose_part(struct omptape_output *output, const struct omptape_shm *shm)
{
    int rank = (int)shm->options.job.rank;
    snprintf(output->folder, sizeof(output->folder), "%.*s/" OMPTAPE_PART_PREFIX "%d", FOLDER_BYTES,
             output->marks.folder, rank);
    int error = claim(output, false, false);
    for (int i = 1; error == -EEXIST && i < MOST_SIBLINGS; i++) {
        int n = snprintf(output->folder, sizeof(output->folder), "%.*s/" OMPTAPE_PART_PREFIX "%d-%.200s-%d",
                         FOLDER_BYTES, output->marks.folder, rank, program_name(shm), (int)shm->pid);
        if (i > 1)
            snprintf(output->folder + n, sizeof(output->folder) - (size_t)n, "-%d", i);
        error = claim(output, false, false);
    }
    return error;
}

/* All ranks come to the same folder, which the command made for this run or which is claimed for the job. */
static int choose_in_job(struct omptape_output *output, const struct omptape_shm *shm, const char *base)
{
    const struct omptape_shared_options *options = &shm->options;
    char folder[OMPTAPE_PATH_BYTES];
    int error = 0;
    if (options->sibling != 0) {
        snprintf(folder, sizeof(folder), "%s", base);
        int descriptor = omptape_archive_files_open_folder(folder, true);
        error = descriptor < 0 ? descriptor : 0;
        if (descriptor >= 0) {
            omptape_job_folder_mark(descriptor, &options->job);
            close(descriptor);
        }
    } else {
        error = omptape_job_folder_claim(base, &options->job, options->force != 0, folder, sizeof(folder));
    }
    if (error != 0) {
        snprintf(output->folder, sizeof(output->folder), "%s", folder);
        return error;
    }
    omptape_job_marks_enter(&output->marks, folder, options->job.rank, false);
    error = choose_part(output, shm);
    if (error != 0)
        omptape_job_marks_give_up(&output->marks);
    return error;
}

int omptape_output_choose(struct omptape_output *output, const struct omptape_shm *shm)
{
    char name[OMPTAPE_PATH_BYTES];
    char base[OMPTAPE_PATH_BYTES];
    bool asked = shm->options.output[0] != '\0';
    bool in_job = omptape_job_is_parallel(&shm->options.job);

    output->descriptor = -1;
    output->refusal[0] = '\0';
    if (asked)
        snprintf(name, sizeof(name), "%s", shm->options.output);
    else if (in_job)
        omptape_job_folder_name(&shm->options.job, name, sizeof(name));
    else
        default_name(name, sizeof(name), shm);
    int error = make_absolute(base, sizeof(base), name);
    snprintf(output->folder, sizeof(output->folder), "%s", error == 0 ? base : name);
    if (error != 0)
        return error;
    if (strlen(base) >= FOLDER_BYTES)
        return -ENAMETOOLONG;
    if (in_job)
        return choose_in_job(output, shm, base);
    /* Relatives of one run share a folder: the first has it, those that come later or were forked a place
     * inside. Others step aside. */
    bool forked = shm->parent_pid != 0;
    bool relative = forked || shm->options.sibling != 0;
    error = asked && forked ? -EEXIST : claim(output, asked, shm->options.force != 0 && !relative);
    if (error == -EEXIST && asked && relative) {
        snprintf(base, sizeof(base), "%.*s/%.200s-%d", FOLDER_BYTES, output->folder, program_name(shm),
                 (int)shm->pid);
        snprintf(output->folder, sizeof(output->folder), "%s", base);
        error = claim(output, false, false);
    }
    for (int i = 2; error == -EEXIST && i < MOST_SIBLINGS; i++) {
        snprintf(output->folder, sizeof(output->folder), "%.*s-%d", FOLDER_BYTES, base, i);
        error = claim(output, false, false);
    }
    return error;
}

int omptape_output_inside(struct omptape_output *inside, const struct omptape_output *output,
                          const char *name, unsigned number)
{
    int error = -EEXIST;
    inside->refusal[0] = '\0';
    for (unsigned i = 0; error == -EEXIST && i < MOST_SIBLINGS; i++) {
        snprintf(inside->folder, sizeof(inside->folder), "%.*s/%.64s-%u", FOLDER_BYTES, output->folder, name,
                 number + i);
        inside->descriptor =
            omptape_beneath_make_folder(output->descriptor, strrchr(inside->folder, '/') + 1, NULL);
        error = inside->descriptor < 0 ? inside->descriptor : claim_opened(inside, false);
        if (omptape_archive_files_is_refusal(error))
            error = -EEXIST;
    }
    return error;
}

void omptape_output_release(const struct omptape_output *output)
{
    (void)omptape_beneath_remove(output->descriptor, OMPTAPE_WRITER_CLAIM);
}

void omptape_output_close(struct omptape_output *output)
{
    if (output->descriptor >= 0)
        close(output->descriptor);
    output->descriptor = -1;
}

void omptape_output_leave(struct omptape_output *output, const struct omptape_shm *shm,
                          struct omptape_job_lines *lines)
{
    struct omptape_job_marks *marks = &output->marks;
    /* The command that started the launcher sees to it; that of this rank may not live to do so. */
    if (omptape_report_file_is_there(shm->options.report) &&
        !omptape_job_marks_waits(marks->folder, marks->rank,
                                 omptape_report_file_owner(shm->options.report))) {
        omptape_job_marks_give_up(marks);
        return;
    }
    enum omptape_job_left left =
        omptape_job_marks_leave(marks, shm->options.unify != 0 ? omptape_job_unify : NULL, lines);
    /* Whoever is the last says it. */
    if (left == OMPTAPE_JOB_UNIFIED)
        omptape_job_unify_ask(lines, marks->folder);
    else if (left == OMPTAPE_JOB_GOES_ON)
        lines->text[0] = '\0';
}
