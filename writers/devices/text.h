/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts in the payload of records about devices.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_TEXT_H
#define OMPTAPE_WRITERS_DEVICES_TEXT_H

#include <omptape/record.h>
#include <stddef.h>

/* The record's text that begins at payload word `at`; "" if there is none. *next (may be NULL): the word
 * behind it. */
const char *omptape_device_text(const struct omptape_record *record, size_t at, size_t *next);

#endif
