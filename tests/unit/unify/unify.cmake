# Unit tests of unification: definitions and maps of references, clocks and their offsets, what is corrected, and which
# sides of connections belong together.
foreach(_test unify_model unify_clocks unify_order unify_worlds unify_worlds_damage)
    add_executable(test_${_test} ${CMAKE_CURRENT_LIST_DIR}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_unify omptape_flags ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
target_sources(test_unify_worlds PRIVATE ${CMAKE_CURRENT_LIST_DIR}/worlds_fixture.c)
