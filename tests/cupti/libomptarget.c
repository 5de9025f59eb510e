/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A double of libomptarget: the function by which the CUPTI producer tells that an offload runtime is loaded.
 * Never called.
 */
void __tgt_register_lib(void *description);

__attribute__((visibility("default"))) void __tgt_register_lib(void *description)
{
    (void)description;
}
