/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the events of transfers (RMA) into the archive reader's uniform shape. Called back by libotf2 inside
 * omptape_reader_read_events.
 */
#include "src/reader/internal.h"

static OTF2_CallbackCode on_rma_put(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                    OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t remote,
                                    uint64_t bytes, uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_RMA_OPERATION,
                                        .name = "RmaPut",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, matching, bytes}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_get(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                    OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t remote,
                                    uint64_t bytes, uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_RMA_OPERATION,
                                        .name = "RmaGet",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, matching, bytes}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_atomic(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                       OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t remote,
                                       OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
                                       uint64_t matching)
{
    (void)type;
    (void)received;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_RMA_OPERATION,
                                        .name = "RmaAtomic",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, matching, sent}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_op_complete_blocking(OTF2_LocationRef location, OTF2_TimeStamp time,
                                                     void *sink, OTF2_AttributeList *attributes,
                                                     OTF2_RmaWinRef win, uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_RMA_COMPLETE,
                                        .name = "RmaOpCompleteBlocking",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {0, matching}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_op_complete_non_blocking(OTF2_LocationRef location, OTF2_TimeStamp time,
                                                         void *sink, OTF2_AttributeList *attributes,
                                                         OTF2_RmaWinRef win, uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_RMA_COMPLETE,
                                        .name = "RmaOpCompleteNonBlocking",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {0, matching}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_op_complete_remote(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                   OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                                   uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_RMA_COMPLETE,
                                        .name = "RmaOpCompleteRemote",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {0, matching, 1}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_op_test(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                        OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaOpTest",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {0, matching}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_win_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                           OTF2_AttributeList *attributes, OTF2_RmaWinRef win)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaWinCreate",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_win_destroy(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                            OTF2_AttributeList *attributes, OTF2_RmaWinRef win)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaWinDestroy",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                 OTF2_AttributeList *attributes)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaCollectiveBegin",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                               OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                               OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, uint32_t root,
                                               uint64_t sent, uint64_t received)
{
    (void)op;
    (void)level;
    (void)root;
    (void)sent;
    (void)received;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaCollectiveEnd",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_group_sync(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                           OTF2_AttributeList *attributes, OTF2_RmaSyncLevel level,
                                           OTF2_RmaWinRef win, OTF2_GroupRef group)
{
    (void)level;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaGroupSync",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 2,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win),
                                                 omptape_may_refer(OMPTAPE_DEF_GROUP, "group", group)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_request_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                             uint32_t remote, uint64_t lock, OTF2_LockType type)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaRequestLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, lock, type}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_acquire_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                             uint32_t remote, uint64_t lock, OTF2_LockType type)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaAcquireLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, lock, type}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_try_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                         OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t remote,
                                         uint64_t lock, OTF2_LockType type)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaTryLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, lock, type}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_release_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                             uint32_t remote, uint64_t lock)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaReleaseLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, lock}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_sync(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                     OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t remote,
                                     OTF2_RmaSyncType type)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaSync",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)},
                                        .value = {remote, type}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_rma_wait_change(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                            OTF2_AttributeList *attributes, OTF2_RmaWinRef win)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "RmaWaitChange",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_RMA_WIN, "window", win)}};
    return omptape_reader_send(sink, &event);
}

void omptape_reader_set_rma_callbacks(OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(callbacks, on_rma_put);
    OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(callbacks, on_rma_get);
    OTF2_GlobalEvtReaderCallbacks_SetRmaAtomicCallback(callbacks, on_rma_atomic);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_rma_op_complete_blocking);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(callbacks,
                                                                      on_rma_op_complete_non_blocking);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(callbacks, on_rma_op_complete_remote);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpTestCallback(callbacks, on_rma_op_test);
    OTF2_GlobalEvtReaderCallbacks_SetRmaWinCreateCallback(callbacks, on_rma_win_create);
    OTF2_GlobalEvtReaderCallbacks_SetRmaWinDestroyCallback(callbacks, on_rma_win_destroy);
    OTF2_GlobalEvtReaderCallbacks_SetRmaCollectiveBeginCallback(callbacks, on_rma_collective_begin);
    OTF2_GlobalEvtReaderCallbacks_SetRmaCollectiveEndCallback(callbacks, on_rma_collective_end);
    OTF2_GlobalEvtReaderCallbacks_SetRmaGroupSyncCallback(callbacks, on_rma_group_sync);
    OTF2_GlobalEvtReaderCallbacks_SetRmaRequestLockCallback(callbacks, on_rma_request_lock);
    OTF2_GlobalEvtReaderCallbacks_SetRmaAcquireLockCallback(callbacks, on_rma_acquire_lock);
    OTF2_GlobalEvtReaderCallbacks_SetRmaTryLockCallback(callbacks, on_rma_try_lock);
    OTF2_GlobalEvtReaderCallbacks_SetRmaReleaseLockCallback(callbacks, on_rma_release_lock);
    OTF2_GlobalEvtReaderCallbacks_SetRmaSyncCallback(callbacks, on_rma_sync);
    OTF2_GlobalEvtReaderCallbacks_SetRmaWaitChangeCallback(callbacks, on_rma_wait_change);
}
