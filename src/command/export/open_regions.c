/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows the regions of one place (open_regions.h).
 */
#include "src/command/export/open_regions.h"

#include "src/core/array.h"

#include <errno.h>
#include <stdlib.h>

static int enter(struct omptape_open_regions *open, const struct omptape_reference *region)
{
    struct omptape_reference *list =
        omptape_array_reserve(open->list, open->count + 1, &open->room, sizeof(*list));
    if (list == NULL)
        return -ENOMEM;
    open->list = list;
    open->list[open->count++] = *region;
    return 0;
}

static void leave(struct omptape_open_regions *open, const struct omptape_reference *region)
{
    for (uint32_t i = open->count; i-- > 0;) {
        if (open->list[i].id == region->id) {
            open->count = i;
            return;
        }
    }
}

int omptape_open_regions_follow(struct omptape_open_regions *open, const struct omptape_event *event)
{
    if (event->kind == OMPTAPE_EVENT_ENTER)
        return enter(open, &event->refs[0]);
    if (event->kind == OMPTAPE_EVENT_LEAVE)
        leave(open, &event->refs[0]);
    return 0;
}

void omptape_open_regions_free(struct omptape_open_regions *open)
{
    free(open->list);
    *open = (struct omptape_open_regions){.list = NULL};
}
