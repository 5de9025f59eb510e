# Unit tests of the options and of the command's parts.
find_library(CMOCKA_LIBRARY cmocka REQUIRED)
foreach(_test events filter options words gomp job job_folder job_meeting claim checkpoint)
    add_executable(test_${_test} ${CMAKE_CURRENT_LIST_DIR}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_scratch omptape_command omptape_core omptape_flags ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
# The fixtures that it builds are made with the compiler of the build.
target_compile_definitions(test_gomp PRIVATE TEST_CC="${CMAKE_C_COMPILER}")
