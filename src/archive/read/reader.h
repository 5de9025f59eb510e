/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an OTF2 archive through libotf2: all global definitions into memory, then every event in global time
 * order through one function. Called in a child process (guard.h), because libotf2 may crash on a damaged
 * file; one thread.
 *
 * Definitions and events have a uniform structure that lists their references. A check for undefined
 * references therefore needs no knowledge of the record. Data are not verified.
 */
#pragma once

#include "src/archive/event_kind.h"
#include "src/core/store.h"

#include <otf2/otf2.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Kinds of definitions. Kinds before OMPTAPE_DEF_PROPERTY have an id that is unique within the kind. The
 * comment at each kind lists refs[0], refs[1], ...; value[0], value[1], ...; other fields. "Named" kinds have
 * their name in refs[0]. */
enum omptape_definition_kind {
    OMPTAPE_DEF_NONE = 0,
    OMPTAPE_DEF_STRING,           /* text */
    OMPTAPE_DEF_ATTRIBUTE,        /* name, description; OTF2_Type */
    OMPTAPE_DEF_PARADIGM,         /* name; class */
    OMPTAPE_DEF_IO_PARADIGM,      /* name, identification */
    OMPTAPE_DEF_SYSTEM_TREE_NODE, /* name, class name, parent */
    OMPTAPE_DEF_LOCATION_GROUP,   /* name, tree node, creating location group; type */
    OMPTAPE_DEF_LOCATION,         /* name, location group; type, number of events */
    OMPTAPE_DEF_REGION,           /* name, canonical name, description, source file; role, paradigm, line */
    OMPTAPE_DEF_CALLSITE,         /* source file, entered region, left region */
    OMPTAPE_DEF_CALLPATH,         /* parent, region */
    OMPTAPE_DEF_GROUP,            /* name; type, paradigm, flags; members */
    OMPTAPE_DEF_METRIC_MEMBER,    /* name, description, unit; OTF2_Type, mode, OTF2_MetricType */
    OMPTAPE_DEF_METRIC,    /* class: -; 0; members (metric members). Instance: class, recorder, scope; 1 */
    OMPTAPE_DEF_COMM,      /* name, group, parent; -, OTF2_CommFlag; or name, group A, group B, common; 1 */
    OMPTAPE_DEF_PARAMETER, /* name; type */
    OMPTAPE_DEF_RMA_WIN,   /* name, comm */
    OMPTAPE_DEF_CART_DIMENSION,       /* name */
    OMPTAPE_DEF_CART_TOPOLOGY,        /* name, comm; members (dimensions) */
    OMPTAPE_DEF_SOURCE_CODE_LOCATION, /* file; line */
    OMPTAPE_DEF_CALLING_CONTEXT,      /* region, source code location, parent */
    OMPTAPE_DEF_INTERRUPT_GENERATOR,  /* name; mode, period, ns per sample or 0 */
    OMPTAPE_DEF_IO_FILE,              /* name, tree node */
    OMPTAPE_DEF_IO_HANDLE,            /* name, file, I/O paradigm, comm, parent */
    OMPTAPE_DEF_MARKER,               /* from the marker file; text: the category */
    OMPTAPE_DEF_PROPERTY,             /* owner, name; OTF2_Type, value (bits) */
    OMPTAPE_DEF_PARADIGM_PROPERTY,    /* paradigm; OTF2_Type, value (bits), property */
    OMPTAPE_DEF_CLOCK,   /* resolution, global offset, length; realtime in reader->clock_realtime */
    OMPTAPE_DEF_DETAIL,  /* any other kind: only its references */
    OMPTAPE_DEF_UNKNOWN, /* defined by a newer OTF2 than this one */
    OMPTAPE_DEF_KINDS
};

struct omptape_reference {
    enum omptape_definition_kind kind;
    bool optional;    /* OTF2's "undefined" is allowed */
    const char *what; /* "parent"; a constant */
    uint64_t id;
};

struct reader_region;

