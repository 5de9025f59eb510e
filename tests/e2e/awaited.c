/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of OpenMP wait for one that OpenMP does not know, which waits most of the time in write(): for each
 * piece of a pipe that another process reads slowly. awaited N: N times as long as usual.
 */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 65536, PIECES = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char piece[PIECE];
static int written;
static int ends[2];
static int times = 1;

static void compute(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const double end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end);
}

static void read_slowly(void)
{
    close(ends[1]);
    while (read(ends[0], piece, PIECE) > 0)
        usleep(10000);
    _exit(0);
}

__attribute__((noinline)) static void store_pieces(int count)
{
    for (int i = 0; i < count; i++)
        if (write(ends[1], piece, PIECE) != PIECE)
            abort();
}

static void *store_all(void *unused)
{
    for (int i = 0; i < 2 * times; i++) {
        compute(0.1);
        store_pieces(PIECES);
        pthread_mutex_lock(&lock);
        written++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void wait_for_pieces(int count)
{
    pthread_mutex_lock(&lock);
    while (written < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void store(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        abort();
    if (fork() == 0)
        read_slowly();
    pthread_create(&thread, NULL, store_all, NULL);
#pragma omp parallel num_threads(2)
    for (int i = 1; i <= 2 * times; i++)
        wait_for_pieces(i);
    pthread_join(thread, NULL);
    close(ends[1]);
    wait(NULL);
}

int main(int argc, char **argv)
{
    times = argc > 1 ? atoi(argv[1]) : 1;
#pragma omp parallel num_threads(2)
    (void)omp_get_thread_num();
    store();
    return 0;
}
