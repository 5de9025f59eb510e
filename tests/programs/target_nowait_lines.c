/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Deferred target tasks in a loop that is unrolled: the task of each construct is one region, at its line,
 * where clang gives its creation none. They are no tasks of OTF2's.
//: only clang >=19
//: cflags -O2
//: vary tasks
//: enter target_task@first 3
//: enter target_task@second 3
//: enter create_task@first 3
//: enter create_task@second 3
*/
int main(void)
{
    int a[64] = {0};
    int b[64] = {0};
    for (int k = 0; k < 3; k++) {
#pragma omp target map(tofrom : a) nowait // @first
        for (int i = 0; i < 64; i++)
            a[i] += i;
#pragma omp target map(tofrom : b) nowait // @second
        for (int i = 0; i < 64; i++)
            b[i] -= i;
#pragma omp taskwait
    }
    return a[1] != 3 || b[1] != -3;
}
