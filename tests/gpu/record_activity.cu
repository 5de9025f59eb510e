/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps CUPTI's activity buffers as they come, to be test data: record_activity FOLDER writes them to
 * FOLDER/N.activity, and what cannot be seen from them to FOLDER/about: CUPTI's version, for each buffer its
 * name and its kernels' "offset name". Its work has external ids around it, as omptape's target constructs.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cupti.h>
#include <mutex>
#include <string>

enum { BUFFER_BYTES = 1 << 16, KERNELS = 300, N = 1 << 16 };

static std::string folder;
static std::FILE *about;
static std::mutex lock;
static std::atomic<int> count;

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, BUFFER_BYTES));
    *size = BUFFER_BYTES;
    *most = 0;
}

static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
    std::lock_guard<std::mutex> guard(lock);
    std::string name = std::to_string(count++) + ".activity";
    std::FILE *file = std::fopen((folder + "/" + name).c_str(), "wb");
    if (file) {
        std::fwrite(buffer, 1, valid, file);
        std::fclose(file);
    }
    std::fprintf(about, "buffer %s %zu\n", name.c_str(), valid);
    CUpti_Activity *record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        long offset = (long)(reinterpret_cast<uint8_t *>(record) - buffer);
        std::fprintf(about, "record %ld kind %d\n", offset, (int)record->kind);
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
            std::fprintf(about, "name %ld %s\n", offset, reinterpret_cast<CUpti_ActivityKernel5 *>(record)->name);
    }
    std::free(buffer);
}

static void must(CUptiResult result, const char *what)
{
    const char *text = "?";
    if (result == CUPTI_SUCCESS)
        return;
    cuptiGetResultString(result, &text);
    std::fprintf(stderr, "record_activity: %s: %s\n", what, text);
    std::exit(1);
}

__global__ void add(float *a)
{
    a[(blockIdx.x * blockDim.x + threadIdx.x) % N] += 1;
}

static void work()
{
    float *device = nullptr;
    static float host[N];
    cudaMalloc(&device, sizeof(host));
    cudaMemset(device, 0, sizeof(host));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
    for (uint64_t i = 0; i < KERNELS; i++) {
        must(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 1000 + i), "push");
        add<<<N / 256, 256>>>(device);
        must(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr), "pop");
    }
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    cudaFree(device);
}

int main(int argc, char **argv)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,  CUPTI_ACTIVITY_KIND_MEMCPY2,
        CUPTI_ACTIVITY_KIND_MEMSET,            CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
        CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_DRIVER};
    uint32_t version = 0;
    if (argc != 2)
        return 2;
    folder = argv[1];
    about = std::fopen((folder + "/about").c_str(), "w");
    if (!about)
        return 1;
    cuptiGetVersion(&version);
    std::fprintf(about, "version %u\n", version);
    must(cuptiActivityRegisterCallbacks(request, complete), "callbacks");
    for (CUpti_ActivityKind kind : kinds)
        must(cuptiActivityEnable(kind), "enable");
    work();
    must(cuptiActivityFlushAll(1), "flush");
    std::fclose(about);
    std::printf("%d buffers\n", count.load());
    return 0;
}
