/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names what it does by ITT. Built with the small client beside this file, or with Intel's header and static
 * library (OMPTAPE_ITT_INCLUDE).
 */
#include <ittnotify.h>

#include <pthread.h>
#include <stdio.h>

enum { STEPS = 10, DOMAINS = 40 };

static __itt_domain *domain;
static __itt_id across;

static void *end_region(void *data)
{
    __itt_task_begin(domain, __itt_null, __itt_null, __itt_string_handle_create("other"));
    __itt_region_end(domain, across);
    __itt_task_end(domain);
    __itt_task_end(domain); /* there is none */
    return data;
}

/* Domains have stacks: fewer than there are domains. */
static void use_domains(void)
{
    static char names[DOMAINS][16];
    for (int i = 0; i < DOMAINS; i++) {
        snprintf(names[i], sizeof(names[i]), "domain %d", i);
        __itt_domain *other = __itt_domain_create(names[i]);
        __itt_frame_begin_v3(other, NULL);
#pragma omp parallel num_threads(2)
        {
        }
        __itt_frame_end_v3(other, NULL);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    domain = __itt_domain_create("solver");
    __itt_string_handle *task = __itt_string_handle_create("iterate");
    across = __itt_id_make(&thread, 1);

    for (int i = 0; i < STEPS; i++) {
        __itt_frame_begin_v3(domain, NULL);
        __itt_task_begin(domain, __itt_null, __itt_null, task);
#pragma omp parallel num_threads(2)
        __itt_task_begin(domain, __itt_null, __itt_null, task); /* ends with the team */
        __itt_frame_end_v3(domain, NULL);                       /* they overlap */
        __itt_task_end(domain);
    }
    __itt_region_begin(domain, across, __itt_null, __itt_string_handle_create("across"));
    if (pthread_create(&thread, NULL, end_region, NULL) == 0)
        pthread_join(thread, NULL);
    __itt_pause();
    __itt_task_begin(domain, __itt_null, __itt_null, __itt_string_handle_create("hidden"));
    __itt_task_end(domain);
    __itt_resume();
    __itt_task_begin(domain, __itt_null, __itt_null, __itt_string_handle_create("last"));
    __itt_task_end(domain);
    if (argc > 1)
        use_domains();
    return 0;
}
