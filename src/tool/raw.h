/* SPDX-License-Identifier: BSD-3-Clause
 *
 * System calls without libc, which would change errno and other thread-local data. For a child process that
 * shares a thread's local data with that thread, and for the time before libc's functions are looked up.
 */
#pragma once

#include <sys/syscall.h>

/* Returns the kernel's result: negative errno on failure. */
static inline long omptape_raw(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__)
    long answer = number;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall" : "+a"(answer) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return answer;
#elif defined(__aarch64__)
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x8 __asm__("x8") = number;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x8) : "memory");
    return x0;
#else
#error "system calls are written for x86-64 and aarch64"
#endif
}