struct omptape_definition {
    enum omptape_definition_kind kind;
    enum omptape_definition_kind member_kind; /* kind of `members`; NONE: depends on the group's type */
    uint32_t ref_count;
    uint32_t member_count;
    uint64_t id;
    uint64_t value[3];
    const char *text;
    const uint64_t *members;
    const struct reader_region *region; /* of a REGION: its kind and call site (regions.h); otherwise NULL */
    const struct omptape_definition *next; /* the next one of its kind (reader->first) */
    struct omptape_reference refs[];
};

enum { OMPTAPE_EVENT_REFS = 2, OMPTAPE_EVENT_VALUES = 5 };
#define OMPTAPE_EVENT_NO_REQUEST UINT64_MAX
#define OMPTAPE_EVENT_ALL_RANKS UINT32_MAX

/* Attributes of an event that does not come from a file (memory.h), each at most once. */
enum { OMPTAPE_EVENT_ATTRIBUTES = 8 };
struct omptape_event_attribute {
    uint64_t value; /* bits */
    uint32_t id;
    OTF2_Type type;
};
struct omptape_event_attributes {
    uint32_t count;
    struct omptape_event_attribute list[OMPTAPE_EVENT_ATTRIBUTES];
};

/* An event. Its pointers are valid until the visitor returns. */
struct omptape_event {
    enum omptape_event_kind kind;
    const char *name; /* "ThreadFork"; a constant */
    uint64_t location;
    uint64_t time;                                /* clock ticks, corrected by the location's clock offsets */
    OTF2_AttributeList *attributes;               /* attributes read from a file, or NULL */
    const struct omptape_event_attributes *plain; /* attributes of an event that no file holds, or NULL */
    unsigned ref_count;
    struct omptape_reference refs[OMPTAPE_EVENT_REFS];
    uint64_t value[OMPTAPE_EVENT_VALUES];
    uint32_t count; /* length of `strings`, or of `types` and `values` */
    const OTF2_StringRef *strings;
    const OTF2_Type *types;
    const OTF2_MetricValue *values;
};

/* Looks up an event's attribute by the archive's id (UINT64_MAX: none). Returns false if there is none. */
bool omptape_event_attribute(const struct omptape_event *event, uint64_t attribute, OTF2_Type *type,
                             OTF2_AttributeValue *value);

/* Returns true for the creation, begin, await or end of a thread that the program creates. */
static inline bool omptape_event_is_thread_lifetime(const struct omptape_event *event)
{
    return event->kind >= OMPTAPE_EVENT_THREAD_CREATE && event->kind <= OMPTAPE_EVENT_THREAD_END;
}

/* Returns true for a thread's scheduling metric, which starts with running and waiting time. A device's
 * memory metric has only one value. */
static inline bool omptape_event_is_scheduling_metric(const struct omptape_event *event)
{
    return event->kind == OMPTAPE_EVENT_METRIC && event->count >= 2 && event->types[0] == OTF2_TYPE_UINT64 &&
           event->types[1] == OTF2_TYPE_UINT64;
}

/* Returns true for a metric that the program itself measures. */
static inline bool omptape_metric_is_of_user(const struct omptape_definition *member)
{
    return member->value[2] == OTF2_METRIC_TYPE_USER;
}

static inline double omptape_metric_number(OTF2_Type type, OTF2_MetricValue value)
{
    if (type == OTF2_TYPE_DOUBLE || type == OTF2_TYPE_FLOAT)
        return value.floating_point;
    return type == OTF2_TYPE_INT64 ? (double)value.signed_int : (double)value.unsigned_int;
}

/* Returns true for a metric of a thread's counters. */
static inline bool omptape_event_is_of_counters(const struct omptape_event *event)
{
    return event->kind == OMPTAPE_EVENT_METRIC && event->count >= 2 && event->types[0] == OTF2_TYPE_INT64 &&
           event->types[1] == OTF2_TYPE_INT64;
}

struct omptape_marker {
    uint64_t time;
    uint64_t duration;
    struct omptape_reference definition;
    /* kind NONE: global, or a scope unknown to OTF2 if `scope_known` is false */
    struct omptape_reference scope;
    bool scope_known;
    const char *text;
};

