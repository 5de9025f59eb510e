# Unit test of the symbol resolver. Its fixtures are small programs with OpenMP constructs on a stand-in runtime that
# records return addresses, built here by every compiler at hand, with debug info in every form. The test reads the list
# of fixtures, a line "name|what to expect|source|command" each.
set(SYMBOLS_SOURCES ${CMAKE_CURRENT_LIST_DIR})
set(SYMBOLS_FIXTURES ${CMAKE_CURRENT_BINARY_DIR}/symbols)
set(SYMBOLS_LIST ${SYMBOLS_FIXTURES}/fixtures.txt)
set(SYMBOLS_ENTRIES "")
set(SYMBOLS_BUILT "")

foreach(_part runtime main loader)
    add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/${_part}.o
                       COMMAND ${CMAKE_C_COMPILER} -fPIC -O1 -fno-optimize-sibling-calls
                               -c ${SYMBOLS_SOURCES}/${_part}.c -o ${SYMBOLS_FIXTURES}/${_part}.o
                       DEPENDS ${SYMBOLS_SOURCES}/${_part}.c ${SYMBOLS_SOURCES}/runtime.h VERBATIM)
endforeach()

# The stand-in as a library. Only its soname says that it is a runtime.
set(SYMBOLS_RUNTIME ${SYMBOLS_FIXTURES}/lib/libstandin.so)
file(MAKE_DIRECTORY ${SYMBOLS_FIXTURES}/lib)
add_custom_command(OUTPUT ${SYMBOLS_RUNTIME}
                   COMMAND ${CMAKE_C_COMPILER} -shared -Wl,-soname,libomp-standin.so ${SYMBOLS_FIXTURES}/runtime.o
                           -o ${SYMBOLS_RUNTIME}
                   COMMAND ${CMAKE_COMMAND} -E create_symlink libstandin.so
                           ${SYMBOLS_FIXTURES}/lib/libomp-standin.so
                   DEPENDS ${SYMBOLS_FIXTURES}/runtime.o VERBATIM)

# symbol_fixture(NAME COMPILER SOURCE [EXPECT full|line|symbol|module|tail|pointer] [FLAGS ...] [LINK ...] [SHARED] [RELATIVE]
#                [THEN SCRIPT])
# expects of the resolver: everything; file and line; the symbol; the module; everything, also where return addresses
# are those of outer frames (the stand-in is then a library); the same, or no place where a pointer was called. SHARED: the constructs lie in a library of the program.
# RELATIVE: the compiler gets the source by a name relative to where it runs. THEN: a shell script for the program, run
# in its folder.
function(symbol_fixture name compiler source)
    cmake_parse_arguments(FIXTURE "SHARED;RELATIVE" "EXPECT;THEN" "FLAGS;LINK" ${ARGN})
    if(NOT FIXTURE_EXPECT)
        set(FIXTURE_EXPECT full)
    endif()
    if(NOT FIXTURE_THEN)
        set(FIXTURE_THEN ":")
    endif()
    set(folder ${SYMBOLS_FIXTURES}/${name})
    file(MAKE_DIRECTORY ${folder}/source)
    set(path ${SYMBOLS_SOURCES}/${source})
    set(argument ${path})
    if(FIXTURE_RELATIVE)
        set(path ${folder}/source/${source})
        set(argument ./source/${source})
    endif()
    set(objects ${SYMBOLS_FIXTURES}/main.o ${SYMBOLS_FIXTURES}/runtime.o)
    if(source MATCHES "f90$")
        set(objects ${SYMBOLS_FIXTURES}/runtime.o)
    elseif(FIXTURE_EXPECT MATCHES "^(tail|pointer)$")
        set(objects ${SYMBOLS_FIXTURES}/main.o ${SYMBOLS_RUNTIME})
        list(APPEND FIXTURE_LINK ${SYMBOLS_RUNTIME} -Wl,-rpath,${SYMBOLS_FIXTURES}/lib)
    endif()
    if(FIXTURE_SHARED)
        set(link COMMAND ${compiler} -shared constructs.o -o libconstructs.so ${FIXTURE_LINK}
                 COMMAND ${compiler} -rdynamic ${objects} libconstructs.so
                         -Wl,-rpath,${folder}:${SYMBOLS_FIXTURES}/lib -o prog)
    else()
        set(link COMMAND ${compiler} ${FIXTURE_FLAGS} constructs.o ${objects} -o prog ${FIXTURE_LINK})
    endif()
    add_custom_command(OUTPUT ${folder}/prog
                       COMMAND cp ${SYMBOLS_SOURCES}/${source} source/
                       COMMAND ${compiler} -fopenmp -fPIC -I${SYMBOLS_SOURCES} ${FIXTURE_FLAGS} -c ${argument}
                               -o constructs.o
                       ${link}
                       COMMAND sh -c "${FIXTURE_THEN}"
                       DEPENDS ${SYMBOLS_SOURCES}/${source} ${SYMBOLS_SOURCES}/runtime.h ${objects}
                       WORKING_DIRECTORY ${folder} VERBATIM)
    set(SYMBOLS_BUILT ${SYMBOLS_BUILT} ${folder}/prog PARENT_SCOPE)
    set(SYMBOLS_ENTRIES "${SYMBOLS_ENTRIES}${name}|${FIXTURE_EXPECT}|${path}|${folder}/prog\n" PARENT_SCOPE)
