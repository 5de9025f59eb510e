/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The entry points by which a tool reads the records of a buffer.
 */
#pragma once

#include "omptape/ompt.h"

/* By their names without "ompt_"; NULL if it is none of them. */
ompt_interface_fn_t em_reading_lookup(const char *name);