/* Attributes and parameters of events, by meaning (docs/mapping.md). */
enum reader_attribute {
    READER_BYTES,
    READER_HOST_ADDRESS,
    READER_DEVICE,
    READER_ITERATIONS,
    READER_CHUNK_START,
    READER_COUNT,
    READER_CALL_SITE,
    READER_THREAD_ID,
    READER_SYNTHESISED,
    READER_CALLS,
    READER_AWAITED_LOCK,
    READER_AWAITED_COMM,
    READER_AWAITED_RANK,
    READER_AWAITED_TAG,
    READER_AWAITED_OPERATION,
    READER_OPERATION_ID,
    READER_HOST_THREAD,
    READER_TASK_ID,
    READER_COUNTED_IN,
    READER_SCHEDULE, /* parameters from here on */
    READER_DEPEND,
    READER_DEPEND_SOURCE,
    READER_DEPEND_SINK,
    READER_DEPENDS_ON,
    READER_STEP,
    READER_ATTRIBUTES
};

enum { OMPTAPE_READER_ERROR_BYTES = 512, OMPTAPE_READER_FILE_BYTES = 512 };

/* An open archive and its definitions. */
struct omptape_reader {
    OTF2_Reader *otf2;
    OTF2_Reader *recent; /* OTF2 reader with the latest selection; may be `otf2` (portions.c); or NULL */
    uint32_t selected;   /* number of locations selected in `recent` */
    char *anchor;        /* path of the .otf2 file, for messages */
    int folder;          /* descriptor of the archive's folder */
    char *name; /* name of the folder of event files, and of the archive's files without their endings */
    int events_folder; /* descriptor of the folder of event files; or -1 */
    int files;         /* libotf2's handle of the archive (src/archive/otf2_files.h), or -1 */
    char *otf2_anchor; /* the anchor file's path for libotf2 */
    struct omptape_arena arena;
    struct omptape_pairs table;                /* (kind, id) -> the first definition with that id */
    struct omptape_rows property_names;        /* of location groups' and locations' properties */
    struct omptape_pairs group_properties;     /* (location group, name's row and type) -> first property */
    struct omptape_pairs location_properties;  /* likewise for locations */
    struct omptape_pairs process_groups;       /* (0, process number) -> the property with that number */
    uint64_t attribute_ids[READER_ATTRIBUTES]; /* ids of attributes and parameters; UINT64_MAX: not defined */
    struct omptape_pairs location_lists;       /* (0, paradigm) -> its first COMM_LOCATIONS group */
    struct omptape_pairs locals;               /* (0, location) -> its local definitions (local.h) */
    struct omptape_local *local_list;          /* all of them in a list */
    void (*free_locals)(struct omptape_reader *reader); /* frees them; or NULL */
    struct omptape_definition **definitions;            /* in file order */
    uint32_t definition_count;
    uint32_t definition_capacity;
    /* The first definition of each kind, and the last one in the list that begins there. Kinds with unique
     * ids have only the first definition of each id in their lists. */
    const struct omptape_definition *first[OMPTAPE_DEF_KINDS];
    struct omptape_definition *last[OMPTAPE_DEF_KINDS];
    uint64_t announced_definitions; /* as the anchor file announces them */
    uint64_t announced_locations;
    uint64_t read_definitions;
    unsigned clocks;           /* number of ClockProperties definitions */
    uint64_t clock_resolution; /* of the first one: ticks per second */
    uint64_t clock_offset;     /* likewise: smallest valid time */
    uint64_t clock_length;     /* likewise: greatest less smallest valid time */
    uint64_t clock_realtime;   /* likewise: ns since 1970 at the offset, or OTF2_UNDEFINED_TIMESTAMP */
    volatile uint64_t *beats;  /* the user's: incremented for each opened file; or NULL */
    char *current_file; /* the user's buffer: the file that omptape itself reads next, "" for libotf2; or NULL
                         */
    uint64_t local_missing;       /* number of locations with events but without a local definition file */
    uint64_t local_missing_first; /* id of the first one; both are known after the events are read */
    char otf2_error[OMPTAPE_READER_ERROR_BYTES]; /* libotf2's first error message */
    bool no_memory;
};

/* Copies a foreign text to the arena and makes it safe for output. Invalid UTF-8 becomes U+FFFD (words.h).
 * Bytes of control characters, which a terminal would interpret, become '?'. All texts of definitions,
 * properties and markers are such copies. Returns NULL if out of memory. */
