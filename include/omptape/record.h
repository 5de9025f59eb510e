/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The record: what a callback appends to its thread's chunk, and what the writer reads. Written by program
 * threads (buffers/producer.h), read by the writer process (buffers/consumer.h).
 *
 * A record is a header of two words and a payload of whole 64-bit words. `time` is a raw reading of the clock
 * named in the shared-memory header. Within one thread's stream it decreases only if the clock does. The
 * comment of each kind lists its fields: `a` and `b` are the header's small fields, p0, p1... the words of
 * the payload. Addresses are the traced program's. Identities are described below.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct omptape_record {
    uint64_t time;
    uint8_t kind; /* enum omptape_kind. */
    /* Size of the whole record in 64-bit words, header included: 2 to 255. */
    uint8_t words;
    uint16_t a;
    uint32_t b;
    uint64_t p[];
};

enum { OMPTAPE_RECORD_HEADER_WORDS = 2, OMPTAPE_RECORD_MAX_WORDS = 255 };

/* Returns the number of words in `p`. */
static inline size_t omptape_record_payload(const struct omptape_record *record)
{
    return (size_t)record->words - OMPTAPE_RECORD_HEADER_WORDS;
}

/* Packs `a` of kinds with an endpoint: the kind's own value in the low byte, ompt_scope_endpoint_t above. */
static inline uint16_t omptape_pack_endpoint(unsigned value, unsigned endpoint)
{
    return (uint16_t)((value & 0xffU) | (endpoint << 8));
}
static inline unsigned omptape_endpoint_value(uint16_t a)
{
    return a & 0xffU;
}
static inline unsigned omptape_endpoint(uint16_t a)
{
    return (unsigned)a >> 8;
}

/* OMPT's parallel and task flags use bits 0..4 and 27..31 of an int; `a` holds bits 0..10 and 27..31. */
static inline uint16_t omptape_fold_flags(int flags)
{
    uint32_t f = (uint32_t)flags;
    return (uint16_t)((f & 0x7ffU) | ((f >> 27) << 11));
}
static inline uint32_t omptape_unfold_flags(uint16_t folded)
{
    return ((uint32_t)folded & 0x7ffU) | (((uint32_t)folded >> 11) << 27);
}

/* Identities. Parallel regions, explicit tasks and target operations are identified by the creating thread's
 * slot and a number that this slot counts. So they are unique without a shared counter. 0 means no object. An
 * implicit task has its region's identity with the top bit set, which is unique on its thread. */
#define OMPTAPE_ID_IMPLICIT (UINT64_C(1) << 63)
enum { OMPTAPE_ID_SEQUENCE_BITS = 48 };

static inline uint64_t omptape_id(uint32_t slot, uint64_t sequence)
{
    return ((uint64_t)slot << OMPTAPE_ID_SEQUENCE_BITS) |
           (sequence & ((UINT64_C(1) << OMPTAPE_ID_SEQUENCE_BITS) - 1));
}

/* "Site" below is the callback's codeptr_ra: a return address, or 0 if the runtime passed none. */
enum omptape_kind {
    OMPTAPE_NONE = 0,

    /* a: ompt_thread_t, 0: unknown; b: OS thread id. Within a stream: another thread continues the stream */
    OMPTAPE_THREAD_BEGIN = 1,
    OMPTAPE_THREAD_END = 2, /* no fields */
    /* a: folded flags; b: requested; p0: parallel id; p1: site; p2: encountering task id */
    OMPTAPE_PARALLEL_BEGIN = 3,
    OMPTAPE_PARALLEL_END = 4,   /* a: folded flags; p0: parallel id */
    OMPTAPE_TASK_CREATE = 5,    /* a: folded flags; b: has dependences; p0: task id; p1: site */
    OMPTAPE_TASK_SCHEDULE = 6,  /* a: ompt_task_status_t; p0: prior task id; p1: next task id or 0 */
    OMPTAPE_IMPLICIT_BEGIN = 7, /* a: folded flags; b: index; p0: parallel id; p1: actual parallelism */
    OMPTAPE_IMPLICIT_END = 8,   /* a: folded flags; b: index; p0: parallel id */
    /* a: how it was interpreted, enum omptape_control; p0: command; p1: modifier; p2: site */
    OMPTAPE_CONTROL_TOOL = 11,

