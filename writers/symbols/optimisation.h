/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a compilation unit was compiled without optimisation, by its debug information.
 */
#pragma once

#include "writers/symbols/functions.h"

/* Returns true if the unit was certainly compiled without optimisation (-O0). The unit
 * must be open. Producers of gcc have its options. A function of clang's says that its calls are described
 * only if it was optimised. Of other compilers nothing is known. */
bool omptape_unit_is_unoptimised(struct omptape_unit *unit);
