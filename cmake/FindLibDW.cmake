# Finds libdw and libelf of elfutils. Gives the target LibDW::dw.
find_path(LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
find_library(LIBDW_LIBRARY dw)
find_library(LIBELF_LIBRARY elf)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibDW REQUIRED_VARS LIBDW_LIBRARY LIBELF_LIBRARY LIBDW_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "libdw is libdw-dev on Debian")

if(LibDW_FOUND AND NOT TARGET LibDW::dw)
    add_library(LibDW::dw INTERFACE IMPORTED)
    target_include_directories(LibDW::dw SYSTEM INTERFACE ${LIBDW_INCLUDE_DIR})
    target_link_libraries(LibDW::dw INTERFACE ${LIBDW_LIBRARY} ${LIBELF_LIBRARY})
endif()
