/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kinds of events in an archive, used by the archive's reader and by the writer's observers.
 */
#pragma once

/* Kind of an event. Kinds without a check are OTHER. The comment at each kind lists `refs`; then `value`. */
enum omptape_event_kind {
    OMPTAPE_EVENT_OTHER = 0,
    OMPTAPE_EVENT_UNKNOWN,       /* defined by a newer OTF2 than this one */
    OMPTAPE_EVENT_BUFFER_FLUSH,  /* -; stop time */
    OMPTAPE_EVENT_MEASUREMENT,   /* -; OTF2_MeasurementMode */
    OMPTAPE_EVENT_ENTER,         /* region; also the calling context that begins, if any */
    OMPTAPE_EVENT_LEAVE,         /* region; also the calling context that ends, if any */
    OMPTAPE_EVENT_CONTEXT_ENTER, /* calling context; the reader passes it as ENTER */
    OMPTAPE_EVENT_CONTEXT_LEAVE, /* calling context; the reader passes it as LEAVE */
    OMPTAPE_EVENT_FORK,          /* paradigm; threads requested */
    OMPTAPE_EVENT_JOIN,          /* paradigm */
    OMPTAPE_EVENT_TEAM_BEGIN,    /* comm */
    OMPTAPE_EVENT_TEAM_END,      /* comm */
    OMPTAPE_EVENT_TASK_CREATE,   /* comm; creating thread, generation */
    OMPTAPE_EVENT_TASK_SWITCH,   /* comm; creating thread, generation */
    OMPTAPE_EVENT_TASK_COMPLETE, /* comm; creating thread, generation */
    OMPTAPE_EVENT_LOCK_ACQUIRE,  /* paradigm; lock id, acquisition order */
    OMPTAPE_EVENT_LOCK_RELEASE,  /* paradigm; lock id, acquisition order */
    OMPTAPE_EVENT_PARAMETER, /* parameter, or parameter and string; OTF2_ParameterType, value of a number */
    OMPTAPE_EVENT_METRIC,    /* metric; number of values (see `types`, `values`) */
    OMPTAPE_EVENT_RMA_OPERATION,  /* window; remote rank, matching id, bytes */
    OMPTAPE_EVENT_RMA_COMPLETE,   /* window; -, matching id, 1 if it completes only at the remote side */
    OMPTAPE_EVENT_RMA_COLLECTIVE, /* window; OTF2_CollectiveOp, root's rank */
    OMPTAPE_EVENT_RMA_GROUP,      /* window, group with which it is synchronised */
    OMPTAPE_EVENT_RMA_LOCK,       /* window; rank or OMPTAPE_EVENT_ALL_RANKS, lock, OTF2_LockType */
    OMPTAPE_EVENT_RMA_UNLOCK,     /* window; rank or OMPTAPE_EVENT_ALL_RANKS, lock */
    OMPTAPE_EVENT_IO_HANDLE,      /* I/O handle that is created or destroyed; - */
    OMPTAPE_EVENT_IO_OPERATION, /* I/O handle; its mode, matching id, bytes requested, OTF2_IoOperationFlag */
    OMPTAPE_EVENT_IO_COMPLETE,  /* I/O handle; -, matching id, bytes (also of a cancelled operation) */
    OMPTAPE_EVENT_PROGRAM_BEGIN, /* program name; -; `strings`: the arguments */
    OMPTAPE_EVENT_PROGRAM_END,   /* -; exit status (int64_t) */
    OMPTAPE_EVENT_MPI_SEND,      /* comm; receiver's rank, tag, bytes, request or OMPTAPE_EVENT_NO_REQUEST */
    OMPTAPE_EVENT_MPI_SENT,      /* -; request */
    OMPTAPE_EVENT_MPI_POSTED,    /* -; request of a receive */
    OMPTAPE_EVENT_MPI_RECEIVE,   /* as MPI_SEND, with the sender's rank */
    OMPTAPE_EVENT_MPI_CANCELLED, /* -; request */
    OMPTAPE_EVENT_MPI_TESTED,    /* -; request that was tested and not complete */
    OMPTAPE_EVENT_MPI_COLLECTIVE_BEGIN, /* -; - */
    OMPTAPE_EVENT_MPI_COLLECTIVE,       /* comm; OTF2_CollectiveOp, root's rank, bytes sent, bytes received */
    OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED, /* -; request */
    OMPTAPE_EVENT_MPI_COLLECTIVE_LATER,  /* as MPI_COLLECTIVE, of a posted operation; request */
    OMPTAPE_EVENT_SAMPLE,                /* calling context, interrupt generator */
    OMPTAPE_EVENT_COMM_CREATE,           /* comm */
    OMPTAPE_EVENT_COMM_DESTROY,          /* comm */
    OMPTAPE_EVENT_THREAD_CREATE,         /* comm; number of the created thread */
    OMPTAPE_EVENT_THREAD_BEGIN,          /* comm; its number */
    OMPTAPE_EVENT_THREAD_WAIT,           /* comm; number of the thread that was awaited */
    OMPTAPE_EVENT_THREAD_END,            /* comm; its number, or OTF2_UNDEFINED_UINT64 */
    OMPTAPE_EVENT_KINDS
};
