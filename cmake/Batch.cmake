# The batch wrapper. It is a shell script with parts, which lie where the layout of an installation has them.
set(_batch_parts batch/words.sh batch/private.sh batch/names.sh batch/steps.sh batch/run.sh batch/submit.sh batch/report.sh batch/scale.sh)
configure_file(scripts/omptape-batch ${OMPTAPE_BUILD_BIN}/omptape-batch COPYONLY)
foreach(_part IN LISTS _batch_parts)
    configure_file(scripts/${_part} ${OMPTAPE_BUILD_LIBEXEC}/${_part} COPYONLY)
    install(FILES scripts/${_part} DESTINATION ${OMPTAPE_LIBEXECDIR}/batch)
endforeach()

# Installed, it looks for them where this build's options put them.
file(RELATIVE_PATH _batch_folder ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/omptape/batch)
file(READ scripts/omptape-batch _batch)
string(REPLACE "../libexec/omptape/batch" "${_batch_folder}" _batch "${_batch}")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/install/omptape-batch CONTENT "${_batch}")
install(PROGRAMS ${CMAKE_BINARY_DIR}/install/omptape-batch DESTINATION ${CMAKE_INSTALL_BINDIR})

configure_file(docs/man/omptape-batch.1.in ${CMAKE_BINARY_DIR}/share/man/man1/omptape-batch.1 @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/share/man/man1/omptape-batch.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
