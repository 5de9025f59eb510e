/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What job a process is a rank of: environments as the launchers made them. Those of Open MPI 4.1, MPICH 4.0
 * and Slurm 22.05 were recorded, the others are as documented.
 */
#include "src/job/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Each variable ended by a zero, as in /proc/self/environ. */
#define OPENMPI_4                                                                                            \
    "OMPI_COMM_WORLD_LOCAL_RANK=1\0OMPI_COMM_WORLD_RANK=3\0OMPI_COMM_WORLD_SIZE=4\0"                         \
    "OMPI_MCA_ess_base_jobid=2080505857\0OMPI_MCA_orte_hnp_uri=2080505856.0;tcp://192.0.2.2:51027\0"         \
    "OMPI_MCA_orte_precondition_transports=7c87fe5b494054c4-e4cc6b90a01bea8a\0"                              \
    "PMIX_NAMESPACE=2080505857\0PMIX_RANK=3\0"
#define OPENMPI_5                                                                                            \
    "OMPI_COMM_WORLD_LOCAL_RANK=0\0OMPI_COMM_WORLD_RANK=2\0OMPI_COMM_WORLD_SIZE=4\0"                         \
    "PMIX_NAMESPACE=prterun-n1-4711@1\0PMIX_RANK=2\0"
#define MPICH "MPI_LOCALNRANKS=2\0MPI_LOCALRANKID=1\0PMI_FD=8\0PMI_RANK=1\0PMI_SIZE=2\0"
/* A script of sbatch -n 2 --array=3, restarted once. */
#define BATCH                                                                                                \
    "SLURM_ARRAY_JOB_ID=4\0SLURM_ARRAY_TASK_ID=3\0SLURM_CLUSTER_NAME=c\0SLURM_JOB_ID=7\0SLURM_JOBID=7\0"     \
    "SLURM_LOCALID=0\0SLURM_NODEID=0\0SLURM_NPROCS=2\0SLURM_NTASKS=2\0SLURM_PROCID=0\0"                      \
    "SLURM_RESTART_COUNT=1\0SLURM_TASK_PID=1266\0"
#define STEP(rank)                                                                                           \
    "SLURM_CLUSTER_NAME=c\0SLURM_JOB_ID=1\0SLURM_LOCALID=1\0SLURM_NTASKS=8\0SLURM_PROCID=" rank              \
    "\0SLURM_STEPID=0\0SLURM_STEP_ID=0\0SLURM_STEP_NUM_TASKS=2\0"
#define PMIX_OF_SLURM "PMIX_NAMESPACE=slurm.pmix.1.0\0PMIX_RANK=1\0"
/* MPICH's mpiexec in a script of sbatch starts its proxies by srun. */
#define PROXY_OF_SLURM                                                                                       \
    "SLURM_CLUSTER_NAME=c\0SLURM_JOB_ID=4\0SLURM_PROCID=0\0SLURM_STEP_ID=0\0SLURM_STEP_NUM_TASKS=1\0"        \
    "SLURM_NTASKS=2\0PMIX_NAMESPACE=slurm.pmix.4.0\0PMIX_RANK=0\0"

