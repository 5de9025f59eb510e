/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of Caliper that the tests call (preloaded.c has a library of them): not Caliper's header.
 */
#pragma once

void cali_begin_region(const char *text);
void cali_end_region(const char *text);
