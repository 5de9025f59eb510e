/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads one part into the model, and converts its references to the unified archive's. Declares the
 * callbacks' shared state and the functions of each file. Runs in the child process of plan.h. Callbacks
 * record errors in the model and return omptape_unify_done.
 */
#pragma once

#include "src/unify/files.h"
#include "src/unify/model.h"
#include "src/unify/order/links.h"
#include "src/unify/search.h"

/* User data of the callbacks: the part that is being read. */
struct omptape_unify_reading {
    struct omptape_unify_model *model;
    struct omptape_unify_part *part;
    uint32_t number;
    uint32_t first_location; /* index of the part's first location, and of its first process, in the model */
    uint32_t first_process;
    int folder;                    /* descriptor of the part's folder */
    uint32_t foreign_places;       /* number of places in MPI's list that belong to other worlds */
    struct omptape_hash processes; /* location group + 1 -> number of the process */
    struct omptape_rows own;       /* properties of single processes: location group, key, value (strings) */
};

/* read.c: reads a part's global definitions, properties, local definitions and markers. Returns 0, or -1 with
 * model->error set; the model is unusable then. `base`: descriptor of the output folder. */
int omptape_unify_read(struct omptape_unify_model *model, uint32_t part, int base);
/* Opens a part's folder, which must belong to the caller. Returns a descriptor, or negative errno. */
int omptape_unify_open_part(int folder, const char *name);
/* Opens the archive in a part's folder. The caller closes the reader and then releases `files` with
 * omptape_otf2_files_unregister, also if the result is NULL. */
OTF2_Reader *omptape_unify_open_reader(int part, int *files);

/* definitions.c: returns callbacks of global definitions. groups.c adds those of groups, communicators,
 * metrics. */
OTF2_GlobalDefReaderCallbacks *omptape_unify_definition_callbacks(void);
void omptape_unify_add_group_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks);
/* processes.c: adds the part's processes with their properties, after its definitions are read. */
void omptape_unify_read_processes(struct omptape_unify_reading *reading, OTF2_Reader *reader);
/* The next two functions handle some of the part's locations, from `first` to before `end`. The reader
 * selects them. */
/* local.c: reads local definitions, and then what the events refer to, where that is needed. */
void omptape_unify_read_local(struct omptape_unify_reading *reading, OTF2_Reader *reader, uint32_t first,
                              uint32_t end);
/* used.c: finds what the events refer to, after the local definitions are read. */
void omptape_unify_find_used(struct omptape_unify_reading *reading, OTF2_Reader *reader, uint32_t first,
                             uint32_t end);
/* Returns true if mapping tables of all references would be larger than the events. */
bool omptape_unify_needs_used(const struct omptape_unify_reading *reading);
/* local.c: finally reads the part's markers. */
bool omptape_unify_has_location_file(const struct omptape_unify_reading *reading, uint64_t location,
                                     const char *ending);
void omptape_unify_read_markers(struct omptape_unify_reading *reading, OTF2_Reader *reader, int folder);

/* Returns the return value of a callback: it ends the reading after an error. */
OTF2_CallbackCode omptape_unify_done(const struct omptape_unify_reading *reading);

/* Returns the unified reference of a definition that must exist. Sets the model's error if it does not. */
uint64_t omptape_unify_map_required(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                                    uint64_t ref);
/* Like omptape_unify_map_required, but returns OTF2's "undefined" unchanged. */
uint64_t omptape_unify_map_optional(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                                    uint64_t ref);
uint64_t omptape_unify_string(const struct omptape_unify_reading *reading, OTF2_StringRef ref);
/* Returns an attribute's or a property's value: a number, or a unified reference. */
uint64_t omptape_unify_value(const struct omptape_unify_reading *reading, OTF2_Type type,
                             OTF2_AttributeValue value);
/* groups.c: appends `count` unassigned places to MPI's list; returns the first. */
uint32_t omptape_unify_add_places(struct omptape_unify_model *model, uint32_t count);
/* Parses the row of a group that holds processes of several worlds. Sets the identity of the communicator,
 * the connection that created it, and the part that numbered the connection. False for other rows. */
