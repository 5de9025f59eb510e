/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI of the standard binary interface for one process, which sends messages to itself: libmpi_abi for
 * with_abi.c. A status has its bytes where nobody but this library knows.
 */
#include "abi.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 3, CANCELLED = 1 };

struct abi_request {
    int receives;
    int tag;
    int cancelled;
    int64_t bytes;
    int parts; /* 0: it is not partitioned */
    int unready;
};
struct abi_comm {
    int unused;
};
struct abi_file {
    int64_t position;
};
struct abi_session {
    int unused;
};

/* The messages that nobody has received: tags and bytes. */
static struct {
    int tag;
    int64_t bytes;
} sent[64];
static int sent_count;

#define BOTH(name, parameters)                                                                               \
    int PMPI_##name parameters;                                                                              \
    int MPI_##name parameters __attribute__((alias("PMPI_" #name)));                                         \
    int PMPI_##name parameters

/* Sessions that are open, and groups that nobody has freed. */
static int sessions;
static int groups;

static int new_group(MPI_Group *group)
{
    *group = (MPI_Group)malloc(1);
    groups++;
    return MPI_SUCCESS;
}

static int64_t size_of(MPI_Datatype type)
{
    return type == MPI_INT ? 4 : 1;
}

static void send(int64_t bytes, int tag)
{
    sent[sent_count].tag = tag;
    sent[sent_count++].bytes = bytes;
}

static int receive(int tag, MPI_Status *status)
{
    int i = 0;
    while (i < sent_count && tag != MPI_ANY_TAG && sent[i].tag != tag)
        i++;
    if (i == sent_count)
        return MPI_ERR_OTHER;
    if (status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){.MPI_TAG = sent[i].tag, .MPI_internal[BYTES] = (int)sent[i].bytes};
    for (sent_count--; i < sent_count; i++)
        sent[i] = sent[i + 1];
    return MPI_SUCCESS;
}

static int start(MPI_Request *request, int receives, int tag)
{
    *request = calloc(1, sizeof(**request));
    (*request)->receives = receives;
    (*request)->tag = tag;
    return MPI_SUCCESS;
}

static int complete(MPI_Request *request, MPI_Status *status)
{
    struct abi_request *one = *request;
    int result = MPI_SUCCESS;
    if (one == MPI_REQUEST_NULL)
        return result;
    if (one->cancelled && status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){.MPI_internal[CANCELLED] = 1};
    else if (one->receives && !one->cancelled)
        result = receive(one->tag, status);
    if (one->parts > 0)
        return result | one->unready;
    free(one);
    *request = MPI_REQUEST_NULL;
    return result;
}

BOTH(Init, (int *argc, char ***argv))
{
    return MPI_SUCCESS;
}
BOTH(Finalize, (void))
{
    return MPI_SUCCESS;
}
/* Refuses what others than it may not know. */
BOTH(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session))
{
    if (info != MPI_INFO_NULL)
        return MPI_ERR_OTHER;
    *session = malloc(sizeof(**session));
    sessions++;
    return MPI_SUCCESS;
}
BOTH(Session_finalize, (MPI_Session *session))
{
    /* Whoever uses it after this is found. */
    memset(*session, 0xff, sizeof(**session));
    free(*session);
    *session = MPI_SESSION_NULL;
    sessions--;
    return groups == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}
