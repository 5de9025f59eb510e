/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of all kinds of events in OTF2. The arguments of EVENT_KIND are OTF2's name, the record's type byte,
 * the reader's kind, the parameters of OTF2's callback, its references and values. The file events.c includes
 * the table and generates the callbacks.
 */

/* Events of OpenMP programs. */
EVENT_KIND(Unknown, 0, UNKNOWN, (AT), NOTHING)
EVENT_KIND(BufferFlush, 10, BUFFER_FLUSH, (AT, OTF2_TimeStamp stop), VALUES(stop))
EVENT_KIND(MeasurementOnOff, 11, MEASUREMENT, (AT, OTF2_MeasurementMode mode), VALUES(mode))
EVENT_KIND(Enter, 12, ENTER, (AT, OTF2_RegionRef region), REFS(TO(REGION, "region", region)))
EVENT_KIND(Leave, 13, LEAVE, (AT, OTF2_RegionRef region), REFS(TO(REGION, "region", region)))
EVENT_KIND(CallingContextEnter, 66, CONTEXT_ENTER, (AT, OTF2_CallingContextRef context, uint32_t distance),
           REFS(TO(CALLING_CONTEXT, "calling context", context)), VALUES(distance))
EVENT_KIND(CallingContextLeave, 67, CONTEXT_LEAVE, (AT, OTF2_CallingContextRef context),
           REFS(TO(CALLING_CONTEXT, "calling context", context)))
EVENT_KIND(ThreadFork, 53, FORK, (AT, OTF2_Paradigm model, uint32_t requested),
           REFS(TO(PARADIGM, "paradigm", model)), VALUES(requested))
EVENT_KIND(ThreadJoin, 54, JOIN, (AT, OTF2_Paradigm model), REFS(TO(PARADIGM, "paradigm", model)))
EVENT_KIND(ThreadTeamBegin, 55, TEAM_BEGIN, (AT, OTF2_CommRef team), REFS(TO(COMM, "thread team", team)))
EVENT_KIND(ThreadTeamEnd, 56, TEAM_END, (AT, OTF2_CommRef team), REFS(TO(COMM, "thread team", team)))
EVENT_KIND(ThreadAcquireLock, 57, LOCK_ACQUIRE, (AT, OTF2_Paradigm model, uint32_t lock, uint32_t order),
           REFS(TO(PARADIGM, "paradigm", model)), VALUES(lock, order))
EVENT_KIND(ThreadReleaseLock, 58, LOCK_RELEASE, (AT, OTF2_Paradigm model, uint32_t lock, uint32_t order),
           REFS(TO(PARADIGM, "paradigm", model)), VALUES(lock, order))
EVENT_KIND(ThreadTaskCreate, 59, TASK_CREATE, (AT, OTF2_CommRef team, uint32_t thread, uint32_t generation),
           REFS(TO(COMM, "thread team", team)), VALUES(thread, generation))
EVENT_KIND(ThreadTaskSwitch, 60, TASK_SWITCH, (AT, OTF2_CommRef team, uint32_t thread, uint32_t generation),
           REFS(TO(COMM, "thread team", team)), VALUES(thread, generation))
EVENT_KIND(ThreadTaskComplete, 61, TASK_COMPLETE,
           (AT, OTF2_CommRef team, uint32_t thread, uint32_t generation), REFS(TO(COMM, "thread team", team)),
           VALUES(thread, generation))
EVENT_KIND(ParameterString, 32, PARAMETER, (AT, OTF2_ParameterRef parameter, OTF2_StringRef string),
           REFS(TO(PARAMETER, "parameter", parameter), TO(STRING, "value", string)),
           VALUES(OTF2_PARAMETER_TYPE_STRING))
EVENT_KIND(ParameterInt, 33, PARAMETER, (AT, OTF2_ParameterRef parameter, int64_t value),
           REFS(TO(PARAMETER, "parameter", parameter)), VALUES(OTF2_PARAMETER_TYPE_INT64, (uint64_t)value))
EVENT_KIND(ParameterUnsignedInt, 34, PARAMETER, (AT, OTF2_ParameterRef parameter, uint64_t value),
           REFS(TO(PARAMETER, "parameter", parameter)), VALUES(OTF2_PARAMETER_TYPE_UINT64, value))
EVENT_KIND(Metric, 31, METRIC,
           (AT, OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types, const OTF2_MetricValue *values),
           REFS(TO(METRIC, "metric", metric)), VALUES(count), .count = count, .types = types,
           .values = values)
