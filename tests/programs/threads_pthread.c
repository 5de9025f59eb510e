/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that the program made itself, each with regions of its own.
//: ldflags -lpthread
//: threads >=4
//: events ThreadFork 12
//: events ThreadTeamBegin 24
//: enter parallel@region 24
*/
#include <pthread.h>
#include <stdio.h>

static void *work(void *argument)
{
    int sum = 0;

    for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
        sum += 1;
    }
    *(int *)argument = sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int sums[3];

    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, work, &sums[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%d %d %d\n", sums[0], sums[1], sums[2]);
    return 0;
}
