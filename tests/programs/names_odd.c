/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A working folder, arguments and output with odd characters must not matter.
//: args "a b" "c'd" '$HOME;"' ""
//: threads 2
//: enter parallel@region 2
*/
#include <stdio.h>

int main(int argc, char **argv)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
    sum += 1;
    for (int i = 1; i < argc; i++) {
        printf("[%s]\n", argv[i]);
    }
    printf("%d\n", sum);
    return 0;
}
