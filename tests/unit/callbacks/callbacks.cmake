# Unit tests of the callbacks: their machine code, and which library a thread is in.
set(_here ${CMAKE_CURRENT_LIST_DIR})
# The machine code of the callbacks, read as it will run.
add_test(NAME unit.hot_path COMMAND ${OMPTAPE_PYTHON} ${_here}/hot_path.py $<TARGET_FILE:omptape>)
set_tests_properties(unit.hot_path PROPERTIES SKIP_RETURN_CODE 77)

# Two libraries of which each can lie where the other one did.
foreach(_library one two)
    add_library(module_${_library} MODULE ${_here}/module_library.c)
    target_link_libraries(module_${_library} PRIVATE omptape_flags)
endforeach()
add_executable(test_module ${_here}/test_module.c)
target_compile_definitions(test_module PRIVATE MODULE_ONE="$<TARGET_FILE:module_one>"
                           MODULE_TWO="$<TARGET_FILE:module_two>")
target_link_libraries(test_module PRIVATE omptape_test_session Threads::Threads ${CMAKE_DL_LIBS} ${CMOCKA_LIBRARY})
add_dependencies(test_module module_one module_two)
add_test(NAME unit.module COMMAND test_module)

# Which of MPI's communicators stand for each other.
add_executable(test_counts ${_here}/test_counts.c ${CMAKE_SOURCE_DIR}/callbacks/mpi/counts.c
               ${CMAKE_SOURCE_DIR}/callbacks/mpi/handles.c)
target_link_libraries(test_counts PRIVATE omptape_flags Threads::Threads ${CMOCKA_LIBRARY})
add_test(NAME unit.counts COMMAND test_counts)

# The words of two tools.
add_executable(test_word_pairs ${_here}/test_word_pairs.c ${CMAKE_SOURCE_DIR}/callbacks/second/word_pairs.c)
target_link_libraries(test_word_pairs PRIVATE omptape_flags Threads::Threads ${CMOCKA_LIBRARY})
add_test(NAME unit.word_pairs COMMAND test_word_pairs)

# Devices that another tool traces, too.
add_executable(test_second_devices ${_here}/test_second_devices.c ${CMAKE_SOURCE_DIR}/callbacks/second/devices.c
               ${CMAKE_SOURCE_DIR}/callbacks/second/word_pairs.c ${CMAKE_SOURCE_DIR}/device/interface.c)
target_link_libraries(test_second_devices PRIVATE omptape_core Threads::Threads ${CMOCKA_LIBRARY})
add_test(NAME unit.second_devices COMMAND test_second_devices)