static const struct {
    const char *name;
    const char *environment;
    size_t bytes;
    const char *port;
    const char *launcher;
    int rank, size, local_rank;
    const char *id, *step, *folder;
} cases[] = {
#define CASE(name, environment) name, environment, sizeof(environment)
    {CASE("none", "HOME=/root\0PATH=/bin\0"), NULL, "", 0, 1, -1, "", "", "omptape-job"},
    {CASE("Open MPI 4", OPENMPI_4), NULL, "Open MPI", 3, 4, 1, "2080505857", "", "omptape-2080505857"},
    {CASE("Open MPI 5", OPENMPI_5), NULL, "Open MPI", 2, 4, 0, "prterun-n1-4711@1", "",
     "omptape-prterun-n1-4711@1"},
    {CASE("Open MPI in sbatch", BATCH OPENMPI_4), NULL, "Open MPI", 3, 4, 1, "4_3", "2080505857",
     "omptape-4_3.2080505857"},
    {CASE("MPICH", MPICH), "n1:40481", "Hydra", 1, 2, 1, "n1:40481", "", "omptape-n1-40481"},
    {CASE("MPICH by port", "MPI_LOCALRANKID=1\0PMI_PORT=n1:9\0PMI_ID=5\0"), "n1:9", "Hydra", 5, 0, 1, "n1:9",
     "", "omptape-n1-9"},
    {CASE("MPICH in sbatch", PROXY_OF_SLURM MPICH), "n1:40481", "Hydra", 1, 2, 1, "4", "n1:40481",
     "omptape-4.n1-40481"},
    {CASE("MPICH in PBS", "PBS_JOBID=12.server\0" MPICH), "n1:9", "Hydra", 1, 2, 1, "12.server", "n1:9",
     "omptape-12.server.n1-9"},
    {CASE("Open MPI in LSF", "LSB_JOBID=12\0LSB_JOBINDEX=3\0" OPENMPI_5), NULL, "Open MPI", 2, 4, 0, "12_3",
     "prterun-n1-4711@1", "omptape-12_3.prterun-n1-4711@1"},
    {CASE("LSF without an array", "LSB_JOBID=12\0LSB_JOBINDEX=0\0" OPENMPI_5), NULL, "Open MPI", 2, 4, 0,
     "12", "prterun-n1-4711@1", "omptape-12.prterun-n1-4711@1"},
    {CASE("batch script", BATCH), NULL, "", 0, 1, -1, "", "", "omptape-job"},
    {CASE("srun", STEP("1")), NULL, "Slurm", 1, 2, 1, "1", "0", "omptape-1.0"},
    {CASE("srun --mpi=pmix", STEP("1") PMIX_OF_SLURM), NULL, "Slurm", 1, 2, 1, "1", "0", "omptape-1.0"},
    {CASE("srun --mpi=pmi2", STEP("1") "PMI_FD=13\0PMI_JOBID=1.0\0PMI_RANK=1\0PMI_SIZE=2\0"), NULL, "Slurm",
     1, 2, 1, "1", "0", "omptape-1.0"},
    {CASE("after MPI_Init of Open MPI",
          STEP("1") PMIX_OF_SLURM "OMPI_COMM_WORLD_RANK=1\0OMPI_COMM_WORLD_SIZE=2\0"),
     NULL, "Slurm", 1, 2, 1, "1", "0", "omptape-1.0"},
    {CASE("shell of salloc", "SLURM_JOB_ID=1\0SLURM_PROCID=0\0SLURM_STEP_ID=4294967290\0"), NULL, "", 0, 1,
     -1, "", "", "omptape-job"},
    {CASE("Flux", "FLUX_JOB_ID=f2oH\0FLUX_JOB_SIZE=8\0FLUX_TASK_LOCAL_ID=2\0FLUX_TASK_RANK=6\0PMI_RANK=6\0"
                  "PMI_SIZE=8\0"),
     NULL, "Flux", 6, 8, 2, "f2oH", "", "omptape-f2oH"},
    {CASE("Flux in Slurm", STEP("0") "FLUX_JOB_ID=f2oH\0FLUX_JOB_SIZE=8\0FLUX_TASK_RANK=6\0"), NULL, "Flux",
     6, 8, -1, "1", "f2oH", "omptape-1.f2oH"},
    {CASE("PALS", "PALS_RANKID=3\0PALS_APID=a-b\0PALS_LOCAL_RANKID=1\0PMI_RANK=3\0PMI_SIZE=4\0"), NULL,
     "PALS", 3, 4, 1, "a-b", "", "omptape-a-b"},
    {CASE("prun", "PMIX_NAMESPACE=prte-n1-12@3\0PMIX_RANK=3\0"), NULL, "PMIx", 3, 0, -1, "prte-n1-12@3", "",
     "omptape-prte-n1-12@3"},
    {CASE("nonsense", "OMPI_COMM_WORLD_RANK=x\0OMPI_COMM_WORLD_SIZE=4\0PMI_RANK=-1\0MPI_LOCALRANKID=0\0"
                      "SLURM_STEP_ID=0\0SLURM_PROCID=99999999999\0PMIX_RANK=\0"),
     NULL, "", 0, 1, -1, "", "", "omptape-job"},
    {CASE("a folder in the number", "PMIX_NAMESPACE=../a/b c\0PMIX_RANK=0\0"), NULL, "PMIx", 0, 0, -1,
     "../a/b c", "", "omptape-..-a-b-c"},
#undef CASE
};

/* Open MPI gives what was spawned a port of its parents. */
static void test_parents(void **state)
{
    static const struct {
        const char *port;
        const char *parent;
    } ports[] = {{"2080505857.3:2564502360", "2080505857.3"},
                 {"prterun-n1-4711@1.0:77", "prterun-n1-4711@1.0"},
                 {"none", ""},
                 {"0123456789012345678901234567890123456789012345678901234567890123:1", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
        struct omptape_job job;
        char text[512] = OPENMPI_4;
        const size_t bytes = sizeof(OPENMPI_4) - 1;
        snprintf(text + bytes, sizeof(text) - bytes, "OMPI_PARENT_PORT=%s", ports[i].port);
        omptape_job_parse(&job, text, bytes + strlen(text + bytes) + 1, NULL);
        assert_string_equal(job.parent, ports[i].parent);
        assert_int_equal(job.rank, 3);
    }
}

static void test_environments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct omptape_job job;
        char folder[512];
        omptape_job_parse(&job, cases[i].environment, cases[i].bytes, cases[i].port);
        omptape_job_folder_name(&job, folder, sizeof(folder));
        printf("%s: %s %d of %d, %s\n", cases[i].name, job.launcher, job.rank, job.size, job.identity);
        assert_string_equal(job.launcher, cases[i].launcher);
        assert_int_equal(job.rank, cases[i].rank);
        assert_int_equal(job.size, cases[i].size);
        assert_int_equal(job.local_rank, cases[i].local_rank);
        assert_string_equal(job.id, cases[i].id);
        assert_string_equal(job.step, cases[i].step);
        assert_string_equal(folder, cases[i].folder);
        assert_int_equal(omptape_job_is_parallel(&job), cases[i].launcher[0] != '\0');
    }
}

