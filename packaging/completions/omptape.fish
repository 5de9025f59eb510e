# SPDX-License-Identifier: BSD-3-Clause
#
# fish's completion of omptape. omptape itself says what there is (src/command/help.c): lines of name, kind of
# value and help.

function __omptape_values --argument-names kind token
    switch "$kind"
        case dir
            __fish_complete_directories "$token"
        case path
            __fish_complete_path "$token"
        case 'words *'
            string split ' ' -- (string replace -- 'words ' '' $kind)
    end
end

function __omptape_kind --argument-names name
    for line in $argv[2..]
        set -l fields (string split \t -- $line)
        test "$fields[1]" = "$name"; and echo $fields[2]; and return
    end
end

function __omptape_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l list ($words[1] --completions 2>/dev/null)
    set -l at 2
    # The first word that is neither an option nor the value of one: a subcommand or the program.
    while test $at -le (count $words); and string match -q -- '-*' $words[$at]
        if test "$words[$at]" = --
            __fish_complete_subcommand --fcs-skip=$at
            return
        end
        test -n "$(__omptape_kind $words[$at] $list)"; and set at (math $at + 1)
        set at (math $at + 1)
    end
    if test $at -le (count $words)
        if not string match -q -- $words[$at]\t'*' $list
            __fish_complete_subcommand --fcs-skip=(math $at - 1)
            return
        end
        set list ($words[1] $words[$at] --completions 2>/dev/null)
        __fish_complete_path "$token"
    else if test $at -eq (math (count $words) + 1)
        __fish_complete_subcommand --fcs-skip=(count $words)
    end

    set -l kind (__omptape_kind $words[-1] $list)
    if test -n "$kind"
        __omptape_values "$kind" "$token"
        return
    end
    for line in $list
        set -l fields (string split \t -- $line)
        echo $fields[1]\t$fields[3]
    end
    # --name=value
    if string match -q -- '--*=*' $token
        set -l name (string split -m 1 = -- $token)[1]
        for value in (__omptape_values "$(__omptape_kind $name $list)" (string replace -- "$name=" '' $token))
            echo $name=$value
        end
    end
end

complete -c omptape -f -a '(__omptape_complete)'
