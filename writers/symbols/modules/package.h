/* SPDX-License-Identifier: BSD-3-Clause
 *
 * DWARF packages (.dwp): the split units of a whole program in one file, which libdw before 0.191 does not
 * read.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_MODULES_PACKAGE_H
#define OMPTAPE_WRITERS_SYMBOLS_MODULES_PACKAGE_H

#include <elfutils/libdw.h>
#include <stdint.h>

struct omptape_package;

/* One unit of a package, as debug info of its own. */
struct omptape_package_unit {
    Dwarf_Die die;
    Dwarf *dwarf;
    Elf *elf;
    char *image;
};

/* 0, -ENOENT when there is no such file or it is no package, -ENOMEM. */
int omptape_package_open(const char *path, struct omptape_package **package);
void omptape_package_close(struct omptape_package *package);

/* Opens the unit that belongs to the skeleton (a unit entry of the program's debug info, with this id). 0,
 * -ENOENT when the package does not have it or it cannot be read, -ENOMEM. The unit does not need the package
 * any more. */
int omptape_package_unit_open(struct omptape_package *package, Dwarf_Die *skeleton, uint64_t id,
                              struct omptape_package_unit *unit);
void omptape_package_unit_close(struct omptape_package_unit *unit);

#endif
