/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI 5's standard binary interface, as far as abi.c and with_abi.c need it: its published constants
 * (MPI 5.0, chapter 20) and functions.
 */
#pragma once

#include <stdint.h>

typedef struct abi_comm *MPI_Comm;
typedef struct abi_group *MPI_Group;
typedef struct abi_request *MPI_Request;
typedef struct abi_type *MPI_Datatype;
typedef struct abi_op *MPI_Op;
typedef struct abi_file *MPI_File;
typedef struct abi_info *MPI_Info;
typedef struct abi_session *MPI_Session;
typedef struct abi_errhandler *MPI_Errhandler;
typedef int64_t MPI_Count;
typedef int64_t MPI_Offset;
typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

#define MPI_SUM ((MPI_Op)0x21)
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_FILE_NULL ((MPI_File)0x118)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_INFO_ENV ((MPI_Info)0x131)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_SESSION_NULL ((MPI_Session)0x120)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3, MPI_UNDEFINED = -32766 };
enum { MPI_SUCCESS = 0, MPI_ERR_OTHER = 16 };
enum { MPI_MODE_CREATE = 2, MPI_MODE_DELETE_ON_CLOSE = 4, MPI_MODE_RDWR = 32 };
enum { MPI_SEEK_CUR = 401, MPI_SEEK_END = 402, MPI_SEEK_SET = 403 };

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);
int MPI_Session_finalize(MPI_Session *session);
int MPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *group);
int MPI_Group_free(MPI_Group *group);
int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler,
                               MPI_Comm *made);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status);
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int MPI_Psend_init(const void *buffer, int parts, MPI_Count count, MPI_Datatype type, int to, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Precv_init(void *buffer, int parts, MPI_Count count, MPI_Datatype type, int from, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Pready(int part, MPI_Request request);
int MPI_Request_free(MPI_Request *request);
int MPI_Cancel(MPI_Request *request);
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Barrier(MPI_Comm comm);
int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file);
int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence);
int MPI_File_write(MPI_File file, const void *buffer, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_close(MPI_File *file);
