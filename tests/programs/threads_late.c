/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A worker that begins late: since its region was forked, the worker of another team did all its regions, and
ended. A
 * signal holds it while it waits for the fork, as a processor that others have would.
//: only gcc
//: ldflags -lpthread
//: env OMP_WAIT_POLICY=passive
//: events ThreadFork 21
//: events ThreadTeamBegin 42
//: enter parallel@many 40
//: enter parallel@one 2
*/
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t forked, ready, held, ended;
static _Thread_local int is_late;
static _Atomic int late_worker;
static int other_worker;

/* For five seconds at most, if the worker did not wait for the fork yet. */
static void hold(int signal)
{
    struct timespec until;
    (void)signal;
    sem_post(&held);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    sem_timedwait(&ended, &until);
}

static int is_asleep(int tid)
{
    char name[64], state = 0;
    snprintf(name, sizeof(name), "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(name, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    fclose(file);
    return state == 'S';
}

static void *(*begin)(void *);

static void *begin_worker(void *argument)
{
    late_worker = (int)syscall(SYS_gettid);
    return begin(argument);
}

/* libgomp calls this one. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (__typeof__(real))dlsym(RTLD_NEXT, "pthread_create");
    if (!is_late)
        return real(thread, attributes, function, argument);
    begin = function;
    const int error = real(thread, attributes, begin_worker, argument);
    for (int asleep = 0; asleep < 5; usleep(1000))
        asleep = late_worker != 0 && is_asleep(late_worker) ? asleep + 1 : 0;
    syscall(SYS_tgkill, getpid(), late_worker, SIGUSR1);
    sem_wait(&held);
    return error;
}

static void *run_many(void *unused)
{
    for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2) // @many
        if (omp_get_thread_num() == 1) {
            other_worker = (int)syscall(SYS_gettid);
        } else if (i == 0) {
            sem_post(&ready);
            sem_wait(&forked);
        }
    }
    return unused;
}

static void *run_one(void *unused)
{
    is_late = 1;
#pragma omp parallel num_threads(2) // @one
    if (omp_get_thread_num() == 0)
        sem_post(&forked);
    return unused;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = hold};
    pthread_t many, one;

    sigaction(SIGUSR1, &action, NULL);
    sem_init(&forked, 0, 0);
    sem_init(&ready, 0, 0);
    sem_init(&held, 0, 0);
    sem_init(&ended, 0, 0);
    pthread_create(&many, NULL, run_many, NULL);
    sem_wait(&ready);
    pthread_create(&one, NULL, run_one, NULL);
    pthread_join(many, NULL);
    while (syscall(SYS_tgkill, getpid(), other_worker, 0) == 0)
        usleep(1000);
    sem_post(&ended);
    pthread_join(one, NULL);
    puts("done");
    return 0;
}
