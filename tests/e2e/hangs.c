/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hangs in OpenMP in the way that its argument names, until somebody ends it; "healthy" goes on for ever.
 * Says "hung" when it is about to. The comment behind a construct names the way in which a thread is in it at
 * the end. Run by hangs.py.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t first, second;
static volatile int never;

static void say(void)
{
    puts("hung");
    fflush(stdout);
}

/* Takes the one, and the other when everybody has one. */
static void take_both(omp_lock_t *one, omp_lock_t *other)
{
    omp_set_lock(one); /* locks */
#pragma omp barrier
#pragma omp master
    say();
    omp_set_lock(other); /* locks */
}

/* Each thread has one critical section, and asks for the other's. */
static void take_criticals(void)
{
    static volatile int has[2];
    if (omp_get_thread_num() == 0)
#pragma omp critical(one) /* criticals */
    {
        has[0] = 1;
        while (!has[1])
            usleep(1000);
        say();
#pragma omp critical(other) /* criticals */
        never += 0;
    } else
#pragma omp critical(other) /* criticals */
    {
        has[1] = 1;
        while (!has[0])
            usleep(1000);
#pragma omp critical(one) /* criticals */
        never += 0;
    }
}

static void locks(const char *way)
{
    if (strcmp(way, "itself") == 0) {
        omp_set_lock(&first); /* itself */
        say();
        omp_set_lock(&first); /* itself */
    }
    if (strcmp(way, "locks") == 0) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            take_both(&first, &second);
        else
            take_both(&second, &first);
    }
    if (strcmp(way, "criticals") == 0) {
#pragma omp parallel num_threads(2)
        take_criticals();
    }
    if (strcmp(way, "kept") == 0) {
#pragma omp parallel num_threads(3) /* kept */
        {
            omp_set_lock(&first); /* kept */
            say();
        } /* kept */
    }
    if (strcmp(way, "critical") == 0) {
#pragma omp parallel num_threads(3)
#pragma omp critical /* critical */
        {
            say();
            pause();
        }
    }
}

static void threads(const char *way)
{
    if (strcmp(way, "barrier") == 0) {
#pragma omp parallel num_threads(3) /* barrier */
        {
            if (omp_get_thread_num() == 1) {
                omp_set_lock(&first); /* barrier */
                say();
                omp_set_lock(&first); /* barrier */
            }
#pragma omp barrier /* barrier */
            never += 0;
        }
    }
    if (strcmp(way, "nested") == 0) {
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) /* nested */
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2) /* nested */
            if (omp_get_thread_num() == 1) {
                omp_set_lock(&first); /* nested */
                say();
                omp_set_lock(&first); /* nested */
            }
        }
    }
    if (strcmp(way, "ordered") == 0) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(3) /* ordered */
        for (int i = 0; i < 6; i++) {                               /* ordered */
            if (i == 0) {
                omp_set_lock(&first); /* ordered */
                say();
                omp_set_lock(&first); /* ordered */
            }
#pragma omp ordered /* ordered */
            never += 0;
        }
    }
}

static void tasks(const char *way)
{
    if (strcmp(way, "task") == 0) {
#pragma omp parallel num_threads(3) /* task */
#pragma omp single                  /* task */
        {
#pragma omp task
            {
                omp_set_lock(&first); /* task */
                say();
                omp_set_lock(&first); /* task */
            }
#pragma omp taskwait /* task */
        }
    }
    if (strcmp(way, "detached") == 0) {
#pragma omp parallel num_threads(2) /* detached */
#pragma omp single                  /* detached */
        {
            omp_event_handle_t event;
#pragma omp task detach(event) /* detached */
            never += 0;
            say();
#pragma omp taskwait /* detached */
        }
    }
}

/* No hang, however long the others wait. */
static void crash(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            usleep(2200000);
            *(volatile int *)(8 + never) = 1;
        }
#pragma omp barrier
        never += 0;
    }
}

/* Threads wait for each other for up to a tenth of a second. */
static void be_healthy(void)
{
    for (int round = 0;; round++) {
#pragma omp parallel num_threads(3)
        {
            usleep(omp_get_thread_num() == round % 3 ? 100000 : 1000);
#pragma omp critical
            usleep(2000);
        }
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    omp_init_lock(&first);
    omp_init_lock(&second);
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        never += 0;
    }
    locks(way);
    threads(way);
    tasks(way);
    say();
    if (strcmp(way, "crash") == 0)
        crash();
    be_healthy();
    return 0;
}
