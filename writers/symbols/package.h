/* SPDX-License-Identifier: BSD-3-Clause
 *
 * DWARF packages (.dwp): the split units of a whole program in one file, which libdw before elfutils 0.191
 * does not read. A build for newer ones leaves them out (OMPTAPE_WITH_DWARF_PACKAGES=OFF): libdw then finds
 * the split unit and knows its ranges.
 */
#pragma once

#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* The package of one module, opened when a unit first needs it. All zeros: there is none. */
struct omptape_packages {
    char *paths[2]; /* where it may lie */
    bool tried;
    struct omptape_package *package; /* NULL: not found */
};

/* One unit of a package, as debug info of its own. All zeros: none. */
struct omptape_package_unit {
    Dwarf_Die die;
    Dwarf_Addr relative_base; /* see omptape_die_next_range */
    Dwarf *dwarf;
    Elf *elf;
    char *image;
};

#ifdef OMPTAPE_WITHOUT_DWARF_PACKAGES
static inline void omptape_packages_name(struct omptape_packages *packages, const char *debug_file,
                                         const char *file)
{
    (void)packages, (void)debug_file, (void)file;
}

static inline void omptape_packages_free(struct omptape_packages *packages)
{
    (void)packages;
}

static inline int omptape_package_unit_open(struct omptape_packages *packages, Dwarf_Die *skeleton,
                                            uint64_t id, struct omptape_package_unit *unit)
{
    (void)packages, (void)skeleton, (void)id, (void)unit;
    return -ENOENT;
}

static inline void omptape_package_unit_close(struct omptape_package_unit *unit)
{
    (void)unit;
}
#else
/* It may lie beside the module's debug info or beside the module; either name may be NULL. */
void omptape_packages_name(struct omptape_packages *packages, const char *debug_file, const char *file);
void omptape_packages_free(struct omptape_packages *packages);

/* Opens the unit that belongs to the skeleton (a unit entry of the program's debug info, with this id). 0,
 * -ENOENT when there is no package, it does not have it or it cannot be read, -ENOMEM. */
int omptape_package_unit_open(struct omptape_packages *packages, Dwarf_Die *skeleton, uint64_t id,
                              struct omptape_package_unit *unit);
void omptape_package_unit_close(struct omptape_package_unit *unit);
#endif