    /* b: device; a: 1 if there is a lookup function; p: type, documentation (text) */
    OMPTAPE_DEVICE_INITIALIZE = 12,
    OMPTAPE_DEVICE_FINALIZE = 13, /* b: device */
    /* b: device; p0: module id; p1: bytes; p2: host address; p3: device address; p4...: file name (text) */
    OMPTAPE_DEVICE_LOAD = 14,
    OMPTAPE_DEVICE_UNLOAD = 15, /* b: device; p0: module id */

    OMPTAPE_SYNC_WAIT = 16,      /* a: ompt_sync_region_t + endpoint; begin: p0: site */
    OMPTAPE_MUTEX_RELEASED = 17, /* a: ompt_mutex_t; p0: wait id; p1: site */
    /* a: count in this record; b: index of the first; p0: task id; p1...: `a` variables, then their
     * ompt_dependence_type_t, one byte each */
    OMPTAPE_DEPENDENCES = 18,
    OMPTAPE_TASK_DEPENDENCE = 19, /* p0: source task id; p1: sink task id */
    OMPTAPE_WORK = 20,            /* a: ompt_work_t + endpoint; begin: p0: count; p1: site */
    OMPTAPE_MASKED = 21,          /* a: endpoint (value 0); begin: p0: site */
    /* b: mapping flags; p0: target id; p1: host address; p2: device address; p3: bytes; p4: site. One record
     * for each item */
    OMPTAPE_TARGET_MAP = 22,
    OMPTAPE_SYNC_REGION = 23,  /* a: ompt_sync_region_t + endpoint; begin: p0: site */
    OMPTAPE_LOCK_INIT = 24,    /* a: ompt_mutex_t; b: hint (low 24 bits), impl above; p0: wait id; p1: site */
    OMPTAPE_LOCK_DESTROY = 25, /* a: ompt_mutex_t; p0: wait id; p1: site */
    OMPTAPE_MUTEX_ACQUIRE = 26,  /* like LOCK_INIT */
    OMPTAPE_MUTEX_ACQUIRED = 27, /* a: ompt_mutex_t; p0: wait id; p1: site */
    OMPTAPE_NEST_LOCK = 28,      /* a: endpoint (value 0); p0: wait id; p1: site */
    OMPTAPE_FLUSH = 29,          /* p0: site */
    OMPTAPE_CANCEL = 30,         /* b: ompt_cancel_flag_t; p0: task id; p1: site */
    OMPTAPE_REDUCTION = 31,      /* a: ompt_sync_region_t + endpoint; begin: p0: site */
    OMPTAPE_DISPATCH = 32, /* a: ompt_dispatch_t; p0: start, iteration or address; p1: iterations or 0 */
    /* a: ompt_target_t + endpoint; b: device (as uint32_t); p0: target id; not at the end: p1: site; p2: id
     * of its task, or of the encountering task */
    OMPTAPE_TARGET = 33,
    /* a: ompt_target_data_op_t + endpoint (0: a single event without begin and end); b: source device (low 16
     * bits, signed), destination above; p0: operation id; p1: target id; p2: bytes; p3: source address; p4:
     * destination address; p5: site. At the end: p0: operation id; p1: destination address */
    OMPTAPE_TARGET_DATA_OP = 34,
    /* a: endpoint (value 0; endpoint 0: a single event); b: requested teams; p0: operation id; not at the
     * end: p1: target id */
    OMPTAPE_TARGET_SUBMIT = 35,
    /* a: endpoint (value 0); begin: p0: site; end: p0: count of flushes in the row (buffers/repeats.h); p1:
     * site */
    OMPTAPE_FLUSHES = 36,
    OMPTAPE_ERROR = 37, /* a: ompt_severity_t; p0: site; p1...: message (text) */
    /* The end of a row of dependences (sink, source) in a doacross loop (buffers/repeats.h).
     *
     * p0: count of
     * those without a record of their own; p1: how long the thread waited in the row, ticks */
    OMPTAPE_TURNS = 38,
    /* A row of failed tests of a lock, begun by the last MUTEX_ACQUIRE. a: ompt_mutex_t; p0: count of tests
     * (buffers/repeats.h); p1: no meaning */
    OMPTAPE_MUTEX_TESTS = 39,

