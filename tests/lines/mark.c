/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the generated programs call (generate.py): the runtime's routine by which they say in the archive
 * where they are, and work that no compiler can see through. In a library of its own, without debug
 * information.
 */
#include <stdatomic.h>
#include <stddef.h>

/* gcc's library lacks it, LLVM's runtime in its place does not. */
extern int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));

static atomic_int total;

void add(int by)
{
    atomic_fetch_add(&total, by);
}

/* For Fortran. */
void add_(const int *by)
{
    add(*by);
}

void mark(int unit)
{
    if (omp_control_tool != NULL)
        (void)omp_control_tool(1000 + unit, 0, NULL);
}

void mark_(const int *unit)
{
    mark(*unit);
}
