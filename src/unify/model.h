/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Holds all definitions of the unified archive while the parts are read one after the other. The reading,
 * conversion and writing files share it. Used by the child process of plan.h, on one thread.
 */
#pragma once

#include "src/core/store.h"
#include "src/unify/clocks/clocks.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum { OMPTAPE_UNIFY_PATH_BYTES = 4096, OMPTAPE_UNIFY_ERROR_BYTES = 512 };

/* Maximum number of paradigms with a list of locations (a COMM_LOCATIONS group): of OpenMP, of MPI, of
 * threads that programs create, of device transfers. */
enum { OMPTAPE_UNIFY_LISTS = 5 };

/* Default names of unnamed MPI communicators, followed by a number. The second one is for communicators that
 * omptape defines for the partitioned messages of another communicator. */
enum { OMPTAPE_UNIFY_NUMBERED_NAMES = 2 };
extern const char *const omptape_unify_numbered_names[OMPTAPE_UNIFY_NUMBERED_NAMES];
/* Names of the first world. The second is the name of the process set of a session, in programs without
 * MPI_Init. The worlds of later launches and of spawned processes get a number, too. */
enum { OMPTAPE_UNIFY_WORLD_NAMES = 2 };
extern const char *const omptape_unify_world_names[OMPTAPE_UNIFY_WORLD_NAMES];

/* Kinds of deduplicated definitions. A row is an array of 64-bit words, or a text, as listed at each kind.
 * References in rows are the unified archive's. Locations are referred to by row, because their numbers are
 * known only after all parts are read (omptape_unify_location_id). */
enum omptape_unify_kind {
    OMPTAPE_UNIFY_STRING,    /* the text itself */
    OMPTAPE_UNIFY_ATTRIBUTE, /* name, description, type */
    OMPTAPE_UNIFY_LOCATION,  /* name, type, events, location group, part */
    OMPTAPE_UNIFY_REGION,    /* name, canonical, description, role, paradigm, flags, file, begin, end */
    /* name, type, paradigm, flags, members... Until the members of several worlds are known, the flags hold
     * the part + 1 above bit 32. (COMM_LOCATIONS: see LISTED) */
    OMPTAPE_UNIFY_GROUP,
    OMPTAPE_UNIFY_METRIC,              /* a metric class: occurrence, recorder kind, members... */
    OMPTAPE_UNIFY_COMM,                /* name, group, parent, flags */
    OMPTAPE_UNIFY_PARAMETER,           /* name, type */
    OMPTAPE_UNIFY_RMA_WIN,             /* name, comm, flags */
    OMPTAPE_UNIFY_CODE_LOCATION,       /* file, line */
    OMPTAPE_UNIFY_CALLING_CONTEXT,     /* region, code location, parent */
    OMPTAPE_UNIFY_INTERRUPT_GENERATOR, /* name, mode, base, exponent, period */
    OMPTAPE_UNIFY_IO_FILE,             /* name, scope */
    OMPTAPE_UNIFY_IO_HANDLE,           /* name, file, paradigm, flags, comm */
    OMPTAPE_UNIFY_MAPPED,              /* (all above have mapping tables; numbered as OTF2_MappingType) */
    OMPTAPE_UNIFY_LOCATION_GROUP = OMPTAPE_UNIFY_MAPPED, /* name, type, tree node, creator, owner */
    OMPTAPE_UNIFY_TREE_NODE,                             /* name, class, parent, owner (0: shared) */
    OMPTAPE_UNIFY_METRIC_MEMBER, /* name, description, type, mode, value type, base, exponent, unit */
    /* (a part has no references to the kinds below) */
    OMPTAPE_UNIFY_REFERRED,
    OMPTAPE_UNIFY_EXTRA = OMPTAPE_UNIFY_REFERRED, /* enum omptape_unify_extra and its words */
    OMPTAPE_UNIFY_TABLE,  /* a local mapping table: 0, targets of 0, 1, 2...; or 1, pairs of source, target */
    OMPTAPE_UNIFY_LISTED, /* a location in a paradigm's list; one kind for each list (model->lists) */
    OMPTAPE_UNIFY_MARKER_DEFINITION = OMPTAPE_UNIFY_LISTED + OMPTAPE_UNIFY_LISTS, /* severity, texts */
    OMPTAPE_UNIFY_MARKER_TEXT,                                                    /* text */
    OMPTAPE_UNIFY_PROPERTY_TEXT,                                                  /* text: keys and values */
    OMPTAPE_UNIFY_WARNING, /* text: processes and ranks that are missing */
    OMPTAPE_UNIFY_KINDS
};

