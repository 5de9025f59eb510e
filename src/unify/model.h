/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All definitions of the archive to be, while the parts are read one after the other. It is what the files
 * that read, date and write them share. All of it is done by the child process of plan.h, on one thread.
 */
#ifndef OMPTAPE_UNIFY_MODEL_H
#define OMPTAPE_UNIFY_MODEL_H

#include "src/core/store.h"
#include "src/unify/clocks/clocks.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum { OMPTAPE_UNIFY_PATH_BYTES = 4096, OMPTAPE_UNIFY_ERROR_BYTES = 512 };

/* Paradigms that have a list of locations (a COMM_LOCATIONS group): OpenMP's threads, and the locations that
 * take part in devices' transfers. */
enum { OMPTAPE_UNIFY_LISTS = 4 };

/* Names of MPI communicators that have none of their own, with a number. The second is for one that stands
 * for another's partitioned messages. */
enum { OMPTAPE_UNIFY_NUMBERED_NAMES = 2 };
extern const char *const omptape_unify_numbered_names[OMPTAPE_UNIFY_NUMBERED_NAMES];
/* The first world, by either of its names: the second is that of a session's set, of programs that do without
 * MPI_Init. Further ones have a number, too: those of later launches, and of processes that were spawned. */
enum { OMPTAPE_UNIFY_WORLD_NAMES = 2 };
extern const char *const omptape_unify_world_names[OMPTAPE_UNIFY_WORLD_NAMES];

/* What is kept once. Rows are 64-bit words, or texts; beside each kind: what they are. References in them are
 * those of the unified archive, of locations the rows: their numbers there are known when all are read
 * (omptape_unify_location_id). */
enum omptape_unify_kind {
    OMPTAPE_UNIFY_STRING,    /* the text itself */
    OMPTAPE_UNIFY_ATTRIBUTE, /* name, description, type */
    OMPTAPE_UNIFY_LOCATION,  /* name, type, events, location group, part */
    OMPTAPE_UNIFY_REGION,    /* name, canonical, description, role, paradigm, flags, file, begin, end */
    /* name, type, paradigm, flags (above bit 32 the part + 1, until it is known who of several worlds are
     * in it), members... (COMM_LOCATIONS: see LISTED) */
    OMPTAPE_UNIFY_GROUP,
    OMPTAPE_UNIFY_METRIC,              /* of a class: occurrence, recorder kind, members... */
    OMPTAPE_UNIFY_COMM,                /* name, group, parent, flags */
    OMPTAPE_UNIFY_PARAMETER,           /* name, type */
    OMPTAPE_UNIFY_RMA_WIN,             /* name, comm, flags */
    OMPTAPE_UNIFY_CODE_LOCATION,       /* file, line */
    OMPTAPE_UNIFY_CALLING_CONTEXT,     /* region, code location, parent */
    OMPTAPE_UNIFY_INTERRUPT_GENERATOR, /* name, mode, base, exponent, period */
    OMPTAPE_UNIFY_IO_FILE,             /* name, scope */
    OMPTAPE_UNIFY_IO_HANDLE,           /* name, file, paradigm, flags, comm */
    OMPTAPE_UNIFY_MAPPED,              /* (all above have mapping tables, whose types have these numbers) */
    OMPTAPE_UNIFY_LOCATION_GROUP = OMPTAPE_UNIFY_MAPPED, /* name, type, tree node, creator, whose */
    OMPTAPE_UNIFY_TREE_NODE,                             /* name, class, parent, whose (0: shared) */
    OMPTAPE_UNIFY_METRIC_MEMBER, /* name, description, type, mode, value type, base, exponent, unit */
    /* (these have no references) */
    OMPTAPE_UNIFY_REFERRED,
    OMPTAPE_UNIFY_EXTRA = OMPTAPE_UNIFY_REFERRED, /* enum omptape_unify_extra, and what it says */
    OMPTAPE_UNIFY_TABLE,  /* a local mapping table: 0 and what becomes of 0, 1, 2...; or 1 and from, to... */
    OMPTAPE_UNIFY_LISTED, /* a location in a paradigm's list; so many lists (model->lists) */
    OMPTAPE_UNIFY_MARKER_DEFINITION = OMPTAPE_UNIFY_LISTED + OMPTAPE_UNIFY_LISTS, /* severity, texts */
    OMPTAPE_UNIFY_MARKER_TEXT,                                                    /* text */
    OMPTAPE_UNIFY_PROPERTY_TEXT,                                                  /* text: keys and values */
    OMPTAPE_UNIFY_WARNING,                                                        /* text: what is missing */
    OMPTAPE_UNIFY_KINDS
};

