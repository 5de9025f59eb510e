/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls the mains of several programs whose shares are known (sample.c, sample_variant.f90), which were
 * compiled in different ways: VARIANTS is V(name) of each.
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