char *omptape_reader_text(struct omptape_arena *arena, const char *text);

/* Opens the archive that `path` names (the .otf2 file or its folder) and reads global definitions. libotf2
 * then prints no messages. Returns 0, or negative errno with one line in `error` (without the path). */
int omptape_reader_open(struct omptape_reader **reader, const char *path, char *error, size_t error_bytes);
void omptape_reader_close(struct omptape_reader *reader);

/* Returns the path of the anchor file, safe for output. */
const char *omptape_reader_path(struct omptape_reader *reader);

/* Formats "what: libotf2's first message" into `error` and returns -EINVAL; or "out of memory" and
 * -ENOMEM. */
int omptape_reader_fail(const struct omptape_reader *reader, const char *what, char *error,
                        size_t error_bytes);

/* Returns the name of a file of the archive, or (without an ending) of its folder, in reader->folder. The
 * caller frees it. Returns NULL if out of memory. */
char *omptape_reader_file(const struct omptape_reader *reader, const char *ending);

/* Returns true if the definitions may come from another user than the caller or root; `owner` receives it. */
bool omptape_reader_has_other_owner(const struct omptape_reader *reader, uid_t *owner);

/* Receives an event; returns false to stop the reading. */
typedef bool omptape_reader_visitor(void *data, const struct omptape_event *event);

/* Returns the number of events that the locations announce. */
uint64_t omptape_reader_announced_events(const struct omptape_reader *reader);

/* Reads all events of all defined locations in global time order. Events with equal times are ordered by
 * location. May be called once per opened archive. Returns 0, also if it was stopped; otherwise as
 * omptape_reader_open. */
int omptape_reader_read_events(struct omptape_reader *reader, omptape_reader_visitor *visitor, void *data,
                               char *error, size_t error_bytes);

/* The same for these locations, given by ids without duplicates. May be called again for other locations of
 * the archive, unless a call was stopped or failed. */
int omptape_reader_read_locations(struct omptape_reader *reader, const uint64_t *locations, uint32_t count,
                                  omptape_reader_visitor *visitor, void *data, char *error,
                                  size_t error_bytes);

/* Passes the events of an OTF2 reader whose owner has opened the event files of a few locations, and closes
 * the files. Returns false if they cannot be read. */
bool omptape_reader_pass_events(OTF2_Reader *otf2, omptape_reader_visitor *visitor, void *data);

/* Returns the constant name ("ThreadFork") for the type byte of a record in an event file. NULL if there is
 * none. */
const char *omptape_reader_event_name(unsigned type);

typedef bool omptape_reader_marker_visitor(void *data, const struct omptape_marker *marker);

/* Reads the marker file, if there is one; its definitions are added with kind MARKER. Returns like
 * omptape_reader_read_events. */
int omptape_reader_read_markers(struct omptape_reader *reader, omptape_reader_marker_visitor *visitor,
                                void *data, char *error, size_t error_bytes);

/* Returns a property of the archive (anchor file), valid as long as the archive, or NULL. */
const char *omptape_reader_property(struct omptape_reader *reader, const char *name);

/* Returns the number of the process of a location group, or of its device's group, in a unified archive; else
 * -1. */
int64_t omptape_reader_process_number(const struct omptape_reader *reader, uint64_t group);

/* Returns the property OMPTAPE::KEY of the process (-1: of all processes). It is a property of the location
 * group if the processes differ. Otherwise as omptape_reader_property. */
const char *omptape_reader_property_of(struct omptape_reader *reader, int64_t process, const char *key);

/* The same as a number; 0 if it does not exist. OMPTAPE_KEY_PROFILE of all processes is the number of events
 * in a profile's sums; a profile itself contains no events. */
uint64_t omptape_reader_number_of(struct omptape_reader *reader, int64_t process, const char *key);

/* Returns the sample period of the process in ns, from omptape's property or else from an interrupt generator
 * that measures time. 0 if unknown. */
uint64_t omptape_reader_sample_period(struct omptape_reader *reader, int64_t process);