    /* MPI (callbacks/mpi/). a: the function's number (src/mpi/functions.h), and whether the record also
     * stands for the function's begin or end (enum omptape_mpi_flags). "Comm" is a communicator's number in
     * the process, with the other side's rank above bit 32. */
    /* b: enum omptape_mpi_awaits; p0: return address of the call, 0: unknown; p1...: what the call waits for,
     * which is needed if it never ends */
    OMPTAPE_MPI_ENTER = 40,
    /* if it has p0 (and p1, without a meaning): it ends p0 unsuccessful polls in a row
     * (callbacks/mpi/polls.c) */
    OMPTAPE_MPI_LEAVE = 41,
    /* b: tag; p0: comm, receiver; p1: bytes; with a request: p2: its id. If it also receives, without a
     * request: p2, p3: as in OMPTAPE_MPI_AWAITS_MESSAGE. With OMPTAPE_MPI_ENTERS the last word is the return
     * address */
    OMPTAPE_MPI_SEND = 42,
    /* a received message: b: tag; p0: comm, sender; p1: bytes; p2: id of a request */
    OMPTAPE_MPI_RECEIVE = 43,
    /* b: enum omptape_mpi_progress; p0: id; after a test, p1 and p2: as in OMPTAPE_MPI_AWAITS_REQUESTS */
    OMPTAPE_MPI_REQUEST = 44,
    /* b: root; p0: comm, operation by OTF2's numbers; p1: bytes sent; p2: received; with a request: p3: its
     * id */
    OMPTAPE_MPI_COLLECTIVE = 45,
    /* a: enum omptape_mpi_comm_flags; b: the communicator's number; p0: identity, the same in all processes;
     * p1: number of the parent, UINT32_MAX: none, own rank above bit 32; p2: size; p3...: members by their
     * ranks in MPI_COMM_WORLD, in runs: first rank, count above bit 32; step.
     *
     * For a connection, whose other side is unknown: p3: identity of this side, the same in all processes of
     * the parent; p4: size of the other side, enum omptape_mpi_connection_kind above bit 32, bit 40: this
     * side's ranks are first, bit 41: the process is the root; p5: a number of the connection's name, 0:
     * unknown */
    OMPTAPE_MPI_COMM = 46,
    /* A new window. b: its number; p0: the communicator's number, above bit 32 the count of earlier windows
     * on it */
    OMPTAPE_MPI_WINDOW = 47,
    /* b: enum omptape_mpi_rma, and above bit 8 the detail described there; p0: window, rank above bit 32,
     * UINT32_MAX: all */
    OMPTAPE_MPI_RMA = 48,
    /* A file that is opened, or deleted by name. b: its number; p0: the communicator's number, UINT32_MAX:
     * deleted. Above bit 32 of p0: the count of files opened on it before; p1...: its name (text) */
    OMPTAPE_MPI_FILE = 49,
    /* b: enum omptape_mpi_io, and above bit 8 the detail described there; p0: the file's number */
    OMPTAPE_MPI_FILE_IO = 50,
    /* All members create or free a communicator. b: 1: they free it; p0: the communicator whose members
     * they are. Above bit 32 of p0: the number of the created or freed one, UINT32_MAX: unknown; with a
     * request: p1: its id. With OMPTAPE_MPI_ENTERS the operation began with the call, whose record did not
     * contain it */
    OMPTAPE_MPI_COMM_CHANGE = 51,

