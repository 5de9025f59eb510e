/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the constructs that are linked into the program or come with a library of it; fixture of test_symbols.
 * The stand-in runtime reports at exit.
 */
#include "runtime.h"

int main(void)
{
    return constructs(3) < 0;
}
