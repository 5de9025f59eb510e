/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an OTF2 archive through libotf2: all global definitions into memory, then every event in global time
 * order through one function. Used by check and info on the command's only thread, inside
 * omptape_reader_guard (guard.h), because libotf2 may crash on a damaged file.
 *
 * Definitions and events come in one uniform shape: what they refer to is listed as references, so that "is
 * it defined?" needs no knowledge of the record. Nothing that is read has been verified.
 */
#pragma once

#include "src/archive/event_kind.h"
#include "src/core/store.h"

#include <otf2/otf2.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Kinds of definitions. Those before OMPTAPE_DEF_PROPERTY have an id that is unique within the kind. Beside
 * each: refs[0], refs[1], ...; value[0], value[1], ...; other fields. "Named" kinds have their name in
 * refs[0]. */
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
    OMPTAPE_DEF_METRIC_MEMBER,    /* name, description, unit; OTF2_Type, mode, who measures */
    OMPTAPE_DEF_METRIC, /* class: -; 0; members (metric members). Instance: class, recorder, scope; 1 */
    OMPTAPE_DEF_COMM, /* name, group, parent; -, OTF2_CommFlag; or name, group A, group B, common: value[0] =
                         1 */
    OMPTAPE_DEF_PARAMETER,            /* name; type */
    OMPTAPE_DEF_RMA_WIN,              /* name, comm */
    OMPTAPE_DEF_CART_DIMENSION,       /* name */
    OMPTAPE_DEF_CART_TOPOLOGY,        /* name, comm; members (dimensions) */
    OMPTAPE_DEF_SOURCE_CODE_LOCATION, /* file; line */
    OMPTAPE_DEF_CALLING_CONTEXT,      /* region, source code location, parent */
    OMPTAPE_DEF_INTERRUPT_GENERATOR,  /* name; mode, period, ns that a sample stands for or 0 */
    OMPTAPE_DEF_IO_FILE,              /* name, tree node */
    OMPTAPE_DEF_IO_HANDLE,            /* name, file, I/O paradigm, comm, parent */
    OMPTAPE_DEF_MARKER,               /* of the marker file; text: the category */
    OMPTAPE_DEF_PROPERTY,             /* owner, name; OTF2_Type, value (bits) */
    OMPTAPE_DEF_PARADIGM_PROPERTY,    /* paradigm; OTF2_Type, value (bits), property */
    OMPTAPE_DEF_CLOCK,   /* resolution, global offset, length; realtime in reader->clock_realtime */
    OMPTAPE_DEF_DETAIL,  /* any other: what it refers to */
    OMPTAPE_DEF_UNKNOWN, /* of a newer OTF2 than this */
    OMPTAPE_DEF_KINDS
};

struct omptape_reference {
    enum omptape_definition_kind kind;
    bool optional;    /* OTF2's "undefined" may stand here */
    const char *what; /* "parent"; a constant */
    uint64_t id;
};

struct reader_region;

struct omptape_definition {
    enum omptape_definition_kind kind;
    enum omptape_definition_kind member_kind; /* of `members`; NONE: see the group's type */
    uint32_t ref_count;
    uint32_t member_count;
    uint64_t id;
    uint64_t value[3];
    const char *text;
    const uint64_t *members;
    const struct reader_region *region; /* of a REGION: its kind and call site (regions.h); else NULL */
    struct omptape_reference refs[];
};

enum { OMPTAPE_EVENT_REFS = 2, OMPTAPE_EVENT_VALUES = 5 };
#define OMPTAPE_EVENT_NO_REQUEST UINT64_MAX
#define OMPTAPE_EVENT_ALL_RANKS UINT32_MAX

/* Attributes of an event that is no file's (memory.h), each once. */
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

