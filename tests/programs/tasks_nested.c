/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks of a recursion: fib(10) makes 176 of them, every one waits for its children.
//: threads 2
//: events ThreadTaskCreate 176
//: events ThreadTaskComplete 176
//: enter task@left 88
//: enter task@right 88
//: enter taskwait@wait 88
*/
#include <stdio.h>

static int fib(int n)
{
    int left;
    int right;

    if (n < 2) {
        return n;
    }
#pragma omp task shared(left) // @left
    left = fib(n - 1);
#pragma omp task shared(right) // @right
    right = fib(n - 2);
#pragma omp taskwait // @wait
    return left + right;
}

int main(void)
{
    int result = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        result = fib(10);
    }
    printf("%d\n", result);
    return 0;
}
