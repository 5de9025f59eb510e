/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where events happen, in the order in which they are shown: processes, their threads, their devices and the
 * devices' streams, with the numbers that the system knows them by; and times, in ns since the trace's start.
 * For the formats, in the child that reads.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_PLACES_H
#define OMPTAPE_COMMAND_EXPORT_PLACES_H

#include "src/archive/read/reader.h"
#include "src/command/text/ranges.h"
#include "src/core/hash.h"
#include "src/core/store.h"

#include <stdbool.h>
#include <stdint.h>

/* A location group: a process, or a device of one. */
struct omptape_export_group {
    const struct omptape_definition *definition; /* NULL: of locations whose group is not defined */
    const char *name;
    uint32_t index;
    uint32_t process; /* the index of the group that is its process; its own: it is one */
    bool chosen;      /* one of its locations is, or one of its devices' */
    int32_t pid;      /* unique in the archive, not 0 */
    int64_t real_pid; /* as the archive has it, or -1 */
};

struct omptape_export_place {
    const struct omptape_definition *definition;
    const char *name;
    uint32_t index;
    uint32_t group;
    uint32_t process; /* index of the group that is its process */
    uint32_t number;  /* within the process, as --threads names it */
    int32_t tid;      /* unique in the process */
    bool is_thread;   /* of the process itself, not of a device */
    bool holds_regions;
    bool chosen;
};

struct omptape_export_places {
    struct omptape_reader *reader;
    struct omptape_export_group *groups;
    struct omptape_export_place *list;
    uint32_t group_count;
    uint32_t count;
    struct omptape_pairs by_id;    /* (0, location) -> its place */
    struct omptape_pairs by_group; /* (0, location group) -> its group */
    struct omptape_arena arena;
    struct omptape_export_place *last;
    bool some; /* is chosen */
};

/* `threads`: those that are chosen. 0 or -ENOMEM. omptape_export_places_free in any case. */
int omptape_export_places_find(struct omptape_export_places *places, struct omptape_reader *reader,
                               const struct omptape_ranges *threads);
void omptape_export_places_free(struct omptape_export_places *places);

/* The rare case of the function below. */
struct omptape_export_place *omptape_export_place_look_up(struct omptape_export_places *places, uint64_t id);

/* The place of the location, or NULL. */
static inline struct omptape_export_place *omptape_export_place_of(struct omptape_export_places *places,
                                                                   uint64_t id)
{
    return places->last != NULL && places->last->definition->id == id
               ? places->last
               : omptape_export_place_look_up(places, id);
}

/* A reading of the archive's clock as ns since the trace's start. */
uint64_t omptape_export_ns(const struct omptape_reader *reader, uint64_t ticks);

#endif
