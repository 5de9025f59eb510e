# Unit tests of `omptape check`, `info` and `report`, on archives that OTF2's writer makes for them.
find_library(CMOCKA_LIBRARY cmocka REQUIRED)
add_library(omptape_archive_test STATIC
    ${CMAKE_CURRENT_LIST_DIR}/check_harness.c
    ${CMAKE_CURRENT_LIST_DIR}/make_archive.c
    ${CMAKE_CURRENT_LIST_DIR}/make_archive_events.c
    ${CMAKE_CURRENT_LIST_DIR}/mpi_fixture.c)
target_link_libraries(omptape_archive_test PUBLIC omptape_test_scratch omptape_command omptape_flags OTF2::otf2 ${CMOCKA_LIBRARY})
foreach(_test check check_events check_threads check_definitions check_devices info info_devices info_sizes
        mpi_synchronisation mpi_waits partial preemption pyramid report)
    add_executable(test_${_test} ${CMAKE_CURRENT_LIST_DIR}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_archive_test)
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
add_executable(test_screen ${CMAKE_CURRENT_LIST_DIR}/test_screen.c)
target_link_libraries(test_screen PRIVATE omptape_command omptape_flags ${CMOCKA_LIBRARY})
add_test(NAME unit.screen COMMAND test_screen)
