/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An OpenMP program without MPI, which a rank runs beside its hybrid one.
 */
int main(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum++;
    return sum > 0 ? 0 : 1;
}
