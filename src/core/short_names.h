/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short names of C++ functions, from their demangled ones: without return type and arguments.
 */
#ifndef OMPTAPE_CORE_SHORT_NAMES_H
#define OMPTAPE_CORE_SHORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { OMPTAPE_SHORT_NAME_BYTES = 128 };

/* "parallel_for<skewed()::lambda 1>" for "void run::parallel_for<skewed()::{lambda(int)#1}>(int, ...)": from
 * the first class or function that has template arguments on; of these only those that are lambdas, if there
 * are such. False if `function` is no instance of a template. */
bool omptape_short_name_of_instance(const char *function, char text[OMPTAPE_SHORT_NAME_BYTES]);

/* "forces().omp_outlined" for "System::forces(double) const.omp_outlined". Names that are not C++'s stay. */
void omptape_short_name_of_symbol(const char *symbol, char text[OMPTAPE_SHORT_NAME_BYTES]);

/* "Builder<int>::make_graph" for "Graph<int> Builder<int>::make_graph(Edges const&) [clone .part.0]".
 * Template arguments that take much room are left out: "std::sort<>". Names that are not C++'s stay. Returns
 * text. */
const char *omptape_short_name_of_function(const char *function, char text[OMPTAPE_SHORT_NAME_BYTES]);

#endif
