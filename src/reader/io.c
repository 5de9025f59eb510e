/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the events of input and output into the archive reader's uniform shape: omptape writes none, but any
 * archive can be read. Called back by libotf2 in omptape_reader_read_events.
 */
#include "src/reader/internal.h"

static OTF2_CallbackCode on_io_create_handle(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                             OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
                                             OTF2_IoStatusFlag status)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoCreateHandle",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {mode, creation, status}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_destroy_handle(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                              OTF2_AttributeList *attributes, OTF2_IoHandleRef handle)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "IoDestroyHandle",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_duplicate_handle(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                                OTF2_IoHandleRef new_handle, OTF2_IoStatusFlag status)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "IoDuplicateHandle",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 2,
        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle),
                 omptape_refers(OMPTAPE_DEF_IO_HANDLE, "new I/O handle", new_handle)},
        .value = {status}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_seek(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                    OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, int64_t request,
                                    OTF2_IoSeekOption whence, uint64_t result)
{
    (void)request;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoSeek",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {whence, result}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_change_status_flags(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                                   OTF2_IoStatusFlag status)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoChangeStatusFlags",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {status}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_delete_file(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                           OTF2_AttributeList *attributes, OTF2_IoParadigmRef paradigm,
                                           OTF2_IoFileRef file)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_OTHER,
        .name = "IoDeleteFile",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 2,
        .refs = {omptape_refers(OMPTAPE_DEF_IO_PARADIGM, "I/O paradigm", paradigm),
                 omptape_refers(OMPTAPE_DEF_IO_FILE, "I/O file", file)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_operation_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                               OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                               OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
                                               uint64_t bytes, uint64_t matching)
{
    (void)flags;
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoOperationBegin",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {mode, matching, bytes}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_operation_test(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                              OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                              uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoOperationTest",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {0, matching}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_operation_issued(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                                uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoOperationIssued",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {0, matching}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_operation_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                  OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                                  uint64_t bytes, uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoOperationComplete",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {0, matching, bytes}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_operation_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                                   uint64_t matching)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoOperationCancelled",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {0, matching}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_acquire_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                            OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                            OTF2_LockType type)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoAcquireLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {type}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_release_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                            OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                            OTF2_LockType type)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoReleaseLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {type}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_io_try_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                        OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                        OTF2_LockType type)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_OTHER,
                                        .name = "IoTryLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)},
                                        .value = {type}};
    return omptape_reader_send(sink, &event);
}

void omptape_reader_set_io_callbacks(OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    OTF2_GlobalEvtReaderCallbacks_SetIoCreateHandleCallback(callbacks, on_io_create_handle);
    OTF2_GlobalEvtReaderCallbacks_SetIoDestroyHandleCallback(callbacks, on_io_destroy_handle);
    OTF2_GlobalEvtReaderCallbacks_SetIoDuplicateHandleCallback(callbacks, on_io_duplicate_handle);
    OTF2_GlobalEvtReaderCallbacks_SetIoSeekCallback(callbacks, on_io_seek);
    OTF2_GlobalEvtReaderCallbacks_SetIoChangeStatusFlagsCallback(callbacks, on_io_change_status_flags);
    OTF2_GlobalEvtReaderCallbacks_SetIoDeleteFileCallback(callbacks, on_io_delete_file);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(callbacks, on_io_operation_begin);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationTestCallback(callbacks, on_io_operation_test);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationIssuedCallback(callbacks, on_io_operation_issued);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationCompleteCallback(callbacks, on_io_operation_complete);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationCancelledCallback(callbacks, on_io_operation_cancelled);
    OTF2_GlobalEvtReaderCallbacks_SetIoAcquireLockCallback(callbacks, on_io_acquire_lock);
    OTF2_GlobalEvtReaderCallbacks_SetIoReleaseLockCallback(callbacks, on_io_release_lock);
    OTF2_GlobalEvtReaderCallbacks_SetIoTryLockCallback(callbacks, on_io_try_lock);
}
