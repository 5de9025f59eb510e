# Writes PAGE: the manual page TEXT with what PROGRAM says of its options. Run by the build (src/command).
execute_process(COMMAND ${PROGRAM} --man OUTPUT_VARIABLE OMPTAPE_MAN_TABLES RESULT_VARIABLE _result)
if(NOT _result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} --man: ${_result}")
endif()
configure_file(${TEXT} ${PAGE} @ONLY)
