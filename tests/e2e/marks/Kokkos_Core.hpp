/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small stand-in for Kokkos, for the tests: kernels and regions, of which it informs the library that
 * KOKKOS_TOOLS_LIBS names, by the documented layout. Not the real Kokkos.
 */
#pragma once

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

#define KOKKOS_LAMBDA [=]

namespace Kokkos
{
inline void *tool;

template <typename... Arguments> void inform(const char *name, Arguments... arguments)
{
    using function = void (*)(Arguments...);
    if (void *found = tool != nullptr ? dlsym(tool, name) : nullptr)
        reinterpret_cast<function>(found)(arguments...);
}

inline void initialize(int &, char **)
{
    const char *list = std::getenv("KOKKOS_TOOLS_LIBS");
    const std::string tools = list != nullptr ? list : "";
    tool = tools.empty() ? nullptr : dlopen(tools.substr(0, tools.find(';')).c_str(), RTLD_NOW | RTLD_GLOBAL);
    inform<int, uint64_t, uint32_t, void *>("kokkosp_init_library", 0, 20240906, 0, nullptr);
}

inline void finalize()
{
    inform("kokkosp_finalize_library");
}

template <typename Kernel> void parallel_for(const std::string &label, int count, const Kernel &kernel)
{
    uint64_t id = 0;
    inform<const char *, uint32_t, uint64_t *>("kokkosp_begin_parallel_for", label.c_str(), 0, &id);
#pragma omp parallel for
    for (int i = 0; i < count; i++)
        kernel(i);
    inform<uint64_t>("kokkosp_end_parallel_for", id);
}

namespace Profiling
{
inline void pushRegion(const std::string &name)
{
    inform<const char *>("kokkosp_push_profile_region", name.c_str());
}

inline void popRegion()
{
    inform("kokkosp_pop_profile_region");
}
} // namespace Profiling
} // namespace Kokkos