endfunction()

find_program(SYMBOLS_LLVM_DWP NAMES llvm-dwp-19 llvm-dwp)
find_program(SYMBOLS_DWP NAMES dwp)
find_program(SYMBOLS_XZ NAMES xz)
find_program(SYMBOLS_DWZ NAMES dwz)
set(_build_id 0123456789abcdef0123456789abcdef01234567)
string(SUBSTRING ${_build_id} 2 -1 _build_id_rest)

foreach(_compiler gcc g++ gfortran clang-14 clang++-14 clang-19 clang++-19)
    string(MAKE_C_IDENTIFIER SYMBOLS_${_compiler} _variable)
    find_program(${_variable} NAMES ${_compiler})
    set(_path ${${_variable}})
    if(NOT _path)
        message(STATUS "No ${_compiler}: the symbol test does without it")
        continue()
    endif()
    set(_source constructs.c)
    if(_compiler MATCHES "[+][+]")
        set(_source constructs.cc)
    elseif(_compiler STREQUAL gfortran)
        set(_source constructs.f90)
    endif()
    foreach(_level 0 1 2)
        symbol_fixture(${_compiler}-O${_level} ${_path} ${_source} FLAGS -g -O${_level})
    endforeach()
    if(NOT _compiler STREQUAL gfortran)
        string(REPLACE constructs tails _tails ${_source})
        foreach(_level 0 1 2 3)
            symbol_fixture(tails-${_compiler}-O${_level} ${_path} ${_tails} EXPECT tail FLAGS -g -O${_level})
        endforeach()
        if(_source STREQUAL constructs.c)
            symbol_fixture(choice-${_compiler} ${_path} choice.c EXPECT tail FLAGS -g -O2)
            foreach(_level 0 1 2)
                symbol_fixture(pointers-${_compiler}-O${_level} ${_path} pointers.c EXPECT pointer FLAGS -g -O${_level})
            endforeach()
        endif()
        symbol_fixture(tails-${_compiler}-shared ${_path} ${_tails} EXPECT tail FLAGS -g -O2 SHARED)
        symbol_fixture(tails-${_compiler}-no-plt ${_path} ${_tails} EXPECT tail FLAGS -g -O2 -fno-plt)
        symbol_fixture(tails-${_compiler}-no-pie ${_path} ${_tails} EXPECT tail FLAGS -g -O2 -fno-pic LINK -no-pie)
        symbol_fixture(tails-${_compiler}-dwarf4 ${_path} ${_tails} EXPECT tail FLAGS -g -O2 -gdwarf-4)
    endif()
    if(_compiler STREQUAL gcc AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
        foreach(_level 1 2)
            symbol_fixture(stored-O${_level} ${_path} stored.c EXPECT tail FLAGS -g -O${_level})
        endforeach()
        symbol_fixture(stored-frame ${_path} stored.c EXPECT tail FLAGS -g -O2 -fno-omit-frame-pointer)
    endif()
    if(SYMBOLS_DWP)
        symbol_fixture(${_compiler}-package4 ${_path} ${_source} FLAGS -g -O2 -gdwarf-4 -gsplit-dwarf
                       THEN "${SYMBOLS_DWP} -e prog -o prog.dwp && rm -f *.dwo")
    endif()
    if(SYMBOLS_LLVM_DWP)
        symbol_fixture(${_compiler}-package5 ${_path} ${_source} FLAGS -g -O2 -gdwarf-5 -gsplit-dwarf
                       THEN "${SYMBOLS_LLVM_DWP} -e prog -o prog.dwp && rm -f *.dwo")
    endif()
    if(_source STREQUAL constructs.c)
        continue() # the rest is the same for C and C++
    endif()
    symbol_fixture(${_compiler}-dwarf4 ${_path} ${_source} FLAGS -g -O2 -gdwarf-4)
    symbol_fixture(${_compiler}-types ${_path} ${_source} FLAGS -g -O2 -fdebug-types-section)
    symbol_fixture(${_compiler}-relative4 ${_path} ${_source} RELATIVE FLAGS -g -O2 -gdwarf-4)
    symbol_fixture(${_compiler}-relative5 ${_path} ${_source} RELATIVE FLAGS -g -O2 -gdwarf-5)
    symbol_fixture(${_compiler}-no-pie ${_path} ${_source} FLAGS -g -O2 LINK -no-pie)
    symbol_fixture(${_compiler}-compressed ${_path} ${_source} FLAGS -g -O2 -gz LINK -gz)
    symbol_fixture(${_compiler}-split4 ${_path} ${_source} FLAGS -g -O2 -gdwarf-4 -gsplit-dwarf)
    symbol_fixture(${_compiler}-split5 ${_path} ${_source} FLAGS -g -O0 -gdwarf-5 -gsplit-dwarf)
    symbol_fixture(${_compiler}-g1 ${_path} ${_source} EXPECT line FLAGS -g1 -O0)
    symbol_fixture(${_compiler}-stripped ${_path} ${_source} EXPECT module FLAGS -g -O2 THEN "strip prog")
    if(NOT _source STREQUAL constructs.f90)
        symbol_fixture(${_compiler}-symtab ${_path} ${_source} EXPECT symbol FLAGS -g -O0 THEN "strip -g prog")
        symbol_fixture(${_compiler}-shared ${_path} ${_source} FLAGS -g -O2 SHARED)
    endif()
endforeach()

# Debug info and symbols outside of the program.
if(SYMBOLS_g__)
    symbol_fixture(link-time ${SYMBOLS_g__} constructs.cc FLAGS -g -O1 -flto)
    # By name: in .debug, beside the program, in the same folder below the root. A file that is another one, one to which
    # no link leads, a pipe and a device are not taken.
    set(_split "rm -f prog.debug && objcopy --only-keep-debug prog prog.debug && strip prog")
    set(_link "${_split} && objcopy --add-gnu-debuglink=prog.debug prog")
    set(_no_id FLAGS -g -O2 LINK -Wl,--build-id=none)
    symbol_fixture(debuglink ${SYMBOLS_g__} constructs.cc ${_no_id}
                   THEN "${_link} && mkdir -p .debug && mv prog.debug .debug")
    symbol_fixture(debuglink-beside ${SYMBOLS_g__} constructs.cc ${_no_id} THEN "${_link}")
    symbol_fixture(debuglink-root ${SYMBOLS_g__} constructs.cc ${_no_id}
                   THEN "${_link} && mkdir -p \"../root$PWD\" && mv prog.debug \"../root$PWD\"")
    symbol_fixture(debuglink-build-id ${SYMBOLS_g__} constructs.cc FLAGS -g -O2 LINK -Wl,--build-id THEN "${_link}")
    symbol_fixture(debuglink-nowhere ${SYMBOLS_g__} constructs.cc EXPECT module FLAGS -g -O2 LINK -Wl,--build-id
                   THEN "${_link} && rm prog.debug")
    symbol_fixture(debuglink-other ${SYMBOLS_g__} constructs.cc EXPECT module ${_no_id}
                   THEN "${_link} && echo >>prog.debug")
    symbol_fixture(debuglink-none ${SYMBOLS_g__} constructs.cc EXPECT module ${_no_id} THEN "${_split}")
    symbol_fixture(debuglink-gzip ${SYMBOLS_g__} constructs.cc EXPECT module ${_no_id}
                   THEN "${_split} && gzip -n prog.debug && mv prog.debug.gz prog.debug && \
                         objcopy --add-gnu-debuglink=prog.debug prog")
    symbol_fixture(debuglink-pipe ${SYMBOLS_g__} constructs.cc EXPECT module ${_no_id}
                   THEN "${_link} && rm prog.debug && mkfifo prog.debug")
    symbol_fixture(debuglink-device ${SYMBOLS_g__} constructs.cc EXPECT module ${_no_id}
                   THEN "${_link} && ln -sf /dev/zero prog.debug")
    symbol_fixture(build-id ${SYMBOLS_g__} constructs.cc FLAGS -g -O2 LINK -Wl,--build-id=0x${_build_id}
                   THEN "mkdir -p ../root/.build-id/01 && strip -o stripped prog && \
                         objcopy --only-keep-debug prog ../root/.build-id/01/${_build_id_rest}.debug && \
                         mv stripped prog")
    if(SYMBOLS_DWZ)
        symbol_fixture(alternative ${SYMBOLS_g__} constructs.cc FLAGS -g -O2
                       THEN "cp prog other && ${SYMBOLS_DWZ} -m \"$PWD/common.debug\" prog other")
        symbol_fixture(alternative-relative ${SYMBOLS_g__} constructs.cc FLAGS -g -O0
                       THEN "cp prog other && ${SYMBOLS_DWZ} -m common.debug -r prog other")
        symbol_fixture(alternative-build-id ${SYMBOLS_g__} constructs.cc FLAGS -g -O1
                       THEN "cp prog other && ${SYMBOLS_DWZ} -m common.debug -M /nowhere prog other && \
                             id=$(readelf -n common.debug | sed -n 's/.*Build ID: //p') && \
                             mkdir -p ../root/.build-id/$(echo $id | cut -c1-2) && \
                             mv common.debug ../root/.build-id/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-).debug")
    endif()
    # Sections of few bytes that expand to far more than debug information ever does are not read.
    foreach(_format zlib zlib-gnu)
        symbol_fixture(expanding-${_format} ${SYMBOLS_g__} constructs.cc EXPECT symbol FLAGS -g -O0
                       THEN "objcopy --dump-section .debug_info=info prog && truncate -s 16M info && \
                             objcopy --update-section .debug_info=info prog && rm info && \
                             objcopy --compress-debug-sections=${_format} prog")
    endforeach()
    if(SYMBOLS_XZ)
        symbol_fixture(minidebug-expanding ${SYMBOLS_g__} constructs.cc EXPECT module FLAGS -g -O0
                       THEN "objcopy --only-keep-debug prog mini && strip -g mini && truncate -s 16M mini && \
                             xz -f mini && strip prog && objcopy --add-section .gnu_debugdata=mini.xz prog")
        symbol_fixture(minidebug ${SYMBOLS_g__} constructs.cc EXPECT symbol FLAGS -g -O0
                       THEN "objcopy --only-keep-debug prog mini && strip -g mini && xz -f mini && strip prog && \
                             objcopy --add-section .gnu_debugdata=mini.xz prog")
    endif()
endif()

# Libraries that are loaded and closed, one after the other.
if(SYMBOLS_g__ AND SYMBOLS_clang___19)
    set(_loader ${SYMBOLS_FIXTURES}/loader)
    add_custom_command(OUTPUT ${_loader}
                       COMMAND ${CMAKE_C_COMPILER} -rdynamic ${SYMBOLS_FIXTURES}/loader.o
                               ${SYMBOLS_FIXTURES}/runtime.o -ldl -o ${_loader}
                       DEPENDS ${SYMBOLS_FIXTURES}/loader.o ${SYMBOLS_FIXTURES}/runtime.o VERBATIM)
    list(APPEND SYMBOLS_BUILT ${_loader})
    string(APPEND SYMBOLS_ENTRIES "loader|full|${SYMBOLS_SOURCES}/constructs.cc|${_loader}"
           "\t${SYMBOLS_FIXTURES}/g++-shared/libconstructs.so"
           "\t${SYMBOLS_FIXTURES}/clang++-19-shared/libconstructs.so\n")
endif()

# A library for aarch64, which is only read.
find_program(SYMBOLS_LLD NAMES ld.lld ld.lld-19 ld.lld-14)
set(_arm_clang ${SYMBOLS_clang_19})
if(NOT _arm_clang)
    set(_arm_clang ${SYMBOLS_clang_14})
endif()
if(SYMBOLS_LLD AND _arm_clang)
    set(_folder ${SYMBOLS_FIXTURES}/aarch64)
    file(MAKE_DIRECTORY ${_folder})
    add_custom_command(OUTPUT ${_folder}/libtails.so
                       COMMAND ${_arm_clang} --target=aarch64-linux-gnu -fopenmp -fPIC -g -O2 -c
                               ${SYMBOLS_SOURCES}/tails.c -o tails.o
                       COMMAND ${SYMBOLS_LLD} -shared --no-rosegment tails.o -o libtails.so
                       DEPENDS ${SYMBOLS_SOURCES}/tails.c ${SYMBOLS_SOURCES}/runtime.h
                       WORKING_DIRECTORY ${_folder} VERBATIM)
    list(APPEND SYMBOLS_BUILT ${_folder}/libtails.so)
    string(APPEND SYMBOLS_ENTRIES "aarch64|library|${SYMBOLS_SOURCES}/tails.c|${_folder}/libtails.so\n")
endif()

# Libraries of optimised.c. Names end in -O0 where it is certain that the compiler did not optimise.
set(SYMBOLS_OPTIMISED "")
function(optimised_library compiler name)
    if(NOT SYMBOLS_${compiler})
        return()
    endif()
    set(library ${SYMBOLS_FIXTURES}/optimised-${compiler}${name}.so)
    set(language c)
    if(compiler MATCHES "__")
        set(language c++)
    endif()
    add_custom_command(OUTPUT ${library}
                       COMMAND ${SYMBOLS_${compiler}} -shared -fPIC -x ${language} ${ARGN} ${SYMBOLS_SOURCES}/optimised.c -o ${library}
                       DEPENDS ${SYMBOLS_SOURCES}/optimised.c VERBATIM)
    set(SYMBOLS_OPTIMISED ${SYMBOLS_OPTIMISED} ${library} PARENT_SCOPE)
endfunction()
foreach(_compiler gcc g__)
    foreach(_level 0 1 2 g)
        optimised_library(${_compiler} -O${_level} -g -O${_level})
    endforeach()
    optimised_library(${_compiler} -default-O0 -ggdb)
    foreach(_level 0 2)
        optimised_library(${_compiler} -O${_level}-no-switches -g -O${_level} -gno-record-gcc-switches)
    endforeach()
endforeach()
# clang does not say it in DWARF 3.
foreach(_compiler clang_14 clang___14 clang_19 clang___19)
    foreach(_level 0 1 2 g)
        optimised_library(${_compiler} -O${_level} -g -O${_level})
        optimised_library(${_compiler} -dwarf4-O${_level} -g -gdwarf-4 -O${_level})
        optimised_library(${_compiler} -O${_level}-dwarf3 -g -gdwarf-3 -O${_level})
    endforeach()
endforeach()

file(GENERATE OUTPUT ${SYMBOLS_LIST} CONTENT "${SYMBOLS_ENTRIES}")
add_custom_target(symbols_fixtures DEPENDS ${SYMBOLS_BUILT})
add_custom_target(optimised_libraries DEPENDS ${SYMBOLS_OPTIMISED})

add_executable(test_symbols ${SYMBOLS_SOURCES}/test_symbols.c ${SYMBOLS_SOURCES}/fixtures.c)
add_executable(test_symbols_calls ${SYMBOLS_SOURCES}/test_symbols_calls.c ${SYMBOLS_SOURCES}/fixtures.c)
add_executable(test_symbols_damage ${SYMBOLS_SOURCES}/test_symbols_damage.c ${SYMBOLS_SOURCES}/fixtures.c)
add_executable(test_symbols_parts ${SYMBOLS_SOURCES}/test_symbols_parts.c)
add_executable(test_directives ${SYMBOLS_SOURCES}/test_directives.c)
target_link_libraries(test_directives PRIVATE omptape_test_scratch omptape_symbols omptape_flags ${CMOCKA_LIBRARY})
add_test(NAME unit.directives COMMAND test_directives)
add_executable(test_short_names ${SYMBOLS_SOURCES}/test_short_names.c)
target_link_libraries(test_short_names PRIVATE omptape_symbols omptape_flags ${CMOCKA_LIBRARY})
add_test(NAME unit.short_names COMMAND test_short_names)

add_executable(test_optimisation ${SYMBOLS_SOURCES}/test_optimisation.c)
target_link_libraries(test_optimisation PRIVATE omptape_symbols omptape_flags LibDW::dw ${CMOCKA_LIBRARY})
add_dependencies(test_optimisation optimised_libraries)
add_test(NAME unit.optimisation COMMAND test_optimisation ${SYMBOLS_OPTIMISED})

# Libraries of optimised.c with few scopes, and with many.
if(SYMBOLS_gcc)
    set(_scopes_libraries "")
    foreach(_scopes 1000 2000000-deep)
        set(_library ${SYMBOLS_FIXTURES}/scopes-${_scopes}.so)
        string(REPLACE -deep "" _count ${_scopes})
        add_custom_command(OUTPUT ${_library}
                           COMMAND ${SYMBOLS_gcc} -S -fPIC -g -O0 -fno-lto ${SYMBOLS_SOURCES}/optimised.c -o ${_library}.plain.s
                           COMMAND sed -z -f ${SYMBOLS_SOURCES}/deepen.sed ${_library}.plain.s > ${_library}.s
                           COMMAND sed -i "s/SCOPES/${_count}/" ${_library}.s
                           COMMAND ${SYMBOLS_gcc} -shared ${_library}.s -o ${_library}
                           DEPENDS ${SYMBOLS_SOURCES}/optimised.c ${SYMBOLS_SOURCES}/deepen.sed VERBATIM)
        list(APPEND _scopes_libraries ${_library})
    endforeach()
    add_custom_target(scopes_libraries DEPENDS ${_scopes_libraries})
    add_executable(test_deep_trees ${SYMBOLS_SOURCES}/test_deep_trees.c)
    target_link_libraries(test_deep_trees PRIVATE omptape_symbols omptape_flags LibDW::dw ${CMOCKA_LIBRARY})
    add_dependencies(test_deep_trees scopes_libraries)
    add_test(NAME unit.deep_trees COMMAND test_deep_trees ${_scopes_libraries})
endif()

add_executable(test_sampled_code ${SYMBOLS_SOURCES}/test_sampled_code.c)
target_link_libraries(test_sampled_code PRIVATE omptape_symbols omptape_flags ${CMOCKA_LIBRARY})
add_test(NAME unit.sampled_code COMMAND test_sampled_code)
set_tests_properties(unit.sampled_code PROPERTIES SKIP_RETURN_CODE 77)

add_executable(test_far_accesses ${SYMBOLS_SOURCES}/test_far_accesses.c ${PROJECT_SOURCE_DIR}/writers/regions/far_accesses.c)
target_link_libraries(test_far_accesses PRIVATE omptape_symbols omptape_flags ${CMOCKA_LIBRARY})
add_test(NAME unit.far_accesses COMMAND test_far_accesses)
add_executable(test_shared_lines ${SYMBOLS_SOURCES}/test_shared_lines.c ${PROJECT_SOURCE_DIR}/writers/regions/shared_lines.c)
target_link_libraries(test_shared_lines PRIVATE omptape_symbols omptape_flags ${CMOCKA_LIBRARY})
add_test(NAME unit.shared_lines COMMAND test_shared_lines)
foreach(_test symbols symbols_calls symbols_damage symbols_parts)
    add_dependencies(test_${_test} symbols_fixtures)
    target_compile_definitions(test_${_test} PRIVATE FIXTURES="${SYMBOLS_FIXTURES}")
    target_link_libraries(test_${_test} PRIVATE omptape_test_scratch omptape_symbols omptape_flags LibDW::dw ${CMOCKA_LIBRARY})
    add_test(NAME unit.${_test} COMMAND test_${_test})
endforeach()
