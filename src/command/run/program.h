/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inspects the program that the user names: its file, its interpreter, its libraries and its ELF symbols.
 * Called by the command before it starts the program and when it explains a run without a trace.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct run_program {
    char *path;        /* path of the file; owned */
    char *binary;      /* ELF file that the kernel runs: `path` or a script's interpreter; owned, or NULL */
    char *interpreter; /* loader named by `binary`; owned; NULL if statically linked or not an ELF file */
    char *bad_interpreter; /* the script's interpreter or the loader of `binary`, if it cannot be run; owned,
                              or NULL */
    const char *machine;   /* architecture of `binary`: "x86-64" */
    const char *damage;    /* why `binary` cannot be run, as a verb phrase; or NULL */
    bool script;           /* a script, or a loader that is started itself */
    bool cut;              /* `binary` is truncated */
    bool foreign;          /* built for another architecture or word size */
    bool privileged;       /* set-user-ID, set-group-ID or file capabilities: the loader ignores LD_PRELOAD */
};

/* Looks up the file as execvp does and inspects it. Returns 0, -ENOENT if it does not exist, or -EACCES if it
 * is not executable. The caller frees `program` with program_free in any case. */
int program_find(const char *name, struct run_program *program);
void program_free(struct run_program *program);

/* Libraries that the loader maps when the program starts, as the loader itself lists them (like ldd). */

struct run_library {
    char *name; /* as requested: "libgomp.so.1", or a path */
    char *path; /* resolved file, or NULL if not found */
};

struct libraries {
    struct run_library *items;
    uint32_t count;
    uint32_t capacity;
};

/* Lists the libraries by running program->binary's loader in list mode; the program itself is not run.
 * Returns 0, or negative errno with empty `libraries` if there is no loader or it cannot list them. */
int libraries_read(const struct run_program *program, struct libraries *libraries);
void libraries_free(struct libraries *libraries);

/* Returns the first library whose base name starts with `prefix`, or NULL. */
const struct run_library *libraries_find(const struct libraries *libraries, const char *prefix);

/* Returns the first library that defines an OpenMP runtime's symbols, or NULL. `gnu` selects GNU's libgomp;
 * false selects LLVM's kind (also Intel's and NVIDIA's). Reads the files; their names do not matter. */
const struct run_library *libraries_find_runtime(const struct libraries *libraries, bool gnu);

/* Reads ELF headers and symbol tables through libelf. The files are never run. */

struct elf {
    char *interpreter;   /* loader it names; owned; NULL for static programs and libraries */
    bool foreign;        /* other architecture or word size than this command */
    const char *machine; /* "x86-64", "i386" */
    const char *damage;  /* why the kernel refuses to run it, as a verb phrase; or NULL */
    bool cut;            /* the file is shorter than its segments */
};

/* Reads the ELF header. Returns 0, -ENOEXEC if it is no ELF file, or negative errno if it cannot be read. */
int elf_read(const char *path, struct elf *elf);
/* True if a file that elf_read rejected starts with the ELF magic number: it is truncated. */
bool elf_is_truncated(const char *path);

/* Returns true if the file defines the symbol in its dynamic or its full symbol table. The full one matters
 * for statically linked runtimes. */
bool elf_defines(const char *path, const char *symbol);

/* Returns true if the file imports a symbol for which `is_wanted` returns true. */
bool elf_imports(const char *path, bool (*is_wanted)(const char *symbol));

/* Returns true if the file contains the text with its terminating zero byte. */
bool elf_contains(const char *path, const char *text);

/* Returns true if the library's own calls of a function that it defines cannot be interposed by LD_PRELOAD.
 * Linked with -Bsymbolic-functions, the library has no relocation for the symbol. */
bool elf_binds_itself(const char *path, const char *symbol);
