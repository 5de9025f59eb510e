# Unit tests of what is beneath an output folder.
add_executable(test_beneath ${CMAKE_CURRENT_LIST_DIR}/test_beneath.c)
target_link_libraries(test_beneath PRIVATE omptape_test_scratch omptape_folder omptape_flags ${CMOCKA_LIBRARY})
target_link_options(test_beneath PRIVATE -Wl,--wrap=fdopendir)
add_test(NAME unit.beneath COMMAND test_beneath)
add_executable(test_few_files ${CMAKE_CURRENT_LIST_DIR}/test_few_files.c)
target_link_libraries(test_few_files PRIVATE omptape_test_scratch omptape_folder_otf2 omptape_flags ${CMOCKA_LIBRARY})
add_test(NAME unit.few_files COMMAND test_few_files)