    /* Annotations of the program (include/omptape/user.h). a: enum omptape_user_flags; b: omptape_user_pack.
     * The payload begins with the value, the step's number or the range's identity, depending on the flags.
     * It ends with the name (text). A group's name and OMPTAPE_USER_BEHIND_GROUP may precede it. */
    OMPTAPE_USER_BEGIN = 56,
    OMPTAPE_USER_END = 57, /* without OMPTAPE_USER_STACKED: ends the innermost region */
    OMPTAPE_USER_MARK = 58,

    /* Records of omptape itself. */
    OMPTAPE_FIRST_OWN = 64,
    /* the thread waited for a chunk; time: begin of the wait; p0: end */
    OMPTAPE_STALL = 64,
    OMPTAPE_DROPPED = 65, /* p0: count of events dropped since `time`; p1: when dropping ended */
    /* b: the thread's place number, UINT32_MAX: none; p: the processors it may run on, bit n: processor n */
    OMPTAPE_PLACE = 66,
    /* a module loaded at this address from now on; p0: begin; p1: end; p2: offset in its file; p3...: path
     * (text) */
    OMPTAPE_MODULE = 67,
    /* A piece of a sample (buffers/signal_samples.h). a: number of the piece; b: words of the whole sample;
     * p: this piece's words. It has the registers in the order of perf_event_open, then the stack from its
     * pointer on. */
    OMPTAPE_SAMPLE = 68,

    /* Devices (device/). The runtime delivers these on any thread; they do not concern that thread. `time` is
     * when they were delivered; device times are in units of the device. b: the device's number. */
    OMPTAPE_FIRST_OF_DEVICES = 69,
    /* a: enum omptape_device_producer; p: reason (text), then lines "key=value" about its interface (text) */
    OMPTAPE_DEVICE_TRACING = 69,
    OMPTAPE_DEVICE_ANCHOR = 70, /* a: enum omptape_anchor; p: its readings */
    /* a: ompt_callbacks_t; p0: time; p1: thread id; p2: target id; p3...: an unchanged copy of the member of
     * ompt_record_ompt_t's union for this type */
    OMPTAPE_DEVICE_RECORD = 71,
    /* a: ompt_record_native_t (low byte), enum omptape_activity above; p0: start; p1: end; p2: hardware id
     * or stream; p3: operation id or 0; p4: bytes; p5: enum omptape_copy (low 8 bits), peer device
     * (signed, 32 bits above bit 32); p6: teams or blocks, threads of each above bit 32; p7: correlation
     * id of CUDA or 0; p8: context; p9...: name (text) */
    OMPTAPE_DEVICE_NATIVE = 72,
    /* sums so far; p0: buffers requested; p1: requests refused; p2: completions; p3: records; p4: invalid
     * ones; p5: buffers not returned; p6: records dropped because the host's buffers were full */
    OMPTAPE_DEVICE_SUMMARY = 73,
    OMPTAPE_KIND_COUNT = 74
};

/* Returns the header's second word, which has four small fields. */
static inline uint64_t omptape_record_header(enum omptape_kind kind, size_t words, unsigned a, uint32_t b)
{
    return (uint64_t)kind | ((uint64_t)words << 8) | ((uint64_t)(a & 0xffffU) << 16) | ((uint64_t)b << 32);
}

/* Limits on a sample's words. With this part of the stack most stacks are unwound to main. */
enum {
    OMPTAPE_SAMPLE_PIECE_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS,
    OMPTAPE_SAMPLE_WORDS = 4 * OMPTAPE_SAMPLE_PIECE_WORDS
};

