/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One process asks FIRST times in vain for what never comes, and then MANY times for what it sends to itself,
 * by each function that asks; it counts its calls. With "often" it works for WORK_NS between two of FEW
 * calls; with "mixed" it asks by two functions in turn; with "first" it asks no more than MANY times in all;
 * with "rest" all is complete, and it asks on; with "killed" it asks in vain, sleeps, and kills itself.
 * Usage: polls [first|often|mixed|rest|killed]
 */
#include "count.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { FIRST = 60000, MANY = 20000, FEW = 1000, WORK_NS = 20000, SLEEP_US = 200000, TAG = 3 };

static int word, other;
static MPI_Request request, sent;
static MPI_Message message;

static void work(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &to);
    while ((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec < WORK_NS);
}

static int by_test(void)
{
    int flag;
    DO(Test, &request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int by_testany(void)
{
    int index, flag;
    DO(Testany, 1, &request, &index, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int by_testall(void)
{
    int flag;
    DO(Testall, 1, &request, &flag, MPI_STATUSES_IGNORE);
    return flag;
}

static int by_testsome(void)
{
    int done, index;
    DO(Testsome, 1, &request, &done, &index, MPI_STATUSES_IGNORE);
    return done > 0;
}

static int by_iprobe(void)
{
    int flag;
    DO(Iprobe, 0, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int by_improbe(void)
{
    int flag;
    DO(Improbe, 0, TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    return flag;
}

static void receive(void)
{
    DO(Irecv, &word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
}

/* Asks `vain` times, then sends, and asks until it is there. */
static void poll(int (*ask)(void), int vain, int working)
{
    for (int i = 0; i < vain; i++) {
        (void)ask();
        if (working)
            work();
    }
    DO(Isend, &other, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &sent);
    while (!ask())
        ;
}

static void poll_by_all(void)
{
    static int (*const requests[])(void) = {by_test, by_testany, by_testall, by_testsome};
    for (unsigned i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        receive();
        poll(requests[i], MANY, 0);
        DO(Wait, &sent, MPI_STATUS_IGNORE);
    }
    poll(by_iprobe, MANY, 0);
    DO(Recv, &word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    DO(Wait, &sent, MPI_STATUS_IGNORE);
    poll(by_improbe, MANY, 0);
    DO(Mrecv, &word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    DO(Wait, &sent, MPI_STATUS_IGNORE);
}

static int by_two(void)
{
    (void)by_iprobe();
    return by_test();
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    DO(Init, &argc, &argv);
    for (int i = 0; i < FIRST && strcmp(way, "first") != 0; i++)
        (void)by_iprobe();
    if (strcmp(way, "first") == 0)
        for (int i = 0; i < MANY; i++)
            (void)by_iprobe();
    if (strcmp(way, "") == 0)
        poll_by_all();
    if (strcmp(way, "often") == 0 || strcmp(way, "mixed") == 0) {
        receive();
        poll(way[0] == 'o' ? by_test : by_two, FEW, way[0] == 'o');
        DO(Wait, &sent, MPI_STATUS_IGNORE);
    }
    if (strcmp(way, "rest") == 0) {
        request = MPI_REQUEST_NULL;
        for (int i = 0; i < MANY; i++)
            (void)by_testany();
    }
    if (strcmp(way, "killed") == 0) {
        receive();
        for (int i = 0; i < MANY; i++)
            (void)by_test();
        tell_counts(0, "");
        usleep(SLEEP_US);
        kill(getpid(), SIGKILL);
    }
    DO(Finalize);
    return tell_counts(0, "");
}
