/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes that meet others by MPI, and talk to them. Prints as calls.c does; those that were spawned call
 * themselves 10 more. Usage: spawn spawn|connect|join
 *   spawn    two are spawned by all; messages go between the worlds, and in both once they are merged
 *   connect  rank 1 connects to rank 0, by a port
 *   join     they meet by a socket
 */
#include "count.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

static long sent, sent_bytes, received, received_bytes;

/* How rank 0 and rank 1 meet. */
static MPI_Comm connect_to(int rank)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm across;
    if (rank == 0)
        DO(Open_port, MPI_INFO_NULL, port);
    DO(Bcast, port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        DO(Comm_accept, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &across);
    else
        DO(Comm_connect, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &across);
    if (rank == 0)
        DO(Close_port, port);
    return across;
}

static MPI_Comm join(int rank)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    MPI_Comm across;
    if (rank == 0 && (bind(end, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(end, 1) != 0))
        MPI_Abort(MPI_COMM_WORLD, 1);
    DO(Barrier, MPI_COMM_WORLD);
    if (rank == 0)
        end = accept(end, NULL, NULL);
    else if (connect(end, (struct sockaddr *)&address, sizeof(address)) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    DO(Comm_join, end, &across);
    return across;
}

static void send_to(int to, int tag, MPI_Comm comm)
{
    int word[2] = {to, tag};
    DO(Send, word, 2, MPI_INT, to, tag, comm);
    sent++;
    sent_bytes += sizeof(word);
}

static void receive(int from, int tag, MPI_Comm comm)
{
    int word[2];
    DO(Recv, word, 2, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
    received++;
    received_bytes += sizeof(word);
}

/* The first one of each side with all of the other. */
static void talk(MPI_Comm across)
{
    int rank, others;
    DO(Comm_rank, across, &rank);
    DO(Comm_remote_size, across, &others);
    if (rank == 0)
        for (int i = 0; i < others; i++)
            send_to(i, 5, across);
    receive(0, 5, across);
    DO(Barrier, across);
}

/* All in one, in a ring, and a broadcast. */
static void merge(MPI_Comm across, int high)
{
    MPI_Comm all;
    int rank, size, word = 0;
    DO(Intercomm_merge, across, high, &all);
    DO(Comm_rank, all, &rank);
    DO(Comm_size, all, &size);
    send_to((rank + 1) % size, 6, all);
    receive((rank + size - 1) % size, 6, all);
    DO(Bcast, &word, 1, MPI_INT, 0, all);
    DO(Comm_free, &all);
}

int main(int argc, char **argv)
{
    char *arguments[] = {(char *)"child", NULL};
    MPI_Comm across;
    int rank;
    DO(Init, &argc, &argv);
    DO(Comm_rank, MPI_COMM_WORLD, &rank);
    DO(Comm_get_parent, &across);
    const char *who = across == MPI_COMM_NULL ? "parent" : "child";
    if (across == MPI_COMM_NULL && strcmp(argv[1], "spawn") == 0)
        DO(Comm_spawn, argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across, MPI_ERRCODES_IGNORE);
    else if (across == MPI_COMM_NULL)
        across = argv[1][0] == 'c' ? connect_to(rank) : join(rank);
    talk(across);
    merge(across, who[0] == 'c' || (argv[1][0] != 's' && rank == 1));
    DO(Comm_disconnect, &across);
    count("MPI_Finalize");
    MPI_Finalize();
    char line[128];
    snprintf(line, sizeof(line), "sent %ld %ld received %ld %ld", sent, sent_bytes, received, received_bytes);
    return tell_counts(rank + (who[0] == 'c' ? 10 : 0), line);
}
