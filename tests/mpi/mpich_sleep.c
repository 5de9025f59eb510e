/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs of the tests are linked with this where MPI is MPICH. Its ranks ask UCX again and again while they
 * wait, and never sleep: with more ranks than processors, each message takes a time slice. Here a rank sleeps
 * after each ASKED questions in vain.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

enum { ASKED = 50, NANOSECONDS = 50000 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    static _Thread_local unsigned in_vain;
    if (progress == NULL)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned found = progress(worker);
    in_vain = found == 0 ? in_vain + 1 : 0;
    if (in_vain == ASKED) {
        nanosleep(&(struct timespec){.tv_nsec = NANOSECONDS}, NULL);
        in_vain = 0;
    }
    return found;
}
