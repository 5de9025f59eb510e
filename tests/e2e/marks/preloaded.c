/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names what it does by ROCTX, Caliper, omp_control_tool and, for its functions, by -finstrument-functions.
 * With -DLIBRARY it is the library with ROCTX's and Caliper's names, which counts its calls.
 */
#include <caliper/cali.h>
#include <roctx.h>
#include <stdint.h>
#include <stdio.h>

#ifdef LIBRARY

static int calls;

int roctxRangePushA(const char *text)
{
    return text[0] == 'p' ? 100 + calls++ : -1;
}
int roctxRangePop(void)
{
    return 200 + calls++;
}
void roctxMarkA(const char *text)
{
    calls += text[0] == 'm';
}
uint64_t roctxRangeStartA(const char *text)
{
    calls += text[0] == 'r';
    return 77;
}
void roctxRangeStop(uint64_t id)
{
    calls += id == 77;
}
void cali_begin_region(const char *text)
{
    calls += text[0] == 'c';
}
void cali_end_region(const char *text)
{
    calls += text[0] == 'c' ? 1000 : 0;
}

#else

#include <omp.h>

/* So many that a call in which the machine stops for 100 ms is no exception. */
enum { BRIEF = 5000000 };

/* GNU's runtime has no omp_control_tool. */
__attribute__((no_instrument_function)) static void name_by_control(const char *when)
{
#ifdef __clang__
    int begun = omp_control_tool((omp_control_tool_t)64, 0, (void *)(uintptr_t)when);
    omp_control_tool((omp_control_tool_t)66, 0, (void *)"mark by control");
    omp_control_tool((omp_control_tool_t)64, 0, (void *)16); /* another tool's: no text */
    omp_control_tool((omp_control_tool_t)65, 0, NULL);
    printf("%d ", begun);
#else
    printf("%s ", when);
#endif
}

__attribute__((noinline)) int brief(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

__attribute__((noinline)) int compute(int x)
{
#pragma omp parallel num_threads(2)
    {
    }
    for (int i = 0; i < BRIEF; i++)
        x = brief(x);
    return x;
}

int main(void)
{
    name_by_control("before");
    printf("%d ", roctxRangePushA("pushed"));
    printf("%d ", roctxRangePop());
    roctxMarkA("marked");
    uint64_t id = roctxRangeStartA("ranged");
    roctxRangeStop(id);
    cali_begin_region("caliper's");
    cali_end_region("caliper's");
    printf("%d %d ", (int)id, compute(0));
    name_by_control("after");
    printf("%d\n", roctxRangePop());
    return 0;
}

#endif
