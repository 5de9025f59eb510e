# What an installation holds, and the files by which other builds find it.
include(CMakePackageConfigHelpers)

install(TARGETS omptape EXPORT omptapeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS omptape_marks LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(OMPTAPE_WITH_MPI)
    install(TARGETS omptape_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS omptape-command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS omptape-writer RUNTIME DESTINATION ${OMPTAPE_LIBEXECDIR})
install(FILES include/omptape/omptape.h include/omptape/omptape.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/omptape/omptape.py DESTINATION ${CMAKE_INSTALL_DATADIR}/omptape/python)

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

configure_file(docs/man/omptape-report.1.in ${CMAKE_BINARY_DIR}/share/man/man1/omptape-report.1 @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/share/man/man1/omptape-report.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Completions for shells. Debian's zsh looks for a package's at a place of its own.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(_zsh share/zsh/vendor-completions)
else()
    set(_zsh share/zsh/site-functions)
endif()
set(OMPTAPE_ZSH_COMPLETIONS ${_zsh} CACHE STRING "Folder below the prefix for zsh's completion")
mark_as_advanced(OMPTAPE_ZSH_COMPLETIONS)
install(FILES packaging/completions/omptape.bash DESTINATION share/bash-completion/completions RENAME omptape)
install(FILES packaging/completions/omptape.fish DESTINATION share/fish/vendor_completions.d)
install(FILES packaging/completions/_omptape DESTINATION ${OMPTAPE_ZSH_COMPLETIONS})

# An environment module, which finds its installation by where it lies.
set(_modules share/modulefiles/omptape)
file(RELATIVE_PATH OMPTAPE_MODULE_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${_modules} ${CMAKE_INSTALL_PREFIX})
configure_file(packaging/modulefiles/omptape.in ${CMAKE_BINARY_DIR}/install/modulefile @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/install/modulefile DESTINATION ${_modules} RENAME ${PROJECT_VERSION})

if(NOT TARGET uninstall)
    add_custom_target(uninstall COMMENT "Removing what was installed" VERBATIM
        COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
                -P ${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake)
endif()
