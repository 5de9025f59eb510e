/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two libraries that are loaded in turn, the one where the other one was: the same addresses, but not the
same
 * call sites.
//: only !gcc
//: lib turn_one
//: lib turn_two
//: ldflags -ldl
//: threads 2
//: enter parallel@turn_one.c:first 200
//: enter parallel@turn_two.c:second 200
//: enter critical_sblock@turn_one.c:first_critical 200
//: enter critical_sblock@turn_two.c:second_critical 200
*/
#include <dlfcn.h>
#include <stdio.h>

enum { ROUNDS = 200 };

int main(int argc, char **argv)
{
    int sum = 0;
    void *place = NULL;

    for (int i = 0; i < ROUNDS && argc > 2; i++) {
        void *library = dlopen(argv[1 + i % 2], RTLD_NOW);
        int (*turn)(void);

        if (library == NULL) {
            printf("%s\n", dlerror());
            return 1;
        }
        *(void **)&turn = dlsym(library, "turn");
        if (i > 1 && place != *(void **)&turn) {
            printf("not loaded where the other one was\n");
            return 1;
        }
        place = *(void **)&turn;
        sum += turn();
        dlclose(library);
    }
    printf("%d\n", sum);
    return 0;
}