enum omptape_unify_extra {
    OMPTAPE_UNIFY_PARADIGM,          /* paradigm, name, class */
    OMPTAPE_UNIFY_PARADIGM_PROPERTY, /* paradigm, property, type, value */
    OMPTAPE_UNIFY_NODE_DOMAIN,       /* node, domain */
    OMPTAPE_UNIFY_NODE_PROPERTY,     /* node, name, type, value */
    OMPTAPE_UNIFY_GROUP_PROPERTY,    /* location group, name, type, value */
    OMPTAPE_UNIFY_LOCATION_PROPERTY, /* location, name, type, value */
    OMPTAPE_UNIFY_METRIC_RECORDER,   /* metric, location */
    OMPTAPE_UNIFY_IO_PARADIGM,       /* paradigm, identification, name, class, flags */
    OMPTAPE_UNIFY_GROUP_REGION,      /* group, a region in it */
};

/* From a part's references to the unified archive's. */
struct omptape_unify_map {
    uint64_t *to; /* UINT64_MAX: not defined */
    uint32_t count;
    uint32_t room;
    bool sparse;              /* the references are no small numbers: locations' */
    struct omptape_hash wide; /* then these, by the reference + 1 */
};

/* One location of a part: what its local definitions say. */
struct omptape_unify_location {
    uint32_t part;
    uint32_t process;                     /* UINT32_MAX: not known yet */
    uint32_t index;                       /* within the process */
    uint64_t old;                         /* its reference in the part */
    uint32_t local[OMPTAPE_UNIFY_MAPPED]; /* 1 + its mapping table, or 0: it has none */
    bool has_events;                      /* an event file, */
    uint64_t event_bytes;                 /* ...so long */
    bool is_scanned;      /* it is known what its events refer to (used.c): kind and reference in the part */
    const uint64_t *used; /* (omptape_unify_use), in order, each once */
    uint32_t used_count;
};

/* One word for a kind and a reference. */
static inline uint64_t omptape_unify_use(unsigned kind, uint64_t ref)
{
    return (uint64_t)kind << 56 | ref;
}

struct omptape_unify_property {
    const char *key; /* without "OMPTAPE::"; both are property texts */
    const char *value;
    bool alike; /* the same for all processes */
};

/* One traced process. */
struct omptape_unify_process {
    uint32_t part;
    uint64_t group; /* location group, */
    uint64_t name;  /* ...and the string that is to be its name */
    uint64_t first_location;
    uint32_t location_count;
    struct omptape_unify_property *properties; /* sorted by key */
    uint32_t property_count;
    uint32_t property_room;
    struct omptape_unify_clock clock;
    struct omptape_unify_corrections before; /* the corrections of times that its part had already */
};

struct omptape_unify_marker {
    uint64_t time;
    uint64_t duration;
    uint32_t definition; /* row */
    uint32_t process;    /* whose clock dates it */
    OTF2_MarkerScope scope;
    uint64_t scope_ref;
    uint32_t text; /* row */
};

/* The archive of one or more processes that is read. */
struct omptape_unify_part {
    const char *folder; /* inside the output folder; "" is that itself */
    bool unified;
    uint32_t launch; /* ranks of one launch have one number; 0: it is no rank's, or that is not known */
    const char *launch_name; /* its launcher's words for it (reading.h); NULL: the same */
    struct omptape_unify_map maps[OMPTAPE_UNIFY_REFERRED];
    uint32_t listed_before[OMPTAPE_UNIFY_LISTS]; /* of each list: locations of other parts */
    uint32_t own_places; /* of MPI's list; those behind them are for processes of other worlds, */
    uint64_t elsewhere;  /* which the model counts on from here (OMPTAPE_UNIFY_ELSEWHERE) */
    uint64_t references; /* greater ones are of a damaged archive: there are not so many definitions */
    uint64_t resolution, offset, length, realtime;
};