/* `a` of the records of annotations. */
enum omptape_user_flags {
    OMPTAPE_USER_IS_STEP = 1, /* p: its number; ends the previous step */
    /* The region has a stack and a level; otherwise the innermost one ends first. */
    OMPTAPE_USER_STACKED = 2,
    OMPTAPE_USER_BEGINS = 4,      /* For a mark: a range begins. */
    OMPTAPE_USER_ENDS = 8,        /* For a mark: a range ends, without a name; p: its identity. */
    OMPTAPE_USER_TEXT = 16,       /* The record contains the name. */
    OMPTAPE_USER_KEEP = 32,       /* The name has its number in this stream from now on. */
    OMPTAPE_USER_CODE = 128,      /* p: the address of a function, in place of a name. */
    OMPTAPE_USER_THREAD = 2048,   /* For a mark: p0: a thread, 0: this one; its name (text). */
    OMPTAPE_USER_EXCLUDED = 4096, /* For a mark: the function is not recorded any more. */
    /* For a mark: the value belongs to a metric of this name, not to a region. */
    OMPTAPE_USER_METRIC = 8192,
    /* p: a value, behind the identity; its enum omptape_user_type is above bit 8. */
    OMPTAPE_USER_VALUE = 64,
};
enum { OMPTAPE_USER_NAMES = 1024, OMPTAPE_USER_LEVELS = 4096, OMPTAPE_USER_BEHIND_GROUP = 0x1f };

/* Commands of omp_control_tool that OpenMP leaves to tools; the argument is a text. */
enum omptape_user_command {
    OMPTAPE_USER_COMMAND_BEGIN = 64,
    OMPTAPE_USER_COMMAND_END = 65,
    OMPTAPE_USER_COMMAND_MARK = 66,
    OMPTAPE_USER_COMMAND_STEP = 67, /* The modifier is the step's number. */
};

/* Packs `b` of the records of annotations: the name's number, the stack, and the regions open on it. */
static inline uint32_t omptape_user_pack(unsigned number, unsigned stack, unsigned level)
{
    return number | (uint32_t)stack << 10 | (uint32_t)(level % OMPTAPE_USER_LEVELS) << 20;
}
static inline unsigned omptape_user_number(uint32_t b)
{
    return b % OMPTAPE_USER_NAMES;
}
static inline unsigned omptape_user_stack(uint32_t b)
{
    return b >> 10 & 0x3ff;
}
/* Returns stack and level as one number. */
static inline unsigned omptape_user_place(uint32_t b)
{
    return b / OMPTAPE_USER_NAMES;
}

