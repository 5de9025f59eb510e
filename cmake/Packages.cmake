# What cpack makes of a build: a .deb, an .rpm (where rpmbuild is), and with CPackSourceConfig.cmake the source. A build
# for them is configured with -DCMAKE_INSTALL_PREFIX=/usr, so that libraries lie where the distribution has them.
set(CPACK_PACKAGE_NAME omptape)
set(CPACK_PACKAGE_VENDOR "the omptape authors")
set(CPACK_PACKAGE_CONTACT "${OMPTAPE_PACKAGER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "event tracer for OpenMP programs that writes OTF2 archives")
set(CPACK_PACKAGE_DESCRIPTION
    "omptape runs an unchanged OpenMP program and records what its threads do
through OMPT, the tool interface of OpenMP 5: parallel regions, tasks,
loops, locks, barriers, kernels and transfers of devices. It says what
costs time and where, as text and as a page for a browser, and leaves an
OTF2 archive that Vampir, ViTE and other readers can open.")
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageFiles.cmake) # CMake 3.19
set(CPACK_OMPTAPE_PACKAGING ${PROJECT_SOURCE_DIR}/packaging)              # for this script
set(CPACK_OMPTAPE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)

set(CPACK_GENERATOR DEB)
find_program(OMPTAPE_RPMBUILD rpmbuild)
mark_as_advanced(OMPTAPE_RPMBUILD)
if(OMPTAPE_RPMBUILD)
    list(APPEND CPACK_GENERATOR RPM)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1) # as packaging/debian/changelog
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# What programs built with gcc are traced on.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libomp5 | libomp5-19 | libomp5-16 | libomp5-14")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "otf2-tools, vite")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
file(WRITE ${CMAKE_BINARY_DIR}/install/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/install/triggers)

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_SUMMARY "Event tracer for OpenMP programs that writes OTF2 archives")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_SPEC_MORE_DEFINE "%define packager ${OMPTAPE_PACKAGER}")
set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
set(CPACK_RPM_PACKAGE_GROUP Development/Tools)
set(CPACK_RPM_PACKAGE_RELEASE_DIST ON)
set(CPACK_RPM_CHANGELOG_FILE ${PROJECT_SOURCE_DIR}/packaging/rpm/changelog)
set(CPACK_RPM_POST_INSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/rpm/ldconfig)
set(CPACK_RPM_POST_UNINSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/rpm/ldconfig)
foreach(_folder ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_LIBDIR}/cmake ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        ${CMAKE_INSTALL_LIBEXECDIR} ${CMAKE_INSTALL_INCLUDEDIR} share/bash-completion share/bash-completion/completions
        share/fish share/fish/vendor_completions.d share/man share/man/man1
        share/zsh ${OMPTAPE_ZSH_COMPLETIONS} share/modulefiles)
    list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/${_folder})
endforeach()

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME omptape-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "/\\\\.git/" "/\\\\.git$" "/build[^/]*/" "\\\\.orig$" "~$" "\\\\.sw.$" "/__pycache__/")
include(CPack)
