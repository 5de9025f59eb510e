# Makes a C source of the page's parts: cmake -DASSETS=FOLDER -DOUT=FILE -P EmbedPage.cmake. Each script becomes a block
# of its own, so that its names are its own; what they share is the object `page`. They run in this order.
set(_scripts data levels rows states events view phases draw source table panels single samples ticks inside input start)

# Texts are handled as hexadecimal digits: CMake's own strings lose semicolons and brackets.
function(begin_text name)
    file(APPEND ${OUT}.new "const unsigned char page_${name}[] = {\n")
endfunction()

function(add_hex hex)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    file(APPEND ${OUT}.new "${hex}")
endfunction()

function(add_words words)
    file(WRITE ${OUT}.words "${words}") # string(HEX) came with CMake 3.18
    file(READ ${OUT}.words _hex HEX)
    file(REMOVE ${OUT}.words)
    add_hex("${_hex}")
endfunction()

function(add_file name)
    file(READ ${ASSETS}/${name} _hex HEX)
    add_hex("${_hex}")
endfunction()

function(end_text)
    file(APPEND ${OUT}.new "0};\n")
endfunction()

file(WRITE ${OUT}.new "/* Made by cmake/EmbedPage.cmake. */\n#include \"src/command/page/page.h\"\n\n")
begin_text(head_html)
add_file(head.html)
end_text()
begin_text(html)
add_file(page.html)
end_text()
begin_text(css)
add_file(page.css)
end_text()
begin_text(js)
add_words("\"use strict\";\nconst page = {};\n")
foreach(_script IN LISTS _scripts)
    add_words("{\n")
    add_file(js/${_script}.js)
    add_words("}\n")
endforeach()
end_text()
file(RENAME ${OUT}.new ${OUT})
