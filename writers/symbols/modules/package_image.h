/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside package.c: the parts of a unit, and an ELF image of them. To go with it.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_MODULES_PACKAGE_IMAGE_H
#define OMPTAPE_WRITERS_SYMBOLS_MODULES_PACKAGE_IMAGE_H

#include <stddef.h>

enum omptape_package_part {
    PART_INFO,
    PART_ABBREV,
    PART_LINE,
    PART_STR_OFFSETS,
    PART_RNGLISTS,
    PART_STR,
    PART_ADDR,
    PART_RANGES,
    PARTS,
    PACKAGE_PARTS = PART_STR + 1 /* those that the package holds */
};

/* The names of their sections. */
extern const char *const omptape_package_part_names[PARTS];

struct omptape_package_piece {
    const char *data;
    size_t size;
};

/* An ELF file in memory with the pieces as sections, which the caller frees. NULL: out of memory. */
char *omptape_package_image(const struct omptape_package_piece pieces[PARTS], size_t *image_size);

#endif
