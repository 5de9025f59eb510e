/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes of several MPI_COMM_WORLDs. On each communicator that they make every process sends its number
 * (the pid) to all others, or to all of the other side, and writes whose it got into told.PID: "PID" in a line
 * for each. Usage: worlds twins|grow|pieces|multiple|port|join|kill|bare|window [COMMAND...]
 *   twins     both ranks spawn two processes at a time, each for itself
 *   grow      one more is spawned by all that there are, three times
 *   pieces    duplicates, halves and groups of what leads to two others, and of all together
 *   multiple  two programs are spawned as one world, by the second rank
 *   port      of three worlds that were spawned two connect to one, one after the other, and together
 *   join      parent and child meet by a socket, too
 *   kill      the child kills itself
 *   bare      the child is spawned by COMMAND
 *   window    all put their numbers into each other's memory, and then into that of one in the other world
 */
#include <mpi.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_RANKS = 16, TAG = 7, GENERATIONS = 3 };

static FILE *told;
static char *program;
static int rank, size;

static void exchange(MPI_Comm comm)
{
    int inter, self, peers, own = (int)getpid(), got, sum = 0;
    MPI_Request requests[MAX_RANKS];
    int count = 0;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &self);
    if (inter)
        MPI_Comm_remote_size(comm, &peers);
    else
        MPI_Comm_size(comm, &peers);
    for (int i = 0; i < peers; i++)
        if (inter || i != self)
            MPI_Isend(&own, 1, MPI_INT, i, TAG, comm, &requests[count++]);
    for (int i = 0; i < peers; i++) {
        if (!inter && i == self)
            continue;
        MPI_Recv(&got, 1, MPI_INT, i, TAG, comm, MPI_STATUS_IGNORE);
        fprintf(told, "%d\n", got);
    }
    fflush(told); /* before anybody goes on, who may end them all */
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_BOR, comm);
    MPI_Barrier(comm);
}

static MPI_Comm spawn(const char *what, int count, int root, MPI_Comm comm)
{
    char *arguments[] = {(char *)what, NULL};
    MPI_Comm across;
    MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, root, comm, &across, MPI_ERRCODES_IGNORE);
    return across;
}

static void twins(MPI_Comm parent)
{
    MPI_Comm across = parent != MPI_COMM_NULL ? parent : spawn("twins", 2, 0, MPI_COMM_SELF);
    exchange(across);
    MPI_Comm_disconnect(&across);
}

/* Who was spawned goes on with those who did it. */
static void grow(MPI_Comm parent, int generation)
{
    MPI_Comm all, across = parent;
    char what[] = "grow0";
    if (parent == MPI_COMM_NULL)
        MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = generation; i < GENERATIONS; i++) {
        if (across == MPI_COMM_NULL) {
            what[4] = (char)('0' + i);
            across = spawn(what, 1, i % 2, all);
        }
        exchange(across);
        MPI_Intercomm_merge(across, across == parent, &all);
        MPI_Comm_free(&across);
        exchange(all);
        parent = across = MPI_COMM_NULL;
    }
    MPI_Comm_free(&all);
}

static void use(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL)
        return;
    exchange(comm);
    MPI_Comm_free(&comm);
}

