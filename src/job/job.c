/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the launchers' variables. Called by the thread that starts a session and by the command.
 *
 * Launchers nest: Slurm runs a batch script as task 0, and the processes that mpirun starts in the script
 * inherit Slurm's variables. The variables of the innermost launcher therefore take precedence.
 */
#include "src/job/job.h"
#include "src/core/words.h"
#include "src/job/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel's limit for an environment, in bytes. */
enum { MAX_BYTES = 6 << 20 };
/* First step number of Slurm's special steps: batch script, allocation shell... */
static const unsigned long first_special_step = 0xfffffff0UL;

struct environment {
    const char *text;
    size_t bytes;
};

/* Returns the variable's value; NULL if it is unset or empty, or if `name` is NULL. */
static const char *find_variable(const struct environment *environment, const char *name)
{
    size_t length = name != NULL ? strlen(name) : 0;
    const char *end = environment->text + environment->bytes;
    for (const char *line = environment->text; name != NULL && line < end;) {
        size_t rest = strnlen(line, (size_t)(end - line));
        if (rest > length && line + rest < end && line[length] == '=' && memcmp(line, name, length) == 0)
            return line[length + 1] != '\0' ? line + length + 1 : NULL;
        line += rest + 1;
    }
    return NULL;
}

/* Returns the variable's value, or -1 if it is unset or not a number. */
static int32_t read_number(const struct environment *environment, const char *name)
{
    const char *text = find_variable(environment, name);
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return -1;
    unsigned long value = strtoul(text, &end, 10);
    return *end == '\0' && value <= INT32_MAX ? (int32_t)value : -1;
}

static void set_text(char *field, size_t bytes, const char *text)
{
    snprintf(field, bytes, "%s", text != NULL ? text : "");
}

static void set_rank(struct omptape_job *job, const char *launcher, int32_t rank, int32_t size)
{
    set_text(job->launcher, sizeof(job->launcher), launcher);
    job->rank = rank;
    job->size = size > 0 ? size : 0;
}

/* Reads the batch job's name; "" outside of a batch system. */
static void read_batch(struct omptape_job *job, const struct environment *environment)
{
    const char *array = find_variable(environment, "SLURM_ARRAY_JOB_ID");
    const char *index = find_variable(environment, "SLURM_ARRAY_TASK_ID");
    if (array != NULL && index != NULL) {
        snprintf(job->id, sizeof(job->id), "%s_%s", array, index);
        return;
    }
    const char *id = find_variable(environment, "SLURM_JOB_ID");
    if (id == NULL)
        id = find_variable(environment, "PBS_JOBID");
    if (id != NULL) {
        set_text(job->id, sizeof(job->id), id);
        return;
    }
    id = find_variable(environment, "LSB_JOBID");
    index = find_variable(environment, "LSB_JOBINDEX");
    if (id != NULL && index != NULL && strcmp(index, "0") != 0)
        snprintf(job->id, sizeof(job->id), "%s_%s", id, index);
    else
        set_text(job->id, sizeof(job->id), id);
}

/* Sets the job's identity. `launch`: the launcher's identifier. `more` distinguishes equal identifiers. */
static void set_identity(struct omptape_job *job, const struct environment *environment, const char *launch,
                         const char *more)
{
    const char *cluster = find_variable(environment, "SLURM_CLUSTER_NAME");
    const char *batch = find_variable(environment, "SLURM_JOB_ID");
    const char *restart = find_variable(environment, "SLURM_RESTART_COUNT");
    read_batch(job, environment);
    char *field = job->id[0] != '\0' ? job->step : job->id;
    set_text(field, sizeof(job->id), launch);
    snprintf(job->identity, sizeof(job->identity), "%s %.100s/%.100s/%.16s %.100s %.100s", job->launcher,
             cluster != NULL ? cluster : "", batch != NULL ? batch : job->id, restart != NULL ? restart : "0",
             launch != NULL ? launch : "", more != NULL ? more : "");
}

