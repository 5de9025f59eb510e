/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that start another one without the library that omptape preloads: they clear the environment,
 * raise its rights, or run it on another host or in a container. Called to say why nothing is traced.
 */
#ifndef OMPTAPE_COMMAND_RUN_WRAPPER_H
#define OMPTAPE_COMMAND_RUN_WRAPPER_H

struct omptape_wrapper {
    const char *name; /* "env -i" */
    const char *does; /* what keeps the library out, a phrase behind the name */
};

/* The first one on the command line, looked for behind what only starts a program in some way (timeout,
 * nice); NULL: none is known. */
const struct omptape_wrapper *omptape_wrapper_find(char *const *argv);

/* "; put omptape behind it: sudo omptape PROGRAM", or "" without a wrapper. Owned by the caller. */
char *omptape_wrapper_advice(const struct omptape_wrapper *wrapper);

#endif