EVENT_KIND(ProgramBegin, 83, PROGRAM_BEGIN,
           (AT, OTF2_StringRef program, uint32_t count, const OTF2_StringRef *strings),
           REFS(TO(STRING, "program name", program)), .count = count, .strings = strings)
EVENT_KIND(ProgramEnd, 84, PROGRAM_END, (AT, int64_t status), VALUES((uint64_t)status))

/* Remote memory access: transfers and windows. */
EVENT_KIND(RmaPut, 46, RMA_OPERATION,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t bytes, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, matching, bytes))
EVENT_KIND(RmaGet, 47, RMA_OPERATION,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t bytes, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, matching, bytes))
EVENT_KIND(RmaAtomic, 48, RMA_OPERATION,
           (AT, OTF2_RmaWinRef win, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent,
            uint64_t received, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, matching, sent, received))
EVENT_KIND(RmaOpCompleteBlocking, 49, RMA_COMPLETE, (AT, OTF2_RmaWinRef win, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(0, matching))
EVENT_KIND(RmaOpCompleteNonBlocking, 50, RMA_COMPLETE, (AT, OTF2_RmaWinRef win, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(0, matching))
EVENT_KIND(RmaOpCompleteRemote, 52, RMA_COMPLETE, (AT, OTF2_RmaWinRef win, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(0, matching, 1))
EVENT_KIND(RmaOpTest, 51, OTHER, (AT, OTF2_RmaWinRef win, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(0, matching))
EVENT_KIND(RmaWinCreate, 35, OTHER, (AT, OTF2_RmaWinRef win), REFS(TO(RMA_WIN, "window", win)))
EVENT_KIND(RmaWinDestroy, 36, OTHER, (AT, OTF2_RmaWinRef win), REFS(TO(RMA_WIN, "window", win)))
EVENT_KIND(RmaCollectiveBegin, 37, OTHER, (AT), NOTHING)
EVENT_KIND(RmaCollectiveEnd, 38, RMA_COLLECTIVE,
           (AT, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, uint32_t root,
            uint64_t sent, uint64_t received),
           REFS(TO(RMA_WIN, "window", win)), VALUES(op, root))
EVENT_KIND(RmaGroupSync, 39, RMA_GROUP,
           (AT, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, OTF2_GroupRef group),
           REFS(TO(RMA_WIN, "window", win), MAY(GROUP, "group", group)))
EVENT_KIND(RmaRequestLock, 40, OTHER,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock, OTF2_LockType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock, type))
EVENT_KIND(RmaAcquireLock, 41, RMA_LOCK,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock, OTF2_LockType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock, type))
EVENT_KIND(RmaTryLock, 42, OTHER,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock, OTF2_LockType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock, type))
EVENT_KIND(RmaReleaseLock, 43, RMA_UNLOCK, (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock))
EVENT_KIND(RmaSync, 44, OTHER, (AT, OTF2_RmaWinRef win, uint32_t remote, OTF2_RmaSyncType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, type))
EVENT_KIND(RmaWaitChange, 45, OTHER, (AT, OTF2_RmaWinRef win), REFS(TO(RMA_WIN, "window", win)))

/* Input and output. */
EVENT_KIND(IoCreateHandle, 69, IO_HANDLE,
           (AT, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
            OTF2_IoStatusFlag status),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(mode, creation, status))
EVENT_KIND(IoDestroyHandle, 70, IO_HANDLE, (AT, OTF2_IoHandleRef handle),
           REFS(TO(IO_HANDLE, "I/O handle", handle)))
EVENT_KIND(IoDuplicateHandle, 71, OTHER,
           (AT, OTF2_IoHandleRef handle, OTF2_IoHandleRef new_handle, OTF2_IoStatusFlag status),
           REFS(TO(IO_HANDLE, "I/O handle", handle), TO(IO_HANDLE, "new I/O handle", new_handle)),
           VALUES(status))
EVENT_KIND(IoSeek, 72, OTHER,
           (AT, OTF2_IoHandleRef handle, int64_t request, OTF2_IoSeekOption whence, uint64_t result),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(whence, result))
EVENT_KIND(IoChangeStatusFlags, 73, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(status))
EVENT_KIND(IoDeleteFile, 74, OTHER, (AT, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file),
           REFS(TO(IO_PARADIGM, "I/O paradigm", paradigm), TO(IO_FILE, "I/O file", file)))
EVENT_KIND(IoOperationBegin, 75, IO_OPERATION,
           (AT, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
            uint64_t bytes, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(mode, matching, bytes, flags))
EVENT_KIND(IoOperationTest, 76, OTHER, (AT, OTF2_IoHandleRef handle, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching))
EVENT_KIND(IoOperationIssued, 77, OTHER, (AT, OTF2_IoHandleRef handle, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching))
EVENT_KIND(IoOperationComplete, 78, IO_COMPLETE,
           (AT, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching, bytes))
EVENT_KIND(IoOperationCancelled, 79, IO_COMPLETE, (AT, OTF2_IoHandleRef handle, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching))
EVENT_KIND(IoAcquireLock, 80, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_LockType type),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(type))
EVENT_KIND(IoReleaseLock, 81, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_LockType type),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(type))
EVENT_KIND(IoTryLock, 82, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_LockType type),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(type))

