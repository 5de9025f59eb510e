/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program whose variables cannot be read any more when it ends, as after a main that had them in an array.
 * With MPI it looks as if it had initialised one without omptape.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

#ifdef MPI
int PMPI_Initialized(int *flag);

int PMPI_Initialized(int *flag)
{
    *flag = 1;
    return 0;
}
#endif

int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    puts(sum == 45 ? "right" : "wrong");
    environ = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return 17;
}
