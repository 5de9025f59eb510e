# The strings of an archive, and the encoder of event files, against libotf2's.
set(_here ${CMAKE_CURRENT_LIST_DIR})
set(_archive ${CMAKE_SOURCE_DIR}/src/archive/write)
add_executable(test_event_file ${_here}/test_event_file.c ${_here}/both_event_files.c ${_here}/otf2_events.c ${_archive}/archive.c
               ${_archive}/event_file.c ${_archive}/events.c
               ${_archive}/events_table.c ${_archive}/events_threads.c ${_archive}/disk_reserve.c)
target_link_libraries(test_event_file PRIVATE omptape_test_scratch omptape_folder_otf2 omptape_flags OTF2::otf2 ${CMOCKA_LIBRARY})
add_test(NAME unit.event_file COMMAND test_event_file)
foreach(_test strings)
    add_executable(test_${_test} ${_here}/test_${_test}.c)
    target_link_libraries(test_${_test} PRIVATE omptape_test_session omptape_test_writer Threads::Threads ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
