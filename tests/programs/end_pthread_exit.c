/* The main thread leaves by pthread_exit(); another thread, with a region of its own, ends the program.
//: ldflags -lpthread
//: exit 0
//: events ThreadFork 2
*/
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *work(void *argument)
{
    const struct timespec pause = {0, 50000000};
    int sum = 0;

    nanosleep(&pause, NULL);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    printf("%d\n", sum);
    return argument;
}

int main(void)
{
    pthread_t thread;
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}
