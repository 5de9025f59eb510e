/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes that wait for each other in ways that are known: sleeps of 20 ms, ROUNDS times. Each prints a
 * line for each call that may wait or that another one waits for: "RANK WHAT PEER BEGIN END", in ns of the
 * machine's clock. With another word MPI is used by a session. Usage: waits WAY [session]; WAY:
 *   sender      rank 1 waits for rank 0, which works in a parallel region
 *   request     the same with Irecv and Wait
 *   polling     the same with Irecv and Test, until it has come
 *   ready       rank 1 waits for the last part of what rank 0 sends in parts
 *   receiver    rank 0 sends more than MPI keeps, and waits for rank 1
 *   all         all wait for rank 2 in Allreduce
 *   root        all wait for rank 0 in Bcast
 *   chain       rank 1 waits for rank 0, and rank 2 for rank 1
 *   held        a thread is in MPI while the others of its team wait at the barrier
 *   later       all wait for rank 2, in Wait after Iallreduce
 *   scan        rank 2 waits for rank 1 in Scan, and rank 0 for nobody
 *   across      rank 0 waits for rank 2's Bcast between two groups, and rank 1, on that side, for nobody
 *   fence       all wait for rank 2 at a fence
 *   post        rank 1 waits until rank 0 lets it into its window
 *   exposed     rank 0 waits until rank 1 is through with its window
 *   locked      rank 1 waits while rank 0 has locked rank 2's window
 *   flushed     the same, and it wants what it puts there to arrive at once
 *   end         all wait for rank 0 in Finalize, without a message
 *   dup, split, create, group, cart, graph, inter, merge, idup, window, file
 *               all wait for rank 2, which comes late to make one of these with them
 *   some, any, every, status, probe, matched
 *               rank 1 asks for rank 0's message now and then, and sleeps in between
 *   idle        rank 0 sends more than MPI keeps, and waits for rank 1, which has posted its receive
 *   tested      the same, but rank 1 calls MPI_Test while it works
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10, LONG = 20000, MANY = 1 << 22, CALLS = 4 * ROUNDS };

static int rank;
static MPI_Comm world; /* MPI_COMM_WORLD, or as many of a session */
static struct {
    /* 's'end, 'r'eceive, 'c'ollective or Wait after it was 'b'egun; of windows p'o'st, st'a'rt, comp'l'ete,
     * 'w'ait; loc'k', 'u'nlock */
    char what;
    int peer;
    long begin;
    long end;
} calls[CALLS];
static int count;

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void begins(char what, int peer)
{
    calls[count].what = what;
    calls[count].peer = peer;
    calls[count].begin = now();
}

static void ends(void)
{
    calls[count++].end = now();
}

static void work(int late)
{
#pragma omp parallel num_threads(2)
    usleep(rank == late ? LONG : 0);
}

enum asks { DOES_NOT_ASK, ASKS_ONCE, ASKS_AGAIN };

static void pass_on(int from, int to, int *data, int size, enum asks asks)
{
    MPI_Request request;
    int is_there = 0;
    if (rank == from) {
        begins('s', to);
        MPI_Send(data, size, MPI_INT, to, 3, world);
        ends();
    }
    if (rank != to)
        return;
    if (asks != DOES_NOT_ASK)
        MPI_Irecv(data, size, MPI_INT, from, 3, world, &request);
    begins('r', from);
    while (asks == ASKS_AGAIN && !is_there)
        MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    if (asks == ASKS_ONCE)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (asks == DOES_NOT_ASK)
        MPI_Recv(data, size, MPI_INT, from, 3, world, MPI_STATUS_IGNORE);
    ends();
}

