# Unit tests of the model of a run.
set(_here ${CMAKE_CURRENT_LIST_DIR})
add_executable(test_model ${_here}/test_model.c)
target_link_libraries(test_model PRIVATE omptape_model ${CMOCKA_LIBRARY})
add_test(NAME unit.model COMMAND test_model)
add_executable(test_build ${_here}/test_build.c)
target_link_libraries(test_build PRIVATE omptape_model omptape_archive_test)
add_test(NAME unit.model_build COMMAND test_build)
