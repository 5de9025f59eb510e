# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2207
#
# bash's completion of omptape: bash-completion finds it as completions/omptape; without that package `source` it. omptape
# itself says what there is (src/command/help.c): lines of name, kind of value and help.

_omptape_kind() { # LIST NAME
    awk -F'\t' -v name="$2" '$1 == name { print $2; exit }' <<<"$1"
}

# Sets COMPREPLY to the names of files, or with -d of folders, that begin with $cur.
_omptape_files() { # [-d]
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen "${1:--f}" -- "$cur")
}

_omptape_value() { # KIND
    case $1 in
    dir) _omptape_files -d ;;
    path) _omptape_files ;;
    words*) COMPREPLY=($(compgen -W "${1#words}" -- "$cur")) ;;
    esac
}

# The program and its own words: with bash-completion these are the program's completion's, else files.
_omptape_program() { # INDEX
    if (($1 == ${#words[@]} - 1)); then
        _omptape_files
        COMPREPLY+=($(compgen -c -- "$cur"))
    elif declare -F _command_offset >/dev/null; then
        _command_offset "${at_word[$1]}"
    else
        _omptape_files
    fi
}

_omptape() {
    local cur prev list kind subcommand='' at=1 i
    local -a words at_word

    # Up to the cursor, with --option=value as two words: readline cuts them at the "=".
    for ((i = 0; i <= COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == = && ${COMP_WORDS[i - 1]} == --* ]] && ((i < COMP_CWORD)) && continue
        at_word+=("$i")
        words+=("${COMP_WORDS[i]#=}")
    done
    cur=${words[-1]} prev=${words[-2]}
    list=$("${words[0]}" --completions 2>/dev/null) || return

    # The first word that is neither an option nor the value of one: a subcommand or the program.
    while ((at < ${#words[@]} - 1)) && [[ ${words[at]} == -* ]]; do
        if [[ ${words[at]} == -- ]]; then
            _omptape_program $((at + 1))
            return
        fi
        [[ -z $(_omptape_kind "$list" "${words[at]}") ]] || ((at++))
        ((at++))
    done
    if ((at < ${#words[@]} - 1)); then
        if ! grep -q "^${words[at]}"$'\t' <<<"$list"; then
            _omptape_program "$at"
            return
        fi
        subcommand=${words[at]}
        list=$("${words[0]}" "$subcommand" --completions 2>/dev/null) || return
    fi

    kind=$(_omptape_kind "$list" "$prev")
    if [[ $prev == -* && -n $kind ]]; then
        _omptape_value "$kind"
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(grep -- '^-' <<<"$list" | cut -f 1)" -- "$cur"))
    elif [[ -n $subcommand ]]; then
        _omptape_files
    else
        _omptape_files
        COMPREPLY+=($(compgen -W "$(grep -v -- '^-' <<<"$list" | cut -f 1)" -- "$cur") $(compgen -c -- "$cur"))
    fi
} &&
    complete -F _omptape omptape