/* Asks whether it has come in one of several ways; true: it has. */
static int ask(const char *way, MPI_Request *request, int *data)
{
    int there = 0, index;
    MPI_Message message;
    if (strcmp(way, "some") == 0)
        MPI_Testsome(1, request, &there, &index, MPI_STATUSES_IGNORE);
    else if (strcmp(way, "any") == 0)
        MPI_Testany(1, request, &index, &there, MPI_STATUS_IGNORE);
    else if (strcmp(way, "every") == 0)
        MPI_Testall(1, request, &there, MPI_STATUSES_IGNORE);
    else if (strcmp(way, "status") == 0)
        MPI_Request_get_status(*request, &there, MPI_STATUS_IGNORE);
    else if (strcmp(way, "probe") == 0)
        MPI_Iprobe(0, 3, world, &there, MPI_STATUS_IGNORE);
    else
        MPI_Improbe(0, 3, world, &there, &message, MPI_STATUS_IGNORE);
    if (there && strcmp(way, "status") == 0)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    else if (there && strcmp(way, "probe") == 0)
        MPI_Recv(data, 1, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);
    else if (there && strcmp(way, "matched") == 0)
        MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    return there;
}

static void ask_now_and_then(const char *way, int *data)
{
    MPI_Request request;
    if (rank == 0)
        pass_on(0, 1, data, 1, DOES_NOT_ASK);
    if (rank != 1)
        return;
    if (strcmp(way, "probe") != 0 && strcmp(way, "matched") != 0)
        MPI_Irecv(data, 1, MPI_INT, 0, 3, world, &request);
    begins('r', 0);
    while (!ask(way, &request, data))
        usleep(LONG / 20);
    ends();
}

/* Works as long, and has MPI move on what is under way. */
static void work_and_test(MPI_Request *request)
{
    enum { SLICES = 100 };
    int there = 0;
    for (int i = 0; i < SLICES; i++) {
        usleep(LONG / SLICES);
        if (!there)
            MPI_Test(request, &there, MPI_STATUS_IGNORE);
    }
}

static void receive_idly(int *data, int tests)
{
    enum { LARGE = 1 << 18 };
    MPI_Request request;
    if (rank == 0) {
        MPI_Barrier(world);
        begins('s', 1);
        MPI_Send(data, LARGE, MPI_INT, 1, 3, world);
        ends();
        return;
    }
    if (rank == 1)
        MPI_Irecv(data, LARGE, MPI_INT, 0, 3, world, &request);
    MPI_Barrier(world);
    if (rank != 1)
        return;
    if (tests)
        work_and_test(&request);
    else
        work(1);
    begins('r', 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ends();
}

#if MPI_VERSION >= 4
/* A message in two parts. Rank 0 has the second one only after its work. */
static void make_ready(int *data)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, 2, 1, MPI_INT, 1, 3, world, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        work(0);
        begins('s', 1);
        MPI_Pready(1, request);
        ends();
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE); /* may wait for the other's start, if that is late */
    } else if (rank == 1) {
        MPI_Precv_init(data, 2, 1, MPI_INT, 0, 3, world, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        begins('r', 0);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ends();
    }
    if (rank < 2)
        MPI_Request_free(&request);
}
#else
static void make_ready(int *data)
{
    exit(2);
}
#endif

static void later(int *data)
{
    int sum;
    MPI_Request request;
    begins('b', 0);
    MPI_Iallreduce(data, &sum, 1, MPI_INT, MPI_SUM, world, &request);
    ends();
    begins('c', 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ends();
}

static MPI_Win window;

static void make_window(void)
{
    int *memory;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &window);
}

