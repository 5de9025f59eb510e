# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# omptape-batch: words for a shell, and lines for programs that read lines. Sourced by ../omptape-batch; nothing here
# writes a file. Names of folders and jobs may hold any byte but NUL.

# Prints the words as every POSIX shell reads them back. All that a script writes for a shell goes through it.
quote() { # WORD...
    local LC_ALL=C word text=''
    for word in "$@"; do
        text+=${text:+ }
        if [[ $word =~ ^[A-Za-z0-9_./:,%@+-]+$ || $word =~ ^-[A-Za-z0-9_./:,%@+=-]+$ ]]; then
            text+=$word
            continue
        fi
        text+="'"
        while [[ $word == *\'* ]]; do
            text+=${word%%\'*}"'\\''"
            word=${word#*\'}
        done
        text+=$word"'"
    done
    printf '%s' "$text"
}

# Prints an assignment as a shell reads it.
quote_assignment() { # NAME VALUE
    printf '%s=%s' "$1" "$(quote "$2")"
}

# Whether a text is one line for whoever reads lines: a name with a control character could make more of it.
is_one_line() { # TEXT
    local LC_ALL=C
    [[ $1 != *[[:cntrl:]]* ]]
}

# Prints a text for a comment or a terminal, with a question mark for each control character.
one_line() { # TEXT
    local LC_ALL=C
    printf '%s' "${1//[[:cntrl:]]/?}"
}