/* Returns the location's property with this name and type, or NULL. */
const struct omptape_definition *omptape_reader_location_property(const struct omptape_reader *reader,
                                                                  uint64_t location, const char *name,
                                                                  OTF2_Type type);

/* Returns the number of property names. *names are sorted and valid as long as the archive; NULL if there are
 * none or memory is exhausted. */
uint32_t omptape_reader_properties(struct omptape_reader *reader, const char *const **names);

/* Executes the statement that follows for each definition of this kind, in the order of definition. */
#define OMPTAPE_EACH_DEFINITION(definition, reader, kind)                                                    \
    for (const struct omptape_definition *definition = (reader)->first[kind]; (definition) != NULL;          \
         (definition) = (definition)->next)

/* Returns the first definition with this id, or NULL. */
const struct omptape_definition *omptape_reader_find(const struct omptape_reader *reader,
                                                     enum omptape_definition_kind kind, uint64_t id);

/* Returns the metric class of a metric's events: itself, or the class of an instance. NULL if undefined. */
const struct omptape_definition *omptape_reader_metric_class(const struct omptape_reader *reader,
                                                             uint64_t id);

/* Returns the paradigm's COMM_LOCATIONS group, which its other groups' members index; or NULL. */
const struct omptape_definition *omptape_reader_comm_locations(const struct omptape_reader *reader,
                                                               uint64_t paradigm);

/* Returns the text of a String definition; "" if it is not defined. */
const char *omptape_reader_string(const struct omptape_reader *reader, uint64_t id);

/* Returns OTF2's name of a task within its team's instance, from an event's values: the creating thread and a
 * number. */
static inline uint64_t omptape_event_task(const uint64_t *value)
{
    return value[0] << 32 | (value[1] & UINT32_MAX);
}

/* Returns the name of a definition of a named kind; "" if it has none. */
const char *omptape_reader_name(const struct omptape_reader *reader, enum omptape_definition_kind kind,
                                uint64_t id);

/* Reads an event's attribute as a number: its bits. Returns false, and 0 in *number, if there is none. */
bool omptape_event_number(const struct omptape_reader *reader, const struct omptape_event *event,
                          enum reader_attribute word, uint64_t *number);

/* Returns true if the following events of the location belong to another thread (docs/mapping.md). */
bool omptape_event_changes_thread(const struct omptape_reader *reader, const struct omptape_event *event);

/* Parses the device number in the name of an omptape location group; the archive's properties use it
 * (OMPTAPE::DEVICE::...). Returns false if it is not a device. */
bool omptape_reader_device_number(const struct omptape_reader *reader, uint64_t group, int *number);

/* Work of a region on a device's location. Allocation, mapping and waiting are OTHER. */
enum omptape_device_work { OMPTAPE_DEVICE_OTHER, OMPTAPE_DEVICE_KERNEL, OMPTAPE_DEVICE_TRANSFER };
enum omptape_device_work omptape_reader_device_work(const struct omptape_definition *region);

/* Returns "region", "system tree node": a constant. */
const char *omptape_definition_kind_name(enum omptape_definition_kind kind);

/* Returns true if the id is OTF2's "undefined" for this kind. */
bool omptape_reference_undefined(const struct omptape_reference *reference);

/* Returns the reference in an attribute or property value of this type; kind NONE for numbers. */
struct omptape_reference omptape_value_reference(OTF2_Type type, OTF2_AttributeValue value);

/* Returns the bits of an attribute or property value that its type uses; libotf2 does not set the others. */
uint64_t omptape_value_bits(OTF2_Type type, OTF2_AttributeValue value);

/* An attribute or property value as a number; for a reference the id. */
enum omptape_number_kind { OMPTAPE_NUMBER_UNSIGNED, OMPTAPE_NUMBER_SIGNED, OMPTAPE_NUMBER_REAL };
struct omptape_number {
    enum omptape_number_kind kind;
    union {
        uint64_t whole;
        int64_t integer;
        double real;
    };
};
struct omptape_number omptape_value_number(OTF2_Type type, OTF2_AttributeValue value);

/* Copies `text`, truncated between two characters if it does not fit. */
const char *omptape_cut_text(const char *text, char *buffer, size_t bytes);
