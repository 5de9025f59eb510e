/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program without OpenMP: nothing to trace, nothing left behind.
//: cflags -fno-openmp
//: archives 0
//: exit 9
*/
#include <stdio.h>

int main(void)
{
    printf("no OpenMP\n");
    return 9;
}