/* Rank 1 writes into rank 0's window. */
static void grant_access(int *data, int late_in_it)
{
    int other = 1 - rank;
    MPI_Group all, group;
    if (rank == 2)
        return;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &other, &group);
    begins(rank == 0 ? 'o' : 'a', other);
    if (rank == 0)
        MPI_Win_post(group, 0, window);
    else
        MPI_Win_start(group, 0, window);
    ends();
    if (rank == 1) {
        MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        work(late_in_it ? 1 : -1);
    }
    begins(rank == 0 ? 'w' : 'l', other);
    if (rank == 0)
        MPI_Win_wait(window);
    else
        MPI_Win_complete(window);
    ends();
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void lock_window(int *data, int flushes)
{
    for (int turn = 0; turn < 2; turn++) {
        if (rank == turn) {
            begins('k', 2);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
            ends();
            MPI_Put(data, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        }
        if ((rank == 0 && turn == 0) || (rank == 1 && turn == 1 && flushes))
            MPI_Win_flush(2, window); /* MPI may put the lock off until then */
        if (turn == 0) {
            MPI_Barrier(world);
            work(0);
        }
        if (rank == turn) {
            begins('u', 2);
            MPI_Win_unlock(2, window);
            ends();
        }
    }
    MPI_Barrier(world);
}

static const char *const makers[] = {"dup",   "split", "create", "group",  "cart", "graph",
                                     "inter", "merge", "idup",   "window", "file"};

static int is_maker(const char *way)
{
    for (unsigned i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        if (strcmp(makers[i], way) == 0)
            return 1;
    return 0;
}

/* What they make of one side each, rank 0 and the others. */
static MPI_Comm local, across = MPI_COMM_NULL;

static void make_sides(void)
{
    MPI_Comm_split(world, rank > 0, rank, &local);
    MPI_Intercomm_create(local, 0, world, rank > 0 ? 0 : 1, 5, &across);
}

static MPI_Comm make_comm(const char *way)
{
    static const int size = 3, none = 0, degree = 0;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all;
    MPI_Comm_group(world, &all);
    begins('c', 0);
    if (strcmp(way, "dup") == 0)
        MPI_Comm_dup(world, &made);
    else if (strcmp(way, "split") == 0)
        MPI_Comm_split(world, 0, rank, &made);
    else if (strcmp(way, "create") == 0)
        MPI_Comm_create(world, all, &made);
    else if (strcmp(way, "group") == 0)
        MPI_Comm_create_group(world, all, 7, &made);
    else if (strcmp(way, "cart") == 0)
        MPI_Cart_create(world, 1, &size, &none, 0, &made);
    else if (strcmp(way, "graph") == 0)
        MPI_Dist_graph_create_adjacent(world, degree, &none, MPI_UNWEIGHTED, degree, &none, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &made);
    else if (strcmp(way, "inter") == 0)
        MPI_Intercomm_create(local, 0, world, rank > 0 ? 0 : 1, 6, &made);
    else
        MPI_Intercomm_merge(across, rank > 0, &made);
    ends();
    MPI_Group_free(&all);
    return made;
}

static void make_later(void)
{
    MPI_Comm made;
    MPI_Request request;
    begins('b', 0);
    MPI_Comm_idup(world, &made, &request);
    ends();
    begins('c', 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ends();
    MPI_Comm_free(&made);
}

static void make(const char *way)
{
    int *memory;
    MPI_Win made;
    MPI_File file;
    MPI_Comm comm;
    if (strcmp(way, "idup") == 0) {
        make_later();
    } else if (strcmp(way, "window") == 0) {
        begins('c', 0);
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &made);
        ends();
        MPI_Win_free(&made);
    } else if (strcmp(way, "file") == 0) {
        begins('c', 0);
        MPI_File_open(world, "made", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        ends();
        MPI_File_close(&file);
    } else {
        comm = make_comm(way);
        MPI_Comm_free(&comm);
    }
    MPI_Barrier(world);
}

/* Rank 0 on one side, the others on the other one. */
static void across_groups(int *data)
{
    begins('c', 0);
    MPI_Bcast(data, 1, MPI_INT, rank == 0 ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL, across);
    ends();
}

static int late_of(const char *way)
{
    static const struct {
        const char *way;
        int rank;
    } late[] = {{"all", 2},      {"later", 2},   {"across", 2},   {"fence", 2}, {"receiver", 1}, {"scan", 1},
                {"exposed", -1}, {"locked", -1}, {"flushed", -1}, {"idle", -1}, {"tested", -1}};
    for (unsigned i = 0; i < sizeof(late) / sizeof(late[0]); i++)
        if (strcmp(late[i].way, way) == 0)
            return late[i].rank;
    return is_maker(way) ? 2 : 0;
}

static void one_round(const char *way, int *data)
{
    int sum;
    work(late_of(way));
    if (strcmp(way, "end") == 0)
        return;
    if (strcmp(way, "sender") == 0) {
        pass_on(0, 1, data, 1, DOES_NOT_ASK);
    } else if (strcmp(way, "request") == 0) {
        pass_on(0, 1, data, 1, ASKS_ONCE);
    } else if (strcmp(way, "polling") == 0) {
        pass_on(0, 1, data, 1, ASKS_AGAIN);
    } else if (strcmp(way, "receiver") == 0) {
        pass_on(0, 1, data, MANY, DOES_NOT_ASK);
    } else if (strcmp(way, "chain") == 0) {
        pass_on(0, 1, data, 1, DOES_NOT_ASK);
        pass_on(1, 2, data, 1, DOES_NOT_ASK);
    } else if (strcmp(way, "ready") == 0) {
        make_ready(data);
    } else if (strcmp(way, "idle") == 0 || strcmp(way, "tested") == 0) {
        receive_idly(data, way[0] == 't');
    } else if (is_maker(way)) {
        make(way);
    } else if (strcmp(way, "some") == 0 || strcmp(way, "any") == 0 || strcmp(way, "every") == 0 ||
               strcmp(way, "status") == 0 || strcmp(way, "probe") == 0 || strcmp(way, "matched") == 0) {
        ask_now_and_then(way, data);
    } else if (strcmp(way, "later") == 0) {
        later(data);
    } else if (strcmp(way, "across") == 0) {
        across_groups(data);
    } else if (strcmp(way, "post") == 0 || strcmp(way, "exposed") == 0) {
        grant_access(data, way[0] == 'e');
    } else if (strcmp(way, "locked") == 0 || strcmp(way, "flushed") == 0) {
        lock_window(data, way[0] == 'f');
    } else {
        begins('c', 0);
        if (strcmp(way, "root") == 0)
            MPI_Bcast(data, 1, MPI_INT, 0, world);
        else if (strcmp(way, "scan") == 0)
            MPI_Scan(data, &sum, 1, MPI_INT, MPI_SUM, world);
        else if (strcmp(way, "fence") == 0)
            MPI_Win_fence(0, window);
        else
            MPI_Allreduce(data, &sum, 1, MPI_INT, MPI_SUM, world);
        ends();
    }
}

/* Rank 0's first thread waits for a message of rank 1, and its second for the first. */
static void held(int *data)
{
    if (rank == 1)
        usleep(LONG);
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        pass_on(1, 0, data, 1, 0);
    }
}

#if MPI_VERSION >= 4
static MPI_Session session;

static void open_session(void)
{
    MPI_Group all;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "waits", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
    MPI_Group_free(&all);
}

static void close_session(void)
{
    MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
}
#else
static void open_session(void)
{
    exit(2);
}

static void close_session(void)
{
}
#endif

static void initialize(int by_session)
{
    int provided;
    world = MPI_COMM_WORLD;
    if (by_session)
        open_session();
    else
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
}

static void finalize(int by_session)
{
    if (by_session)
        close_session();
    else
        MPI_Finalize();
}

int main(int argc, char **argv)
{
    int *data = calloc(MANY, sizeof(*data));
    initialize(argc > 2);
    MPI_Comm_rank(world, &rank);
    const int ends_alone = strcmp(argv[1], "end") == 0;
    work(-1);
    if (!ends_alone) {
        make_window();
        make_sides();
        MPI_Barrier(world);
    }
    for (int i = 0; i < ROUNDS; i++)
        if (strcmp(argv[1], "held") == 0)
            held(data);
        else
            one_round(argv[1], data);
    if (!ends_alone) {
        MPI_Comm_free(&across);
        MPI_Comm_free(&local);
        MPI_Win_free(&window);
    } else {
        begins('c', 0);
    }
    finalize(argc > 2);
    if (ends_alone)
        ends();
    for (int i = 0; i < count; i++)
        printf("%d %c %d %ld %ld\n", rank, calls[i].what, calls[i].peer, calls[i].begin, calls[i].end);
    free(data);
    return 0;
}
