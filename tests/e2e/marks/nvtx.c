/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names what it does by NVTX: nvtx [REGIONS [NAMES]]. Prints what the calls return. Built with the small
 * client beside this file, or with NVIDIA's header (OMPTAPE_NVTX_INCLUDE).
 */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 200 };

static nvtxRangeId_t across;
static volatile sig_atomic_t handled;

static void *end_range(void *data)
{
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "input \xff");
    nvtxRangePushA("other");
    nvtxRangeEnd(across);
    nvtxRangePop();
    nvtxRangePop(); /* there is none */
    return data;
}

static void handle(int signal)
{
    (void)signal;
    nvtxRangePushA("in a handler");
    nvtxRangePop();
    handled++;
}

static void interrupt(void)
{
    char name[32];
    signal(SIGUSR1, handle);
    for (int i = 0; i < SIGNALS; i++) {
        snprintf(name, sizeof(name), "interrupted %d", i % 8);
        nvtxRangePushA(name);
        raise(SIGUSR1);
        nvtxRangePop();
    }
}

static void overlap(void)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
    nvtxEventAttributes_t event = {.version = NVTX_VERSION,
                                   .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                   .payloadType = NVTX_PAYLOAD_TYPE_INT32,
                                   .payload.iValue = -7,
                                   .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
                                   .message.registered = nvtxDomainRegisterStringA(domain, "join")};
    printf("%d ", nvtxDomainRangePushEx(domain, &event));
    printf("%d ", nvtxRangePushW(L"na\u00efve \u20ac"));
    printf("%d ", nvtxRangePushA("within"));
    printf("%d ", nvtxDomainRangePop(domain));
    printf("%d ", nvtxRangePop());
    printf("%d ", nvtxRangePop());
    printf("%d\n", nvtxRangePop());
    event = (nvtxEventAttributes_t){.version = NVTX_VERSION,
                                    .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                    .payloadType = NVTX_PAYLOAD_TYPE_DOUBLE,
                                    .payload.dValue = 0.5,
                                    .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                    .message.ascii = "residual"};
    nvtxMarkEx(&event);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char name[32];
    const long regions = argc > 1 ? atol(argv[1]) : 0;
    const long names = argc > 2 ? atol(argv[2]) : 1;

    nvtxRangePushA("before");
    for (long i = 0; i < regions; i++) {
        snprintf(name, sizeof(name), "region %ld", i % names);
        nvtxRangePushA(name);
        nvtxRangePop();
    }
    nvtxRangePop();
    if (regions > 0)
        return 0;
    overlap();
    across = nvtxRangeStartA("across");
    if (pthread_create(&thread, NULL, end_range, NULL) == 0)
        pthread_join(thread, NULL);
    nvtxRangeEnd(across); /* again */
    interrupt();
#pragma omp parallel num_threads(2)
    {
        nvtxRangePushA("team");
        nvtxMarkA("point");
        if (argc < 0)
            nvtxRangePop();
    } /* it ends here */
    fflush(stdout);
    if (fork() == 0) {
        nvtxRangePushA("child");
        nvtxMarkA("in the child");
        nvtxRangePop();
        _exit(0);
    }
    wait(NULL);
    nvtxRangePushA("never ends");
    return 0;
}
