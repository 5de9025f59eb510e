/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenMP on the host, CUDA on the device: each thread has a stream. tests/gpu/run.sh builds it by nvcc and
 * traces it. Prints what its archive must hold: "kernels N", "to BYTES", "from BYTES", "streams N".
 */
#include <cstdio>
#include <cuda_runtime.h>
#include <omp.h>
#include <vector>

enum { THREADS = 4, ROUNDS = 100, N = 1 << 18 };

__global__ void add(float *a, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        a[i] += by;
}

static bool good(cudaError_t error)
{
    if (error != cudaSuccess)
        std::fprintf(stderr, "kernels: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess;
}

static bool work()
{
    const size_t bytes = N * sizeof(float);
    std::vector<float> host(N, 1);
    float *device = nullptr;
    cudaStream_t stream;
    bool right = good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) &&
                 good(cudaMalloc(&device, bytes)) && good(cudaMemsetAsync(device, 0, bytes, stream)) &&
                 good(cudaMemcpyAsync(device, host.data(), bytes, cudaMemcpyHostToDevice, stream));
    for (int round = 0; right && round < ROUNDS; round++) {
        add<<<(N + 255) / 256, 256, 0, stream>>>(device, 1);
        right = good(cudaGetLastError());
    }
    right = right && good(cudaMemcpyAsync(host.data(), device, bytes, cudaMemcpyDeviceToHost, stream)) &&
            good(cudaStreamSynchronize(stream)) && good(cudaFree(device)) && good(cudaStreamDestroy(stream));
    return right && host[0] == 1 + ROUNDS && host[N - 1] == 1 + ROUNDS;
}

int main()
{
    bool right = true;
#pragma omp parallel num_threads(THREADS) reduction(&& : right)
    right = work();
    if (!right) {
        std::fprintf(stderr, "kernels: wrong result\n");
        return 1;
    }
    std::printf("kernels %d\nto %zu\nfrom %zu\nstreams %d\n", THREADS * ROUNDS, THREADS * N * sizeof(float),
                THREADS * N * sizeof(float), (int)THREADS);
    return 0;
}
