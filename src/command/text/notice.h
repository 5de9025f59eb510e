/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines that --quiet silences. Errors that the user must see in any case go through omptape_message
 * (src/core/message.h).
 */
#ifndef OMPTAPE_COMMAND_TEXT_NOTICE_H
#define OMPTAPE_COMMAND_TEXT_NOTICE_H

#include <stdbool.h>

void omptape_notice_silence(bool silent);
bool omptape_notice_is_silent(void);

/* One line on stderr, "omptape: " before it. Cut at about 1,000 bytes. */
void omptape_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
