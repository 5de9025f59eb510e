/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Does nothing for a while before, between and after two parallel regions, which may come from a library that
 * it loads (serial_work.c), and says on its output when that was: "WORD TIME", nanoseconds since 1970.
 *
 *     serial LIBRARY|-- [fork]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef LATE
void serial_work(void);
#endif

static void say(const char *word)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%s %lld\n", word, (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    fflush(stdout);
}

static void rest(void)
{
    usleep(50000);
}

static void work(const char *library)
{
#ifdef LATE
    void *handle = dlopen(library, RTLD_NOW);
    void (*function)(void) = NULL;
    if (handle != NULL)
        *(void **)&function = dlsym(handle, "serial_work");
    if (function == NULL)
        exit(3);
    function();
#else
    (void)library;
    serial_work();
#endif
}

int main(int argc, char **argv)
{
    say("main");
    rest();
    say("first");
    work(argv[1]);
    say("between");
    rest();
    if (argc > 2 && fork() != 0) {
        wait(NULL);
        return 0;
    }
    if (argc > 2) {
        say("child");
        rest();
    }
    say("second");
    work(argv[1]);
    say("after");
    rest();
    say("end");
    return 0;
}
