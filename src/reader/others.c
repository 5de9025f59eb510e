/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the events that omptape does not write (MPI, threads that are created, OTF2 1.1's OpenMP events) into
 * the archive reader's uniform shape, so that any archive can be read. Called back by libotf2 in
 * omptape_reader_read_events.
 */
#include "src/reader/internal.h"

static OTF2_CallbackCode on_mpi_send(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                     OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef comm,
                                     uint32_t tag, uint64_t length)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiSend",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)},
                                        .value = {receiver, tag, length}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_isend(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                      OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef comm,
                                      uint32_t tag, uint64_t length, uint64_t request)
{
    (void)request;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiIsend",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)},
                                        .value = {receiver, tag, length}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                               OTF2_AttributeList *attributes, uint64_t request)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiIsendComplete",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {request}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                              OTF2_AttributeList *attributes, uint64_t request)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiIrecvRequest",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {request}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_recv(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                     OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef comm,
                                     uint32_t tag, uint64_t length)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiRecv",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)},
                                        .value = {sender, tag, length}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                      OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef comm,
                                      uint32_t tag, uint64_t length, uint64_t request)
{
    (void)request;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiIrecv",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)},
                                        .value = {sender, tag, length}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_request_test(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, uint64_t request)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiRequestTest",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {request}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_request_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                  OTF2_AttributeList *attributes, uint64_t request)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiRequestCancelled",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {request}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                 OTF2_AttributeList *attributes)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiCollectiveBegin",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_mpi_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                               OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                               OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                               uint64_t received)
{
    (void)root;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "MpiCollectiveEnd",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)},
                                        .value = {op, sent, received}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_non_blocking_collective_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                                            void *sink, OTF2_AttributeList *attributes,
                                                            uint64_t request)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "NonBlockingCollectiveRequest",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {request}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_non_blocking_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time,
                                                             void *sink, OTF2_AttributeList *attributes,
                                                             OTF2_CollectiveOp op, OTF2_CommRef comm,
                                                             uint32_t root, uint64_t sent, uint64_t received,
                                                             uint64_t request)
{
    (void)root;
    (void)request;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "NonBlockingCollectiveComplete",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)},
                                        .value = {op, sent, received}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_comm_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                        OTF2_AttributeList *attributes, OTF2_CommRef comm)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "CommCreate",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_comm_destroy(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                         OTF2_AttributeList *attributes, OTF2_CommRef comm)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "CommDestroy",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "communicator", comm)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                          OTF2_AttributeList *attributes, OTF2_CommRef contingent,
                                          uint64_t sequence)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "ThreadCreate",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread contingent", contingent)},
        .value = {sequence}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                         OTF2_AttributeList *attributes, OTF2_CommRef contingent,
                                         uint64_t sequence)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "ThreadBegin",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread contingent", contingent)},
        .value = {sequence}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_wait(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                        OTF2_AttributeList *attributes, OTF2_CommRef contingent,
                                        uint64_t sequence)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "ThreadWait",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread contingent", contingent)},
        .value = {sequence}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                       OTF2_AttributeList *attributes, OTF2_CommRef contingent,
                                       uint64_t sequence)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "ThreadEnd",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread contingent", contingent)},
        .value = {sequence}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_calling_context_sample(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                   OTF2_AttributeList *attributes,
                                                   OTF2_CallingContextRef context, uint32_t distance,
                                                   OTF2_InterruptGeneratorRef generator)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "CallingContextSample",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 2,
        .refs = {omptape_refers(OMPTAPE_DEF_CALLING_CONTEXT, "calling context", context),
                 omptape_refers(OMPTAPE_DEF_INTERRUPT_GENERATOR, "interrupt generator", generator)},
        .value = {distance}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_omp_fork(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                     OTF2_AttributeList *attributes, uint32_t requested)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "OmpFork",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {requested}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_omp_join(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                     OTF2_AttributeList *attributes)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "OmpJoin",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_omp_acquire_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, uint32_t lock, uint32_t order)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "OmpAcquireLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {lock, order}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_omp_release_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, uint32_t lock, uint32_t order)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "OmpReleaseLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {lock, order}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_omp_task_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                            OTF2_AttributeList *attributes, uint64_t task)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "OmpTaskCreate",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {task}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_omp_task_switch(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                            OTF2_AttributeList *attributes, uint64_t task)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "OmpTaskSwitch",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {task}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_omp_task_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                              OTF2_AttributeList *attributes, uint64_t task)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "OmpTaskComplete",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {task}};
    return omptape_reader_send(sink, &event);
}

void omptape_reader_set_other_callbacks(OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(callbacks, on_mpi_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_mpi_isend);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_mpi_isend_complete);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_mpi_irecv_request);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_mpi_recv);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_mpi_irecv);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRequestTestCallback(callbacks, on_mpi_request_test);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_mpi_request_cancelled);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_mpi_collective_begin);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_mpi_collective_end);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks,
                                                                          on_non_blocking_collective_request);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        callbacks, on_non_blocking_collective_complete);
    OTF2_GlobalEvtReaderCallbacks_SetCommCreateCallback(callbacks, on_comm_create);
    OTF2_GlobalEvtReaderCallbacks_SetCommDestroyCallback(callbacks, on_comm_destroy);
    OTF2_GlobalEvtReaderCallbacks_SetThreadCreateCallback(callbacks, on_thread_create);
    OTF2_GlobalEvtReaderCallbacks_SetThreadBeginCallback(callbacks, on_thread_begin);
    OTF2_GlobalEvtReaderCallbacks_SetThreadWaitCallback(callbacks, on_thread_wait);
    OTF2_GlobalEvtReaderCallbacks_SetThreadEndCallback(callbacks, on_thread_end);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextSampleCallback(callbacks, on_calling_context_sample);
    OTF2_GlobalEvtReaderCallbacks_SetOmpForkCallback(callbacks, on_omp_fork);
    OTF2_GlobalEvtReaderCallbacks_SetOmpJoinCallback(callbacks, on_omp_join);
    OTF2_GlobalEvtReaderCallbacks_SetOmpAcquireLockCallback(callbacks, on_omp_acquire_lock);
    OTF2_GlobalEvtReaderCallbacks_SetOmpReleaseLockCallback(callbacks, on_omp_release_lock);
    OTF2_GlobalEvtReaderCallbacks_SetOmpTaskCreateCallback(callbacks, on_omp_task_create);
    OTF2_GlobalEvtReaderCallbacks_SetOmpTaskSwitchCallback(callbacks, on_omp_task_switch);
    OTF2_GlobalEvtReaderCallbacks_SetOmpTaskCompleteCallback(callbacks, on_omp_task_complete);
}
