/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread with a cancellation pending uses OpenMP, makes more events than the smallest pool holds, and comes
 * to its own cancellation point only then. It begins once there is something to read or nothing will be. With
 * an argument that thread is the first of a forked child to use it.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum;
static omp_lock_t lock;

static void *work(void *unused)
{
    (void)unused;
    (void)omp_get_thread_num(); /* the runtime's own start has such points, too, and so have its parallel
                                   regions */
    pthread_cancel(pthread_self());
    omp_init_lock(&lock);
    for (int round = 0; round < 80000; round++) {
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
    }
    sum++;
    pthread_testcancel();
    sum++;
    return NULL;
}

static int is_right(void)
{
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED && sum == 80001;
}

int main(int argc, char **argv)
{
    int status = 0;
    int right;
    (void)argv;
#pragma omp parallel num_threads(2)
    (void)omp_get_thread_num();
    (void)getchar(); /* the test stops the writer in the meantime */
    if (argc > 1) {
        if (fork() == 0)
            return is_right();
        wait(&status);
        right = WIFEXITED(status) && WEXITSTATUS(status) == 1;
    } else {
        right = is_right();
    }
    printf("%s\n", right ? "right" : "wrong");
    return 17;
}
