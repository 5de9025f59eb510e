/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All kinds of events that OTF2 has: EVENT_KIND(its name in OTF2, what it is to the reader's users, the
 * parameters of OTF2's callback, and which of them are references and values). Included by events.c, which
 * says what EVENT_KIND makes of it.
 */

/* What OpenMP programs have. */
EVENT_KIND(Unknown, UNKNOWN, (AT), NOTHING)
EVENT_KIND(BufferFlush, BUFFER_FLUSH, (AT, OTF2_TimeStamp stop), VALUES(stop))
EVENT_KIND(MeasurementOnOff, MEASUREMENT, (AT, OTF2_MeasurementMode mode), VALUES(mode))
EVENT_KIND(Enter, ENTER, (AT, OTF2_RegionRef region), REFS(TO(REGION, "region", region)))
EVENT_KIND(Leave, LEAVE, (AT, OTF2_RegionRef region), REFS(TO(REGION, "region", region)))
EVENT_KIND(CallingContextEnter, CONTEXT_ENTER, (AT, OTF2_CallingContextRef context, uint32_t distance),
           REFS(TO(CALLING_CONTEXT, "calling context", context)), VALUES(distance))
EVENT_KIND(CallingContextLeave, CONTEXT_LEAVE, (AT, OTF2_CallingContextRef context),
           REFS(TO(CALLING_CONTEXT, "calling context", context)))
EVENT_KIND(ThreadFork, FORK, (AT, OTF2_Paradigm model, uint32_t requested),
           REFS(TO(PARADIGM, "paradigm", model)), VALUES(requested))
EVENT_KIND(ThreadJoin, JOIN, (AT, OTF2_Paradigm model), REFS(TO(PARADIGM, "paradigm", model)))
EVENT_KIND(ThreadTeamBegin, TEAM_BEGIN, (AT, OTF2_CommRef team), REFS(TO(COMM, "thread team", team)))
EVENT_KIND(ThreadTeamEnd, TEAM_END, (AT, OTF2_CommRef team), REFS(TO(COMM, "thread team", team)))
EVENT_KIND(ThreadAcquireLock, LOCK_ACQUIRE, (AT, OTF2_Paradigm model, uint32_t lock, uint32_t order),
           REFS(TO(PARADIGM, "paradigm", model)), VALUES(lock, order))
EVENT_KIND(ThreadReleaseLock, LOCK_RELEASE, (AT, OTF2_Paradigm model, uint32_t lock, uint32_t order),
           REFS(TO(PARADIGM, "paradigm", model)), VALUES(lock, order))
EVENT_KIND(ThreadTaskCreate, TASK_CREATE, (AT, OTF2_CommRef team, uint32_t thread, uint32_t generation),
           REFS(TO(COMM, "thread team", team)), VALUES(thread, generation))
EVENT_KIND(ThreadTaskSwitch, TASK_SWITCH, (AT, OTF2_CommRef team, uint32_t thread, uint32_t generation),
           REFS(TO(COMM, "thread team", team)), VALUES(thread, generation))
EVENT_KIND(ThreadTaskComplete, TASK_COMPLETE, (AT, OTF2_CommRef team, uint32_t thread, uint32_t generation),
           REFS(TO(COMM, "thread team", team)), VALUES(thread, generation))
EVENT_KIND(ParameterString, PARAMETER, (AT, OTF2_ParameterRef parameter, OTF2_StringRef string),
           REFS(TO(PARAMETER, "parameter", parameter), TO(STRING, "value", string)),
           VALUES(OTF2_PARAMETER_TYPE_STRING))
EVENT_KIND(ParameterInt, PARAMETER, (AT, OTF2_ParameterRef parameter, int64_t value),
           REFS(TO(PARAMETER, "parameter", parameter)), VALUES(OTF2_PARAMETER_TYPE_INT64))
EVENT_KIND(ParameterUnsignedInt, PARAMETER, (AT, OTF2_ParameterRef parameter, uint64_t value),
           REFS(TO(PARAMETER, "parameter", parameter)), VALUES(OTF2_PARAMETER_TYPE_UINT64))
EVENT_KIND(Metric, METRIC,
           (AT, OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types, const OTF2_MetricValue *values),
           REFS(TO(METRIC, "metric", metric)), VALUES(count), .count = count, .types = types,
           .values = values)
EVENT_KIND(ProgramBegin, PROGRAM_BEGIN,
           (AT, OTF2_StringRef program, uint32_t count, const OTF2_StringRef *strings),
           REFS(TO(STRING, "program name", program)), .count = count, .strings = strings)
EVENT_KIND(ProgramEnd, PROGRAM_END, (AT, int64_t status), VALUES((uint64_t)status))

/* Transfers (RMA). */
EVENT_KIND(RmaPut, RMA_OPERATION,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t bytes, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, matching, bytes))
EVENT_KIND(RmaGet, RMA_OPERATION,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t bytes, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, matching, bytes))
EVENT_KIND(RmaAtomic, RMA_OPERATION,
           (AT, OTF2_RmaWinRef win, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent,
            uint64_t received, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, matching, sent))
