/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What serial.c does in parallel.
 */
#include <unistd.h>

void serial_work(void);

void serial_work(void)
{
#pragma omp parallel num_threads(2)
    usleep(1000);
}