/* One event. Pointers hold until the function that got it returns. */
struct omptape_event {
    enum omptape_event_kind kind;
    const char *name; /* "ThreadFork"; a constant */
    uint64_t location;
    uint64_t time;                                /* clock ticks, corrected by the location's clock offsets */
    OTF2_AttributeList *attributes;               /* of a file's event, */
    const struct omptape_event_attributes *plain; /* ...or of another one; both may be NULL */
    unsigned ref_count;
    struct omptape_reference refs[OMPTAPE_EVENT_REFS];
    uint64_t value[OMPTAPE_EVENT_VALUES];
    uint32_t count; /* of `strings`, or of `types` and `values` */
    const OTF2_StringRef *strings;
    const OTF2_Type *types;
    const OTF2_MetricValue *values;
};

/* The value of an event's attribute, an id of the archive's (UINT64_MAX: none). False: it has none. */
bool omptape_event_attribute(const struct omptape_event *event, uint64_t attribute, OTF2_Type *type,
                             OTF2_AttributeValue *value);

/* Is it a metric of a thread, of its sums of time on a processor and of time that it waited for one? Devices'
 * memory is one value. */
static inline bool omptape_event_tells_of_processor(const struct omptape_event *event)
{
    return event->kind == OMPTAPE_EVENT_METRIC && event->count >= 2 && event->types[0] == OTF2_TYPE_UINT64 &&
           event->types[1] == OTF2_TYPE_UINT64;
}

/* Does the program measure it itself? */
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

/* Is it a metric of a thread's counters? */
static inline bool omptape_event_is_of_counters(const struct omptape_event *event)
{
    return event->kind == OMPTAPE_EVENT_METRIC && event->count >= 2 && event->types[0] == OTF2_TYPE_INT64 &&
           event->types[1] == OTF2_TYPE_INT64;
}

struct omptape_marker {
    uint64_t time;
    uint64_t duration;
    struct omptape_reference definition;
    /* kind NONE: global, or a scope that OTF2 does not know: see `scope_known` */
    struct omptape_reference scope;
    bool scope_known;
    const char *text;
};

/* Attributes and parameters that events have, by what they mean (docs/mapping.md). */
enum reader_word {
    READER_BYTES,
    READER_HOST_ADDRESS,
    READER_DEVICE,
    READER_ITERATIONS,
    READER_CHUNK_START,
    READER_COUNT,
    READER_CALL_SITE,
    READER_THREAD_ID,
    READER_SYNTHESISED,
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
    READER_WORDS
};

enum { OMPTAPE_READER_ERROR_BYTES = 512, OMPTAPE_READER_FILE_BYTES = 512 };

/* One archive that is open, and its definitions. */
struct omptape_reader {
    OTF2_Reader *otf2;
    OTF2_Reader *recent; /* that has locations selected last, which may be the same (portions.c); or NULL, */
    uint32_t selected;   /* ...and how many */
    char *anchor;        /* path of the .otf2 file, for the user */
    int folder;          /* that it is in, open */
    char *name; /* that of the folder beside it that holds the event files; with an ending, of other files */
    int events_folder; /* that one, open; or -1 */
    int files;         /* what libotf2 opens (src/archive/otf2_files.h), or -1, */
    char *otf2_anchor; /* ...and the anchor file's path for it */
    struct omptape_arena arena;
    struct omptape_pairs table;               /* (kind, id) -> the first definition with that id */
    struct omptape_rows property_names;       /* of location groups' and locations' properties */
    struct omptape_pairs group_properties;    /* (location group, name's row and type) -> the first such */
    struct omptape_pairs location_properties; /* the same of locations */
    struct omptape_pairs process_groups;      /* (0, process number) -> the property that says it */
    uint64_t words[READER_WORDS]; /* the ids of attributes and parameters; UINT64_MAX: it is not defined */
    struct omptape_pairs location_lists;                /* (0, paradigm) -> its first COMM_LOCATIONS group */
    struct omptape_pairs locals;                        /* (0, location) -> what was read of it (local.h), */
    struct omptape_local *local_list;                   /* ...all of which is here, */
    void (*free_locals)(struct omptape_reader *reader); /* ...and who frees it; or NULL */
    struct omptape_definition **definitions;            /* in file order */
    uint32_t definition_count;
    uint32_t definition_room;
    uint64_t announced_definitions; /* by the anchor file */
    uint64_t announced_locations;
    uint64_t read_definitions;
    unsigned clocks;              /* ClockProperties definitions seen */
    uint64_t clock_resolution;    /* of the first: ticks per second, */
    uint64_t clock_offset;        /* ...the smallest time allowed, */
    uint64_t clock_length;        /* ...the greatest less the smallest, */
    uint64_t clock_realtime;      /* ...ns since 1970 at the offset, or OTF2_UNDEFINED_TIMESTAMP. */
    volatile uint64_t *beats;     /* its user's: counted up for each file that is opened; or NULL */
    char *beside;                 /* its user's, OMPTAPE_READER_FILE_BYTES: the file of omptape's own that the
                                     work goes on with, "": libotf2's; or NULL */
    uint64_t local_missing;       /* locations that have events but no local definition file, */
    uint64_t local_missing_first; /* ...and the id of the first. Both are known once the events are read. */
    char otf2_error[OMPTAPE_READER_ERROR_BYTES]; /* libotf2's first complaint */
    bool no_memory;
};

