/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of the attributes and parameters of events, in the order of their references. docs/mapping.md
 * describes their use. The rows of attributes are name, type, name in the archive and description; those of
 * parameters lack a description.
 */
#pragma once

#define OMPTAPE_ATTRIBUTES(ROW)                                                                              \
    ROW(SYNTHESISED, UINT8, "synthesised", "the program never reported this end")                            \
    ROW(ITERATIONS, UINT64, "iterations", "iterations of a loop, or of one chunk of it")                     \
    ROW(START, INT64, "chunk start", "first iteration of a chunk")                                           \
    ROW(COUNT, UINT64, "count", "number of sections")                                                        \
    ROW(TASK, UINT64, "task id", "identity of a task with dependences or of a target construct")             \
    ROW(FLAGS, STRING, "flags", "of a task, a cancellation or a mapping")                                    \
    ROW(WAIT_ID, UINT64, "wait id", "the runtime's name of a lock")                                          \
    ROW(HINT, UINT32, "hint", "omp_sync_hint_t")                                                             \
    ROW(LOCK_KIND, UINT32, "implementation", "of a lock: see `omptape info`")                                \
    ROW(COMMAND, UINT64, "command", "of omp_control_tool")                                                   \
    ROW(MODIFIER, UINT64, "modifier", "of omp_control_tool")                                                 \
    ROW(DEVICE, INT32, "device", "number of the device, or of a transfer's destination")                     \
    ROW(SOURCE_DEVICE, INT32, "source device", "number of a transfer's source")                              \
    ROW(BYTES, UINT64, "bytes", "size of a data operation")                                                  \
    ROW(HOST_ADDRESS, UINT64, "host address", "of a data operation")                                         \
    ROW(DEVICE_ADDRESS, UINT64, "device address", "of a data operation")                                     \
    ROW(OPERATION, UINT64, "operation id", "identity of a data operation or submission")                     \
    ROW(TARGET, UINT64, "target id", "identity of a target region")                                          \
    ROW(HOST_THREAD, LOCATION, "host thread", "whose operation a device's event belongs to")                 \
    ROW(CORRELATION, UINT64, "correlation id", "CUDA's number of an activity")                               \
    ROW(TEAM_THREADS, UINT32, "threads of a team", "of a kernel: threads of a block")                        \
    ROW(PROCESS_ID, UINT64, "ProcessId", "Process identifier")                                               \
    ROW(THREAD_ID, UINT64, "ThreadId", "Thread identifier")                                                  \
    ROW(CALL, REGION, "call site", "where a function of MPI's is called")                                    \
    ROW(OFFSET, UINT64, "Offset", "Absolute read/write offset within a file.")                               \
    ROW(CALLS, UINT64, "calls", "so many in a row; of MPI: none of which found what it asked for")           \
    ROW(LOCK, UINT32, "awaited lock", "that the thread waits for when the trace ends")                       \
    ROW(COMM, COMM, "awaited communicator", "of what a call of MPI waits for when the trace ends")           \
    ROW(RANK, UINT32, "awaited rank", "sender of a message, root, or rank of a window")                      \
    ROW(TAG, UINT32, "awaited tag", "of a message")                                                          \
    ROW(COLLECTIVE, UINT8, "awaited operation", "as OTF2_CollectiveOp numbers them")                         \
    ROW(CALLING_CONTEXT, CALLING_CONTEXT, "counted in", "where a thread's counters were read")

#define OMPTAPE_PARAMETERS(ROW)                                                                              \
    ROW(SCHEDULE, STRING, "schedule")                                                                        \
    ROW(DEPEND, STRING, "depend")                 /* one for each dependence: "in 0x7ffc..." */              \
    ROW(SINK, INT64, "depend sink")               /* iteration for which a doacross loop waits */            \
    ROW(SOURCE, INT64, "depend source")           /* iteration that a doacross loop has completed */         \
    ROW(DEPENDS_ON, UINT64, "depends on task id") /* the task that must run first */                         \
    ROW(TEAMS_REQUESTED, UINT64, "teams requested")                                                          \
    ROW(TEAMS_GRANTED, UINT64, "teams granted")                                                              \
    ROW(STEP, UINT64, "step")       /* number of a user's step */                                            \
    ROW(RANGE, UINT64, "range")     /* the user's range that begins or ends */                               \
    ROW(PAYLOAD, UINT64, "payload") /* a number that the program passes with a name */                       \
    ROW(PAYLOAD_SIGNED, INT64, "payload (signed)")                                                           \
    ROW(PAYLOAD_REAL, STRING, "payload (real)")
