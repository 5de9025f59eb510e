/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements own_stack.h. Called by main() of the command and of the writer.
 */
#include "src/core/own_stack.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

/* Size of the new stack, in bytes. Unused pages cost no memory. */
static const size_t enough = (size_t)8 << 20;

static struct {
    int (*function)(int argc, char **argv);
    int argc;
    char **argv;
    int result;
    ucontext_t caller;
    ucontext_t own;
} call;

static void run_on_stack(void)
{
    call.result = call.function(call.argc, call.argv);
}

int omptape_own_stack_run(int (*function)(int argc, char **argv), int argc, char **argv)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= enough)
        return function(argc, argv);
    void *stack = mmap(NULL, enough, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&call.own) != 0)
        return function(argc, argv);
    call.function = function;
    call.argc = argc;
    call.argv = argv;
    call.own.uc_stack.ss_sp = stack;
    call.own.uc_stack.ss_size = enough;
    call.own.uc_link = &call.caller;
    makecontext(&call.own, run_on_stack, 0);
    if (swapcontext(&call.caller, &call.own) != 0)
        return function(argc, argv);
    return call.result;
}
