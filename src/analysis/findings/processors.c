/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Determines which processors the processes could use, from their properties (gathering.h).
 */
#include "src/analysis/findings/gathering.h"

#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

enum { SET_BITS = 64 };

bool omptape_findings_add_allowed(struct analysis_processors *set, const char *list)
{
    while (list != NULL && *list != '\0') {
        char *end;
        const unsigned long first = strtoul(list, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        if (end == list || last >= ANALYSIS_MAX_PROCESSORS)
            return false;
        for (unsigned long i = first; i <= last; i++)
            set->words[i / SET_BITS] |= UINT64_C(1) << i % SET_BITS;
        list = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '\0')
            return false;
    }
    return list != NULL;
}

/* Returns the number of processors at the start of the node's processes (NULL: of all, on one node); 0 if
 * unknown. *later receives their number when OpenMP started. */
static uint32_t count_allowed(const struct analysis_state *state, const char *node, uint64_t *later)
{
    const struct omptape_analysis *result = state->result;
    struct analysis_processors set = {{0}};
    uint32_t count = 0;
    if (result->node_count != 1 && node == NULL)
        return 0;
    for (uint32_t i = 0; i < result->process_count; i++) {
        if (node != NULL && strcmp(result->processes[i].node, node) != 0)
            continue;
        omptape_add(later, result->processes[i].processors);
        if (!omptape_findings_add_allowed(
                &set,
                omptape_reader_property_of(state->reader, result->processes[i].number, OMPTAPE_KEY_ALLOWED)))
            return 0;
    }
    for (size_t i = 0; i < ANALYSIS_MAX_PROCESSORS; i++)
        count += set.words[i / SET_BITS] >> i % SET_BITS & 1;
    return count;
}

bool omptape_findings_bound_themselves(const struct analysis_state *state)
{
    uint64_t later = 0;
    const uint32_t count = count_allowed(state, NULL, &later);
    return later > 0 && later < count;
}

uint32_t omptape_findings_allowed(const struct analysis_state *state, const char *node)
{
    uint64_t later = 0;
    const uint32_t count = count_allowed(state, node, &later);
    return later > 0 && later < count ? (uint32_t)later : count;
}

uint64_t omptape_findings_beyond(const struct analysis_state *state)
{
    const uint32_t allowed = omptape_findings_allowed(state, NULL);
    const uint64_t online = omptape_findings_online(state);
    return allowed > 0 && online > allowed ? online : 0;
}

uint64_t omptape_findings_online(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    return result->process_count > 0
               ? omptape_reader_number_of(state->reader, result->processes[0].number, OMPTAPE_KEY_ONLINE)
               : 0;
}
