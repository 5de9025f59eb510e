/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of ROCTX that the tests call (preloaded.c has a library of them): not AMD's header.
 */
#pragma once

#include <stdint.h>

int roctxRangePushA(const char *text);
int roctxRangePop(void);
void roctxMarkA(const char *text);
uint64_t roctxRangeStartA(const char *text);
void roctxRangeStop(uint64_t id);
