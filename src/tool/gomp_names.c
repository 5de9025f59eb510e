/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Defines functions with libgomp's names, which the loader finds before libgomp's own. Each jumps to the
 * recording function (callbacks/gomp/), so that arguments and return address stay as the program left them.
 * The symbols have no version and match every version. Called by the program, on any thread.
 */
#include "callbacks/gomp/functions.h"

#if defined(__x86_64__)
#define JUMP(target) "endbr64\njmp " target "\n"
#elif defined(__aarch64__)
/* hint #34 is `bti c`, the landing pad of an indirect branch. */
#define JUMP(target) "hint #34\nb " target "\n"
#else
#error "the jumps to what stands for libgomp are written for x86-64 and aarch64"
#endif

#define NAME(name, ...)                                                                                      \
    __asm__(".pushsection .text\n.balign 16\n.globl " #name "\n.type " #name ",@function\n" #name            \
            ":\n" JUMP("omptape_" #name) ".size " #name ", .-" #name "\n.popsection\n");
OMPTAPE_GOMP_WRAPPED(NAME)
