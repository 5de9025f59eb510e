/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Another process wants the processor of the second thread all the time. Mended: there is none.
//: environment OMP_PROC_BIND=false
//: share 0.50
*/
#include "work.h"

#include "rival.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 200, STEPS = 60 };

static pid_t start(const cpu_set_t *all)
{
    pid_t rival = fork();

    if (rival == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        rival_stay(all, 1);
        for (long seed = 0;; seed++)
            work(100, seed);
    }
    return rival;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    cpu_set_t all;
    pid_t rival = -1;

    sched_getaffinity(0, sizeof(all), &all);
    if (!run.mended)
        rival = start(&all);
#pragma omp parallel num_threads(2)
    rival_stay(&all, omp_get_thread_num());
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for num_threads(2) schedule(static) /* HERE preemption */
        for (long row = 0; row < ROWS; row++)
            keep(work(100, row));
    }
    if (rival > 0) {
        kill(rival, SIGKILL);
        waitpid(rival, NULL, 0);
    }
    return run_end();
}
