/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gives up its rights to those of user UID (0: keeps them; "caps": only its capabilities), and turns the
 * memory that it shares with its writer against whoever started it: wherever a path or its process number
 * stands there, it writes FILE and the number of its parent. Then it works on for SECONDS. Started by
 * rights.py.
 *
 * renounce UID FILE SECONDS
 */
#include "../faults/shared_memory.h"

#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HEADER_BYTES = 1 << 20, CODE = 7 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work(double seconds)
{
    for (double end = now() + seconds; now() < end;) {
#pragma omp parallel num_threads(2)
        usleep(1000);
    }
}

static int attack(char *memory, size_t bytes, const char *file)
{
    const int own = getpid();
    const int parent = getppid();
    int changed = 0;
    for (size_t at = 0; at + 4096 < bytes; at++) {
        if (at % sizeof(own) == 0 && memcmp(memory + at, &own, sizeof(own)) == 0) {
            memcpy(memory + at, &parent, sizeof(parent));
            changed++;
        } else if (memory[at] == '/' && (at == 0 || memory[at - 1] == '\0') && strlen(memory + at) > 3) {
            strcpy(memory + at, file);
            changed++;
        }
    }
    return changed;
}

static int drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}, {0}};
    return (int)syscall(SYS_capset, &header, none);
}

static int renounce(const char *user)
{
    const unsigned uid = (unsigned)strtoul(user, NULL, 10);
    if (strcmp(user, "caps") == 0)
        return drop_capabilities();
    return uid == 0 || (setgroups(0, NULL) == 0 && setgid(uid) == 0 && setuid(uid) == 0) ? 0 : -1;
}

int main(int argc, char **argv)
{
    size_t bytes = 0;
    if (argc != 4)
        return 2;
    work(0.1);
    char *memory = find_shared(&bytes);
    if (renounce(argv[1]) != 0)
        return 3;
    work(0.4);
    if (memory != NULL)
        printf("changed %d\n", attack(memory, bytes < HEADER_BYTES ? bytes : HEADER_BYTES, argv[2]));
    work(strtod(argv[3], NULL));
    return CODE;
}
