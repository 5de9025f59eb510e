/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each record has its date made by localtime_r, for which all threads take the lock of the time zone. Mended:
 * the date is made once a thread and day, and the second is computed.
//: proposal keep the last result
*/
#include "work.h"

#include <time.h>

enum { RECORDS = 16000000, DAY = 86400 };

APART long label_each(long record)
{
    struct tm date;
    const time_t time = 1700000000 + record;
    return localtime_r(&time, &date) != NULL ? date.tm_sec : 0;
}

APART long label_known(long record, long *day, struct tm *date)
{
    const time_t time = 1700000000 + record;
    if (time / DAY != *day) {
        *day = time / DAY;
        localtime_r(&time, date);
    }
    return time % 60;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long records = run_scaled(&run, RECORDS);
    long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) /* HERE[gcc] hot_function blocked */
    {
        long day = 0;
        struct tm date;
#pragma omp for schedule(static) /* HERE[clang] hot_function blocked */
        for (long record = 0; record < records; record++)
            sum += run.mended ? label_known(record, &day, &date) : label_each(record);
    }
    keep((uint64_t)sum);
    return run_end();
}
