/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls the main functions of several programs with known shares of time (sample.c, sample_variant.f90). They
 * are compiled in different ways. VARIANTS is defined by the compiler's options: V(name) for each program.
 */
#define V(name) int name(int argc, char **argv);
VARIANTS
#undef V

int main(int argc, char **argv)
{
    int failed = 0;
#define V(name) failed += name(argc, argv) != 0;
    VARIANTS
    return failed;
}
