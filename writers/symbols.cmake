# The symbol resolver, a static library of its own so that its unit test can link it alone.
add_library(omptape_symbols STATIC
            ${CMAKE_CURRENT_LIST_DIR}/symbols.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_bodies.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_callees.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_calls.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_code.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_debugfile.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_dies.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_functions.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_imports.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_lines.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_loaded.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_maps.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_module.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_names.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_package.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_runtime.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_strings.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_table.c
            ${CMAKE_CURRENT_LIST_DIR}/symbols_units.c)
# libstdc++ has the demangler, __cxa_demangle.
target_link_libraries(omptape_symbols PUBLIC omptape_flags PRIVATE LibDW::dw stdc++)
