/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an archive back through libotf2 as text, so that tests of the writer can say what they expect. Used
 * on the test's main thread.
 *
 * One line an event, "TIME WHAT":
 *   enter REGION, leave REGION (the whole name), fork REQUESTED, join, team MEMBERS, endteam MEMBERS,
 *   create MEMBERS CREATOR GENERATION, switch (the same), complete (the same), acquire LOCK ORDER,
 *   release LOCK ORDER, off, on, flush UNTIL, parameter NAME=VALUE, get RANK BYTES ID, put (the same),
 *   done ID, metric VALUE, program NAME, endprogram STATUS.
 * MEMBERS are the locations of the team, "0,1". Attributes follow as " [name=value]"; markers stand in the
 * text of their own, "TIME LOCATION KIND: TEXT".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct archive_text {
    uint32_t locations;
    char **events; /* a text for each location */
    char **names;  /* of the locations */
    char *markers;
};

/* Whether Enter and Leave of the whole program's region are shown: in the tests of just that. */
extern bool archive_text_shows_program;

/* Reads folder/traces.otf2; aborts if libotf2 complains about anything. To be freed by archive_text_free. */
struct archive_text *archive_text_read(const char *folder);
void archive_text_free(struct archive_text *text);
