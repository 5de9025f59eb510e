/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reading of one part: what its callbacks share, who does it, and how references in it become those of
 * the unified archive. What goes wrong is noted in the model; callbacks go on with what they have and return
 * omptape_unify_done.
 */
#ifndef OMPTAPE_UNIFY_READING_H
#define OMPTAPE_UNIFY_READING_H

#include "src/unify/files.h"
#include "src/unify/model.h"
#include "src/unify/order/links.h"
#include "src/unify/search.h"

/* User data of the callbacks. */
struct omptape_unify_reading {
    struct omptape_unify_model *model;
    struct omptape_unify_part *part;
    uint32_t number;
    uint32_t first_location; /* what comes from here on in the model is the part's own */
    uint32_t first_process;
    int folder;                    /* the part's */
    uint32_t elsewhere;            /* places in MPI's list that are of other worlds */
    struct omptape_hash processes; /* location group + 1 to the process's number */
    struct omptape_rows own; /* of a unified archive's processes: location group, key, value (strings) */
};

/* read.c: reads a part's global definitions, properties, local definitions and markers. 0, or -1 with
 * model->error set: then the model is of no use any more. `base`: the output folder. */
int omptape_unify_read(struct omptape_unify_model *model, uint32_t part, int base);
/* Opens a part's folder, which has to be the caller's. A descriptor, or negative errno. */
int omptape_unify_open_part(int folder, const char *name);
/* Opens the archive in a part's folder. The caller closes it, and lets go of `files` then
 * (omptape_otf2_files_leave), also if it is NULL. */
OTF2_Reader *omptape_unify_open_reader(int part, int *files);

/* definitions.c: the callbacks of the global definitions; groups.c: those of groups, communicators and
 * metrics. */
OTF2_GlobalDefReaderCallbacks *omptape_unify_definition_callbacks(void);
void omptape_unify_add_group_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks);
/* processes.c: the part's processes with their properties, once its definitions are read. */
void omptape_unify_read_processes(struct omptape_unify_reading *reading, OTF2_Reader *reader);
/* The part's locations from `first` to `end`, some at a time, which libotf2's reader has selected. */
typedef void omptape_unify_portion_work(struct omptape_unify_reading *reading, OTF2_Reader *reader,
                                        uint32_t first, uint32_t end);
void omptape_unify_read_portions(struct omptape_unify_reading *reading, uint32_t first, uint32_t end,
                                 omptape_unify_portion_work *work);
/* used.c: what the events of the part's locations refer to, where mapping tables of all that there is would
 * take more than the events do. */
void omptape_unify_find_used(struct omptape_unify_reading *reading);
/* local.c: the local definitions of all locations of the part, and its markers, at last. */
void omptape_unify_read_local(struct omptape_unify_reading *reading);
bool omptape_unify_has_beside(const struct omptape_unify_reading *reading, uint64_t location,
                              const char *ending);
void omptape_unify_read_markers(struct omptape_unify_reading *reading, OTF2_Reader *reader, int folder);

/* What a callback returns: reading ends if something has gone wrong. */
OTF2_CallbackCode omptape_unify_done(const struct omptape_unify_reading *reading);

/* The unified reference of something that must have been defined before, */
uint64_t omptape_unify_must(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                            uint64_t ref);
/* or may be OTF2's "undefined". */
uint64_t omptape_unify_may(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                           uint64_t ref);
uint64_t omptape_unify_string(const struct omptape_unify_reading *reading, OTF2_StringRef ref);
/* An attribute's or a property's value: a number, or a reference. */
uint64_t omptape_unify_value(const struct omptape_unify_reading *reading, OTF2_Type type,
                             OTF2_AttributeValue value);
/* groups.c: so many places at the end of MPI's list, of nobody; returns the first. */
uint32_t omptape_unify_add_places(struct omptape_unify_model *model, uint32_t count);
/* The row of a group that holds processes of several worlds. It has the identity of the communicator, the
 * meeting by which they came together, and the part that numbers it so. False: it is no such group. */
