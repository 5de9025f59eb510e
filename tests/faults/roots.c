/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main() returns when its input ends, while another thread, which uses OpenMP on its own, is in a region: that goes on
 * until the process is gone. For ends.py.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t begun;

static void *stay(void *unused)
{
    (void)unused;
#pragma omp parallel num_threads(2)
    {
        sem_post(&begun);
        for (;;) {
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;

    sem_init(&begun, 0, 0);
#pragma omp parallel num_threads(2)
    {
    }
    pthread_create(&thread, NULL, stay, NULL);
    sem_wait(&begun);
    sem_wait(&begun);
    (void)getchar();
    return 3;
}
