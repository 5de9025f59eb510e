# A build for aarch64 with Debian's cross compiler: -DCMAKE_TOOLCHAIN_FILE=... -DOMPTAPE_ARCH_FOLDER=..., of tests/arch/prepare.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
# With the sysroot, for commands and tests that call the compiler themselves.
set(CMAKE_C_COMPILER ${OMPTAPE_ARCH_FOLDER}/bin/aarch64-linux-gnu-gcc)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OMPTAPE_ARCH_FOLDER)
set(CMAKE_CROSSCOMPILING_EMULATOR env) # tests/arch/inside has the kernel start the emulator
set(OMPTAPE_HAS_TSAN OFF CACHE INTERNAL "") # its shadow of the memory does not fit into the emulated one
set(CMAKE_SYSROOT ${OMPTAPE_ARCH_FOLDER}/sysroot)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