BOTH(Group_from_session_pset, (MPI_Session session, const char *name, MPI_Group *group))
{
    if (session == MPI_SESSION_NULL || sessions == 0 || strcmp(name, "mpi://WORLD") != 0)
        abort();
    return new_group(group);
}
BOTH(Comm_create_from_group,
     (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made))
{
    *made = malloc(sizeof(**made));
    return MPI_SUCCESS;
}
BOTH(Abi_get_version, (int *major, int *minor))
{
    *major = 1;
    *minor = 0;
    return MPI_SUCCESS;
}
BOTH(Comm_rank, (MPI_Comm comm, int *rank))
{
    *rank = 0;
    return MPI_SUCCESS;
}
BOTH(Comm_size, (MPI_Comm comm, int *size))
{
    *size = 1;
    return MPI_SUCCESS;
}
BOTH(Comm_remote_size, (MPI_Comm comm, int *size))
{
    return MPI_ERR_OTHER;
}
BOTH(Comm_test_inter, (MPI_Comm comm, int *flag))
{
    *flag = 0;
    return MPI_SUCCESS;
}
BOTH(Comm_group, (MPI_Comm comm, MPI_Group *group))
{
    return new_group(group);
}
BOTH(Comm_remote_group, (MPI_Comm comm, MPI_Group *group))
{
    return MPI_ERR_OTHER;
}
BOTH(Group_size, (MPI_Group group, int *size))
{
    *size = 1;
    return MPI_SUCCESS;
}
BOTH(Group_rank, (MPI_Group group, int *rank))
{
    *rank = 0;
    return MPI_SUCCESS;
}
BOTH(Group_free, (MPI_Group *group))
{
    free(*group);
    groups--;
    return MPI_SUCCESS;
}
BOTH(Group_translate_ranks, (MPI_Group from, int count, const int *ranks, MPI_Group to, int *found))
{
    for (int i = 0; i < count; i++)
        found[i] = ranks[i];
    return MPI_SUCCESS;
}
BOTH(Type_size, (MPI_Datatype type, int *size))
{
    *size = (int)size_of(type);
    return MPI_SUCCESS;
}
BOTH(Type_size_c, (MPI_Datatype type, MPI_Count *size))
{
    *size = size_of(type);
    return MPI_SUCCESS;
}
BOTH(Get_count_c, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count))
{
    *count = status->MPI_internal[BYTES] / size_of(type);
    return MPI_SUCCESS;
}
BOTH(Test_cancelled, (const MPI_Status *status, int *flag))
{
    *flag = status->MPI_internal[CANCELLED];
    return MPI_SUCCESS;
}
BOTH(Comm_dup, (MPI_Comm comm, MPI_Comm *made))
{
    *made = malloc(sizeof(**made));
    return MPI_SUCCESS;
}
BOTH(Comm_free, (MPI_Comm *comm))
{
    free(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
BOTH(Send, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm))
{
    if (to != MPI_PROC_NULL)
        send(count * size_of(type), tag);
    return MPI_SUCCESS;
}
BOTH(Recv, (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status))
{
    if (from != MPI_PROC_NULL)
        return receive(tag, status);
    if (status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){.MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG};
    return MPI_SUCCESS;
}
BOTH(Isend, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request))
{
    send(count * size_of(type), tag);
    return start(request, 0, tag);
}
BOTH(Irecv, (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request))
{
    return start(request, 1, tag);
}
BOTH(Wait, (MPI_Request *request, MPI_Status *status))
{
    return complete(request, status);
}
BOTH(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses))
{
    int result = MPI_SUCCESS;
    for (int i = 0; i < count; i++)
        result |= complete(&requests[i], statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE);
    return result;
}
static int partition(MPI_Request *request, int receives, int parts, int64_t bytes, int tag)
{
    start(request, receives, tag);
    (*request)->parts = parts;
    (*request)->bytes = parts * bytes;
    return MPI_SUCCESS;
}
BOTH(Psend_init, (const void *buffer, int parts, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Info info, MPI_Request *request))
{
    return partition(request, 0, parts, count * size_of(type), tag);
}
BOTH(Precv_init, (void *buffer, int parts, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Info info, MPI_Request *request))
{
    return partition(request, 1, parts, count * size_of(type), tag);
}
BOTH(Start, (MPI_Request *request))
{
    (*request)->unready = (*request)->receives ? 0 : (*request)->parts;
    return MPI_SUCCESS;
}
BOTH(Pready, (int part, MPI_Request request))
{
    if (--request->unready == 0)
        send(request->bytes, request->tag);
    return MPI_SUCCESS;
}
BOTH(Request_free, (MPI_Request *request))
{
    free(*request);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
BOTH(Cancel, (MPI_Request *request))
{
    (*request)->cancelled = 1;
    return MPI_SUCCESS;
}
BOTH(Allreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm))
{
    return MPI_SUCCESS;
}
BOTH(Barrier, (MPI_Comm comm))
{
    return MPI_SUCCESS;
}
BOTH(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file))
{
    *file = calloc(1, sizeof(**file));
    return MPI_SUCCESS;
}
BOTH(File_seek, (MPI_File file, MPI_Offset offset, int whence))
{
    file->position = whence == MPI_SEEK_CUR ? file->position + offset : offset;
    return MPI_SUCCESS;
}
BOTH(File_get_position, (MPI_File file, MPI_Offset *offset))
{
    *offset = file->position;
    return MPI_SUCCESS;
}
BOTH(File_get_position_shared, (MPI_File file, MPI_Offset *offset))
{
    return MPI_ERR_OTHER;
}
BOTH(File_write, (MPI_File file, const void *buffer, int count, MPI_Datatype type, MPI_Status *status))
{
    if (status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){.MPI_internal[BYTES] = (int)(count * size_of(type))};
    return MPI_SUCCESS;
}
BOTH(File_close, (MPI_File *file))
{
    free(*file);
    *file = MPI_FILE_NULL;
    return MPI_SUCCESS;
}
