/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OMPT tool that the runtime sees; behind it stands the tool under test.
 */
#pragma once

#include <stdint.h>

/* What the tool under test stored in this thread's data word; 0 on a thread of no runtime. */
uint64_t em_tool_thread_value(void);
