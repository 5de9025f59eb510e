/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that nothing marks: which of them are found, and what counts as an iteration.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MS = 1000 };

static void assemble(void)
{
#pragma omp parallel num_threads(2)
    usleep(1 * MS);
}

static void solve(int slow)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 2; i++)
        usleep(i == 1 && slow ? 1200 * MS : 1 * MS);
}

static void write_out(void)
{
#pragma omp parallel num_threads(2)
    usleep(1 * MS);
}

static void halo(void)
{
#pragma omp parallel num_threads(2)
    usleep(1 * MS);
}

/* Each tenth step writes, the 17th is slow. What is before and behind the loop uses its regions, too. */
static void steps(void)
{
    halo();
    write_out();
    for (int i = 1; i <= 40; i++) {
        assemble();
        solve(i == 17);
        if (i % 10 == 0)
            write_out();
        usleep(1 * MS);
    }
    assemble();
}

/* A solver that needs differently many sweeps. */
static void nested(void)
{
    for (int i = 0; i < 13; i++) {
        assemble();
        for (int sweep = 0; sweep < 5 + i % 4; sweep++) {
            halo();
            solve(0);
        }
    }
}

/* One loop behind the other. */
static void two(void)
{
    for (int i = 0; i < 50; i++)
        assemble();
    for (int i = 0; i < 30; i++) {
        solve(0);
        halo();
    }
}

/* No order: as the digits of pi. */
static void irregular(void)
{
    void (*const parts[])(void) = {assemble, write_out, halo};
    for (const char *digit = "3141592653589793238462643383279502884197169399375105820974944"; *digit; digit++)
        if ((*digit - '0') % 4 < 3)
            parts[(*digit - '0') % 4]();
        else
            solve(0);
}

static void few(void)
{
    for (int i = 0; i < 4; i++) {
        assemble();
        solve(0);
    }
}

static void *loop_of_thread(void *data)
{
    (void)data;
    for (int i = 0; i < 20; i++)
        assemble();
    return NULL;
}

/* Each thread has its own loop, at the same time. */
static void threads(void)
{
    pthread_t others[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, loop_of_thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"steps", steps},         {"nested", nested}, {"two", two},
               {"irregular", irregular}, {"few", few},       {"threads", threads}};
    for (size_t i = 0; count > 1 && i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(arguments[1], all[i].name) == 0)
            all[i].run();
    return 0;
}
