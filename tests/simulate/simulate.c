/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the archive of a program (programs.h) on a machine of any size:
 *
 *     simulate PROGRAM OUTPUT WRITER [name=value...]
 *
 * with threads, sockets, noise (a factor), seed, repaired (0 or 1), passive (0 or 1: OMP_WAIT_POLICY); of
 * programs of MPI also ranks, whose parts come into the folder OUTPUT. Prints lines "name=value": what is
 * true of the run. Without arguments it lists all programs, with what is known of each.
 */
#include "tests/simulate/machine.h"
#include "tests/simulate/messages.h"
#include "tests/simulate/programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t second_ns = 1000000000;
/* A thread has a processor that others want for 3 ms, and a sample for each 5 ms of processor time. */
enum { SLICE_NS = 3000000, SAMPLE_NS = 5000000, OTHER_RUNS_NS = 5000000, OTHER_SLEEPS_NS = 15000000 };
enum { PARAMETERS = 7, WRITERS = 16, RANKS_A_NODE = 64 };

static struct {
    const char *name;
    double value;
} parameters[PARAMETERS] = {{"threads", 16}, {"sockets", 1}, {"noise", 1},  {"seed", 1},
                            {"repaired", 0}, {"ranks", 2},   {"passive", 0}};

static double value_of(const char *name)
{
    for (int i = 0; i < PARAMETERS; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return parameters[i].value;
    abort();
}

static bool set_parameter(const char *argument)
{
    for (int i = 0; i < PARAMETERS; i++) {
        const size_t length = strlen(parameters[i].name);
        if (strncmp(argument, parameters[i].name, length) == 0 && argument[length] == '=') {
            parameters[i].value = strtod(argument + length + 1, NULL);
            return true;
        }
    }
    return false;
}

static const struct program *const lists[] = {problems, edits, scaling};
enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

static const struct program *find_program(const char *name)
{
    for (unsigned i = 0; i < LISTS; i++)
        for (const struct program *program = lists[i]; program->name != NULL; program++)
            if (strcmp(program->name, name) == 0)
                return program;
    return NULL;
}

/* With "-" for what a program has not; a scenario is the last word, since it may have blanks. */
static void print_programs(void)
{
    static const char *const names[LISTS] = {"problem", "edit", "scaling"};
    for (unsigned i = 0; i < LISTS; i++)
        for (const struct program *program = lists[i]; program->name != NULL; program++)
            printf("%s %s %s %s %s %s\n", names[i], program->name,
                   program->kind != NULL ? program->kind : "-", program->has_ranks ? "ranks" : "threads",
                   program->loss != NULL ? program->loss : "-",
                   program->scenario != NULL ? program->scenario : "-");
}

/* Processors of a process. */
static unsigned processors_of(const struct program *program)
{
    const double threads = value_of("threads");
    if (program->processors > 0)
        return program->processors;
    return (unsigned)(program->crowd > 0 ? threads / program->crowd : threads);
}

/* Equal work differs by half a percent; a tick of the kernel takes 2 us every 4 ms, and others 50 us about
 * every half of a second. */
static struct machine_model model_of(const struct program *program, double noise, unsigned ranks)
{
    return (struct machine_model){.processors = ranks * processors_of(program),
                                  .slice_ns = SLICE_NS,
                                  .is_free = program->crowd > 0 || program->processors > 0,
                                  .has_queues = program->has_queues,
                                  .observer = omp_observer,
                                  .sockets = (unsigned)value_of("sockets"),
                                  .jitter = 0.005 * noise,
                                  .tick_ns = noise > 0 ? 4000000 : 0,
                                  .tick_takes_ns = (uint64_t)(2000 * noise),
                                  .daemon_ns = noise > 0 ? second_ns / 2 : 0,
                                  .daemon_takes_ns = (uint64_t)(50000 * noise),
                                  .seed = (uint64_t)value_of("seed")};
}

/* Ranks of a job on nodes of 64. */
static void describe_rank(struct omptape_job *job, int32_t rank, int32_t size)
{
    *job = (struct omptape_job){.rank = rank,
                                .size = size,
                                .local_rank = rank % RANKS_A_NODE,
                                .local_size = size < RANKS_A_NODE ? size : RANKS_A_NODE,
                                .launcher = "Slurm",
                                .id = "1",
                                .step = "0"};
    snprintf(job->node, sizeof(job->node), "node%03d", rank / RANKS_A_NODE);
    snprintf(job->identity, sizeof(job->identity), "simulated %d", (int)getpid());
}

/* What the kernel says of a process with `count` processors from `first` on. The writer has none of them. */
static void describe_kernel(const struct session *session, unsigned first, unsigned count, char *lines,
                            size_t bytes)
{
    snprintf(lines, bytes,
             "WRITER_TIME=0\nSWITCHES=%u\nALLOWED=%u-%u\nONLINE=%u\nPROCESSORS_BUSY=%" PRIu64
             "\nPROCESSORS_STOLEN=0\nPROCESSORS_TIME=%" PRIu64 "\n",
             session->stream_count, first, first + count - 1, count, machine_busy(first, count),
             count * session->end);
}

/* Several writers at a time: each waits for this and that. */
static void write_all(struct session *sessions, unsigned ranks, const char *writer, unsigned processors)
{
    char lines[128];
    char kernel[256];
    snprintf(lines, sizeof(lines), "runtime.version=simulated\nprocs=%u\n", processors);
    for (unsigned i = 0; i < ranks + WRITERS; i++) {
        if (i >= WRITERS && i - WRITERS < ranks)
            session_finish(&sessions[i - WRITERS]);
        if (i >= ranks)
            continue;
        describe_kernel(&sessions[i], i * processors, processors, kernel, sizeof(kernel));
        session_start(&sessions[i], writer, lines, kernel);
    }
}

static void print_truth(const struct program *program, const struct session *sessions, unsigned ranks)
{
    uint64_t end = 0;
    uint64_t records = 0;
    char rank[32] = "";
    if (awaited_rank >= 0)
        snprintf(rank, sizeof(rank), "rank %d", awaited_rank);
    for (unsigned i = 0; i < ranks; i++) {
        end = sessions[i].end > end ? sessions[i].end : end;
        records += sessions[i].records;
    }
    printf("kind=%s\nplace=%s:%d\nprocessors=%u\nawaited_rank=%s\nwall_ns=%" PRIu64 "\nrecords=%" PRIu64 "\n",
           program->kind != NULL ? program->kind : "",
           marked_file != NULL ? strrchr(marked_file, '/') + 1 : "", marked_line, choice.processors, rank,
           end, records);
}

/* Evenly on the machine, at least one. A program that is repaired has none. */
static void spawn_others(const struct program *program)
{
    const double share = program->others * choice.processors;
    const unsigned others = share > 0 && share < 1 ? 1 : (unsigned)share;
    for (unsigned i = 0; i < others && !(choice.is_repaired && program->kind != NULL); i++)
        machine_spawn_other(choice.processors * (2 * i + 1) / (2 * others), OTHER_RUNS_NS, OTHER_SLEEPS_NS);
}

static int simulate(const struct program *program, const char *output, const char *writer)
{
    const unsigned ranks = program->has_ranks ? (unsigned)value_of("ranks") : 1;
    const struct machine_model model = model_of(program, value_of("noise"), ranks);
    struct omp_costs costs = omp_costs_of(model.sockets);
    struct session *sessions = calloc(ranks, sizeof(*sessions));
    struct omp_process **processes = calloc(ranks, sizeof(struct omp_process *));
    if (sessions == NULL || processes == NULL)
        return 1;
    costs.is_passive = value_of("passive") > 0;
    choice = (struct program_choice){.threads = (unsigned)value_of("threads"),
                                     .processors = processors_of(program),
                                     .is_repaired = value_of("repaired") > 0};
    machine_start(&model);
    mpi_prepare(ranks);
    for (unsigned i = 0; i < ranks; i++) {
        session_open(&sessions[i], output);
#if defined(__x86_64__)
        sessions[i].settings.sample_ns = SAMPLE_NS;
        sessions[i].settings.sample_by_signal = 1;
#endif
        if (program->has_ranks)
            describe_rank(&sessions[i].settings.job, (int32_t)i, (int32_t)ranks);
        processes[i] =
            omp_start(&sessions[i], &costs, i * choice.processors, program_run, (void *)program, 1000);
    }
    spawn_others(program);
    if (!machine_run()) {
        fprintf(stderr, "simulate: threads of %s wait for ever\n", program->name);
        return 1;
    }
    write_all(sessions, ranks, writer, choice.processors);
    print_truth(program, sessions, ranks);
    for (unsigned i = 0; i < ranks; i++) {
        session_close(&sessions[i]);
        omp_free(processes[i]);
    }
    free(sessions);
    free(processes);
    machine_stop();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        print_programs();
    if (argc == 1)
        return 0;
    const struct program *program = argc > 3 ? find_program(argv[1]) : NULL;
    bool good = program != NULL;
    for (int i = 4; i < argc && good; i++)
        good = set_parameter(argv[i]);
    if (!good) {
        fprintf(stderr, "usage: simulate PROGRAM OUTPUT WRITER [name=value...]\n");
        return 2;
    }
    return simulate(program, argv[2], argv[3]);
}
