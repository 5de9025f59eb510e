# Finds omp-tools.h, the OMPT interface, and makes it available alone: clang's header folder also holds a stddef.h
# that breaks gcc. Set OMPT_INCLUDE_DIR to use a certain one. Gives the target OMPT::headers.
if(NOT OMPT_INCLUDE_DIR)
    file(GLOB _ompt_candidates
         /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h
         /usr/lib/clang/*/include/omp-tools.h
         /usr/lib64/clang/*/include/omp-tools.h
         /opt/rocm*/llvm/include/omp-tools.h
         /opt/rocm*/lib/llvm/include/omp-tools.h)
    set(_ompt_newest)
    foreach(_header ${_ompt_candidates}) # list(SORT) knows numbers from CMake 3.18 on
        string(REGEX MATCH "/clang/[0-9.]+/" _version ${_header})
        string(REGEX REPLACE "[^0-9.]" "" _version "0${_version}") # ROCm's lie in no folder of clang's: 0
        if(NOT _ompt_newest OR _version VERSION_GREATER _ompt_version)
            set(_ompt_version ${_version})
            get_filename_component(_ompt_newest ${_header} DIRECTORY)
        endif()
    endforeach()
    find_path(OMPT_INCLUDE_DIR omp-tools.h HINTS ${_ompt_newest})
endif()

set(OMPT_VERSION 5.0)
if(EXISTS ${OMPT_INCLUDE_DIR}/omp-tools.h)
    file(STRINGS ${OMPT_INCLUDE_DIR}/omp-tools.h _ompt_of_51 REGEX "ompt_callback_error" LIMIT_COUNT 1)
    if(_ompt_of_51)
        set(OMPT_VERSION 5.1)
    endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OMPT REQUIRED_VARS OMPT_INCLUDE_DIR VERSION_VAR OMPT_VERSION
    REASON_FAILURE_MESSAGE "omp-tools.h comes with LLVM's OpenMP runtime (Debian: libomp-dev), -DOMPT_INCLUDE_DIR=... names its folder")

if(OMPT_FOUND AND NOT TARGET OMPT::headers)
    configure_file(${OMPT_INCLUDE_DIR}/omp-tools.h ${CMAKE_BINARY_DIR}/ompt/omp-tools.h COPYONLY)
    add_library(OMPT::headers INTERFACE IMPORTED)
    set_target_properties(OMPT::headers PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/ompt
        INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/ompt)
endif()
