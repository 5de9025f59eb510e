# What makes a mistake in memory hard to use for an attacker, as far as compiler and linker know it:
#   omptape_harden_program(TARGET...)   the programs and the static libraries that they are made of
#   omptape_harden_library(TARGET...)   the parts of the preloaded library
#   omptape_harden_links(TARGET...)     executables and shared libraries
# A sanitizer looks at every access itself, and its functions have no checked variants.
#
# The preloaded library's own folders have neither stack protector nor checked functions: both end the traced program, and
# the first would load and compare a word in each callback (tests/unit/callbacks/hot_path.py).
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported()
check_c_compiler_flag(-fstack-protector-strong OMPTAPE_HAVE_STACK_PROTECTOR)
check_c_compiler_flag(-fcf-protection=full OMPTAPE_HAVE_CF_PROTECTION)                # x86
check_c_compiler_flag(-mbranch-protection=standard OMPTAPE_HAVE_BRANCH_PROTECTION)    # ARM

set(CMAKE_REQUIRED_FLAGS -Werror)
foreach(_option relro now noexecstack)
    set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,${_option})
    string(TOUPPER OMPTAPE_HAVE_Z_${_option} _have)
    check_c_source_compiles("int main(void) { return 0; }" ${_have})
endforeach()
unset(CMAKE_REQUIRED_LINK_OPTIONS)
foreach(_level 3 2)
    set(CMAKE_REQUIRED_FLAGS "-Werror -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${_level}")
    check_c_source_compiles("
#include <string.h>
#if __USE_FORTIFY_LEVEL < ${_level}
#error not at this level
#endif
int main(void) { return 0; }" OMPTAPE_HAVE_FORTIFY_${_level})
endforeach()
unset(CMAKE_REQUIRED_FLAGS)

string(TOUPPER "${CMAKE_BUILD_TYPE}" _type)
set(_flags "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${_type}}")
set(OMPTAPE_HARDENED OFF)
set(OMPTAPE_FORTIFIED 0)
if(NOT OMPTAPE_SANITIZE AND NOT _flags MATCHES "-fsanitize")
    set(OMPTAPE_HARDENED ON)
    # Without optimisation the checked functions check nothing and the compiler complains; and who packages has a level.
    if(_flags MATCHES "-O([1-9sz]|fast)?( |$)" AND NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE")
        if(OMPTAPE_HAVE_FORTIFY_3)
            set(OMPTAPE_FORTIFIED 3)
        elseif(OMPTAPE_HAVE_FORTIFY_2)
            set(OMPTAPE_FORTIFIED 2)
        endif()
    endif()
endif()

function(omptape_harden_program)
    foreach(_target IN LISTS ARGN)
        if(NOT OMPTAPE_HARDENED)
            continue()
        endif()
        target_compile_options(${_target} PRIVATE
            $<$<BOOL:${OMPTAPE_HAVE_STACK_PROTECTOR}>:-fstack-protector-strong>
            $<$<BOOL:${OMPTAPE_HAVE_CF_PROTECTION}>:-fcf-protection=full>
            $<$<BOOL:${OMPTAPE_HAVE_BRANCH_PROTECTION}>:-mbranch-protection=standard>)
        if(OMPTAPE_FORTIFIED)
            target_compile_options(${_target} PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${OMPTAPE_FORTIFIED})
        endif()
    endforeach()
endfunction()

# A library that does not allow a shadow stack takes it from the whole program; to allow one costs no instruction.
function(omptape_harden_library)
    foreach(_target IN LISTS ARGN)
        if(OMPTAPE_HARDENED)
            target_compile_options(${_target} PRIVATE
                -fno-stack-protector -U_FORTIFY_SOURCE
                $<$<BOOL:${OMPTAPE_HAVE_CF_PROTECTION}>:-fcf-protection=return>)
        endif()
    endforeach()
endfunction()

function(omptape_harden_links)
    foreach(_target IN LISTS ARGN)
        target_link_options(${_target} PRIVATE
            $<$<BOOL:${OMPTAPE_HAVE_Z_RELRO}>:-Wl,-z,relro>
            $<$<BOOL:${OMPTAPE_HAVE_Z_NOW}>:-Wl,-z,now>
            $<$<BOOL:${OMPTAPE_HAVE_Z_NOEXECSTACK}>:-Wl,-z,noexecstack>)
    endforeach()
endfunction()