/* `a` of MPI's records, above the function's number. */
enum omptape_mpi_flags {
    OMPTAPE_MPI_FUNCTION_MASK = 0x3fff,
    OMPTAPE_MPI_LEAVES = 0x4000, /* The function ends directly after the recorded event. */
    OMPTAPE_MPI_ENTERS = 0x8000  /* The function begins directly before the recorded event. */
};
/* What a call waits for. */
enum omptape_mpi_awaits {
    OMPTAPE_MPI_AWAITS_NOTHING,
    OMPTAPE_MPI_AWAITS_MESSAGE,    /* p1: comm, sender, UINT32_MAX: any; p2: tag, UINT32_MAX: any */
    OMPTAPE_MPI_AWAITS_COLLECTIVE, /* p1: comm, operation by OTF2's numbers; p2: root */
    OMPTAPE_MPI_AWAITS_WINDOW,     /* p1: comm of the window, rank, UINT32_MAX: all */
    /* Three words for each of at most OMPTAPE_MPI_AWAITED_REQUESTS. The id; comm, with sender or operation
     * above bit 32; tag or root, enum omptape_mpi_awaits above bit 32 (NOTHING for a send) */
    OMPTAPE_MPI_AWAITS_REQUESTS,
};
enum { OMPTAPE_MPI_AWAITED_REQUESTS = 16, OMPTAPE_MPI_AWAITED_WORDS = 3 };
/* The progress of a request. */
enum omptape_mpi_progress {
    OMPTAPE_MPI_RECEIVE_POSTED,
    OMPTAPE_MPI_SEND_COMPLETE,
    OMPTAPE_MPI_TESTED,
    OMPTAPE_MPI_CANCELLED,
    OMPTAPE_MPI_COLLECTIVE_POSTED,
};
enum omptape_mpi_comm_flags {
    OMPTAPE_MPI_COMM_SELF = 1,      /* The communicator of this process alone; no members are listed. */
    OMPTAPE_MPI_COMM_LIKE = 2,      /* The members are those of the parent. */
    OMPTAPE_MPI_COMM_CONTINUED = 4, /* Another record has more members. */
    OMPTAPE_MPI_COMM_MORE = 8,      /* This record continues the members of the previous one. */
    /* Not a communicator, but a group of processes; groups have their own numbers. */
    OMPTAPE_MPI_COMM_GROUP = 16,
    OMPTAPE_MPI_COMM_CONNECTION =
        32, /* The communicator of two sides; the other one may be in another world. */
    /* Members are not ranks, but places in the parent, or in its window's communicator. */
    OMPTAPE_MPI_COMM_OF_PARENT = 64,
    /* For OMPTAPE_MPI_WORLD: there is no such communicator, but a session's set of the same processes. A
     * second record without this flag may follow. */
    OMPTAPE_MPI_COMM_SET = 128,
    /* A communicator made by omptape, with the members of its parent. Partitioned messages of the parent (MPI
     * 4.0, 4.2) are recorded on it, because they never match other messages. */
    OMPTAPE_MPI_COMM_PARTITIONED = 256,
};
/* How processes of several worlds join. Except for the first two, both sides have the same value. */
enum omptape_mpi_connection_kind {
    OMPTAPE_MPI_SPAWN,   /* These processes spawned the others. */
    OMPTAPE_MPI_SPAWNED, /* The others spawned these processes. */
    OMPTAPE_MPI_CONNECT, /* They connected by a port. */
    OMPTAPE_MPI_JOIN,    /* They connected by a socket. */
    OMPTAPE_MPI_UNKNOWN  /* Unknown. */
};
/* Operations on a window. */
enum omptape_mpi_rma {
    OMPTAPE_MPI_RMA_PUT,       /* p1: bytes; p2: id of the operation */
    OMPTAPE_MPI_RMA_GET,       /* the same */
    OMPTAPE_MPI_RMA_ATOMIC,    /* type by OTF2's numbers; p1: bytes sent; p2: received; p3: id */
    OMPTAPE_MPI_RMA_COMPLETE,  /* 1: at the origin, 2: at the target, 3: both; p1: id */
    OMPTAPE_MPI_RMA_LOCK,      /* 1: shared */
    OMPTAPE_MPI_RMA_UNLOCK,    /* no detail */
    OMPTAPE_MPI_RMA_CREATED,   /* 1: MPI allocated its memory */
    OMPTAPE_MPI_RMA_DESTROYED, /* after MPI_ENTER with OMPTAPE_MPI_ENTERS */
    OMPTAPE_MPI_RMA_FENCE,     /* after MPI_ENTER with OMPTAPE_MPI_ENTERS */
    OMPTAPE_MPI_RMA_GROUP,     /* 1: the memory is synchronised, too; p1: group */
    OMPTAPE_MPI_RMA_SYNC,      /* with the process itself */
};
/* Operations on a file. */
enum omptape_mpi_io {
    OMPTAPE_MPI_IO_OPENED,  /* p1: mode (enum omptape_mpi_mode) */
    OMPTAPE_MPI_IO_CLOSED,  /* 1: also deleted */
    OMPTAPE_MPI_IO_DELETED, /* no detail */
    /* 0: from the start, 1: from the current position, 2: from the end; p1: the offset passed; p2: the new
     * position */
    OMPTAPE_MPI_IO_SEEK,
    /* enum omptape_mpi_io_flags, and 8 if it is non-blocking; p1: bytes requested; p2: id of the operation;
     * p3: offset, if it has one */
    OMPTAPE_MPI_IO_BEGIN,
    OMPTAPE_MPI_IO_ISSUED,    /* p1: id */
    OMPTAPE_MPI_IO_TESTED,    /* p1: id */
    OMPTAPE_MPI_IO_CANCELLED, /* p1: id; MPI refused the operation */
    OMPTAPE_MPI_IO_COMPLETE,  /* p1: bytes; p2: id */
};
enum { OMPTAPE_MPI_IO_NON_BLOCKING = 8 };
/* MPI_MODE_... by the numbers of Open MPI and MPICH. */
enum omptape_mpi_mode {
    OMPTAPE_MPI_MODE_CREATE = 1,
    OMPTAPE_MPI_MODE_RDONLY = 2,
    OMPTAPE_MPI_MODE_WRONLY = 4,
    OMPTAPE_MPI_MODE_RDWR = 8,
    OMPTAPE_MPI_MODE_DELETE_ON_CLOSE = 16,
    OMPTAPE_MPI_MODE_UNIQUE_OPEN = 32,
    OMPTAPE_MPI_MODE_EXCL = 64,
    OMPTAPE_MPI_MODE_APPEND = 128,
    OMPTAPE_MPI_MODE_SEQUENTIAL = 256
};
/* The predefined communicators. */
enum { OMPTAPE_MPI_WORLD = 0, OMPTAPE_MPI_SELF = 1, OMPTAPE_MPI_FIRST_COMM = 2 };

