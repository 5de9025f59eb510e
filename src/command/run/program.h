/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program that the user names: which file that is, and what kind of file. All of this folder looks at a
 * program before it is started, and prepares its environment.
 */
#ifndef OMPTAPE_COMMAND_RUN_PROGRAM_H
#define OMPTAPE_COMMAND_RUN_PROGRAM_H

#include <stdbool.h>

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

#endif
