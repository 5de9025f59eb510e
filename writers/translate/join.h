/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When a team is joined: not before its last member has left it, though most members tell of that later.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_JOIN_H
#define OMPTAPE_WRITERS_TRANSLATE_JOIN_H

#include "writers/translate/teams.h"

/* The time to write for the ThreadJoin at `time` on `location`, the team's primary, which left it at `end`.
 */
uint64_t omptape_join_time(const struct omptape_writer *writer, const struct omptape_location *location,
                           const struct omptape_team *team, uint64_t time, uint64_t end);

#endif
