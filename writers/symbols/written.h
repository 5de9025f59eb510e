/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a construct stands whose line the debug info does not tell, or tells wrongly: as it is written in the
 * source file, if that can be read.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_WRITTEN_H
#define OMPTAPE_WRITERS_SYMBOLS_WRITTEN_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>

/* `call` is the call to the runtime of a construct with these callees (callees.h). Of its directives in the
 * file those belong to the function that calls, or to the body that it hands over, of which this has code in
 * the lines behind them. True if there is one (of which compilers may make several calls), or if there are as
 * many as such calls in the function, in their order. Then *file and *line are set. *line is what the debug
 * info said: flang's loops have the right one. */
bool omptape_written_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                          const char *const *callees, const char **file, unsigned *line);

#endif
