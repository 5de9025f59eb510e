/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of findings while they are gathered (findings.h).
 */
#include "src/analysis/findings/gathering.h"

#include "src/core/array.h"

#include <stddef.h>

struct omptape_finding *omptape_findings_at(struct analysis_findings *findings,
                                            enum omptape_finding_kind kind,
                                            const struct analysis_region *region)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->list[i].kind == kind && findings->list[i].region == region &&
            findings->list[i].serial == NULL)
            return &findings->list[i];
    struct omptape_finding *list =
        omptape_array_reserve(findings->list, findings->count + 1, &findings->room, sizeof(*list));
    if (list == NULL) {
        findings->state->no_memory = true;
        return NULL;
    }
    findings->list = list;
    list[findings->count] = (struct omptape_finding){.kind = kind, .region = region};
    return &list[findings->count++];
}

void omptape_findings_set_worst(struct omptape_finding *finding, const struct analysis_durations *durations)
{
    finding->worst_begin = durations->longest_begin;
    finding->worst_end = finding->worst_begin + durations->longest;
    finding->worst_location = durations->longest_location;
}
