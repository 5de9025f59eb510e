# Unit tests of the replay.
set(_here ${CMAKE_CURRENT_LIST_DIR})
add_executable(test_replay ${_here}/test_replay.c)
target_link_libraries(test_replay PRIVATE omptape_replay ${CMOCKA_LIBRARY})
add_test(NAME unit.replay COMMAND test_replay)