/* The list of one paradigm. */
struct omptape_unify_list {
    uint64_t paradigm;
    uint64_t group; /* that stands for it */
};

/* Greater places in MPI's list are of processes that a part knows nothing of but that there are such: those
 * of another world. In the end all have a place (src/unify/). */
#define OMPTAPE_UNIFY_ELSEWHERE (UINT64_C(1) << 40)

/* The processes that MPI_COMM_WORLD holds: so many places in MPI's list, in the order of their ranks. */
struct omptape_unify_world {
    uint32_t first;
    uint32_t size;
    uint32_t launch; /* of the part that has it; a launch whose processes spawn others has several */
};

struct omptape_unify_model {
    struct omptape_rows kinds[OMPTAPE_UNIFY_KINDS];
    struct omptape_unify_list lists[OMPTAPE_UNIFY_LISTS];
    uint32_t list_count;
    uint64_t *ranks; /* MPI's list: locations; OTF2_UNDEFINED_LOCATION: there is no archive of that process */
    uint32_t rank_count, rank_room;
    uint64_t elsewhere;
    struct omptape_unify_world *worlds;
    uint32_t world_count, world_room;
    struct omptape_unify_marker *markers;
    uint32_t marker_count, marker_room;
    struct omptape_unify_location *locations; /* by row */
    uint32_t location_count, location_room;
    struct omptape_unify_process *processes;
    uint32_t process_count, process_room;
    struct omptape_unify_part *parts; /* by number */
    uint32_t part_count;
    int files; /* what libotf2 reads of the part (src/archive/otf2_files.h), or -1 */
    struct omptape_unify_dating dating;
    struct omptape_unify_corrections *mended; /* by process, in place of the dating's; NULL: those hold */
    bool not_a_part;                       /* `error` is no fault: the archive is another's, or a snapshot */
    struct omptape_arena arena;            /* of what locations use */
    volatile uint64_t *beats;              /* counts signs of life; or NULL */
    volatile uint32_t *written;            /* counts the locations whose definitions are written */
    char error[OMPTAPE_UNIFY_ERROR_BYTES]; /* the first thing that went wrong */
};

/* Notes what went wrong, if it is the first. */
void omptape_unify_fail(struct omptape_unify_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool omptape_unify_failed(struct omptape_unify_model *model);

/* The kind that a mapping table is of, and OTF2's number of one. OMPTAPE_UNIFY_MAPPED: it is of none. */
enum omptape_unify_kind omptape_unify_mapped(OTF2_MappingType type);
OTF2_MappingType omptape_unify_mapping(enum omptape_unify_kind kind);

/* A map's entry; UINT64_MAX: not defined. `set`: -EINVAL for a reference that the part cannot have. */
uint64_t omptape_unify_map_get(const struct omptape_unify_map *map, uint64_t from);
int omptape_unify_map_set(const struct omptape_unify_part *part, struct omptape_unify_map *map, uint64_t from,
                          uint64_t to);

/* The words of a definition; `ref` is one of the unified archive. */
const uint64_t *omptape_unify_words(const struct omptape_unify_model *model, enum omptape_unify_kind kind,
                                    uint64_t ref);
/* How many there are. */
uint32_t omptape_unify_word_count(const struct omptape_unify_model *model, enum omptape_unify_kind kind,
                                  uint64_t ref);
/* The number of a location in the unified archive (include/omptape/locations.h), once the processes are
 * known. */
uint64_t omptape_unify_location_id(const struct omptape_unify_model *model, uint64_t row);
/* The number of the paradigm's list; OMPTAPE_UNIFY_LISTS: it has none. */
uint32_t omptape_unify_list_of(const struct omptape_unify_model *model, uint64_t paradigm);
/* The text of a string, "" if it is undefined. */
const char *omptape_unify_text(const struct omptape_unify_model *model, uint64_t ref);
/* The reference of a string, which is added if there is none. */
uint64_t omptape_unify_add_text(struct omptape_unify_model *model, const char *text);

/* The value of a process's property, or NULL. */
const char *omptape_unify_property(const struct omptape_unify_process *process, const char *key);
uint64_t omptape_unify_number(const struct omptape_unify_process *process, const char *key,
                              uint64_t otherwise);

void omptape_unify_model_free(struct omptape_unify_model *model);

#endif
