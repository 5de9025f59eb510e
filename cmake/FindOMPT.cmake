# Finds omp-tools.h, the OMPT interface, and makes it available alone: clang's header folder also holds a stddef.h
# that breaks gcc. Set OMPT_INCLUDE_DIR to use a certain one. Gives the target OMPT::headers.
if(NOT OMPT_INCLUDE_DIR)
    file(GLOB _ompt_candidates
         /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h
         /usr/lib/clang/*/include/omp-tools.h
         /usr/lib64/clang/*/include/omp-tools.h
         /opt/rocm*/llvm/include/omp-tools.h
         /opt/rocm*/lib/llvm/include/omp-tools.h)
    list(SORT _ompt_candidates COMPARE NATURAL ORDER DESCENDING)
    if(_ompt_candidates)
        list(GET _ompt_candidates 0 _ompt_newest)
        get_filename_component(_ompt_newest ${_ompt_newest} DIRECTORY)
    endif()
    find_path(OMPT_INCLUDE_DIR omp-tools.h HINTS ${_ompt_newest})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OMPT REQUIRED_VARS OMPT_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "omp-tools.h comes with LLVM's OpenMP runtime (Debian: libomp-dev), -DOMPT_INCLUDE_DIR=... names its folder")

if(OMPT_FOUND AND NOT TARGET OMPT::headers)
    configure_file(${OMPT_INCLUDE_DIR}/omp-tools.h ${CMAKE_BINARY_DIR}/ompt/omp-tools.h COPYONLY)
    add_library(OMPT::headers INTERFACE IMPORTED)
    set_target_properties(OMPT::headers PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/ompt
        INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/ompt)
endif()
