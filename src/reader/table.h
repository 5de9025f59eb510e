/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Former names of the tables of pairs (src/core/hash.h), for files that still use them.
 */
#ifndef OMPTAPE_READER_TABLE_H
#define OMPTAPE_READER_TABLE_H

#include "src/core/store.h"

#define omptape_table omptape_pairs
#define omptape_table_get omptape_pairs_get
#define omptape_table_put omptape_pairs_put
#define omptape_table_remove omptape_pairs_take
#define omptape_table_free omptape_pairs_free

#endif