/* Reads the parent job of spawned processes from Open MPI's port name "LAUNCH.RANK:NUMBER". */
static void read_parent(struct omptape_job *job, const struct environment *environment)
{
    const char *port = find_variable(environment, "OMPI_PARENT_PORT");
    const char *end = port != NULL ? strrchr(port, ':') : NULL;
    if (end != NULL && (size_t)(end - port) < sizeof(job->parent))
        snprintf(job->parent, sizeof(job->parent), "%.*s", (int)(end - port), port);
}

/* Reads the variables of mpirun of Open MPI 4 and 5. MPI_Init sets the same variables in processes that srun
 * has started, and their children inherit them. */
static bool read_openmpi(struct omptape_job *job, const struct environment *environment)
{
    int32_t rank = read_number(environment, "OMPI_COMM_WORLD_RANK");
    int32_t size = read_number(environment, "OMPI_COMM_WORLD_SIZE");
    const char *launch = find_variable(environment, "PMIX_NAMESPACE");
    if (rank < 0 || size < 1 || (launch != NULL && omptape_starts_with(launch, "slurm.")))
        return false;
    if (launch == NULL)
        launch = find_variable(environment, "OMPI_MCA_ess_base_jobid");
    set_rank(job, "Open MPI", rank, size);
    job->local_rank = read_number(environment, "OMPI_COMM_WORLD_LOCAL_RANK");
    job->local_size = read_number(environment, "OMPI_COMM_WORLD_LOCAL_SIZE");
    /* The namespace of version 4 is only a hash of host and process number; this value is random. */
    set_identity(job, environment, launch,
                 find_variable(environment, "OMPI_MCA_orte_precondition_transports"));
    read_parent(job, environment);
    return true;
}

/* Reads the variables of MPICH's, Intel's, MVAPICH's mpiexec. Slurm, Flux set PMI_RANK, not
 * MPI_LOCALRANKID. */
static bool read_hydra(struct omptape_job *job, const struct environment *environment,
                       const char *control_port)
{
    int32_t rank = read_number(environment, "PMI_RANK");
    if (rank < 0)
        rank = read_number(environment, "PMI_ID"); /* of ranks that connect to PMI_PORT */
    if (rank < 0 || find_variable(environment, "MPI_LOCALRANKID") == NULL)
        return false;
    int32_t size = read_number(environment, "PMI_SIZE");
    set_rank(job, "Hydra", rank, size);
    job->local_rank = read_number(environment, "MPI_LOCALRANKID");
    job->local_size = read_number(environment, "MPI_LOCALNRANKS");
    set_identity(job, environment, control_port, NULL);
    return true;
}

static bool read_slurm(struct omptape_job *job, const struct environment *environment)
{
    int32_t rank = read_number(environment, "SLURM_PROCID");
    int32_t size = read_number(environment, "SLURM_STEP_NUM_TASKS");
    const char *step = find_variable(environment, "SLURM_STEP_ID");
    if (step == NULL)
        step = find_variable(environment, "SLURM_STEPID");
    if (rank < 0 || step == NULL || strtoul(step, NULL, 10) >= first_special_step)
        return false;
    set_rank(job, "Slurm", rank, size > 0 ? size : read_number(environment, "SLURM_NTASKS"));
    job->local_rank = read_number(environment, "SLURM_LOCALID");
    if (read_number(environment, "SLURM_STEP_NUM_NODES") == 1)
        job->local_size = job->size;
    set_identity(job, environment, step, NULL);
    return true;
}

