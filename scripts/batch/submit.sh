# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034
#
# omptape-batch: where a job is submitted (submit_sbatch, submit_qsub, submit_bsub). Sourced by ../omptape-batch.

# Where the options of a submitting command end, as getopt reads them: the number of words is `options_end`. LETTERS are
# the short options that take no value, NAMES the long ones.
find_options_end() { # LETTERS NAMES ARGUMENT...
    local letters=$1 names=$2 word count=0
    shift 2
    while [[ $# -gt 0 && $1 == -?* ]]; do
        word=$1
        shift
        count=$((count + 1))
        [[ $word != -- ]] || break
        if [[ $word == --* ]]; then
            [[ $word == *=* || " $names " == *" ${word#--} "* ]] && continue
        else
            word=${word#-}
            while [[ -n $word && $letters == *"${word:0:1}"* ]]; do word=${word:1}; done
            [[ ${#word} -eq 1 ]] || continue # all without values, or the value follows its letter at once
        fi
        [[ $# -eq 0 ]] || shift
        count=$((count + 1))
    done
    options_end=$count
}

# The lines in which a script speaks to the batch system: its comments before the first command. The shell that PBS is
# asked for is the script's, not that of what goes before it.
directives() { # SCRIPT_TEXT
    local line
    while IFS= read -r line; do
        [[ $line =~ ^[[:space:]]*(#.*)?$ ]] || break
        [[ $line != '#!'* && $line == '#'* ]] || continue
        [[ $line =~ ^#PBS[[:space:]]+-S ]] || echo "$line"
    done <<<"$1"
}

# A line of the submitted script that sets a variable. Batch systems read scripts by lines, too.
print_setting() { # [export ]NAME VALUE
    is_one_line "$2" || fail "${1#export } has a control character, which a job script cannot hold"
    printf '%s\n' "$(quote_assignment "$1" "$2")"
}

# The script that is submitted: the directives, the settings, and the user's script, word for word.
wrapped_script() { # SCRIPT_TEXT
    local mark=END_OF_JOB_SCRIPT variable script_shell=${shell_option:-} lines
    lines=$(directives "$1")
    if [[ $1 =~ (^|$'\n')\#PBS[[:space:]]+-S[[:space:]]*([^[:space:]]+) ]]; then
        script_shell=${script_shell:-${BASH_REMATCH[2]}}
    fi
    while [[ $'\n'$1$'\n' == *$'\n'$mark$'\n'* ]]; do mark+=_; done
    echo '#!/bin/bash'
    [[ -z $lines ]] || echo "$lines"
    echo "# Made by omptape-batch: the script below, traced."
    for variable in $(compgen -e OMPTAPE_ | grep -vxE 'OMPTAPE_(OUTPUT|RUN|REPORT|BATCH_.*)' || true); do
        print_setting "export $variable" "${!variable}"
    done
    print_setting "export OMPTAPE_BATCH_PATTERN" "$pattern"
    [[ -z ${OMPTAPE_BATCH_QUIET:-} ]] || echo 'export OMPTAPE_BATCH_QUIET=1'
    [[ -z $grace ]] || echo 'export OMPTAPE_BATCH_GRACE=1'
    [[ -z $script_shell ]] || print_setting "export OMPTAPE_BATCH_SHELL" "$script_shell"
    printf 'exec 3<<'"'%s'"'\n%s\n%s\n' "$mark" "$1" "$mark"
    print_setting omptape_batch "$self"
    cat <<'END'
[ -x "$omptape_batch" ] && exec "$omptape_batch" --run-job-script "${0##*/}" "$@"
echo "omptape-batch: there is no $omptape_batch on this node; the job runs untraced" >&2
END
    declare -f is_safe_folder make_private_folder
    cat <<'END'
make_private_folder && script=$work/${0##*/} && cat <&3 >"$script" && chmod +x "$script" || exit 1
exec 3<&-
"$script" "$@"
status=$?
rm -rf -- "$work"
exit $status
END
}

# Hands the wrapped script over, by the name that the user's has: it becomes the job's.
submit() { # NAME SCRIPT_TEXT COMMAND... -- ARGUMENTS...; NAME is empty for a script from standard input
    local title=$1 text=$2 command=()
    shift 2
    while [[ $1 != -- ]]; do
        command+=("$1")
        shift
    done
    shift
    find_omptape # or say now that there is none
    text=$(wrapped_script "$text")
    if [[ -n $dry_run ]]; then
        printf '# %s\n' "$(one_line "$(quote "${command[@]}") $(quote ${title:+"$title"} "$@")")"
        printf '# archives: %s/traces.otf2\n%s\n' "$pattern" "$text"
    elif [[ -z $title ]]; then
        "${command[@]}" <<<"$text"
    else
        make_private_folder
        trap 'rm -rf -- "$work"' EXIT
        printf '%s\n' "$text" >"$work/$title"
        chmod +x "$work/$title"
        "${command[@]}" "$work/$title" "$@"
    fi
}

# The text of a job script that sbatch or qsub would read, which may be found in PATH.
script_text() { # FILE
    local file=$1
    [[ -e $file || $file == */* ]] || file=$(command -v -- "$file" || printf '%s' "$file")
    [[ -r $file ]] || fail "cannot read the job script $1"
    cat -- "$file"
}

submit_sbatch() { # COMMAND ARGUMENTS...
    local command=("$1") options=() title='' text i
    shift
    find_options_end bhHIkOQsuvVW "contiguous exclusive get-user-env help hold ignore-pbs no-kill no-requeue nice \
overcommit oversubscribe parsable propagate quiet reboot requeue share spread-job test-only usage use-min-nodes \
verbose version wait" "$@"
    for ((i = 1; i <= options_end; i++)); do
        case ${!i} in
            --help | -h | --usage | -u | --version | -V) exec "${command[@]}" "$@" ;;
            --signal*) grace='' ;;&
            --wrap=*)
                title=wrap
                text=${!i#--wrap=}
                ;;
            --wrap)
                i=$((i + 1))
                title=wrap
                text=${!i}
                ;;
            --) ;;
            *) options+=("${!i}") ;;
        esac
    done
    shift "$options_end"
    if [[ $title == wrap ]]; then
        text="#!/bin/sh"$'\n'"$text"
        set --
    elif [[ $# -gt 0 ]]; then
        title=${1##*/}
        text=$(script_text "$1")
        shift
    else
        text=$(cat)
    fi
    if [[ -n $grace && ! $text =~ \#SBATCH[[:space:]]+--signal ]]; then
        options=("--signal=B:TERM@$grace" ${options[@]+"${options[@]}"})
    else
        grace=''
    fi
    submit "$title" "$text" "${command[@]}" ${options[@]+"${options[@]}"} -- "$@"
}

submit_qsub() { # COMMAND ARGUMENTS...
    local command=("$1") i shell_option=''
    shift
    find_options_end fhIVxXz "version" "$@"
    for ((i = 1; i <= options_end; i++)); do
        case ${!i} in
            -S)
                i=$((i + 1))
                shell_option=${!i}
                ;;
            -S?*) shell_option=${!i#-S} ;;
            -I) fail "an interactive job: use omptape-batch in front of the programs that you start there" ;;
            *) command+=("${!i}") ;;
        esac
    done
    if [[ $options_end -gt 0 && ${!options_end} == -- ]]; then
        shift "$options_end"
        submit_command "${command[@]}" "$self" -o "$pattern" "$@"
        return
    fi
    shift "$options_end"
    if [[ $# -eq 0 || $1 == - ]]; then
        submit '' "$(cat)" "${command[@]}" --
    else
        submit "${1##*/}" "$(script_text "$1")" "${command[@]}" -- "${@:2}"
    fi
}

# bsub's options are words; all from the first that is none is the command, or else the script comes by standard input.
submit_bsub() { # COMMAND ARGUMENTS...
    local command=("$1")
    shift
    while [[ $# -gt 0 && $1 == -* ]]; do
        command+=("$1")
        case $1 in
            -ar | -B | -fgs | -H | -I | -Ip | -Is | -IS | -ISp | -ISs | -IX | -K | -N | -Ne | -ptl | -r | -rn | -tty | \
                -ul | -V | -h | -x | -XF | -Zs) ;;
            *)
                [[ $# -lt 2 ]] || command+=("$2")
                [[ $# -lt 2 ]] || shift
                ;;
        esac
        shift
    done
    if [[ $# -eq 0 ]]; then
        submit '' "$(cat)" "${command[@]}" --
        return
    fi
    # LSF gives the words to a shell.
    [[ $self$pattern =~ ^[A-Za-z0-9_./:,%@+=-]*$ ]] ||
        fail "LSF's shell would not read $self -o $pattern as it stands: submit a script (bsub < FILE)"
    submit_command "${command[@]}" "$self" -o "$pattern" "$@"
}

submit_command() { # COMMAND...
    if [[ -n $dry_run ]]; then
        printf '%s\n# archive: %s/traces.otf2\n' "$(quote "$@")" "$pattern"
    else
        exec "$@"
    fi
}
