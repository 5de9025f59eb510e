/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the archive of a program (programs.h) on a machine of any size:
 *
 *     simulate PROGRAM OUTPUT WRITER [name=value...]
 *
 * with threads, sockets, noise (a factor), seed, mended (0 or 1). Prints lines "name=value": what is true of
 * the run. Without arguments the names of all programs and of what each is to be found for.
 */
#include "tests/simulate/machine.h"
#include "tests/simulate/programs.h"
#include "tests/simulate/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t second_ns = 1000000000;
enum { PARAMETERS = 5, POOL_BYTES = 1 << 30 };

static struct {
    const char *name;
    double value;
} parameters[PARAMETERS] = {{"threads", 16}, {"sockets", 1}, {"noise", 1}, {"seed", 1}, {"mended", 0}};

static double value_of(const char *name)
{
    for (int i = 0; i < PARAMETERS; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return parameters[i].value;
    abort();
}

static bool take_parameter(const char *argument)
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

static const struct program *find_program(const char *name)
{
    for (unsigned i = 0; i < program_count; i++)
        if (strcmp(programs[i].name, name) == 0)
            return &programs[i];
    return NULL;
}

/* Equal work differs by half a percent; a tick of the kernel takes 2 us every 4 ms, and others 50 us about
 * every half of a second. */
static struct machine_model model_of(double noise)
{
    return (struct machine_model){.processors = (unsigned)value_of("threads"),
                                  .sockets = (unsigned)value_of("sockets"),
                                  .jitter = 0.005 * noise,
                                  .tick_ns = noise > 0 ? 4000000 : 0,
                                  .tick_takes_ns = (uint64_t)(2000 * noise),
                                  .daemon_ns = noise > 0 ? second_ns / 2 : 0,
                                  .daemon_takes_ns = (uint64_t)(50000 * noise),
                                  .seed = (uint64_t)value_of("seed")};
}

static int simulate(const struct program *program, const char *output, const char *writer)
{
    const struct machine_model model = model_of(value_of("noise"));
    const struct omp_costs costs = omp_costs_of(model.sockets);
    char lines[128];
    struct tape tape;
    choice =
        (struct program_choice){.threads = (unsigned)value_of("threads"), .mended = value_of("mended") > 0};
    machine_start(&model);
    tape_open(&tape, output, POOL_BYTES);
    snprintf(lines, sizeof(lines), "runtime.version=simulated\nprocs=%u\n", model.processors);
    tape_inform(&tape, lines);
    struct omp_process *process = omp_start(&tape, &costs, 0, program->run, NULL, 1000);
    if (!machine_run()) {
        fprintf(stderr, "simulate: threads of %s wait for ever\n", program->name);
        return 1;
    }
    tape_write(&tape, writer);
    printf("kind=%s\nplace=programs.c:%d\nwall_ns=%" PRIu64 "\nrecords=%" PRIu64 "\n",
           program->kind != NULL ? program->kind : "", place, tape.end, tape.records);
    omp_free(process);
    tape_close(&tape);
    machine_stop();
    return 0;
}

int main(int argc, char **argv)
{
    for (unsigned i = 0; i < program_count && argc == 1; i++)
        printf("%s %s\n", programs[i].name, programs[i].kind != NULL ? programs[i].kind : "-");
    if (argc == 1)
        return 0;
    const struct program *program = argc > 3 ? find_program(argv[1]) : NULL;
    bool good = program != NULL;
    for (int i = 4; i < argc && good; i++)
        good = take_parameter(argv[i]);
    if (!good) {
        fprintf(stderr, "usage: simulate PROGRAM OUTPUT WRITER [name=value...]\n");
        return 2;
    }
    return simulate(program, argv[2], argv[3]);
}
