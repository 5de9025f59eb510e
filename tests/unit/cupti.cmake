# Unit tests of the CUPTI producer. Where CUPTI's header is found, ours is held against it.
set(_cupti ${CMAKE_CURRENT_LIST_DIR})
add_library(omptape_test_activity STATIC ${CMAKE_SOURCE_DIR}/tests/cupti/activity.c)
target_link_libraries(omptape_test_activity PUBLIC omptape_flags)

add_executable(test_cupti_records ${_cupti}/test_cupti_records.c ${CMAKE_SOURCE_DIR}/device/cupti_records.c)
target_link_libraries(test_cupti_records PRIVATE omptape_test_activity ${CMAKE_DL_LIBS} ${CMOCKA_LIBRARY})
add_test(NAME unit.cupti_records COMMAND test_cupti_records)

find_path(OMPTAPE_CUPTI_INCLUDE_DIR cupti.h
          HINTS ENV CUDA_HOME ENV CUDA_PATH
          PATHS /usr/local/cuda
          PATH_SUFFIXES include extras/CUPTI/include)
if(OMPTAPE_CUPTI_INCLUDE_DIR)
    file(STRINGS ${OMPTAPE_CUPTI_INCLUDE_DIR}/cupti_version.h _version REGEX "^#define CUPTI_API_VERSION ")
    string(REGEX MATCH "[0-9]+" _version "${_version}")
    if(_version GREATER_EQUAL 18) # CUDA 11.8
        add_library(omptape_test_cupti_abi OBJECT ${CMAKE_SOURCE_DIR}/tests/cupti/abi.c)
        target_include_directories(omptape_test_cupti_abi SYSTEM PRIVATE ${OMPTAPE_CUPTI_INCLUDE_DIR})
        target_link_libraries(omptape_test_cupti_abi PRIVATE omptape_flags)
    endif()
endif()
