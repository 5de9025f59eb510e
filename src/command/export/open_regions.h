/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which regions are open at each place: a window's table begins and ends with them. For csv.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_OPEN_REGIONS_H
#define OMPTAPE_COMMAND_EXPORT_OPEN_REGIONS_H

#include "src/reader/reader.h"

/* The regions that are open at one place, the outermost first: what their Enters refer to. All zeros: none.
 */
struct omptape_open_regions {
    struct omptape_reference *list;
    uint32_t count;
    uint32_t room;
};

/* An Enter or a Leave went by; any other event changes nothing. A Leave ends what is open in its region, too.
 * 0 or -ENOMEM. */
int omptape_open_regions_follow(struct omptape_open_regions *open, const struct omptape_event *event);

void omptape_open_regions_free(struct omptape_open_regions *open);

#endif
