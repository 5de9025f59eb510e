/* A program with an imbalanced loop, a lock that threads wait for, tasks and a serial part: what the page has
 * to show. Usage: program ROUNDS */
#include <stdlib.h>

static volatile double result;

static void work(int amount)
{
    double sum = 0;
    for (int i = 0; i < amount * 1000; i++)
        sum += i * 0.5;
    result = sum;
}

static void unequal(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 64; i++)
        work(i);
}

static void contended(void)
{
#pragma omp parallel
    for (int i = 0; i < 20; i++) {
#pragma omp critical
        work(4);
    }
}

static void tasks(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 40; i++) {
#pragma omp task
        work(10);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    for (int round = 0; round < rounds; round++) {
        unequal();
        contended();
        tasks();
        work(300);
    }
    return 0;
}