/* Copies a text from outside to the arena, so that it can stand in any output. What is no UTF-8 becomes
 * U+FFFD (words.h). Bytes of control characters become '?', as a terminal would obey these. All texts of
 * definitions, properties and markers are such copies. NULL: no memory. */
char *omptape_reader_text(struct omptape_arena *arena, const char *text);

/* Opens the archive that `path` names (the .otf2 file or its folder) and reads its global definitions. From
 * here on libotf2 prints nothing of its own. 0, or a negative errno with one line in `error` that says what
 * is wrong (without the path). */
int omptape_reader_open(struct omptape_reader **reader, const char *path, char *error, size_t error_bytes);
void omptape_reader_close(struct omptape_reader *reader);

/* The path of the anchor file as it can be shown. */
const char *omptape_reader_path(struct omptape_reader *reader);

/* Writes "what: what libotf2 said first" into `error` and returns -EINVAL; or what fits, when memory ran out.
 */
int omptape_reader_fail(const struct omptape_reader *reader, const char *what, char *error,
                        size_t error_bytes);

/* The name of a file of the archive, or (without an ending) of its folder, in reader->folder. The caller
 * frees it; NULL: no memory. */
char *omptape_reader_file(const struct omptape_reader *reader, const char *ending);

/* Are the archive's names the word of somebody who is neither the caller nor root? `owner` gets whose. */
bool omptape_reader_is_strangers(const struct omptape_reader *reader, uid_t *owner);

/* Gets an event; false stops the reading. */
typedef bool omptape_reader_visitor(void *data, const struct omptape_event *event);

/* How many events the locations announce. */
uint64_t omptape_reader_announced_events(const struct omptape_reader *reader);

/* Reads all events of all locations in global time order; of equal times, one location's come together and
 * lower locations first. Once for each opened archive. 0 also when stopped; else as omptape_reader_open. */
int omptape_reader_read_events(struct omptape_reader *reader, omptape_reader_visitor *visitor, void *data,
                               char *error, size_t error_bytes);

/* The same of these locations, given by their ids, each once. As long as nothing was stopped, and nothing
 * failed, others of the same archive may be read after them: each location once. */
int omptape_reader_read_locations(struct omptape_reader *reader, const uint64_t *locations, uint32_t count,
                                  omptape_reader_visitor *visitor, void *data, char *error,
                                  size_t error_bytes);

/* The events of a reader of libotf2's whose owner has opened the event files of a few locations: hands them
 * over and closes the files. False: they cannot be read. */
bool omptape_reader_hand_over(OTF2_Reader *otf2, omptape_reader_visitor *visitor, void *data);

/* "ThreadFork", by the type byte that the record has in an event file: a constant. NULL: OTF2 3.0 has none.
 */
const char *omptape_reader_event_name(unsigned type);

typedef bool omptape_reader_marker_visitor(void *data, const struct omptape_marker *marker);

/* Reads the marker file, if there is one: its definitions join the others (kind MARKER). As above. */
int omptape_reader_read_markers(struct omptape_reader *reader, omptape_reader_marker_visitor *visitor,
                                void *data, char *error, size_t error_bytes);

