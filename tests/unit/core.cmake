# Unit and stress tests of the buffers and of the writer's core.
include(CheckCSourceRuns)
set(_core ${CMAKE_CURRENT_LIST_DIR})

# Sets OMPTAPE_HAS_<name> if programs with this sanitizer can be built and run here.
function(omptape_find_sanitizer name flags)
    set(CMAKE_REQUIRED_FLAGS ${flags})
    set(CMAKE_REQUIRED_LINK_OPTIONS ${flags})
    check_c_source_runs("int main(void) { return 0; }" OMPTAPE_HAS_${name})
    if(NOT OMPTAPE_HAS_${name})
        message(STATUS "No ${flags}: the tests under it are left out")
    endif()
endfunction()
omptape_find_sanitizer(ASAN -fsanitize=address,undefined)
omptape_find_sanitizer(TSAN -fsanitize=thread)

add_library(omptape_test_session STATIC ${_core}/session_fixture.c)
target_link_libraries(omptape_test_session PUBLIC omptape_buffers_producer omptape_buffers_consumer omptape_core
                      omptape_flags)

# The writer without its main loop.
get_target_property(_sources omptape-writer SOURCES)
get_target_property(_libraries omptape-writer LINK_LIBRARIES)
list(REMOVE_ITEM _sources main.c watch.c)
list(TRANSFORM _sources PREPEND ${CMAKE_SOURCE_DIR}/writers/)
add_library(omptape_test_writer STATIC ${_sources})
target_link_libraries(omptape_test_writer PUBLIC ${_libraries})

foreach(_test buffer buffer_copy buffer_damage buffer_threads bytes clock correlations hash order process_stat record sources store
        strings)
    add_executable(test_${_test} ${_core}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_session omptape_test_writer Threads::Threads
                          ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()

# Two libraries of which each can lie where the other one did.
foreach(_library one two)
    add_library(module_${_library} MODULE ${_core}/module_library.c)
    target_link_libraries(module_${_library} PRIVATE omptape_flags)
endforeach()
add_executable(test_module ${_core}/test_module.c ${CMAKE_SOURCE_DIR}/callbacks/module_path.c)
target_compile_definitions(test_module PRIVATE MODULE_ONE="$<TARGET_FILE:module_one>"
                           MODULE_TWO="$<TARGET_FILE:module_two>")
target_link_libraries(test_module PRIVATE omptape_test_session Threads::Threads ${CMAKE_DL_LIBS} ${CMOCKA_LIBRARY})
add_dependencies(test_module module_one module_two)
add_test(NAME unit.module COMMAND test_module)

# The buffers are built anew here, with a stumble before each of their atomic operations. The same seed brings the same
# threads and sizes, though never the same interleaving.
file(GLOB _buffers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/buffers/*.c)
set(_core_sources ${CMAKE_SOURCE_DIR}/src/core/clock.c ${CMAKE_SOURCE_DIR}/src/core/message.c
    ${CMAKE_SOURCE_DIR}/src/core/process_stat.c
    ${CMAKE_SOURCE_DIR}/src/core/progress.c)
function(omptape_stress_buffer name source)
    add_executable(${name} ${_core}/${source} ${_core}/session_fixture.c ${_buffers} ${_core_sources})
    target_compile_options(${name} PRIVATE "SHELL:-include \"${_core}/stumble.h\"" ${ARGN})
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

set(_translate ${_core}/scratch.c ${_core}/translate_fixture.c ${_core}/translate_script.c ${_core}/archive_text.c
    ${_core}/archive_text_events.c)
# The machine code of the callbacks, read as it will run.
add_test(NAME unit.hot_path COMMAND ${OMPTAPE_PYTHON} ${_core}/hot_path.py $<TARGET_FILE:omptape>)
set_tests_properties(unit.hot_path PROPERTIES SKIP_RETURN_CODE 77)

add_library(omptape_test_translate STATIC ${_translate})
target_link_libraries(omptape_test_translate PUBLIC omptape_test_session omptape_test_writer ${CMOCKA_LIBRARY})
foreach(_test choice processors program recorder sched timeline translate translate_gaps translate_losses translate_order
        translate_sync translate_tasks translate_teams translate_times)
    add_executable(test_${_test} ${_core}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_translate)
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
foreach(_test translate_devices translate_device_damage)
    add_executable(test_${_test} ${_core}/test_${_test}.c ${_core}/translate_device.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_translate)
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()

# Damaged records: under sanitizers where there are some.
if(OMPTAPE_HAS_ASAN)
    set(_sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined)
    add_executable(test_translate_damage ${_core}/test_translate_damage.c ${_translate} ${_core}/session_fixture.c
                   ${_sources} ${_buffers} ${_core_sources})
    target_compile_options(test_translate_damage PRIVATE ${_sanitize})
    target_link_options(test_translate_damage PRIVATE ${_sanitize})
    target_link_libraries(test_translate_damage PRIVATE ${_libraries} ${CMOCKA_LIBRARY})
else()
    add_executable(test_translate_damage ${_core}/test_translate_damage.c)
    target_link_libraries(test_translate_damage PRIVATE omptape_test_translate)
endif()
add_test(NAME unit.translate_damage COMMAND test_translate_damage)

# The clocks of devices: simulated ones, against the truth.
foreach(_test device_clock device_fit)
    add_executable(test_${_test} ${_core}/test_${_test}.c ${_core}/device_world.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_writer ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
