/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short-lived threads, one after another, each with one region: many more threads than ever live at once.
//: ldflags -lpthread
//: events ThreadFork 60
//: events ThreadTeamBegin 120
//: enter parallel@region 120
*/
#include <pthread.h>
#include <stdio.h>

static void *work(void *argument)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
    sum += 1;
    *(int *)argument += sum;
    return NULL;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 60; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, work, &sum);
        pthread_join(thread, NULL);
    }
    printf("%d\n", sum);
    return 0;
}