/* The archive's property (anchor file), as text that lives as long as the archive; NULL if it has none. */
const char *omptape_reader_property(struct omptape_reader *reader, const char *name);

/* The number of the process that a location group is, or whose device it is, in an archive that omptape
 * unified; -1 in any other. */
int64_t omptape_reader_process_number(const struct omptape_reader *reader, uint64_t group);

/* The property OMPTAPE::KEY of that process (-1: of all), which is its location group's where the processes
 * differ. As above. */
const char *omptape_reader_property_of(struct omptape_reader *reader, int64_t process, const char *key);

/* The same as a number; 0: there is none. OMPTAPE_KEY_PROFILE of all: this is a profile, whose sums are of so
 * many events; it holds none. */
uint64_t omptape_reader_number_of(struct omptape_reader *reader, int64_t process, const char *key);

/* What a sample of that process stands for, ns: as omptape recorded it, or as the archive's interrupt
 * generators have it that count time. 0: it is not known. */
uint64_t omptape_reader_sample_period(struct omptape_reader *reader, int64_t process);

/* The location's property with that name and type; NULL: it has none. */
const struct omptape_definition *omptape_reader_location_property(const struct omptape_reader *reader,
                                                                  uint64_t location, const char *name,
                                                                  OTF2_Type type);

/* All property names, sorted, living as long as the archive. *names is NULL when there are none. */
uint32_t omptape_reader_properties(struct omptape_reader *reader, const char *const **names);

/* The first definition with that id, or NULL. */
const struct omptape_definition *omptape_reader_find(const struct omptape_reader *reader,
                                                     enum omptape_definition_kind kind, uint64_t id);

/* The class that the values of a metric's events belong to: itself, or that of an instance. NULL: it is not
 * defined. */
const struct omptape_definition *omptape_reader_metric_class(const struct omptape_reader *reader,
                                                             uint64_t id);

/* The paradigm's list of locations, into which the members of its other groups are indices: its
 * COMM_LOCATIONS group, or NULL. */
const struct omptape_definition *omptape_reader_comm_locations(const struct omptape_reader *reader,
                                                               uint64_t paradigm);

/* The text of a String definition; "" if it is not defined. */
const char *omptape_reader_string(const struct omptape_reader *reader, uint64_t id);

/* The name of a definition of a named kind; "" if it has none. */
const char *omptape_reader_name(const struct omptape_reader *reader, enum omptape_definition_kind kind,
                                uint64_t id);

/* Do the location's next events belong to another thread than those before (docs/mapping.md)? */
bool omptape_event_changes_thread(const struct omptape_reader *reader, const struct omptape_event *event);

/* The number by which the archive's properties know the device of this location group (OMPTAPE::DEVICE::...),
 * as omptape's names of such groups tell it. False: it is none. */
bool omptape_reader_device_number(const struct omptape_reader *reader, uint64_t group, int *number);

/* What a region on a device's location is. Making room there, mapping and waiting are neither. */
enum omptape_device_work { OMPTAPE_DEVICE_OTHER, OMPTAPE_DEVICE_KERNEL, OMPTAPE_DEVICE_TRANSFER };
enum omptape_device_work omptape_reader_device_work(const struct omptape_definition *region);

/* "region", "system tree node": a constant. */
const char *omptape_definition_kind_name(enum omptape_definition_kind kind);

/* True if the id is OTF2's "undefined" for this kind. */
bool omptape_reference_undefined(const struct omptape_reference *reference);

/* What an attribute or property value of this type refers to; kind NONE for numbers. */
struct omptape_reference omptape_value_reference(OTF2_Type type, OTF2_AttributeValue value);

/* The bits of an attribute or property value that its type has: of the others libotf2 says nothing. */
uint64_t omptape_value_bits(OTF2_Type type, OTF2_AttributeValue value);

/* A value of an attribute or a property as a number; of a reference it is the id. */
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

/* Copies `text`; what does not fit is cut, between two characters. */
const char *omptape_cut_text(const char *text, char *buffer, size_t bytes);
