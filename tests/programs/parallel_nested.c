/* Three active levels of two threads each.
//: env OMP_MAX_ACTIVE_LEVELS=3
//: threads 8
//: events ThreadFork 7
//: events ThreadJoin 7
//: events ThreadTeamBegin 14
//: enter parallel@one 2
//: enter parallel@two 4
//: enter parallel@three 8
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @one
    {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @two
        {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @three
            sum += omp_get_level();
        }
    }
    printf("%d\n", sum);
    return 0;
}
