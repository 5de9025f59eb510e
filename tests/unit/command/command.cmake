# Unit tests of the command: `check`, `info` and `report` on archives that OTF2's writer makes, and its parts.
set(_here ${CMAKE_CURRENT_LIST_DIR})
foreach(_test check check_events check_threads check_definitions check_devices info info_devices info_sizes report)
    add_executable(test_${_test} ${_here}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_archive_test)
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
# An archive is replaced while its numbers are written.
target_link_options(test_report PRIVATE -Wl,--wrap=report_outputs_write_numbers)
foreach(_test options preload runs scale screen top words)
    add_executable(test_${_test} ${_here}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_scratch omptape_command omptape_flags ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
# The fixtures that it builds are made with the compiler of the build.
target_compile_definitions(test_preload PRIVATE TEST_CC="${CMAKE_C_COMPILER}")
