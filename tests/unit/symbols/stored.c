/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What gcc makes of constructs in a loop with too few registers: it stores the bodies' addresses on the stack
 * in front of the loop. The order of the loads differs from that of the stores. Marks as in constructs.c.
 */
#include "runtime.h"

#include <stdbool.h>
#include <stddef.h>

#define NOINLINE __attribute__((noinline, noclone))

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
               bool deferred, unsigned flags, void **depend, int priority);

static void first(void *data) __asm__("constructs._omp_fn.0");
static void second(void *data) __asm__("constructs._omp_fn.1");
static void third(void *data) __asm__("constructs._omp_fn.2");

static volatile int total;

static NOINLINE void first(void *data)
{ /* @site parallel constructs | first */
    (void)data;
    total += 1;
}

static NOINLINE void second(void *data)
{ /* @site parallel constructs | second */
    (void)data;
    total += 2;
}

static NOINLINE void third(void *data)
{ /* @site task constructs | third */
    (void)data;
    total += 3;
}

int constructs(int n)
{
    void (*volatile one)(void *) = first;
    void (*volatile other)(void *) = second;
    void (*volatile task)(void *) = third;
    for (int i = 0; i < n; i++) {
        GOMP_parallel(other, NULL, 0, 0);
        GOMP_task(task, NULL, NULL, 0, 1, true, 0, NULL, 0);
        GOMP_parallel(one, NULL, 0, 0);
    }
    return total;
}
