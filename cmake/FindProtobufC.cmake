# Finds protobuf-c: its library, and its compiler, which makes C of a .proto. Gives the target ProtobufC::protobuf-c
# and the variable PROTOBUFC_COMPILER.
find_path(PROTOBUFC_INCLUDE_DIR protobuf-c/protobuf-c.h)
find_library(PROTOBUFC_LIBRARY protobuf-c)
find_program(PROTOBUFC_COMPILER NAMES protoc-c)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ProtobufC REQUIRED_VARS PROTOBUFC_LIBRARY PROTOBUFC_INCLUDE_DIR PROTOBUFC_COMPILER
    REASON_FAILURE_MESSAGE "protobuf-c is libprotobuf-c-dev and protobuf-c-compiler on Debian")

if(ProtobufC_FOUND AND NOT TARGET ProtobufC::protobuf-c)
    add_library(ProtobufC::protobuf-c INTERFACE IMPORTED)
    target_include_directories(ProtobufC::protobuf-c SYSTEM INTERFACE ${PROTOBUFC_INCLUDE_DIR})
    target_link_libraries(ProtobufC::protobuf-c INTERFACE ${PROTOBUFC_LIBRARY})
endif()
