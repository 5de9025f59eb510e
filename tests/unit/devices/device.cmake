# Unit tests of the intake of device records, with a tiny device.
set(_here ${CMAKE_CURRENT_LIST_DIR})
add_library(omptape_test_device STATIC ${_here}/device_fixture.c)
target_link_libraries(omptape_test_device PUBLIC omptape_test_session omptape_device ${CMOCKA_LIBRARY})
foreach(_test device_buffers device_records device_tracing)
    add_executable(test_${_test} ${_here}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_device)
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()

# Several threads deliver at once: built anew under the sanitizer.
if(OMPTAPE_HAS_TSAN)
    file(GLOB _device_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/device/*.c)
    add_executable(test_device_buffers_tsan ${_here}/test_device_buffers.c ${_here}/device_fixture.c
                   ${_unit}/session_fixture.c ${_device_sources} ${_buffers}
                   ${_core_sources} ${CMAKE_SOURCE_DIR}/src/core/events.c ${CMAKE_SOURCE_DIR}/src/core/words.c)
    target_compile_options(test_device_buffers_tsan PRIVATE -fsanitize=thread $<$<C_COMPILER_ID:GNU>:-Wno-tsan>)
    target_link_options(test_device_buffers_tsan PRIVATE -fsanitize=thread)
    target_link_libraries(test_device_buffers_tsan PRIVATE omptape_flags Threads::Threads ${CMAKE_DL_LIBS}
                          ${CMOCKA_LIBRARY})
    add_test(NAME unit.device_buffers_tsan COMMAND test_device_buffers_tsan)
    set_tests_properties(unit.device_buffers_tsan PROPERTIES TIMEOUT 120 ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
endif()

# The clocks of devices: simulated ones, against the truth.
foreach(_test device_clock device_fit)
    add_executable(test_${_test} ${_here}/test_${_test}.c ${_here}/device_world.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_writer ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
