/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shortens demangled names of C++ functions: removes return types, parameters and long template arguments.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { OMPTAPE_SHORT_NAME_BYTES = 128 };

/* Writes "parallel_for<skewed()::lambda 1>" for "void run::parallel_for<skewed()::{lambda(int)#1}>(int,
 * ...)". The name begins with the first component that has template arguments. If some of these are lambdas,
 * only they are kept. A name that is too long is cut before its last component: "Table<int, ...::insert".
 * Returns false if `function` is not an instance of a template. */
bool omptape_short_name_of_instance(const char *function, char text[OMPTAPE_SHORT_NAME_BYTES]);

/* Writes "forces().omp_outlined" for "System::forces(double) const.omp_outlined". Copies other names. */
void omptape_short_name_of_symbol(const char *symbol, char text[OMPTAPE_SHORT_NAME_BYTES]);

/* Writes "Builder<int>::make_graph" for "Graph<int> Builder<int>::make_graph(Edges const&) [clone .part.0]".
 * Removes long template arguments: "std::sort<>". Copies other than C++ names. Returns `text`. */
const char *omptape_short_name_of_function(const char *function, char text[OMPTAPE_SHORT_NAME_BYTES]);
