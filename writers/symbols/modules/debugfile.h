/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a module's debug info lies when it is not in the module itself. Used by the symbol resolver, on the
 * writer's translating thread.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_MODULES_DEBUGFILE_H
#define OMPTAPE_WRITERS_SYMBOLS_MODULES_DEBUGFILE_H

#include <elfutils/libdwfl.h>

/* The folder that holds installed debug files, "/usr/lib/debug"; a test may put another one here before the
 * first look-up. */
extern char *omptape_debugfile_root;

/* libdwfl's find_debuginfo callback: looks by build-id below the root, then by .gnu_debuglink beside the
 * module, in .debug there, and below the root. libdwfl's own callback would also ask a debuginfod server;
 * this never does. The callbacks' debuginfo_path must be the root. */
int omptape_debugfile_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                           const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
                           char **debuginfo_file_name);

#endif
