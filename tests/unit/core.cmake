# Unit and stress tests of the buffers and of the writer's core.
add_library(omptape_test_session STATIC ${CMAKE_CURRENT_LIST_DIR}/session_fixture.c)
target_link_libraries(omptape_test_session PUBLIC omptape_buffers_producer omptape_buffers_consumer omptape_core
                      omptape_flags)

foreach(_test buffer buffer_damage buffer_threads)
    add_executable(test_${_test} ${CMAKE_CURRENT_LIST_DIR}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_session Threads::Threads ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
