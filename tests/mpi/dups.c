/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and frees so many communicators of all ranks, or windows and files on one. Some of rank 0's own come
 * first: then the ranks number them differently. Prints how many KiB the process grew by in the second half.
 * Usage: dups ROUNDS comms|nested|windows|files|held
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 20, APART = 3 };

static int rank, size;

/* Of its own: what it maps of files the kernel drops and reads again as it likes. */
static long used_kib(void)
{
    char line[256];
    long used = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "RssAnon:", 8) == 0 || strncmp(line, "VmSwap:", 7) == 0)
            used += atol(strchr(line, ':') + 1);
    if (file != NULL)
        fclose(file);
    return used;
}

/* To the next rank, of a length that says which one it is. */
static void send_round(MPI_Comm comm, int number)
{
    char sent[256] = "", received[256];
    if (size > 1)
        MPI_Sendrecv(sent, number % 251, MPI_CHAR, (rank + 1) % size, 0, received, sizeof(received), MPI_CHAR,
                     (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
}

static void make_comm(int round)
{
    MPI_Comm made;
    (void)round;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

static void make_nested(int round)
{
    MPI_Comm outer, inner, odd;
    MPI_Comm_dup(MPI_COMM_WORLD, &outer);
    send_round(outer, round);
    MPI_Comm_dup(outer, &inner);
    MPI_Comm_split(outer, rank % 2, 0, &odd);
    send_round(inner, round + 1);
    MPI_Comm_free(&inner);
    MPI_Comm_free(&odd);
    MPI_Comm_free(&outer);
}

/* The communicator is freed before the window that was made on it. */
static void make_window(int round)
{
    static int memory;
    MPI_Comm made;
    MPI_Win window;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Win_create(&memory, sizeof(memory), 1, MPI_INFO_NULL, round % 2 != 0 ? made : MPI_COMM_WORLD,
                   &window);
    MPI_Comm_free(&made);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void make_file(int round)
{
    MPI_File file;
    (void)round;
    MPI_File_open(MPI_COMM_WORLD, "made", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    if (rank == 0)
        MPI_File_delete("made", MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Many are there at a time; every third one is freed late. */
static void hold(int round)
{
    MPI_Comm made[HELD];
    for (int i = 0; i < HELD; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
    for (int i = 0; i < HELD; i++)
        send_round(made[i], round + i);
    for (int i = HELD - 1; i >= 0; i--)
        send_round(made[i], round + HELD + i);
    for (int i = 0; i < HELD; i++)
        if (i % APART != 0)
            MPI_Comm_free(&made[i]);
    for (int i = 1; i < HELD; i++) {
        if (i % APART == 0)
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
        send_round(made[i], round + i);
        send_round(made[i - i % APART], round + 2 * i);
        MPI_Comm_free(&made[i]);
    }
    for (int i = 0; i < HELD; i += APART)
        MPI_Comm_free(&made[i]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(int round);
    } ways[] = {{"comms", make_comm},
                {"nested", make_nested},
                {"windows", make_window},
                {"files", make_file},
                {"held", hold}};
    const int rounds = argc > 2 ? atoi(argv[1]) : 0;
    long before = 0;
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10 && rank == 0; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
        for (int i = 0; i < rounds && strcmp(ways[way].name, argv[2]) == 0; i++) {
            before = i == rounds / 2 ? used_kib() : before;
            ways[way].make(i);
        }
    if (rank == 0)
        printf("%ld\n", used_kib() - before);
    MPI_Finalize();
    return 0;
}
