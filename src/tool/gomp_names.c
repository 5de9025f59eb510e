/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of libgomp's functions, which the loader finds in front of libgomp's own. Each is a jump to the
 * function that records (callbacks/gomp/): that finds the arguments, and the place of the call, as the
 * program left them. They have no version, so that they stand for any. Called by the program, on any thread.
 */
#include "callbacks/gomp/functions.h"

#if defined(__x86_64__)
#define JUMP(target) "endbr64\njmp " target "\n"
#elif defined(__aarch64__)
/* hint #34 is `bti c`. */
#define JUMP(target) "hint #34\nb " target "\n"
#else
#error "the jumps to what stands for libgomp are written for x86-64 and aarch64"
#endif

#define NAME(name, ...)                                                                                      \
    __asm__(".pushsection .text\n.balign 16\n.globl " #name "\n.type " #name ",@function\n" #name            \
            ":\n" JUMP("omptape_" #name) ".size " #name ", .-" #name "\n.popsection\n");
OMPTAPE_GOMP_WRAPPED(NAME)
