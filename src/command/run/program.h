/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program that the user names: which file that is, and what kind of file. All of this folder looks at a
 * program before it is started, and prepares its environment.
 */
#ifndef OMPTAPE_COMMAND_RUN_PROGRAM_H
#define OMPTAPE_COMMAND_RUN_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct omptape_program {
    char *path; /* of the file (owned) */
    char *
        binary; /* the ELF file that the kernel will run: `path`, or a script's interpreter; owned, or NULL */
    char *interpreter; /* the loader that `binary` names; owned, or NULL: linked statically, or no ELF file */
    char *
        bad_interpreter; /* the script's interpreter or the loader of `binary` if that cannot be run; owned */
    const char *machine; /* of `binary`: "x86-64" */
    const char *damage;  /* why `binary` cannot be run as it is, a phrase; or NULL */
    bool script;
    bool cut;        /* `binary` is shorter than it should be */
    bool foreign;    /* built for another machine or word size */
    bool privileged; /* runs with more rights than this process, so its loader ignores LD_PRELOAD */
};

/* Finds the file as execvp will and looks at it. 0; -ENOENT: there is none; -EACCES: it may not be run.
 * `program` is to be freed with omptape_program_free in any case. */
int omptape_program_find(const char *name, struct omptape_program *program);
void omptape_program_free(struct omptape_program *program);

/* The libraries that a program's loader will load at its start, as the loader itself tells (what ldd shows).
 */

struct omptape_library {
    char *name; /* as asked for: "libgomp.so.1", or a path */
    char *path; /* the file, or NULL: not found */
};

struct omptape_libraries {
    struct omptape_library *items;
    uint32_t count;
    uint32_t capacity;
};

/* Asks the loader of program->binary. The program is not run.
 * 0, or negative errno: nothing is known, `libraries` is empty (the program has no loader, or one that cannot
 * tell). */
int omptape_libraries_read(const struct omptape_program *program, struct omptape_libraries *libraries);
void omptape_libraries_free(struct omptape_libraries *libraries);

/* The first library whose name, less its folder, starts with `prefix`; NULL if there is none. */
const struct omptape_library *omptape_libraries_find(const struct omptape_libraries *libraries,
                                                     const char *prefix);

/* The first one that is an OpenMP runtime by what it defines, whatever it is called: LLVM's kind (Intel's,
 * NVIDIA's), or GNU's libgomp. NULL if there is none. Reads the files. */
const struct omptape_library *omptape_libraries_find_runtime(const struct omptape_libraries *libraries,
                                                             bool gnu);

/* What the command reads from ELF files, through libelf: how a program is started, which symbols a file
 * defines. Files are only read, never run.
 */

struct omptape_elf {
    char *interpreter;   /* the loader it names (owned), or NULL: static, or a library */
    bool foreign;        /* for another machine or word size than this command */
    const char *machine; /* "x86-64", "i386" */
    const char *damage;  /* why the kernel will not run it, a phrase behind its name; or NULL */
    bool cut;            /* the file ends before what it says it holds */
};

/* 0; -ENOEXEC: no ELF file; negative errno: not readable. */
int omptape_elf_read(const char *path, struct omptape_elf *elf);
/* Does the file begin as an ELF file, and yet is none? For one that omptape_elf_read refused. */
bool omptape_elf_is_begun(const char *path);

/* True if the file defines the symbol, in its dynamic or its full symbol table: for runtimes linked
 * statically. */
bool omptape_elf_defines(const char *path, const char *symbol);

/* True if the file imports a symbol that `is_wanted`. */
bool omptape_elf_imports(const char *path, bool (*is_wanted)(const char *symbol));

/* True if the text, with its end, is somewhere in the file. */
bool omptape_elf_holds(const char *path, const char *text);

/* True if the library's own calls of the function that it defines go to its own, and to nobody's that was
 * preloaded. Linked with -Bsymbolic-functions it has no relocation for it. */
bool omptape_elf_binds_itself(const char *path, const char *symbol);

#endif