bool omptape_unify_scan_across(const struct omptape_unify_model *model, const uint64_t *words,
                               uint64_t *identity, uint32_t *connection, uint32_t *part);

/* Returns a unique word for a definition that belongs to one process only. */
uint64_t omptape_unify_owner_key(const struct omptape_unify_reading *reading, uint64_t self);
/* Returns the process of this location group; UINT32_MAX if it has none. */
uint32_t omptape_unify_process_of(const struct omptape_unify_reading *reading, uint64_t group);

/* Adds a definition, whose words take `bytes`, with the part's reference `self`. */
OTF2_CallbackCode omptape_unify_define(const struct omptape_unify_reading *reading,
                                       enum omptape_unify_kind kind, uint64_t self, const uint64_t *words,
                                       size_t bytes);
/* Adds a definition that no other definition refers to. */
OTF2_CallbackCode omptape_unify_add_extra(const struct omptape_unify_reading *reading, const uint64_t *words,
                                          size_t bytes);

/* Launches among the processes. A script may start several MPI programs, each with ranks from 0. The
 * launcher's names of job and step distinguish them. */

/* Sorts the parts into the order of their locations. The part in the folder itself comes first, then the
 * launches by start time, then other processes. The sort is stable. `indexes`, one number per part, is sorted
 * alike. `current_part` receives the number of the part that is being read, in case libotf2 crashes.
 * `folder`: the output folder. Returns 0 or -ENOMEM. */
int omptape_unify_order(struct omptape_unify_model *model, int folder, uint32_t *indexes,
                        uint32_t *current_part);

/* Formats one line about ranks of the launches that have no archive, and the reasons; "" if all have one.
 * Adds a warning to the archive for each launch and reason. Called after all parts are read; `search` has the
 * skipped parts. */
void omptape_unify_find_missing(struct omptape_unify_model *model, const struct omptape_unify_search *search,
                                char *text, size_t bytes);

/* Writing the unified archive except its events, after all parts are read and the clocks are converted.
 * Errors are recorded in the model. */

/* write.c: writes definitions, markers to `folder`/traces.*. Returns 0, or -1 with model->error. */
int omptape_unify_write(struct omptape_unify_model *model, int folder);

/* write_global.c: writes the global definitions. */
void omptape_unify_write_global(struct omptape_unify_model *model, OTF2_GlobalDefWriter *out);

/* properties.c: merges the processes' properties. Equal values and sums become properties of the archive,
 * other values properties of each process's location group. This function adds the latter as definitions;
 * called before the strings are written. */
void omptape_unify_define_properties(struct omptape_unify_model *model);
/* Writes the properties of the whole archive. */
void omptape_unify_write_properties(struct omptape_unify_model *model, OTF2_Archive *archive);
/* Returns true if the property is a count, which the unified archive sums up. */
bool omptape_unify_is_sum(const char *key);

/* Order of messages (src/unify/order/) and its correction. */

/* Input of a correction: the unified archive in `dir`, and its counts. */
struct omptape_unify_order_correction {
    const char *dir;
    struct omptape_order_counts counts;
};

/* Counts events in the wrong order, in a child process because libotf2 may crash. Returns 0, or negative
 * errno with a line in `error`. */
int omptape_unify_count(const char *dir, struct omptape_order_counts *counts,
                        struct omptape_unify_progress *progress, char *error, size_t bytes);

/* True if a message is received before it is sent, or a collective operation ends before members begin. */
static inline bool omptape_unify_is_early(const struct omptape_order_counts *counts)
{
    return counts->received_early + counts->left_early > 0;
}

/* Formats a line for the user about the order of messages, or "" if nothing is wrong. `corrected`: the times
 * have been corrected as far as possible. */
void omptape_unify_describe_order(const char *dir, const struct omptape_order_counts *counts, bool corrected,
                                  char *line, size_t bytes);

/* Computes corrected times; called in the staging child after the unified archive is read and its times are
 * converted. Sets model->corrected and the conversion's range. Returns 0, or -1 with model->error set. */
int omptape_unify_correct_order(struct omptape_unify_model *model,
                                const struct omptape_unify_order_correction *correction,
                                volatile uint64_t *beats);
