/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for an OpenMP runtime: the entries that clang's and gcc's code calls for the constructs of the
 * fixtures, run on the calling thread. Each records its return address, which is what OMPT would give as
 * codeptr_ra, and which construct it was called in; the tests resolve them. Linked into the fixtures of
 * test_symbols, loaded by those of test_symbols_calls.
 */
#include "runtime.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 4096 };

static struct {
    const char *kind;
    void *address;
    int parent;
} calls[MAX_CALLS];
static int call_count;
static int current = -1; /* the construct whose body runs */

static int record(const char *kind, void *address)
{
    if (call_count == MAX_CALLS)
        abort();
    calls[call_count].kind = kind;
    calls[call_count].parent = current;
    calls[call_count].address = address;
    return call_count++;
}

#define RETURN_ADDRESS __builtin_return_address(0)

void runtime_report(void)
{
    for (int i = 0; i < call_count; i++)
        printf("call %lx %s %d\n", (unsigned long)(uintptr_t)calls[i].address, calls[i].kind,
               calls[i].parent);
    call_count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[8192];
    if (maps == NULL)
        abort();
    while (fgets(line, sizeof(line), maps) != NULL)
        printf("map %s", line);
    fclose(maps);
    puts("end");
    fflush(stdout);
}

/* For programs that do not report themselves. */
__attribute__((destructor)) static void report_rest(void)
{
    if (call_count)
        runtime_report();
}

/* clang */
typedef void microtask(int32_t *, int32_t *, void *, void *, void *, void *);
typedef int32_t routine(int32_t, void *);
struct task {
    void *shareds;
    routine *body;
};

void __kmpc_fork_call(void *location, int32_t count, microtask *body, ...)
{
    void *arguments[4] = {NULL, NULL, NULL, NULL};
    int32_t thread = 0;
    int32_t bound = 0;
    int outer = current;
    va_list list;
    (void)location;
    current = record("parallel", RETURN_ADDRESS);
    if (count > 4)
        abort();
    va_start(list, body);
    for (int32_t i = 0; i < count; i++)
        arguments[i] = va_arg(list, void *);
    va_end(list);
    body(&thread, &bound, arguments[0], arguments[1], arguments[2], arguments[3]);
    current = outer;
}

int32_t __kmpc_global_thread_num(void *location)
{
    (void)location;
    return 0;
}

void __kmpc_critical(void *location, int32_t thread, void *lock)
{
    (void)location, (void)thread, (void)lock;
    record("critical", RETURN_ADDRESS);
}

void __kmpc_end_critical(void *location, int32_t thread, void *lock)
{
    (void)location, (void)thread, (void)lock;
}

void __kmpc_barrier(void *location, int32_t thread)
{
    (void)location, (void)thread;
    record("barrier", RETURN_ADDRESS);
}

struct task *__kmpc_omp_task_alloc(void *location, int32_t thread, int32_t flags, size_t task_bytes,
                                   size_t shared_bytes, routine *body)
{
    (void)location, (void)thread, (void)flags;
    size_t offset = (task_bytes + 15) / 16 * 16;
    struct task *task = calloc(1, offset + shared_bytes);
    if (task == NULL)
        abort();
    task->shareds = (char *)task + offset;
    task->body = body;
    return task;
}

int32_t __kmpc_omp_task(void *location, int32_t thread, struct task *task)
{
    int outer = current;
    (void)location;
    current = record("task", RETURN_ADDRESS);
    task->body(thread, task);
    current = outer;
    free(task);
    return 0;
}

int32_t __kmpc_omp_taskwait(void *location, int32_t thread)
{
    (void)location, (void)thread;
    record("taskwait", RETURN_ADDRESS);
    return 0;
}

int32_t __kmpc_single(void *location, int32_t thread)
{
    (void)location, (void)thread;
    current = record("single", RETURN_ADDRESS);
    return 1;
}

void __kmpc_end_single(void *location, int32_t thread)
{
    (void)location, (void)thread;
    current = calls[current].parent;
}

void __kmpc_for_static_init_4(void *location, int32_t thread, int32_t schedule, int32_t *last, int32_t *low,
                              int32_t *high, int32_t *stride, int32_t increment, int32_t chunk)
{
    (void)location, (void)thread, (void)schedule, (void)low, (void)high, (void)stride, (void)increment,
        (void)chunk;
    *last = 1;
}

void __kmpc_for_static_fini(void *location, int32_t thread)
{
    (void)location, (void)thread;
}

/* gcc */
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    int outer = current;
    (void)threads, (void)flags;
    current = record("parallel", RETURN_ADDRESS);
    body(data);
    current = outer;
}

/* Its end is not reported. */
bool GOMP_single_start(void)
{
    current = record("single", RETURN_ADDRESS);
    return true;
}

void GOMP_critical_start(void)
{
    record("critical", RETURN_ADDRESS);
}

void GOMP_critical_end(void)
{
}

void GOMP_critical_name_start(void **lock)
{
    (void)lock;
    record("critical", RETURN_ADDRESS);
}

void GOMP_critical_name_end(void **lock)
{
    (void)lock;
}

void GOMP_barrier(void)
{
    record("barrier", RETURN_ADDRESS);
}

void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
               bool now, unsigned flags, void **depend, int priority, void *detach)
{
    (void)alignment, (void)now, (void)flags, (void)depend, (void)priority, (void)detach;
    int outer = current;
    void *copied = calloc(1, (size_t)bytes + 1);
    if (copied == NULL)
        abort();
    current = record("task", RETURN_ADDRESS);
    if (copy != NULL)
        copy(copied, data);
    body(copy != NULL ? copied : data);
    current = outer;
    free(copied);
}

void GOMP_taskwait(void)
{
    record("taskwait", RETURN_ADDRESS);
}

int omp_get_num_threads(void)
{
    return 1;
}

int omp_get_thread_num(void)
{
    return 0;
}
