/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Former names of the hash table (src/core/hash.h), for files that still use them.
 */
#ifndef OMPTAPE_WRITERS_MODEL_IDMAP_H
#define OMPTAPE_WRITERS_MODEL_IDMAP_H

#include "src/core/hash.h"

#define omptape_idmap omptape_hash
#define omptape_idmap_get omptape_hash_get
#define omptape_idmap_put omptape_hash_put
#define omptape_idmap_add omptape_hash_add
#define omptape_idmap_take omptape_hash_take
#define omptape_idmap_free omptape_hash_free

#endif
