/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of the program's own, one after the other, each with a region; the first one that used OpenMP ends
 * long before the program.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
static int sum;
static void *run(void *data)
{
    (void)data;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        sum++;
    }
    return NULL;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        if (pthread_create(&thread, NULL, run, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    run(NULL);
    printf("%d\n", sum);
    return 0;
}