static void parse(struct omptape_job *job, const char *environment, size_t bytes)
{
    omptape_job_parse(job, environment, bytes, "n1:1");
}
#define PARSE(job, environment) parse(job, environment, sizeof(environment))

/* All ranks must come to the same folder, and no other launch to it. */
static void test_identity(void **state)
{
    struct omptape_job one;
    struct omptape_job other;
    (void)state;
    PARSE(&one, STEP("0"));
    PARSE(&other, STEP("1") PMIX_OF_SLURM);
    assert_string_equal(one.identity, other.identity);
    PARSE(&other, "SLURM_RESTART_COUNT=1\0" STEP("0"));
    assert_string_not_equal(one.identity, other.identity);
    PARSE(&one, OPENMPI_4);
    PARSE(&other, "OMPI_COMM_WORLD_RANK=0\0OMPI_COMM_WORLD_SIZE=4\0PMIX_NAMESPACE=2080505857\0"
                  "OMPI_MCA_orte_precondition_transports=another\0");
    assert_string_not_equal(one.identity, other.identity);
    PARSE(&one, MPICH);
    omptape_job_parse(&other, MPICH, sizeof(MPICH), "n1:2");
    assert_string_not_equal(one.identity, other.identity);
}

static void test_one_rank_is_alone(void **state)
{
    struct omptape_job job;
    (void)state;
    PARSE(&job, "OMPI_COMM_WORLD_RANK=0\0OMPI_COMM_WORLD_SIZE=1\0PMIX_NAMESPACE=1\0");
    assert_string_equal(job.launcher, "Open MPI");
    assert_false(omptape_job_is_parallel(&job));
}

static void test_cut_off(void **state)
{
    static const char text[] = OPENMPI_4 MPICH BATCH;
    struct omptape_job job;
    (void)state;
    for (size_t bytes = 0; bytes < sizeof(text); bytes++) {
        omptape_job_parse(&job, text, bytes, NULL);
        assert_in_range(job.rank, 0, 3);
    }
}

static void test_proxy(void **state)
{
    static const char command[] = "/usr/bin/hydra_pmi_proxy\0--control-port\0vm:40481\0--rmk\0user\0";
    static const char none[] = "hydra_pmi_proxy\0--control-port";
    char port[OMPTAPE_HYDRA_PORT_BYTES];
    char small[4];
    (void)state;
    assert_int_equal(omptape_hydra_port_of(command, sizeof(command), port, sizeof(port)), 0);
    assert_string_equal(port, "vm:40481");
    assert_int_not_equal(omptape_hydra_port_of(command, sizeof(command), small, sizeof(small)), 0);
    assert_int_not_equal(omptape_hydra_port_of(none, sizeof(none), port, sizeof(port)), 0);
}

/* How many ranks are on this host: all of them, some, or nobody says. */
static void test_local_size(void **state)
{
#define ENVIRONMENT(text) text, sizeof(text)
    static const struct {
        const char *text;
        size_t bytes;
        int expected;
    } each[] = {
        {ENVIRONMENT("OMPI_COMM_WORLD_RANK=1\0OMPI_COMM_WORLD_SIZE=4\0OMPI_COMM_WORLD_LOCAL_SIZE=2\0"), 2},
        {ENVIRONMENT("PMI_RANK=1\0PMI_SIZE=4\0MPI_LOCALRANKID=1\0MPI_LOCALNRANKS=4\0"), 4},
        {ENVIRONMENT("SLURM_PROCID=1\0SLURM_STEP_ID=0\0SLURM_STEP_NUM_TASKS=3\0SLURM_STEP_NUM_NODES=1\0"), 3},
        {ENVIRONMENT("SLURM_PROCID=1\0SLURM_STEP_ID=0\0SLURM_STEP_NUM_TASKS=3\0SLURM_STEP_NUM_NODES=2\0"),
         -1},
        {ENVIRONMENT("PALS_RANKID=3\0PALS_APID=a\0PALS_LOCAL_SIZE=2\0PMI_SIZE=4\0"), 2},
        {ENVIRONMENT("PMIX_RANK=3\0PMIX_NAMESPACE=a\0"), -1},
    };
#undef ENVIRONMENT
    (void)state;
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        struct omptape_job job;
        omptape_job_parse(&job, each[i].text, each[i].bytes, NULL);
        assert_int_equal(job.local_size, each[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environments),
        cmocka_unit_test(test_parents),
        cmocka_unit_test(test_local_size),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_one_rank_is_alone),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_proxy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
