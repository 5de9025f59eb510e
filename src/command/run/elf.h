/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command reads from ELF files, through libelf: how a program is started, which symbols a file
 * defines. Files are only read, never run.
 */
#ifndef OMPTAPE_COMMAND_RUN_ELF_H
#define OMPTAPE_COMMAND_RUN_ELF_H

#include <stdbool.h>

struct omptape_elf {
    char *interpreter;   /* the loader it names (owned), or NULL: static, or a library */
    bool foreign;        /* for another machine or word size than this command */
    const char *machine; /* "x86-64", "i386" */
    const char *damage;  /* why the kernel will not run it, a phrase behind its name; or NULL */
    bool cut;            /* the file ends before what it says it holds */
};

/* 0; -ENOEXEC: no ELF file; negative errno: not readable. On 0 the caller frees with omptape_elf_free. */
int omptape_elf_read(const char *path, struct omptape_elf *elf);
/* Does the file begin as an ELF file, and yet is none? For one that omptape_elf_read refused. */
bool omptape_elf_is_begun(const char *path);
void omptape_elf_free(struct omptape_elf *elf);

/* True if the file defines the symbol, in its dynamic or its full symbol table: for runtimes linked
 * statically. */
bool omptape_elf_defines(const char *path, const char *symbol);

/* True if the library's own calls of the function that it defines go to its own, and to nobody's that was
 * preloaded: linked with -Bsymbolic-functions it has no relocation for it. */
bool omptape_elf_binds_itself(const char *path, const char *symbol);

#endif
