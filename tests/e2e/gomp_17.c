/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that gcc 17 compiles with -fopenmp-ompt=extended. With PROGRAM defined this is a program of two
 * threads that makes these calls. Otherwise it is a library with those functions of gcc 17's libgomp that
 * older ones lack. Built and used by test_gomp.sh.
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

_Complex int GOMP_loop_static_worksharing_start(unsigned long long count);
void GOMP_loop_static_worksharing_dispatch(unsigned long long start, unsigned long long count);
void GOMP_loop_static_worksharing_end(void);
bool GOMP_single_start_with_end(void);
void GOMP_single_end(void);
bool GOMP_has_masked_thread_num_with_end(int filter);
void GOMP_masked_end(void);
void GOMP_barrier_ext(unsigned which);

/* gcc gives the second call no line of its own. omptape reads it in the source, for which the directive below
 * stands there. */
#define WAIT_AND_START_SINGLE() (GOMP_barrier_ext(IMPLICIT_WORKSHARE), GOMP_single_start_with_end())
enum { THREADS = 2, ROUNDS = 3, ITERATIONS = 100, IMPLICIT_WORKSHARE = 1, EXPLICIT = 2 };

#ifdef PROGRAM
int main(void)
{
    long sum = 0;
    int executed = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum, executed)
    for (int round = 0; round < ROUNDS; round++) {
        const _Complex int team = GOMP_loop_static_worksharing_start(ITERATIONS);
        const int share = ITERATIONS / __real__ team;
        const int first = share * __imag__ team;
        GOMP_loop_static_worksharing_dispatch((unsigned long long)first, (unsigned long long)share);
        for (int i = first; i < first + share; i++)
            sum += i;
        GOMP_loop_static_worksharing_end();
        const bool executes = WAIT_AND_START_SINGLE();
#if 0
#pragma omp single
#endif
        if (executes) {
            executed++;
            GOMP_single_end();
        }
        GOMP_barrier_ext(EXPLICIT);
        if (GOMP_has_masked_thread_num_with_end(1)) {
            executed += 10;
            GOMP_masked_end();
        }
    }
    printf("sum %ld, executed %d\n", sum, executed);
    return 0;
}
#else
/* Finds a function in libgomp itself, because the program's symbols are bound to omptape. */
static void *find(const char *name)
{
    void *found = dlsym(dlopen("libgomp.so.1", RTLD_LAZY), name);
    if (found == NULL)
        fprintf(stderr, "no %s\n", name);
    return found;
}

_Complex int GOMP_loop_static_worksharing_start(unsigned long long count)
{
    _Complex int team;
    (void)count;
    __real__ team = omp_get_num_threads();
    __imag__ team = omp_get_thread_num();
    return team;
}

void GOMP_loop_static_worksharing_dispatch(unsigned long long start, unsigned long long count)
{
    (void)start;
    (void)count;
}

void GOMP_loop_static_worksharing_end(void)
{
}

bool GOMP_single_start_with_end(void)
{
    return ((bool (*)(void))find("GOMP_single_start"))();
}

void GOMP_single_end(void)
{
}

bool GOMP_has_masked_thread_num_with_end(int filter)
{
    return omp_get_thread_num() == filter;
}

void GOMP_masked_end(void)
{
}

void GOMP_barrier_ext(unsigned which)
{
    (void)which;
    ((void (*)(void))find("GOMP_barrier"))();
}
#endif
