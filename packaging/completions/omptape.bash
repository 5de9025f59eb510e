# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154,SC2207
#
# bash's completion of omptape, found by bash-completion as completions/omptape. omptape itself says what there is
# (src/command/completions.c): lines of name, kind of value and help.

_omptape_kind() { # LIST NAME
    awk -F'\t' -v name="$2" '$1 == name { print $2; exit }' <<<"$1"
}

_omptape_value() { # KIND
    case $1 in
    dir) _filedir -d ;;
    path) _filedir ;;
    words*) COMPREPLY=($(compgen -W "${1#words}" -- "$cur")) ;;
    esac
}

_omptape() {
    local cur prev words cword split list kind subcommand='' at=1
    _init_completion -s || return
    list=$("${words[0]}" --completions 2>/dev/null) || return

    # The first word that is neither an option nor the value of one: a subcommand or the program.
    while ((at < cword)) && [[ ${words[at]} == -* ]]; do
        if [[ ${words[at]} == -- ]]; then
            _command_offset $((at + 1))
            return
        fi
        [[ -z $(_omptape_kind "$list" "${words[at]}") ]] || ((at++))
        ((at++))
    done
    if ((at < cword)); then
        if ! grep -q "^${words[at]}"$'\t' <<<"$list"; then
            _command_offset "$at"
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
        _filedir
    else
        COMPREPLY=($(compgen -W "$(grep -v -- '^-' <<<"$list" | cut -f 1)" -- "$cur") $(compgen -c -- "$cur"))
        _filedir
    fi
} &&
    complete -F _omptape omptape