bool omptape_unify_scan_across(const struct omptape_unify_model *model, const uint64_t *words,
                               uint64_t *identity, uint32_t *meeting, uint32_t *part);

/* What belongs to one process alone is told apart by this. */
uint64_t omptape_unify_whose(const struct omptape_unify_reading *reading, uint64_t self);
/* The process of this location group; UINT32_MAX: it is none's. */
uint32_t omptape_unify_process_of(const struct omptape_unify_reading *reading, uint64_t group);

/* Adds a definition, whose words take so many bytes, with the part's reference `self`, */
OTF2_CallbackCode omptape_unify_define(const struct omptape_unify_reading *reading,
                                       enum omptape_unify_kind kind, uint64_t self, const uint64_t *words,
                                       size_t bytes);
/* and one that nothing refers to. */
OTF2_CallbackCode omptape_unify_add_extra(const struct omptape_unify_reading *reading, const uint64_t *words,
                                          size_t bytes);

/* Launches among the processes: a script may have started several programs with ranks from 0 each, which the
 * launcher's names of job and step tell apart.
 */

/* Puts the parts in the order in which their locations come. First comes the part in the folder itself, then
 * the ranks of each launch in the order in which these began, then other processes. Within these the order
 * stays. `indexes`, of as many numbers, is sorted in the same way. `looked_at` is the number of the part
 * that is being read, in case libotf2 crashes on it. 0 or -ENOMEM. `folder`: the output folder. */
int omptape_unify_order(struct omptape_unify_model *model, int folder, uint32_t *indexes,
                        uint32_t *looked_at);

/* Which ranks the launches had and nobody recorded, and why, as one line; "": all are there. Once all parts
 * are read; `search` has those that are left out. Makes a warning of the archive for each launch and reason.
 */
void omptape_unify_find_missing(struct omptape_unify_model *model, const struct omptape_unify_search *search,
                                char *text, size_t bytes);

/* Writing the unified archive without its events, once all parts are read and the clocks are dated. What goes
 * wrong is noted in the model.
 */

/* write.c: writes definitions, anchor and markers to `folder`/traces.*. 0, or -1 with model->error set. */
int omptape_unify_write(struct omptape_unify_model *model, int folder);

/* write_global.c: the global definitions. */
void omptape_unify_write_global(struct omptape_unify_model *model, OTF2_GlobalDefWriter *out);

/* properties.c: what holds for all processes once, sums, and the rest for each as a property of its location
 * group. What is each process's own becomes definitions, before the strings are written; */
void omptape_unify_define_properties(struct omptape_unify_model *model);
/* then the archive gets the others. */
void omptape_unify_write_properties(struct omptape_unify_model *model, OTF2_Archive *archive);
/* Is it a count, of which the unified archive has the sum? */
bool omptape_unify_is_sum(const char *key);

/* Between unification and what it finds of the order of messages (src/unify/order/). */

/* What is to be mended: the unified archive in `dir`, of which this is known. */
struct omptape_unify_mending {
    const char *dir;
    struct omptape_order_counts counts;
};

/* Counts in a child process, because libotf2 may crash. 0, or negative errno with a line in `error`. */
int omptape_unify_count(const char *dir, struct omptape_order_counts *counts,
                        struct omptape_unify_progress *progress, char *error, size_t bytes);

/* Does anything come before what it needs? */
static inline bool omptape_unify_is_early(const struct omptape_order_counts *counts)
{
    return counts->received_early + counts->left_early > 0;
}

/* What a user should know of it, or an empty line. `mended`: what could be mended is. */
void omptape_unify_describe_order(const char *dir, const struct omptape_order_counts *counts, bool mended,
                                  char *line, size_t bytes);

/* In the child of the staging, when the unified archive has been read and dated: sets model->mended, and the
 * dating's range. 0, or -1 with model->error set. */
int omptape_unify_mend(struct omptape_unify_model *model, const struct omptape_unify_mending *mending,
                       volatile uint64_t *beats);

#endif
