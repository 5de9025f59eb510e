# Removes what the last `cmake --install` of this build has installed, and the folders that are omptape's own. Run by
# the target uninstall:
#   cmake -DMANIFEST=BUILD/install_manifest.txt -P Uninstall.cmake
if(NOT EXISTS ${MANIFEST})
    message(FATAL_ERROR "Nothing was installed from this build: there is no ${MANIFEST}")
endif()

file(STRINGS ${MANIFEST} _files)
set(_folders "")
foreach(_file IN LISTS _files)
    set(_path "$ENV{DESTDIR}${_file}")
    if(EXISTS "${_path}" OR IS_SYMLINK "${_path}")
        message(STATUS "Removing ${_path}")
        file(REMOVE "${_path}")
        if(EXISTS "${_path}" OR IS_SYMLINK "${_path}")
            message(FATAL_ERROR "Cannot remove ${_path}")
        endif()
    endif()
    # bin, lib and the like belong to everybody, what is below a folder of our name to us.
    get_filename_component(_folder "${_path}" DIRECTORY)
    while(_folder MATCHES "/omptape(/[^/]+)?$")
        list(APPEND _folders "${_folder}")
        get_filename_component(_folder "${_folder}" DIRECTORY)
    endwhile()
endforeach()

list(REMOVE_DUPLICATES _folders)
list(SORT _folders ORDER DESCENDING) # what is inside first
foreach(_folder IN LISTS _folders)
    file(GLOB _left "${_folder}/*" "${_folder}/.*")
    list(FILTER _left EXCLUDE REGEX "/\\.\\.?$")
    if(IS_DIRECTORY "${_folder}" AND NOT IS_SYMLINK "${_folder}" AND NOT _left)
        file(REMOVE_RECURSE "${_folder}")
    endif()
endforeach()
file(REMOVE ${MANIFEST})
