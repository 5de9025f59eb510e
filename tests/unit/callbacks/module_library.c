/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library to be loaded and unloaded, for test_module.c; built twice, under two names.
 */
__attribute__((visibility("default"))) int here(void);

int here(void)
{
    return 0;
}
