// SPDX-License-Identifier: BSD-3-Clause
//
// Stacks that are hard to unwind: callbacks of the C and the C++ library, recursion, a signal handler on a
// stack of its own, a jump out of one, a child of vfork. Prints the functions that backtrace() sees from
// where most time goes, the innermost first.

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace
{
volatile double sink;
sigjmp_buf place;
} // namespace

// So much work; each caller is told by its path.
extern "C" __attribute__((noinline)) void work(long turns)
{
    double value = 1;
    for (long i = 0; i < turns; i++) {
        value = value * 1.0000001 + 1e-9;
        __asm__ volatile("" : "+m"(value));
    }
    sink = value;
}

extern "C" __attribute__((noinline)) int compare_numbers(const void *left, const void *right)
{
    work(20000);
    const int one = *static_cast<const int *>(left);
    const int other = *static_cast<const int *>(right);
    return (one > other) - (one < other);
}

extern "C" __attribute__((noinline)) void sort_in_c(int *numbers, std::size_t count)
{
    std::qsort(numbers, count, sizeof(numbers[0]), compare_numbers);
    sink = numbers[0];
}

extern "C" __attribute__((noinline)) bool is_less(int left, int right)
{
    work(20000);
    return left < right;
}

extern "C" __attribute__((noinline)) void sort_in_cpp(std::vector<int> &numbers)
{
    std::sort(numbers.begin(), numbers.end(), is_less);
    sink = numbers[0];
}

// 60 frames fit into a copy of the stack, 3000 do not.
extern "C" __attribute__((noinline)) long descend(long depth, long turns)
{
    volatile long below = 0;
    if (depth == 0)
        work(turns);
    else
        below = descend(depth - 1, turns);
    return below + 1;
}

extern "C" __attribute__((noinline)) void handle(int number)
{
    (void)number;
    work(4000000);
    siglongjmp(place, 1);
}

extern "C" __attribute__((noinline)) void on_other_stack()
{
    std::vector<char> memory(65536);
    stack_t stack = {};
    struct sigaction action = {};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    sigaltstack(&stack, nullptr);
    sigaction(SIGUSR2, &action, nullptr);
    for (volatile int i = 0; i < 5; i++)
        if (sigsetjmp(place, 1) == 0)
            raise(SIGUSR2);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, nullptr);
}

extern "C" __attribute__((noinline)) int start_child()
{
    int status = 1;
    const pid_t child = vfork();
    if (child == 0)
        _exit(7);
    work(20000000);
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 ? 0 : 1;
}

// What backtrace() says is compared with the samples that find `work` here.
extern "C" __attribute__((noinline)) void compared(long turns)
{
    void *addresses[64];
    const int count = backtrace(addresses, 64);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        const bool known =
            dladdr(static_cast<char *>(addresses[i]) - 1, &info) != 0 && info.dli_sname != nullptr;
        std::printf("%s%s", i > 0 ? " " : "", known ? info.dli_sname : "?");
    }
    std::printf("\n");
    work(turns);
}

extern "C" __attribute__((noinline)) int all()
{
    std::vector<int> numbers;
    for (int i = 0; i < 300; i++)
        numbers.push_back(i * 7919 % 300);
    std::vector<int> copy = numbers;
    sort_in_c(numbers.data(), numbers.size());
    sort_in_cpp(copy);
    descend(60, 20000000);
    descend(3000, 20000000);
    on_other_stack();
    compared(20000000);
    return start_child();
}

int main()
{
    int wrong = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
#pragma omp single
        wrong += all();
    }
    return wrong;
}
