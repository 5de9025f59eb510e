/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the line of a call to libgomp's functions is the call's own. gcc gives many of them none: what the
 * line table then says is the line of whatever stands before.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_LOCATED_H
#define OMPTAPE_WRITERS_SYMBOLS_LOCATED_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>

/* `call` is a jump to the runtime, or the last byte of a call. False where the line is another's, or may be.
 */
bool omptape_located(struct omptape_loaded *loaded, const struct omptape_loaded_place *call);

#endif
