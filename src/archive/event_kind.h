/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kinds of events, as the reader of an archive and the writer of a profile pass them on.
 */
#pragma once

/* What an event is to the checks; kinds that nobody looks at closely are OTHER. Beside each: refs; value. */
enum omptape_event_kind {
    OMPTAPE_EVENT_OTHER = 0,
    OMPTAPE_EVENT_UNKNOWN,       /* of a newer OTF2 than this */
    OMPTAPE_EVENT_BUFFER_FLUSH,  /* -; stop time */
    OMPTAPE_EVENT_MEASUREMENT,   /* -; OTF2_MeasurementMode */
    OMPTAPE_EVENT_ENTER,         /* region; and the calling context, where that begins */
    OMPTAPE_EVENT_LEAVE,         /* region; likewise */
    OMPTAPE_EVENT_CONTEXT_ENTER, /* calling context; the reader hands over an ENTER */
    OMPTAPE_EVENT_CONTEXT_LEAVE, /* calling context; likewise a LEAVE */
    OMPTAPE_EVENT_FORK,          /* paradigm; threads requested */
    OMPTAPE_EVENT_JOIN,          /* paradigm */
    OMPTAPE_EVENT_TEAM_BEGIN,    /* comm */
    OMPTAPE_EVENT_TEAM_END,      /* comm */
    OMPTAPE_EVENT_TASK_CREATE,   /* comm; creating thread, generation */
    OMPTAPE_EVENT_TASK_SWITCH,   /* comm; creating thread, generation */
    OMPTAPE_EVENT_TASK_COMPLETE, /* comm; creating thread, generation */
    OMPTAPE_EVENT_LOCK_ACQUIRE,  /* paradigm; lock id, acquisition order */
    OMPTAPE_EVENT_LOCK_RELEASE,  /* paradigm; lock id, acquisition order */
    OMPTAPE_EVENT_PARAMETER, /* parameter, or parameter and string; OTF2_ParameterType, a number's value */
    OMPTAPE_EVENT_METRIC,    /* metric; number of values (see `types`, `values`) */
    OMPTAPE_EVENT_RMA_OPERATION,  /* window; remote rank, matching id, bytes */
    OMPTAPE_EVENT_RMA_COMPLETE,   /* window; -, matching id, 1 if it completes at the remote side only */
    OMPTAPE_EVENT_RMA_COLLECTIVE, /* window; OTF2_CollectiveOp, root's rank */
    OMPTAPE_EVENT_RMA_GROUP,      /* window, group that it is synchronised with */
    OMPTAPE_EVENT_RMA_LOCK,       /* window; rank or OMPTAPE_EVENT_ALL_RANKS, lock, OTF2_LockType */
    OMPTAPE_EVENT_RMA_UNLOCK,     /* window; rank or OMPTAPE_EVENT_ALL_RANKS, lock */
    OMPTAPE_EVENT_IO_HANDLE,      /* I/O handle, which begins or ends; - */
    OMPTAPE_EVENT_IO_OPERATION, /* I/O handle; its mode, matching id, bytes asked for, OTF2_IoOperationFlag */
    OMPTAPE_EVENT_IO_COMPLETE,  /* I/O handle; -, matching id, bytes: also of one that was cancelled */
    OMPTAPE_EVENT_PROGRAM_BEGIN, /* program name; -; `strings`: the arguments */
    OMPTAPE_EVENT_PROGRAM_END,   /* -; exit status (int64_t) */
    OMPTAPE_EVENT_MPI_SEND,      /* comm; receiver's rank, tag, bytes, request or OMPTAPE_EVENT_NO_REQUEST */
    OMPTAPE_EVENT_MPI_SENT,      /* -; request */
    OMPTAPE_EVENT_MPI_POSTED,    /* -; request of a receive */
    OMPTAPE_EVENT_MPI_RECEIVE,   /* as MPI_SEND, of the sender */
    OMPTAPE_EVENT_MPI_CANCELLED, /* -; request */
    OMPTAPE_EVENT_MPI_TESTED,    /* -; request, which was not complete */
    OMPTAPE_EVENT_MPI_COLLECTIVE_BEGIN, /* -; - */
    OMPTAPE_EVENT_MPI_COLLECTIVE,       /* comm; OTF2_CollectiveOp, root's rank, bytes sent, bytes received */
    OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED, /* -; request */
    OMPTAPE_EVENT_MPI_COLLECTIVE_LATER,  /* as MPI_COLLECTIVE, of one that was posted; request */
    OMPTAPE_EVENT_SAMPLE,                /* calling context, interrupt generator */
    OMPTAPE_EVENT_COMM_CREATE,           /* comm */
    OMPTAPE_EVENT_COMM_DESTROY,          /* comm */
    OMPTAPE_EVENT_KINDS
};
