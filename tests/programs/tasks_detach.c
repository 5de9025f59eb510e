/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Detached tasks: fulfilled within the task, before it ends, and later by somebody else.
//: only clang
//: threads 2
//: events ThreadTaskCreate 12
//: events ThreadTaskComplete 12
//: enter task@early 4
//: enter task@late 4
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    omp_event_handle_t early = (omp_event_handle_t)0;
    omp_event_handle_t late[4];
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 4; i++) {
#pragma omp task detach(early) shared(sum) // @early
                {
#pragma omp atomic
                    sum += 1;
                    omp_fulfill_event(early);
                }
            }
#pragma omp taskwait
            for (int i = 0; i < 4; i++) {
                omp_event_handle_t handle;
#pragma omp task detach(handle) shared(sum) // @late
                {
#pragma omp atomic
                    sum += 10;
                }
                late[i] = handle;
            }
            for (int i = 0; i < 4; i++) {
                omp_event_handle_t handle = late[i];
#pragma omp task firstprivate(handle) shared(sum)
                {
#pragma omp atomic
                    sum += 100;
                    omp_fulfill_event(handle);
                }
            }
#pragma omp taskwait
        }
    }
    printf("%d\n", sum);
    return 0;
}
