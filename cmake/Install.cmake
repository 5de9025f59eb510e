# What an installation holds, and the files by which other builds find it.
include(CMakePackageConfigHelpers)

install(TARGETS omptape EXPORT omptapeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS omptape-command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS omptape-writer RUNTIME DESTINATION ${OMPTAPE_LIBEXECDIR})
install(FILES include/omptape/omptape.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/omptape)

# Relative, so that `cmake --install --prefix` leaves a right one.
file(RELATIVE_PATH OMPTAPE_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/omptape.pc.in ${CMAKE_BINARY_DIR}/omptape.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/omptape.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/omptape)
configure_package_config_file(cmake/omptapeConfig.cmake.in ${CMAKE_BINARY_DIR}/omptapeConfig.cmake
                              INSTALL_DESTINATION ${_package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/omptapeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/omptapeConfig.cmake ${CMAKE_BINARY_DIR}/omptapeConfigVersion.cmake
        DESTINATION ${_package_folder})
install(EXPORT omptapeTargets NAMESPACE omptape:: DESTINATION ${_package_folder})

if(NOT TARGET uninstall)
    add_custom_target(uninstall COMMENT "Removing what was installed" VERBATIM
        COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
                -P ${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake)
endif()