static void pieces(MPI_Comm parent)
{
    MPI_Comm again, part, all, across = parent != MPI_COMM_NULL ? parent : spawn("pieces", 2, 0, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Group group, some;
    int range[1][3] = {{0, 2, 1}}, place;
    exchange(across);
    MPI_Comm_dup(across, &again);
    use(again);
    MPI_Comm_split(across, rank % 2, -rank, &part);
    use(part);
    MPI_Intercomm_merge(across, parent == MPI_COMM_NULL, &all); /* the children first */
    exchange(all);
    MPI_Comm_rank(all, &place);
    MPI_Comm_split(all, place % 2, 0, &part);
    MPI_Intercomm_create(part, 0, all, 1 - place % 2, 4, &again);
    use(again);
    use(part);
    MPI_Comm_split(all, parent == MPI_COMM_NULL, 0, &part); /* each world for itself */
    use(part);
    MPI_Comm_idup(all, &again, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(again);
    MPI_Comm_group(all, &group);
    MPI_Group_range_incl(group, 1, range, &some);
    part = MPI_COMM_NULL;
    if (place <= 2)
        MPI_Comm_create_group(all, some, 3, &part);
    use(part);
    MPI_Comm_disconnect(&across); /* what it has brought about goes on */
    use(all);
}

static void multiple(MPI_Comm parent)
{
    char *commands[] = {program, program};
    char *arguments[] = {(char *)"multiple", NULL}, **all_arguments[] = {arguments, arguments};
    int counts[] = {1, 2};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm across = parent;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn_multiple(2, commands, all_arguments, counts, infos, 1, MPI_COMM_WORLD, &across,
                                MPI_ERRCODES_IGNORE);
    exchange(across);
    MPI_Comm_disconnect(&across);
}

/* The parents carry the port's name from the server to the clients. */
static void port_of_parents(void)
{
    char name[MPI_MAX_PORT_NAME] = "";
    MPI_Comm server = spawn("server", 1, 0, MPI_COMM_WORLD), clients[2];
    for (int i = 0; i < 2; i++)
        clients[i] = spawn("client", 2, i, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(name, sizeof(name), MPI_CHAR, 0, 1, server, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) {
        int done;
        MPI_Bcast(name, sizeof(name), MPI_CHAR, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, clients[i]);
        MPI_Bcast(&done, 1, MPI_INT, 0, clients[i]);
        MPI_Comm_disconnect(&clients[i]);
    }
    MPI_Comm_disconnect(&server);
}

static void accept_all(MPI_Comm parent)
{
    char name[MPI_MAX_PORT_NAME] = "";
    MPI_Comm across;
    MPI_Open_port(MPI_INFO_NULL, name);
    MPI_Send(name, sizeof(name), MPI_CHAR, 0, 1, parent);
    for (int i = 0; i < 6; i++) {
        MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across);
        exchange(across);
        MPI_Comm_disconnect(&across);
    }
    MPI_Close_port(name);
    MPI_Comm_disconnect(&parent);
}

static void connect_each(MPI_Comm parent)
{
    char name[MPI_MAX_PORT_NAME] = "";
    MPI_Comm across;
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, parent);
    for (int i = 0; i < 3; i++) {
        if (i == rank || i == 2) {
            MPI_Comm_connect(name, MPI_INFO_NULL, 0, i == 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, &across);
            exchange(across);
            MPI_Comm_disconnect(&across);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Bcast(&rank, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, parent);
    MPI_Comm_disconnect(&parent);
}

static void join(MPI_Comm parent)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof(address);
    MPI_Comm joined, across = parent != MPI_COMM_NULL ? parent : spawn("join", 1, 0, MPI_COMM_SELF);
    int end = socket(AF_INET, SOCK_STREAM, 0);
    if (parent == MPI_COMM_NULL) {
        if (bind(end, (struct sockaddr *)&address, bytes) != 0 || listen(end, 1) != 0 ||
            getsockname(end, (struct sockaddr *)&address, &bytes) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Send(&address.sin_port, 2, MPI_BYTE, 0, 1, across);
        end = accept(end, NULL, NULL);
    } else {
        MPI_Recv(&address.sin_port, 2, MPI_BYTE, 0, 1, across, MPI_STATUS_IGNORE);
        if (connect(end, (struct sockaddr *)&address, bytes) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_join(end, &joined);
    exchange(joined);
    MPI_Comm_disconnect(&joined);
    MPI_Comm_disconnect(&across);
}

/* An epoch with these: writes what the others have put. */
static void put_to(MPI_Win window, MPI_Group others, const int *ranks, int count, int self, const int *memory)
{
    int own = (int)getpid();
    MPI_Win_post(others, 0, window);
    MPI_Win_start(others, 0, window);
    for (int i = 0; i < count; i++)
        MPI_Put(&own, 1, MPI_INT, ranks[i], self, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    for (int i = 0; i < count; i++)
        fprintf(told, "%d\n", memory[ranks[i]]);
}

static void open_window(MPI_Comm parent)
{
    MPI_Comm all, across = parent != MPI_COMM_NULL ? parent : spawn("window", 2, 0, MPI_COMM_WORLD);
    MPI_Group group, others;
    MPI_Win window;
    int self, count, ranks[MAX_RANKS], *memory, found = 0;
    MPI_Intercomm_merge(across, parent == MPI_COMM_NULL, &all);
    MPI_Comm_rank(all, &self);
    MPI_Comm_size(all, &count);
    MPI_Win_allocate(count * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, all, &memory, &window);
    MPI_Comm_group(all, &group);
    for (int i = 0; i < count; i++)
        if (i != self)
            ranks[found++] = i;
    MPI_Group_incl(group, found, ranks, &others);
    put_to(window, others, ranks, found, self, memory);
    MPI_Group_free(&others);
    ranks[0] = (self + count / 2) % count;
    MPI_Group_incl(group, 1, ranks, &others);
    put_to(window, others, ranks, 1, self, memory);
    MPI_Group_free(&others);
    MPI_Group_free(&group);
    MPI_Win_free(&window);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&across);
}

static void lose(MPI_Comm parent)
{
    MPI_Comm across = parent != MPI_COMM_NULL ? parent : spawn("kill", 1, 0, MPI_COMM_WORLD);
    exchange(across);
    if (parent != MPI_COMM_NULL)
        raise(SIGKILL);
    MPI_Barrier(across);
}

static void bare(MPI_Comm parent, char **command)
{
    MPI_Comm all, across = parent;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(command[0], command + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across, MPI_ERRCODES_IGNORE);
    exchange(across);
    MPI_Intercomm_merge(across, parent != MPI_COMM_NULL, &all);
    exchange(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&across);
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    program = argv[0];
    snprintf(name, sizeof(name), "told.%d", (int)getpid());
    told = fopen(name, "w");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (told == NULL || argc < 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    switch (argv[1][0]) {
    case 't': twins(parent); break;
    case 'g': grow(parent, argv[1][4] != '\0' ? argv[1][4] - '0' : 0); break;
    case 'm': multiple(parent); break;
    case 's': accept_all(parent); break;
    case 'c': connect_each(parent); break;
    case 'j': join(parent); break;
    case 'k': lose(parent); break;
    case 'b': bare(parent, argv + 2); break;
    case 'w': open_window(parent); break;
    default: argv[1][1] == 'i' ? pieces(parent) : port_of_parents();
    }
    fclose(told);
    MPI_Finalize();
    return 0;
}