/* The variables of a launcher. NULL: it sets none. */
struct launcher_variables {
    const char *launcher;
    const char *rank;
    const char *id;
    const char *size;
    const char *local_rank;
    const char *local_size;
    const char *more; /* see set_identity */
};
static const struct launcher_variables flux = {
    "Flux", "FLUX_TASK_RANK", "FLUX_JOB_ID", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", NULL, "FLUX_URI"};
static const struct launcher_variables pals = {
    "PALS", "PALS_RANKID", "PALS_APID", "PMI_SIZE", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", NULL};
/* Other PMIx launchers (prun). */
static const struct launcher_variables pmix = {
    .launcher = "PMIx", .rank = "PMIX_RANK", .id = "PMIX_NAMESPACE"};

static bool read_variables(struct omptape_job *job, const struct environment *environment,
                           const struct launcher_variables *variables)
{
    int32_t rank = read_number(environment, variables->rank);
    const char *id = find_variable(environment, variables->id);
    if (rank < 0 || id == NULL)
        return false;
    set_rank(job, variables->launcher, rank, read_number(environment, variables->size));
    job->local_rank = read_number(environment, variables->local_rank);
    job->local_size = read_number(environment, variables->local_size);
    set_identity(job, environment, id, find_variable(environment, variables->more));
    return true;
}

void omptape_job_parse(struct omptape_job *job, const char *text, size_t bytes, const char *control_port)
{
    const struct environment environment = {.text = text, .bytes = bytes};
    *job = (struct omptape_job){.size = 1, .local_rank = -1, .local_size = -1};
    if (gethostname(job->node, sizeof(job->node) - 1) != 0)
        job->node[0] = '\0';
    /* The launchers of Open MPI and Hydra come first: Flux and PALS may have started them. */
    (void)(read_openmpi(job, &environment) || read_hydra(job, &environment, control_port) ||
           read_variables(job, &environment, &flux) || read_variables(job, &environment, &pals) ||
           read_slurm(job, &environment) || read_variables(job, &environment, &pmix));
}

/* Wrappers (numactl, time, omptape, a shell) may run between the proxy and the program. */
enum { MAX_ANCESTORS = 16 };

int omptape_hydra_port_of(const char *command, size_t length, char *port, size_t bytes)
{
    static const char option[] = "--control-port";
    const char *end = command + length;
    for (const char *argument = command; argument < end;) {
        const char *next = argument + strnlen(argument, (size_t)(end - argument)) + 1;
        if (next < end && strcmp(argument, option) == 0) {
            int n = snprintf(port, bytes, "%.*s", (int)strnlen(next, (size_t)(end - next)), next);
            return n > 0 && (size_t)n < bytes ? 0 : -ENOENT;
        }
        argument = next;
    }
    return -ENOENT;
}

/* Finds the port of the mpiexec that started this process. It is the same for all ranks on all nodes. Returns
 * 0, or -ENOENT if no ancestor process is a proxy. Allocates nothing. */
static int find_hydra_port(char *port, size_t bytes)
{
    static char command[4096]; /* the program's stack may be small */
    char name[32];
    int pid = (int)getppid();
    for (int i = 0; i < MAX_ANCESTORS && pid > 1; i++, pid = omptape_process_parent(pid)) {
        omptape_process_read(pid, "comm", name, sizeof(name));
        if (!omptape_starts_with(name, "hydra_"))
            continue;
        size_t length = omptape_process_read(pid, "cmdline", command, sizeof(command));
        return omptape_hydra_port_of(command, length, port, bytes);
    }
    return -ENOENT;
}

void omptape_job_read(struct omptape_job *job)
{
    char port[OMPTAPE_HYDRA_PORT_BYTES];
    omptape_job_parse(job, "", 0, NULL);
    char *text =
        mmap(NULL, MAX_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (text == MAP_FAILED)
        return;
    const size_t bytes = omptape_process_read(0, "environ", text, MAX_BYTES);
    omptape_job_parse(job, text, bytes + 1, NULL);
    if (strcmp(job->launcher, "Hydra") == 0 && find_hydra_port(port, sizeof(port)) == 0)
        omptape_job_parse(job, text, bytes + 1, port);
    munmap(text, MAX_BYTES);
}

bool omptape_job_is_parallel(const struct omptape_job *job)
{
    return job->launcher[0] != '\0' && job->size != 1;
}

void omptape_job_folder_name(const struct omptape_job *job, char *name, size_t bytes)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=,.@";
    snprintf(name, bytes, "omptape-%s%s%s", job->id[0] != '\0' ? job->id : "job",
             job->step[0] != '\0' ? "." : "", job->step);
    for (char *c = name; *c != '\0'; c++)
        if (strchr(plain, *c) == NULL && (unsigned char)*c < 0x80)
            *c = '-';
}

bool omptape_launcher_is(const char *name)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun",
                                            "srun",   "jsrun",   "aprun",   "flux"};
    const char *base = omptape_base_name(name);
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        const char *rest = omptape_text_after(base, launchers[i]);
        if (rest != NULL && (*rest == '\0' || *rest == '.'))
            return true;
    }
    return false;
}