/* Their words are in definition_table.h. Paradigms come first. */
enum omptape_unify_extra {
    OMPTAPE_UNIFY_PARADIGM,
    OMPTAPE_UNIFY_PARADIGM_PROPERTY,
    OMPTAPE_UNIFY_IO_PARADIGM,
    OMPTAPE_UNIFY_NODE_DOMAIN,
    OMPTAPE_UNIFY_NODE_PROPERTY,
    OMPTAPE_UNIFY_GROUP_PROPERTY,
    OMPTAPE_UNIFY_LOCATION_PROPERTY,
    OMPTAPE_UNIFY_METRIC_RECORDER,
    OMPTAPE_UNIFY_GROUP_REGION, /* group, a region in the group */
};

/* Maps a part's references to references of the unified archive. */
struct omptape_unify_map {
    uint64_t *to; /* UINT64_MAX: not defined */
    uint32_t count;
    uint32_t capacity;
    bool sparse; /* the references are large numbers (locations); `hash` is used instead of `to` */
    struct omptape_hash hash; /* reference + 1 -> unified reference */
};

/* One location of a part, and its local definitions. */
struct omptape_unify_location {
    uint32_t part;
    uint32_t process;                     /* UINT32_MAX: not known yet */
    uint32_t index;                       /* index within the process */
    uint64_t old;                         /* its reference in the part */
    uint32_t local[OMPTAPE_UNIFY_MAPPED]; /* 1 + row of its mapping table; 0: none */
    bool has_events;                      /* it has an event file */
    uint64_t event_bytes;                 /* size of the event file */
    bool is_scanned;                      /* `used` is known (used.c) */
    const uint64_t *used; /* references of its events in the part (omptape_unify_use), sorted and unique */
    uint32_t used_count;
};

/* Packs a kind and a reference into one word. */
static inline uint64_t omptape_unify_use(unsigned kind, uint64_t ref)
{
    return (uint64_t)kind << 56 | ref;
}

struct omptape_unify_property {
    const char *key; /* without "OMPTAPE::"; key and value are stored in the property texts */
    const char *value;
    bool alike; /* it is equal in all processes */
};

/* One traced process. */
struct omptape_unify_process {
    uint32_t part;
    uint64_t group; /* its location group */
    uint64_t name;  /* string that becomes the location group's name */
    uint64_t first_location;
    uint32_t location_count;
    struct omptape_unify_property *properties; /* sorted by key */
    uint32_t property_count;
    uint32_t property_capacity;
    struct omptape_unify_clock clock;
    struct omptape_unify_corrections before; /* clock corrections that its part already contained */
};

struct omptape_unify_marker {
    uint64_t time;
    uint64_t duration;
    uint32_t definition; /* row */
    uint32_t process;    /* process whose clock `time` refers to */
    OTF2_MarkerScope scope;
    uint64_t scope_ref;
    uint32_t text; /* row */
};

/* The archive of one or more processes that is read. */
struct omptape_unify_part {
    const char *folder; /* name inside the output folder; "" is the output folder itself */
    bool unified;
    uint32_t launch;         /* number of the launch, equal for all its ranks; 0: not a rank, or unknown */
    const char *launch_name; /* launcher's name of the launch (reading.h); NULL: not a rank, or unknown */
    struct omptape_unify_map maps[OMPTAPE_UNIFY_REFERRED];
    uint32_t listed_before[OMPTAPE_UNIFY_LISTS]; /* for each list: number of locations of earlier parts */
    uint32_t own_places;     /* number of places of its own worlds in MPI's list; other worlds' follow */
    uint64_t foreign_places; /* first of its places in other worlds, above OMPTAPE_UNIFY_FOREIGN_PLACES */
    uint64_t references;     /* upper bound of references; a greater one proves that the archive is damaged */
    uint64_t resolution, offset, length, realtime;
};

/* The list of locations of one paradigm. */
struct omptape_unify_list {
    uint64_t paradigm;
    uint64_t group; /* its COMM_LOCATIONS group */
};

/* Places in MPI's list from here on stand for processes of another world that a part knows only by number.
 * They are replaced by real places in the end (connections.h). */
