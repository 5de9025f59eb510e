/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OMPT tool that the runtime sees; behind it stands the tool under test.
 */
#ifndef OMPTAPE_TESTS_EMULATOR_TOOL_H
#define OMPTAPE_TESTS_EMULATOR_TOOL_H

#include <stdint.h>

/* What the tool under test stored in this thread's data word; 0 on a thread of no runtime. */
uint64_t em_tool_thread_value(void);

#endif