EVENT_KIND(RmaOpCompleteBlocking, RMA_COMPLETE, (AT, OTF2_RmaWinRef win, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(0, matching))
EVENT_KIND(RmaOpCompleteNonBlocking, RMA_COMPLETE, (AT, OTF2_RmaWinRef win, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(0, matching))
EVENT_KIND(RmaOpCompleteRemote, RMA_COMPLETE, (AT, OTF2_RmaWinRef win, uint64_t matching),
           REFS(TO(RMA_WIN, "window", win)), VALUES(0, matching, 1))
EVENT_KIND(RmaOpTest, OTHER, (AT, OTF2_RmaWinRef win, uint64_t matching), REFS(TO(RMA_WIN, "window", win)),
           VALUES(0, matching))
EVENT_KIND(RmaWinCreate, OTHER, (AT, OTF2_RmaWinRef win), REFS(TO(RMA_WIN, "window", win)))
EVENT_KIND(RmaWinDestroy, OTHER, (AT, OTF2_RmaWinRef win), REFS(TO(RMA_WIN, "window", win)))
EVENT_KIND(RmaCollectiveBegin, OTHER, (AT), NOTHING)
EVENT_KIND(RmaCollectiveEnd, OTHER,
           (AT, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, uint32_t root,
            uint64_t sent, uint64_t received),
           REFS(TO(RMA_WIN, "window", win)))
EVENT_KIND(RmaGroupSync, OTHER, (AT, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, OTF2_GroupRef group),
           REFS(TO(RMA_WIN, "window", win), MAY(GROUP, "group", group)))
EVENT_KIND(RmaRequestLock, OTHER,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock, OTF2_LockType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock, type))
EVENT_KIND(RmaAcquireLock, OTHER,
           (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock, OTF2_LockType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock, type))
EVENT_KIND(RmaTryLock, OTHER, (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock, OTF2_LockType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock, type))
EVENT_KIND(RmaReleaseLock, OTHER, (AT, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, lock))
EVENT_KIND(RmaSync, OTHER, (AT, OTF2_RmaWinRef win, uint32_t remote, OTF2_RmaSyncType type),
           REFS(TO(RMA_WIN, "window", win)), VALUES(remote, type))
EVENT_KIND(RmaWaitChange, OTHER, (AT, OTF2_RmaWinRef win), REFS(TO(RMA_WIN, "window", win)))

/* Input and output. */
EVENT_KIND(IoCreateHandle, OTHER,
           (AT, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
            OTF2_IoStatusFlag status),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(mode, creation, status))
EVENT_KIND(IoDestroyHandle, OTHER, (AT, OTF2_IoHandleRef handle), REFS(TO(IO_HANDLE, "I/O handle", handle)))
EVENT_KIND(IoDuplicateHandle, OTHER,
           (AT, OTF2_IoHandleRef handle, OTF2_IoHandleRef new_handle, OTF2_IoStatusFlag status),
           REFS(TO(IO_HANDLE, "I/O handle", handle), TO(IO_HANDLE, "new I/O handle", new_handle)),
           VALUES(status))
EVENT_KIND(IoSeek, OTHER,
           (AT, OTF2_IoHandleRef handle, int64_t request, OTF2_IoSeekOption whence, uint64_t result),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(whence, result))
EVENT_KIND(IoChangeStatusFlags, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(status))
EVENT_KIND(IoDeleteFile, OTHER, (AT, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file),
           REFS(TO(IO_PARADIGM, "I/O paradigm", paradigm), TO(IO_FILE, "I/O file", file)))
EVENT_KIND(IoOperationBegin, OTHER,
           (AT, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
            uint64_t bytes, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(mode, matching, bytes))
EVENT_KIND(IoOperationTest, OTHER, (AT, OTF2_IoHandleRef handle, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching))
EVENT_KIND(IoOperationIssued, OTHER, (AT, OTF2_IoHandleRef handle, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching))
EVENT_KIND(IoOperationComplete, OTHER, (AT, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching, bytes))
EVENT_KIND(IoOperationCancelled, OTHER, (AT, OTF2_IoHandleRef handle, uint64_t matching),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(0, matching))
EVENT_KIND(IoAcquireLock, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_LockType type),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(type))
EVENT_KIND(IoReleaseLock, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_LockType type),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(type))
EVENT_KIND(IoTryLock, OTHER, (AT, OTF2_IoHandleRef handle, OTF2_LockType type),
           REFS(TO(IO_HANDLE, "I/O handle", handle)), VALUES(type))