#define OMPTAPE_UNIFY_FOREIGN_PLACES (UINT64_C(1) << 40)

/* The processes of one MPI_COMM_WORLD: `size` places in MPI's list from `first`, sorted by rank. */
struct omptape_unify_world {
    uint32_t first;
    uint32_t size;
    uint32_t launch; /* launch of its part; a launch that spawns processes has several worlds */
};

struct omptape_unify_model {
    struct omptape_rows kinds[OMPTAPE_UNIFY_KINDS];
    struct omptape_unify_list lists[OMPTAPE_UNIFY_LISTS];
    uint32_t list_count;
    uint64_t *ranks; /* MPI's list: locations; OTF2_UNDEFINED_LOCATION: the process has no archive */
    uint32_t rank_count, rank_capacity;
    uint64_t foreign_places;
    struct omptape_unify_world *worlds;
    uint32_t world_count, world_capacity;
    struct omptape_unify_marker *markers;
    uint32_t marker_count, marker_capacity;
    struct omptape_unify_location *locations; /* by row */
    uint32_t location_count, location_capacity;
    struct omptape_unify_process *processes;
    uint32_t process_count, process_capacity;
    struct omptape_unify_part *parts; /* by number */
    uint32_t part_count;
    int files; /* handle of the part's files for libotf2 (src/archive/otf2_files.h), or -1 */
    struct omptape_unify_conversion conversion;
    struct omptape_unify_corrections *corrected; /* by process; replace the conversion's; NULL: none */
    bool not_a_part;            /* `error` is not a fault: the archive is not omptape's, or is a snapshot */
    struct omptape_arena arena; /* memory of the locations' `used` */
    volatile uint64_t *beats;   /* incremented as a sign of progress, or NULL */
    volatile uint32_t *written; /* number of locations whose definitions are written */
    char error[OMPTAPE_UNIFY_ERROR_BYTES]; /* the first error, or "" */
};

/* Records an error, if it is the first. Exhausted memory is earlier: the other may follow from it. */
void omptape_unify_fail(struct omptape_unify_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool omptape_unify_failed(struct omptape_unify_model *model);

/* Converts between kinds and OTF2's mapping types. The second returns OMPTAPE_UNIFY_MAPPED for others. */
enum omptape_unify_kind omptape_unify_mapped(OTF2_MappingType type);
OTF2_MappingType omptape_unify_mapping(enum omptape_unify_kind kind);

/* Looks up a map's entry; UINT64_MAX if undefined. The setter returns -EINVAL for an impossible reference. */
uint64_t omptape_unify_map_get(const struct omptape_unify_map *map, uint64_t from);
int omptape_unify_map_set(const struct omptape_unify_part *part, struct omptape_unify_map *map, uint64_t from,
                          uint64_t to);

/* Returns the words of a definition; `ref` is a reference of the unified archive. */
const uint64_t *omptape_unify_words(const struct omptape_unify_model *model, enum omptape_unify_kind kind,
                                    uint64_t ref);
/* Returns the number of words of a definition. */
uint32_t omptape_unify_word_count(const struct omptape_unify_model *model, enum omptape_unify_kind kind,
                                  uint64_t ref);
/* Returns the number of a location in the unified archive (include/omptape/locations.h). The processes are
 * known. */
uint64_t omptape_unify_location_id(const struct omptape_unify_model *model, uint64_t row);
/* Returns the number of the paradigm's list; OMPTAPE_UNIFY_LISTS if it has none. */
uint32_t omptape_unify_list_of(const struct omptape_unify_model *model, uint64_t paradigm);
/* Returns the text of a string, "" if it is undefined. */
const char *omptape_unify_text(const struct omptape_unify_model *model, uint64_t ref);
/* Returns the reference of a string, which is added if it does not exist. */
uint64_t omptape_unify_add_text(struct omptape_unify_model *model, const char *text);

/* Returns the value of a process's property, or NULL. The second function returns "" in place of NULL, the
 * third one a number, or `otherwise`. */
const char *omptape_unify_property(const struct omptape_unify_process *process, const char *key);
const char *omptape_unify_property_text(const struct omptape_unify_process *process, const char *key);
uint64_t omptape_unify_number(const struct omptape_unify_process *process, const char *key,
                              uint64_t otherwise);

void omptape_unify_model_free(struct omptape_unify_model *model);
