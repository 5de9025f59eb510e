/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a compilation unit was compiled without optimisation, by its debug information.
 */
#pragma once

#include "writers/symbols/functions.h"

/* Returns true if the unit was certainly compiled without optimisation (-O0). gcc notes its options. Of clang
 * and flang the variables tell: without optimisation each has one place, on the stack, in all of its scope.
 * The unit must be open. */
bool omptape_unit_is_unoptimised(struct omptape_unit *unit);
