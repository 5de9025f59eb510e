/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with a construct of its own, for filter_file.c.
 */
void count(int *sum);

void count(int *sum)
{
#pragma omp critical(count) // @critical
    ++*sum;
}
