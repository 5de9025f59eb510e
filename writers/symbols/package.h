/* SPDX-License-Identifier: BSD-3-Clause
 *
 * DWARF packages (.dwp): the split units of a program in one file, which libdw before elfutils 0.191 does not
 * read. Builds for newer versions omit this (OMPTAPE_WITH_DWARF_PACKAGES=OFF): there libdw finds the split
 * unit and its ranges.
 */
#pragma once

#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* The package of one module, opened at the first unit that needs it. All zeros: none. */
struct omptape_packages {
    char *paths[2]; /* Possible paths of the package. */
    bool tried;
    struct omptape_package *package; /* NULL: not found. */
};

/* A unit of a package, as separate debug information. All zeros: none. */
struct omptape_package_unit {
    Dwarf_Die die;
    Dwarf_Addr relative_base; /* See omptape_die_next_range. */
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
/* Sets the package's possible paths: beside debug information and module. Either may be NULL. */
void omptape_packages_name(struct omptape_packages *packages, const char *debug_file, const char *file);
void omptape_packages_free(struct omptape_packages *packages);

/* Opens the unit of the skeleton (a unit entry of the program's debug information, with this id). Returns
 * 0 or -ENOMEM. Returns -ENOENT if there is no package, or the unit is missing or unreadable. */
int omptape_package_unit_open(struct omptape_packages *packages, Dwarf_Die *skeleton, uint64_t id,
                              struct omptape_package_unit *unit);
void omptape_package_unit_close(struct omptape_package_unit *unit);
#endif