/* MPI. */
EVENT_KIND(MpiSend, 14, MPI_SEND, (AT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length),
           REFS(TO(COMM, "communicator", comm)), VALUES(receiver, tag, length, NO_REQUEST))
EVENT_KIND(MpiIsend, 15, MPI_SEND,
           (AT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request),
           REFS(TO(COMM, "communicator", comm)), VALUES(receiver, tag, length, request))
EVENT_KIND(MpiIsendComplete, 16, MPI_SENT, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiIrecvRequest, 17, MPI_POSTED, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiRecv, 18, MPI_RECEIVE, (AT, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length),
           REFS(TO(COMM, "communicator", comm)), VALUES(sender, tag, length, NO_REQUEST))
EVENT_KIND(MpiIrecv, 19, MPI_RECEIVE,
           (AT, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request),
           REFS(TO(COMM, "communicator", comm)), VALUES(sender, tag, length, request))
EVENT_KIND(MpiRequestTest, 20, MPI_TESTED, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiRequestCancelled, 21, MPI_CANCELLED, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiCollectiveBegin, 22, MPI_COLLECTIVE_BEGIN, (AT), NOTHING)
EVENT_KIND(MpiCollectiveEnd, 23, MPI_COLLECTIVE,
           (AT, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received),
           REFS(TO(COMM, "communicator", comm)), VALUES(op, root, sent, received))
EVENT_KIND(NonBlockingCollectiveRequest, 85, MPI_COLLECTIVE_POSTED, (AT, uint64_t request), VALUES(request))
EVENT_KIND(NonBlockingCollectiveComplete, 86, MPI_COLLECTIVE_LATER,
           (AT, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received,
            uint64_t request),
           REFS(TO(COMM, "communicator", comm)), VALUES(op, root, sent, received, request))

/* Creation of communicators and threads, samples, and OTF2 1.1's events of OpenMP. */
EVENT_KIND(CommCreate, 87, COMM_CREATE, (AT, OTF2_CommRef comm), REFS(TO(COMM, "communicator", comm)))
EVENT_KIND(CommDestroy, 88, COMM_DESTROY, (AT, OTF2_CommRef comm), REFS(TO(COMM, "communicator", comm)))
EVENT_KIND(ThreadCreate, 62, THREAD_CREATE, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(ThreadBegin, 63, THREAD_BEGIN, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(ThreadWait, 64, THREAD_WAIT, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(ThreadEnd, 65, THREAD_END, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(CallingContextSample, 68, SAMPLE,
           (AT, OTF2_CallingContextRef context, uint32_t distance, OTF2_InterruptGeneratorRef generator),
           REFS(TO(CALLING_CONTEXT, "calling context", context),
                TO(INTERRUPT_GENERATOR, "interrupt generator", generator)),
           VALUES(distance))
EVENT_KIND(OmpFork, 24, OTHER, (AT, uint32_t requested), VALUES(requested))
EVENT_KIND(OmpJoin, 25, OTHER, (AT), NOTHING)
EVENT_KIND(OmpAcquireLock, 26, OTHER, (AT, uint32_t lock, uint32_t order), VALUES(lock, order))
EVENT_KIND(OmpReleaseLock, 27, OTHER, (AT, uint32_t lock, uint32_t order), VALUES(lock, order))
EVENT_KIND(OmpTaskCreate, 28, OTHER, (AT, uint64_t task), VALUES(task))
EVENT_KIND(OmpTaskSwitch, 29, OTHER, (AT, uint64_t task), VALUES(task))
EVENT_KIND(OmpTaskComplete, 30, OTHER, (AT, uint64_t task), VALUES(task))
