# The functions that a library imports, for src/tool/libc.c: run by the build as
#   cmake -DNM=nm -DLIBRARY=... -DHEADER=... -DOPTIONS=... -P LibcNames.cmake
# HEADER gets their names and numbers as lists for the preprocessor, OPTIONS the options that replace them.
cmake_policy(VERSION 3.16)
execute_process(COMMAND ${NM} -D --undefined-only ${LIBRARY} OUTPUT_VARIABLE _imports RESULT_VARIABLE _status)
if(NOT _status EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${LIBRARY}")
endif()

# Data is no way into the program's code.
set(_data __environ _environ environ _r_debug __stack_chk_guard)
string(REGEX MATCHALL "[UwvV] [A-Za-z_0-9]+" _imports "${_imports}")
set(_names "")
set(_count 0)
set(_absent "")
set(_options "")
foreach(_import IN LISTS _imports)
    string(SUBSTRING "${_import}" 2 -1 _name)
    if(_name IN_LIST _data)
        continue()
    endif()
    # What the compiler's start files ask for and libc does not have: profilers and transactional memory.
    if(_name MATCHES "^(__gmon_start__|_ITM_.*)$")
        string(APPEND _absent " X(${_name}, )")
    else()
        string(APPEND _names " X(${_name}, ${_count})")
        math(EXPR _count "${_count} + 1")
    endif()
    string(APPEND _options "-Wl,--wrap=${_name}\n")
endforeach()

file(WRITE ${HEADER} "/* Made by LibcNames.cmake. */\n#define OMPTAPE_LIBC_COUNT ${_count}\n"
                     "#define OMPTAPE_LIBC_NAMES(X)${_names}\n"
                     "#define OMPTAPE_LIBC_ABSENT(X)${_absent}\n")
file(WRITE ${OPTIONS} "${_options}")
