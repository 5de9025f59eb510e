/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays that other functions get, which have a fixed place with and without optimisation. In C++ all of it
 * lies in a namespace, as of a library.
 */
#ifdef __cplusplus
namespace library
{
#endif
enum { N = 1000 };

void fill(double *x);
double sum(void);

static inline __attribute__((always_inline)) double inlined(double x, double y)
{
    return x * y;
}

static inline void multiply(const double *x, const double *y, double *z)
{
    for (int i = 1; i < N; i++)
        z[i] = inlined(x[i], y[i]) + z[i - 1];
}

double sum(void)
{
    double x[N], y[N], z[N];
    fill(x);
    fill(y);
    fill(z);
    multiply(x, y, z);
    return z[N - 1];
}
#ifdef __cplusplus
}
#endif
