/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the processes of the model that share processors (build.h).
 */
#include "src/model/build.h"

#include <omptape/properties.h>

/* Processes of a node that may use the same processors. */
struct crowd {
    uint64_t threads;
    uint64_t processors;
    uint64_t processes;
};

/* Returns the crowd that the process belongs to: one of its own if its processors are unknown. */
static struct crowd *find_crowd(struct build *build, struct omptape_pairs *crowds, uint64_t process)
{
    const struct omptape_definition *group =
        omptape_reader_find(build->reader, OMPTAPE_DEF_LOCATION_GROUP, process);
    const uint64_t node = group != NULL ? group->refs[1].id : 0;
    const int64_t number = omptape_reader_process_number(build->reader, process);
    const char *allowed = omptape_reader_property_of(build->reader, number, OMPTAPE_KEY_ALLOWED);
    const uint64_t key = allowed != NULL ? omptape_hash_key(allowed, strlen(allowed)) : process;
    struct crowd *crowd = omptape_pairs_obtain(crowds, &build->arena, node, key, sizeof(*crowd));
    const uint64_t processors = omptape_reader_number_of(build->reader, number, OMPTAPE_KEY_PROCESSORS);
    if (crowd == NULL)
        return NULL;
    if (crowd->processes == 0 || processors < crowd->processors)
        crowd->processors = processors;
    crowd->processes++;
    return crowd;
}

void build_crowd(struct build *build)
{
    struct model *model = build->model;
    struct omptape_pairs crowds = {.count = 0};  /* (node, hash of the processors) -> struct crowd */
    struct omptape_pairs members = {.count = 0}; /* (0, process) -> its crowd */
    for (uint32_t i = 0; i < build->locations.count; i++) {
        const struct build_location *location = build->locations.list[i].value;
        struct crowd *crowd = omptape_pairs_get(&members, 0, location->process);
        if (location->is_stream)
            continue;
        if (crowd == NULL) {
            crowd = find_crowd(build, &crowds, location->process);
            (void)omptape_pairs_put(&members, 0, location->process, crowd);
        }
        if (crowd != NULL)
            crowd->threads++;
    }
    for (uint32_t i = 0; i < crowds.count; i++) {
        const struct crowd *crowd = crowds.list[i].value;
        if (crowd->processors == 0 || crowd->threads * model->processors < model->crowd * crowd->processors)
            continue;
        model->crowd = crowd->threads;
        model->processors = crowd->processors;
        model->crowd_processes = crowd->processes;
    }
    omptape_pairs_free(&crowds);
    omptape_pairs_free(&members);
}
