/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What clang hands to LLVM's runtime with each construct: a record (ident_t of kmp.h) whose text says where
 * the construct stands, ";file;function;line;column;;". Its text is empty of that without -g. x86-64 only.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_IDENTS_H
#define OMPTAPE_WRITERS_SYMBOLS_IDENTS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_ident {
    const char *file; /* as the compiler was told, not terminated; lives as long as the ELF */
    size_t file_length;
    const char *function; /* likewise, without what is around it */
    size_t function_length;
    unsigned line;
};

/* Reads the record at the linked address. False if there is none that says where. */
bool omptape_ident_read(Elf *elf, uint64_t address, struct omptape_ident *ident);

#endif
