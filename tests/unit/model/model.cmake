# Unit tests of the model of a run.
set(_here ${CMAKE_CURRENT_LIST_DIR})
add_executable(test_model ${_here}/test_model.c)
target_link_libraries(test_model PRIVATE omptape_model ${CMOCKA_LIBRARY})
add_test(NAME unit.model COMMAND test_model)
