/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command's child processes: the program, writers, and whatever else the program left behind (the command
 * is a child subreaper, so orphans of the program become its own).
 */
#ifndef OMPTAPE_COMMAND_RUN_CHILDREN_H
#define OMPTAPE_COMMAND_RUN_CHILDREN_H

#include <sys/types.h>

struct omptape_children {
    unsigned writers; /* omptape-writer processes that still run */
    unsigned others;  /* others that still run */
};

/* Reaps every ended child but `program`, counts the living ones but `program`. */
void omptape_children_tend(pid_t program, struct omptape_children *children);

#endif