/* MPI, threads that are created, and OTF2 1.1's events of OpenMP. */
EVENT_KIND(MpiSend, OTHER, (AT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length),
           REFS(TO(COMM, "communicator", comm)), VALUES(receiver, tag, length))
EVENT_KIND(MpiIsend, OTHER,
           (AT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request),
           REFS(TO(COMM, "communicator", comm)), VALUES(receiver, tag, length))
EVENT_KIND(MpiIsendComplete, OTHER, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiIrecvRequest, OTHER, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiRecv, OTHER, (AT, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length),
           REFS(TO(COMM, "communicator", comm)), VALUES(sender, tag, length))
EVENT_KIND(MpiIrecv, OTHER,
           (AT, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request),
           REFS(TO(COMM, "communicator", comm)), VALUES(sender, tag, length))
EVENT_KIND(MpiRequestTest, OTHER, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiRequestCancelled, OTHER, (AT, uint64_t request), VALUES(request))
EVENT_KIND(MpiCollectiveBegin, OTHER, (AT), NOTHING)
EVENT_KIND(MpiCollectiveEnd, OTHER,
           (AT, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received),
           REFS(TO(COMM, "communicator", comm)), VALUES(op, sent, received))
EVENT_KIND(NonBlockingCollectiveRequest, OTHER, (AT, uint64_t request), VALUES(request))
EVENT_KIND(NonBlockingCollectiveComplete, OTHER,
           (AT, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received,
            uint64_t request),
           REFS(TO(COMM, "communicator", comm)), VALUES(op, sent, received))
EVENT_KIND(CommCreate, OTHER, (AT, OTF2_CommRef comm), REFS(TO(COMM, "communicator", comm)))
EVENT_KIND(CommDestroy, OTHER, (AT, OTF2_CommRef comm), REFS(TO(COMM, "communicator", comm)))
EVENT_KIND(ThreadCreate, OTHER, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(ThreadBegin, OTHER, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(ThreadWait, OTHER, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(ThreadEnd, OTHER, (AT, OTF2_CommRef contingent, uint64_t sequence),
           REFS(TO(COMM, "thread contingent", contingent)), VALUES(sequence))
EVENT_KIND(CallingContextSample, OTHER,
           (AT, OTF2_CallingContextRef context, uint32_t distance, OTF2_InterruptGeneratorRef generator),
           REFS(TO(CALLING_CONTEXT, "calling context", context),
                TO(INTERRUPT_GENERATOR, "interrupt generator", generator)),
           VALUES(distance))
EVENT_KIND(OmpFork, OTHER, (AT, uint32_t requested), VALUES(requested))
EVENT_KIND(OmpJoin, OTHER, (AT), NOTHING)
EVENT_KIND(OmpAcquireLock, OTHER, (AT, uint32_t lock, uint32_t order), VALUES(lock, order))
EVENT_KIND(OmpReleaseLock, OTHER, (AT, uint32_t lock, uint32_t order), VALUES(lock, order))
EVENT_KIND(OmpTaskCreate, OTHER, (AT, uint64_t task), VALUES(task))
EVENT_KIND(OmpTaskSwitch, OTHER, (AT, uint64_t task), VALUES(task))
EVENT_KIND(OmpTaskComplete, OTHER, (AT, uint64_t task), VALUES(task))
