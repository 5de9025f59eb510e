# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034
#
# omptape-batch: around each task of a Slurm step (task_prolog, task_epilog), and what is done about the archives when a
# step or a job is over. Sourced by ../omptape-batch.

# How many tasks a node will have, as far as that is known: from srun's command line (in which the program's own -n
# counts, too), else from the job.
tasks_of_node() { # COMMAND...
    local word previous='' number most=0 tasks_per_node
    for word in "$@"; do
        number=
        case $previous in -n | --ntasks | --ntasks-per-node) number=$word ;; esac
        case $word in
            -n[0-9]*) number=${word#-n} ;;
            --ntasks=* | --ntasks-per-node=*) number=${word#*=} ;;
            --) break ;;
        esac
        [[ ! $number =~ ^[0-9]+$ ]] || most=$number
        previous=$word
    done
    if [[ $most -eq 0 ]]; then
        tasks_per_node=${SLURM_TASKS_PER_NODE:-} # 4(x2),3
        for word in ${tasks_per_node//,/ }; do
            number=${word%%(*}
            [[ ! $number =~ ^[0-9]+$ || $number -le $most ]] || most=$number
        done
    fi
    echo "$most"
}

# Slurm starts these for every task, in the task's environment; what the prolog prints becomes part of it. So each step
# gets a folder of its own although the script that starts it knows nothing of omptape. The epilog costs a second for each
# task of a node, one after the other (slurmstepd looks no more often): where there are many, the writers' checkpoints do
# instead.
set_task_hooks() { # COMMAND...
    local variable most_epilogs=4
    [[ ${SLURM_TASK_PROLOG:-$self} == "$self" ]] || export OMPTAPE_BATCH_PROLOG=$SLURM_TASK_PROLOG
    [[ ${SLURM_TASK_EPILOG:-$self} == "$self" ]] || export OMPTAPE_BATCH_EPILOG=$SLURM_TASK_EPILOG
    export SLURM_TASK_PROLOG=$self
    if [[ $(tasks_of_node "$@") -le $most_epilogs ]]; then
        export SLURM_TASK_EPILOG=$self
    elif [[ -n ${OMPTAPE_BATCH_EPILOG:-} ]]; then
        export SLURM_TASK_EPILOG=$OMPTAPE_BATCH_EPILOG
    else
        unset SLURM_TASK_EPILOG
    fi
    # The daemons of Open MPI are a step too, but their children belong to the mpirun that started them.
    for variable in OMPI_MCA_plm_slurm_args PRTE_MCA_plm_slurm_args; do
        [[ ${!variable:-} == *--task-prolog* ]] ||
            export "$variable=${!variable:+${!variable} }--task-prolog=/bin/true --task-epilog=/bin/true"
    done
    # `sbatch --export=NONE` makes the steps of the job forget everything, too.
    if [[ ${SLURM_EXPORT_ENV:-ALL} != ALL* ]]; then
        SLURM_EXPORT_ENV=${SLURM_EXPORT_ENV#NONE}
        for variable in LD_PRELOAD OMP_TOOL_LIBRARIES $(compgen -e OMPTAPE_); do
            SLURM_EXPORT_ENV+=${SLURM_EXPORT_ENV:+,}$variable
        done
    fi
}

step_folder() {
    local pattern=$OMPTAPE_BATCH_PATTERN
    [[ -n ${OMPTAPE_BATCH_COMPLETE:-} ]] || pattern=$(guarded_pattern "$pattern")
    expand "$pattern" "$step"
}

# A line of a prolog's, by which Slurm sets a variable of the task. It ends with the line, and nothing in it is quoted.
print_export() { # NAME VALUE
    ! is_one_line "$2" || printf 'export %s=%s\n' "$1" "$2"
}

task_prolog() {
    local folder
    [[ -z ${OMPTAPE_BATCH_PROLOG:-} ]] || "$OMPTAPE_BATCH_PROLOG" || exit
    find_job
    [[ -n $step ]] || return 0
    folder=$(step_folder)
    print_export OMPTAPE_OUTPUT "$folder"
    print_export OMPTAPE_RUN "$SLURM_JOB_ID.$step"
    if [[ -n ${OMPTAPE_BATCH_PRELOAD:-} && ":${LD_PRELOAD:-}:" != *":$OMPTAPE_BATCH_PRELOAD:"* ]]; then
        print_export LD_PRELOAD "$OMPTAPE_BATCH_PRELOAD${LD_PRELOAD:+:$LD_PRELOAD}"
    fi
    echo "unset OMPTAPE_REPORT_FILE" # a file of the node on which the script runs
    [[ ${SLURM_PROCID:-0} != 0 || -z ${OMPTAPE_BATCH_NOTES:-} ]] || (write_note "$job.$step" "$folder")
}

# Slurm ends what is left of a step with its last task. The writer of a task that was killed needs a moment more.
task_epilog() {
    [[ -z ${OMPTAPE_BATCH_EPILOG:-} ]] || "$OMPTAPE_BATCH_EPILOG" || true
    find_job
    [[ -n $step ]] || return 0
    wait_for_writers 4 "$(step_folder)"
}

# --- The archives ----------------------------------------------------------------------------------------------------

# Whether a writer of this user and host is at work in a folder, or unifies it: its mark is a link to host:pid:...
has_writer() { # FOLDER
    local mark owner host pid
    host=$(uname -n) # HOSTNAME may have come along from where the job was submitted
    for mark in "$1"/.omptape-writing "$1"/*/.omptape-writing "$1"/.omptape-unifying; do
        [[ $(stat -c %u -- "$mark" 2>/dev/null) == "$UID" ]] && owner=$(readlink -- "$mark") || continue
        pid=${owner#*:}
        pid=${pid%%:*}
        [[ ${owner%%:*} == "$host" && $pid =~ ^[1-9][0-9]*$ ]] && kill -0 "$pid" 2>/dev/null && return 0
    done
    return 1
}

wait_for_writers() { # SECONDS FOLDER
    local deadline=$((SECONDS + $1))
    while [[ $SECONDS -lt $deadline ]] && has_writer "$2"; do
        sleep 0.05
    done
}

# The last rank may be unifying the folder still, or begin to.
unify_folder() { # FOLDER
    local status=0
    "$omptape" unify "$1" || status=$?
    [[ $status == 3 ]] || return "$status"
    wait_for_writers 10 "$1"
    "$omptape" unify "$1"
}

# Completes what ranks that were killed have left, and says where the archives are.
finish_archives() { # FOLDER...
    local folder archive
    for folder in "$@"; do
        [[ -d $folder ]] || continue
        wait_for_writers 10 "$folder"
        if "$omptape" --help 2>/dev/null | grep -q '\bunify\b'; then
            unify_folder "$folder" || warn "to be tried again later: $omptape unify $folder"
        fi
        for archive in "$folder"/traces.otf2 "$folder"/*/traces.otf2; do
            [[ -e $archive ]] || continue
            say "$archive"
            found_archives=yes
        done
    done
}

# --- Notes -----------------------------------------------------------------------------------------------------------
#
# Steps leave a note of where they write: a link JOB.STEP to the folder. Every node must reach the notes, so their folder
# lies beside the archives, where others may be allowed to rename it. Therefore each use enters the folder first, and looks
# whether it is this user's alone and holds the mark; then names in it can only be ours. Only marks and notes are deleted.

readonly notes_mark=omptape-batch-notes

enter_notes() { # in a subshell
    cd -P -- "$OMPTAPE_BATCH_NOTES" 2>/dev/null && is_private . && [[ -f $notes_mark && ! -L $notes_mark ]]
}

mark_notes() { # in a subshell
    cd -P -- "$OMPTAPE_BATCH_NOTES" && is_private . && [[ -z $(ls -A) ]] && : >"$notes_mark"
}

make_notes() {
    local folder=$PWD
    if [[ -n $kind ]]; then
        folder=$(expand "${OMPTAPE_BATCH_PATTERN%%\%s*}" '')
        folder=${folder%/*}/
    fi
    if mkdir -p -- "$folder" && OMPTAPE_BATCH_NOTES=$(mktemp -d "${folder%/}/.omptape-batch${job:+-}$job.XXXXXX") &&
        (mark_notes); then
        export OMPTAPE_BATCH_NOTES
    else
        unset OMPTAPE_BATCH_NOTES
    fi
}

write_note() { # NAME TARGET; in a subshell
    enter_notes && ln -s -- "$2" "$1" 2>/dev/null || true
}

# Prints the notes' targets, a NUL after each, and removes the notes.
take_notes() { # in a subshell
    local note
    enter_notes || {
        warn "somebody else has replaced $OMPTAPE_BATCH_NOTES: complete the steps' archives by \"omptape unify DIR\""
        return 0
    }
    for note in [0-9]*.[0-9]*; do
        [[ -L $note ]] || continue
        readlink -z -- "$note"
        rm -f -- "$note"
    done
    rm -f -- "$notes_mark"
    [[ ! . -ef $OMPTAPE_BATCH_NOTES ]] || rmdir -- "$OMPTAPE_BATCH_NOTES"
}

finish_steps() {
    local folder folders=()
    [[ -n ${OMPTAPE_BATCH_NOTES:-} ]] || return 0
    while IFS= read -r -d '' folder; do folders+=("$folder"); done < <(take_notes)
    finish_archives ${folders[@]+"${folders[@]}"}
}
