/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions at the end of virtual functions and of a lambda in a std::function: optimised code jumps to the
 * runtime, which sees where the function was called. No region stands there. clang's regions have no place
 * then, their loops have; of gcc's the body tells the line.
//: cflags -O2
//: threads 2
//: enter parallel 60
//: enter parallel@caller 0
//: [clang] enter for@scale 20
//: [clang] enter for@add 20
//: [clang] enter for@subtract 20
//: [gcc] function parallel Scale::run
//: [gcc] function parallel Add::run
*/
#include <functional>
#include <memory>
#include <vector>

static double field[1000];

struct Step {
    virtual void run() = 0;
    virtual ~Step()
    {
    }
};

struct Scale : Step {
    void run() override
    {
#pragma omp parallel for num_threads(2) // @scale
        for (int i = 0; i < 1000; i++)
            field[i] *= 1.1;
    }
};

struct Add : Step {
    void run() override
    {
#pragma omp parallel for num_threads(2) // @add
        for (int i = 0; i < 1000; i++)
            field[i] += 2;
    }
};

int main()
{
    std::vector<std::unique_ptr<Step>> steps;
    steps.emplace_back(new Scale);
    steps.emplace_back(new Add);
    std::vector<std::function<void()>> functions;
    functions.push_back([] {
#pragma omp parallel for num_threads(2) // @subtract
        for (int i = 0; i < 1000; i++)
            field[i] -= 1;
    });
    for (int k = 0; k < 10; k++)
        for (auto &step : steps)
            step->run(); // @caller
    for (int k = 0; k < 10; k++)
        for (auto &function : functions)
            function(); // @caller
    return 0;
}
