# Unit tests of the translation, of what surrounds it in the writer, and of damaged records.
set(_here ${CMAKE_CURRENT_LIST_DIR})
set(_translate ${_unit}/scratch.c ${_here}/translate_fixture.c ${_here}/translate_script.c ${_here}/archive_text.c
    ${_here}/archive_text_events.c)
add_library(omptape_test_translate STATIC ${_translate})
target_link_libraries(omptape_test_translate PUBLIC omptape_test_session omptape_test_writer ${CMOCKA_LIBRARY})
foreach(_test translate translate_gaps translate_losses translate_order translate_sharing translate_sync translate_tasks
        translate_teams translate_times)
    add_executable(test_${_test} ${_here}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_translate)
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
foreach(_test translate_devices translate_device_damage)
    add_executable(test_${_test} ${_here}/test_${_test}.c ${_here}/translate_device.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_translate)
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()

# Damaged records: under sanitizers where there are some.
if(OMPTAPE_HAS_ASAN)
    set(_sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined)
    add_executable(test_translate_damage ${_here}/test_translate_damage.c ${_translate} ${_unit}/session_fixture.c
                   ${_sources} ${_buffers} ${_core_sources})
    target_compile_options(test_translate_damage PRIVATE ${_sanitize})
    target_link_options(test_translate_damage PRIVATE ${_sanitize})
    target_link_libraries(test_translate_damage PRIVATE ${_libraries} ${CMOCKA_LIBRARY})
else()
    add_executable(test_translate_damage ${_here}/test_translate_damage.c)
    target_link_libraries(test_translate_damage PRIVATE omptape_test_translate)
endif()
add_test(NAME unit.translate_damage COMMAND test_translate_damage)
