# Unit tests of the CUPTI producer. Where CUPTI's header is found, ours is held against it.
set(_here ${CMAKE_CURRENT_LIST_DIR})
add_library(omptape_test_activity STATIC ${CMAKE_SOURCE_DIR}/tests/cupti/activity.c)
target_link_libraries(omptape_test_activity PUBLIC omptape_flags)

add_executable(test_cupti_records ${_here}/test_cupti_records.c ${CMAKE_SOURCE_DIR}/device/cupti/records.c)
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

# The producer on the doubles of tests/cupti, a process for each test.
add_executable(test_cupti ${_here}/test_cupti.c ${_here}/cupti_fixture.c ${CMAKE_SOURCE_DIR}/device/cupti/cupti.c
               ${CMAKE_SOURCE_DIR}/device/cupti/devices.c ${CMAKE_SOURCE_DIR}/device/cupti/library.c
               ${CMAKE_SOURCE_DIR}/device/cupti/records.c ${CMAKE_SOURCE_DIR}/device/interface.c
               ${CMAKE_SOURCE_DIR}/src/core/words.c)
target_link_libraries(test_cupti PRIVATE omptape_flags Threads::Threads ${CMAKE_DL_LIBS} ${CMOCKA_LIBRARY})
add_dependencies(test_cupti double_cuda double_cupti double_cupti_incomplete double_omptarget)

# unit.cupti_<name>, of the test `test` with DOUBLE_CUPTI=words; `folders` are searched for the doubles.
function(omptape_cupti_test name test words expected folders)
    add_test(NAME unit.cupti_${name} COMMAND test_cupti ${test})
    set_tests_properties(unit.cupti_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 60 ENVIRONMENT
        "LD_LIBRARY_PATH=${folders};DOUBLE_CUPTI=${words};EXPECTED=${expected};CUDA_HOME=;CUDA_PATH=")
endfunction()
set(_doubles ${CMAKE_BINARY_DIR}/tests/cupti/doubles)
foreach(_test cuda_first tool_first already_there target target_injected many zero_times no_buffers pause no_cuda cost off forked interface)
    omptape_cupti_test(${_test} ${_test} "" "" ${_doubles})
endforeach()
omptape_cupti_test(before_opened before_opened "" "" ${_doubles})
set_property(TEST unit.cupti_before_opened APPEND PROPERTY ENVIRONMENT "ANNOUNCED=1")
omptape_cupti_test(unannounced before_opened "anonymous" "" ${_doubles})
omptape_cupti_test(several several "anonymous" "" ${_doubles})
omptape_cupti_test(late target "late" "" ${_doubles})
omptape_cupti_test(small many "small" "" ${_doubles})
omptape_cupti_test(cuda11 many "small cuda11" "" ${_doubles})
omptape_cupti_test(truncated truncated "truncate" "" ${_doubles})
foreach(_how auto on)
    omptape_cupti_test(no_driver_${_how} failure_${_how} "unknown" "CUPTI_ERROR_UNKNOWN (999)" ${_doubles})
    omptape_cupti_test(disabled_${_how} failure_${_how} "disabled" "cuptiActivityEnable" ${_doubles})
    omptape_cupti_test(old_${_how} failure_${_how} "old" "older than CUDA 11" ${_doubles})
    omptape_cupti_test(incomplete_${_how} failure_${_how} "" "lacks cuptiActivityFlushAll"
                       ${CMAKE_BINARY_DIR}/tests/cupti/incomplete:${_doubles})
endforeach()
omptape_cupti_test(busy failure_on "busy" "another profiler" ${_doubles})
omptape_cupti_test(real real "" "" "$ENV{LD_LIBRARY_PATH}")
