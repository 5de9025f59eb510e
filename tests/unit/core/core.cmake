# Unit tests of what both sides share.
set(_here ${CMAKE_CURRENT_LIST_DIR})
foreach(_test clock events filter hash message process_stat store whole)
    add_executable(test_${_test} ${_here}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_session omptape_core omptape_flags ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