/* The source of a device's records. */
enum omptape_device_producer {
    OMPTAPE_PRODUCER_HOST = 0, /* None: its timeline shows what the host observed. */
    /* The runtime's tracing interface (OpenMP 5.2 section 19.6). */
    OMPTAPE_PRODUCER_RUNTIME = 1,
    OMPTAPE_PRODUCER_CUPTI = 2,
};

/* The same moment on two clocks. Host times are read directly before and after the other. */
enum omptape_anchor {
    OMPTAPE_ANCHOR_DEVICE = 0, /* up to 8 times: before, ompt_get_device_time, after */
    OMPTAPE_ANCHOR_WTIME = 1,  /* up to 8 times: before, omp_get_wtime (bits of a double), after */
    /* up to 8 times: device time, its ompt_translate_time (bits of a double) */
    OMPTAPE_ANCHOR_TRANSLATED = 2,
};
enum { OMPTAPE_ANCHOR_READINGS = 8 };

/* The kind of activity of a native record, if its producer knows more than OMPT's classes. */
enum omptape_activity {
    OMPTAPE_ACTIVITY_OTHER = 0,
    OMPTAPE_ACTIVITY_KERNEL = 1,
    OMPTAPE_ACTIVITY_COPY = 2,
    OMPTAPE_ACTIVITY_SET = 3, /* Memory is filled. */
    OMPTAPE_ACTIVITY_SYNC = 4,
    OMPTAPE_ACTIVITY_ALLOC = 5,
    OMPTAPE_ACTIVITY_FREE = 6,
};
enum omptape_copy {
    OMPTAPE_COPY_OTHER = 0,
    OMPTAPE_COPY_TO_DEVICE = 1,
    OMPTAPE_COPY_FROM_DEVICE = 2,
    OMPTAPE_COPY_ON_DEVICE = 3,
    OMPTAPE_COPY_PEER = 4, /* Between two devices; the record's device is the destination. */
    OMPTAPE_COPY_HOST = 5,
};

/* CUDA devices without an OpenMP number have this number plus CUDA's. */
enum { OMPTAPE_FIRST_CUDA_DEVICE = 0x4000 };

/* THREAD_BEGIN's `a` of a thread that has only delivered device records. It gets a location only when it
 * records an event of its own. */
enum { OMPTAPE_THREAD_DELIVERS = 255 };

/* The commands of omp_control_tool: omp_control_tool_t of OpenMP 5.2, section 18.14. */
enum omptape_control {
    OMPTAPE_CONTROL_UNKNOWN = 0,
    OMPTAPE_CONTROL_START = 1,
    OMPTAPE_CONTROL_PAUSE = 2,
    OMPTAPE_CONTROL_FLUSH = 3,
    OMPTAPE_CONTROL_END = 4,
};

/* Text in a payload is UTF-8, zero-terminated, and padded with zeros to whole words. Several texts follow
 * each other, each padded on its own. A text is cut to fit into OMPTAPE_RECORD_MAX_WORDS. */
