/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C++: regions in templates, lambdas, namespaces and member functions.
//: threads 2
//: enter parallel@template 4
//: enter parallel@lambda 2
//: enter parallel@member 2
//: function parallel@member shapes::Square::area
*/
#include <cstdio>

namespace shapes
{
struct Square {
    int side;
    int area() const
    {
        int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) // @member
        sum += side * side;
        return sum;
    }
};
} // namespace shapes

template <typename T> static T twice(T value)
{
    T sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) // @template
    sum += value;
    return sum;
}

int main()
{
    auto lambda = [](int value) {
        int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) // @lambda
        sum += value;
        return sum;
    };
    std::printf("%d %g %d %d\n", twice(3), twice(1.5), lambda(5), shapes::Square{4}.area());
    return 0;
}
