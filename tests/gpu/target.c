/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenMP target constructs of all kinds on one device; tests/gpu/run.sh builds it for NVIDIA's and traces it.
 * Prints what its archive must hold: "kernels N", "to BYTES", "from BYTES".
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20, ROUNDS = 50 };

static int check(const double *a, double expected)
{
    for (int i = 0; i < N; i++) {
        if (a[i] != expected)
            return 0;
    }
    return 1;
}

int main(void)
{
    double *a = malloc(N * sizeof(*a));
    double *b = malloc(N * sizeof(*b));
    int device = omp_get_default_device();
    int host = omp_get_initial_device();
    size_t bytes = N * sizeof(*a);
    int on_host = 0;

    if (omp_get_num_devices() == 0) {
        fprintf(stderr, "target: no device\n");
        return 1;
    }
    for (int i = 0; i < N; i++)
        a[i] = b[i] = 0;
#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();

#pragma omp target data map(tofrom : a [0:N])
    {
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp target teams distribute parallel for
            for (int i = 0; i < N; i++)
                a[i] += 1;
        }
#pragma omp target update from(a [0:N])
    }

#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int half = 0; half < 2; half++) {
            double *part = b + half * (N / 2);
#pragma omp target teams distribute parallel for nowait map(tofrom : part [0:N / 2])
            for (int i = 0; i < N / 2; i++)
                part[i] += 1;
        }
#pragma omp taskwait
    }

    double *there = omp_target_alloc(bytes, device);
    omp_target_memcpy(there, b, bytes, 0, 0, device, host);
    omp_target_memcpy(a, there, bytes, 0, 0, host, device);
    omp_target_free(there, device);
    if (on_host || !check(a, 1) || !check(b, 1)) {
        fprintf(stderr, "target: wrong result\n");
        return 1;
    }
    printf("kernels %d\nto %zu\nfrom %zu\n", 1 + ROUNDS + 2, 3 * bytes, 4 * bytes);
    free(a);
    free(b);
    return 0;
}
