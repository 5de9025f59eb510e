/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program closes its standard descriptors before it uses OpenMP.
//: threads 2
//: exit 13
//: enter parallel@region 2
*/
#include <unistd.h>

int main(void)
{
    int sum = 0;

    close(0);
    close(1);
    close(2);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
    sum += 1;
    return sum + 11;
}
