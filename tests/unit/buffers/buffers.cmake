# Unit and stress tests of the buffers and of the record.
set(_here ${CMAKE_CURRENT_LIST_DIR})
foreach(_test buffer buffer_copy buffer_damage buffer_held buffer_memory buffer_names buffer_threads record)
    add_executable(test_${_test} ${_here}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_session omptape_test_writer Threads::Threads ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()

# The buffers are built anew here, with a stumble before each of their atomic operations. The same seed brings the same
# threads and sizes, though never the same interleaving.
function(omptape_stress_buffer name source)
    add_executable(${name} ${_here}/${source} ${_unit}/session_fixture.c ${_buffers} ${_core_sources})
    target_compile_options(${name} PRIVATE "SHELL:-include \"${_here}/stumble.h\"" ${ARGN})
    target_link_options(${name} PRIVATE ${ARGN})
    target_link_libraries(${name} PRIVATE omptape_flags Threads::Threads)
endfunction()

omptape_stress_buffer(stress_interrupts stress_interrupts.c)
add_test(NAME unit.buffer_stress_interrupts COMMAND stress_interrupts 30 4)
omptape_stress_buffer(stress_buffer stress_buffer.c)
set(_seconds 5)
set(_patience 120)
if(CMAKE_CROSSCOMPILING) # by an emulator
    set(_seconds 60)
    set(_patience 900)
endif()
add_test(NAME unit.buffer_stress_threads COMMAND stress_buffer threads ${_seconds} 1)
add_test(NAME unit.buffer_stress_processes COMMAND stress_buffer processes ${_seconds} 2)
set_tests_properties(unit.buffer_stress_interrupts unit.buffer_stress_threads unit.buffer_stress_processes PROPERTIES TIMEOUT ${_patience})
if(OMPTAPE_HAS_TSAN)
    omptape_stress_buffer(stress_buffer_tsan stress_buffer.c -fsanitize=thread)
    # gcc's sanitizer does not know fences and warns; what they order is no data, only sleep and wake-up.
    target_compile_options(stress_buffer_tsan PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-tsan>)
    add_test(NAME unit.buffer_stress_tsan COMMAND stress_buffer_tsan threads 5 3)
    set_tests_properties(unit.buffer_stress_tsan PROPERTIES TIMEOUT 120 ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
endif()
