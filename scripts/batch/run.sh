# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034
#
# omptape-batch: in the job, as its script (run_job_script) or in front of a program (run_program, run_launcher).
# Sourced by ../omptape-batch.

# Runs a command and passes on the signals that this process alone receives. The result is `status`.
supervise() { # SIGNALS COMMAND...
    local signals=$1 signal child
    shift
    # An asynchronous command would ignore SIGINT and read nothing.
    (
        trap - INT QUIT
        exec "$@"
    ) <&0 &
    child=$!
    for signal in $signals; do
        # shellcheck disable=SC2064 # the values of now
        trap "pass_on $signal $child" "$signal"
    done
    while wait "$child" || true; do
        kill -0 "$child" 2>/dev/null || break # else a signal has cut the wait short
    done
    status=0
    wait "$child" || status=$? # the shell remembers it
    for signal in $signals; do
        trap '' "$signal" # it was the job's; the archives come now
    done
}

pass_on() { # SIGNAL PROCESS
    if [[ $1 == TERM && -n ${OMPTAPE_BATCH_GRACE:-} ]]; then
        trap '' TERM
        kill -TERM 0 # only the script was told that the time is up
    fi
    kill "-$1" "$2" 2>/dev/null || true
}

run_job_script() { # NAME ARGUMENTS...; the script itself comes by descriptor 3
    local title=$1 folder line words command
    shift
    find_omptape
    find_job
    make_private_folder
    trap 'rm -rf -- "$work"' EXIT
    cat <&3 >"$work/$title"
    exec 3<&-
    IFS= read -r line <"$work/$title" || true
    command=("${OMPTAPE_BATCH_SHELL:-/bin/sh}")
    if [[ -z ${OMPTAPE_BATCH_SHELL:-} && $line == '#!'* ]]; then
        read -r -a words <<<"${line#??}"
        command=("${words[0]}")
        [[ ${#words[@]} -eq 1 ]] || command+=("${words[*]:1}")
    fi
    count_restarts "$OMPTAPE_BATCH_PATTERN"
    OMPTAPE_BATCH_PATTERN=$(expand "$(guarded_pattern "$OMPTAPE_BATCH_PATTERN")")
    has "$OMPTAPE_BATCH_PATTERN" s || OMPTAPE_BATCH_PATTERN+=.%s
    export OMPTAPE_BATCH_PATTERN
    # The values are in it now; a step must not add what its own environment says.
    export OMPTAPE_BATCH_COMPLETE=1
    folder=$(expand "$OMPTAPE_BATCH_PATTERN" batch)
    warn_of_local_disk "$folder"
    make_notes
    [[ $kind != slurm ]] || set_task_hooks
    # Quiet is only the omptape around the script: what it did not see is in the steps.
    [[ -n ${OMPTAPE_QUIET:-} ]] || command=(env -u OMPTAPE_QUIET "${command[@]}")
    supervise "HUP INT QUIT TERM USR1 USR2" "$omptape" -q -o "$folder" "${command[@]}" "$work/$title" "$@"
    finish_archives "$folder"
    finish_steps
    exit "$status"
}

is_rank() {
    [[ -n ${PMIX_RANK:-}${PMI_RANK:-}${OMPI_COMM_WORLD_RANK:-}${FLUX_TASK_RANK:-} ]]
}

# In front of a program: as one task of many, or as the one that starts it all.
run_program() { # COMMAND...
    local folder='' number=1
    find_omptape
    find_job
    [[ -z $kind ]] || choose_pattern
    if [[ -n $kind && -n $step ]] || { [[ -n $kind ]] && is_rank; }; then
        # The other tasks come to the same name, whenever they start.
        folder=$(expand "$pattern" "${step:-batch}")
        run_or_show OMPTAPE_OUTPUT="$folder" OMPTAPE_RUN="$job.${step:-batch}" -- "$omptape" "$@"
    fi
    if [[ -n $kind ]]; then
        while has "$pattern" s && is_taken "$(expand "$pattern" "run$number")"; do
            number=$((number + 1))
        done
        folder=$(expand "$pattern" "run$number")
        warn_of_local_disk "$folder"
    elif [[ -n $pattern ]]; then
        folder=$(expand "$(absolute_pattern "$pattern")" 0)
    fi
    run_or_show -- "$omptape" ${folder:+-o "$folder"} "$@"
}

run_or_show() { # NAME=VALUE... -- COMMAND...
    local assignments=() shown=''
    while [[ $1 != -- ]]; do
        assignments+=("$1")
        shown+="$(quote_assignment "${1%%=*}" "${1#*=}") "
        shift
    done
    shift
    if [[ -n $dry_run ]]; then
        printf '%s\n' "$shown$(quote "$@")"
        exit 0
    fi
    [[ ${#assignments[@]} -eq 0 ]] || export "${assignments[@]}"
    exec "$@"
}

# The library, and what omptape sets so that it is preloaded, as programs that gcc compiled need it.
find_library() {
    local IFS=
    # shellcheck disable=SC2016 # for the inner shell
    { read -r -d '' OMPTAPE_BATCH_PRELOAD && read -r -d '' library && read -r -d '' ASAN_OPTIONS; } < <(
        env -u LD_PRELOAD -u OMP_TOOL_LIBRARIES -u OMPTAPE_OUTPUT "$omptape" -q sh -c \
            'printf "%s\0" "${LD_PRELOAD:-}" "${OMP_TOOL_LIBRARIES:-}" "${ASAN_OPTIONS:-}"') || true
    library=${OMPTAPE_BATCH_PRELOAD:-$library}
    [[ -n $library ]] || fail "omptape does not find its library"
    unset OMPTAPE_SETTLED
    if [[ -n $OMPTAPE_BATCH_PRELOAD ]]; then
        export OMPTAPE_BATCH_PRELOAD ASAN_OPTIONS
    else
        unset OMPTAPE_BATCH_PRELOAD
    fi
}

# srun and salloc: the steps choose their folders themselves, since nobody else knows their numbers.
run_launcher() { # COMMAND...
    local library variable number=2
    find_omptape
    find_job
    choose_pattern
    if ! is_one_line "$pattern"; then
        warn "not traced: the output folder's name has a control character: $pattern (-o names another one)"
        run_or_show -- "$@"
    fi
    unset OMPTAPE_BATCH_COMPLETE
    [[ -z $kind ]] || export OMPTAPE_BATCH_COMPLETE=1
    if ! has "$pattern" jAaJrxus && is_taken "$(expand "$pattern" '')"; then
        while is_taken "$(expand "$pattern-$number" '')"; do number=$((number + 1)); done
        pattern+=-$number
    fi
    find_library
    export OMP_TOOL_LIBRARIES=$library${OMP_TOOL_LIBRARIES:+:$OMP_TOOL_LIBRARIES}
    export OMPTAPE_BATCH_PATTERN=$pattern
    unset OMPTAPE_REPORT_FILE OMPTAPE_OUTPUT OMPTAPE_RUN
    set_task_hooks "$@"
    if [[ -n $dry_run ]]; then
        for variable in OMP_TOOL_LIBRARIES OMPTAPE_BATCH_PATTERN SLURM_TASK_PROLOG ${SLURM_TASK_EPILOG:+SLURM_TASK_EPILOG}; do
            printf '%s ' "$(quote_assignment "$variable" "${!variable}")"
        done
        printf '%s\n# archives: %s/traces.otf2\n' "$(quote "$@")" "$pattern"
        return
    fi
    make_notes
    if [[ ${1##*/} == salloc ]]; then
        status=0
        "$@" || status=$?
    else
        trap : INT QUIT # srun has them from the terminal, too, and makes of them what it must
        supervise "HUP TERM USR1 USR2" "$@"
    fi
    finish_steps
    # What salloc ran may have had an omptape-batch of its own, which has said where its archives are.
    [[ ${1##*/} != srun || -n ${found_archives:-} || -z ${OMPTAPE_BATCH_NOTES:-} ]] ||
        say "nothing was traced; docs/using.md, Troubleshooting, has the reasons"
    exit "$status"
}
